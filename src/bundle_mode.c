/* SPDX-License-Identifier: MIT */
/*
 * Which lines are used, in three steps:
 *
 *   1. The bundle says what a line is now. Its monitor holds that back by miimon, updelay and
 *      downdelay. Only silence and stalls are held back: what a line that is closed,
 *      or whose link has ended, would be given could not go anywhere.
 *   2. A line that its monitor lets pass is in the spread.
 *   3. Of those in the spread the mode says which may send: all, the active one (active-backup), or
 *      those of the active aggregator (802.3ad). The others stay up and receive.
 *
 * With no line in use the one whose updelay is nearest to its end is used at once.
 *
 * The peer is told when another line becomes the active one, as bonding tells switches by
 * gratuitous ARP: num-peer-notif times, the first at once, ahead of packets.
 */
#define _DEFAULT_SOURCE
#include "src/bundle_mode.h"

#include "src/bundle_state.h"

#include <assert.h>
#include <string.h>

#define CHOOSING       (8 * SB_SEC)  /* as bonding's timer of the first selection */
#define NOTICE_SPACING (100 * SB_MS) /* without peer-notif-delay and miimon */

static_assert((int)CONFIG_MAX_LINES == (int)ELECTION_MAX_LINES, "a bit for each line");

/* --- monitors --- */

void bundle_mode_init(struct bundle *b)
{
	b->mode = (struct bundle_mode){
		.active = ELECTION_NONE,
		.aggregation = {.active = ELECTION_NONE},
		.may_send = UINT64_MAX,
		.notice_at = SB_NEVER,
	};
}

void bundle_mode_add(struct bundle *b, unsigned i, sb_time now)
{
	struct bundle_mode_line *m = &b->mode.lines[i];

	if (!b->lines[i]->counters.downs) /* else it was here before */
		*m = (struct bundle_mode_line){.is_new = true};
	monitor_init(&m->monitor, &b->config->monitor, false, now);
}

static bool may_return_by_itself(const struct line *l)
{
	return l->state == LINE_SILENT || l->state == LINE_STALLED;
}

bool bundle_mode_heed(struct bundle *b, unsigned i, bool up, sb_time now)
{
	struct monitor *m = &b->mode.lines[i].monitor;

	monitor_observe(m, up, now);
	if (!up && !may_return_by_itself(b->lines[i]) && m->state != MONITOR_DOWN)
		monitor_init(m, &b->config->monitor, false, now);
	monitor_tick(m, now);
	return monitor_is_up(m);
}

void bundle_mode_lost(struct bundle *b, unsigned i, sb_time now)
{
	struct bundle_mode_line *m = &b->mode.lines[i];

	m->failures += !b->retired[i];
	monitor_init(&m->monitor, &b->config->monitor, false, now);
}

/* The line that is the next to be used, or CONFIG_MAX_LINES. */
static unsigned next_back(const struct bundle *b)
{
	unsigned next = CONFIG_MAX_LINES;

	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++) {
		const struct monitor *m = &b->mode.lines[i].monitor;

		if (!b->lines[i] || m->state != MONITOR_BACK || !m->observed)
			continue;
		if (next == CONFIG_MAX_LINES || m->left < b->mode.lines[next].monitor.left)
			next = i;
	}
	return next;
}

static void tick_monitors(struct bundle *b, sb_time now)
{
	bool any_up = false;
	unsigned next;

	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++) {
		if (!b->lines[i])
			continue;
		monitor_tick(&b->mode.lines[i].monitor, now);
		any_up |= monitor_is_up(&b->mode.lines[i].monitor);
	}
	next = any_up ? CONFIG_MAX_LINES : next_back(b);
	if (next < CONFIG_MAX_LINES)
		monitor_hurry(&b->mode.lines[next].monitor);
}

/* --- elections --- */

static bool is_primary(const struct bundle *b, const struct line *l)
{
	const char *primary = b->config->primary;

	return primary[0] &&
	       (strcmp(primary, l->config.name) == 0 || strcmp(primary, l->config.device) == 0);
}

/* Links to another peer than the bundle's never join it: so there is one, or it is not known. */
static void list_lines(const struct bundle *b, struct election_line to[static ELECTION_MAX_LINES])
{
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++) {
		const struct line *l = b->lines[i];

		to[i] = (struct election_line){.exists = l != NULL};
		if (!l)
			continue;
		to[i].up = b->in_spread[i];
		to[i].primary = is_primary(b, l);
		to[i].is_new = b->mode.lines[i].is_new;
		to[i].prio = l->config.prio;
		to[i].bps = line_bps(l);
		to[i].peer = encap_agreed(l->encap) != NULL;
	}
}

/* Why the line that was active is not any more, a clause. */
static const char *fate(const struct bundle *b, unsigned i)
{
	if (b->in_spread[i])
		return is_primary(b, b->lines[b->mode.active]) ? "gives way to the primary line"
							       : "has a lower prio";
	if (b->retired[i])
		return "is taken out";
	switch (b->lines[i]->state) {
	case LINE_NO_CARRIER:
		return "has no carrier";
	case LINE_SILENT:
		return "is silent";
	case LINE_STALLED:
		return "takes no characters";
	default:
		return "is down";
	}
}

static void say_active(const struct bundle *b, unsigned before)
{
	const char *name = b->lines[b->mode.active]->config.name;

	if (before != ELECTION_NONE && b->lines[before])
		log_say(b->log, LOG_INFO, "%s: %s is the active line now: %s %s",
			b->interface->tun.name, name, b->lines[before]->config.name,
			fate(b, before));
	else
		log_say(b->log, LOG_INFO, "%s: %s is the active line", b->interface->tun.name,
			name);
}

