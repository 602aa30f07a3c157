/* SPDX-License-Identifier: MIT */
/*
 * The network layer of a bundle: IPCP (RFC 1332, 1877) and IPV6CP (RFC 5072), once
 * per bundle, over whichever links it has.
 */
#ifndef PPP_NETWORK_H
#define PPP_NETWORK_H

#include "ppp/control.h"

struct network_config {
	bool ipv4, ipv6;
	/* IPv4 addresses in host order. */
	uint32_t local;       /* 0: ask the peer for one */
	uint32_t remote;      /* given to a peer that asks; 0: it must know its own, any will do */
	bool accept_local;    /* the peer's word on our address counts more than `local` */
	bool accept_remote;   /* its word on its own counts more than `remote` */
	bool ask_dns;         /* RFC 1877 */
	uint32_t give_dns[2]; /* 0: none to give */
	uint8_t local_id[8];  /* IPv6 interface identifier; all 0: any */
	uint8_t remote_id[8]; /* suggested to a peer that has none; all 0: any */
	struct control_timers timers;
	uint32_t (*random)(void *context);
	void *random_context;
};

enum network_reason {
	NETWORK_FINE, /* with a DOWN: it is being negotiated anew */
	NETWORK_NO_REPLY,
	NETWORK_NO_AGREEMENT,  /* on the addresses */
	NETWORK_PEER_REJECTED, /* it does not do this protocol */
	NETWORK_PEER_CLOSED,
	NETWORK_WE_CLOSED,
	NETWORK_LOWER_DOWN,
	NETWORK_REASONS,
};
const char *network_reason_text(enum network_reason);

struct network_ipv4 {
	uint32_t local, remote; /* 0: not told (remote) */
	uint32_t dns[2];        /* 0: none */
};

struct network_ipv6 {
	uint8_t local_id[8], remote_id[8];
};

struct network_event {
	enum {
		NETWORK_IPV4_UP,
		NETWORK_IPV4_DOWN, /* or cannot come up; reason */
		NETWORK_IPV6_UP,
		NETWORK_IPV6_DOWN,
	} kind;
	enum network_reason reason;
};

struct network;

struct network *network_new(const struct network_config *); /* copied; NULL: out of memory */
void network_free(struct network *);

/* The bundle's first link is: opens all anew, also what was closed or failed. */
void network_lower_up(struct network *, sb_time now);
void network_lower_down(struct network *, sb_time now); /* its last went */
void network_close(struct network *, sb_time now);

/* False: the protocol is none of its, to be rejected. */
bool network_input(struct network *, sb_time now, uint16_t protocol, struct bytes packet);
/*
 * A Protocol-Reject came. One of a data protocol changes nothing: the peer may
 * just not be open yet, while we are.
 */
void network_rejected(struct network *, sb_time now, uint16_t protocol);
bool network_output(struct network *, uint16_t *protocol, struct buf *packet);
bool network_event(struct network *, struct network_event *);
sb_time network_deadline(const struct network *);
void network_tick(struct network *, sb_time now);

bool network_ipv4_is_up(const struct network *);
bool network_ipv6_is_up(const struct network *);
const struct network_ipv4 *network_ipv4(const struct network *); /* while up */
const struct network_ipv6 *network_ipv6(const struct network *);

#endif
