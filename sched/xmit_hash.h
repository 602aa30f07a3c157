/* SPDX-License-Identifier: MIT */
/*
 * The transmit hash of Linux bonding (its kernel documentation, "xmit_hash_policy"), for packets
 * without a link layer.
 */
#ifndef SCHED_XMIT_HASH_H
#define SCHED_XMIT_HASH_H

#include "sched/mode.h"
#include "serialbundle/bytes.h"

/*
 * The published formulas, before "modulo slave count". Fragments hash without ports (so a flow
 * with some fragments is on two lines with layer3+4: choose layer2+3 then); encap*: the inner
 * packet of IP-in-IP, IPv6-in-IPv4, GRE, and inner addresses likewise.
 */
uint32_t xmit_hash(enum xmit_hash, struct bytes packet);

#endif
