/* SPDX-License-Identifier: MIT */
/*
 * A cable: moves bytes from ends to wires and from wires to ends.
 *
 * Taking from the sender happens at once, for an idle wire starts when it gets
 * its first character. Handing over can wait for the next due time, so that
 * characters go in small groups, as they come out of a UART's FIFO.
 *
 * The receiver has a buffer of RECEIVER_PACED characters, like a serial driver;
 * a paced wire does not stop for a receiver that does not read, so what exceeds
 * it is lost. A wire without a rate has nothing to keep up with: there the
 * sender waits. Without anybody at the far end everything is lost either way.
 */
#include "src/nullmodem/cable.h"

#include "src/nullmodem/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
	RECEIVER_PACED = 4096,
	RECEIVER_UNPACED = 65536,
	CHUNK = 65536,
};

static const sb_time replug_after = SB_SEC;

/* One way through the cable. */
struct way {
	enum direction direction;
	struct record *record; /* the cable's, or NULL */
	struct wire *wire;
	struct end *from, *to;
	bool paced;
	bool blocked; /* unpaced, and the receiver is full */
	uint8_t *out; /* arrived, not taken by `to` yet */
	size_t out_head, out_length;
	sb_time deadline;
};

struct cable {
	struct cable_spec spec;
	struct end *end[2];
	struct way way[2];
	struct record *record; /* NULL: none */
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

static bool make_way(struct cable *c, enum direction d, uint64_t seed)
{
	struct way *w = &c->way[d];
	w->direction = d;
	w->wire = wire_new(&c->spec.wire[d], seed);
	w->out = malloc(RECEIVER_UNPACED);
	w->from = c->end[d == AB ? 0 : 1];
	w->to = c->end[d == AB ? 1 : 0];
	w->paced = c->spec.wire[d].bps > 0;
	w->deadline = SB_NEVER;
	return w->wire && w->out;
}

struct cable *cable_new(const struct cable_spec *spec, const struct cable_host *host)
{
	struct cable *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->spec = *spec;
	struct end_host end_host = {host->loop, host->presence, on_changed, c};
	for (unsigned i = 0; i < 2; i++)
		c->end[i] = end_new(spec->end[i], &end_host);
	bool ok = c->end[0] && c->end[1] && make_way(c, AB, 2 * host->seed) &&
		  make_way(c, BA, 2 * host->seed + 1);
	if (ok)
		return c;
	cable_free(c);
	return NULL;
}

void cable_free(struct cable *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < 2; i++) {
		end_free(c->end[i]);
		wire_free(c->way[i].wire);
		free(c->way[i].out);
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
	c->up = end_open(c->end[0], text, text_size) && end_open(c->end[1], text, text_size) &&
		open_record(c, now, text, text_size);
	for (unsigned i = 0; i < 2 && !c->up; i++)
		end_close(c->end[i]);
	c->dirty = true;
	return c->up;
}

/* ---- one way ---- */

static void accept_input(struct way *w, sb_time now)
{
	uint8_t chunk[CHUNK];
	size_t room;
	while ((room = wire_room(w->wire, now)) > 0 && end_is_readable(w->from)) {
		size_t n = end_read(w->from, chunk, room < sizeof chunk ? room : sizeof chunk);
		wire_input(w->wire, now, bytes_of(chunk, n));
	}
	end_hold(w->from, room == 0);
}

static void lose(struct way *w, size_t n)
{
	if (n > 0)
		wire_refused(w->wire, n);
}

static void flush_output(struct way *w, sb_time now)
{
	while (w->out_length > 0) {
		size_t n = end_write(w->to, bytes_of(w->out + w->out_head, w->out_length));
		if (n == 0)
			return;
		record_data(w->record, now, w->direction, bytes_of(w->out + w->out_head, n));
		w->out_head += n;
		w->out_length -= n;
	}
	w->out_head = 0;
}

static void lose_output(struct way *w)
{
	lose(w, w->out_length);
	w->out_head = w->out_length = 0;
}

/* What has arrived is lost, from now back. */
static void lose_arrived(struct way *w, sb_time now)
{
	uint8_t chunk[4096];
	size_t n;
	while ((n = wire_output(w->wire, now, chunk, sizeof chunk)) > 0)
		lose(w, n);
}

/* Moves arrived characters into `out` as far as the receiver's buffer goes; true if any. */
static bool fill_output(struct way *w, sb_time now)
{
	size_t limit = w->paced ? RECEIVER_PACED : RECEIVER_UNPACED;
	if (w->out_length >= limit)
		return false;
	if (w->out_head > 0)
		memmove(w->out, w->out + w->out_head, w->out_length);
	w->out_head = 0;
	size_t n = wire_output(w->wire, now, w->out + w->out_length, limit - w->out_length);
	w->out_length += n;
	return n > 0;
}

static void deliver(struct way *w, sb_time now)
{
	if (!end_is_attached(w->to)) {
		lose_output(w);
		lose_arrived(w, now);
		w->blocked = false;
		return;
	}
	do
		flush_output(w, now);
	while (fill_output(w, now));
	w->blocked = !w->paced && w->out_length > 0;
	if (w->paced)
		lose_arrived(w, now);
}

static void run_way(struct way *w, sb_time now, bool due)
{
	if (due || !w->paced)
		deliver(w, now);
	accept_input(w, now);
	if (!w->paced)
		deliver(w, now);
	w->deadline = w->blocked ? SB_NEVER : wire_deadline(w->wire);
	if (end_is_held(w->from))
		w->deadline = sb_time_min(w->deadline, wire_room_deadline(w->wire, now));
}

/* ---- plugged in or not ---- */

static bool should_be_down(const struct cable *c, sb_time now)
{
	return now < c->hung_until || timetable_is_out(&c->spec.hangups, c->since, now);
}

static void unplug(struct cable *c, sb_time now)
{
	for (unsigned i = 0; i < 2; i++) {
		end_close(c->end[i]);
		lose_output(&c->way[i]);
		wire_cut(c->way[i].wire, now);
		c->way[i].blocked = false;
		c->way[i].deadline = SB_NEVER;
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

void cable_run(struct cable *c, sb_time now, bool due)
{
	c->dirty = false;
	update_plug(c, now);
	if (!c->up)
		return;
	for (unsigned i = 0; i < 2; i++)
		run_way(&c->way[i], now, due);
	/* An unpaced way that made room after it had read its fill. */
	for (unsigned i = 0; i < 2; i++)
		if (end_is_readable(c->way[i].from) && wire_room(c->way[i].wire, now) > 0)
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

bool cable_set(struct cable *c, const char *setting, sb_time now, struct spec_error *error)
{
	struct cable_spec changed = c->spec;
	if (!spec_set(&changed, setting, error))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		if (!wire_configure(c->way[i].wire, &changed.wire[i], now)) {
			snprintf(error->text, sizeof error->text, "%s: out of memory", setting);
			return false;
		}
		c->way[i].paced = changed.wire[i].bps > 0;
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

struct wire_stats cable_stats(const struct cable *c, enum direction d, sb_time now)
{
	return wire_stats(c->way[d].wire, now);
}
