/* SPDX-License-Identifier: MIT */
/*
 * How a line comes and goes.
 *
 * A line stalls when it has characters to send and none has moved for a while.
 * Two things show it. A port that would block is full: it is watched for writing,
 * and returns so. A driver that tells how many characters it holds is never
 * filled, since the lead is counted from its word; behind a modem that holds CTS
 * off it takes the lead and keeps it. That line is looked at, and returns when its
 * driver holds fewer.
 */
#define _DEFAULT_SOURCE
#include "src/line_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { READ_SIZE = 4096, STALL_CHARS = 512, OWN_FRAME_SIZE = LINK_OUTPUT_SIZE };
#define STALL_TIME      (600 * SB_MS)
#define LOOK_EVERY      (100 * SB_MS) /* as bonding's usual miimon: a flap of 200 ms is seen */
#define RETRY_SHORTEST  (100 * SB_MS)
#define RETRY_LONGEST   SB_SEC
#define REFUSED_LONGEST (60 * SB_SEC) /* a peer that said no will not soon say yes */
#define LAST_WORDS      (2 * SB_SEC)

bool line_init(struct line *l, const struct line_config *config, struct encap *encap,
	       size_t frame_data, sb_time now)
{
	size_t frame = encap_max_length(frame_data);

	*l = (struct line){
		.config = *config,
		.encap = encap,
		.frame_size = frame > OWN_FRAME_SIZE ? frame : OWN_FRAME_SIZE,
		.read_at = malloc(READ_SIZE),
		.look_at = SB_NEVER,
		.retry_at = now,
		.retry_delay = RETRY_SHORTEST,
		.blocked_since = SB_NEVER,
		.since = now,
	};
	l->frame = malloc(l->frame_size);
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
	assert(!l->packet && !l->sent_count);
	if (l->port)
		port_close(l->port);
	if (l->encap)
		l->encap->kind->free(l->encap);
	free(l->frame);
	free(l->read_at);
	*l = (struct line){0};
}

/* --- its life --- */

static void enter(struct line *l, enum line_state to, sb_time now)
{
	if (l->state == LINE_UP)
		l->counters.downs++;
	l->state = to;
	l->since = now;
}

static void leave(struct line *l, enum line_state to, sb_time now, const char *reason)
{
	enter(l, to, now);
	snprintf(l->reason, sizeof(l->reason), "%s", reason);
}

static void come_up(struct line *l, sb_time now)
{
	enter(l, LINE_UP, now);
	l->blocked_since = l->wants_write ? now : SB_NEVER;
	l->call_out = meter_read(&l->out, now).total;
	l->call_in = meter_read(&l->in, now).total;
}

/* The port carries again: UP as far as the encapsulation says so. */
static void carry_on(struct line *l, sb_time now)
{
	if (!l->encap_up)
		enter(l, LINE_OPENING, now);
	else if (!l->heard)
		leave(l, LINE_SILENT, now, l->silence);
	else
		come_up(l, now);
}

static void encap_begin(struct line *l, sb_time now)
{
	l->encap_up = l->answers = false;
	l->heard = true;
	l->deaf = false;
	l->heard_at = now;
	enter(l, LINE_OPENING, now);
	l->encap->kind->lower_up(l->encap, now);
}

/* All that runs over the port, when that is ready for it: now, or when it is next writable. */
static void begin(struct line *l, sb_time now)
{
	l->waits_for_port = l->wants_write = !port_ready(l->port);
	if (l->waits_for_port)
		enter(l, LINE_OPENING, now);
	else
		encap_begin(l, now);
}

/* What it says of its end, or was about to send, is not of interest any more. */
static void encap_finish(struct line *l, sb_time now)
{
	struct encap_event e;

	if (l->waits_for_port)
		return;
	l->encap->kind->lower_down(l->encap, now);
	while (l->encap->kind->event(l->encap, &e))
		;
	l->encap_up = false;
	if (!l->packet)
		line_cut_frame(l);
}

void line_set_encap(struct line *l, struct encap *encap, struct bytes replay, sb_time now)
{
	assert(l->state == LINE_DOWN || l->state == LINE_OPENING);
	assert(replay.length <= READ_SIZE);
	if (l->port)
		encap_finish(l, now);
	if (replay.length)
		memmove(l->read_at, replay.at, replay.length);
	l->unread = bytes_of(l->read_at, replay.length);
	l->encap->kind->free(l->encap);
	l->encap = encap;
	if (l->port)
		begin(l, now);
}

