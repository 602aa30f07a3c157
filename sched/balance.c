/* SPDX-License-Identifier: MIT */
/*
 * Bonding's rule: a flow's first packet is sent by the line with the largest gap between speed and
 * load, and the flow stays there; every 10 s all flows are free to be placed again, each with what
 * it brought until then. Here the load of a line is what its flows brought in this interval and
 * the one before, and the line for a flow is the one where load, the flow's own included, over
 * speed is least.
 *
 * The kernel places flows again as their next packets come, in the order of chance; here they are
 * placed at once, the heaviest first, which is what makes the faster line get the heavier one. Of
 * lines that are as good a flow keeps the one that it has, so that what is in balance stays as it
 * is, and no flow is moved for nothing: one that is, may find its last packets overtaken once.
 */
#include "sched/balance.h"

#include "sched/ip.h"

#define INTERVAL (10 * SB_SEC)

void balance_init(struct balance *b, uint32_t least)
{
	*b = (struct balance){.least = least};
	for (unsigned i = 0; i < BALANCE_FLOWS; i++)
		b->flows[i].line = BALANCE_NONE;
}

static struct balance_flow *flow_of(struct balance *b, const struct packet *p)
{
	return &b->flows[ip_flow_hash(packet_bytes(p), 0) % BALANCE_FLOWS];
}

static uint64_t weight(const struct balance *b, const struct balance_flow *f)
{
	uint64_t bytes = f->before + f->bytes;

	return bytes > b->least ? bytes : b->least;
}

struct loads {
	uint64_t of[STRIPE_MAX_LINES];
};

static struct loads loads_without(const struct balance *b, const struct balance_flow *left_out)
{
	struct loads l = {0};

	for (unsigned i = 0; i < BALANCE_FLOWS; i++)
		if (&b->flows[i] != left_out && b->flows[i].line != BALANCE_NONE)
			l.of[b->flows[i].line] += weight(b, &b->flows[i]);
	return l;
}

/* Where a flow of that weight, which is on line `now_on`, would be off best. */
static unsigned best_line(const struct loads *loads, const struct balance_speeds *speeds,
			  uint64_t flow, unsigned now_on)
{
	unsigned best = BALANCE_NONE;
	double least = 0;

	for (unsigned i = 0; i < STRIPE_MAX_LINES; i++) {
		double full;

		if (!(speeds->of[i] > 0))
			continue;
		full = (double)(loads->of[i] + flow) / speeds->of[i];
		if (best != BALANCE_NONE && (full > least || (full == least && i != now_on)))
			continue;
		best = i;
		least = full;
	}
	return best;
}

static void place(struct balance *b, struct balance_flow *f, unsigned line)
{
	if (f->line != BALANCE_NONE && f->line != line)
		b->moves++;
	f->line = line;
}

unsigned balance_line(struct balance *b, const struct balance_speeds *speeds,
		      const struct packet *p)
{
	struct balance_flow *f = flow_of(b, p);
	struct loads loads;
	unsigned line;

	if (f->line != BALANCE_NONE && speeds->of[f->line] > 0)
		return f->line;
	loads = loads_without(b, f);
	line = best_line(&loads, speeds, weight(b, f), f->line);
	if (line != BALANCE_NONE)
		place(b, f, line);
	return line;
}

void balance_sent(struct balance *b, const struct packet *p)
{
	flow_of(b, p)->bytes += p->length;
}

/* --- from time to time --- */

/* The heaviest flow that is not placed yet, or NULL. */
static struct balance_flow *heaviest(struct balance *b, const bool placed[static BALANCE_FLOWS])
{
	struct balance_flow *most = NULL;

	for (unsigned i = 0; i < BALANCE_FLOWS; i++) {
		struct balance_flow *f = &b->flows[i];

		if (!placed[i] && f->before + f->bytes > 0 &&
		    (!most || f->before + f->bytes > most->before + most->bytes))
			most = f;
	}
	return most;
}

static void rebalance(struct balance *b, const struct balance_speeds *speeds)
{
	bool placed[BALANCE_FLOWS] = {false};
	struct loads loads = {0};
	struct balance_flow *f;

	while ((f = heaviest(b, placed))) {
		unsigned line = best_line(&loads, speeds, weight(b, f), f->line);

		placed[f - b->flows] = true;
		if (line == BALANCE_NONE)
			return;
		loads.of[line] += weight(b, f);
		place(b, f, line);
	}
}

/* A flow that brought nothing for so long may begin anew anywhere. */
static void begin_interval(struct balance *b)
{
	for (unsigned i = 0; i < BALANCE_FLOWS; i++) {
		struct balance_flow *f = &b->flows[i];

		if (f->before + f->bytes == 0)
			f->line = BALANCE_NONE;
		f->before = f->bytes;
		f->bytes = 0;
	}
}

void balance_tick(struct balance *b, const struct balance_speeds *speeds, sb_time now)
{
	if (b->changed || now >= b->rebalance_at)
		rebalance(b, speeds);
	b->changed = false;
	if (now < b->rebalance_at)
		return;
	begin_interval(b);
	b->rebalance_at = now + INTERVAL;
}

void balance_anew(struct balance *b)
{
	b->changed = true;
}
