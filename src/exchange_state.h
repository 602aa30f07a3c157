/* SPDX-License-Identifier: MIT */
/* What an exchange is made of; for exchange*.c alone. */
#ifndef SRC_EXCHANGE_STATE_H
#define SRC_EXCHANGE_STATE_H

#include "src/bundle.h"
#include "src/capture_set.h"
#include "src/entropy.h"
#include "src/exchange.h"
#include "src/interface.h"
#include "src/line.h"
#include "src/pool.h"
#include "src/secrets.h"

#include <stdio.h>
#include <unistd.h>

enum { NO_BUNDLE = EXCHANGE_NO_BUNDLE };

struct exchange_bundle {
	struct interface interface;
	struct bundle *bundle;       /* NULL: none with this number */
	uint32_t openings;           /* of the interface */
	uint32_t address;            /* of the pool, for the peer; 0: none */
	bool down;                   /* taken down: its lines stay down with it */
	bool told_up;                /* as events say */
	sb_time up_since;            /* instant */
	struct bundle_totals before; /* what had passed by then */
	char name[CONFIG_NAME_SIZE]; /* of SLIP lines that belong together (--answer) */
};

/* What passes over a line is captured as it is on the wire. */
struct line_tap {
	struct capture_set captures;
	struct hdlc_decoder *in, *out; /* of a PPP line, while there are captures */
};

/*
 * A line that is on its way out, for good or not. It gets nothing more to send, and ends when
 * what it has is off the wire; the bundle hears it until the peer, too, has ended.
 */
enum leaving {
	STAYS,
	LEAVES_FOR_GOOD,  /* the slot is free then */
	LEAVES_TO_REST,   /* down until told otherwise */
	LEAVES_TO_RETURN, /* tried again as after any other end */
	LEAVES_TO_CALL,   /* tried again at once: the user wants it */
	LEAVES_TO_CHANGE, /* returns at once, as `next` says */
};

/*
 * What the exchange knows of a line besides the line itself. A slot is free while its line has no
 * encapsulation; line numbers are slots, so they stay what they are when others leave.
 */
struct slot {
	enum leaving leaving;
	sb_time leaves_by;        /* instant at which it ends in any case */
	struct line_config *next; /* of LEAVES_TO_CHANGE; owned */
	char reason[LINE_REASON_SIZE];
	bool outdated;        /* its encapsulation was made for a configuration of before */
	uint32_t openings;    /* of the ports of all lines before it in this slot */
	enum line_state told; /* the last state that an event told of */
	sb_time joined_at;    /* the bundle; instant */
};

enum { EVENTS = 128 };

struct exchange {
	const struct config *config; /* as it is now: `own`, of which lines[] are those in use */
	struct config own;
	size_t largest; /* bytes of an IP packet, whatever the MTU becomes */
	struct log *log;
	struct secrets_file *pap, *chap; /* NULL: none */
	struct pool *pool;               /* NULL: none */
	struct line lines[CONFIG_MAX_LINES];
	unsigned line_count; /* of slots that are or were in use */
	struct slot slots[CONFIG_MAX_LINES];
	unsigned bundle_of[CONFIG_MAX_LINES]; /* NO_BUNDLE: it is in none */
	struct exchange_bundle bundles[EXCHANGE_MAX_BUNDLES];
	struct line_tap taps[CONFIG_MAX_LINES];
	bool said_up[CONFIG_MAX_LINES];
	char said_why[CONFIG_MAX_LINES]
		     [LINE_REASON_SIZE];       /* why it does not come up, as said last */
	double said_bps[CONFIG_MAX_LINES];     /* of those up: the rate last logged, */
	uint32_t said_given[CONFIG_MAX_LINES]; /* and what it was to be then */
	bool ending;
	sb_time start;                        /* instant */
	struct exchange_event events[EVENTS]; /* a ring */
	unsigned event_first, event_count;
};

/* --- exchange_slot.c: lines that come and go while it runs --- */

static inline bool slot_is_used(const struct exchange *x, unsigned i)
{
	return x->lines[i].encap;
}
/* The first slot in use from this number on, or EXCHANGE_NO_LINE. */
unsigned slot_next(const struct exchange *, unsigned from);
/* EXCHANGE_NO_LINE: all are in use. */
unsigned slot_free(const struct exchange *);
unsigned slots_used(const struct exchange *);
/* False: out of memory. */
bool slot_fill(struct exchange *, unsigned i, const struct line_config *, sb_time now);
void slot_empty(struct exchange *, unsigned i);
/* Begins to take the line out; `reason` is a clause. next: of LEAVES_TO_CHANGE, else NULL. */
void slot_leave(struct exchange *, unsigned i, enum leaving, const struct line_config *next,
		const char *reason, sb_time now);
