/* SPDX-License-Identifier: MIT */
/*
 * What is at an end of a cable: a port, and between it and the wire perhaps a modem.
 *
 * With a modem the port reaches the wire while that is online; else it talks to the modem,
 * whose answers come at the terminal's speed.
 */
#ifndef NULLMODEM_STATION_H
#define NULLMODEM_STATION_H

#include "src/nullmodem/end.h"
#include "src/nullmodem/hayes.h"
#include "src/nullmodem/spec.h"

struct station;

/* The specification is borrowed and may change. NULL: out of memory. */
struct station *station_new(const char *end, const struct modem_spec *, const struct end_host *,
			    uint64_t seed);
void station_free(struct station *);

struct end *station_end(const struct station *);
struct hayes *station_modem(const struct station *); /* NULL: none */

/* Catches up: who came and went at the port, what was typed at the modem. */
void station_listen(struct station *, sb_time now);
/* The modem's own words, as far as the terminal's speed allows. */
void station_talk(struct station *, sb_time now);
/* The speed of the port may have changed. */
void station_update_speed(struct station *, sb_time now);
void station_unplug(struct station *, sb_time now); /* the port is gone, and the modem's power */

bool station_is_online(const struct station *); /* what is read from the port is for the wire */
void station_passes(struct station *, sb_time now, struct bytes); /* this was */
bool station_hears(const struct station *);      /* and what the wire brings, for the port */
bool station_is_talking(const struct station *); /* that has to wait */
bool station_has_typed(const struct station *);  /* station_listen has something to do */
sb_time station_deadline(const struct station *);

#endif
