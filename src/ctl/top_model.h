/* SPDX-License-Identifier: MIT */
/*
 * What `top` shows: one bundle of a status document (status.schema.json) as plain values, and
 * what it remembers of the last minute. Pure. What a document lacks is 0, or not known.
 */
#ifndef SRC_CTL_TOP_MODEL_H
#define SRC_CTL_TOP_MODEL_H

#include <jansson.h>
#include <stdbool.h>

enum {
	TOP_LINES = 64,
	TOP_FLOWS = 64,
	TOP_BUNDLES = 64,
	TOP_SECONDS = 60, /* that are remembered */
	TOP_NAME_SIZE = 48,
	TOP_TEXT_SIZE = 200,
};

struct top_rates { /* bytes, and bytes per second */
	double total, over_2s, over_10s, over_40s, peak;
};

/* One value a second, the newest last. */
struct top_history {
	unsigned count;
	double values[TOP_SECONDS];
};

struct top_line {
	char name[TOP_NAME_SIZE], state[TOP_NAME_SIZE];
	char note[TOP_TEXT_SIZE]; /* up: what the modem said when it connected; down: why */
	bool up;
	double since_s, given_bps, bps;
	struct top_rates out, in;
	double busy_out, busy_in; /* 0..1 */
	double queue_ms;
	double rtt_ms, loss_out, loss_in; /* negative: not known */
	double errors, downs;
	struct top_history busy; /* shares, of sending */
};

struct top_flow {
	char local[TOP_NAME_SIZE], remote[TOP_NAME_SIZE];
	struct top_rates out, in;
};

struct top_bundle {
	char name[TOP_NAME_SIZE]; /* "" : there is none, or lines without one */
	char local[TOP_NAME_SIZE], remote[TOP_NAME_SIZE], peer[TOP_NAME_SIZE];
	double uptime_s, mtu, bps;
	unsigned lines, lines_up;
	struct top_rates out, in;
	double queue_bytes, queue_packets, queue_ms;
	double drops_codel, drops_full, drops_other, ecn_marks;
	char limit[TOP_NAME_SIZE], why[TOP_TEXT_SIZE];
	struct top_history out_history, in_history; /* bytes per second */
};

struct top_past; /* top_model.c's own */

struct top_model {
	char program[TOP_NAME_SIZE]; /* its version */
	char clock[TOP_NAME_SIZE];   /* "12:31:05 UTC"; "" : nothing was read yet */
	unsigned bundles;            /* views that there are: bundles, and lines without one */
	unsigned shown;              /* which of them this is */
	struct top_bundle bundle;
	struct top_line lines[TOP_LINES];
	unsigned line_count;
	struct top_flow flows[TOP_FLOWS];
	unsigned flow_count;

	json_t *document;
	struct top_past *past;
};

bool top_model_init(struct top_model *); /* false: out of memory */
void top_model_free(struct top_model *);
/* A new document, a second after the one before. */
void top_model_read(struct top_model *, json_t *document);
/* Another of its bundles, modulo how many there are. */
void top_model_show(struct top_model *, unsigned which);

#endif
