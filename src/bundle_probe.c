/* SPDX-License-Identifier: MIT */
/*
 * A line whose probes stay unanswered becomes silent, as a link does whose peer is not heard: it is
 * not used, what was sent since goes over others, and it is asked on until it is heard again.
 */
#define _DEFAULT_SOURCE
#include "src/bundle_probe.h"

#include "src/bundle_state.h"
#include "src/entropy.h"

static bool is_wanted(const struct bundle *b, unsigned i)
{
	const struct line *l = b->lines[i];

	return l && b->config->probe.interval && l->encap->kind == &encap_slip &&
	       (l->state == LINE_UP || l->state == LINE_SILENT);
}

static void start(struct bundle *b, unsigned i, sb_time now)
{
	b->probes.runs[i] = true;
	probe_start(&b->probes.lines[i], &b->config->probe, (uint16_t)(entropy_u32(NULL) + i),
		    entropy_u32(NULL), now);
}

void bundle_probe_stop(struct bundle *b, unsigned i)
{
	b->probes.runs[i] = false;
}

static void follow(struct line *l, const struct probe *p, sb_time now)
{
	if (p->silent && l->state == LINE_UP)
		line_fall_silent(l, p->alive_at, "probes are not answered", now);
	else if (!p->silent && l->state == LINE_SILENT)
		line_is_heard(l, now);
}

static void run_one(struct bundle *b, unsigned i, sb_time now)
{
	struct probe *p = &b->probes.lines[i];

	if (!b->probes.runs[i])
		start(b, i, now);
	probe_heard(p, b->lines[i]->heard_at);
	probe_tick(p, now);
	follow(b->lines[i], p, now);
}

/* Without an interval there are no probes any more, and nobody else calls a line silent. */
static void end_one(struct bundle *b, unsigned i, sb_time now)
{
	struct line *l = b->lines[i];

	bundle_probe_stop(b, i);
	if (l && l->state == LINE_SILENT)
		line_is_heard(l, now);
}

void bundle_probe_run(struct bundle *b, sb_time now)
{
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++) {
		if (is_wanted(b, i))
			run_one(b, i, now);
		else if (b->probes.runs[i])
			end_one(b, i, now);
	}
}

sb_time bundle_probe_deadline(const struct bundle *b)
{
	sb_time due = SB_NEVER;

	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		if (b->probes.runs[i])
			due = sb_time_min(due, probe_deadline(&b->probes.lines[i]));
	return due;
}

/* --- requests and replies --- */

/* From our address to whom is asked, host order. False: there is no such pair. */
static bool find_ends(const struct bundle *b, uint32_t *from, uint32_t *to)
{
	struct netif_address addresses[INTERFACE_ADDRESSES];
	unsigned n = interface_addresses(b->interface, addresses);

	for (unsigned i = 0; i < n; i++) {
		const struct netif_address *a = &addresses[i];

		if (a->family != AF_INET || (!a->has_peer && !b->config->probe.target))
			continue;
		*from = ntohl(a->local.v4.s_addr);
		*to = b->config->probe.target ? b->config->probe.target : ntohl(a->peer.v4.s_addr);
		return true;
	}
	return false;
}

static void say_no_target(struct bundle *b)
{
	if (!b->probes.said_no_target)
		log_say(b->log, LOG_WARN,
			"%s: there is no peer's address to send probes to; give --remote or "
			"--probe-target",
			b->interface->tun.name);
	b->probes.said_no_target = true;
}

bool bundle_probe_load(struct bundle *b, unsigned i, sb_time now)
{
	uint8_t space[PROBE_SIZE];
	struct buf packet = buf_over(space, sizeof(space));
	uint32_t from, to;

	if (!b->probes.runs[i] || !b->probes.lines[i].waits)
		return false;
	if (!find_ends(b, &from, &to)) {
		say_no_target(b);
		return false;
	}
	probe_output(&b->probes.lines[i], from, to, &packet);
	line_load_control(b->lines[i], now, PPP_IP, buf_bytes(&packet));
	return true;
}

bool bundle_probe_takes(struct bundle *b, struct bytes packet, sb_time now)
{
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		if (b->probes.runs[i] && probe_input(&b->probes.lines[i], now, packet))
			return true;
	return false;
}