static bool is_refusal(enum link_reason why)
{
	return why == LINK_LOOPED_BACK || why == LINK_NO_AGREEMENT ||
	       why == LINK_NO_AUTH_AGREEMENT || why == LINK_WE_WERE_REFUSED ||
	       why == LINK_PEER_REFUSED;
}

static void retry_later(struct line *l, sb_time now)
{
	sb_time longest = is_refusal(l->why) ? REFUSED_LONGEST : RETRY_LONGEST;

	if (is_refusal(l->why))
		l->retry_delay = sb_time_max(l->retry_delay, RETRY_LONGEST);
	l->retry_at = now + l->retry_delay;
	l->retry_delay = sb_time_min(2 * l->retry_delay, longest);
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
	l->had_carrier = false;
	l->driver_holds = 0;
	l->blocked_since = SB_NEVER;
	l->unread = bytes_of(NULL, 0);
	l->why = LINK_FINE;
	line_clock_init(&l->clock, l->config.bps, l->config.bits_per_char, now);
	lacks_carrier(l);
	l->look_at = can_be_looked_at(l->port) ? now + LOOK_EVERY : SB_NEVER;
	begin(l, now);
	return true;
}

/* One that was not up for long is not tried again at once, or it would go up and down for ever. */
void line_close(struct line *l, sb_time now, const char *reason)
{
	bool was_up = l->state == LINE_UP;

	if (l->state == LINE_DOWN)
		return;
	if (was_up && now - l->since >= RETRY_LONGEST)
		l->retry_delay = RETRY_SHORTEST;
	encap_finish(l, now);
	if (l->state == LINE_ENDING)
		enter(l, LINE_DOWN, now); /* the reason was given */
	else
		leave(l, LINE_DOWN, now, reason);
	port_close(l->port);
	l->port = NULL;
	l->wants_write = l->waits_for_port = false;
	l->look_at = SB_NEVER;
	retry_later(l, now);
}

void line_end(struct line *l, sb_time now, const char *reason)
{
	if (l->state == LINE_DOWN || l->state == LINE_ENDING)
		return;
	if (!l->encap->kind->close || !l->encap_up) {
		line_close(l, now, reason);
		return;
	}
	l->ends_at = now + LAST_WORDS;
	leave(l, LINE_ENDING, now, reason);
	l->encap->kind->close(l->encap, now);
}

/* --- what the encapsulation says --- */

/* The end, but its last words (an answer to the peer's Terminate-Request, say) have to get out. */
static void begin_to_end(struct line *l, sb_time now, const struct encap_event *e)
{
	if (l->state == LINE_UP && now - l->since >= RETRY_LONGEST)
		l->retry_delay = RETRY_SHORTEST;
	l->why = e->why;
	l->ends_at = now + LAST_WORDS;
	leave(l, LINE_ENDING, now, e->reason);
}

static void went_down(struct line *l, sb_time now, const struct encap_event *e)
{
	l->encap_up = false;
	if (l->state == LINE_ENDING)
		return;
	if (e->why != LINK_RENEGOTIATED) {
		begin_to_end(l, now, e);
		return;
	}
	l->doubtful_from = l->since; /* who knows when the peer forgot us, or if it ever knew us */
	leave(l, LINE_OPENING, now, e->reason);
}

static void heed(struct line *l, sb_time now, const struct encap_event *e)
{
	switch (e->kind) {
	case ENCAP_UP:
		l->encap_up = l->heard = true;
		l->deaf = false;
		l->answers = encap_agreed(l->encap) != NULL;
		if (l->state == LINE_OPENING)
			come_up(l, now);
		break;
	case ENCAP_DOWN:
		went_down(l, now, e);
		break;
	case ENCAP_SILENT:
		l->heard = false;
		l->deaf = e->why == LINK_SILENT;
		l->silence = e->reason;
		l->doubtful_from = e->since;
		if (l->state == LINE_UP)
			leave(l, LINE_SILENT, now, l->silence);
		break;
	case ENCAP_HEARD:
		l->heard = true;
		l->deaf = false;
		if (l->state == LINE_SILENT)
			come_up(l, now);
		break;
	case ENCAP_PROTOCOL_REJECTED:
	case ENCAP_IDENTIFIED:
	case ENCAP_DETECTED:
		break;
	}
}

