/* SPDX-License-Identifier: MIT */
/*
 * Two exchanges with many lines between them, each with a modem at both ends and a telephone in
 * between: the first calls, the second answers. All but the wires is real: the exchanges, and
 * the rig's modems and telephones.
 *
 * The loop is made for hours: time goes in steps, and who has nothing to do is not asked.
 */
#ifndef TESTS_UNIT_MODEM_WORLD_H
#define TESTS_UNIT_MODEM_WORLD_H

#define PAIR_CABLES 16
#define WIRE_STEP   (200 * SB_MS) /* what is due is done then, as on a very busy machine */
#include "tests/unit/pair_world.h"
#include "tests/unit/scripted_modem.h"

#include "src/nullmodem/telephone.h"

struct call {
	struct telephone_config config;
	struct telephone *telephone;
	struct scripted_modem modem[2]; /* of side 0, and of side 1 */
	double up_seconds;
};

static struct call calls[CABLES];
static struct phone_book nobody; /* every number is the far end's */
static bool fed[SCRIPTED_PORTS]; /* there is something to read */
static uint32_t carrier_bps;

/* --- set-up --- */

static inline void passes(struct scripted_modem *m, sb_time now, struct bytes b)
{
	struct cable *c = &w.cable[m->port / 2];

	(void)now;
	wire_put(&c->wire[m->port % 2], c, b);
}

static inline void add_modems(unsigned n, sb_time carrier_time, bool has_lines)
{
	struct call *c = &calls[n];

	*c = (struct call){
		.config = {.answers_after = SB_SEC,
			   .ring_every = 6 * SB_SEC,
			   .train = 3 * SB_SEC,
			   .drops = carrier_time ? TELEPHONE_DROPS_RANDOM : TELEPHONE_KEEPS,
			   .drop_time = carrier_time}};
	c->telephone = telephone_new(&c->config, &nobody, n + 1);
	ck_assert_ptr_nonnull(c->telephone);
	for (unsigned end = 0; end < 2; end++) {
		struct scripted_modem *m = &c->modem[end];

		*m = (struct scripted_modem){
			.port = 2 * n + end, .has_lines = has_lines, .passes = passes};
		modem_create(m, 38400, 2 * n + end);
	}
}

static inline void configure_modem(unsigned side, unsigned n)
{
	struct line_config *l = &w.side[side].config.lines[n];

	l->baud = 38400;
	l->modem = (struct modem_config){.present = true,
					 .dial_command = "ATDT",
					 .dial_timeout = 60 * SB_SEC,
					 .redial = 5 * SB_SEC,
					 .redial_longest = 300 * SB_SEC,
					 .connect_rate = true};
	if (side == 0) {
		snprintf(l->modem.numbers[0], CONFIG_NUMBER_SIZE, "5551234");
		l->modem.number_count = 1;
	} else {
		l->modem.answers = true;
		l->modem.rings = 1;
	}
}

/* Not started. carrier_time: for which a call keeps its carrier on average; 0: for ever. */
static inline void modem_world_configure(unsigned lines, uint32_t bps, sb_time delay,
					 sb_time carrier_time, bool has_lines)
{
	pair_configure(lines, bps, delay);
	carrier_bps = bps;
	memset(fed, 0, sizeof fed);
	for (unsigned n = 0; n < lines; n++) {
		add_modems(n, carrier_time, has_lines);
		for (unsigned side = 0; side < 2; side++)
			configure_modem(side, n);
	}
}

static inline void modem_world_new(unsigned lines, uint32_t bps, sb_time delay,
				   sb_time carrier_time, bool has_lines)
{
	modem_world_configure(lines, bps, delay, carrier_time, has_lines);
	side_start(0);
	side_start(1);
}

static inline void modem_world_end(void)
{
	for (unsigned n = 0; n < w.cables; n++) {
		telephone_free(calls[n].telephone);
		for (unsigned end = 0; end < 2; end++)
			hayes_free(calls[n].modem[end].hayes);
	}
	world_end();
}

/* --- modems and telephones --- */

static inline bool heed_modem(struct call *c, unsigned end)
{
	struct hayes_event e;
	bool any = false;

	for (; hayes_event(c->modem[end].hayes, &e); any = true) {
		if (e.kind == HAYES_DIALS)
			telephone_dial(c->telephone, w.now, end, e.number);
		else if (e.kind == HAYES_ANSWERS)
			telephone_answer(c->telephone, w.now, end);
		else
			telephone_hang_up(c->telephone, w.now, end);
	}
	return any;
}

