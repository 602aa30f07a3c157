/* SPDX-License-Identifier: MIT */
/*
 * How a packet goes.
 *
 *   TUN --read eagerly--> tiers --pulled by a line that asks--> spread -->
 *   line: frame, port              lines: port, frame, reassembly --> TUN
 *
 * The TUN gives no back-pressure and drops in silence, so it is emptied at once
 * into the one long queue, which is ours. A line asks when its clock says that
 * half its lead is gone; the spread decides then.
 */
#define _DEFAULT_SOURCE
#include "src/bundle.h"

#include "sched/ip.h"
#include "src/bundle_shape.h"
#include "src/bundle_state.h"
#include "src/clock.h"
#include "src/entropy.h"
#include "src/line_shape.h"
#include "src/plan.h"
#include "src/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TUN_BATCH = 256, /* packets read in a row before the lines get their turn */
	NETWORK_PACKET_SIZE = 1600,
};

/* --- set-up --- */

static bool make_spread(struct bundle *b)
{
	const struct config *config = b->config;

	if (!spread_init(&b->spread, &(struct spread_config){
					     .pool = b->pool,
					     .queue = b->queue,
					     .mtu = config->mtu,
					     .max_fragment_delay = config->ppp.max_fragment_delay,
					     .random = entropy_u32,
				     }))
		return false;
	spread_set_mode(&b->spread, &config->mode, b->start);
	return true;
}

bool bundle_capture(struct bundle *b, const char *file, char *text, size_t text_size)
{
	struct capture *c;

	if (!capture_set_has_room(&b->captures)) {
		snprintf(text, text_size, "there are %d captures already", CAPTURE_SET_MAX);
		return false;
	}
	c = capture_open(file, b->config->answer ? b->interface->tun.name : NULL, CAPTURE_RAW_IP,
			 b->mtu, text, text_size);
	if (!c)
		return false;
	capture_set_rotation(c, b->config->capture_bytes, b->config->capture_files);
	capture_set_add(&b->captures, c);
	return true;
}

struct capture_set *bundle_captures(struct bundle *b)
{
	return &b->captures;
}

static bool make_capture(struct bundle *b)
{
	const char *file = b->config->capture;
	char text[160];

	if (!file[0] || bundle_capture(b, file, text, sizeof(text)))
		return true;
	log_say(b->log, LOG_ERROR, "%s: %s", file, text);
	return false;
}

struct bundle *bundle_new(const struct config *config, struct interface *interface, uint32_t remote,
			  struct log *log, sb_time now)
{
	struct bundle *b = calloc(1, sizeof(*b));

	if (!b) {
		log_say(log, LOG_ERROR, "out of memory");
		return NULL;
	}
	b->config = config;
	b->interface = interface;
	b->log = log;
	b->remote = remote;
	b->mtu = b->most_mtu = config->mtu;
	b->start = b->lines_gone = b->empty_since = now;
	bundle_mode_init(b);
	meter_init(&b->out, now);
	meter_init(&b->in, now);
	if (!bundle_evidence_init(&b->evidence, now) || !bundle_queue_make(b) || !make_spread(b) ||
	    !bundle_vendor_init(b)) {
		log_say(log, LOG_ERROR, "out of memory");
		bundle_free(b);
		return NULL;
	}
	if (!make_capture(b)) {
		bundle_free(b);
		return NULL;
	}
	return b;
}

/* What the line may not have got through to the peer, oldest first, is put back. */
static void take_back(struct line *l, sb_time now)
{
	struct packet *p;
	struct packet_pool *pool = l->pool;

	while ((p = line_give_up(l, now)))
		packet_put(pool, p);
}

void bundle_free(struct bundle *b)
{
	if (!b)
		return;
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		if (b->lines[i])
			take_back(b->lines[i], 0);
	capture_set_close_all(&b->captures);
	reassembly_free(b->reassembly);
	network_free(b->network);
	bundle_vendor_free(b);
	bundle_ingress_free(b);
	spread_free(&b->spread);
	tiers_free(b->queue);
	packet_pool_free(b->pool);
	bundle_evidence_free(&b->evidence);
	free(b);
}

static void record(struct bundle *b, bool sent, struct bytes packet)
{
	capture_set_packet(&b->captures, b->log, sent, packet);
}

/* --- lines that come and go --- */

static void set_carrier(struct bundle *b, bool on)
{
	if (b->carrier != on)
		interface_set_carrier(b->interface, on);
	b->carrier = on;
}

/* Fewer than min-lines is none (E5). With no line at all packets wait for one first. */
static void count_lines(struct bundle *b)
{
	bool enough = b->lines_up >= b->config->min_lines && bundle_mode_has_carrier(b);

	if (b->lines_up)
		set_carrier(b, enough);
}

