/* SPDX-License-Identifier: MIT */
/*
 * An end of the authentication phase: its configuration, its secrets, what it
 * sends; and packets by which a test plays the peer.
 */
#ifndef TESTS_UNIT_AUTH_TESTING_H
#define TESTS_UNIT_AUTH_TESTING_H

#include "ppp/auth.h"
#include "ppp/chap.h"
#include "ppp/packet.h"
#include "ppp/pap.h"
#include "ppp/protocol.h"
#include "tests/unit/codec_testing.h"

struct end {
	struct auth_config config;
	struct outbox outbox;
	struct auth *auth;
	uint64_t random_state;
	uint16_t protocol; /* of the packet that end_sent took */
	uint8_t memory[OUTBOX_BYTES];
};

static inline uint32_t end_random(void *state)
{
	return (uint32_t)next_random(state);
}

static const struct secret test_rows[] = {
	{"alice", "bob", "secret", NULL},
	{"bob", "alice", "other secret", NULL},
	{"carol", "*", "third", NULL},
};
static const struct secrets test_secrets = {test_rows, sizeof(test_rows) / sizeof(test_rows[0])};

static inline void end_open(struct end *e, const char *name)
{
	*e = (struct end){.random_state = (uint64_t)(unsigned char)name[0]};
	e->config = (struct auth_config){
		.name = name,
		.remote_name = "",
		.pap_secrets = &test_secrets,
		.chap_secrets = &test_secrets,
		.retry = 3 * SB_SEC,
		.max_tries = 10,
		.random = end_random,
		.random_context = &e->random_state,
	};
}

static inline void end_start(struct end *e, sb_time now, enum auth_method ours,
			     enum auth_method peers)
{
	auth_free(e->auth);
	e->auth = auth_new(&e->config, &e->outbox);
	ck_assert_ptr_nonnull(e->auth);
	auth_start(e->auth, now, ours, peers);
}

/* What it sends next; a length of 0: nothing. Viewed until the next call. */
static inline struct bytes end_sent(struct end *e)
{
	struct buf to = buf_over(e->memory, sizeof(e->memory));
	if (!outbox_take(&e->outbox, &e->protocol, &to))
		return bytes_of(NULL, 0);
	return buf_bytes(&to);
}

static inline bool end_is_quiet(struct end *e)
{
	return end_sent(e).length == 0;
}

/* What it sends next, taken apart; it has to be of that protocol and code. */
static inline struct ppp_packet end_says(struct end *e, uint16_t protocol, uint8_t code)
{
	struct ppp_packet packet;
	ck_assert(ppp_packet_take(end_sent(e), &packet));
	ck_assert_uint_eq(e->protocol, protocol);
	ck_assert_uint_eq(packet.code, code);
	return packet;
}

/* From a heap block of exactly that size, so that reading past it is seen. */
static inline void end_hears(struct end *e, sb_time now, uint16_t protocol, struct bytes packet)
{
	uint8_t *copy = malloc(packet.length ? packet.length : 1);
	ck_assert_ptr_nonnull(copy);
	if (packet.length)
		memcpy(copy, packet.at, packet.length);
	auth_input(e->auth, now, protocol, bytes_of(copy, packet.length));
	free(copy);
}

/* All that two ends have to say to one another, until both are silent. */
static inline void ends_talk(struct end *a, struct end *b, sb_time now)
{
	for (bool spoke = true; spoke;) {
		spoke = false;
		for (struct bytes p; (p = end_sent(a)).length; spoke = true)
			end_hears(b, now, a->protocol, p);
		for (struct bytes p; (p = end_sent(b)).length; spoke = true)
			end_hears(a, now, b->protocol, p);
	}
}

/* Ticks at each deadline up to then; what is sent meanwhile is counted and lost. */
static inline unsigned end_left_alone(struct end *e, sb_time until)
{
	unsigned sent = 0;
	for (sb_time at; (at = auth_deadline(e->auth)) <= until;) {
		auth_tick(e->auth, at);
		while (!end_is_quiet(e))
			sent++;
	}
	return sent;
}

/* --- two ends, anew for each test --- */

static const enum auth_method NONE = AUTH_NONE, PAP = AUTH_PAP, CHAP = AUTH_CHAP_MD5;
static struct end alice, bob;

static inline void ends_open(void)
{
	end_open(&alice, "alice");
	end_open(&bob, "bob");
}

static inline void ends_close(void)
{
	auth_free(alice.auth);
	auth_free(bob.auth);
}

static inline TCase *ends_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);
	tcase_add_checked_fixture(tcase, ends_open, ends_close);
	suite_add_tcase(suite, tcase);
	return tcase;
}

/* --- packets, viewed until some more of them were made --- */

static inline struct buf test_packet(void)
{
	static uint8_t memory[4][2048];
	static unsigned next;
	return buf_over(memory[next++ % 4], sizeof(memory[0]));
}

static inline struct bytes text(const char *string)
{
	return bytes_of(string, strlen(string));
}

static inline struct bytes chap_value_packet(enum chap_code code, uint8_t identifier,
					     struct bytes value, struct bytes name)
{
	struct buf to = test_packet();
	chap_put_value(&to, code, identifier, &(struct chap_value){value, name});
	ck_assert(!to.overflow);
	return buf_bytes(&to);
}

/* The right answer to a challenge, if the secret is right. */
static inline struct bytes chap_response(const struct ppp_packet *challenge, const char *secret,
					 const char *name)
{
	struct chap_value asked;
	uint8_t digest[CHAP_DIGEST_SIZE];
	ck_assert(chap_take_value(challenge->data, &asked));
	chap_digest(challenge->identifier, secret, asked.value, digest);
	return chap_value_packet(CHAP_RESPONSE, challenge->identifier,
				 bytes_of(digest, sizeof(digest)), text(name));
}

static inline struct bytes chap_result(enum chap_code code, uint8_t identifier)
{
	struct buf to = test_packet();
	chap_put_result(&to, code, identifier, "");
	return buf_bytes(&to);
}

static inline struct bytes pap_request(uint8_t identifier, const char *name, const char *password)
{
	struct buf to = test_packet();
	pap_put_request(&to, identifier, &(struct pap_request){text(name), text(password)});
	return buf_bytes(&to);
}

static inline struct bytes pap_reply(enum pap_code code, uint8_t identifier)
{
	struct buf to = test_packet();
	pap_put_reply(&to, code, identifier, "");
	return buf_bytes(&to);
}

#endif
