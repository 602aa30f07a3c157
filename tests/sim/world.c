/* SPDX-License-Identifier: MIT */
#include "tests/sim/world.h"

#include "ppp/reassembly.h"
#include "tests/sim/sender.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_EVENTS = 65536,
	QUEUE_FLOWS = 1024,
	POOL = 4096,
	PING_FLOW = 1000,
	PING_SIZE = 84,
	SEEN = 1 << 20
};

enum event_kind { EVENT_WAKE, EVENT_LEAVE, EVENT_ARRIVE, EVENT_SEND, EVENT_PING, EVENT_GONE };

struct event {
	sb_time at;
	uint64_t order;
	enum event_kind kind;
	unsigned flow, line;
	uint32_t seq, length, life;
	sb_time sent_at;
	uint8_t *fragment; /* what arrives is a numbered piece, as the receiver sees it; owned */
	uint32_t fragment_length;
};

struct wire {
	struct world_line spec;
	struct line_clock clock;
	bool up;
	uint32_t life; /* grows when the line goes down: what was on the wire is void */
	bool loaded;   /* with a piece that is not handed over whole */
	struct piece piece;
	size_t length, taken;
	sb_time busy_until;
	uint32_t next_number; /* the least that the next numbered piece may have */
	unsigned frames;      /* handed over whole or in part, and not through yet */
};

struct world {
	struct world_config config;
	struct packet_pool *pool;
	struct tiers *queue;
	struct sender *sender;
	struct reassembly *reassembly; /* NULL without multilink */
	struct wire wires[WORLD_MAX_LINES];
	struct world_result result;
	uint32_t given_up_before; /* not scored */
	sb_time now, score_since, next_wake;
	uint64_t random, order;
	struct event events[MAX_EVENTS]; /* a heap */
	unsigned event_count;
	uint8_t *seen[WORLD_MAX_FLOWS], *gone[WORLD_MAX_FLOWS]; /* bits */
};

/* --- chance and events --- */

static double chance(struct world *w)
{
	/* xorshift64* */
	w->random ^= w->random >> 12;
	w->random ^= w->random << 25;
	w->random ^= w->random >> 27;
	return (double)((w->random * UINT64_C(2685821657736338717)) >> 11) / 9007199254740992.0;
}

static bool before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void swap(struct event *a, struct event *b)
{
	struct event t = *a;

	*a = *b;
	*b = t;
}

