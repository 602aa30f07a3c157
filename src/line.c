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
#include "src/line_modem.h"
#include "src/line_rate.h"
#include "src/line_shape.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { STALL_CHARS = 512, OWN_FRAME_SIZE = LINK_OUTPUT_SIZE };
#define STALL_TIME      (600 * SB_MS)
#define LOOK_EVERY      (100 * SB_MS) /* as bonding's usual miimon: a flap of 200 ms is seen */
#define RETRY_SHORTEST  (100 * SB_MS)
#define RETRY_LONGEST   SB_SEC
#define REFUSED_LONGEST (60 * SB_SEC) /* a peer that said no will not soon say yes */
#define COMMAND_LONGEST (30 * SB_SEC) /* each is a new program, and says why it failed */

bool line_init(struct line *l, const struct line_config *config, struct encap *encap,
	       size_t frame_data, sb_time now)
{
	size_t frame = encap_max_length(frame_data);

	*l = (struct line){
		.config = *config,
		.encap = encap,
		.frame_size = frame > OWN_FRAME_SIZE ? frame : OWN_FRAME_SIZE,
		.read_at = malloc(LINE_READ_SIZE),
		.look_at = SB_NEVER,
		.retry_at = now,
		.retry_delay = RETRY_SHORTEST,
		.blocked_since = SB_NEVER,
		.traffic_from = SB_NEVER,
		.since = now,
	};
	if (!line_rate_init(l)) {
		line_free(l);
		return false;
	}
	l->frame = malloc(l->frame_size);
	meter_init(&l->out, now);
	meter_init(&l->in, now);
	meter_init(&l->paid, now);
	meter_init(&l->starved, now);
	line_clock_begin(l, now);
	if (config->modem.present)
		l->modem = line_modem_new();
	if (l->encap && l->frame && l->read_at && (l->modem || !config->modem.present))
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
	line_modem_free(l->modem);
	line_rate_free(l);
	free(l->frame);
	free(l->read_at);
	*l = (struct line){0};
}

/* --- its life --- */

void line_enter(struct line *l, enum line_state to, sb_time now)
{
	if (l->state == LINE_UP)
		l->counters.downs++;
	l->state = to;
	l->since = now;
}

void line_leave(struct line *l, enum line_state to, sb_time now, const char *reason)
{
	line_enter(l, to, now);
	snprintf(l->reason, sizeof(l->reason), "%s", reason);
}

bool line_was_refused(const struct line *l)
{
	enum link_reason why = l->why;

	return why == LINK_LOOPED_BACK || why == LINK_NO_AGREEMENT ||
	       why == LINK_NO_AUTH_AGREEMENT || why == LINK_WE_WERE_REFUSED ||
	       why == LINK_PEER_REFUSED;
}

static sb_time longest_wait(const struct line *l)
{
	if (line_was_refused(l))
		return REFUSED_LONGEST;
	return port_is_command(l->config.device) ? COMMAND_LONGEST : RETRY_LONGEST;
}

static void retry_later(struct line *l, sb_time now)
{
	sb_time longest = longest_wait(l);

	if (line_was_refused(l))
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

void line_begin(struct line *l, sb_time now)
{
	l->waits_for_port = l->wants_write = !port_ready(l->port);
	if (l->waits_for_port)
		line_enter(l, LINE_OPENING, now);
	else if (l->modem)
		line_modem_start(l, now);
	else
		line_encap_begin(l, now);
}

bool line_open(struct line *l, const char *lock_dir, sb_time now)
{
	assert(l->state == LINE_DOWN);
	if (l->modem && !line_modem_prepare(l))
		return refused(l, now);
	l->port = open_port(l, lock_dir, &l->refusal);
	if (!l->port)
		return refused(l, now);
	l->counters.openings++;
	l->had_carrier = l->was_up = false;
	l->lacks_from = SB_NEVER;
	l->carrier_bps = 0;
	l->driver_holds = 0;
	l->blocked_since = SB_NEVER;
	l->unread = bytes_of(NULL, 0);
	l->read_until = now;
	l->rests = false;
	l->why = LINK_FINE;
	line_clock_begin(l, now);
	if (!l->modem)
		lacks_carrier(l);
	l->look_at = can_be_looked_at(l->port) ? now + LOOK_EVERY : SB_NEVER;
	line_begin(l, now);
	return true;
}

/* One that was not up for long is not tried again at once, or it would go up and down for ever. */
void line_forgive(struct line *l, sb_time now)
{
	if (l->state == LINE_UP && now - l->since >= RETRY_LONGEST)
		l->retry_delay = RETRY_SHORTEST;
}

static void set_retry(struct line *l, sb_time now)
{
	retry_later(l, now);
	if (l->modem)
		l->retry_at = line_modem_retry_at(l->modem);
}

void line_shut(struct line *l, sb_time now, const char *reason)
{
	line_forgive(l, now);
	line_encap_finish(l, now);
	if (l->state == LINE_ENDING || l->state == LINE_HANGING_UP)
		line_enter(l, LINE_DOWN, now); /* the reason was given */
	else
		line_leave(l, LINE_DOWN, now, reason);
	port_close(l->port);
	l->port = NULL;
	l->unread = bytes_of(NULL, 0);
	l->wants_write = l->waits_for_port = false;
	l->look_at = SB_NEVER;
	set_retry(l, now);
}

void line_port_is_gone(struct line *l, sb_time now)
{
	if (l->modem)
		line_modem_port_is_gone(l, now);
	line_shut(l, now, port_reason(l->port));
}

void line_close(struct line *l, sb_time now, const char *reason)
{
	if (l->state == LINE_DOWN || l->state == LINE_HANGING_UP)
		return;
	if (l->modem && !l->waits_for_port)
		line_modem_hang_up(l, now, reason);
	else
		line_shut(l, now, reason);
}

void line_retry_now(struct line *l, sb_time now)
{
	if (l->modem)
		line_modem_forget_failures(l->modem);
	l->traffic_from = SB_NEVER;
	l->retry_at = now;
}

void line_dial_for_traffic(struct line *l, sb_time now)
{
	if (line_wants_traffic(l))
		l->retry_at = sb_time_max(now, l->traffic_from);
}

void line_end(struct line *l, sb_time now, const char *reason)
{
	if (l->state == LINE_DOWN || l->state == LINE_ENDING || l->state == LINE_HANGING_UP)
		return;
	if (!l->encap->kind->close || !l->encap_up) {
		line_close(l, now, reason);
		return;
	}
	l->ends_at = now + LINE_LAST_WORDS;
	line_leave(l, LINE_ENDING, now, reason);
	l->encap->kind->close(l->encap, now);
}

/* --- time --- */

void line_writable(struct line *l, sb_time now)
{
	if (l->waits_for_port) {
		line_begin(l, now);
		return;
	}
	l->wants_write = false;
	l->blocked_since = SB_NEVER;
	line_port_takes(l, now);
	line_rate_held(l);
	if (l->state == LINE_STALLED)
		line_carry_on(l, now);
}

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
		line_leave(l, LINE_STALLED, now, "the port takes no characters");
}

