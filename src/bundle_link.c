/* SPDX-License-Identifier: MIT */
/*
 * The PPP side of a bundle: fragments put together again, addresses agreed on
 * once for all links, and who may join (RFC 1990 section 5.1.3: same endpoint and
 * same authenticated name, each of which may be lacking on both sides).
 */
#define _DEFAULT_SOURCE
#include "src/bundle.h"

#include "src/bundle_state.h"
#include "src/entropy.h"

#include <arpa/inet.h>
#include <stdio.h>

#define HEARTBEAT (300 * SB_MS)
#define ATTACHING SB_SEC /* what another program may need to join a link to its bundle */
static const char ours[] = "serialbundle ";

/* --- who --- */

static bool same_endpoint(const struct bundle *b, const struct link_agreed *a)
{
	if (b->peer_has_endpoint != a->peer_has_endpoint)
		return false;
	return !a->peer_has_endpoint || (b->peer_endpoint.class == a->peer_endpoint.class &&
					 b->peer_endpoint.length == a->peer_endpoint.length &&
					 memcmp(b->peer_endpoint.address, a->peer_endpoint.address,
						a->peer_endpoint.length) == 0);
}

bool bundle_is_with(const struct bundle *b, const struct line *l)
{
	const struct link_agreed *a = encap_agreed(l->encap);

	if (!a || !b->peer_known || strcmp(b->peer_name, a->peer_name) != 0)
		return false;
	if (!b->links && a->peer_name[0])
		return true; /* it proved it: whatever its endpoint is now */
	return same_endpoint(b, a) &&
	       ((a->multilink && b->multilink) || (!b->links && a->peer_has_endpoint));
}

const char *bundle_refuses(const struct bundle *b, const struct line *l)
{
	const struct link_agreed *a = encap_agreed(l->encap);

	if (!a || !b->links)
		return NULL;
	if (!a->multilink || !b->multilink)
		return "the peer does not do multilink: one PPP line is all it can be reached by";
	if (!bundle_is_with(b, l))
		return "another peer answered than on the other lines";
	if (a->short_in != b->short_in)
		return "the peer wants sequence numbers of another length than on the other lines";
	return NULL;
}

/* --- links --- */

static struct network *make_network(const struct bundle *b)
{
	const struct ppp_config *p = &b->config->ppp;
	struct network_config c = {
		.ipv4 = true,
		.ipv6 = p->ipv6,
		.local = p->local,
		.remote = b->remote ? b->remote : p->remote,
		.accept_local = p->accept_local,
		.accept_remote = p->accept_remote,
		.ask_dns = p->ask_dns,
		.give_dns = {p->give_dns[0], p->give_dns[1]},
		.timers = p->timers,
		.random = entropy_u32,
	};

	memcpy(c.local_id, p->local_id, sizeof(c.local_id));
	memcpy(c.remote_id, p->remote_id, sizeof(c.remote_id));
	return network_new(&c);
}

/*
 * Sequence numbers begin at zero with a bundle (RFC 1990 section 3). But when all
 * links only negotiated anew, the peer may have kept its own: pppd's kernel does, and
 * would take numbers that begin again for old ones. A peer that begins at zero is understood
 * either way, and understands either way.
 */
static void begin_numbers(struct bundle *b, const struct link_agreed *a)
{
	if (b->goes_on && b->reassembly && a->multilink && b->short_in == a->short_in)
		return;
	bundle_reassembly_end(b);
	spread_restart(&b->spread);
	if (a->multilink)
		bundle_reassembly_begin(b, a->short_in);
}

/* The first link says who the peer is. */
static bool first_link(struct bundle *b, const struct link_agreed *a, sb_time now)
{
	begin_numbers(b, a);
	b->ipv4_failed = b->ipv6_failed = false;
	b->peer_known = true;
	b->multilink = a->multilink;
	b->short_in = a->short_in;
	b->peer_has_endpoint = a->peer_has_endpoint;
	b->peer_endpoint = a->peer_endpoint;
	snprintf(b->peer_name, sizeof(b->peer_name), "%s", a->peer_name);
	if (!b->network)
		b->network = make_network(b);
	if (!b->network || (a->multilink && !b->reassembly))
		return false;
	network_lower_up(b->network, now);
	return true;
}

void bundle_fit_mtu(struct bundle *b)
{
	unsigned takes = b->peer_takes ? b->peer_takes : b->most_mtu;
	unsigned mtu = takes < b->most_mtu ? takes : b->most_mtu;

	if (mtu == b->mtu)
		return;
	b->mtu = mtu;
	interface_set_mtu(b->interface, mtu);
	log_say(b->log, LOG_INFO, "%s: MTU %u%s", b->interface->tun.name, mtu,
		mtu < b->most_mtu ? ", as the peer takes no more" : "");
}

