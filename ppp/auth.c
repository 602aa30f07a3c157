/* SPDX-License-Identifier: MIT */
/*
 * Authentication: two sides, each with its own method, over one shape.
 *
 *	side    method  we send                     and wait for
 *	ours    PAP     Authenticate-Request        Ack or Nak
 *	ours    CHAP    Response, once challenged   Success or Failure
 *	peers   PAP     nothing                     an Authenticate-Request
 *	peers   CHAP    Challenge                   a Response
 *
 * What a side sends, it sends again with the same identifier until it is
 * answered, so that on a slow line a late answer is still one. RFC 1994 wants a
 * new identifier and value for each challenge; the one that is sent again is the
 * same challenge, not answered yet. With the Response the RFC leaves it open; a
 * Success that was lost would otherwise never be told again.
 *
 * The choices that the RFCs leave:
 *
 *   - Nothing is told that was not agreed to by LCP: no PAP when CHAP was agreed
 *     to and stays silent, no Response to a challenge out of the blue.
 *   - A challenge that is our own, come back, is not answered: the answer would be
 *     the one that we wait for ourselves.
 *   - A side that failed has failed; only what was said is said again, so that
 *     nobody guesses on (RFC 1994 section 4.2, RFC 1334 section 2.2.1).
 *   - The names in Success and Failure are messages for people, and not read.
 *
 * All links of a bundle might be challenged by one another's challenges, which a
 * link cannot see. Rows with different secrets for the two directions are proof
 * against that, as RFC 1994 section 2.3 recommends.
 */
#include "ppp/auth.h"

#include <assert.h>
#include <stdlib.h>

#include "ppp/auth_side.h"

struct auth *auth_new(const struct auth_config *config, struct outbox *outbox)
{
	assert(config->retry > 0 && config->max_tries > 0);
	assert(strlen(config->name) < AUTH_NAME_SIZE);
	struct auth *a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->config = *config;
	a->outbox = outbox;
	auth_stop(a);
	return a;
}

void auth_free(struct auth *a)
{
	free(a);
}

/* --- what both sides share --- */

void auth_fail(struct auth *a, enum auth_result failure)
{
	a->failure = failure;
	a->ours.open = a->peers.open = false;
	a->ours.next_at = a->peers.next_at = SB_NEVER;
}

void auth_pass(struct auth_side *side, sb_time next_at)
{
	side->passed = true;
	side->open = false;
	side->next_at = next_at;
}

void auth_ask(const struct auth *a, struct auth_side *side, sb_time now)
{
	side->open = true;
	side->tries_left = a->config.max_tries - 1;
	side->next_at = now + a->config.retry;
}

void auth_send(struct auth *a, uint16_t protocol, struct buf *packet)
{
	assert(!packet->overflow);
	outbox_put(a->outbox, protocol, buf_bytes(packet));
	secret_wipe(packet->at, packet->length);
}

bool auth_copy_name(char to[static AUTH_NAME_SIZE], struct bytes name)
{
	if (name.length >= AUTH_NAME_SIZE || (name.length && memchr(name.at, 0, name.length)))
		return false;
	if (name.length)
		memcpy(to, name.at, name.length);
	to[name.length] = '\0';
	return true;
}

/* --- the phase --- */

void auth_start(struct auth *a, sb_time now, enum auth_method ours, enum auth_method peers)
{
	auth_stop(a);
	a->ours.method = ours;
	a->peers.method = peers;
	a->last_identifier = (uint8_t)a->config.random(a->config.random_context);
	peers_start(a, now);
	ours_start(a, now);
}

void auth_stop(struct auth *a)
{
	a->ours = a->peers = (struct auth_side){.next_at = SB_NEVER};
	a->failure = AUTH_GOING_ON;
	a->peer_name[0] = '\0';
	a->peer_secret = NULL;
}

static void pap_input(struct auth *a, sb_time now, const struct ppp_packet *packet)
{
	if (packet->code == PAP_REQUEST && a->peers.method == AUTH_PAP)
		peers_pap_input(a, now, packet);
	else if (packet->code != PAP_REQUEST && a->ours.method == AUTH_PAP)
		ours_pap_input(a, packet);
	else
		a->bad_packets++;
}

static void chap_input(struct auth *a, sb_time now, const struct ppp_packet *packet)
{
	if (packet->code == CHAP_RESPONSE && a->peers.method == AUTH_CHAP_MD5)
		peers_chap_input(a, now, packet);
	else if (packet->code != CHAP_RESPONSE && a->ours.method == AUTH_CHAP_MD5)
		ours_chap_input(a, now, packet);
	else
		a->bad_packets++;
}

void auth_input(struct auth *a, sb_time now, uint16_t protocol, struct bytes bytes)
{
	struct ppp_packet packet;
	assert(protocol == PPP_PAP || protocol == PPP_CHAP);
	if (!ppp_packet_take(bytes, &packet))
		a->bad_packets++;
	else if (protocol == PPP_PAP)
		pap_input(a, now, &packet);
	else
		chap_input(a, now, &packet);
}

/* --- time --- */

sb_time auth_deadline(const struct auth *a)
{
	return sb_time_min(a->ours.next_at, a->peers.next_at);
}

/* True: it is to be sent again. */
static bool try_again(const struct auth *a, struct auth_side *side, sb_time now)
{
	if (side->tries_left == 0)
		return false;
	side->tries_left--;
	side->next_at = now + a->config.retry;
	return true;
}

static void ours_tick(struct auth *a, sb_time now)
{
	if (try_again(a, &a->ours, now))
		ours_send(a);
	else if (a->ours.passed)
		auth_pass(&a->ours, SB_NEVER); /* a later challenge: for the peer to pursue */
	else
		auth_fail(a, AUTH_NO_ANSWER);
}

static void peers_tick(struct auth *a, sb_time now)
{
	if (!a->peers.open)
		peers_challenge(a, now);
	else if (try_again(a, &a->peers, now))
		peers_send(a);
	else
		auth_fail(a, AUTH_NO_ANSWER);
}

void auth_tick(struct auth *a, sb_time now)
{
	if (now >= a->peers.next_at)
		peers_tick(a, now);
	if (now >= a->ours.next_at)
		ours_tick(a, now);
}

/* --- how it stands --- */

static bool settled(const struct auth_side *side)
{
	return side->method == AUTH_NONE || side->passed;
}

enum auth_result auth_result(const struct auth *a)
{
	if (a->failure != AUTH_GOING_ON)
		return a->failure;
	return settled(&a->ours) && settled(&a->peers) ? AUTH_DONE : AUTH_GOING_ON;
}

const char *auth_peer_name(const struct auth *a)
{
	return a->peer_name;
}

const struct secret *auth_peer_secret(const struct auth *a)
{
	return a->peer_secret;
}

uint64_t auth_bad_packets(const struct auth *a)
{
	return a->bad_packets;
}
