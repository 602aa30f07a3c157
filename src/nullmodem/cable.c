/* SPDX-License-Identifier: MIT */
/*
 * A cable: two stations, a way in each direction, and what puts them in touch: plugs, and with
 * a modem at either end a telephone line. Without a call both ways lose what they carry.
 */
#include "src/nullmodem/cable.h"

#include "src/nullmodem/circuit.h"
#include "src/nullmodem/way.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const sb_time replug_after = SB_SEC;

struct cable {
	struct cable_spec spec;
	struct station *station[2];
	struct way way[2];
	struct circuit *circuit; /* NULL: no modems */
	struct record *record;   /* NULL: none */
	bool up, dirty;
	sb_time hung_until; /* by hand; 0: not */
	sb_time since;      /* the timetable counts from here */
	sb_time replug_at;  /* after a failure; 0: none */
	uint64_t hangups;
};

static void on_changed(void *owner)
{
	struct cable *c = owner;
	c->dirty = true;
}

static bool make_stations(struct cable *c, const struct cable_host *host)
{
	struct end_host end_host = {host->loop, host->presence, on_changed, c};
	for (unsigned i = 0; i < 2; i++) {
		c->station[i] = station_new(c->spec.end[i], &c->spec.modem[i], &end_host,
					    2 * host->seed + i);
		if (!c->station[i])
			return false;
	}
	return true;
}

static bool make_ways(struct cable *c, uint64_t seed)
{
	for (enum direction d = AB; d <= BA; d++)
		if (!way_make(&c->way[d], d, &c->spec.wire[d], c->station[d == AB ? 0 : 1],
			      c->station[d == AB ? 1 : 0], 2 * seed + d))
			return false;
	return true;
}

static bool make_circuit(struct cable *c, const struct cable_host *host)
{
	if (!spec_has_modem(&c->spec))
		return true;
	c->circuit = circuit_new(&c->spec, host->book, c->station, host->seed);
	c->way[AB].through = c->way[BA].through = false;
	return c->circuit != NULL;
}

struct cable *cable_new(const struct cable_spec *spec, const struct cable_host *host)
{
	struct cable *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->spec = *spec;
	if (make_stations(c, host) && make_ways(c, host->seed) && make_circuit(c, host))
		return c;
	cable_free(c);
	return NULL;
}

void cable_free(struct cable *c)
{
	if (!c)
		return;
	circuit_free(c->circuit);
	for (unsigned i = 0; i < 2; i++) {
		station_free(c->station[i]);
		way_free(&c->way[i]);
	}
	record_close(c->record);
	free(c);
}

/* What was recorded is never begun anew: a cable comes back to the same file. */
static bool open_record(struct cable *c, sb_time now, char *text, size_t text_size)
{
	if (c->record || c->spec.record[0] == '\0')
		return true;
	c->record = record_open(c->spec.record, now, time(NULL), text, text_size);
	c->way[AB].record = c->way[BA].record = c->record;
	return c->record != NULL;
}

bool cable_plug(struct cable *c, sb_time now, char *text, size_t text_size)
{
	c->up = end_open(station_end(c->station[0]), text, text_size) &&
		end_open(station_end(c->station[1]), text, text_size) &&
		open_record(c, now, text, text_size);
	for (unsigned i = 0; i < 2 && !c->up; i++)
		end_close(station_end(c->station[i]));
	c->dirty = true;
	return c->up;
}

/* ---- plugged in or not ---- */

static bool should_be_down(const struct cable *c, sb_time now)
{
	return now < c->hung_until || timetable_is_out(&c->spec.hangups, c->since, now);
}

static void unplug(struct cable *c, sb_time now)
{
	if (c->circuit)
		circuit_hang_up(c->circuit, now);
	for (unsigned i = 0; i < 2; i++) {
		station_unplug(c->station[i], now);
		way_cut(&c->way[i], now);
	}
	record_hang_up(c->record, now);
	c->up = false;
	c->hangups++;
}

