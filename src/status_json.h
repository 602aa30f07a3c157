/* SPDX-License-Identifier: MIT */
/*
 * How it goes, as JSON: the document of status.schema.json. Pure: reports in, values out.
 *
 * All texts in a report may hold anything; what is not printable becomes '?'.
 * Each value is the caller's. Out of memory somewhere makes the whole document NULL.
 */
#ifndef SRC_STATUS_JSON_H
#define SRC_STATUS_JSON_H

#include "src/flows.h"
#include "src/report.h"

#include <jansson.h>

enum { STATUS_JSON_VERSION = 1 };

struct status_program {
	const char *version;
	int pid;
	int64_t wall_ms; /* since 1970, UTC: when it was so */
	sb_time uptime;
	bool answers;
};

/* Without bundles or lines yet. */
json_t *status_json(const struct status_program *);
/*
 * Adds a bundle with its lines, or the lines that are in none. False: out of memory; the
 * document is of no use any more.
 */
bool status_json_add(json_t *document, const struct report *, const struct flow_pair flows[],
		     unsigned flow_count);

/* --- for other documents --- */

/* To a thousandth: what is behind that was never measured. */
double status_json_rounded(double);
double status_json_ms(sb_time duration);
/* What a bundle's lines carry. Those of which no packet can make use yet carry nothing (B119). */
double status_json_bps(const struct report *);
/* The tiers of a bundle's queue. */
json_t *status_json_tiers(const struct report *);
/* "2026-01-31T23:59:59.999Z" */
json_t *status_json_time(int64_t wall_ms);
/* A text made printable; NULL and "" are null. */
json_t *status_json_text(const char *);

#endif
