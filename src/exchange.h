/* SPDX-License-Identifier: MIT */
/*
 * The exchange: all lines of the program, and the bundles that they are in.
 *
 * Lines are opened, watched and opened again here, whatever they are in. Who calls
 * has one bundle, made at the start, of all lines. Who answers (--answer) has one for each
 * peer, made when its first line is up, and closed when none has been left for the hold time.
 *
 * No event loop here: the owner tells it what is readable, writable or due,
 * calls exchange_run once after all that, and asks what to watch and when to
 * come back. `now` is the owner's one reading of the clock per wake-up.
 */
#ifndef SRC_EXCHANGE_H
#define SRC_EXCHANGE_H

#include "src/config.h"
#include "src/log.h"
#include "src/report.h"

struct exchange;

enum { EXCHANGE_MAX_BUNDLES = CONFIG_MAX_LINES, EXCHANGE_NO_BUNDLE = EXCHANGE_MAX_BUNDLES };

/*
 * All borrowed, to outlive it. On failure NULL and the exit status; it was said in
 * the log what went wrong.
 */
struct exchange *exchange_new(const struct config *, struct log *, sb_time now, enum exit_status *);
void exchange_free(struct exchange *);

/*
 * Opens every line once. EXIT_FINE when at least one is open; the others are tried
 * again later. Else the first one's error, said in the log. A device that can
 * never do (not a tty, a format its driver refuses) is an error all the same.
 */
enum exit_status exchange_start(struct exchange *, sb_time now);

/* Ends all links in an orderly way, which takes up to some seconds; */
void exchange_end(struct exchange *, sb_time now);
/* until no link is left. */
bool exchange_has_ended(const struct exchange *);

/* False: the interface that the program is there for is gone. */
bool exchange_tun_readable(struct exchange *, unsigned bundle, sb_time now);
void exchange_line_readable(struct exchange *, unsigned line, sb_time now);
void exchange_line_writable(struct exchange *, unsigned line, sb_time now);
/* Does all that is due: retries, stalls, timers, expiry, sending. */
void exchange_run(struct exchange *, sb_time now);
/* The instant of the next thing due, or SB_NEVER. */
sb_time exchange_deadline(const struct exchange *, sb_time now);

/* Tries lines that are down at once, not when their turn has come. */
void exchange_retry_now(struct exchange *, sb_time now);

/* What to poll: an fd, or -1; and how often it was opened, since the same number under another
   count is another file. */
struct exchange_watch {
	int fd;
	bool wants_write;
	uint32_t openings;
};
unsigned exchange_line_count(const struct exchange *);
struct exchange_watch exchange_watch_line(const struct exchange *, unsigned line);
struct exchange_watch exchange_watch_tun(const struct exchange *, unsigned bundle);

/* The first bundle's interface, "" while there is none. */
const char *exchange_name(const struct exchange *);

/*
 * How bundle number `bundle` goes, with its lines; or, with --answer, the lines that
 * are in none (EXCHANGE_NO_BUNDLE). False: there is no such bundle, or no such line. The report
 * borrows from the exchange and from `lines`.
 */
bool exchange_report(struct exchange *, unsigned bundle, sb_time now, struct report *,
		     struct report_line lines[static CONFIG_MAX_LINES]);

#endif
