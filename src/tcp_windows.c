/* SPDX-License-Identifier: MIT */
/*
 * Who watches both directions of a TCP connection sees what each end may send: up to the
 * last acknowledgement plus the window beside it (RFC 9293 section 3.8.6). A sender
 * that has sent up to there, less than one segment aside, since it would not send a smaller
 * one (section 3.8.6.2.1), waits for the receiver.
 *
 * The window's scale (RFC 7323 section 2) is said in the SYNs alone; of a connection
 * that was begun before we looked only a window of 0 can be understood.
 *
 * Sequence numbers are compared modulo 2^32, as the RFC does. Nothing here is proof
 * against forged segments: what comes of them is a wrong sentence in a report.
 */
#include "src/tcp_windows.h"

#include "src/ip_view.h"
#include "src/meter.h"

#include <stdlib.h>

enum { CONNECTIONS = 64, TCP = 6, TCP_HEADER = 20, LARGEST_SCALE = 14 };
#define PATIENCE (130 * SB_SEC) /* the longest time between probes of a closed window, and more */
enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };
enum { OPTION_END = 0, OPTION_NOTHING = 1, OPTION_SCALE = 3 };

/* One end of a connection: as a sender, and, of its peer, as the receiver of what this one sends.
 */
struct tcp_end {
	bool has_sent, has_limit; /* what follows is known */
	uint32_t sent;            /* the sequence number after its last byte */
	uint32_t largest;         /* bytes in a segment */
	uint32_t acknowledged;    /* the sequence number up to which its peer has all, */
	uint32_t window;          /* and the bytes that may follow */
	bool said_syn, said_scale;
	uint8_t scale; /* of the windows that it announces */
	bool waits;
};

struct connection {
	uint32_t key; /* a hash, and then the rest of what it is */
	uint8_t version, local[16], remote[16], ports[4];
	sb_time last_packet;    /* instant */
	struct tcp_end ends[2]; /* the local one, the remote one */
};

struct tcp_windows {
	unsigned count;
	struct connection connections[CONNECTIONS];
	unsigned waiting[2];  /* connections whose local, or remote, end waits */
	uint32_t window[2];   /* of the last that began to */
	sb_time since[2];     /* instant up to which it was added */
	struct meter time[2]; /* nanoseconds in which there was one */
};

struct segment {
	uint32_t sequence, acknowledgement, length; /* length: SYN and FIN count */
	uint32_t data;
	uint16_t window;
	uint8_t flags;
	int scale; /* -1: not said */
};

struct tcp_windows *tcp_windows_new(sb_time now)
{
	struct tcp_windows *w = calloc(1, sizeof(*w));

	for (int i = 0; w && i < 2; i++) {
		meter_init(&w->time[i], now);
		w->since[i] = now;
	}
	return w;
}

void tcp_windows_free(struct tcp_windows *w)
{
	free(w);
}

/* --- segments --- */

static uint32_t be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* RFC 9293 section 3.1, RFC 7323 section 2.2. -1: it is not there. */
static int scale_option(struct bytes options)
{
	while (options.length && options.at[0] != OPTION_END) {
		size_t length = 1;

		if (options.at[0] != OPTION_NOTHING) {
			if (options.length < 2 || options.at[1] < 2)
				return -1;
			length = options.at[1];
		}
		if (length > options.length)
			return -1;
		if (options.at[0] == OPTION_SCALE && length == 3)
			return options.at[2] > LARGEST_SCALE ? LARGEST_SCALE : options.at[2];
		options = bytes_skip(options, length);
	}
	return -1;
}

static bool segment_of(struct bytes tcp, struct segment *s)
{
	size_t header;

	if (tcp.length < TCP_HEADER)
		return false;
	header = (tcp.at[12] >> 4) * (size_t)4;
	if (header < TCP_HEADER || header > tcp.length)
		return false;
	*s = (struct segment){
		.sequence = be32(tcp.at + 4),
		.acknowledgement = be32(tcp.at + 8),
		.data = (uint32_t)(tcp.length - header),
		.window = (uint16_t)(tcp.at[14] << 8 | tcp.at[15]),
		.flags = tcp.at[13],
		.scale = scale_option(bytes_of(tcp.at + TCP_HEADER, header - TCP_HEADER)),
	};
	s->length = s->data + !!(s->flags & SYN) + !!(s->flags & FIN);
	return true;
}

/* --- the table --- */

static void add_time(struct tcp_windows *w, sb_time now)
{
	for (int i = 0; i < 2; i++) {
		if (w->waiting[i])
			meter_add_span(&w->time[i], w->since[i], now);
		w->since[i] = now;
	}
}

static void set_waiting(struct tcp_windows *w, struct connection *c, int end, bool waits)
{
	if (waits)
		w->window[end] = c->ends[end].window;
	if (c->ends[end].waits == waits)
		return;
	c->ends[end].waits = waits;
	w->waiting[end] += waits ? 1 : -1u;
}

static void forget(struct tcp_windows *w, struct connection *c)
{
	for (int i = 0; i < 2; i++)
		set_waiting(w, c, i, false);
	*c = (struct connection){0};
}

static struct connection *make_room(struct tcp_windows *w)
{
	struct connection *quiet = &w->connections[0];

