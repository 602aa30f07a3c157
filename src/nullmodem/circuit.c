/* SPDX-License-Identifier: MIT */
/*
 * A pump. Modems and telephone are pulled, and never call one another: what one says is given
 * to the other, until both are silent.
 */
#include "src/nullmodem/circuit.h"

#include <stdlib.h>

struct circuit {
	const struct cable_spec *spec;
	struct telephone *telephone;
	struct station *station[2];
};

struct circuit *circuit_new(const struct cable_spec *spec, const struct phone_book *book,
			    struct station *const stations[static 2], uint64_t seed)
{
	struct circuit *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->spec = spec;
	c->station[0] = stations[0];
	c->station[1] = stations[1];
	c->telephone = telephone_new(&spec->telephone, book, seed);
	if (c->telephone)
		return c;
	free(c);
	return NULL;
}

void circuit_free(struct circuit *c)
{
	if (!c)
		return;
	telephone_free(c->telephone);
	free(c);
}

/* ---- from a modem to the telephone ---- */

static void obey(struct circuit *c, sb_time now, unsigned side, const struct hayes_event *e)
{
	switch (e->kind) {
	case HAYES_DIALS:
		telephone_dial(c->telephone, now, side, e->number);
		break;
	case HAYES_ANSWERS:
		telephone_answer(c->telephone, now, side);
		break;
	case HAYES_HANGS_UP:
		telephone_hang_up(c->telephone, now, side);
		break;
	}
}

/* A server's port is hung up when its user leaves. */
static void run_server(struct circuit *c, sb_time now, unsigned side)
{
	struct end *end = station_end(c->station[side]);
	if (end_was_left(end))
		telephone_hang_up(c->telephone, now, side);
	telephone_set_server(c->telephone, side, true, end_is_attached(end));
}

/* True when the modem had something to tell. */
static bool run_modem(struct circuit *c, sb_time now, unsigned side, struct hayes *modem)
{
	struct hayes_event e;
	bool any = false;
	station_listen(c->station[side], now);
	hayes_tick(modem, now);
	while (hayes_event(modem, &e)) {
		obey(c, now, side, &e);
		any = true;
	}
	return any;
}

static bool run_side(struct circuit *c, sb_time now, unsigned side)
{
	struct hayes *modem = station_modem(c->station[side]);
	if (modem)
		return run_modem(c, now, side, modem);
	run_server(c, now, side);
	return false;
}

/* ---- from the telephone to a modem ---- */

/* The rate at which that side hears the other. */
static uint32_t carrier_bps(const struct circuit *c, unsigned side)
{
	return c->spec->wire[side == 0 ? BA : AB].bps;
}

static void sound(struct circuit *c, sb_time now, const struct telephone_event *e)
{
	static const enum hayes_sound sounds[] = {
		[TELEPHONE_RINGS] = HAYES_RING,      [TELEPHONE_RINGBACK] = HAYES_RINGBACK,
		[TELEPHONE_BUSY] = HAYES_BUSY_TONE,  [TELEPHONE_NO_TONE] = HAYES_NO_TONE,
		[TELEPHONE_SILENCE] = HAYES_SILENCE,
	};
	struct hayes *modem = station_modem(c->station[e->side]);
	if (!modem)
		return;
	if (e->kind != TELEPHONE_CARRIER) {
		hayes_hears(modem, now, sounds[e->kind]);
		return;
	}
	station_update_speed(c->station[e->side], now);
	hayes_carrier(modem, now, carrier_bps(c, e->side));
}

static bool run_telephone(struct circuit *c, sb_time now)
{
	struct telephone_event e;
	bool any = false;
	telephone_tick(c->telephone, now);
	while (telephone_event(c->telephone, &e)) {
		sound(c, now, &e);
		any = true;
	}
	return any;
}

void circuit_run(struct circuit *c, sb_time now)
{
	bool more;
	do {
		more = run_side(c, now, 0);
		more |= run_side(c, now, 1);
		more |= run_telephone(c, now);
	} while (more);
}

/* ---- by hand ---- */

void circuit_hang_up(struct circuit *c, sb_time now)
{
	telephone_hang_up(c->telephone, now, 0);
	telephone_hang_up(c->telephone, now, 1);
}

void circuit_drop(struct circuit *c, sb_time now)
{
	telephone_drop(c->telephone, now);
}

/* ---- answers ---- */

bool circuit_is_through(const struct circuit *c)
{
	return circuit_phase(c) == TELEPHONE_THROUGH;
}

enum telephone_phase circuit_phase(const struct circuit *c)
{
	return telephone_phase(c->telephone);
}

struct telephone_stats circuit_stats(const struct circuit *c)
{
	return telephone_stats(c->telephone);
}

sb_time circuit_deadline(const struct circuit *c)
{
	sb_time stations =
		sb_time_min(station_deadline(c->station[0]), station_deadline(c->station[1]));
	return sb_time_min(telephone_deadline(c->telephone), stations);
}
