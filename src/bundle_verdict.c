/* SPDX-License-Identifier: MIT */
/*
 * What a bundle knows for the verdict on it (src/verdict.h): counters that its parts
 * keep anyway are looked at four times a second, so that they become rates.
 */
#define _DEFAULT_SOURCE
#include "src/bundle_state.h"
#include "src/clock.h"

static const sb_time look_every = SB_SEC / METER_SLOTS_PER_SECOND;

bool bundle_evidence_init(struct bundle_evidence *e, sb_time now)
{
	struct meter *meters[] = {&e->sent,      &e->full,     &e->codel,
				  &e->no_buffer, &e->overruns, &e->cpu};

	for (size_t i = 0; i < sizeof meters / sizeof meters[0]; i++)
		meter_init(meters[i], now);
	e->cpu.total = (uint64_t)clock_cpu(); /* what was used before is not counted */
	e->look_at = now + look_every;
	e->flows = flows_new(now);
	e->windows = tcp_windows_new(now);
	return e->flows && e->windows;
}

void bundle_evidence_free(struct bundle_evidence *e)
{
	flows_free(e->flows);
	tcp_windows_free(e->windows);
}

void bundle_saw(struct bundle *b, sb_time now, struct bytes packet, bool out)
{
	flows_add(b->evidence.flows, now, packet, out);
	tcp_windows_add(b->evidence.windows, now, packet, out);
}

/* The driver counts from its own beginning: the first look tells nothing. */
static void look_at_uart(struct bundle_evidence *e, unsigned i, struct port *port, sb_time now)
{
	struct port_icounts u;

	if (!port_icounts(port, &u))
		return;
	if (e->has_overruns[i] && u.overruns != e->line_overruns[i]) {
		meter_add(&e->overruns, now, u.overruns - e->line_overruns[i]);
		e->overrun_line = i;
	}
	e->has_overruns[i] = true;
	e->line_overruns[i] = u.overruns;
}

void bundle_look(struct bundle *b, sb_time now)
{
	struct bundle_evidence *e = &b->evidence;
	struct fq_codel_counters q;

	if (now < e->look_at)
		return;
	q = tiers_total(b->queue);
	e->look_at = now + look_every;
	meter_follow(&e->sent, now, b->counters.packets_out);
	meter_follow(&e->full, now, q.overlimit_drops);
	meter_follow(&e->codel, now, q.codel_drops);
	meter_follow(&e->no_buffer, now, b->counters.no_buffer_drops + b->counters.refused_packets);
	meter_follow(&e->cpu, now, (uint64_t)clock_cpu());
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++) {
		if (b->lines[i] && b->lines[i]->port)
			look_at_uart(e, i, b->lines[i]->port, now);
		else
			e->has_overruns[i] = false;
	}
}

static void packets(struct bundle_evidence *e, sb_time now, struct verdict_rates *over_2s,
		    struct verdict_rates *over_10s)
{
	struct meter *meters[] = {&e->sent, &e->full, &e->codel, &e->no_buffer};
	struct meter_rates r[4];

	for (int i = 0; i < 4; i++)
		r[i] = meter_read(meters[i], now);
	*over_2s = (struct verdict_rates){r[0].over_2s, r[1].over_2s, r[2].over_2s, r[3].over_2s};
	*over_10s =
		(struct verdict_rates){r[0].over_10s, r[1].over_10s, r[2].over_10s, r[3].over_10s};
}

static struct verdict_windows windows(struct bundle_evidence *e, sb_time now, bool out)
{
	struct tcp_waiting w = tcp_windows_read(e->windows, now, out);

	return (struct verdict_windows){.full = w.share, .window = w.window};
}

void bundle_facts(struct bundle *b, sb_time now, struct verdict_facts *f)
{
	struct bundle_evidence *e = &b->evidence;
	sb_time oldest = bundle_oldest_arrival(b);

	*f = (struct verdict_facts){
		.mtu = b->mtu,
		.queue_bytes = bundle_waiting_bytes(b),
		.queue_age = oldest == SB_NEVER ? 0 : now - oldest,
		.cpu = meter_read(&e->cpu, now).over_2s / (double)SB_SEC,
		.peer = windows(e, now, true),
		.host = windows(e, now, false),
	};
	packets(e, now, &f->over_2s, &f->over_10s);
}

double bundle_overruns(struct bundle *b, unsigned i, sb_time now)
{
	struct bundle_evidence *e = &b->evidence;

	return i == e->overrun_line ? meter_read(&e->overruns, now).over_10s : 0;
}

unsigned bundle_flows(struct bundle *b, sb_time now, struct flow_pair to[static FLOWS_MAX])
{
	return flows_read(b->evidence.flows, now, to);
}
