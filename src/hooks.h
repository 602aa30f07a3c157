/* SPDX-License-Identifier: MIT */
/*
 * Programs of the user's, run when something happened: --ip-up, --ip-down for a bundle,
 * --line-up, --line-down and command= for a line, with the arguments and the environment that
 * pppd's ip-up and ip-down scripts expect, and ours besides (serialbundle(8), HOOKS).
 *
 * Those of one bundle, or of one line, run one at a time, in the order of events; one that takes
 * longer than the time limit is ended, with all its children. None holds anything else up.
 */
#ifndef SRC_HOOKS_H
#define SRC_HOOKS_H

#include "src/exchange.h"

struct ev_loop;
struct hooks;

enum { HOOKS_MAX = 64 }; /* that run or wait; what comes on top is left out, which is logged */

/* All borrowed, to outlive it; what the configuration says may change. NULL: out of memory. */
struct hooks *hooks_new(const struct config *, struct log *, struct ev_loop *);
/* Those still waiting are not run; the running ones are left to end by themselves. */
void hooks_free(struct hooks *);
/* Starts what there is to start for it. command: the line's, or "". */
void hooks_heed(struct hooks *, const struct exchange_event *, const char *command);
/* Whether any runs or waits. */
bool hooks_are_busy(const struct hooks *);

#endif
