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
	char name[CONFIG_NAME_SIZE]; /* of SLIP lines that belong together (--answer) */
};

/* What passes over a line is captured as it is on the wire. */
struct line_tap {
	struct capture_set captures;
	struct hdlc_decoder *in, *out; /* of a PPP line, while there are captures */
};

struct exchange {
	const struct config *config;
	struct log *log;
	struct secrets_file *pap, *chap; /* NULL: none */
	struct pool *pool;               /* NULL: none */
	struct line lines[CONFIG_MAX_LINES];
	unsigned line_count;                  /* those set up */
	unsigned bundle_of[CONFIG_MAX_LINES]; /* NO_BUNDLE: it is in none */
	struct exchange_bundle bundles[EXCHANGE_MAX_BUNDLES];
	struct line_tap taps[CONFIG_MAX_LINES];
	bool said_up[CONFIG_MAX_LINES];
	char said_why[CONFIG_MAX_LINES]
		     [LINE_REASON_SIZE];   /* why it does not come up, as said last */
	double said_bps[CONFIG_MAX_LINES]; /* of those up: the rate last logged */
	bool ending;
	sb_time start; /* instant */
};

/* --- exchange_line.c: a line and its bundle --- */

/* NULL: out of memory. */
struct encap *exchange_make_encap(struct exchange *, unsigned i, const struct encap_kind *);
/* What its encapsulation has to say; the bundle follows each of it, and the line's state. */
void exchange_heed_events(struct exchange *, unsigned i, sb_time now);
/* Makes the bundle follow the line's state, and says what changed. */
void exchange_settle(struct exchange *, unsigned i, sb_time now);
/* An answered line that went down is anybody's again. */
void exchange_forget_peer(struct exchange *, unsigned i, sb_time now);

/* --- exchange_bundle.c: which bundle --- */

/* Number k, with an address of the pool for the peer, or 0. */
enum exit_status exchange_make_bundle(struct exchange *, unsigned k, uint32_t address, sb_time now);
void exchange_drop_bundle(struct exchange *, unsigned k);
enum exit_status exchange_make_pool(struct exchange *);
/* The one that line i, which has come up, is for, made if need be; NO_BUNDLE: none can be. */
unsigned exchange_find_bundle(struct exchange *, unsigned i, sb_time now);
/* Ends all its lines. */
void exchange_hang_up(struct exchange *, unsigned k, const char *reason, sb_time now);
void exchange_close_if_empty(struct exchange *, unsigned k);
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
