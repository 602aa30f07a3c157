/* SPDX-License-Identifier: MIT */
/* What a bundle is made of; for bundle*.c alone. */
#ifndef SRC_BUNDLE_STATE_H
#define SRC_BUNDLE_STATE_H

#include "ppp/network.h"
#include "ppp/reassembly.h"
#include "sched/tiers.h"
#include "src/bundle.h"
#include "src/bundle_ingress.h"
#include "src/bundle_mode.h"
#include "src/bundle_park.h"
#include "src/bundle_probe.h"
#include "src/bundle_vendor.h"
#include "src/spread.h"
#include "src/tcp_windows.h"

struct bundle_counters {
	uint64_t no_line_drops;     /* waited for a line longer than the hold time */
	uint64_t no_buffer_drops;   /* every packet of the pool was out */
	uint64_t not_ip_drops;      /* from the TUN, but no IP packet of this MTU */
	uint64_t no_protocol_drops; /* from the TUN, of an IP version not agreed with the peer */
	uint64_t refused_packets;   /* arrived over a line; the kernel did not take them */
	uint64_t packets_in, packets_out; /* at the TUN; out: towards the lines */
};

/* Counters as rates, for the verdict. */
struct bundle_evidence {
	struct meter sent, full, codel, no_buffer; /* packets */
	struct meter overruns;                     /* characters, of all UARTs */
	struct meter cpu;                          /* nanoseconds */
	uint32_t line_overruns[CONFIG_MAX_LINES];  /* as the driver said last */
	bool has_overruns[CONFIG_MAX_LINES];
	unsigned overrun_line; /* the last that had any */
	struct flows *flows;
	struct tcp_windows *windows;
	sb_time look_at; /* instant of the next look */
};

struct bundle {
	const struct config *config;
	struct interface *interface;
	struct log *log;
	struct packet_pool *pool;
	struct tiers *queue;
	struct spread spread;
	struct capture_set captures; /* of the TUN */
	unsigned mtu;                /* of the interface now */
	unsigned most_mtu;           /* as configured: the peer may take less */

	struct line *lines[CONFIG_MAX_LINES]; /* members; NULL: no such */
	bool in_spread[CONFIG_MAX_LINES];
	unsigned joined_as[CONFIG_MAX_LINES];   /* line->coding then, */
	sb_time joined_delay[CONFIG_MAX_LINES]; /* and its delay */
	bool ours[CONFIG_MAX_LINES];            /* the peer on it is of our kind */
	bool retired[CONFIG_MAX_LINES];         /* to leave: see bundle_retire */
	bool silent[CONFIG_MAX_LINES];          /* as the reassembly was told */
	sb_time attached_at[CONFIG_MAX_LINES];  /* instant; 0: it is (bundle_link_is_attached) */
	unsigned members, links, lines_up;      /* links: members that speak PPP */
	bool carrier;        /* of the interface: a line is up, or was a moment ago */
	sb_time lines_gone;  /* instant the last one left; while lines_up is 0 */
	sb_time empty_since; /* instant, or SB_NEVER */

	/* Of its links; the peer's identity is remembered when the last has left. */
	bool peer_known, multilink, short_in;
	bool goes_on; /* the last link left only to begin anew: the numbers go on */
	bool ipv4_failed, ipv6_failed; /* since the first link came */
	bool peer_has_endpoint;
	struct endpoint peer_endpoint;
	char peer_name[AUTH_NAME_SIZE];
	uint32_t remote;
	unsigned peer_takes;           /* bytes of a packet; 0: not known */
	struct reassembly *reassembly; /* while there are links, if they agreed on multilink */
	bool reassembles;              /* there ever was one */
	struct reassembly_counters reassembled; /* by those that are gone */
	struct network *network;                /* from the first link on */
	struct bundle_vendor vendor;

	double rate;   /* the queue's delays are for this one */
	sb_time start; /* instant */
	struct meter out, in;
	struct bundle_counters counters;
	struct bundle_evidence evidence;
	struct bundle_mode mode;
	struct bundle_probes probes;
	struct bundle_park park;
	struct bundle_ingress ingress;
};

/* Arrival of the oldest of those that are not bound, or SB_NEVER. */
sb_time bundle_oldest_arrival(const struct bundle *);
/* To the kernel, */
void bundle_deliver(struct bundle *, struct bytes packet, sb_time now);
/* at once. */
void bundle_hand_over(struct bundle *, struct bytes packet, sb_time now);

/* --- bundle_queue.c: the one long queue --- */

bool bundle_queue_make(struct bundle *); /* and its pool; false: out of memory */
void bundle_queue_reconfigure(struct bundle *);
/* Its delays, bounds and shares follow what the lines carry together now. */
void bundle_queue_tune(struct bundle *);

/* --- bundle_verdict.c: what the verdict needs --- */

bool bundle_evidence_init(struct bundle_evidence *, sb_time now); /* false: out of memory */
void bundle_evidence_free(struct bundle_evidence *);
/* A packet from the interface, or for it. */
void bundle_saw(struct bundle *, sb_time now, struct bytes packet, bool out);
/* At the counters, when it is time. */
void bundle_look(struct bundle *, sb_time now);

/* --- bundle_reassembly.c: fragments put together again --- */

void bundle_reassembly_begin(struct bundle *, bool short_sequence); /* none: out of memory */
void bundle_reassembly_end(struct bundle *);
/* Holes are waited for as the lines are now. */
void bundle_reassembly_run(struct bundle *);
/* Since the bundle was made. */
struct reassembly_counters bundle_reassembly_counters(const struct bundle *);

/* --- bundle_link.c: what links need --- */

/* The interface's MTU is what is configured and the peer takes. */
void bundle_fit_mtu(struct bundle *);

/* False: out of memory. */
bool bundle_link_add(struct bundle *, unsigned i, sb_time now);
void bundle_link_remove(struct bundle *, unsigned i, sb_time now);
/* Whether it is heard may have changed: while nothing is, it is not waited for. */
void bundle_link_settle(struct bundle *, unsigned i, sb_time now);
/*
 * Whether the peer's bundle is sure to know the line by now. pppd brings a link up and joins it to
 * the kernel's bundle a moment later: what comes over it until then is lost.
 */
bool bundle_link_is_attached(const struct bundle *, unsigned i, sb_time now);
/* Whether IP packets may be sent over links. */
bool bundle_network_is_up(const struct bundle *);
/* Whether the peer agreed on this version of IP. */
bool bundle_network_takes(const struct bundle *, struct bytes packet);
void bundle_link_receive(struct bundle *, unsigned i, struct encap_packet, sb_time now);
/* Holes given up for time, timers of the network layer, what it has to say. */
void bundle_link_run(struct bundle *, sb_time now);
sb_time bundle_link_deadline(const struct bundle *);

#endif
