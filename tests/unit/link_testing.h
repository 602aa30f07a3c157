/* SPDX-License-Identifier: MIT */
/*
 * Two links over a simulated line, in time that the test makes: a rate, a delay,
 * damaged characters, a line of seven bits, a cut, a loop.
 *
 * Time goes in steps. In each, an end whose wire has nothing more to send gives it
 * the next frame, of the link's own first, then of the traffic that the test wants;
 * and what is due arrives.
 */
#ifndef TESTS_UNIT_LINK_TESTING_H
#define TESTS_UNIT_LINK_TESTING_H

#include "ppp/link.h"
#include "tests/unit/codec_testing.h"
#include "tests/unit/secrets_known.h"

#define STEP (2 * SB_MS)

enum { WIRE_SIZE = 1 << 16, EVENTS_KEPT = 64 };

struct wire {
	double chars_per_sec;
	sb_time delay;   /* duration */
	double damage;   /* probability, of a character */
	uint8_t mask;    /* what the line lets through: 0xFF, 0x7F */
	bool cut;        /* nothing arrives */
	bool doubles_ff; /* as telnet does */
	uint64_t random;
	sb_time busy_until; /* instant */
	unsigned first, count;
	struct {
		uint8_t character;
		sb_time due;
	} ring[WIRE_SIZE];
};

struct traffic {
	size_t length; /* of packets; 0: none */
	sb_time every; /* duration: 0: whenever the line has room */
	sb_time next;  /* instant */
};

struct end {
	struct link *link;
	struct link_config config;
	uint64_t random;
	struct traffic traffic;
	struct link_event events[EVENTS_KEPT];
	unsigned events_count;
	uint64_t sent, got;          /* packets of traffic */
	uint64_t frames[16];         /* LCP packets put on the wire, by code */
	bool silent;                 /* the link is not to be relied on: no traffic */
	sb_time silent_at, heard_at; /* instants of the last such events, or 0 */
};

struct pair {
	sb_time now;
	bool looped; /* both hear themselves */
	struct end end[2];
	struct wire wire[2]; /* from that end */
};

static uint32_t random_of_end(void *context)
{
	return (uint32_t)next_random(context);
}

static inline struct link_config config_of(struct end *end)
{
	return (struct link_config){
		.mru = 1500,
		.pfc = true,
		.acfc = true,
		.multilink = true,
		.mrru = 1500,
		.endpoint = {.class = 3, .length = 6, .address = {2, 0, 0, 0, 0, 1}},
		.auth = {.name = "",
			 .remote_name = "",
			 .pap_secrets = &no_secrets,
			 .chap_secrets = &no_secrets,
			 .retry = 3 * SB_SEC,
			 .max_tries = 10,
			 .random = random_of_end,
			 .random_context = &end->random},
		.timers = {.restart = 3 * SB_SEC,
			   .max_configure = 10,
			   .max_terminate = 2,
			   .max_failure = 5},
		.keepalive = {.interval = 10 * SB_SEC,
			      .max_silent = 6,
			      .chars_per_sec = 3840,
			      .frame_chars = 1510},
		.identity = "",
		.random = random_of_end,
		.random_context = &end->random,
	};
}

/* The links are made by pair_start, so that a test can change their configurations. */
static inline void pair_init(struct pair *p, double chars_per_sec, uint64_t seed)
{
	memset(p, 0, sizeof *p);
	p->now = 1000 * SB_SEC;
	for (int i = 0; i < 2; i++) {
		p->end[i].random = seed * 2 + (uint64_t)i;
		p->end[i].config = config_of(&p->end[i]);
		p->end[i].config.keepalive.chars_per_sec = chars_per_sec;
		p->wire[i].chars_per_sec = chars_per_sec;
		p->wire[i].mask = 0xFF;
		p->wire[i].random = seed * 2 + 0x5eed + (uint64_t)i;
	}
}

static inline void note_events(struct pair *p, struct end *end)
{
	struct link_event e;

	while (link_event(end->link, &e)) {
		ck_assert_uint_lt(end->events_count, EVENTS_KEPT);
		end->events[end->events_count++] = e;
		if (e.kind == LINK_EVENT_SILENT)
			end->silent_at = p->now;
		if (e.kind == LINK_EVENT_HEARD)
			end->heard_at = p->now;
		if (e.kind != LINK_EVENT_IDENTIFIED)
			end->silent = e.kind == LINK_EVENT_SILENT;
	}
}

static inline void pair_start(struct pair *p)
{
	for (int i = 0; i < 2; i++) {
		p->end[i].link = link_new(&p->end[i].config);
		ck_assert_ptr_nonnull(p->end[i].link);
		link_lower_up(p->end[i].link, p->now);
		note_events(p, &p->end[i]);
	}
}

static inline void pair_free(struct pair *p)
{
	link_free(p->end[0].link);
	link_free(p->end[1].link);
}

