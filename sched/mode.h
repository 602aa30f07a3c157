/* SPDX-License-Identifier: MIT */
/*
 * The modes: how packets are spread over the lines of a bundle. `earliest` is the
 * program's own (stripe.h, multilink.h); the other seven are those of Linux bonding,
 * by its names and numbers, re-thought for IP over serial lines (policy.h).
 */
#ifndef SCHED_MODE_H
#define SCHED_MODE_H

#include <stdbool.h>
#include <stdint.h>

enum mode {
	MODE_BALANCE_RR,    /* 0 */
	MODE_ACTIVE_BACKUP, /* 1 */
	MODE_BALANCE_XOR,   /* 2 */
	MODE_BROADCAST,     /* 3 */
	MODE_8023AD,        /* 4 */
	MODE_BALANCE_TLB,   /* 5 */
	MODE_BALANCE_ALB,   /* 6 */
	MODE_EARLIEST,
	MODES
};

/* xmit_hash_policy; there are no MAC addresses here: layer2 is the IP addresses. */
enum xmit_hash {
	XMIT_LAYER2,
	XMIT_LAYER23,
	XMIT_LAYER34,
	XMIT_ENCAP23,
	XMIT_ENCAP34,
	XMIT_VLAN_SRCMAC, /* the source address */
	XMIT_HASHES
};

struct mode_config {
	enum mode mode;
	enum xmit_hash hash;       /* of balance-xor, 802.3ad, and balance-tlb without dynamic_lb */
	uint32_t packets_per_line; /* of balance-rr: packets_per_slave; 0: a random line each */
	bool tlb_dynamic_lb;
};

const char *mode_name(enum mode); /* "balance-rr" */
/* By name or number ("balance-rr", "0"); false: there is none. */
bool mode_named(const char *word, enum mode *);
const char *xmit_hash_name(enum xmit_hash); /* "layer3+4" */
bool xmit_hash_named(const char *word, enum xmit_hash *);

#endif
