/* SPDX-License-Identifier: MIT */
/* How the lines are used, as a report. */
#define _DEFAULT_SOURCE
#include "src/bundle_state.h"

static const char *const reselects[] = {
	[RESELECT_ALWAYS] = "always",
	[RESELECT_BETTER] = "better",
	[RESELECT_FAILURE] = "failure",
};
static const char *const ad_selects[] = {
	[AD_SELECT_STABLE] = "stable",
	[AD_SELECT_BANDWIDTH] = "bandwidth",
	[AD_SELECT_COUNT] = "count",
};
static const char *const validates[] = {
	[PROBE_VALIDATE_NONE] = "none",
	[PROBE_VALIDATE_ALL] = "all",
	[PROBE_VALIDATE_FILTER] = "filter",
};
/* As bonding calls them. */
static const char *const states[] = {
	[MONITOR_DOWN] = "down",
	[MONITOR_BACK] = "going back up",
	[MONITOR_UP] = "up",
	[MONITOR_FAIL] = "going down",
};

static bool has_hash(const struct mode_config *c)
{
	switch (c->mode) {
	case MODE_BALANCE_XOR:
	case MODE_8023AD:
		return true;
	case MODE_BALANCE_TLB:
	case MODE_BALANCE_ALB:
		return !c->tlb_dynamic_lb;
	default:
		return false;
	}
}

static void report_aggregator(const struct aggregation *a, struct report_mode *r)
{
	if (a->active >= a->count)
		return;
	r->aggregator = a->active + 1;
	r->aggregator_up = election_count(a->groups[a->active].up);
	r->aggregator_lines = election_count(a->groups[a->active].lines);
}

struct report_mode bundle_mode_report(const struct bundle *b)
{
	const struct config *c = b->config;
	const struct bundle_mode *m = &b->mode;
	const struct policy_counters sent = spread_counters(&b->spread);
	struct report_mode r = {
		.name = mode_name(c->mode.mode),
		.hash = has_hash(&c->mode) ? xmit_hash_name(c->mode.hash) : NULL,
		.primary = c->primary,
		.reselect = reselects[c->election.reselect],
		.ad_select = ad_selects[c->election.ad_select],
		.changes = m->changes,
		.min_links = c->election.min_links,
		.moves = sent.moves,
		.copies = sent.copies,
		.copies_dropped = sent.copies_dropped,
		.miimon = c->monitor.miimon,
		.updelay = c->monitor.updelay,
		.downdelay = c->monitor.downdelay,
		.notices = c->notices,
		.notice_delay = c->notice_delay,
		.probe_interval = c->probe.interval,
		.probe_target = c->probe.target,
		.probe_missed_max = c->probe.missed_max,
		.probe_validate = validates[c->probe.validate],
	};

	if (m->active != ELECTION_NONE)
		r.active = b->lines[m->active]->config.name;
	report_aggregator(&m->aggregation, &r);
	return r;
}

struct report_member bundle_member_report(const struct bundle *b, unsigned i)
{
	const struct bundle_mode_line *m = &b->mode.lines[i];
	unsigned group = aggregator_of(&b->mode.aggregation, i);
	struct report_member r = {
		.state = states[m->monitor.state],
		.used = b->in_spread[i] && b->mode.may_send >> i & 1,
		.failures = m->failures,
		.aggregator = group == ELECTION_NONE ? REPORT_NO_AGGREGATOR : group + 1,
	};

	if (!b->lines[i])
		return (struct report_member){0};
	r.prio = b->lines[i]->config.prio;
	if (b->probes.runs[i]) {
		r.probes = b->probes.lines[i].requests;
		r.probe_replies = b->probes.lines[i].replies;
	}
	return r;
}
