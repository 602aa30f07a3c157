/* SPDX-License-Identifier: MIT */
/*
 * What stands around the exchange: who is told of what happens in it (hooks, control
 * clients, the service manager), and who may change it (control clients, SIGHUP).
 */
#ifndef SRC_SERVICE_H
#define SRC_SERVICE_H

#include "src/exchange.h"

struct ev_loop;
struct service;

/* All borrowed, to outlive it. */
struct service_host {
	int argc; /* the command line, to read it again */
	char **argv;
	const struct config *config; /* as it was read last */
	struct log *log;
	struct ev_loop *loop;
	struct exchange *exchange;
	const sb_time *now; /* the reading of the clock of this wake-up */
};

/* NULL: it was said in the log why, and *status is the exit status. */
struct service *service_new(const struct service_host *, enum exit_status *status);
void service_free(struct service *);

/* The program is ready. */
void service_begin(struct service *);
/* Tells what happened since; after exchange_run. */
void service_run(struct service *);
/* SIGHUP: reads the configuration again, if there is a file of it, and tries lines at once. */
void service_reload(struct service *);
/* The program is about to end. */
void service_end(struct service *);
/* Whether somebody still has to hear of it: programs of the user's run. */
bool service_is_busy(const struct service *);

#endif