static void push(struct world *w, struct event e)
{
	unsigned i = w->event_count++;

	assert(i < MAX_EVENTS);
	e.order = w->order++;
	w->events[i] = e;
	for (; i && before(&w->events[i], &w->events[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&w->events[i], &w->events[(i - 1) / 2]);
}

static struct event pop(struct world *w)
{
	struct event top = w->events[0];
	unsigned i = 0;

	w->events[0] = w->events[--w->event_count];
	for (;;) {
		unsigned least = i;

		for (unsigned c = 2 * i + 1; c <= 2 * i + 2 && c < w->event_count; c++)
			if (before(&w->events[c], &w->events[least]))
				least = c;
		if (least == i)
			return top;
		swap(&w->events[i], &w->events[least]);
		i = least;
	}
}

static sb_time lateness(struct world *w)
{
	if (w->config.hiccup && chance(w) < 1 / 200.0)
		return w->config.hiccup;
	return (sb_time)(-(double)w->config.lateness * log(1 - chance(w)));
}

static void wake_at(struct world *w, sb_time at)
{
	if (at == SB_NEVER || (w->next_wake > w->now && w->next_wake <= at))
		return;
	w->next_wake = at;
	push(w, (struct event){.at = sb_time_max(at, w->now) + lateness(w), .kind = EVENT_WAKE});
}

/* --- packets --- */

static void put32(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 24);
	at[1] = (uint8_t)(v >> 16);
	at[2] = (uint8_t)(v >> 8);
	at[3] = (uint8_t)v;
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint8_t tos_of(const struct world *w, unsigned flow)
{
	if (flow == PING_FLOW)
		return w->config.ping_tos;
	return w->config.bulk_tos ? w->config.bulk_tos[flow] : 0;
}

/* IPv4 and UDP headers with the flow as port, then flow, number and time; the rest is zero. */
static void send_packet(struct world *w, unsigned flow, uint32_t seq, uint32_t length)
{
	struct packet *p = packet_get(w->pool);

	assert(p && length >= 44);
	memset(p->data, 0, length);
	p->data[0] = 0x45;
	p->data[1] = tos_of(w, flow);
	p->data[2] = (uint8_t)(length >> 8);
	p->data[3] = (uint8_t)length;
	p->data[8] = 64;
	p->data[9] = 17;
	put32(p->data + 12, 0x0A000001);
	put32(p->data + 16, 0x0A000002);
	put32(p->data + 20, flow << 16 | 9);
	put32(p->data + 28, flow);
	put32(p->data + 32, seq);
	put32(p->data + 36, (uint32_t)(w->now >> 32));
	put32(p->data + 40, (uint32_t)w->now);
	p->length = length;
	tiers_enqueue(w->queue, w->now, p);
}

static uint32_t bulk_length(struct world *w)
{
	uint32_t least = w->config.least, most = w->config.most ? w->config.most : w->config.mtu;

	return least ? least + (uint32_t)(chance(w) * (most - least + 1)) : w->config.mtu;
}

static void send_bulk(struct world *w, unsigned flow)
{
	if (w->config.total && w->result.flows[flow].sent == w->config.total)
		return;
	send_packet(w, flow, ++w->result.flows[flow].sent, bulk_length(w));
	if (w->config.period)
		push(w, (struct event){
				.at = w->now + w->config.period,
				.kind = EVENT_SEND,
				.flow = flow,
			});
}

/* In a closed loop one comes for each that is gone. */
static void send_after(struct world *w, unsigned flow)
{
	if (!w->config.period)
		push(w, (struct event){
				.at = w->now + w->config.ack_delay,
				.kind = EVENT_SEND,
				.flow = flow,
			});
}

/* --- lines --- */

static sb_time wire_time(const struct wire *x, size_t n)
{
	return (sb_time)((double)n * x->spec.bits * (double)SB_SEC / x->spec.bps);
}

void world_line_up(struct world *w, unsigned i)
{
	struct wire *x = &w->wires[i];

	assert(!x->up);
	x->up = true;
	x->busy_until = w->now;
	line_clock_init(&x->clock, x->spec.given_bps, x->spec.bits, w->now);
	sender_line_up(w->sender, i, &x->clock, x->spec.delay, w->now);
	if (w->reassembly)
		reassembly_link_up(w->reassembly, i, w->now);
	wake_at(w, w->now);
}

static void line_leave(struct world *w, unsigned i)
{
	struct wire *x = &w->wires[i];

	assert(x->up);
	x->up = false;
	x->frames -= x->loaded;
	sender_line_down(w->sender, i);
	if (x->loaded && x->piece.packet)
		sender_return(w->sender, x->piece.packet);
	x->loaded = false;
	x->length = x->taken = 0;
	wake_at(w, w->now);
}

void world_line_leave(struct world *w, unsigned i)
{
	struct wire *x = &w->wires[i];

	line_leave(w, i);
	push(w, (struct event){
			.at = sb_time_max(x->busy_until, w->now) + x->spec.delay,
			.kind = EVENT_GONE,
			.line = i,
			.life = x->life,
		});
}

static void gone(struct world *w, unsigned i)
{
	if (w->reassembly && !w->wires[i].up)
		reassembly_link_down(w->reassembly, i, w->now);
}

void world_line_down(struct world *w, unsigned i)
{
	line_leave(w, i);
	w->wires[i].life++;
	w->wires[i].frames = 0;
	gone(w, i);
}

/* The information field of a multilink frame: header, for a first piece the protocol, data. */
static void make_fragment(const struct piece *piece, struct event *e)
{
	static const uint8_t protocol[] = {0x00, 0x21};
	struct buf b = buf_over(malloc(piece->length + 8), piece->length + 8);

	mp_header_put(&b, &(struct mp_header){piece->begin, piece->end, piece->sequence}, false);
	if (piece->packet && piece->begin)
		buf_append(&b, bytes_of(protocol, sizeof(protocol)));
	if (piece->packet)
		buf_append(&b, bytes_of(piece->packet->data + piece->offset, piece->length));
	e->fragment = b.at;
	e->fragment_length = (uint32_t)b.length;
}

/* What identifies a packet, out of its bytes. */
static void read_packet(const uint8_t *d, uint32_t length, struct event *e)
{
	e->flow = get32(d + 28);
	e->seq = get32(d + 32);
	e->sent_at = (sb_time)((uint64_t)get32(d + 36) << 32 | get32(d + 40));
	e->length = length;
}

static void frame_done(struct world *w, unsigned i)
{
	struct wire *x = &w->wires[i];
	struct event e = {
		.at = x->busy_until + x->spec.delay,
		.kind = EVENT_ARRIVE,
		.line = i,
		.life = x->life,
	};

	push(w,
	     (struct event){.at = x->busy_until, .kind = EVENT_LEAVE, .line = i, .life = x->life});
	if (!x->piece.plain)
		make_fragment(&x->piece, &e);
	if (x->piece.packet) {
		read_packet(x->piece.packet->data, x->piece.packet->length, &e);
		packet_put(w->pool, x->piece.packet);
	}
	push(w, e);
	x->loaded = false;
}

static void hand_over(struct world *w, unsigned i, size_t n)
{
	struct wire *x = &w->wires[i];

	x->taken += n;
	x->busy_until = sb_time_max(x->busy_until, w->now) + wire_time(x, n);
	line_clock_sent(&x->clock, w->now, n);
	sender_line_unsent(w->sender, i, x->length - x->taken);
	w->result.line_characters[i] += n;
	w->result.deepest = sb_time_max(w->result.deepest, x->busy_until - w->now);
	if (x->taken == x->length)
		frame_done(w, i);
}

static void count_piece(struct world *w, unsigned i, const struct piece *piece)
{
	struct world_result *r = &w->result;
	sb_time takes = wire_time(&w->wires[i], piece->length);

	r->empty_pieces += !piece->packet;
	r->plain_pieces += piece->plain;
	r->pieces += piece->packet && !piece->plain;
	if (!piece->plain)
		r->longest_piece[i] = sb_time_max(r->longest_piece[i], takes);
	if (piece->plain)
		return;
	r->numbers_fell += (int32_t)(piece->sequence - w->wires[i].next_number) < 0;
	w->wires[i].next_number = piece->sequence + 1;
}

static bool load(struct world *w, unsigned i)
{
	struct wire *x = &w->wires[i];

	x->loaded = sender_pull(w->sender, i, w->now, &x->piece);
	if (!x->loaded)
		return false;
	count_piece(w, i, &x->piece);
	x->length = sender_length(w->sender, &x->piece);
	x->taken = 0;
	sender_line_unsent(w->sender, i, x->length);
	x->frames++;
	if (x->frames > w->result.line_frames[i])
		w->result.line_frames[i] = x->frames;
	return true;
}

static bool pump(struct world *w, unsigned i)
{
	struct wire *x = &w->wires[i];
	bool moved = false;

	while (x->up && line_clock_wake(&x->clock) <= w->now) {
		size_t room, rest;

		if (!x->loaded && !load(w, i))
			break;
		room = line_clock_room(&x->clock, w->now);
		rest = x->length - x->taken;
		hand_over(w, i, rest < room ? rest : room);
		moved = true;
	}
	return moved;
}

/* As the program has it: a line is asked again only if it may have something to say. */
static sb_time line_due(const struct world *w, unsigned i)
{
	const struct wire *x = &w->wires[i];
	sb_time wake = line_clock_wake(&x->clock), bound = sender_deadline(w->sender, i), due;

	if (x->loaded)
		return wake;
	if (bound != SB_NEVER)
		due = sb_time_max(bound, wake);
	else
		due = wake > w->now && world_waiting(w) ? wake : SB_NEVER;
	return sb_time_min(due, sb_time_max(tiers_deadline(w->queue), wake));
}

static void run_lines(struct world *w)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (unsigned i = 0; i < w->config.line_count; i++)
			moved |= pump(w, i);
	}
	if (sender_bound_bytes(w->sender) > w->result.bound)
		w->result.bound = sender_bound_bytes(w->sender);
	for (unsigned i = 0; i < w->config.line_count; i++)
		if (w->wires[i].up)
			wake_at(w, line_due(w, i));
}

