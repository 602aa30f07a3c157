/* SPDX-License-Identifier: MIT */
/* The telephone between two stations: carries what one tells to the other. */
#ifndef NULLMODEM_CIRCUIT_H
#define NULLMODEM_CIRCUIT_H

#include "src/nullmodem/station.h"
#include "src/nullmodem/telephone.h"

struct circuit;

/* All is borrowed. NULL: out of memory. */
struct circuit *circuit_new(const struct cable_spec *, const struct phone_book *,
			    struct station *const stations[static 2], uint64_t seed);
void circuit_free(struct circuit *);

/* Until nothing more follows from what has happened by now. */
void circuit_run(struct circuit *, sb_time now);
bool circuit_is_through(const struct circuit *); /* characters pass */
void circuit_hang_up(struct circuit *, sb_time now);
void circuit_drop(struct circuit *, sb_time now);
enum telephone_phase circuit_phase(const struct circuit *);
struct telephone_stats circuit_stats(const struct circuit *);
sb_time circuit_deadline(const struct circuit *);

#endif
