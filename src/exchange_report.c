/* SPDX-License-Identifier: MIT */
/* Bundles and their lines as reports. */
#define _DEFAULT_SOURCE
#include "src/exchange_state.h"

static struct report_flow line_flow(struct meter *m, sb_time now, uint64_t packets,
				    uint64_t before_call)
{
	struct report_flow f = {.packets = packets, .rates = meter_read(m, now)};

	f.call_bytes = f.rates.total - before_call;
	return f;
}

static void report_errors(const struct line *l, const struct encap_counters *e,
			  uint64_t errors[REPORT_ERRORS])
{
	struct port_icounts u = {0};

	if (l->port)
		port_icounts(l->port, &u);
	errors[REPORT_BAD_FRAMING] = e->bad_framing;
	errors[REPORT_BAD_FCS] = e->bad_fcs;
	errors[REPORT_UNKNOWN] = e->unknown;
	errors[REPORT_TOO_LONG] = e->too_long;
	errors[REPORT_NOT_IP] = e->not_ip;
	errors[REPORT_BAD_LENGTH] = e->bad_length;
	errors[REPORT_BAD_CHECKSUM] = e->bad_checksum;
	errors[REPORT_COMPRESSED] = e->compressed;
	errors[REPORT_OVERRUN] = u.overruns;
	errors[REPORT_UART_FRAMING] = u.framing;
	errors[REPORT_UART_PARITY] = u.parity;
	errors[REPORT_BREAK] = u.breaks;
}

static void report_line(struct line *l, sb_time now, struct report_line *r)
{
	struct encap_counters e;

	l->encap->kind->count(l->encap, &e);
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
		.sent_again = l->counters.sent_again,
		.rtt_least = e.rtt.least,
		.rtt_smoothed = e.rtt.smoothed,
		.rtt_most = e.rtt.most,
		.loss_out = e.loss_out,
		.loss_in = e.loss_in,
		.downs = l->counters.downs,
		.since = now - l->since,
	};
	report_errors(l, &e, r->errors);
}

static bool is_shown(const struct exchange *x, unsigned i, unsigned k)
{
	return !x->config->answer || x->bundle_of[i] == k;
}

bool exchange_report(struct exchange *x, unsigned k, sb_time now, struct report *r,
		     struct report_line lines[static CONFIG_MAX_LINES])
{
	bool is_bundle = k < EXCHANGE_MAX_BUNDLES && x->bundles[k].bundle;

	if (!is_bundle && k != EXCHANGE_NO_BUNDLE)
		return false;
	*r = (struct report){.ifname = "", .uptime = now - x->start};
	if (is_bundle)
		bundle_report(x->bundles[k].bundle, now, r);
	r->lines = lines;
	for (unsigned i = 0; i < x->line_count; i++)
		if (is_shown(x, i, k))
			report_line(&x->lines[i], now, &lines[r->line_count++]);
	return is_bundle || (x->config->answer && r->line_count);
}
