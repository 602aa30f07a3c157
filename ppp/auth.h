/* SPDX-License-Identifier: MIT */
/*
 * The authentication phase of a link (RFC 1661 section 3.5): PAP (RFC 1334) and
 * CHAP with MD5 (RFC 1994), each direction by itself: the peer proves itself to
 * us, or we to it, or both, or neither.
 */
#ifndef PPP_AUTH_H
#define PPP_AUTH_H

#include "ppp/outbox.h"
#include "ppp/secret.h"
#include "serialbundle/time.h"

enum auth_method { AUTH_NONE, AUTH_PAP, AUTH_CHAP_MD5 };

enum { AUTH_NAME_SIZE = 256 }; /* with the final NUL; a name has at most 255 bytes */

struct auth_config {
	const char *name;        /* ours; "" : none */
	const char *remote_name; /* the peer's: by which our secret for it is found
				    whatever it tells, and its own where it tells none;
				    "" : as it tells */
	/* Borrowed, for both directions. What is told in the clear and what is not are two things.
	 */
	const struct secrets *pap_secrets, *chap_secrets;
	sb_time retry;       /* duration between tries: 3 s */
	unsigned max_tries;  /* 10 */
	sb_time rechallenge; /* duration between CHAP challenges once up; 0: only one */
	uint32_t (*random)(void *context);
	void *random_context;
};

enum auth_result {
	AUTH_GOING_ON,
	AUTH_DONE,        /* both directions, as far as agreed */
	AUTH_WE_FAILED,   /* the peer refused us, or we have no secret for it */
	AUTH_PEER_FAILED, /* it did not prove itself: a wrong secret, or an unknown name */
	AUTH_NO_ANSWER,   /* max_tries without one */
};

struct auth; /* allocated by auth_new */

struct auth *auth_new(const struct auth_config *, struct outbox *);
void auth_free(struct auth *);

/* The phase begins: how we are to prove ourselves, and how the peer. */
void auth_start(struct auth *, sb_time now, enum auth_method ours, enum auth_method peers);
/* The link is down: forget the peer's name. */
void auth_stop(struct auth *);

/* A packet of PPP_PAP or PPP_CHAP. Bad ones are counted and dropped. */
void auth_input(struct auth *, sb_time now, uint16_t protocol, struct bytes packet);
sb_time auth_deadline(const struct auth *);
void auth_tick(struct auth *, sb_time now);

/* How it stands; may change after DONE, when a later challenge fails. */
enum auth_result auth_result(const struct auth *);
/* Whether there is a secret by which we could prove ourselves in that way. */
bool auth_can(const struct auth_config *, enum auth_method);
/* The name that the peer proved, "" while it has not. */
const char *auth_peer_name(const struct auth *);
/* The row of the peer's secret, or NULL: its addresses. */
const struct secret *auth_peer_secret(const struct auth *);
uint64_t auth_bad_packets(const struct auth *);

#endif
