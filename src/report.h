/* SPDX-License-Identifier: MIT */
/*
 * How it goes, as text: the one-line live status, and the summary that SIGUSR1
 * and the end of the program print. Pure: a snapshot in, text out.
 *
 * All texts in a snapshot are borrowed; those that come from elsewhere (a
 * device's name, a reason) may hold anything, what is not printable is shown as
 * '?'.
 */
#ifndef SRC_REPORT_H
#define SRC_REPORT_H

#include "serialbundle/time.h"

#include "ppp/reassembly.h"
#include "sched/tiers.h"
#include "src/meter.h"
#include "src/netif.h"
#include "src/report_mode.h"
#include "src/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a line can do wrong; report.c has the words. */
enum report_error {
	REPORT_BAD_FRAMING, /* of the encapsulation: escapes that are none, frames cut short */
	REPORT_BAD_FCS,
	REPORT_TOO_LONG,
	REPORT_NOT_IP,
	REPORT_BAD_LENGTH,
	REPORT_BAD_CHECKSUM,
	REPORT_COMPRESSED,
	REPORT_UNKNOWN, /* protocols that were rejected */
	REPORT_OVERRUN, /* this and the rest: the UART's */
	REPORT_UART_FRAMING,
	REPORT_UART_PARITY,
	REPORT_BREAK,
	REPORT_ERRORS, /* how many kinds there are */
};

/* Why a packet went no further. */
enum report_drop {
	REPORT_DROP_CODEL,
	REPORT_DROP_FULL,        /* the queue was */
	REPORT_DROP_NO_LINE,     /* in time */
	REPORT_DROP_NO_BUFFER,   /* all were in use */
	REPORT_DROP_NOT_IP,      /* from the interface, but no IP packet of its MTU */
	REPORT_DROP_NO_PROTOCOL, /* of an IP version not agreed with the peer */
	REPORT_DROP_REFUSED,     /* came over a line, but the kernel did not take it */
	REPORT_DROPS,
};

struct report_flow { /* one direction */
	uint64_t packets;
	uint64_t call_bytes; /* of a line: since it last came up */
	struct meter_rates rates;
};

struct report_line {
	const char *name, *state; /* state: in a word or two, "up", "no carrier" */
	const char *device;
	const char *bundle;        /* the interface it belongs to; "" : none */
	const char *encapsulation; /* "slip", "ppp"; "unknown" until the peer has spoken */
	bool up, enabled;          /* not enabled: down until told otherwise */
	const char *reason;        /* why it last was not up; "" or NULL: it always was */
	uint32_t bps;              /* as given */
	double measured_bps;       /* 0: not measured */
	double bps_now;            /* its share of the bundle; 0 while not up */
	uint32_t baud;             /* of the port; 0: left as it is */
	unsigned bits_per_char;
	int modem_lines;          /* PORT_CTS and the like; -1: none, or not known */
	const char *modem;        /* what the modem is at: "online"; NULL: there is none */
	const char *connect;      /* what it said of the connection; "" or NULL: nothing */
	unsigned failures;        /* attempts to call in a row that came to nothing */
	uint32_t calls;           /* attempts since the start */
	uint32_t openings;        /* of the port */
	uint64_t waiting;         /* characters handed over that have not left the wire */
	sb_time waiting_time;     /* duration of these at its rate */
	sb_time heard;            /* duration since anything was received; -1: never was */
	double busy_out, busy_in; /* share of the last 2 s in which its wire carried, 0..1 */
	struct report_flow out, in;
	uint64_t errors[REPORT_ERRORS];
	uint64_t cut;        /* frames cut short because the line left */
	uint64_t sent_again; /* packets whose fate was not known when it left */
	sb_time rtt_least, rtt_smoothed, rtt_most; /* of Echo-Requests; 0: not measured */
	double loss_out, loss_in; /* 0..1, by quality reports; negative: not known */
	uint32_t downs;
	sb_time since; /* duration in this state */
	struct report_member member;
};

/* What is told to a peer of our own kind, and by it. */
struct report_vendor {
	bool up;                           /* they agreed to */
	const char *peer_mode, *peer_hash; /* how it spreads packets; NULL: it did not say */
	uint64_t out, in, bad;             /* packets of messages; bad: of those that came */
	uint64_t notices_out, notices_in;  /* of the link that is the active one */
};

enum { REPORT_ADDRESSES = 10 };

struct report {
	const char *ifname; /* "" : lines that are in no bundle */
	sb_time uptime;
	bool up;      /* packets can pass */
	unsigned mtu; /* of the interface */
	struct netif_address addresses[REPORT_ADDRESSES];
	unsigned address_count;
	const char *peer; /* its name, as far as it is known; "" or NULL: not */
	const struct report_line *lines;
	unsigned line_count, lines_up;
	struct report_flow out, in; /* at the interface */
	uint64_t queue_bytes, queue_packets;
	sb_time queue_age; /* of the oldest packet; 0 when empty */
	uint64_t drops[REPORT_DROPS];
	uint64_t ecn_marks;
	struct tier_counters tiers[TIERS]; /* of the queue, each tier for itself */
	struct report_vendor vendor;
	struct report_mode mode;
	bool reassembles; /* multilink was agreed on with the peer, once at least */
	struct reassembly_counters reassembly; /* what is in it if so */
	struct verdict verdict;                /* on what limits it now */
};

enum {
	REPORT_STATUS_SIZE = 512,
	REPORT_SIZE = 64 * 1024, /* enough for the summary of any number of lines up to 64 */
};

/*
 * Each stores at most size bytes with the final NUL, cut where that is too few,
 * and returns the length of what it stored. The status has no newline; each
 * line of the summary ends with one.
 */
size_t report_status(const struct report *, char *to, size_t size);
size_t report_summary(const struct report *, char *to, size_t size);

#endif
