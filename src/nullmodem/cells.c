/* SPDX-License-Identifier: MIT */
/*
 * Frames in cells.
 *
 * ATM adaptation layer 5 fills whole cells: a packet of n bytes with h of headers and trailer
 * takes ceil((n + h) / 48) of them, 53 bytes each on the line. So what a frame costs has little
 * to do with its characters: n is counted without ENDs and with each escape pair as one.
 *
 * The line is a clock that counts bits. In one busy period that began at `start` the frame that
 * ends at bit b has left at
 *
 *     start + ceil(b * 10^9 / bps)
 *
 * so that no rounding adds up; whole seconds are moved from b to start, which keeps the product
 * within 64 bits. A frame's instant is known when it joins the queue, and stays. How full the
 * queue is, in time, is therefore the last frame's instant less now: that is compared with a
 * buffer given in time, and the characters that are here with one given in characters.
 *
 * The ring holds whole frames only. What is being put together stands apart, so that a frame for
 * which there is no room goes as if it had never come. One END ahead of a frame belongs to it;
 * more of them are nothing, and are dropped.
 */
#include "src/nullmodem/cells.h"

#include "src/nullmodem/ring.h"

#include <assert.h>
#include <stdlib.h>

enum {
	END = 0xC0, /* RFC 1055 */
	ESC = 0xDB,
	CELL_PAYLOAD = 48,
	CELL_BITS = 53 * 8,
	AT_A_TIME = 1024,        /* characters, of who may have to wait then */
	FRAMES_MORE = AT_A_TIME, /* than the buffer holds: they come before it is seen to be full */
};

struct frame {
	size_t length; /* characters that are still here */
	sb_time leaves;
};

struct cells {
	struct wire_config config;
	struct ring ring;
	struct frame *frames; /* a ring too */
	size_t frame_size, frame_head, frame_count;

	uint8_t assembly[CELLS_FRAME_MAX];
	size_t length;   /* of the frame that is coming in, */
	size_t ip_bytes; /* and what it decodes to */
	bool escaped;
	bool overlong; /* its rest is thrown away */

	sb_time start; /* of the busy period: what is on the line since then, in bits; and the
			  rate that they go at */
	uint64_t bits;
	uint32_t bps;
	sb_time busy; /* of all periods, this one to its end */

	uint64_t accepted, given, dropped, peak_queued;
	uint64_t frames_taken, cells_taken, frames_dropped;
	sb_time first;
};

/* ---- the line's clock ---- */

static sb_time time_of_bits(uint32_t bps, uint64_t bits)
{
	return (sb_time)((bits * (uint64_t)SB_SEC + bps - 1) / bps);
}

static sb_time period_end(const struct cells *c)
{
	return c->start + time_of_bits(c->bps, c->bits);
}

static void begin_period(struct cells *c, sb_time now)
{
	c->start = now;
	c->bits = 0;
	c->bps = c->config.bps;
}

/* The instant at which so many cells more will have left. */
static sb_time send_cells(struct cells *c, uint64_t cells, sb_time now)
{
	sb_time end = period_end(c);
	if (now >= end || c->bps != c->config.bps)
		begin_period(c, sb_time_max(now, end));
	sb_time before = period_end(c);
	c->bits += cells * CELL_BITS;
	sb_time leaves = period_end(c);
	c->busy += leaves - before;
	for (; c->bits >= c->bps; c->bits -= c->bps)
		c->start += SB_SEC;
	return leaves;
}

/* ---- the queue ---- */

static struct frame *frame_at(const struct cells *c, size_t i)
{
	return &c->frames[(c->frame_head + i) % c->frame_size];
}

/* How long a frame that came now would wait for its first cell. */
static sb_time waiting(const struct cells *c, sb_time now)
{
	return sb_time_max(0, period_end(c) - now);
}

static bool has_no_place(const struct cells *c, size_t more)
{
	return ring_space(&c->ring) < more || c->frame_count == c->frame_size;
}

/* Whether what is queued has reached the buffer's size. */
static bool is_full(const struct cells *c, sb_time now)
{
	if (c->config.buffer_time > 0)
		return waiting(c, now) > c->config.buffer_time;
	return c->ring.held > c->config.buffer;
}

static uint64_t cells_of(const struct cells *c)
{
	int64_t bytes = (int64_t)c->ip_bytes + c->config.overhead;
	return bytes > 0 ? ((uint64_t)bytes + CELL_PAYLOAD - 1) / CELL_PAYLOAD : 1;
}

static void note_peak(struct cells *c)
{
	uint64_t queued = c->ring.held + c->length;
	if (queued > c->peak_queued)
		c->peak_queued = queued;
}

static void queue_frame(struct cells *c, sb_time now)
{
	uint64_t cells = cells_of(c);
	if (c->frames_taken++ == 0)
		c->first = now;
	c->cells_taken += cells;
	ring_append(&c->ring, bytes_of(c->assembly, c->length));
	*frame_at(c, c->frame_count++) =
		(struct frame){.length = c->length, .leaves = send_cells(c, cells, now)};
}

/* ---- frames from characters ---- */

static void forget_assembly(struct cells *c)
{
	c->length = c->ip_bytes = 0;
	c->escaped = c->overlong = false;
}

static void drop_assembly(struct cells *c)
{
	c->dropped += c->length;
	c->frames_dropped++;
	forget_assembly(c);
}