/* Who may send follows from who is there, and the queue from who may send. */
static void lines_changed(struct bundle *b, sb_time now)
{
	bundle_mode_elect(b, now);
	count_lines(b);
	bundle_queue_tune(b);
}

static void join(struct bundle *b, unsigned i, sb_time now)
{
	b->lines[i]->pool = b->pool;
	bundle_shape_join(b, i, now);
	b->in_spread[i] = true;
	b->lines_up++;
}

/*
 * What the line had in hand, or the peer may not have, goes first over another: in that order,
 * but those that the peer is likely to have behind the others, for which it waits.
 */
static void send_again(struct bundle *b, struct line *l, sb_time now)
{
	struct packet *packets[LINE_SENT + 1]; /* they may be in a queue already: no list */
	unsigned likely = line_likely_arrived(l, now), n = 0;

	while ((packets[n] = line_give_up(l, now)))
		n++;
	for (unsigned i = likely; i-- > 0;)
		spread_return(&b->spread, packets[i]);
	while (n > likely)
		spread_return(&b->spread, packets[--n]);
}

static void leave_spread(struct bundle *b, unsigned i, sb_time now)
{
	spread_line_down(&b->spread, i, now);
	b->in_spread[i] = false;
	if (--b->lines_up == 0)
		b->lines_gone = now;
	bundle_mode_lost(b, i, now);
}

/* It may be that only what comes over it is lost. */
static void part(struct bundle *b, unsigned i, sb_time now)
{
	struct line *l = b->lines[i];
	struct piece piece;

	if (l->state == LINE_SILENT && line_needs_frame(l) && l->encap->kind == &encap_ppp &&
	    spread_parting(&b->spread, i, &piece))
		line_load(l, now, &piece);
}

static void leave(struct bundle *b, unsigned i, sb_time now)
{
	leave_spread(b, i, now);
	send_again(b, b->lines[i], now);
	part(b, i, now);
}

/* It goes as soon as it can without a gap, for which the peer would wait, and lose the packet. */
static void try_to_retire(struct bundle *b, unsigned i, sb_time now)
{
	bool leaves = b->retired[i] || bundle_park_holds(b, i);

	if (leaves && b->in_spread[i] && !spread_has_piece(&b->spread, i)) {
		leave_spread(b, i, now);
		lines_changed(b, now);
	}
}

void bundle_retire(struct bundle *b, unsigned i, sb_time now)
{
	b->retired[i] = true;
	try_to_retire(b, i, now);
}

bool bundle_uses(const struct bundle *b, unsigned i)
{
	return b->in_spread[i];
}

void bundle_has_arrived(struct bundle *b, unsigned i)
{
	line_forget_sent(b->lines[i]);
}

/* Nothing goes over a link before the network layer is up (RFC 1661 section 3.6). */
static bool carries(const struct bundle *b, const struct line *l)
{
	return l->state == LINE_UP && (!encap_agreed(l->encap) || bundle_network_is_up(b));
}

void bundle_settle(struct bundle *b, unsigned i, sb_time now)
{
	bool up = carries(b, b->lines[i]) && bundle_link_is_attached(b, i, now);
	bool parked = up && bundle_park_holds(b, i);

	up = bundle_mode_heed(b, i, up && !parked, now);
	bundle_link_settle(b, i, now);
	if (up == b->in_spread[i] || (up && b->retired[i]))
		return;
	if (parked) {
		try_to_retire(b, i, now);
		return;
	}
	if (up)
		join(b, i, now);
	else
		leave(b, i, now);
	lines_changed(b, now);
}

void bundle_add(struct bundle *b, unsigned i, struct line *l, sb_time now)
{
	assert(!b->lines[i]);
	b->lines[i] = l;
	b->members++;
	b->empty_since = SB_NEVER;
	bundle_mode_add(b, i, now);
	bundle_park_begin(b, i, now);
	if (!bundle_link_add(b, i, now))
		log_say(b->log, LOG_ERROR, "%s: out of memory", l->config.name);
	bundle_settle(b, i, now);
}

void bundle_remove(struct bundle *b, unsigned i, sb_time now)
{
	if (b->in_spread[i])
		leave(b, i, now);
	else
		send_again(b, b->lines[i], now);
	bundle_mode_elect(b, now);
	bundle_probe_stop(b, i);
	bundle_shape_forget(b, i, now);
	bundle_link_remove(b, i, now);
	b->lines[i] = NULL;
	b->retired[i] = b->ours[i] = false;
	if (--b->members == 0)
		b->empty_since = now;
	lines_changed(b, now);
}

static void set_most_mtu(struct bundle *b, unsigned mtu)
{
	b->most_mtu = mtu;
	bundle_fit_mtu(b);
	b->rate = 0; /* the queue's delays are for frames of this size */
	bundle_queue_tune(b);
}

