/* SPDX-License-Identifier: MIT */
/*
 * Lines that come and go while the program runs.
 *
 * A line in use is taken out in steps, so that nothing is lost and TCP notices nothing:
 *
 *   1. The bundle binds nothing more to it. Pieces of packets that are bound to it have
 *      their numbers already and are sent; what has none goes over the others.
 *   2. The frame in progress and what the driver holds leave, as the line clock says.
 *   3. A link is terminated (LCP). The peer goes on with what it has on the way until it has our
 *      request, so the line stays a member that is received from until the peer has
 *      agreed. What agreed has got everything: none of it is sent again.
 *   4. The port is closed; what the line was taken out for follows.
 *
 * A line that cannot send (stalled, silent, not up) has nothing to wait for and begins with the
 * third. None of it takes for ever: after PATIENCE and the time of a frame, the line ends as
 * one that is lost does, and the others carry what it held.
 */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700 /* realpath */
#include "src/config_device.h"
#include "src/exchange_state.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE (2 * SB_SEC)

unsigned slot_next(const struct exchange *x, unsigned from)
{
	while (from < x->line_count && !slot_is_used(x, from))
		from++;
	return from < x->line_count ? from : EXCHANGE_NO_LINE;
}

unsigned slot_free(const struct exchange *x)
{
	unsigned i = 0;

	while (i < CONFIG_MAX_LINES && slot_is_used(x, i))
		i++;
	return i < CONFIG_MAX_LINES ? i : EXCHANGE_NO_LINE;
}

unsigned slots_used(const struct exchange *x)
{
	unsigned n = 0;

	for (unsigned i = 0; i < x->line_count; i++)
		n += slot_is_used(x, i);
	return n;
}

bool slot_fill(struct exchange *x, unsigned i, const struct line_config *c, sb_time now)
{
	const struct encap_kind *kind = c->encap ? c->encap : &encap_detect;

	assert(!slot_is_used(x, i));
	x->bundle_of[i] = NO_BUNDLE;
	if (!line_init(&x->lines[i], c, exchange_make_encap(x, c, kind), x->largest, now))
		return false;
	x->line_count = i < x->line_count ? x->line_count : i + 1;
	return true;
}

void slot_empty(struct exchange *x, unsigned i)
{
	struct slot *s = &x->slots[i];

	assert(x->bundle_of[i] == NO_BUNDLE);
	capture_close_line(x, i);
	s->openings += x->lines[i].counters.openings;
	line_free(&x->lines[i]);
	free(s->next);
	*s = (struct slot){.openings = s->openings};
	x->said_up[i] = false;
	x->said_why[i][0] = '\0';
}

bool slot_is_wanted(const struct exchange *x, unsigned i)
{
	bool bundle_is_down = !x->config->answer && x->bundles[0].down;

	return x->lines[i].config.enabled && !bundle_is_down && !x->ending;
}

const struct line_config *slot_config(const struct exchange *x, unsigned i)
{
	return x->slots[i].next ? x->slots[i].next : &x->lines[i].config;
}

bool slot_same_port(const char *a, const char *b)
{
	char real_a[PATH_MAX], real_b[PATH_MAX];

	if (device_is_exec(a) || device_is_exec(b))
		return false;
	return strcmp(a, b) == 0 ||
	       (realpath(a, real_a) && realpath(b, real_b) && strcmp(real_a, real_b) == 0);
}

bool slot_waits_for_device(const struct exchange *x, unsigned i)
{
	for (unsigned k = slot_next(x, 0); k < EXCHANGE_NO_LINE; k = slot_next(x, k + 1))
		if (k != i && x->slots[k].leaving != STAYS && x->lines[k].port &&
		    slot_same_port(x->lines[k].config.device, x->lines[i].config.device))
			return true;
	return false;
}

/* --- what follows from the lines --- */

static void list_lines(struct exchange *x)
{
	x->own.line_count = 0;
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		if (x->slots[i].leaving != LEAVES_FOR_GOOD)
			x->own.lines[x->own.line_count++] = x->lines[i].config;
}

void slots_changed(struct exchange *x)
{
	list_lines(x);
	if (x->config->mtu_auto && x->config->line_count)
		x->own.mtu = config_mtu_for_lines(x->config);
	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		if (x->bundles[k].bundle)
			bundle_reconfigure(x->bundles[k].bundle);
}