	if (w->count < CONNECTIONS)
		return &w->connections[w->count++];
	for (unsigned i = 1; i < w->count; i++)
		if (w->connections[i].last_packet < quiet->last_packet)
			quiet = &w->connections[i];
	forget(w, quiet);
	return quiet;
}

static uint32_t key_of(const struct connection *c)
{
	const uint8_t *at[] = {c->local, c->remote, c->ports};
	const size_t length[] = {sizeof(c->local), sizeof(c->remote), sizeof(c->ports)};
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (int i = 0; i < 3; i++)
		for (size_t n = 0; n < length[i]; n++)
			hash = (hash ^ at[i][n]) * 16777619u;
	return hash;
}

static struct connection name_of(const struct ip_view *v, bool out)
{
	struct connection c = {.version = v->version};
	const struct bytes *local = out ? &v->from : &v->to, *remote = out ? &v->to : &v->from;

	memcpy(c.local, local->at, local->length);
	memcpy(c.remote, remote->at, remote->length);
	memcpy(c.ports, v->payload.at + (out ? 0 : 2), 2);
	memcpy(c.ports + 2, v->payload.at + (out ? 2 : 0), 2);
	c.key = key_of(&c);
	return c;
}

static bool is_same(const struct connection *c, const struct connection *d)
{
	return c->key == d->key && c->version == d->version &&
	       memcmp(c->local, d->local, sizeof(c->local)) == 0 &&
	       memcmp(c->remote, d->remote, sizeof(c->remote)) == 0 &&
	       memcmp(c->ports, d->ports, sizeof(c->ports)) == 0;
}

static struct connection *find(struct tcp_windows *w, const struct connection *name)
{
	struct connection *c;

	for (unsigned i = 0; i < w->count; i++)
		if (is_same(&w->connections[i], name))
			return &w->connections[i];
	c = make_room(w);
	*c = *name;
	return c;
}

/* --- what an end sends, and lets the other send --- */

static bool is_after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

static void heed_syn(struct tcp_end *from, const struct segment *s)
{
	*from = (struct tcp_end){.said_syn = true, .waits = from->waits};
	from->said_scale = s->scale >= 0;
	from->scale = s->scale >= 0 ? (uint8_t)s->scale : 0;
}

static void heed_data(struct tcp_end *from, const struct segment *s)
{
	uint32_t end = s->sequence + s->length;

	if (!from->has_sent || is_after(end, from->sent))
		from->sent = end;
	from->has_sent = true;
	if (s->data > from->largest)
		from->largest = s->data;
}

/* The window of a SYN is never scaled (RFC 7323 section 2.2); -1: nobody knows. */
static int64_t window_of(const struct tcp_end *from, const struct tcp_end *to,
			 const struct segment *s)
{
	bool scaled = from->said_scale && to->said_scale && !(s->flags & SYN);

	if (s->window && !(from->said_syn && to->said_syn))
		return -1;
	return scaled ? (int64_t)s->window << from->scale : s->window;
}

/* One that was overtaken says nothing new. */
static void heed_window(struct tcp_end *from, struct tcp_end *to, const struct segment *s)
{
	int64_t window = window_of(from, to, s);

	if (!(s->flags & ACK) || (to->has_limit && is_after(to->acknowledged, s->acknowledgement)))
		return;
	to->has_limit = window >= 0;
	to->acknowledged = s->acknowledgement;
	to->window = (uint32_t)window;
}

/* There is something under way, or it was told to send nothing at all. */
static bool must_wait(const struct tcp_end *e)
{
	uint32_t limit = e->acknowledged + e->window;

	if (!e->has_sent || !e->has_limit || !e->largest)
		return false;
	return !is_after(limit, e->sent) || limit - e->sent < e->largest;
}

void tcp_windows_add(struct tcp_windows *w, sb_time now, struct bytes packet, bool out)
{
	struct ip_view v;
	struct segment s;
	struct connection name, *c;
	struct tcp_end *from, *to;

	if (!ip_view_of(packet, &v) || v.protocol != TCP || !segment_of(v.payload, &s))
		return;
	add_time(w, now);
	name = name_of(&v, out);
	c = find(w, &name);
	c->last_packet = now;
	if (s.flags & RST) {
		forget(w, c);
		return;
	}
	from = &c->ends[!out], to = &c->ends[out];
	if (s.flags & SYN)
		heed_syn(from, &s);
	heed_data(from, &s);
	heed_window(from, to, &s);
	for (int i = 0; i < 2; i++)
		set_waiting(w, c, i, must_wait(&c->ends[i]));
}

/* A connection that fell silent, without an end that we saw, is over. */
static void forget_silent(struct tcp_windows *w, sb_time now)
{
	for (unsigned i = 0; i < w->count; i++)
		if (now - w->connections[i].last_packet > PATIENCE)
			forget(w, &w->connections[i]);
}

struct tcp_waiting tcp_windows_read(struct tcp_windows *w, sb_time now, bool out)
{
	add_time(w, now);
	forget_silent(w, now);
	return (struct tcp_waiting){
		.share = meter_read(&w->time[!out], now).over_2s / (double)SB_SEC,
		.window = w->window[!out],
	};
}