void bundle_reconfigure(struct bundle *b)
{
	if (b->config->line_count)
		b->interface->min_rto = config_plan(b->config).min_rto;
	if (b->most_mtu != b->config->mtu)
		set_most_mtu(b, b->config->mtu);
	bundle_queue_reconfigure(b);
	count_lines(b);
}

unsigned bundle_members(const struct bundle *b)
{
	return b->members;
}

bool bundle_has_carrier(const struct bundle *b)
{
	return b->carrier;
}

const struct network_ipv4 *bundle_ipv4(const struct bundle *b)
{
	return b->network && network_ipv4_is_up(b->network) ? network_ipv4(b->network) : NULL;
}

const char *bundle_peer(const struct bundle *b)
{
	return b->peer_name;
}

struct bundle_totals bundle_totals(struct bundle *b, sb_time now)
{
	return (struct bundle_totals){
		.bytes_out = meter_read(&b->out, now).total,
		.bytes_in = meter_read(&b->in, now).total,
	};
}

unsigned bundle_lines_up(const struct bundle *b)
{
	return b->lines_up;
}

sb_time bundle_empty_since(const struct bundle *b)
{
	return b->empty_since;
}

/* --- from the lines --- */

void bundle_deliver(struct bundle *b, struct bytes packet, sb_time now)
{
	if (bundle_probe_takes(b, packet, now))
		return;
	if (!bundle_ingress_takes(b, packet, now))
		bundle_hand_over(b, packet, now);
}

void bundle_hand_over(struct bundle *b, struct bytes packet, sb_time now)
{
	record(b, false, packet);
	bundle_saw(b, now, packet, false);
	b->counters.packets_in++;
	meter_add(&b->in, now, packet.length);
	if (!tun_write(&b->interface->tun, packet))
		b->counters.refused_packets++;
}

void bundle_receive(struct bundle *b, unsigned i, struct encap_packet p, sb_time now)
{
	spread_heard(&b->spread, now);
	bundle_link_receive(b, i, p, now);
}

/* --- to the lines --- */

enum taken { TOOK_ONE, TOOK_NONE, TUN_GONE };

static enum taken taken(ssize_t n)
{
	return n > 0 ? TOOK_ONE : n == 0 ? TOOK_NONE : TUN_GONE;
}

/* Reads a packet for which there is no room, so that the kernel's queue goes on. */
static enum taken discard_from_tun(struct bundle *b)
{
	uint8_t nowhere[1];
	ssize_t n = tun_read(&b->interface->tun, nowhere, sizeof(nowhere));

	b->counters.no_buffer_drops += n > 0;
	return taken(n);
}

static void drop(struct bundle *b, struct packet *p, uint64_t *counter)
{
	++*counter;
	packet_put(b->pool, p);
}

static void enqueue(struct bundle *b, sb_time now, struct packet *p)
{
	if (ip_check(packet_bytes(p)) != IP_OK || p->length > b->mtu) {
		drop(b, p, &b->counters.not_ip_drops);
		return;
	}
	if (!bundle_network_takes(b, packet_bytes(p))) {
		drop(b, p, &b->counters.no_protocol_drops);
		return;
	}
	bundle_saw(b, now, packet_bytes(p), true);
	b->counters.packets_out++;
	meter_add(&b->out, now, p->length);
	record(b, true, packet_bytes(p));
	tiers_enqueue(b->queue, now, p);
}

/* One packet from the TUN into the queue. */
static enum taken take_from_tun(struct bundle *b, sb_time now)
{
	struct packet *p = packet_get(b->pool);
	ssize_t n;

	if (!p)
		return discard_from_tun(b);
	n = tun_read(&b->interface->tun, p->data, packet_pool_size(b->pool));
	if (n <= 0) {
		packet_put(b->pool, p);
		return taken(n);
	}
	p->length = (uint32_t)n;
	enqueue(b, now, p);
	return TOOK_ONE;
}

bool bundle_tun_readable(struct bundle *b, sb_time now)
{
	enum taken t = TOOK_ONE;

	for (int n = 0; n < TUN_BATCH && t == TOOK_ONE; n++)
		t = take_from_tun(b, now);
	return t != TUN_GONE;
}

/* The network layer's own packets go over any link, ahead of others. */
static bool load_network(struct bundle *b, struct line *l, sb_time now)
{
	uint8_t space[NETWORK_PACKET_SIZE];
	struct buf packet = buf_over(space, sizeof(space));
	uint16_t protocol;

	if (l->state != LINE_UP || !encap_agreed(l->encap) || !b->network ||
	    !network_output(b->network, &protocol, &packet))
		return false;
	line_load_control(l, now, protocol, buf_bytes(&packet));
	return true;
}