/* --- events --- */

static void arrive_bulk(struct world *w, const struct event *e)
{
	struct world_flow *f = &w->result.flows[e->flow];
	uint8_t *seen = &w->seen[e->flow][e->seq / 8];

	assert(e->seq / 8 < SEEN);
	if (*seen >> e->seq % 8 & 1)
		w->result.twice++;
	*seen |= (uint8_t)(1 << e->seq % 8);
	f->arrived++;
	f->bytes += e->length;
	w->result.bulk_bytes += e->length;
	f->out_of_order += e->seq < f->latest;
	f->far_behind += e->seq + 3 <= f->latest;
	if (e->seq > f->latest)
		f->latest = e->seq;
	if (!(w->gone[e->flow][e->seq / 8] >> e->seq % 8 & 1))
		send_after(w, e->flow);
}

static void arrive_ping(struct world *w, const struct event *e)
{
	struct world_result *r = &w->result;

	assert(r->ping_count < WORLD_MAX_PINGS);
	r->pings[r->ping_count++] = w->now - e->sent_at;
	if (e->seq < r->latest_ping)
		r->pings_out_of_order++;
	else
		r->latest_ping = e->seq;
}

static void arrive_packet(struct world *w, const struct event *e)
{
	if (e->flow != PING_FLOW)
		arrive_bulk(w, e);
	else
		arrive_ping(w, e);
}