static inline void hear(unsigned n, const struct telephone_event *e)
{
	static const enum hayes_sound sounds[] = {[TELEPHONE_RINGS] = HAYES_RING,
						  [TELEPHONE_RINGBACK] = HAYES_RINGBACK,
						  [TELEPHONE_BUSY] = HAYES_BUSY_TONE,
						  [TELEPHONE_NO_TONE] = HAYES_NO_TONE,
						  [TELEPHONE_SILENCE] = HAYES_SILENCE};
	struct hayes *h = calls[n].modem[e->side].hayes;

	if (e->kind == TELEPHONE_CARRIER)
		hayes_carrier(h, w.now, carrier_bps);
	else
		hayes_hears(h, w.now, sounds[e->kind]);
	if (e->kind == TELEPHONE_SILENCE)
		w.cable[n].wire[0].count = w.cable[n].wire[1].count = 0;
}

static inline bool heed_telephone(unsigned n)
{
	struct telephone_event e;
	bool any = false;

	telephone_tick(calls[n].telephone, w.now);
	for (; telephone_event(calls[n].telephone, &e); any = true)
		hear(n, &e);
	return any;
}

/* What is due arrives, behind the words of the modem that it comes through. */
static inline bool deliver(unsigned n, unsigned end)
{
	struct scripted_modem *to = &calls[n].modem[!end];
	struct wire *r = &w.cable[n].wire[end];

	if (wire_due(r) > w.now)
		return false;
	if (!hayes_is_online(to->hayes)) {
		r->count = 0;
		return false;
	}
	fed[to->port] = true;
	return wire_deliver(&w.cable[n], end);
}

static inline bool call_turn(unsigned n)
{
	struct call *c = &calls[n];
	bool any = false;

	for (unsigned end = 0; end < 2; end++) {
		bool said = modem_turn(&c->modem[end], w.now);

		fed[c->modem[end].port] |= said;
		any |= said | heed_modem(c, end);
	}
	any |= heed_telephone(n);
	for (unsigned end = 0; end < 2; end++) {
		any |= deliver(n, end);
		modem_set_lines(&c->modem[end], hayes_is_online(c->modem[end].hayes), false);
	}
	return any;
}

static inline sb_time call_due(unsigned n)
{
	sb_time t = telephone_deadline(calls[n].telephone);

	for (unsigned end = 0; end < 2; end++) {
		t = sb_time_min(t, hayes_deadline(calls[n].modem[end].hayes));
		t = sb_time_min(t, wire_due(&w.cable[n].wire[end]));
	}
	return t;
}

/* --- the loop --- */

static inline bool is_fed(unsigned s)
{
	for (unsigned n = 0; n < w.cables; n++)
		if (fed[2 * n + s])
			return true;
	return false;
}

static inline void modem_side_turn(unsigned s)
{
	struct exchange *x = w.side[s].exchange;

	must(exchange_tun_readable(x, 0, w.now), "the interface is there");
	for (unsigned n = 0; n < w.cables; n++)
		if (fed[2 * n + s])
			exchange_line_readable(x, n, w.now);
	for (unsigned n = 0; n < w.cables; n++)
		fed[2 * n + s] = false;
	exchange_run(x, w.now);
}

/* A side is asked at first, and when there is something for it. */
static inline void modem_world_turn(void)
{
	bool more = true, asked[2] = {false, false};

	while (more) {
		more = false;
		for (unsigned s = 0; s < 2; s++)
			if (!asked[s] || is_fed(s)) {
				modem_side_turn(s);
				asked[s] = true;
			}
		for (unsigned n = 0; n < w.cables; n++)
			more |= call_turn(n);
	}
	for (unsigned k = 0; k < w.hosts; k++)
		host_receives(&w.host[k]);
}

static inline void modem_world_run(sb_time duration)
{
	sb_time end = w.now + duration;

	for (;;) {
		sb_time due = SB_NEVER;

		modem_world_turn();
		for (unsigned s = 0; s < 2; s++)
			due = sb_time_min(due, exchange_deadline(w.side[s].exchange, w.now));
		for (unsigned n = 0; n < w.cables; n++)
			due = sb_time_min(due, call_due(n));
		must(due > w.now, "the deadline is to come");
		if (due > end)
			break;
		w.now = due + (WIRE_STEP - due % WIRE_STEP) % WIRE_STEP;
	}
	w.now = sb_time_max(w.now, end);
}

#endif