bool bundle_load(struct bundle *b, unsigned i, sb_time now)
{
	struct piece piece;

	if (load_network(b, b->lines[i], now) || bundle_vendor_load(b, i, now) ||
	    bundle_mode_load(b, i, now) || bundle_probe_load(b, i, now))
		return true;
	try_to_retire(b, i, now);
	if (!b->in_spread[i] || !spread_pull(&b->spread, i, now, &piece))
		return false;
	line_load(b->lines[i], now, &piece);
	return true;
}

void bundle_sent(struct bundle *b, unsigned i)
{
	if (b->in_spread[i])
		spread_line_unsent(&b->spread, i, line_cost_left(b->lines[i]));
}

/* --- time --- */

sb_time bundle_oldest_arrival(const struct bundle *b)
{
	return sb_time_min(tiers_oldest(b->queue), spread_oldest(&b->spread));
}

/*
 * With no line at all packets wait for one, but not for ever. The time they spent
 * in the queue before, while lines were up, is no wait for a line.
 */
static sb_time hold_ends(const struct bundle *b)
{
	sb_time oldest = bundle_oldest_arrival(b);

	if (b->lines_up || oldest == SB_NEVER)
		return SB_NEVER;
	return sb_time_max(oldest, b->lines_gone) + b->config->hold;
}

/* A line that sleeps until packets wait needs a host that sends them. */
static bool is_dialled_on_demand(const struct config *c)
{
	for (unsigned i = 0; i < c->line_count; i++)
		if (c->lines[i].modem.idle && !c->lines[i].modem.answers)
			return true;
	return false;
}

/* Then the host is told that nothing can be reached this way (B093): no packets wait any more. */
static sb_time carrier_ends(const struct bundle *b)
{
	bool is_reached = b->lines_up || is_dialled_on_demand(b->config);

	return is_reached || !b->carrier ? SB_NEVER : b->lines_gone + b->config->hold;
}

void bundle_expire(struct bundle *b, sb_time now)
{
	sb_time before = now - b->config->hold + 1;
	uint32_t queued = tiers_packets(b->queue);

	if (now >= carrier_ends(b))
		set_carrier(b, false);
	if (now < hold_ends(b))
		return;
	tiers_expire(b->queue, before);
	b->counters.no_line_drops += queued - tiers_packets(b->queue);
	b->counters.no_line_drops += spread_expire(&b->spread, before);
}

/* The network layer may have come up, or gone, for all links at once. */
void bundle_run(struct bundle *b, sb_time now)
{
	bundle_look(b, now);
	bundle_link_run(b, now);
	spread_set_mode(&b->spread, &b->config->mode, now); /* it may have been changed */
	bundle_probe_run(b, now);
	bundle_park_run(b, now);
	bundle_mode_run(b, now);
	for (unsigned i = 0; i < CONFIG_MAX_LINES; i++)
		if (b->lines[i])
			bundle_settle(b, i, now);
	bundle_shape_run(b, now);
	bundle_ingress_run(b, now);
	lines_changed(b, now);
}

uint32_t bundle_waiting_bytes(const struct bundle *b)
{
	return tiers_bytes(b->queue) + spread_bound_bytes(&b->spread);
}

sb_time bundle_deadline(const struct bundle *b)
{
	sb_time due = sb_time_min(hold_ends(b), carrier_ends(b));

	due = sb_time_min(due, bundle_mode_deadline(b));
	due = sb_time_min(due, bundle_probe_deadline(b));
	due = sb_time_min(due, bundle_park_deadline(b));
	due = sb_time_min(due, bundle_ingress_deadline(b));
	return sb_time_min(due, bundle_link_deadline(b));
}

/* The instant at which the line takes what the peer is to be told. */
static sb_time said_at(const struct bundle *b, unsigned i, sb_time wake)
{
	sb_time due = bundle_vendor_due(b, i);

	return due == SB_NEVER ? SB_NEVER : sb_time_max(due, wake);
}

/* When a tier at its ceiling may send; at one that may by now the lines have looked just now. */
static sb_time ceiling_ends(const struct bundle *b, sb_time now)
{
	sb_time end = tiers_deadline(b->queue);

	return end > now ? end : SB_NEVER;
}

/*
 * An idle line asks again when it nears running dry, when what is bound to it may start, or when a
 * tier at its ceiling may send.
 */
sb_time bundle_line_deadline(const struct bundle *b, unsigned i, sb_time now)
{
	sb_time wake = line_clock_wake(&b->lines[i]->clock), said = said_at(b, i, wake);
	sb_time bound, due;

	if (!b->in_spread[i])
		return said;
	bound = spread_deadline(&b->spread, i);
	if (bound != SB_NEVER)
		due = sb_time_max(bound, wake);
	else
		due = wake > now && bundle_waiting_bytes(b) ? wake : SB_NEVER;
	due = sb_time_min(due, sb_time_max(ceiling_ends(b, now), wake));
	return sb_time_min(due, said);
}