/* --- on its way out --- */

static sb_time frame_time(const struct exchange *x, unsigned i)
{
	return line_clock_time(&x->lines[i].clock, (uint32_t)x->lines[i].frame_size / 2);
}

static struct bundle *bundle_of(const struct exchange *x, unsigned i)
{
	return x->bundle_of[i] == NO_BUNDLE ? NULL : x->bundles[x->bundle_of[i]].bundle;
}

void slot_leave(struct exchange *x, unsigned i, enum leaving leaving,
		const struct line_config *next, const char *reason, sb_time now)
{
	struct slot *s = &x->slots[i];

	free(s->next);
	s->next = NULL;
	if (next) {
		s->next = malloc(sizeof(*s->next));
		if (s->next)
			*s->next = *next;
	}
	s->leaving = leaving;
	snprintf(s->reason, sizeof(s->reason), "%s", reason);
	s->leaves_by = now + PATIENCE + 2 * frame_time(x, i);
	if (bundle_of(x, i))
		bundle_retire(bundle_of(x, i), i, now);
	slot_leave_on(x, i, now);
}

static bool is_drained(const struct exchange *x, unsigned i, sb_time now)
{
	const struct line *l = &x->lines[i];
	const struct bundle *b = bundle_of(x, i);

	if (!b || l->state != LINE_UP || now >= x->slots[i].leaves_by)
		return true;
	return !bundle_uses(b, i) && line_needs_frame(l) && line_clock_ahead(&l->clock, now) == 0;
}

/* The peer may have a frame in progress, behind which its answer has to wait. */
static void end_line(struct exchange *x, unsigned i, sb_time now)
{
	struct line *l = &x->lines[i];

	line_end(l, now, x->slots[i].reason);
	if (l->state == LINE_ENDING)
		l->ends_at = sb_time_max(l->ends_at, now + PATIENCE + 2 * frame_time(x, i));
	exchange_settle(x, i, now);
}

/* It is the same line to its user, who has counted on; by another name it is another. */
static void change(struct exchange *x, unsigned i, sb_time now)
{
	struct line_config *next = x->slots[i].next;
	bool renamed = next && strcmp(next->name, x->lines[i].config.name) != 0;
	struct line_counters counters = x->lines[i].counters;
	uint32_t openings = x->slots[i].openings;

	x->slots[i].next = NULL;
	if (renamed)
		event_line(x, EXCHANGE_LINE_REMOVED, i, x->slots[i].reason);
	slot_empty(x, i);
	x->slots[i].openings = openings;
	if (!next || !slot_fill(x, i, next, now)) {
		log_say(x->log, LOG_ERROR, "out of memory for a line that was changed");
	} else {
		if (renamed)
			event_line(x, EXCHANGE_LINE_ADDED, i, NULL);
		else
			x->lines[i].counters = counters;
		capture_open_line(x, i);
	}
	free(next);
	slots_changed(x);
}

static void has_left(struct exchange *x, unsigned i, sb_time now)
{
	enum leaving leaving = x->slots[i].leaving;

	x->slots[i].leaving = STAYS;
	if (leaving == LEAVES_FOR_GOOD) {
		event_line(x, EXCHANGE_LINE_REMOVED, i, x->slots[i].reason);
		slot_empty(x, i);
	} else if (leaving == LEAVES_TO_CALL) {
		line_retry_now(&x->lines[i], now);
	} else if (leaving == LEAVES_TO_CHANGE) {
		change(x, i, now);
	}
}

void slot_leave_on(struct exchange *x, unsigned i, sb_time now)
{
	struct line *l = &x->lines[i];

	if (x->slots[i].leaving == STAYS)
		return;
	if (l->state != LINE_DOWN && !line_is_ending(l) && is_drained(x, i, now))
		end_line(x, i, now);
	if (l->state == LINE_DOWN)
		has_left(x, i, now);
}

sb_time slot_deadline(const struct exchange *x, unsigned i)
{
	const struct line *l = &x->lines[i];
	const struct slot *s = &x->slots[i];

	if (s->leaving == STAYS || line_is_ending(l))
		return SB_NEVER;
	return line_needs_frame(l) ? sb_time_min(l->clock.busy_until, s->leaves_by) : s->leaves_by;
}
