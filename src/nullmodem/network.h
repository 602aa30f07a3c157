/* SPDX-License-Identifier: MIT */
/* All the cables of one program, run together. */
#ifndef NULLMODEM_NETWORK_H
#define NULLMODEM_NETWORK_H

#include "src/nullmodem/cable.h"
#include "src/nullmodem/options.h"

struct network {
	struct loop *loop;
	struct presence *presence; /* NULL where inotify is not to be had */
	struct cable *cables[OPTIONS_MAX_CABLES];
	unsigned count;
	struct phone_book book; /* of all cables' telephones */
	sb_time batch;          /* the least time between two such: */
	sb_time last_due;       /* when cables last ran because it was time */
	sb_time late_max;       /* the worst that a wake-up came after its time */
	bool stopping;
};

/* Makes the cables and their ends. False, with text; network_close in any case. */
bool network_open(struct network *, const struct options *, char *text, size_t text_size);
void network_close(struct network *);

struct cable *network_find(struct network *, const char *name);
/* Until `stopping` or `end`. False: the wait failed, see errno. */
bool network_run(struct network *, sb_time end);

#endif