static void end_frame(struct cells *c, sb_time now)
{
	bool too_much = c->config.full == WIRE_FULL_DROPS && is_full(c, now);
	if (too_much || c->overlong || has_no_place(c, c->length)) {
		drop_assembly(c);
		return;
	}
	queue_frame(c, now);
	forget_assembly(c);
}

static void keep(struct cells *c, uint8_t character)
{
	if (c->length < sizeof c->assembly) {
		c->assembly[c->length++] = character;
		return;
	}
	c->overlong = true;
	c->dropped++;
}

/* An escape and what follows it are one byte of the packet. */
static void count_byte(struct cells *c, uint8_t character)
{
	c->escaped = !c->escaped && character == ESC;
	if (!c->escaped)
		c->ip_bytes++;
}

static void take(struct cells *c, uint8_t character, sb_time now)
{
	bool is_more_idle = character == END && c->ip_bytes == 0 && c->length > 0;
	c->accepted++;
	if (is_more_idle) {
		c->dropped++;
		return;
	}
	keep(c, character);
	if (character != END)
		count_byte(c, character);
	else if (c->ip_bytes > 0)
		end_frame(c, now);
}

/* ---- set-up ---- */

/* Of a second character for each byte of an IP packet at the most. */
static size_t ring_size(const struct wire_config *config)
{
	uint64_t us = (uint64_t)(config->buffer_time / SB_US);
	uint64_t bytes = us * config->bps / (8 * UINT64_C(1000000));
	return (config->buffer_time > 0 ? 2 * bytes : config->buffer) + CELLS_FRAME_MAX + AT_A_TIME;
}

/* A frame is two characters at least, and a cell. */
static size_t frames_size(const struct wire_config *config)
{
	uint64_t us = (uint64_t)(config->buffer_time / SB_US);
	uint64_t cells = us * config->bps / (CELL_BITS * UINT64_C(1000000));
	return (config->buffer_time > 0 ? cells : config->buffer / 2) + FRAMES_MORE;
}

static bool grow_frames(struct cells *c, size_t size)
{
	if (size <= c->frame_size)
		return true;
	struct frame *frames = calloc(size, sizeof *frames);
	if (!frames)
		return false;
	for (size_t i = 0; i < c->frame_count; i++)
		frames[i] = *frame_at(c, i);
	free(c->frames);
	c->frames = frames;
	c->frame_size = size;
	c->frame_head = 0;
	return true;
}

bool cells_configure(struct cells *c, const struct wire_config *config)
{
	assert(config->bps > 0);
	if (!ring_grow(&c->ring, ring_size(config)) || !grow_frames(c, frames_size(config)))
		return false;
	c->config = *config;
	return true;
}

struct cells *cells_new(const struct wire_config *config)
{
	struct cells *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->bps = config->bps;
	if (cells_configure(c, config))
		return c;
	cells_free(c);
	return NULL;
}

void cells_free(struct cells *c)
{
	if (!c)
		return;
	ring_free(&c->ring);
	free(c->frames);
	free(c);
}

/* ---- in ---- */

/* Who has to wait gives a little at a time, since only whole frames show how full it is. */
size_t cells_room(const struct cells *c, sb_time now)
{
	if (c->config.stop)
		return 0;
	if (c->config.full == WIRE_FULL_DROPS)
		return CELLS_TAKES;
	return is_full(c, now) || has_no_place(c, c->length + AT_A_TIME) ? 0 : AT_A_TIME;
}

sb_time cells_room_deadline(const struct cells *c, sb_time now)
{
	if (c->frame_count == 0)
		return SB_NEVER;
	if (c->config.buffer_time > 0)
		return sb_time_max(now, period_end(c) - c->config.buffer_time);
	return frame_at(c, 0)->leaves;
}

void cells_input(struct cells *c, sb_time now, struct bytes in)
{
	for (size_t i = 0; i < in.length; i++)
		take(c, in.at[i], now);
	note_peak(c);
}

/* ---- out ---- */

size_t cells_output(struct cells *c, sb_time now, uint8_t *at, size_t capacity, sb_time *when)
{
	struct frame *f = frame_at(c, 0);
	if (c->frame_count == 0 || f->leaves > now)
		return 0;
	size_t n = f->length < capacity ? f->length : capacity;
	ring_take(&c->ring, at, n);
	*when = f->leaves;
	f->length -= n;
	if (f->length == 0) {
		c->frame_head = (c->frame_head + 1) % c->frame_size;
		c->frame_count--;
	}
	c->given += n;
	return n;
}

sb_time cells_deadline(const struct cells *c)
{
	return c->frame_count > 0 ? frame_at(c, 0)->leaves : SB_NEVER;
}

void cells_cut(struct cells *c, sb_time now)
{
	sb_time unsent = waiting(c, now);
	c->busy -= unsent;
	c->dropped += c->ring.held + c->length;
	forget_assembly(c);
	ring_clear(&c->ring);
	c->frame_count = 0;
	begin_period(c, now);
}

struct cells_stats cells_stats(const struct cells *c, sb_time now)
{
	return (struct cells_stats){
		.accepted = c->accepted,
		.dropped = c->dropped,
		.queued = c->ring.held + c->length,
		.peak_queued = c->peak_queued,
		.frames = c->frames_taken,
		.cells = c->cells_taken,
		.frames_dropped = c->frames_dropped,
		.busy = c->busy - waiting(c, now),
		.first = c->first,
		.last = sb_time_min(now, period_end(c)),
	};
}