/* A flap shorter than the patience is none. */
static bool is_without_carrier(struct line *l, sb_time now)
{
	if (!lacks_carrier(l))
		l->lacks_from = SB_NEVER;
	else if (l->lacks_from == SB_NEVER)
		l->lacks_from = now;
	return l->lacks_from != SB_NEVER && now - l->lacks_from >= l->carrier_patience;
}

static void look_at_carrier(struct line *l, sb_time now)
{
	bool lacks = is_without_carrier(l, now);

	if (lacks && l->state != LINE_NO_CARRIER) {
		line_encap_finish(l, now);
		line_leave(l, LINE_NO_CARRIER, now, "no carrier");
	} else if (!lacks && l->state == LINE_NO_CARRIER) {
		line_encap_begin(l, now);
	}
}

static void look(struct line *l, sb_time now)
{
	l->look_at = now + LOOK_EVERY;
	if (l->modem)
		line_modem_look(l, now);
	else
		look_at_carrier(l, now);
	if (l->state == LINE_STALLED && !l->wants_write && line_heed_driver(l, now))
		line_carry_on(l, now);
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
	line_rate_tick(l, now);
	line_retune(l, now);
	check_stall(l, now);
	line_rest(l, now);
	if (now >= l->look_at)
		look(l, now);
	if (l->encap->kind->tick && now >= encap_deadline(l->encap))
		l->encap->kind->tick(l->encap, now);
	if (l->state == LINE_ENDING && has_ended(l, now))
		line_close(l, now, l->reason);
	if (l->modem && l->port && !l->waits_for_port)
		line_modem_tick(l, now);
}

/* What the encapsulation has to send waits for the clock: that instant, too, is one to come back.
 */
static sb_time send_deadline(const struct line *l, sb_time now)
{
	sb_time wake = line_wake(l);

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
	t = sb_time_min(t, line_rate_deadline(l));
	if (l->rests)
		t = sb_time_min(t, l->read_until - LINE_READ_AHEAD);
	if (l->modem && !l->waits_for_port)
		t = sb_time_min(t, line_modem_deadline(l));
	if (l->state == LINE_UP && l->blocked_since != SB_NEVER)
		t = sb_time_min(t, l->blocked_since + stall_limit(l));
	if (l->state == LINE_ENDING)
		t = sb_time_min(t, is_said(l) ? sb_time_max(l->clock.busy_until, now) : l->ends_at);
	return t;
}

const char *line_said(struct line *l, bool *important)
{
	return l->modem ? line_modem_said(l->modem, important) : NULL;
}

const char *line_state_name(enum line_state s)
{
	static const char *const names[] = {
		[LINE_DOWN] = "down",       [LINE_OPENING] = "opening",
		[LINE_UP] = "up",           [LINE_STALLED] = "stalled",
		[LINE_SILENT] = "silent",   [LINE_NO_CARRIER] = "no carrier",
		[LINE_ENDING] = "ending",   [LINE_DIALLING] = "dialling",
		[LINE_WAITING] = "waiting", [LINE_HANGING_UP] = "hanging up",
	};

	return names[s];
}
