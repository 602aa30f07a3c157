/* SPDX-License-Identifier: MIT */
/*
 * Inside of the authentication phase: its two sides, for auth.c, which keeps their
 * time, auth_ours.c and auth_peers.c, which know what they say.
 */
#ifndef PPP_AUTH_SIDE_H
#define PPP_AUTH_SIDE_H

#include "ppp/auth.h"
#include "ppp/chap.h"
#include "ppp/packet.h"
#include "ppp/pap.h"
#include "ppp/protocol.h"

enum {
	AUTH_PACKET_MAX = PPP_PACKET_HEADER + 2 + 2 * PAP_FIELD_MAX, /* a full PAP request */
	CHALLENGE_SIZE = CHAP_DIGEST_SIZE, /* 128 random bits will not come twice */
};

struct auth_side {
	enum auth_method method;
	bool open;          /* a question is: it is sent again, and given up */
	bool has_value;     /* CHAP: `identifier` and `value` were sent */
	bool judged;        /* the peer's answer to it is, and the verdict is `passed` */
	bool passed;        /* proved, though a later challenge may be open */
	uint8_t identifier; /* of our Request, our Challenge, the Challenge that we answer */
	uint8_t value[CHAP_DIGEST_SIZE]; /* our Challenge, our Response */
	unsigned tries_left;
	sb_time next_at; /* instant to send again, give up or challenge anew, or SB_NEVER */
};

struct auth {
	struct auth_config config;
	struct outbox *outbox;
	struct auth_side ours, peers;
	enum auth_result failure; /* AUTH_GOING_ON: none */
	uint8_t last_identifier;  /* of a question of ours */
	char peer_name[AUTH_NAME_SIZE];
	const struct secret *peer_secret;
	uint64_t bad_packets;
};

/* --- auth.c: what both sides share --- */

void auth_fail(struct auth *, enum auth_result);
void auth_pass(struct auth_side *, sb_time next_at);
/* It was sent for the first time, now. */
void auth_ask(const struct auth *, struct auth_side *, sb_time now);
/* Into the outbox; the memory is wiped. */
void auth_send(struct auth *, uint16_t protocol, struct buf *packet);
/* As a string. False: too long, or with a NUL in it, as no name in a secrets file is. */
bool auth_copy_name(char to[static AUTH_NAME_SIZE], struct bytes name);

static inline struct bytes as_bytes(const char *text)
{
	return bytes_of(text, strlen(text));
}

static inline const struct secrets *auth_secrets(const struct auth_config *config,
						 enum auth_method method)
{
	return method == AUTH_PAP ? config->pap_secrets : config->chap_secrets;
}

/* --- auth_ours.c: we prove ourselves --- */

void ours_start(struct auth *, sb_time now);
void ours_send(struct auth *); /* (again) what is open, if there is something to say */
void ours_pap_input(struct auth *, const struct ppp_packet *);
void ours_chap_input(struct auth *, sb_time now, const struct ppp_packet *);

/* --- auth_peers.c: the peer proves itself --- */

void peers_start(struct auth *, sb_time now);
void peers_challenge(struct auth *, sb_time now); /* a new one */
void peers_send(struct auth *);
void peers_pap_input(struct auth *, sb_time now, const struct ppp_packet *);
void peers_chap_input(struct auth *, sb_time now, const struct ppp_packet *);

#endif
