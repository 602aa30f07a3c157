/* SPDX-License-Identifier: MIT */
/*
 * Sending keeps the port a small lead ahead of the wire (sched/line_clock.h).
 * A frame goes out in pieces of that lead; the packet stays ours until the last
 * piece is taken, so that a line which leaves in mid-frame loses nothing: a
 * frame without its END is none to the peer, and the packet goes whole over
 * another line.
 *
 * A line stalls when it has characters to send and none has moved for a while.
 * Two things show it. A port that would block is full: it is watched for writing,
 * and returns so. A driver that tells how many characters it holds is never
 * filled, since the lead is counted from its word; behind a modem that holds CTS
 * off it takes the lead and keeps it. That line is looked at, and returns when its
 * driver holds fewer.
 */
#define _DEFAULT_SOURCE
#include "src/line.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { READ_SIZE = 4096, STALL_CHARS = 512 };
#define STALL_TIME     (1500 * SB_MS)
#define LOOK_EVERY     (100 * SB_MS) /* as bonding's usual miimon: a flap of 200 ms is seen */
#define RETRY_SHORTEST (100 * SB_MS)
#define RETRY_LONGEST  SB_SEC

bool line_init(struct line *l, const struct line_config *config, const struct encap_kind *kind,
	       size_t mtu, sb_time now)
{
	*l = (struct line){
		.config = *config,
		.kind = kind,
		.encap = kind->new (mtu),
		.frame = malloc(encap_max_length(mtu)),
		.read_at = malloc(READ_SIZE),
		.look_at = SB_NEVER,
		.retry_at = now,
		.retry_delay = RETRY_SHORTEST,
		.blocked_since = SB_NEVER,
		.since = now,
	};
	meter_init(&l->out, now);
	meter_init(&l->in, now);
	meter_init(&l->starved, now);
	line_clock_init(&l->clock, config->bps, config->bits_per_char, now);
	if (l->encap && l->frame && l->read_at)
		return true;
	line_free(l);
	return false;
}

void line_free(struct line *l)
{
	assert(!l->packet);
	if (l->port)
		port_close(l->port);
	if (l->encap)
		l->kind->free(l->encap);
	free(l->frame);
	free(l->read_at);
	*l = (struct line){0};
}

/* --- its life --- */

static void enter(struct line *l, enum line_state to, sb_time now)
{
	l->state = to;
	l->since = now;
}

static void come_up(struct line *l, sb_time now)
{
	enter(l, LINE_UP, now);
	l->blocked_since = l->wants_write ? now : SB_NEVER;
	l->call_out = meter_read(&l->out, now).total;
	l->call_in = meter_read(&l->in, now).total;
}

static void leave(struct line *l, enum line_state to, sb_time now, const char *reason)
{
	if (l->state == LINE_UP)
		l->counters.downs++;
	enter(l, to, now);
	snprintf(l->reason, sizeof(l->reason), "%s", reason);
}

static void retry_later(struct line *l, sb_time now)
{
	l->retry_at = now + l->retry_delay;
	l->retry_delay = sb_time_min(2 * l->retry_delay, RETRY_LONGEST);
}

/* DCD counts only where it exists and has been seen on: many cables do not wire it. */
static bool lacks_carrier(struct line *l)
{
	int lines = port_modem_lines(l->port);
	bool on = lines >= 0 && lines & PORT_DCD;

	l->had_carrier |= on;
	return l->had_carrier && lines >= 0 && !on;
}

/* One with neither modem lines nor a count of what its driver holds shows nothing. */
static bool can_be_looked_at(struct port *port)
{
	return port_modem_lines(port) >= 0 || port_outq(port) >= 0;
}

static struct port *open_port(const struct line *l, const char *lock_dir, struct port_error *error)
{
	return port_open(
		&(struct port_config){
			.device = l->config.device,
			.baud = l->config.baud,
			.flow = l->config.flow,
			.parity = l->config.parity,
			.stop_bits = l->config.stop_bits,
			.lock_dir = lock_dir,
		},
		error);
}

static bool refused(struct line *l, sb_time now)
{
	if (!l->counters.openings)
		snprintf(l->reason, sizeof(l->reason), "%s", l->refusal.text);
	retry_later(l, now);
	return false;
}

bool line_open(struct line *l, const char *lock_dir, sb_time now)
{
	assert(l->state == LINE_DOWN);
	l->port = open_port(l, lock_dir, &l->refusal);
	if (!l->port)
		return refused(l, now);
	l->counters.openings++;
	come_up(l, now);
	l->had_carrier = false;
	l->driver_holds = 0;
	l->unread = bytes_of(NULL, 0);
	l->kind->reset(l->encap);
	line_clock_init(&l->clock, l->config.bps, l->config.bits_per_char, now);
	lacks_carrier(l);
	l->look_at = can_be_looked_at(l->port) ? now + LOOK_EVERY : SB_NEVER;
	return true;
}

/* One that was not up for long is not tried again at once, or it would go up and down for ever. */
void line_close(struct line *l, sb_time now, const char *reason)
{
	if (l->state == LINE_DOWN)
		return;
	if (now - l->since >= RETRY_LONGEST)
		l->retry_delay = RETRY_SHORTEST;
	leave(l, LINE_DOWN, now, reason);
	port_close(l->port);
	l->port = NULL;
	l->wants_write = false;
	l->look_at = SB_NEVER;
	retry_later(l, now);
}

/* --- receiving --- */

