/* SPDX-License-Identifier: MIT */
/*
 * A line's state, held back as Linux bonding does with miimon, updelay and downdelay.
 *
 *             seen down                downdelay has passed
 *      UP -----------------> FAIL --------------------------> DOWN
 *       ^                     |                                 |
 *       |<----- seen up ------+                                 | seen up
 *       |                                                       v
 *       +<---- updelay has passed, or no line is usable ----- BACK ---- seen down ---> DOWN
 *
 * Bonding looks every miimon, and only what a look sees counts: a flap between two looks does
 * nothing. A delay of n looks is over at the nth look after the one that began it, so
 * a failure counts at the latest miimon + downdelay after it happened.
 *
 * Looking is for the driver of a card. Here a line says when it changes, so between two looks
 * nothing is to be done while what was observed agrees with the state, and nobody is woken
 * up for that; the looks go on in the same rhythm when something does change.
 */
#include "sched/monitor.h"

/* Bonding counts delays in looks. */
static sb_time in_looks(const struct monitor *m, sb_time delay)
{
	return delay - delay % m->config->miimon;
}

static bool is_settled(const struct monitor *m)
{
	return m->state == (m->observed ? MONITOR_UP : MONITOR_DOWN);
}

static void settle(struct monitor *m, bool up)
{
	m->state = up ? MONITOR_UP : MONITOR_DOWN;
	m->left = 0;
}

/* The first look from now on, in the rhythm of before. */
static void find_look(struct monitor *m, sb_time now)
{
	sb_time every = m->config->miimon, late = now - m->look_at;

	if (late > 0)
		m->look_at += (late + every - 1) / every * every;
}

static void begin_delay(struct monitor *m)
{
	m->state = m->observed ? MONITOR_BACK : MONITOR_FAIL;
	m->left = in_looks(m, m->observed ? m->config->updelay : m->config->downdelay);
	if (!m->left)
		settle(m, m->observed);
}

static void go_on_with_delay(struct monitor *m)
{
	bool until_up = m->state == MONITOR_BACK;

	if (m->observed != until_up) {
		settle(m, m->observed); /* it was a flap */
		return;
	}
	m->left -= m->config->miimon;
	if (m->left <= 0)
		settle(m, m->observed);
}

static void look(struct monitor *m)
{
	if (is_settled(m))
		return;
	if (m->state == MONITOR_UP || m->state == MONITOR_DOWN)
		begin_delay(m);
	else
		go_on_with_delay(m);
}

void monitor_init(struct monitor *m, const struct monitor_config *config, bool up, sb_time now)
{
	*m = (struct monitor){.config = config, .observed = up, .look_at = now + config->miimon};
	settle(m, up);
}

void monitor_observe(struct monitor *m, bool up, sb_time now)
{
	bool was_settled = is_settled(m);

	m->observed = up;
	if (!m->config->miimon)
		settle(m, up);
	else if (was_settled && !is_settled(m))
		find_look(m, now);
}

void monitor_hurry(struct monitor *m)
{
	if (m->state == MONITOR_BACK && m->observed)
		settle(m, true);
}

void monitor_tick(struct monitor *m, sb_time now)
{
	if (!m->config->miimon)
		settle(m, m->observed);
	for (; !is_settled(m) && now >= m->look_at; m->look_at += m->config->miimon)
		look(m);
}

sb_time monitor_deadline(const struct monitor *m)
{
	if (!m->config->miimon || is_settled(m))
		return SB_NEVER;
	return m->look_at;
}
