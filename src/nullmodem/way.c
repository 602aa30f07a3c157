/* SPDX-License-Identifier: MIT */
/* See way.h. */
#include "src/nullmodem/way.h"

#include <stdlib.h>

enum {
	RECEIVER_PACED = 4096,
	RECEIVER_UNPACED = 65536,
	RECEIVER_TIME_MS = 10,
	CHUNK = 65536,
};

/* Behind a modem for cells: the delay, the noise and what the receiver can take. */
static struct wire_config wire_part(const struct wire_config *config)
{
	struct wire_config wire = *config;
	if (config->cells == WIRE_CELLS_NONE)
		return wire;
	wire.bps = 0;
	wire.buffer_time = 0;
	wire.stop = 0;
	return wire;
}

/* What the receiver has room for. */
static size_t receiver(const struct wire_config *config)
{
	if (config->receiver > 0)
		return config->receiver;
	if (config->bps == 0 || config->cells != WIRE_CELLS_NONE)
		return RECEIVER_UNPACED;
	size_t n = config->bps / config->bits_per_char / 1000 * RECEIVER_TIME_MS;
	n = n > RECEIVER_PACED ? n : RECEIVER_PACED;
	return n < RECEIVER_UNPACED ? n : RECEIVER_UNPACED;
}

/* Never less than before: what waits there stays. */
static bool grow_output(struct way *w, const struct wire_config *config)
{
	size_t most = receiver(config);
	if (most <= w->out_size)
		return true;
	uint8_t *out = realloc(w->out, most);
	if (!out)
		return false;
	w->out = out;
	w->out_size = most;
	return true;
}

bool way_make(struct way *w, enum direction d, const struct wire_config *config,
	      struct station *from, struct station *to, uint64_t seed)
{
	struct wire_config wire = wire_part(config);
	bool has_cells = config->cells != WIRE_CELLS_NONE;
	*w = (struct way){
		.direction = d,
		.wire = wire_new(&wire, seed),
		.cells = has_cells ? cells_new(config) : NULL,
		.out_most = receiver(config),
		.from = from,
		.to = to,
		.paced = config->bps > 0,
		.through = true,
		.deadline = SB_NEVER,
	};
	return w->wire && grow_output(w, config) && (w->cells || !has_cells);
}

void way_free(struct way *w)
{
	wire_free(w->wire);
	cells_free(w->cells);
	free(w->out);
}

bool way_configure(struct way *w, const struct wire_config *config, sb_time now)
{
	struct wire_config wire = wire_part(config);
	if (!grow_output(w, config))
		return false;
	if (w->cells && !cells_configure(w->cells, config))
		return false;
	if (!wire_configure(w->wire, &wire, now))
		return false;
	w->paced = config->bps > 0;
	w->out_most = receiver(config);
	return true;
}

/* Of modem and wire together. */
struct wire_stats way_stats(const struct way *w, sb_time now)
{
	struct wire_stats s = wire_stats(w->wire, now);
	if (!w->cells)
		return s;
	struct cells_stats c = cells_stats(w->cells, now);
	s.accepted = c.accepted;
	s.dropped += c.dropped;
	s.queued += c.queued;
	s.peak_queued = c.peak_queued;
	s.busy = c.busy;
	s.first = c.first;
	s.last = c.last;
	return s;
}

/* ---- in ---- */

static size_t room_of(const struct way *w, sb_time now)
{
	return w->cells ? cells_room(w->cells, now) : wire_room(w->wire, now);
}

static sb_time room_deadline(const struct way *w, sb_time now)
{
	return w->cells ? cells_room_deadline(w->cells, now) : wire_room_deadline(w->wire, now);
}

static void take_in(struct way *w, sb_time now, struct bytes in)
{
	if (w->cells)
		cells_input(w->cells, now, in);
	else
		wire_input(w->wire, now, in);
}

static void accept_input(struct way *w, sb_time now)
{
	uint8_t chunk[CHUNK];
	struct end *end = station_end(w->from);
	if (!station_is_online(w->from)) {
		end_hold(end, false);
		return;
	}
	size_t room;
	while ((room = room_of(w, now)) > 0 && end_is_readable(end)) {
		size_t n = end_read(end, chunk, room < sizeof chunk ? room : sizeof chunk);
		station_passes(w->from, now, bytes_of(chunk, n));
		take_in(w, now, bytes_of(chunk, n));
	}
	end_hold(end, room == 0);
}

bool way_wants_more(const struct way *w, sb_time now)
{
	return station_is_online(w->from) && end_is_readable(station_end(w->from)) &&
	       room_of(w, now) > 0;
}

/* ---- from the modem to the wire behind it ---- */

/* Each frame at its own instant, however late we are. */
static void pass_on(struct way *w, sb_time now)
{
	uint8_t chunk[4096];
	size_t n;
	sb_time left = 0;
	while (w->cells && wire_room(w->wire, now) >= sizeof chunk &&
	       (n = cells_output(w->cells, now, chunk, sizeof chunk, &left)) > 0)
		wire_input(w->wire, left, bytes_of(chunk, n));
}

/* ---- out ---- */

static void lose(struct way *w, size_t n)
{
	if (n > 0)
		wire_refused(w->wire, n);
}

static void flush_output(struct way *w, sb_time now)
{
	while (w->out_length > 0) {
		struct bytes all = bytes_of(w->out + w->out_head, w->out_length);
		size_t n = end_write(station_end(w->to), all);
		if (n == 0)
			return;
		record_data(w->record, now, w->direction, bytes_of(all.at, n));
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
	if (w->out_length >= w->out_most)
		return false;
	if (w->out_head > 0)
		memmove(w->out, w->out + w->out_head, w->out_length);
	w->out_head = 0;
	size_t n = wire_output(w->wire, now, w->out + w->out_length, w->out_most - w->out_length);
	w->out_length += n;
	return n > 0;
}

static void deliver(struct way *w, sb_time now)
{
	pass_on(w, now);
	if (!w->through || !station_hears(w->to)) {
		lose_output(w);
		lose_arrived(w, now);
		w->blocked = false;
		return;
	}
	do
		if (!station_is_talking(w->to))
			flush_output(w, now);
	while (fill_output(w, now));
	w->blocked = !w->paced && w->out_length > 0;
	if (w->paced)
		lose_arrived(w, now);
}

void way_run(struct way *w, sb_time now, bool due)
{
	if (due || !w->paced)
		deliver(w, now);
	accept_input(w, now);
	if (!w->paced)
		deliver(w, now);
	w->deadline = w->blocked ? SB_NEVER : wire_deadline(w->wire);
	if (w->cells)
		w->deadline = sb_time_min(w->deadline, cells_deadline(w->cells));
	if (end_is_held(station_end(w->from)))
		w->deadline = sb_time_min(w->deadline, room_deadline(w, now));
}

void way_cut(struct way *w, sb_time now)
{
	lose_output(w);
	if (w->cells)
		cells_cut(w->cells, now);
	wire_cut(w->wire, now);
	w->blocked = false;
	w->deadline = SB_NEVER;
}
