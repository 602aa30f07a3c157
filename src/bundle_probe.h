/* SPDX-License-Identifier: MIT */
/*
 * Probes (src/probe.h) of a bundle's SLIP lines, which have nobody to ask otherwise; links have
 * LCP's Echo-Requests. For bundle*.c alone.
 */
#ifndef SRC_BUNDLE_PROBE_H
#define SRC_BUNDLE_PROBE_H

#include "src/probe.h"

struct bundle;

struct bundle_probes {
	struct probe lines[CONFIG_MAX_LINES];
	bool runs[CONFIG_MAX_LINES];
	bool said_no_target;
};

/* The line leaves. */
void bundle_probe_stop(struct bundle *, unsigned i);
/* Starts, judges and asks, as the lines and the configuration are now. */
void bundle_probe_run(struct bundle *, sb_time now);
sb_time bundle_probe_deadline(const struct bundle *);
/* Starts a frame on the line with the request that waits for it; false: none does. */
bool bundle_probe_load(struct bundle *, unsigned i, sb_time now);
/* Whether a packet that came over any line is a reply to one, and not for the host. */
bool bundle_probe_takes(struct bundle *, struct bytes packet, sb_time now);

#endif