/* Goes on with that. */
void slot_leave_on(struct exchange *, unsigned i, sb_time now);
/* When to go on, or SB_NEVER. */
sb_time slot_deadline(const struct exchange *, unsigned i);
/* Whether the line is to be up at all: enabled, and its bundle too. */
bool slot_is_wanted(const struct exchange *, unsigned i);
/* As the line is going to be: what it changes to, else what it is. */
const struct line_config *slot_config(const struct exchange *, unsigned i);
/* Whether two devices are one port: what they are called is not all, and each exec: is its own. */
bool slot_same_port(const char *device, const char *other);
/* Another line, on its way out, has the device of this one yet. */
bool slot_waits_for_device(const struct exchange *, unsigned i);
/* x->config's lines are those in use again, and what follows from them (the MTU). */
void slots_changed(struct exchange *);

/* --- exchange_event.c: what happened, for those who watch --- */

/* Text: NULL or what is to be told besides. */
void event_line(struct exchange *, enum exchange_event_kind, unsigned i, const char *text);
/* It leaves its bundle. */
void event_line_left(struct exchange *, unsigned i, sb_time now);
/* If it is another one than was last told of. */
void event_line_state(struct exchange *, unsigned i);
void event_bundle(struct exchange *, enum exchange_event_kind, unsigned k);
void event_bundle_down(struct exchange *, unsigned k, sb_time now);
/* UP or DOWN, if that has changed. */
void event_bundle_state(struct exchange *, unsigned k, sb_time now);
void event_reconfigured(struct exchange *, const char *text);

/* --- exchange_reconfigure.c --- */

/* As exchange_reconfigure, without a word. */
void exchange_follow(struct exchange *, const struct config *, sb_time now);

/* --- exchange.c --- */

/* Once; false: it was said why not. */
bool exchange_read_secrets(struct exchange *);
/* Trying again would be of no use. */
bool exchange_never_will_do(enum port_status);
/* The line is DOWN; false: as line_open. */
bool exchange_open_line(struct exchange *, unsigned i, sb_time now);

/* --- exchange_line.c: a line and its bundle --- */

/* For a line as the configuration says. NULL: out of memory. */
struct encap *exchange_make_encap(struct exchange *, const struct line_config *,
				  const struct encap_kind *);
/* What its encapsulation has to say; the bundle follows each of it, and the line's state. */
void exchange_heed_events(struct exchange *, unsigned i, sb_time now);
/* Makes the bundle follow the line's state, and says what changed. */
void exchange_settle(struct exchange *, unsigned i, sb_time now);
/* An answered line that went down is anybody's again; any line takes up what is new in the
   configuration. */
void exchange_forget_peer(struct exchange *, unsigned i, sb_time now);

/* --- exchange_modem.c: lines with modems --- */

/* What it said goes to the log, and to those who watch. */
void exchange_tell_modem(struct exchange *, unsigned i);
/* Lines that sleep are dialled when packets wait. */
void exchange_dial_for_traffic(struct exchange *, sb_time now);

/* --- exchange_bundle.c: which bundle --- */

/* Number k, with an address of the pool for the peer, or 0. */
enum exit_status exchange_make_bundle(struct exchange *, unsigned k, uint32_t address, sb_time now);
void exchange_close_bundle(struct exchange *, unsigned k, sb_time now);
/* The same without a word, at the end of it all. */
void exchange_drop_bundle(struct exchange *, unsigned k);
enum exit_status exchange_make_pool(struct exchange *);
/* The one that line i, which has come up, is for, made if need be; NO_BUNDLE: none can be. */
unsigned exchange_find_bundle(struct exchange *, unsigned i, sb_time now);
/* Ends all its lines. */
void exchange_hang_up(struct exchange *, unsigned k, const char *reason, sb_time now);
void exchange_close_if_empty(struct exchange *, unsigned k, sb_time now);
void exchange_expire_bundle(struct exchange *, unsigned k, sb_time now);
sb_time exchange_bundle_deadline(const struct exchange *, unsigned k);
/* Of that bundle: its lines that are up, and all that are its. */
unsigned exchange_lines_up(const struct exchange *, unsigned k);
unsigned exchange_lines_of(const struct exchange *, unsigned k);

/* --- exchange_verdict.c: what limits a bundle --- */

/* Of line i, which is r in the report. */
void exchange_line_facts(struct exchange *, unsigned i, sb_time now, const struct report_line *r,
			 struct verdict_line *);
/* On bundle k, which has these lines. */
struct verdict exchange_verdict(struct exchange *, unsigned k, sb_time now,
				const struct verdict_line *, unsigned count);

/* --- exchange_capture.c: what passes over lines, to files --- */

/* Those of the configuration; false: it was said why not. */
bool captures_open(struct exchange *);
/* The same of one line that was added. */
bool capture_open_line(struct exchange *, unsigned i);
void captures_close(struct exchange *);
void capture_close_line(struct exchange *, unsigned i);
/* Of what was read: the first n bytes were decoded. */
void capture_received(struct exchange *, unsigned i, size_t n, struct bytes read);
/* A packet that came over the line. */
void capture_packet_in(struct exchange *, unsigned i, struct encap_packet);
/* The frame that the line begins to send. */
void capture_sent(struct exchange *, unsigned i);

#endif
