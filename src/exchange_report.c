/* SPDX-License-Identifier: MIT */
/* Bundles and their lines as reports. */
#define _DEFAULT_SOURCE
#include "src/exchange_state.h"
#include "src/line_rate.h"

#include "src/line_shape.h"

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

/* How it is known, and what it is to carry. */
static void report_kind(const struct line *l, struct report_line *r)
{
	r->name = l->config.name;
	r->device = l->config.device;
	r->encapsulation = l->encap->kind == &encap_detect ? "unknown" : l->encap->kind->name;
	r->enabled = l->config.enabled;
	r->bps = l->config.bps;
	r->baud = l->config.baud;
	r->bits_per_char = l->config.bits_per_char;
}

/* More than the clock allows can be no more than all. */
static double at_most_all(double share)
{
	return share < 1 ? share : 1;
}

/* Of what it may send, counted as its clock does. */
static double busy_out(struct line *l, sb_time now)
{
	double per_s = meter_read(&l->paid, now).over_2s;

	return at_most_all(per_s * l->clock.bits_per_char / l->clock.bps);
}

/* Of what it carries, which is no more one way than the other; our shape is not the peer's. */
static double busy_in(struct line *l, sb_time now)
{
	double carries = line_bps(l) * l->clock.bps / l->clock.given_bps;

	return at_most_all(meter_read(&l->in, now).over_2s * l->config.bits_per_char / carries);
}

/* What its wire is at now. */
static void report_wire(struct line *l, sb_time now, struct report_line *r)
{
	sb_time ahead = l->port ? line_clock_ahead(&l->clock, now) : 0;

	r->modem_lines = l->port ? port_modem_lines(l->port) : -1;
	r->bps_now = r->up ? l->clock.bps : 0;
	r->waiting_time = ahead + line_clock_time(&l->clock, line_cost_left(l));
	r->waiting = (uint64_t)((double)r->waiting_time / SB_SEC * l->clock.bps /
				l->clock.bits_per_char);
	r->busy_out = busy_out(l, now);
	r->busy_in = busy_in(l, now);
	r->heard = r->in.rates.total ? now - l->heard_at : -1;
}

static void report_modem(const struct line *l, struct report_line *r)
{
	struct line_modem_facts f;

	if (!line_modem_facts(l, &f))
		return;
	r->modem = f.state;
	r->connect = f.connect;
	r->failures = f.failures;
	r->calls = f.calls;
}

static void report_line(struct line *l, sb_time now, struct report_line *r)
{
	struct encap_counters e;

	l->encap->kind->count(l->encap, &e);
	*r = (struct report_line){
		.state = line_state_name(l->state),
		.up = l->state == LINE_UP,
		.reason = l->reason,
		.measured_bps = line_measured_bps(l),
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
		.openings = l->counters.openings,
		.since = now - l->since,
	};
	report_kind(l, r);
	report_wire(l, now, r);
	report_modem(l, r);
	report_errors(l, &e, r->errors);
}

/* The interface that line i belongs to; the bundle may be there before the line has joined it. */
static const char *bundle_name(const struct exchange *x, unsigned i)
{
	unsigned k = x->config->answer ? x->bundle_of[i] : 0;

	return k != NO_BUNDLE && x->bundles[k].bundle ? x->bundles[k].interface.tun.name : "";
}

static void report_one(struct exchange *x, unsigned i, sb_time now, struct report_line *r)
{
	report_line(&x->lines[i], now, r);
	if (x->slots[i].leaving != STAYS) {
		r->state = "leaving";
		r->up = false;
		r->bps_now = 0;
	}
	if (x->bundle_of[i] != NO_BUNDLE && bundle_is_parked(x->bundles[x->bundle_of[i]].bundle, i)) {
		r->state = "parked";
		r->bps_now = 0;
	}
	r->bundle = bundle_name(x, i);
	if (x->bundle_of[i] != NO_BUNDLE)
		r->member = bundle_member_report(x->bundles[x->bundle_of[i]].bundle, i);
}

static bool is_shown(const struct exchange *x, unsigned i, unsigned k)
{
	return !x->config->answer || x->bundle_of[i] == k;
}

bool exchange_report(struct exchange *x, unsigned k, sb_time now, struct report *r,
		     struct report_line lines[static CONFIG_MAX_LINES])
{
	struct verdict_line facts[CONFIG_MAX_LINES];
	bool is_bundle = k < EXCHANGE_MAX_BUNDLES && x->bundles[k].bundle;

	if (!is_bundle && k != EXCHANGE_NO_BUNDLE)
		return false;
	*r = (struct report){.ifname = "", .uptime = now - x->start};
	if (is_bundle)
		bundle_report(x->bundles[k].bundle, now, r);
	r->lines = lines;
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1)) {
		if (!is_shown(x, i, k))
			continue;
		report_one(x, i, now, &lines[r->line_count]);
		exchange_line_facts(x, i, now, &lines[r->line_count], &facts[r->line_count]);
		r->line_count++;
	}
	if (is_bundle)
		r->verdict = exchange_verdict(x, k, now, facts, r->line_count);
	return is_bundle || (x->config->answer && r->line_count);
}

unsigned exchange_flows(struct exchange *x, unsigned k, sb_time now,
			struct flow_pair to[static FLOWS_MAX])
{
	bool is_bundle = k < EXCHANGE_MAX_BUNDLES && x->bundles[k].bundle;

	return is_bundle ? bundle_flows(x->bundles[k].bundle, now, to) : 0;
}