static inline void wire_put_one(struct wire *w, uint8_t character)
{
	sb_time each = (sb_time)(SB_SEC / w->chars_per_sec);

	w->busy_until += each;
	if (w->damage > 0 && (double)random_below(&w->random, 1000000) < w->damage * 1e6)
		character ^= (uint8_t)(1 + random_below(&w->random, 255));
	if (w->count == WIRE_SIZE) /* an assertion for each character would take long */
		ck_abort_msg("the wire holds no more");
	unsigned slot = (w->first + w->count++) % WIRE_SIZE;
	w->ring[slot].character = character & w->mask;
	w->ring[slot].due = w->busy_until + w->delay;
}

static inline void wire_put(struct wire *w, sb_time now, struct bytes characters)
{
	w->busy_until = sb_time_max(w->busy_until, now);
	for (size_t i = 0; i < characters.length; i++) {
		wire_put_one(w, characters.at[i]);
		if (w->doubles_ff && characters.at[i] == 0xFF)
			wire_put_one(w, characters.at[i]);
	}
}

/* What is due, at most so much as fits. */
static inline struct bytes wire_take(struct wire *w, sb_time now, uint8_t *memory, size_t size)
{
	struct buf out = buf_over(memory, size);

	while (w->count && w->ring[w->first].due <= now && out.length < size) {
		if (!w->cut)
			buf_put(&out, w->ring[w->first].character);
		w->first = (w->first + 1) % WIRE_SIZE;
		w->count--;
	}
	return buf_bytes(&out);
}

/* The code of an LCP frame that begins the text, or 0. */
static inline uint8_t lcp_code_of(struct bytes wire)
{
	static const uint8_t plain[] = {0x7e, 0xff, 0x03, 0xc0, 0x21};
	static const uint8_t escaped[] = {0x7e, 0xff, 0x7d, 0x23, 0xc0, 0x21, 0x7d};

	if (wire.length > 8 && memcmp(wire.at, escaped, sizeof escaped) == 0)
		return wire.at[7] ^ 0x20;
	if (wire.length > 8 && memcmp(wire.at, plain, sizeof plain) == 0)
		return wire.at[5];
	return 0;
}

static inline bool make_traffic(struct pair *p, struct end *end, struct buf *out)
{
	uint8_t data[2048];
	struct traffic *t = &end->traffic;

	if (!t->length || p->now < t->next || end->silent || link_phase(end->link) != LINK_NETWORK)
		return false;
	t->next = p->now + t->every;
	for (size_t i = 0; i < t->length; i++)
		data[i] = (uint8_t)next_random(&end->random);
	link_encode(end->link, PPP_IP, bytes_of(NULL, 0), bytes_of(data, t->length), out);
	link_relied(end->link, p->now);
	end->sent++;
	return true;
}

static inline void pull(struct pair *p, int i)
{
	uint8_t memory[2 * 2048 + LINK_OUTPUT_SIZE];
	struct end *end = &p->end[i];

	while (p->wire[i].busy_until <= p->now + STEP) {
		struct buf out = buf_over(memory, sizeof memory);
		if (link_output(end->link, p->now, &out))
			end->frames[lcp_code_of(buf_bytes(&out)) & 15]++;
		else if (!make_traffic(p, end, &out))
			break;
		ck_assert(!out.overflow);
		wire_put(&p->wire[i], p->now, buf_bytes(&out));
	}
}

static inline void deliver(struct pair *p, int from, int to)
{
	uint8_t memory[512];
	struct link_packet packet;
	struct bytes in;

	while ((in = wire_take(&p->wire[from], p->now, memory, sizeof memory)).length) {
		while (link_next(p->end[to].link, p->now, &in, &packet))
			p->end[to].got += packet.protocol == PPP_IP;
		note_events(p, &p->end[to]);
	}
}

static inline void pair_step(struct pair *p)
{
	p->now += STEP;
	for (int i = 0; i < 2; i++) {
		if (p->now >= link_deadline(p->end[i].link))
			link_tick(p->end[i].link, p->now);
		note_events(p, &p->end[i]);
		pull(p, i);
		deliver(p, i, p->looped ? i : !i);
	}
}

static inline void pair_run(struct pair *p, sb_time duration)
{
	for (sb_time end = p->now + duration; p->now < end;)
		pair_step(p);
}

static inline bool is_up(const struct end *end)
{
	return link_phase(end->link) == LINK_NETWORK;
}

/* False: not both up within that time. */
static inline bool pair_comes_up(struct pair *p, sb_time within)
{
	for (sb_time end = p->now + within; p->now < end;) {
		pair_step(p);
		if (is_up(&p->end[0]) && is_up(&p->end[1]))
			return true;
	}
	return false;
}

static inline void assert_event(const struct end *end, unsigned i, int kind,
				enum link_reason reason)
{
	ck_assert_uint_gt(end->events_count, i);
	ck_assert_int_eq(end->events[i].kind, kind);
	ck_assert_int_eq(end->events[i].reason, reason);
}

static inline void assert_last_event(const struct end *end, int kind, enum link_reason reason)
{
	ck_assert_uint_gt(end->events_count, 0);
	assert_event(end, end->events_count - 1, kind, reason);
}

static inline unsigned count_events(const struct end *end, int kind)
{
	unsigned count = 0;
	for (unsigned i = 0; i < end->events_count; i++)
		count += (int)end->events[i].kind == kind;
	return count;
}

#endif
