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

#include "src/config.h"
#include "src/log.h"
#include "src/report.h"
#include "src/tun.h"

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

/* False: the interface is gone. */
bool bundle_tun_readable(struct bundle *, sb_time now);
void bundle_line_readable(struct bundle *, unsigned line, sb_time now);
void bundle_line_writable(struct bundle *, unsigned line, sb_time now);
/* Does all that is due: retries, stalls, expiry, sending. */
void bundle_run(struct bundle *, sb_time now);
/* The instant of the next thing due, or SB_NEVER. */
sb_time bundle_deadline(const struct bundle *, sb_time now);

/* Tries lines that are down at once, not when their turn has come. */
void bundle_retry_now(struct bundle *, sb_time now);

/* What to poll for a line: its fd, or -1, and whether for writing too. */
int bundle_line_fd(const struct bundle *, unsigned line);
bool bundle_line_wants_write(const struct bundle *, unsigned line);
/*
 * How often it was opened: the same fd number under another count is another
 * file.
 */
uint32_t bundle_line_openings(const struct bundle *, unsigned line);

unsigned bundle_line_count(const struct bundle *);

/* How it goes. The report borrows from the bundle and from `lines`. */
void bundle_report(struct bundle *, sb_time now, struct report *,
		   struct report_line lines[static CONFIG_MAX_LINES]);

#endif