/* What the receiver has put in order. */
static void arrive_in_order(struct world *w)
{
	struct bytes packet;

	while (reassembly_next(w->reassembly, w->now, &packet)) {
		struct event e = {0};

		read_packet(packet.at + 2, (uint32_t)packet.length - 2, &e);
		arrive_packet(w, &e);
	}
	w->result.given_up =
		(uint32_t)reassembly_counters(w->reassembly)->lost - w->given_up_before;
	wake_at(w, reassembly_deadline(w->reassembly));
}

static void arrive_fragment(struct world *w, const struct event *e)
{
	struct bytes fragment = bytes_of(e->fragment, e->fragment_length);

	while (!reassembly_input(w->reassembly, e->line, w->now, fragment))
		arrive_in_order(w);
	arrive_in_order(w);
}

/* In the closed loop another is sent for it, but once for all of its pieces. */
static void lose(struct world *w, const struct event *e)
{
	uint8_t *byte, bit = (uint8_t)(1 << e->seq % 8);

	if (e->flow == PING_FLOW) {
		w->result.lost++;
		return;
	}
	byte = &w->gone[e->flow][e->seq / 8];
	if (e->length == 0 || *byte & bit)
		return;
	*byte |= bit;
	w->result.lost++;
	send_after(w, e->flow);
}

static void arrive(struct world *w, const struct event *e)
{
	if (e->life != w->wires[e->line].life)
		lose(w, e);
	else if (e->fragment)
		arrive_fragment(w, e);
	else
		arrive_packet(w, e);
	free(e->fragment);
}

static uint32_t ping_size(const struct world *w)
{
	return w->config.ping_size ? w->config.ping_size : PING_SIZE;
}

static void ping(struct world *w)
{
	for (unsigned i = 0; i < (w->config.ping_burst ? w->config.ping_burst : 1); i++)
		send_packet(w, PING_FLOW, ++w->result.pings_sent, ping_size(w));
	push(w, (struct event){.at = w->now + w->config.ping_every, .kind = EVENT_PING});
}

static void happen(struct world *w, const struct event *e)
{
	switch (e->kind) {
	case EVENT_WAKE:
		break;
	case EVENT_LEAVE:
		if (e->life == w->wires[e->line].life)
			w->wires[e->line].frames--;
		break;
	case EVENT_ARRIVE:
		arrive(w, e);
		break;
	case EVENT_SEND:
		send_bulk(w, e->flow);
		break;
	case EVENT_PING:
		ping(w);
		break;
	case EVENT_GONE:
		if (e->life == w->wires[e->line].life)
			gone(w, e->line);
		break;
	}
}

void world_run(struct world *w, sb_time until)
{
	while (w->event_count && w->events[0].at <= until) {
		struct event e = pop(w);

		w->now = e.at;
		happen(w, &e);
		if (w->reassembly)
			arrive_in_order(w);
		run_lines(w);
	}
	w->now = until;
}

/* --- set-up --- */

static void make_lines(struct world *w)
{
	for (unsigned i = 0; i < w->config.line_count; i++) {
		struct world_line *spec = &w->wires[i].spec;

		*spec = w->config.lines[i];
		spec->bits = spec->bits ? spec->bits : 10;
		spec->given_bps = spec->given_bps ? spec->given_bps : spec->bps;
		world_line_up(w, i);
	}
	tiers_set_rate(w->queue, (uint64_t)sender_rate(w->sender));
}

static void make_sources(struct world *w)
{
	for (unsigned f = 0; f < w->config.bulk_flows; f++) {
		w->seen[f] = calloc(1, SEEN);
		w->gone[f] = calloc(1, SEEN);
		for (unsigned i = 0; i < (w->config.period ? 1 : w->config.window); i++)
			push(w, (struct event){.at = 0, .kind = EVENT_SEND, .flow = f});
	}
	if (w->config.ping_every)
		push(w, (struct event){.at = w->config.ping_every / 2, .kind = EVENT_PING});
}

/* A hole is one frame of the slowest line long, and longer when sparse packets come between. */
static sb_time longest_frame(const struct world_config *c)
{
	double longest = 0;

	for (unsigned i = 0; i < c->line_count; i++)
		longest = fmax(longest, (c->mtu + 64) * 10.0 / c->lines[i].bps);
	return (sb_time)(longest * (double)SB_SEC);
}