static void replug(struct cable *c, sb_time now)
{
	char text[256];
	if (now < c->replug_at)
		return;
	c->replug_at = 0;
	if (cable_plug(c, now, text, sizeof text))
		return;
	c->replug_at = now + replug_after;
	fprintf(stderr, "nullmodem: %s: %s; trying again in 1 s\n", c->spec.name, text);
}

static void update_plug(struct cable *c, sb_time now)
{
	bool down = should_be_down(c, now);
	if (down && c->up)
		unplug(c, now);
	else if (!down && !c->up)
		replug(c, now);
}

/* What was under way when a call begins or ends is of no call. */
static void run_circuit(struct cable *c, sb_time now)
{
	circuit_run(c->circuit, now);
	bool through = circuit_is_through(c->circuit);
	for (unsigned i = 0; i < 2; i++) {
		if (c->way[i].through != through)
			way_cut(&c->way[i], now);
		c->way[i].through = through;
		station_talk(c->station[i], now);
	}
}

void cable_run(struct cable *c, sb_time now, bool due)
{
	c->dirty = false;
	update_plug(c, now);
	if (!c->up)
		return;
	if (c->circuit)
		run_circuit(c, now);
	for (unsigned i = 0; i < 2; i++)
		way_run(&c->way[i], now, due);
	/* An unpaced way that made room after it had read its fill; a call that has ended. */
	for (unsigned i = 0; i < 2; i++)
		if (way_wants_more(&c->way[i], now) || station_has_typed(c->station[i]))
			c->dirty = true;
}

bool cable_is_dirty(const struct cable *c)
{
	return c->dirty;
}

static sb_time plug_deadline(const struct cable *c, sb_time now)
{
	sb_time next = timetable_next(&c->spec.hangups, now);
	if (c->hung_until > now)
		next = sb_time_min(next, c->hung_until);
	if (c->replug_at > now)
		next = sb_time_min(next, c->replug_at);
	return next;
}

sb_time cable_deadline(const struct cable *c, sb_time now)
{
	sb_time next = plug_deadline(c, now);
	if (c->circuit && c->up)
		next = sb_time_min(next, circuit_deadline(c->circuit));
	return sb_time_min(next, sb_time_min(c->way[AB].deadline, c->way[BA].deadline));
}

void cable_hang_up(struct cable *c, sb_time now, sb_time until)
{
	c->hung_until = until;
	update_plug(c, now);
}

void cable_return(struct cable *c, sb_time now)
{
	c->hung_until = 0;
	c->since = now + 1; /* an outage that has begun by now is over */
	update_plug(c, now);
}

bool cable_drop_call(struct cable *c, sb_time now)
{
	if (!c->circuit)
		return false;
	circuit_drop(c->circuit, now);
	c->dirty = true;
	return true;
}

bool cable_set(struct cable *c, const char *setting, sb_time now, struct spec_error *error)
{
	struct cable_spec changed = c->spec;
	if (!spec_set(&changed, setting, error))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		if (!way_configure(&c->way[i], &changed.wire[i], now)) {
			snprintf(error->text, sizeof error->text, "%s: out of memory", setting);
			return false;
		}
	}
	c->spec = changed;
	c->dirty = true;
	return true;
}

/* ---- answers ---- */

const struct cable_spec *cable_spec(const struct cable *c)
{
	return &c->spec;
}

bool cable_is_up(const struct cable *c)
{
	return c->up;
}

bool cable_is_hung_up(const struct cable *c, sb_time now)
{
	return now < c->hung_until;
}

uint64_t cable_hangups(const struct cable *c)
{
	return c->hangups;
}

bool cable_has_calls(const struct cable *c)
{
	return c->circuit != NULL;
}

enum telephone_phase cable_call(const struct cable *c)
{
	return circuit_phase(c->circuit);
}

struct telephone_stats cable_calls(const struct cable *c)
{
	return circuit_stats(c->circuit);
}

struct wire_stats cable_stats(const struct cable *c, enum direction d, sb_time now)
{
	return way_stats(&c->way[d], now);
}

bool cable_cells(const struct cable *c, enum direction d, sb_time now, struct cells_stats *stats)
{
	if (!c->way[d].cells)
		return false;
	*stats = cells_stats(c->way[d].cells, now);
	return true;
}
