/* SPDX-License-Identifier: MIT */
/*
 * The bundle: one TUN device, one queue, one stripe, any number of lines.
 *
 * No event loop here either: the owner tells it what is readable, writable or
 * due, calls bundle_run once after all that, and asks what to watch and when
 * to come back. `now` is the owner's one reading of the clock per wake-up.
 */
#ifndef SRC_BUNDLE_H
#define SRC_BUNDLE_H

#include "sched/fq_codel.h"
#include "src/capture.h"
#include "src/config.h"
#include "src/line.h"
#include "src/log.h"
#include "src/tun.h"

struct bundle_counters {
	uint64_t no_line_drops;   /* waited for a line longer than the hold time */
	uint64_t no_memory_drops; /* every packet of the pool was out */
	uint64_t not_ip_drops;    /* from the TUN, but no IP packet of this MTU */
	uint64_t refused_packets; /* arrived over a line; the kernel did not take them */
	uint64_t packets_in, packets_out, bytes_in,
		bytes_out; /* at the TUN; out: towards the lines */
};

struct bundle;

/* All borrowed, to outlive the bundle. NULL: out of memory or a capture that cannot be opened
   (said in the log). */
struct bundle *bundle_new(const struct config *, struct tun *, struct log *, sb_time now);
void bundle_free(struct bundle *);

/*
 * Opens every line once. PORT_OK when at least one is up; the others are tried
 * again later. Else the first one's error, said in the log. A device that can
 * never do (not a tty, a format its driver refuses) is an error all the same.
 */
enum port_status bundle_start(struct bundle *, sb_time now);

void bundle_tun_readable(struct bundle *, sb_time now);
void bundle_line_readable(struct bundle *, unsigned line, sb_time now);
void bundle_line_writable(struct bundle *, unsigned line, sb_time now);
/* Does all that is due: retries, stalls, expiry, sending. */
void bundle_run(struct bundle *, sb_time now);
/* The instant of the next thing due, or SB_NEVER. */
sb_time bundle_deadline(const struct bundle *, sb_time now);

/* What to poll for a line: its fd, or -1, and whether for writing too. */
int bundle_line_fd(const struct bundle *, unsigned line);
bool bundle_line_wants_write(const struct bundle *, unsigned line);

/* For reports. */
unsigned bundle_line_count(const struct bundle *);
const struct line *bundle_line(const struct bundle *, unsigned line);
const struct bundle_counters *bundle_counters(const struct bundle *);
const struct fq_codel *bundle_queue(const struct bundle *);
uint32_t bundle_waiting_bytes(const struct bundle *); /* queued and bound */
unsigned bundle_lines_up(const struct bundle *);

#endif
