/* SPDX-License-Identifier: MIT */
/*
 * We prove ourselves: Requests of PAP until one is answered; Responses of CHAP,
 * each to the latest challenge.
 */
#include "ppp/auth_side.h"

/* What the user calls the peer counts more than what it calls itself. */
static const struct secret *our_secret(const struct auth_config *config, enum auth_method method,
				       const char *server)
{
	return secret_find(auth_secrets(config, method), config->name,
			   config->remote_name[0] ? config->remote_name : server);
}

bool auth_can(const struct auth_config *config, enum auth_method method)
{
	if (method == AUTH_NONE)
		return true;
	const struct secret *secret = our_secret(config, method, "");
	return secret && (method != AUTH_PAP || strlen(secret->secret) <= PAP_FIELD_MAX);
}

static void send_request(struct auth *a)
{
	uint8_t packet[AUTH_PACKET_MAX];
	struct buf to = buf_over(packet, sizeof(packet));
	if (!auth_can(&a->config, AUTH_PAP)) {
		auth_fail(a, AUTH_WE_FAILED);
		return;
	}
	pap_put_request(&to, a->ours.identifier,
			&(struct pap_request){
				.name = as_bytes(a->config.name),
				.password = as_bytes(our_secret(&a->config, AUTH_PAP, "")->secret),
			});
	auth_send(a, PPP_PAP, &to);
}

static void send_response(struct auth *a)
{
	uint8_t packet[AUTH_PACKET_MAX];
	struct buf to = buf_over(packet, sizeof(packet));
	chap_put_value(&to, CHAP_RESPONSE, a->ours.identifier,
		       &(struct chap_value){
			       .value = bytes_of(a->ours.value, CHAP_DIGEST_SIZE),
			       .name = as_bytes(a->config.name),
		       });
	auth_send(a, PPP_CHAP, &to);
}

void ours_send(struct auth *a)
{
	if (a->ours.method == AUTH_PAP)
		send_request(a);
	else if (a->ours.has_value)
		send_response(a);
}

void ours_start(struct auth *a, sb_time now)
{
	if (a->ours.method == AUTH_NONE)
		return;
	a->ours.identifier = ++a->last_identifier;
	auth_ask(a, &a->ours, now);
	ours_send(a);
}

/* An Ack or Nak, a Success or Failure. Its text is for people and may be missing. */
static void answered(struct auth *a, const struct ppp_packet *answer, uint8_t good, uint8_t bad)
{
	if (!a->ours.open || answer->identifier != a->ours.identifier)
		a->bad_packets++;
	else if (answer->code == good)
		auth_pass(&a->ours, SB_NEVER);
	else if (answer->code == bad)
		auth_fail(a, AUTH_WE_FAILED);
	else
		a->bad_packets++;
}

void ours_pap_input(struct auth *a, const struct ppp_packet *packet)
{
	answered(a, packet, PAP_ACK, PAP_NAK);
}

static bool is_our_challenge(const struct auth_side *peers, struct bytes value)
{
	return peers->method == AUTH_CHAP_MD5 && value.length == CHALLENGE_SIZE &&
	       memcmp(value.at, peers->value, CHALLENGE_SIZE) == 0;
}

static void challenged(struct auth *a, sb_time now, const struct ppp_packet *packet)
{
	struct chap_value challenge;
	char server[AUTH_NAME_SIZE];
	if (!chap_take_value(packet->data, &challenge) || !auth_copy_name(server, challenge.name) ||
	    is_our_challenge(&a->peers, challenge.value)) {
		a->bad_packets++;
		return;
	}
	const struct secret *secret = our_secret(&a->config, AUTH_CHAP_MD5, server);
	if (!secret) {
		auth_fail(a, AUTH_WE_FAILED);
		return;
	}
	a->ours.identifier = packet->identifier;
	chap_digest(packet->identifier, secret->secret, challenge.value, a->ours.value);
	a->ours.has_value = true;
	auth_ask(a, &a->ours, now);
	send_response(a);
}

void ours_chap_input(struct auth *a, sb_time now, const struct ppp_packet *packet)
{
	if (a->failure != AUTH_GOING_ON)
		a->bad_packets++;
	else if (packet->code == CHAP_CHALLENGE)
		challenged(a, now, packet);
	else if (a->ours.has_value)
		answered(a, packet, CHAP_SUCCESS, CHAP_FAILURE);
	else
		a->bad_packets++;
}
