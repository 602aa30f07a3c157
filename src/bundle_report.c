/* SPDX-License-Identifier: MIT */
/* The bundle's state as a report. */
#define _DEFAULT_SOURCE
#include "src/bundle.h"

#include "src/bundle_state.h"

static const double starved_share = 0.05; /* of the lines' time: more is the host's fault */

static struct report_flow line_flow(struct meter *m, sb_time now, uint64_t packets,
				    uint64_t before_call)
{
	struct report_flow f = {.packets = packets, .rates = meter_read(m, now)};

	f.call_bytes = f.rates.total - before_call;
	return f;
}

static void report_errors(const struct line *l, uint64_t errors[REPORT_ERRORS])
{
	struct encap_counters e;
	struct port_icounts u = {0};

	l->kind->count(l->encap, &e);
	if (l->port)
		port_icounts(l->port, &u);
	errors[REPORT_BAD_FRAMING] = e.bad_framing;
	errors[REPORT_TOO_LONG] = e.too_long;
	errors[REPORT_NOT_IP] = e.not_ip;
	errors[REPORT_BAD_LENGTH] = e.bad_length;
	errors[REPORT_BAD_CHECKSUM] = e.bad_checksum;
	errors[REPORT_COMPRESSED] = e.compressed;
	errors[REPORT_OVERRUN] = u.overruns;
	errors[REPORT_UART_FRAMING] = u.framing;
	errors[REPORT_UART_PARITY] = u.parity;
	errors[REPORT_BREAK] = u.breaks;
}

static void report_line(struct line *l, sb_time now, struct report_line *r)
{
	*r = (struct report_line){
		.name = l->config.name,
		.state = line_state_name(l->state),
		.up = l->state == LINE_UP,
		.reason = l->reason,
		.bps = l->config.bps,
		.measured_bps = l->clock.measured_bps,
		.out = line_flow(&l->out, now, l->counters.packets_out, l->call_out),
		.in = line_flow(&l->in, now, l->counters.packets_in, l->call_in),
		.cut = l->counters.cut_frames,
		.downs = l->counters.downs,
		.since = now - l->since,
	};
	report_errors(l, r->errors);
}

/*
 * Packets wait: is it for the wires, or did wires run dry in mid-frame, because
 * this program did not get to run in time?
 */
static enum report_limit limit(struct bundle *b, sb_time now)
{
	double starved = 0;

	if (bundle_waiting_bytes(b) <= b->config->mtu)
		return REPORT_LIMIT_NOTHING;
	for (unsigned i = 0; i < b->line_count; i++)
		starved += meter_read(&b->lines[i].starved, now).over_2s / (double)SB_SEC;
	return starved > starved_share * b->lines_up ? REPORT_LIMIT_HOST : REPORT_LIMIT_LINE;
}

static void report_drops(const struct bundle *b, uint64_t drops[REPORT_DROPS])
{
	const struct fq_codel_counters *q = fq_codel_counters(b->queue);

	drops[REPORT_DROP_CODEL] = q->codel_drops;
	drops[REPORT_DROP_FULL] = q->overlimit_drops;
	drops[REPORT_DROP_NO_LINE] = b->counters.no_line_drops;
	drops[REPORT_DROP_NO_BUFFER] = b->counters.no_buffer_drops;
	drops[REPORT_DROP_NOT_IP] = b->counters.not_ip_drops;
	drops[REPORT_DROP_REFUSED] = b->counters.refused_packets;
}

void bundle_report(struct bundle *b, sb_time now, struct report *r,
		   struct report_line lines[static CONFIG_MAX_LINES])
{
	sb_time oldest = bundle_oldest_arrival(b);

	for (unsigned i = 0; i < b->line_count; i++)
		report_line(&b->lines[i], now, &lines[i]);
	*r = (struct report){
		.ifname = b->tun->name,
		.uptime = now - b->start,
		.lines = lines,
		.line_count = b->line_count,
		.lines_up = b->lines_up,
		.out = line_flow(&b->out, now, b->counters.packets_out, 0),
		.in = line_flow(&b->in, now, b->counters.packets_in, 0),
		.queue_bytes = bundle_waiting_bytes(b),
		.queue_packets = fq_codel_packets(b->queue) + stripe_bound_packets(b->stripe),
		.queue_age = oldest == SB_NEVER ? 0 : now - oldest,
		.ecn_marks = fq_codel_counters(b->queue)->ecn_marks,
		.limit = limit(b, now),
	};
	report_drops(b, r->drops);
}
