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

#include "src/capture.h"
#include "src/config.h"
#include "src/flows.h"
#include "src/log.h"
#include "src/report.h"

struct exchange;

enum { LINE_EVENT_TEXT_SIZE = 192 };
enum { EXCHANGE_MAX_BUNDLES = CONFIG_MAX_LINES, EXCHANGE_NO_BUNDLE = EXCHANGE_MAX_BUNDLES };

/*
 * The configuration is copied; the log borrowed, to outlive it. On failure NULL and the exit
 * status; it was said in the log what went wrong.
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

/* --- changes while it runs: what serialbundlectl and SIGHUP are for --- */

enum { EXCHANGE_NO_LINE = CONFIG_MAX_LINES };

/* error: 0, or one of errno's with its meaning; text: a clause for people. */
struct exchange_answer {
	int error;
	char text[400];
};

/* By its name or its device; EXCHANGE_NO_LINE: none. */
unsigned exchange_find_line(const struct exchange *, const char *name);
/*
 * Both as the EQL driver answers: EINVAL for the bundle's own interface, for a line that is
 * one already, and while the bundle is down; ENOSPC beyond max-lines. A port that cannot be opened
 * yet is no error: it is tried again.
 */
void exchange_add_line(struct exchange *, const struct line_config *, sb_time now,
		       struct exchange_answer *);
/*
 * Ends the line in an orderly way, and forgets it; what it held goes over the others, and none
 * is lost on links. EINVAL: no such line.
 */
void exchange_remove_line(struct exchange *, unsigned line, sb_time now, struct exchange_answer *);
/* Up, dialled at once if it is a modem; or hung up, and not tried again until told. */
void exchange_enable_line(struct exchange *, unsigned line, bool, sb_time now,
			  struct exchange_answer *);
/* The line is called on now, without waiting. EINVAL: there is nothing to call with, or nobody. */
void exchange_dial_line(struct exchange *, unsigned line, sb_time now, struct exchange_answer *);
/* Ends the call; the line is tried again as after any other end. */
void exchange_hang_up_line(struct exchange *, unsigned line, sb_time now, struct exchange_answer *);
/* The bundle as a whole: its interface up or down, and all its lines with it. */
void exchange_enable_bundle(struct exchange *, unsigned bundle, bool, sb_time now,
			    struct exchange_answer *);
/*
 * One value, as the file has it, of the options or of a line that stays: everything else goes on as
 * before. EINVAL: it is wrong, or it cannot change while the program runs. The text says what it is
 * now.
 */
void exchange_set_option(struct exchange *, const char *key, const char *value, sb_time now,
			 struct exchange_answer *);
void exchange_set_line(struct exchange *, unsigned line, const char *key, const char *value,
		       sb_time now, struct exchange_answer *);
/*
 * Makes it as the other configuration says, by the differences alone: a line that is the same in
 * both is not touched. What cannot change while it runs (--answer, the interface's name...) is
 * said in the log and the text, and stays. The text says what was done; an error: some line could
 * not be added.
 */
void exchange_reconfigure(struct exchange *, const struct config *, sb_time now,
			  struct exchange_answer *);

/*
 * Captures, besides that of the configuration: of a line into the file; or, with
 * EXCHANGE_NO_LINE, of all there is, each line's into a file of its own, as --capture does.
 */
void exchange_capture_start(struct exchange *, const char *file, unsigned line,
			    struct exchange_answer *);
/* Ends those started under this name. */
void exchange_capture_stop(struct exchange *, const char *file, struct exchange_answer *);
/* The same of a line, or of a bundle when there is EXCHANGE_NO_LINE, into a function. */
void exchange_capture_stream(struct exchange *, const struct capture_sink *, const char *name,
			     unsigned bundle, unsigned line, struct exchange_answer *);

/* As it is now, whatever changed it; valid as long as the exchange. */
const struct config *exchange_config(const struct exchange *);
/* Of a line in use: as it is going to be, when it is about to change. */
const struct line_config *exchange_line_config(const struct exchange *, unsigned line);

/* What happened, for those who watch: hooks, serialbundlectl monitor. */
enum exchange_event_kind {
	EXCHANGE_LINE_ADDED,
	EXCHANGE_LINE_REMOVED,
	EXCHANGE_LINE_STATE, /* text: why */
	EXCHANGE_LINE_SAID,  /* text: of the dialogue with its modem, secrets masked */
	EXCHANGE_LINE_UP,    /* it joined the bundle */
	EXCHANGE_LINE_DOWN,  /* it left it */
	EXCHANGE_BUNDLE_MADE,
	EXCHANGE_BUNDLE_UP,   /* packets can pass, addresses are agreed */
	EXCHANGE_BUNDLE_DOWN, /* no line is up any more */
	EXCHANGE_BUNDLE_CLOSED,
	EXCHANGE_RECONFIGURED,
};
struct exchange_event {
	enum exchange_event_kind kind;
	unsigned bundle, line;            /* or EXCHANGE_NO_BUNDLE, EXCHANGE_NO_LINE */
	char line_name[CONFIG_NAME_SIZE]; /* "" : none */
	char device[CONFIG_DEVICE_SIZE];
	char ifname[IFNAMSIZ]; /* "" : none */
	const char *state;     /* of the line; static */
	uint32_t bps;
	double seconds;               /* DOWN: how long it was up */
	uint64_t bytes_out, bytes_in; /* and what passed meanwhile */
	uint32_t local, remote;       /* BUNDLE: IPv4 addresses in host order; 0: none */
	uint32_t dns[2];              /* that the peer gave, likewise */
	char peer_name[AUTH_NAME_SIZE];
	char text[LINE_EVENT_TEXT_SIZE];
};
/* The oldest not told yet; false: none. 128 are kept, and the oldest forgotten beyond that. */
bool exchange_event(struct exchange *, struct exchange_event *);

/* What to poll: an fd, or -1; and how often it was opened, since the same number under another
   count is another file. */
struct exchange_watch {
	int fd;
	bool wants_read, wants_write;
	uint32_t openings;
};
/* Line numbers are below it; not each of them is in use: nothing is to be watched of others. */
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
/* Its busiest pairs of hosts, as flows_read; how many. */
unsigned exchange_flows(struct exchange *, unsigned bundle, sb_time now,
			struct flow_pair to[static FLOWS_MAX]);

#endif