bool line_event(struct line *l, sb_time now, struct encap_event *e)
{
	if (!l->port || !l->encap->kind->event(l->encap, e))
		return false;
	heed(l, now, e);
	return true;
}

/* --- receiving --- */

void line_read(struct line *l, sb_time now)
{
	ssize_t n;

	assert(l->unread.length == 0);
	if (!l->port)
		return;
	if (l->waits_for_port)
		begin(l, now);
	n = port_read(l->port, l->read_at, READ_SIZE);
	if (n < 0)
		line_close(l, now, port_reason(l->port));
	if (n <= 0)
		return;
	l->heard_at = now;
	meter_add(&l->in, now, (uint64_t)n);
	l->unread = bytes_of(l->read_at, (size_t)n);
}

bool line_receive(struct line *l, sb_time now, struct encap_packet *packet)
{
	bool found;

	if (!l->unread.length)
		return false;
	found = l->encap->kind->next(l->encap, now, &l->unread, packet);
	l->counters.packets_in += found;
	return found;
}

void line_writable(struct line *l, sb_time now)
{
	if (l->waits_for_port) {
		begin(l, now);
		return;
	}
	l->wants_write = false;
	l->blocked_since = SB_NEVER;
	line_clock_writable(&l->clock, now);
	if (l->state == LINE_STALLED)
		carry_on(l, now);
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
	if (!line_heed_driver(l, now))
		leave(l, LINE_STALLED, now, "the port takes no characters");
}

static void look(struct line *l, sb_time now)
{
	bool lacks = lacks_carrier(l);

	l->look_at = now + LOOK_EVERY;
	if (lacks && l->state != LINE_NO_CARRIER) {
		encap_finish(l, now);
		leave(l, LINE_NO_CARRIER, now, "no carrier");
	} else if (!lacks && l->state == LINE_NO_CARRIER) {
		encap_begin(l, now);
	} else if (l->state == LINE_STALLED && !l->wants_write && line_heed_driver(l, now)) {
		carry_on(l, now);
	}
}

/* All is said; it may be on the wire still. */
static bool is_said(const struct line *l)
{
	return line_needs_frame(l) && encap_deadline(l->encap) == SB_NEVER;
}

static bool has_ended(const struct line *l, sb_time now)
{
	return now >= l->ends_at || (is_said(l) && line_clock_ahead(&l->clock, now) == 0);
}

void line_tick(struct line *l, sb_time now)
{
	if (!l->port)
		return;
	check_stall(l, now);
	if (now >= l->look_at)
		look(l, now);
	if (l->encap->kind->tick && now >= encap_deadline(l->encap))
		l->encap->kind->tick(l->encap, now);
	if (l->state == LINE_ENDING && has_ended(l, now))
		line_close(l, now, l->reason);
}

/* What the encapsulation has to send waits for the clock: that instant, too, is one to come back.
 */
static sb_time send_deadline(const struct line *l, sb_time now)
{
	sb_time wake = line_clock_wake(&l->clock);

	if (!line_may_send(l))
		return SB_NEVER;
	return l->frame_length || wake > now ? wake : SB_NEVER;
}

sb_time line_deadline(const struct line *l, sb_time now)
{
	sb_time t = l->look_at;

	if (l->state == LINE_DOWN)
		return l->retry_at;
	t = sb_time_min(t, encap_deadline(l->encap));
	t = sb_time_min(t, send_deadline(l, now));
	if (l->state == LINE_UP && l->blocked_since != SB_NEVER)
		t = sb_time_min(t, l->blocked_since + stall_limit(l));
	if (l->state == LINE_ENDING)
		t = sb_time_min(t, is_said(l) ? sb_time_max(l->clock.busy_until, now) : l->ends_at);
	return t;
}

const char *line_state_name(enum line_state s)
{
	static const char *const names[] = {
		[LINE_DOWN] = "down",     [LINE_OPENING] = "opening",
		[LINE_UP] = "up",         [LINE_STALLED] = "stalled",
		[LINE_SILENT] = "silent", [LINE_NO_CARRIER] = "no carrier",
		[LINE_ENDING] = "ending",
	};

	return names[s];
}