/* The first line of all is no news to the peer. */
static void begin_notices(struct bundle *b, sb_time now)
{
	struct bundle_mode *m = &b->mode;

	m->notices_left = m->changes++ ? b->config->notices : 0;
	m->notice_at = m->notices_left ? now : SB_NEVER;
	m->notice_waits = false;
}

static void set_active(struct bundle *b, unsigned active, sb_time now)
{
	unsigned before = b->mode.active;

	if (active == before)
		return;
	b->mode.active = active;
	b->mode.notices_left = 0;
	b->mode.notice_at = SB_NEVER;
	if (active == ELECTION_NONE)
		return;
	say_active(b, before);
	begin_notices(b, now);
}

/* In balance-tlb and -alb, as with bonding, it is the one that stands for the bundle: all send. */
static bool has_active(enum mode mode)
{
	return mode == MODE_ACTIVE_BACKUP || mode == MODE_BALANCE_TLB || mode == MODE_BALANCE_ALB;
}

static void elect_one(struct bundle *b, const struct election_line lines[], sb_time now)
{
	set_active(b, elect_active(&b->config->election, lines, b->mode.active), now);
}

static uint64_t bit_of(unsigned line)
{
	return line == ELECTION_NONE ? 0 : (uint64_t)1 << line;
}

static const struct aggregator *active_group(const struct bundle *b)
{
	const struct aggregation *a = &b->mode.aggregation;

	return a->active < a->count ? &a->groups[a->active] : NULL;
}

/* Whose line comes up first is by chance: `stable` counts once others had time for it. */
static uint64_t elect_group(struct bundle *b, const struct election_line lines[], sb_time now)
{
	struct aggregation *a = &b->mode.aggregation;
	const struct aggregator *g = active_group(b);
	uint32_t before = g ? g->bps : 0;
	struct election_config config = b->config->election;

	if (!g)
		b->mode.choosing_until = now + CHOOSING;
	if (now < b->mode.choosing_until && config.ad_select == AD_SELECT_STABLE)
		config.ad_select = AD_SELECT_BANDWIDTH;
	elect_aggregator(&config, lines, a, a);
	g = active_group(b);
	if (g && g->bps != before)
		log_say(b->log, LOG_INFO, "%s: the aggregator of %u bps is active, %u of %u lines",
			b->interface->tun.name, g->bps, election_count(g->up),
			election_count(g->lines));
	return g ? g->up : 0;
}

static void set_may_send(struct bundle *b, uint64_t lines)
{
	if (lines == b->mode.may_send)
		return;
	b->mode.may_send = lines;
	spread_set_active(&b->spread, lines);
}

static void forget_new(struct bundle *b)
{
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		if (b->in_spread[i])
			b->mode.lines[i].is_new = false;
}

void bundle_mode_elect(struct bundle *b, sb_time now)
{
	struct election_line lines[ELECTION_MAX_LINES];
	enum mode mode = b->config->mode.mode;
	uint64_t may_send = UINT64_MAX;

	list_lines(b, lines);
	if (mode == MODE_8023AD)
		may_send = elect_group(b, lines, now);
	else
		b->mode.aggregation = (struct aggregation){.active = ELECTION_NONE};
	if (has_active(mode))
		elect_one(b, lines, now);
	else
		set_active(b, ELECTION_NONE, now);
	if (mode == MODE_ACTIVE_BACKUP)
		may_send = bit_of(b->mode.active);
	set_may_send(b, may_send);
	forget_new(b);
}

bool bundle_mode_has_carrier(const struct bundle *b)
{
	return b->config->mode.mode != MODE_8023AD ||
	       aggregation_has_carrier(&b->config->election, &b->mode.aggregation);
}

/* --- notices --- */

static sb_time notice_spacing(const struct bundle *b)
{
	if (b->config->notice_delay)
		return b->config->notice_delay;
	return b->config->monitor.miimon ? b->config->monitor.miimon : NOTICE_SPACING;
}

/* Without the vendor protocol an empty fragment moves the peer's window at least. */
bool bundle_mode_load(struct bundle *b, unsigned i, sb_time now)
{
	struct piece piece;
	struct line *l = b->lines[i];

	if (!b->mode.notice_waits || i != b->mode.active)
		return false;
	b->mode.notice_waits = false;
	if (!encap_agreed(l->encap) || !spread_parting(&b->spread, i, &piece))
		return false;
	line_load(l, now, &piece);
	return true;
}

static void run_notices(struct bundle *b, sb_time now)
{
	struct bundle_mode *m = &b->mode;

	if (now < m->notice_at)
		return;
	m->notices_left--;
	m->notice_at = m->notices_left ? now + notice_spacing(b) : SB_NEVER;
	if (b->vendor.up)
		bundle_vendor_notice(b, m->active);
	else
		m->notice_waits = true;
}

/* --- time --- */

/* Only while a line looks at its carrier does it know of a flap: so it has downdelay itself. */
static void set_patience(struct bundle *b)
{
	const struct monitor_config *c = &b->config->monitor;
	sb_time patience = c->miimon ? c->downdelay - c->downdelay % c->miimon : 0;

	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		if (b->lines[i])
			b->lines[i]->carrier_patience = patience;
}

void bundle_mode_run(struct bundle *b, sb_time now)
{
	set_patience(b);
	tick_monitors(b, now);
	run_notices(b, now);
}

sb_time bundle_mode_deadline(const struct bundle *b)
{
	sb_time due = b->mode.notice_at;

	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		if (b->lines[i])
			due = sb_time_min(due, monitor_deadline(&b->mode.lines[i].monitor));
	return due;
}