static struct reassembly *make_reassembly(const struct world_config *config)
{
	return reassembly_new(&(struct reassembly_config){
		.mrru = config->mtu,
		.window = 4096,
		.buffer = (size_t)256 * config->mtu,
		.least_wait = 3 * longest_frame(config) + 100 * SB_MS,
		.most_wait = 10 * SB_SEC,
	});
}

static struct tiers *make_queue(struct world *w)
{
	const struct world_config *config = &w->config;
	struct tiers_config c = {
		.queue =
			{
				.pool = w->pool,
				.flows = QUEUE_FLOWS,
				.quantum = config->mtu,
				.limit_packets = POOL,
				.limit_bytes = POOL * config->mtu,
				.target = 1000 *
					  SB_SEC, /* a closed loop bounds the queue by itself */
				.interval = 2000 * SB_SEC,
				.seed = config->seed,
			},
		.scheme = config->tiers ? TIERS_DIFFSERV3 : TIERS_BESTEFFORT,
	};

	if (config->tiers)
		memcpy(c.tiers, config->tiers, sizeof(c.tiers));
	return tiers_new(&c);
}

struct world *world_new(const struct world_config *config)
{
	struct world *w = calloc(1, sizeof(*w));

	w->config = *config;
	w->random = config->seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
	w->pool = packet_pool_new(POOL, config->mtu);
	w->queue = make_queue(w);
	w->sender = sender_new(&(struct sender_config){
		.multilink = config->multilink,
		.pool = w->pool,
		.queue = w->queue,
		.mtu = config->mtu,
		.max_fragment_delay = config->max_fragment_delay,
		.heartbeat = config->heartbeat,
	});
	if (config->multilink)
		w->reassembly = make_reassembly(config);
	make_lines(w);
	make_sources(w);
	return w;
}

void world_free(struct world *w)
{
	for (unsigned i = 0; i < w->config.line_count; i++)
		if (w->wires[i].loaded && w->wires[i].piece.packet)
			packet_put(w->pool, w->wires[i].piece.packet);
	sender_free(w->sender);
	tiers_free(w->queue);
	packet_pool_free(w->pool);
	for (unsigned f = 0; f < WORLD_MAX_FLOWS; f++)
		free(w->seen[f]);
	for (unsigned f = 0; f < WORLD_MAX_FLOWS; f++)
		free(w->gone[f]);
	for (unsigned i = 0; i < w->event_count; i++)
		free(w->events[i].fragment);
	reassembly_free(w->reassembly);
	free(w);
}

/* --- the score --- */

const struct world_result *world_result(const struct world *w)
{
	return &w->result;
}

void world_restart_score(struct world *w)
{
	struct world_result kept = {
		.pings_sent = w->result.pings_sent,
		.latest_ping = w->result.latest_ping,
	};

	for (unsigned f = 0; f < WORLD_MAX_FLOWS; f++) {
		kept.flows[f].sent = w->result.flows[f].sent;
		kept.flows[f].latest = w->result.flows[f].latest;
	}
	w->given_up_before += w->result.given_up;
	w->result = kept;
	w->score_since = w->now;
}

static int compare_times(const void *a, const void *b)
{
	sb_time x = *(const sb_time *)a, y = *(const sb_time *)b;

	return (x > y) - (x < y);
}

sb_time world_ping_percentile(const struct world *w, double p)
{
	static sb_time sorted[WORLD_MAX_PINGS];
	unsigned n = w->result.ping_count;

	assert(n);
	memcpy(sorted, w->result.pings, n * sizeof(sorted[0]));
	qsort(sorted, n, sizeof(sorted[0]), compare_times);
	return sorted[(unsigned)(p / 100 * (n - 1) + 0.5)];
}

double world_efficiency(const struct world *w)
{
	double seconds = (double)(w->now - w->score_since) / (double)SB_SEC;
	double rate = 0, left;
	double overhead = w->reassembly ? SIM_FRAGMENT_OVERHEAD : SIM_SLIP_OVERHEAD;
	double ping_overhead = w->reassembly ? SIM_PLAIN_OVERHEAD : SIM_SLIP_OVERHEAD;

	for (unsigned i = 0; i < w->config.line_count; i++)
		rate += (double)w->wires[i].spec.bps / w->wires[i].spec.bits;
	left = rate * seconds - (ping_size(w) + ping_overhead) * w->result.ping_count;
	return (double)w->result.bulk_bytes / (left * w->config.mtu / (w->config.mtu + overhead));
}

uint32_t world_waiting(const struct world *w)
{
	return tiers_bytes(w->queue) + sender_bound_bytes(w->sender);
}
