/* SPDX-License-Identifier: MIT */
/* See way.h. */
#include "src/nullmodem/way.h"

#include <stdlib.h>

enum {
	RECEIVER_PACED = 4096,
	RECEIVER_UNPACED = 65536,
	CHUNK = 65536,
};

bool way_make(struct way *w, enum direction d, const struct wire_config *config,
	      struct station *from, struct station *to, uint64_t seed)
{
	*w = (struct way){
		.direction = d,
		.wire = wire_new(config, seed),
		.out = malloc(RECEIVER_UNPACED),
		.from = from,
		.to = to,
		.paced = config->bps > 0,
		.through = true,
		.deadline = SB_NEVER,
	};
	return w->wire && w->out;
}

void way_free(struct way *w)
{
	wire_free(w->wire);
	free(w->out);
}

/* ---- in ---- */

static void accept_input(struct way *w, sb_time now)
{
	uint8_t chunk[CHUNK];
	struct end *end = station_end(w->from);
	if (!station_is_online(w->from)) {
		end_hold(end, false);
		return;
	}
	size_t room;
	while ((room = wire_room(w->wire, now)) > 0 && end_is_readable(end)) {
		size_t n = end_read(end, chunk, room < sizeof chunk ? room : sizeof chunk);
		station_passes(w->from, now, bytes_of(chunk, n));
		wire_input(w->wire, now, bytes_of(chunk, n));
	}
	end_hold(end, room == 0);
}

bool way_wants_more(const struct way *w, sb_time now)
{
	return station_is_online(w->from) && end_is_readable(station_end(w->from)) &&
	       wire_room(w->wire, now) > 0;
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
	if (end_is_held(station_end(w->from)))
		w->deadline = sb_time_min(w->deadline, wire_room_deadline(w->wire, now));
}

void way_cut(struct way *w, sb_time now)
{
	lose_output(w);
	wire_cut(w->wire, now);
	w->blocked = false;
	w->deadline = SB_NEVER;
}
