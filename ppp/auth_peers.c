/* SPDX-License-Identifier: MIT */
/*
 * The peer proves itself. One answer to a question is judged; what it is told then
 * is told again whenever it answers that question again (RFC 1994 section 4.2).
 */
#include "ppp/auth_side.h"

static const char welcome[] = "welcome", wrong[] = "wrong name or secret";

static void send_challenge(struct auth *a)
{
	uint8_t packet[AUTH_PACKET_MAX];
	struct buf to = buf_over(packet, sizeof(packet));
	chap_put_value(&to, CHAP_CHALLENGE, a->peers.identifier,
		       &(struct chap_value){
			       .value = bytes_of(a->peers.value, CHALLENGE_SIZE),
			       .name = as_bytes(a->config.name),
		       });
	auth_send(a, PPP_CHAP, &to);
}

/* Of PAP we wait for the peer's requests, and say nothing. */
void peers_send(struct auth *a)
{
	if (a->peers.method == AUTH_CHAP_MD5)
		send_challenge(a);
}

void peers_challenge(struct auth *a, sb_time now)
{
	struct auth_side *side = &a->peers;
	for (size_t i = 0; i < CHALLENGE_SIZE; i += sizeof(uint32_t)) {
		uint32_t word = a->config.random(a->config.random_context);
		memcpy(side->value + i, &word, sizeof(word));
	}
	side->identifier = ++a->last_identifier;
	side->judged = false;
	auth_ask(a, side, now);
	send_challenge(a);
}

void peers_start(struct auth *a, sb_time now)
{
	if (a->peers.method == AUTH_CHAP_MD5)
		peers_challenge(a, now);
	else if (a->peers.method == AUTH_PAP)
		auth_ask(a, &a->peers, now);
}

/*
 * The row whose secret the peer of that name is to know, or NULL. An empty secret is
 * none: Debian's own pap-secrets has one for everybody, by which pppd means "ask the
 * system", and which anybody knows.
 */
static const struct secret *secret_of_peer(const struct auth *a, struct bytes name,
					   char client[static AUTH_NAME_SIZE])
{
	if (!auth_copy_name(client, name))
		return NULL;
	if (!client[0] && !auth_copy_name(client, as_bytes(a->config.remote_name)))
		return NULL;
	const struct secret *row =
		secret_find(auth_secrets(&a->config, a->peers.method), client, a->config.name);
	return row && row->secret[0] ? row : NULL;
}

/* One that changes its name between two challenges is somebody else. */
static bool is_same_peer(const struct auth *a, const char *name)
{
	return !a->peers.passed || strcmp(name, a->peer_name) == 0;
}

/* `secret` is the row of that name, whose secret it knew; NULL: it did not. */
static void judge(struct auth *a, sb_time now, const struct secret *secret, const char *name)
{
	bool again = a->peers.method == AUTH_CHAP_MD5 && a->config.rechallenge;
	a->peers.judged = true;
	if (!secret || !is_same_peer(a, name)) {
		a->peers.passed = false;
		auth_fail(a, AUTH_PEER_FAILED);
		return;
	}
	memcpy(a->peer_name, name, strlen(name) + 1);
	a->peer_secret = secret;
	auth_pass(&a->peers, again ? now + a->config.rechallenge : SB_NEVER);
}

static void send_pap_reply(struct auth *a, uint8_t identifier)
{
	uint8_t packet[AUTH_PACKET_MAX];
	struct buf to = buf_over(packet, sizeof(packet));
	bool good = a->peers.passed;
	pap_put_reply(&to, good ? PAP_ACK : PAP_NAK, identifier, good ? welcome : wrong);
	auth_send(a, PPP_PAP, &to);
}

void peers_pap_input(struct auth *a, sb_time now, const struct ppp_packet *packet)
{
	struct pap_request request;
	char name[AUTH_NAME_SIZE];
	if (!pap_take_request(packet->data, &request)) {
		a->bad_packets++;
		return;
	}
	if (a->peers.open) {
		const struct secret *row = secret_of_peer(a, request.name, name);
		bool known = row && secret_equal(request.password, as_bytes(row->secret));
		judge(a, now, known ? row : NULL, name);
	}
	if (a->peers.judged)
		send_pap_reply(a, packet->identifier);
}

static bool response_holds(const struct auth *a, const struct secret *row, struct bytes value)
{
	uint8_t right[CHAP_DIGEST_SIZE];
	chap_digest(a->peers.identifier, row->secret, bytes_of(a->peers.value, CHALLENGE_SIZE),
		    right);
	return secret_equal(value, bytes_of(right, sizeof(right)));
}

static void send_chap_result(struct auth *a)
{
	uint8_t packet[AUTH_PACKET_MAX];
	struct buf to = buf_over(packet, sizeof(packet));
	bool good = a->peers.passed;
	chap_put_result(&to, good ? CHAP_SUCCESS : CHAP_FAILURE, a->peers.identifier,
			good ? welcome : wrong);
	auth_send(a, PPP_CHAP, &to);
}

void peers_chap_input(struct auth *a, sb_time now, const struct ppp_packet *packet)
{
	struct chap_value response;
	char name[AUTH_NAME_SIZE];
	if (packet->identifier != a->peers.identifier ||
	    !chap_take_value(packet->data, &response)) {
		a->bad_packets++;
		return;
	}
	if (a->peers.open) {
		const struct secret *row = secret_of_peer(a, response.name, name);
		bool known = row && response_holds(a, row, response.value);
		judge(a, now, known ? row : NULL, name);
	}
	if (a->peers.judged)
		send_chap_result(a);
}
