/* SPDX-License-Identifier: MIT */
/*
 * Checks on modes and shaping. What contradicts itself is refused; what has no effect as things
 * are is only remarked, as bonding does: another mode, or another line, may come while the program
 * runs.
 */
#define _DEFAULT_SOURCE
#include "src/config_checks.h"

#include <stdio.h>
#include <string.h>

static unsigned slip_lines(const struct config *c)
{
	return c->line_count - config_ppp_lines(c);
}

static unsigned bit(enum mode mode)
{
	return 1u << mode;
}

/* Remarks are of use to whoever wrote the option, once. */
static bool says(const struct settling *s, const char *option)
{
	return s->config->verbosity && settle_is_given(s, option);
}

/* --- modes -------------------------------------------------------------------------------------
 */

/* By its name from here on, whichever it was called by. */
static bool settle_primary(struct settling *s)
{
	struct config *c = s->config;
	if (!c->primary[0] || !settle_is_given(s, "primary"))
		return true;
	for (unsigned i = 0; i < c->line_count; i++) {
		const struct line_config *l = &c->lines[i];
		if (strcmp(l->name, c->primary) != 0 && strcmp(l->device, c->primary) != 0)
			continue;
		memcpy(c->primary, l->name, sizeof(c->primary));
		return true;
	}
	return settle_refuse(s, "primary", " %s: there is no such line", c->primary);
}

/* Options that only some modes heed. */
static void remark_useless(struct settling *s)
{
	static const struct {
		const char *option;
		unsigned modes;
		const char *names;
	} uses[] = {
		{"packets-per-line", 1u << MODE_BALANCE_RR, "balance-rr"},
		{"xmit-hash-policy",
		 1u << MODE_BALANCE_XOR | 1u << MODE_8023AD | 1u << MODE_BALANCE_TLB |
			 1u << MODE_BALANCE_ALB,
		 "balance-xor, 802.3ad, balance-tlb and balance-alb"},
		{"tlb-dynamic-lb", 1u << MODE_BALANCE_TLB | 1u << MODE_BALANCE_ALB,
		 "balance-tlb and balance-alb"},
		{"primary",
		 1u << MODE_ACTIVE_BACKUP | 1u << MODE_BALANCE_TLB | 1u << MODE_BALANCE_ALB,
		 "active-backup, balance-tlb and balance-alb"},
		{"primary-reselect",
		 1u << MODE_ACTIVE_BACKUP | 1u << MODE_BALANCE_TLB | 1u << MODE_BALANCE_ALB,
		 "active-backup, balance-tlb and balance-alb"},
		{"ad-select", 1u << MODE_8023AD, "802.3ad"},
		{"min-links", 1u << MODE_8023AD, "802.3ad"},
	};
	enum mode mode = s->config->mode.mode;
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		if (says(s, uses[i].option) && !(uses[i].modes & bit(mode)))
			config_remark(s->voice, "--%s is for %s; the mode is %s", uses[i].option,
				      uses[i].names, mode_name(mode));
	}
}

/* Delays are counted in looks. */
static void remark_delay(struct settling *s, const char *option, sb_time delay)
{
	sb_time miimon = s->config->monitor.miimon;
	if (!delay || !s->config->verbosity)
		return;
	if (!miimon && settle_is_given(s, option))
		config_remark(s->voice, "--%s counts for nothing without --miimon", option);
	else if (miimon && delay % miimon && (says(s, option) || says(s, "miimon")))
		config_remark(s->voice,
			      "--%s is rounded down to %lld ms, a multiple of --miimon %lld ms",
			      option, (long long)(delay / miimon * miimon / SB_MS),
			      (long long)(miimon / SB_MS));
}

/* What SLIP, which has no numbers and no messages of its own, cannot do. */
static void remark_slip(struct settling *s)
{
	const struct config *c = s->config;
	if (!slip_lines(c) || c->line_count < 2 || !says(s, "mode"))
		return;
	if (c->mode.mode == MODE_BALANCE_ALB)
		config_remark(s->voice, "--mode balance-alb: over SLIP the peer cannot be asked "
					"for its shares; it works as balance-tlb");
	if (c->mode.mode == MODE_BROADCAST)
		config_remark(s->voice, "--mode broadcast: SLIP has no numbers to know copies by; "
					"the other end gets each packet once per line");
}

/* Groups are of lines of one speed, so it has to be known. */
static bool check_speeds(struct settling *s)
{
	const struct config *c = s->config;
	for (unsigned i = 0; i < c->line_count; i++) {
		if (c->lines[i].auto_rate && c->mode.mode == MODE_8023AD)
			return settle_refuse_line(
				s, &c->lines[i],
				": with mode 802.3ad, which makes groups of lines of one speed, a "
				"line's bps is given, not auto");
	}
	return true;
}

bool settle_modes(struct settling *s)
{
	const struct config *c = s->config;
	if (!settle_primary(s) || !check_speeds(s))
		return false;
	remark_useless(s);
	remark_delay(s, "updelay", c->monitor.updelay);
	remark_delay(s, "downdelay", c->monitor.downdelay);
	remark_slip(s);
	if (says(s, "min-links") && c->election.min_links > c->line_count && !c->answer)
		config_remark(s->voice, "--min-links %u: there are only %u lines",
			      c->election.min_links, c->line_count);
	return true;
}

/* --- shaping -----------------------------------------------------------------------------------
 */

static bool check_tiers(struct settling *s)
{
	static const char *const options[TIERS] = {[TIER_INTERACTIVE] = "tier-interactive",
						   [TIER_BEST_EFFORT] = "tier-best-effort",
						   [TIER_BULK] = "tier-bulk"};
	const char *given = options[0];
	uint32_t sum = 0;
	for (int t = 0; t < TIERS; t++) {
		sum += s->config->tiers[t].share;
		if (settle_is_given(s, options[t]))
			given = options[t];
	}
	if (sum > 1000)
		return settle_refuse(s, given, ": the three shares are %u.%u%% together", sum / 10,
				     sum % 10);
	if (says(s, given) && s->config->scheme == TIERS_BESTEFFORT)
		config_remark(s->voice, "--%s counts for nothing with --tiers besteffort", given);
	return true;
}

/* No more than they carry is sent anyway. */
static void remark_shape(struct settling *s)
{
	const struct config *c = s->config;
	uint64_t sum = 0;
	for (unsigned i = 0; i < c->line_count; i++)
		sum += c->lines[i].bps;
	if (says(s, "shape") && c->shape.bps > sum && !c->answer)
		config_remark(s->voice, "--shape %u is more than the lines carry (%llu)",
			      (unsigned)c->shape.bps, (unsigned long long)sum);
}

static void remark_parking(struct settling *s)
{
	static const char *const options[] = {"park-loss", "park-delay"};
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (says(s, options[i]) && !config_ppp_lines(s->config))
			config_remark(s->voice,
				      "--%s: lines that speak SLIP measure nothing, and "
				      "are never parked",
				      options[i]);
	}
}

bool settle_shape(struct settling *s)
{
	if (!check_tiers(s))
		return false;
	remark_shape(s);
	remark_parking(s);
	return true;
}