bool bundle_link_add(struct bundle *b, unsigned i, sb_time now)
{
	const struct link_agreed *a = encap_agreed(b->lines[i]->encap);

	if (!a)
		return true;
	if (!b->links && !first_link(b, a, now)) {
		bundle_reassembly_end(b);
		return false;
	}
	b->links++;
	b->silent[i] = false;
	b->attached_at[i] = now + ATTACHING;
	if (b->reassembly)
		reassembly_link_up(b->reassembly, i, now);
	b->peer_takes = a->multilink ? a->peer_mrru : a->peer_mru;
	bundle_fit_mtu(b);
	bundle_identified(b);
	bundle_vendor_link_up(b, i, now);
	return true;
}

static void tell_network_events(struct bundle *b);
static void receive_assembled(struct bundle *b, unsigned i, sb_time now);

/*
 * Once the peer is heard again it is waited for at once: its fragments may be ahead of those on
 * others. So it is if only we are not heard: the peer is the first to know when that is over.
 */
void bundle_link_settle(struct bundle *b, unsigned i, sb_time now)
{
	bool silent = b->lines[i]->deaf; /* a stalled line may be, too */

	if (!b->reassembly || silent == b->silent[i])
		return;
	b->silent[i] = silent;
	if (silent)
		reassembly_link_silent(b->reassembly, i, now);
	else
		reassembly_link_up(b->reassembly, i, now);
	receive_assembled(b, i, now);
}

void bundle_link_remove(struct bundle *b, unsigned i, sb_time now)
{
	if (!b->links || b->lines[i]->encap->kind != &encap_ppp)
		return;
	b->links--;
	bundle_vendor_link_down(b, i, now);
	if (b->reassembly) {
		reassembly_link_down(b->reassembly, i, now);
		receive_assembled(b, i, now);
	}
	if (b->links)
		return;
	b->peer_takes = 0;
	b->goes_on = b->lines[i]->state == LINE_OPENING;
	if (!b->goes_on)
		bundle_reassembly_end(b);
	network_lower_down(b->network, now);
	tell_network_events(b);
	bundle_vendor_down(b, now);
}

static bool is_ours(const struct link_agreed *a)
{
	return strncmp(a->peer_identity, ours, sizeof(ours) - 1) == 0;
}

bool bundle_link_is_attached(const struct bundle *b, unsigned i, sb_time now)
{
	const struct link_agreed *a = encap_agreed(b->lines[i]->encap);

	return !a || !a->multilink || is_ours(a) || now >= b->attached_at[i];
}

/* Empty fragments keep our own kind's window moving; others may not expect them. */
void bundle_identified(struct bundle *b)
{
	bool all_ours = b->links > 0;

	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++) {
		const struct link_agreed *a = b->lines[i] ? encap_agreed(b->lines[i]->encap) : NULL;

		if (!a)
			continue;
		b->ours[i] = strncmp(a->peer_identity, ours, sizeof(ours) - 1) == 0;
		all_ours &= b->ours[i];
	}
	spread_set_heartbeat(&b->spread, all_ours ? HEARTBEAT : 0);
}

bool bundle_is_of_our_kind(const struct bundle *b, unsigned i)
{
	return b->ours[i];
}

/* --- the network layer --- */

bool bundle_network_is_up(const struct bundle *b)
{
	return b->network && (network_ipv4_is_up(b->network) || network_ipv6_is_up(b->network));
}

bool bundle_network_takes(const struct bundle *b, struct bytes packet)
{
	if (!b->links)
		return true; /* nobody to ask, or nothing was agreed */
	return encap_protocol(packet) == PPP_IPV6 ? network_ipv6_is_up(b->network)
						  : network_ipv4_is_up(b->network);
}

static const char *address_text(uint32_t address, char to[static INET_ADDRSTRLEN])
{
	struct in_addr a = {.s_addr = htonl(address)};

	return inet_ntop(AF_INET, &a, to, INET_ADDRSTRLEN);
}

static void ipv4_up(struct bundle *b)
{
	const struct network_ipv4 *a = network_ipv4(b->network);
	char local[INET_ADDRSTRLEN], remote[INET_ADDRSTRLEN];

	log_say(b->log, LOG_INFO, "%s: IPv4 is up, %s to %s", b->interface->tun.name,
		address_text(a->local, local),
		a->remote ? address_text(a->remote, remote) : "a peer that tells no address");
	interface_set_ipv4(b->interface, a);
}

