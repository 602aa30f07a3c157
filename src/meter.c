/* SPDX-License-Identifier: MIT */
/*
 * Time is cut into slots of a quarter of a second. Bytes are counted in the
 * running slot; when it ends it goes into a ring of the last 40 seconds. All
 * figures are sums over whole slots, so that they do not depend on when in a
 * slot they are read; they lag behind by less than one slot.
 *
 * The busiest second is the highest sum of four slots in a row: a burst of one
 * second that begins within a slot may lose up to a quarter of its height.
 */
#include "src/meter.h"

#include <assert.h>

static const sb_time slot_length = SB_SEC / METER_SLOTS_PER_SECOND;

void meter_init(struct meter *m, sb_time now)
{
	*m = (struct meter){.start = now};
}

/* Bytes in the slot that ended n slots before the running one, 1 <= n <= METER_SLOTS. */
static uint64_t *slot_back(struct meter *m, unsigned n)
{
	return &m->done[(m->slot + METER_SLOTS - n) % METER_SLOTS];
}

static void end_slot(struct meter *m)
{
	m->last_second += m->running - *slot_back(m, METER_SLOTS_PER_SECOND);
	m->done[m->slot % METER_SLOTS] = m->running;
	m->running = 0;
	m->slot++;
	if (m->last_second > m->peak)
		m->peak = m->last_second;
}

static void advance(struct meter *m, sb_time now)
{
	assert(now >= m->start);
	uint64_t slot = (uint64_t)((now - m->start) / slot_length);
	assert(slot >= m->slot);
	/* After a long silence the ring is empty, however many slots there were. */
	for (unsigned n = 0; m->slot < slot && n <= METER_SLOTS; n++)
		end_slot(m);
	m->slot = slot;
}

void meter_add(struct meter *m, sb_time now, uint64_t bytes)
{
	advance(m, now);
	m->running += bytes;
	m->total += bytes;
}

void meter_follow(struct meter *m, sb_time now, uint64_t counter)
{
	if (counter > m->total)
		meter_add(m, now, counter - m->total);
}

void meter_add_span(struct meter *m, sb_time from, sb_time to)
{
	from = sb_time_max(from, to - METER_SLOTS * slot_length); /* what is older is forgotten */
	while (from < to) {
		advance(m, from);
		sb_time end = m->start + (sb_time)(m->slot + 1) * slot_length;
		end = sb_time_min(end, to);
		meter_add(m, from, (uint64_t)(end - from));
		from = end;
	}
}

static double average(struct meter *m, unsigned seconds)
{
	unsigned slots = seconds * METER_SLOTS_PER_SECOND;
	if (slots > m->slot)
		slots = (unsigned)m->slot;
	uint64_t sum = 0;
	for (unsigned n = 1; n <= slots; n++)
		sum += *slot_back(m, n);
	return slots ? (double)sum * METER_SLOTS_PER_SECOND / slots : 0;
}

struct meter_rates meter_read(struct meter *m, sb_time now)
{
	advance(m, now);
	double elapsed = (double)(now - m->start) / (double)SB_SEC;
	return (struct meter_rates){
		.over_2s = average(m, 2),
		.over_10s = average(m, 10),
		.over_40s = average(m, 40),
		.peak = (double)m->peak,
		.mean = elapsed > 0 ? (double)m->total / elapsed : 0,
		.total = m->total,
	};
}