void line_read(struct line *l, sb_time now)
{
	ssize_t n;

	assert(l->unread.length == 0);
	if (!l->port)
		return;
	n = port_read(l->port, l->read_at, READ_SIZE);
	if (n < 0)
		line_close(l, now, "hung up");
	if (n <= 0)
		return;
	meter_add(&l->in, now, (uint64_t)n);
	l->unread = bytes_of(l->read_at, (size_t)n);
}

bool line_receive(struct line *l, struct bytes *packet)
{
	bool found = l->kind->next(l->encap, &l->unread, packet);

	l->counters.packets_in += found;
	return found;
}

/* --- sending --- */

void line_load(struct line *l, struct packet *p)
{
	struct buf out = buf_over(l->frame, encap_max_length(p->length));

	assert(!l->packet);
	l->kind->encode(l->encap, packet_bytes(p), &out);
	assert(!out.overflow);
	l->packet = p;
	l->frame_length = out.length;
	l->frame_taken = 0;
}

struct packet *line_take_packet(struct line *l)
{
	struct packet *p = l->packet;

	if (p && l->frame_taken)
		l->counters.cut_frames++;
	l->packet = NULL;
	l->frame_length = 0;
	l->frame_taken = 0;
	return p;
}

static void would_block(struct line *l, sb_time now)
{
	line_clock_blocked(&l->clock, now);
	l->wants_write = true;
	if (l->blocked_since == SB_NEVER)
		l->blocked_since = now;
}

static void took(struct line *l, sb_time now, size_t n)
{
	l->frame_taken += n;
	l->driver_holds += n;
	meter_add(&l->out, now, n);
	if (l->frame_taken > n && l->clock.busy_until < now)
		meter_add(&l->starved, now, (uint64_t)(now - l->clock.busy_until));
	l->blocked_since = SB_NEVER;
	line_clock_sent(&l->clock, now, n);
}

/* Asks the driver what it holds. True when that shows that characters left. */
static bool heed_driver(struct line *l, sb_time now)
{
	int holds = port_outq(l->port);
	bool moved = holds >= 0 && (size_t)holds < l->driver_holds;

	if (holds < 0)
		return false;
	line_clock_outq(&l->clock, now, (uint32_t)holds);
	l->driver_holds = (size_t)holds;
	if (moved && l->blocked_since != SB_NEVER)
		l->blocked_since = now;
	return moved;
}

/* The frame is with the driver: the packet is done with. */
static struct packet *finish(struct line *l)
{
	struct packet *p = l->packet;

	l->counters.packets_out++;
	l->packet = NULL;
	l->frame_length = 0;
	l->frame_taken = 0;
	return p;
}

/* The clock has no room, though it was time: the driver holds more than it should by now. */
static void no_room(struct line *l, sb_time now)
{
	if (l->blocked_since == SB_NEVER && l->driver_holds && line_unsent(l))
		l->blocked_since = now;
}

struct packet *line_send(struct line *l, sb_time now)
{
	size_t room, piece;
	ssize_t n;

	heed_driver(l, now);
	room = line_clock_room(&l->clock, now);
	piece = line_unsent(l) < room ? line_unsent(l) : room;
	if (!piece) {
		no_room(l, now);
		return NULL;
	}
	n = port_write(l->port, bytes_of(l->frame + l->frame_taken, piece));
	if (n < 0) {
		line_close(l, now, "hung up");
		return NULL;
	}
	if (n > 0)
		took(l, now, (size_t)n);
	if ((size_t)n < piece)
		would_block(l, now);
	return line_unsent(l) ? NULL : finish(l);
}

void line_writable(struct line *l, sb_time now)
{
	l->wants_write = false;
	l->blocked_since = SB_NEVER;
	line_clock_writable(&l->clock, now);
	if (l->state == LINE_STALLED)
		come_up(l, now);
}

/* --- time --- */

static sb_time stall_limit(const struct line *l)
{
	return sb_time_max(STALL_TIME, line_clock_time(&l->clock, STALL_CHARS));
}

static void check_stall(struct line *l, sb_time now)
{
	if (l->state != LINE_UP || l->blocked_since == SB_NEVER ||
	    now < l->blocked_since + stall_limit(l))
		return;
	if (!heed_driver(l, now))
		leave(l, LINE_STALLED, now, "the port takes no characters");
}

static void look(struct line *l, sb_time now)
{
	bool lacks = lacks_carrier(l);

	if (lacks && l->state != LINE_NO_CARRIER)
		leave(l, LINE_NO_CARRIER, now, "no carrier");
	else if (!lacks && l->state == LINE_NO_CARRIER)
		come_up(l, now);
	else if (l->state == LINE_STALLED && !l->wants_write && heed_driver(l, now))
		come_up(l, now);
	l->look_at = now + LOOK_EVERY;
}

bool line_tick(struct line *l, sb_time now)
{
	enum line_state before = l->state;

	check_stall(l, now);
	if (now >= l->look_at)
		look(l, now);
	return l->state != before;
}

sb_time line_deadline(const struct line *l)
{
	sb_time t = l->look_at;

	if (l->state == LINE_DOWN)
		return l->retry_at;
	if (l->state == LINE_UP && l->blocked_since != SB_NEVER)
		t = sb_time_min(t, l->blocked_since + stall_limit(l));
	if (l->state == LINE_UP && l->packet && !l->wants_write)
		t = sb_time_min(t, line_clock_wake(&l->clock));
	return t;
}

const char *line_state_name(enum line_state s)
{
	static const char *const names[] = {
		[LINE_DOWN] = "down",
		[LINE_UP] = "up",
		[LINE_STALLED] = "stalled",
		[LINE_NO_CARRIER] = "no carrier",
	};

	return names[s];
}