static void heed_network(struct bundle *b, const struct network_event *e)
{
	enum log_level level = e->reason == NETWORK_LOWER_DOWN ? LOG_DEBUG : LOG_WARN;

	switch (e->kind) {
	case NETWORK_IPV4_UP:
		ipv4_up(b);
		break;
	case NETWORK_IPV6_UP:
		log_say(b->log, LOG_INFO, "%s: IPv6 is up", b->interface->tun.name);
		interface_set_ipv6(b->interface, network_ipv6(b->network));
		break;
	case NETWORK_IPV4_DOWN:
		b->ipv4_failed = e->reason != NETWORK_LOWER_DOWN && e->reason != NETWORK_FINE;
		log_say(b->log, level, "%s: no IPv4: %s", b->interface->tun.name,
			network_reason_text(e->reason));
		break;
	case NETWORK_IPV6_DOWN:
		b->ipv6_failed = e->reason != NETWORK_LOWER_DOWN && e->reason != NETWORK_FINE;
		log_say(b->log, level, "%s: no IPv6: %s", b->interface->tun.name,
			network_reason_text(e->reason));
		break;
	}
}

bool bundle_has_failed(const struct bundle *b)
{
	return b->links && b->links == b->members && b->ipv4_failed &&
	       (b->ipv6_failed || !b->config->ppp.ipv6) && !bundle_network_is_up(b);
}

/* Addresses stay while lines are away: connections live on when the lines return. */
static void tell_network_events(struct bundle *b)
{
	struct network_event e;

	while (b->network && network_event(b->network, &e))
		heed_network(b, &e);
}

void bundle_rejected(struct bundle *b, uint16_t protocol, sb_time now)
{
	if (b->network)
		network_rejected(b->network, now, protocol);
	bundle_vendor_rejected(b, protocol, now);
}

/* --- receiving --- */

/* The protocol field of a packet that was put together, which may be compressed (RFC 1661 6.5). */
static bool take_protocol(struct bytes *packet, uint16_t *protocol)
{
	size_t n = packet->length && packet->at[0] & 1 ? 1 : 2;

	if (packet->length < n)
		return false;
	*protocol = n == 1 ? packet->at[0] : (uint16_t)(packet->at[0] << 8 | packet->at[1]);
	*packet = bytes_skip(*packet, n);
	return true;
}

static void receive_whole(struct bundle *b, unsigned i, struct encap_packet p, sb_time now)
{
	struct encap *e = b->lines[i]->encap;

	if (p.protocol == PPP_IP || p.protocol == PPP_IPV6) {
		bundle_deliver(b, p.data, now);
	} else if (p.protocol == PPP_LCP) {
		if (e->kind->own)
			e->kind->own(e, now, p.data);
	} else if (!bundle_vendor_receive(b, i, p, now) &&
		   !(b->network && network_input(b->network, now, p.protocol, p.data))) {
		if (e->kind->reject)
			e->kind->reject(e, now, p);
	}
}

static void receive_assembled(struct bundle *b, unsigned i, sb_time now)
{
	struct encap_packet p;

	while (b->reassembly && reassembly_next(b->reassembly, now, &p.data))
		if (take_protocol(&p.data, &p.protocol))
			receive_whole(b, i, p, now);
}

void bundle_link_receive(struct bundle *b, unsigned i, struct encap_packet p, sb_time now)
{
	b->attached_at[i] = 0; /* it uses the line itself */
	if (p.protocol != PPP_MP || !b->reassembly) {
		receive_whole(b, i, p, now);
		return;
	}
	while (!reassembly_input(b->reassembly, i, now, p.data))
		receive_assembled(b, i, now);
	receive_assembled(b, i, now);
}

/* --- time --- */

/* The one over which to answer what came over none in particular; there are links. */
static unsigned any_link(const struct bundle *b)
{
	unsigned i = 0;

	while (!b->lines[i] || b->lines[i]->encap->kind != &encap_ppp)
		i++;
	return i;
}

void bundle_link_run(struct bundle *b, sb_time now)
{
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		if (now >= b->attached_at[i])
			b->attached_at[i] = 0;
	bundle_reassembly_run(b);
	if (b->reassembly && now >= reassembly_deadline(b->reassembly))
		receive_assembled(b, any_link(b), now);
	if (b->network && now >= network_deadline(b->network))
		network_tick(b->network, now);
	tell_network_events(b);
	bundle_vendor_run(b, now);
}

static sb_time attaching_ends(const struct bundle *b)
{
	sb_time due = SB_NEVER;

	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		if (b->lines[i] && b->attached_at[i])
			due = sb_time_min(due, b->attached_at[i]);
	return due;
}

sb_time bundle_link_deadline(const struct bundle *b)
{
	sb_time t = sb_time_min(attaching_ends(b), bundle_vendor_deadline(b));

	if (b->reassembly)
		t = sb_time_min(t, reassembly_deadline(b->reassembly));
	return b->network ? sb_time_min(t, network_deadline(b->network)) : t;
}
