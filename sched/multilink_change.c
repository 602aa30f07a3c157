/* SPDX-License-Identifier: MIT */
/* What happens to a multilink: lines come and go, packets come back, and wait in vain. */
#include "sched/multilink_state.h"

#include <assert.h>

/* --- lines that come and go --- */

void multilink_line_up(struct multilink *ml, unsigned line, const struct stripe_line *l,
		       sb_time now)
{
	assert(line < STRIPE_MAX_LINES && !ml->lanes[line].up);
	lane_up(&ml->lanes[line], l, ml->config.max_fragment_delay, now);
	ml->lines++;
}

/* What went over the line has arrived, or never will. */
static void forget_plain(struct multilink *ml, unsigned line)
{
	for (uint32_t i = 0; i < ml->flows; i++)
		if (ml->courses[i].plain_line == line) {
			ml->courses[i].plain_line = NO_LINE;
			ml->courses[i].plain_until = 0;
		}
}

static void unbind(struct multilink *ml, struct lane *l)
{
	while (l->count)
		multilink_return(ml, packet_hold(lane_packet(l, 0)));
}

void multilink_unbind_all(struct multilink *ml)
{
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		unbind(ml, &ml->lanes[i]);
}

void multilink_line_down(struct multilink *ml, unsigned line)
{
	assert(line < STRIPE_MAX_LINES && ml->lanes[line].up);
	unbind(ml, &ml->lanes[line]);
	ml->lanes[line].up = false;
	ml->lines--;
	forget_plain(ml, line);
}

void multilink_line_unsent(struct multilink *ml, unsigned line, size_t characters)
{
	ml->lanes[line].unsent = characters;
}

static void unbind_packet(struct multilink *ml, struct packet *p)
{
	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		if (lane_remove(&ml->lanes[i], p))
			packet_put(ml->config.pool, p);
}

void multilink_return(struct multilink *ml, struct packet *p)
{
	unbind_packet(ml, p);
	backlog_return(&ml->backlog, p);
}

void multilink_adopt(struct multilink *ml, struct packet *p)
{
	unbind_packet(ml, p);
	backlog_adopt(&ml->backlog, p);
}

struct packet *multilink_surrender(struct multilink *ml)
{
	multilink_unbind_all(ml);
	return backlog_take(&ml->backlog);
}

/* --- what waits --- */

uint32_t multilink_expire(struct multilink *ml, sb_time before)
{
	return backlog_expire(&ml->backlog, before);
}

sb_time multilink_oldest(const struct multilink *ml)
{
	return backlog_oldest(&ml->backlog);
}

uint32_t multilink_bound_bytes(const struct multilink *ml)
{
	uint32_t bytes = backlog_bytes(&ml->backlog);

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		bytes += lane_bytes(&ml->lanes[i]);
	return bytes;
}

/* Whether a lane before this one has a part of the packet. */
static bool is_bound_before(const struct multilink *ml, unsigned line, const struct packet *p)
{
	for (unsigned i = 0; i < line; i++)
		if (lane_has(&ml->lanes[i], p))
			return true;
	return false;
}

uint32_t multilink_bound_packets(const struct multilink *ml)
{
	uint32_t packets = backlog_packets(&ml->backlog);

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++)
		for (uint32_t k = 0; k < ml->lanes[i].count; k++)
			packets += !is_bound_before(ml, i, lane_packet(&ml->lanes[i], k));
	return packets;
}
