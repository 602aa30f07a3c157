/* SPDX-License-Identifier: MIT */
/*
 * A cable: two ends, perhaps with modems, a wire each way, and whether it is plugged in.
 */
#ifndef NULLMODEM_CABLE_H
#define NULLMODEM_CABLE_H

#include "src/nullmodem/cells.h"
#include "src/nullmodem/end.h"
#include "src/nullmodem/spec.h"
#include "src/nullmodem/telephone.h"

struct cable_host {
	struct loop *loop;
	struct presence *presence;
	const struct phone_book *book;
	uint64_t seed;
};

struct cable;

/* NULL: out of memory. The ends do not exist yet. */
struct cable *cable_new(const struct cable_spec *, const struct cable_host *);
void cable_free(struct cable *);
/* Makes the ends, and the record; false, with text, when one cannot be made. */
bool cable_plug(struct cable *, sb_time now, char *text, size_t text_size);

/*
 * Moves what there is to move. `due`: the owner waited for cable_deadline; else
 * it woke for other reasons, and only what cannot wait is done.
 */
void cable_run(struct cable *, sb_time now, bool due);
/* Something happened at an end since the last cable_run. */
bool cable_is_dirty(const struct cable *);
/* When to call cable_run with `due`, or SB_NEVER. */
sb_time cable_deadline(const struct cable *, sb_time now);

void cable_hang_up(struct cable *, sb_time now, sb_time until); /* SB_NEVER: until told */
void cable_return(struct cable *, sb_time now);                 /* also from the timetable's */
/* The carrier of the call is lost, if there is one. False: the cable has no modem. */
bool cable_drop_call(struct cable *, sb_time now);
/* "bps=9600", "ab.drop=0.01"; false, with the reason. */
bool cable_set(struct cable *, const char *setting, sb_time now, struct spec_error *);

const struct cable_spec *cable_spec(const struct cable *);
bool cable_is_up(const struct cable *);
bool cable_is_hung_up(const struct cable *, sb_time now); /* by cable_hang_up, not the timetable */
uint64_t cable_hangups(const struct cable *);
bool cable_has_calls(const struct cable *); /* it has a modem; the next two need that */
enum telephone_phase cable_call(const struct cable *);
struct telephone_stats cable_calls(const struct cable *);
struct wire_stats cable_stats(const struct cable *, enum direction, sb_time now);
/* False: it goes in no cells. */
bool cable_cells(const struct cable *, enum direction, sb_time now, struct cells_stats *);

#endif
