/* SPDX-License-Identifier: MIT */
/* Bundles of the exchange: made for a peer, found again, closed when it has left. */
#define _DEFAULT_SOURCE
#include "src/exchange_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum exit_status exchange_make_bundle(struct exchange *x, unsigned k, uint32_t address, sb_time now)
{
	struct exchange_bundle *b = &x->bundles[k];
	enum exit_status status = interface_open(&b->interface, x->config, x->log);

	assert(!b->bundle);
	if (status == EXIT_FINE) {
		interface_set_carrier(&b->interface, false);
		b->bundle = bundle_new(x->config, &b->interface, address, x->log, now);
	}
	if (!b->bundle) {
		interface_close(&b->interface);
		return status == EXIT_FINE ? EXIT_FAILED : status;
	}
	b->openings++;
	b->address = address;
	event_bundle(x, EXCHANGE_BUNDLE_MADE, k);
	return EXIT_FINE;
}

void exchange_drop_bundle(struct exchange *x, unsigned k)
{
	struct exchange_bundle *b = &x->bundles[k];

	if (!b->bundle)
		return;
	bundle_free(b->bundle);
	interface_close(&b->interface);
	if (b->address)
		pool_release(x->pool, b->address);
	*b = (struct exchange_bundle){.interface.tun.fd = -1, .openings = b->openings};
	for (unsigned i = 0; i < x->line_count; i++)
		if (x->bundle_of[i] == k)
			x->bundle_of[i] = NO_BUNDLE;
}

void exchange_close_bundle(struct exchange *x, unsigned k, sb_time now)
{
	if (x->bundles[k].told_up)
		event_bundle_down(x, k, now);
	event_bundle(x, EXCHANGE_BUNDLE_CLOSED, k);
	exchange_drop_bundle(x, k);
}

enum exit_status exchange_make_pool(struct exchange *x)
{
	struct pool_config c = x->config->pool;

	c.own = x->config->ppp.local;
	x->pool = pool_new(&c);
	if (x->pool)
		return EXIT_FINE;
	log_say(x->log, LOG_ERROR, "out of memory");
	return EXIT_FAILED;
}

/* --- which --- */

static bool is_for(const struct exchange *x, unsigned k, unsigned i)
{
	const char *name = x->lines[i].config.bundle;

	if (!x->bundles[k].bundle)
		return false;
	if (encap_agreed(x->lines[i].encap))
		return bundle_is_with(x->bundles[k].bundle, &x->lines[i]);
	return name[0] && strcmp(x->bundles[k].name, name) == 0;
}

static unsigned free_number(const struct exchange *x)
{
	unsigned k = 0;

	while (k < EXCHANGE_MAX_BUNDLES && x->bundles[k].bundle)
		k++;
	return k;
}

static uint32_t address_for(struct exchange *x, const struct line *l)
{
	const struct link_agreed *a = encap_agreed(l->encap);
	const char *name = a && a->peer_name[0] ? a->peer_name : l->config.name;

	return pool_take(x->pool, name, a && a->peer_secret ? a->peer_secret->addresses : NULL);
}

/* SLIP has nobody to agree with: both addresses are as we say. */
static void set_slip_addresses(struct exchange *x, unsigned k)
{
	const struct network_ipv4 a = {
		.local = x->config->ppp.local,
		.remote = x->bundles[k].address,
	};

	if (a.local)
		interface_set_ipv4(&x->bundles[k].interface, &a);
}

static unsigned make_for(struct exchange *x, unsigned i, sb_time now)
{
	unsigned k = free_number(x);
	const struct line *l = &x->lines[i];

	if (k == NO_BUNDLE)
		return NO_BUNDLE;
	if (exchange_make_bundle(x, k, address_for(x, l), now) != EXIT_FINE)
		return NO_BUNDLE;
	memcpy(x->bundles[k].name, l->config.bundle, sizeof(x->bundles[k].name));
	if (!encap_agreed(l->encap))
		set_slip_addresses(x, k);
	log_say(x->log, LOG_INFO, "%s: made for the peer on %s", x->bundles[k].interface.tun.name,
		l->config.name);
	return k;
}

unsigned exchange_find_bundle(struct exchange *x, unsigned i, sb_time now)
{
	if (!x->config->answer)
		return 0;
	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		if (is_for(x, k, i))
			return k;
	return make_for(x, i, now);
}

void exchange_hang_up(struct exchange *x, unsigned k, const char *reason, sb_time now)
{
	for (unsigned i = 0; i < x->line_count; i++) {
		if (x->bundle_of[i] != k)
			continue;
		event_line_left(x, i, now);
		bundle_remove(x->bundles[k].bundle, i, now);
		x->bundle_of[i] = NO_BUNDLE;
		x->lines[i].why = LINK_NO_AGREEMENT; /* not to be tried again at once */
		line_end(&x->lines[i], now, reason);
	}
}

/* --- time --- */

static sb_time closes_at(const struct exchange *x, unsigned k)
{
	sb_time empty = bundle_empty_since(x->bundles[k].bundle);

	return !x->config->answer || empty == SB_NEVER ? SB_NEVER : empty + x->config->hold;
}

static void peer_has_left(struct exchange *x, unsigned k, sb_time now)
{
	log_say(x->log, LOG_INFO, "%s: closed, the peer has left",
		x->bundles[k].interface.tun.name);
	exchange_close_bundle(x, k, now);
}

void exchange_close_if_empty(struct exchange *x, unsigned k, sb_time now)
{
	if (x->bundles[k].bundle && !bundle_members(x->bundles[k].bundle))
		peer_has_left(x, k, now);
}

void exchange_expire_bundle(struct exchange *x, unsigned k, sb_time now)
{
	if (!x->bundles[k].bundle)
		return;
	bundle_expire(x->bundles[k].bundle, now);
	if (bundle_has_failed(x->bundles[k].bundle))
		exchange_hang_up(x, k, "no network protocol was agreed on", now);
	if (now >= closes_at(x, k))
		peer_has_left(x, k, now);
}

sb_time exchange_bundle_deadline(const struct exchange *x, unsigned k)
{
	if (!x->bundles[k].bundle)
		return SB_NEVER;
	return sb_time_min(bundle_deadline(x->bundles[k].bundle), closes_at(x, k));
}

/* --- how many --- */

/* One that its downdelay still keeps in use is not up any more. */
unsigned exchange_lines_up(const struct exchange *x, unsigned k)
{
	unsigned n = 0;

	if (k == NO_BUNDLE || !x->bundles[k].bundle)
		return 0;
	for (unsigned i = 0; i < x->line_count; i++)
		n += x->bundle_of[i] == k && x->lines[i].state == LINE_UP &&
		     bundle_uses(x->bundles[k].bundle, i);
	return n;
}

unsigned exchange_lines_of(const struct exchange *x, unsigned k)
{
	unsigned n = 0;

	if (!x->config->answer)
		return slots_used(x);
	for (unsigned i = 0; i < x->line_count; i++)
		n += x->bundle_of[i] == k;
	return n;
}
