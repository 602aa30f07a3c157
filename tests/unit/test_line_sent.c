/* SPDX-License-Identifier: MIT */
/*
 * What a line remembers of what it sent, and gives up when it leaves. The encapsulation
 * is the test's own, which says when it is up, whether the peer answers, what the
 * round trip is, and when it is silent.
 *
 * Each packet is as long as it takes to be on the wire for FRAME_TIME.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/codec_testing.h"
#include "tests/unit/ip_packets.h"
#include "tests/unit/scripted_ports.h"

#include "src/line.h"

enum { MTU = 576, BPS = 9600, LENGTH = 96, POOL = 3 * LINE_SENT, EVENTS = 4 };
#define FRAME_TIME (100 * SB_MS)

/* --- an encapsulation by hand --- */

struct by_hand {
	struct encap base;
	struct encap_event events[EVENTS];
	unsigned events_count;
	const struct link_agreed *agreed;
	sb_time round_trip;
	unsigned marks;
	bool closing;
};

static struct by_hand *hand_of(const struct encap *e)
{
	return (struct by_hand *)(uintptr_t)e;
}

static void hand_free(struct encap *e)
{
	free(e);
}

static void hand_lower(struct encap *e, sb_time now)
{
	(void)e, (void)now;
}

static void hand_close(struct encap *e, sb_time now)
{
	(void)now;
	hand_of(e)->closing = true;
}

static bool hand_event(struct encap *e, struct encap_event *event)
{
	struct by_hand *h = hand_of(e);

	if (!h->events_count)
		return false;
	*event = h->events[0];
	memmove(h->events, h->events + 1, --h->events_count * sizeof h->events[0]);
	return true;
}

static const struct link_agreed *hand_agreed(const struct encap *e)
{
	return hand_of(e)->agreed;
}

static sb_time hand_deadline(const struct encap *e)
{
	return hand_of(e)->closing ? 2000 * SB_SEC : SB_NEVER;
}

static size_t hand_encoded_length(const void *coding, struct bytes packet)
{
	(void)coding;
	return packet.length;
}

static size_t hand_overhead(const struct encap *e)
{
	(void)e;
	return 0;
}

static void hand_encode(struct encap *e, uint16_t protocol, struct bytes head, struct bytes data,
			struct buf *out)
{
	(void)e, (void)protocol;
	buf_append(out, head);
	buf_append(out, data);
}

static void hand_mark(struct encap *e)
{
	hand_of(e)->marks++;
}

static bool hand_next(struct encap *e, sb_time now, struct bytes *in, struct encap_packet *p)
{
	(void)e, (void)now, (void)p;
	*in = bytes_skip(*in, in->length);
	return false;
}

static enum encap_notice hand_notice(struct encap *e)
{
	(void)e;
	return ENCAP_NOTHING;
}

static void hand_count(const struct encap *e, struct encap_counters *out)
{
	*out = (struct encap_counters){.rtt.smoothed = hand_of(e)->round_trip};
}

static const struct encap_kind encap_by_hand = {
	.name = "by hand",
	.free = hand_free,
	.lower_up = hand_lower,
	.lower_down = hand_lower,
	.close = hand_close,
	.event = hand_event,
	.deadline = hand_deadline,
	.agreed = hand_agreed,
	.encoded_length = hand_encoded_length,
	.overhead = hand_overhead,
	.encode = hand_encode,
	.mark = hand_mark,
	.next = hand_next,
	.notice = hand_notice,
	.count = hand_count,
};

/* --- lines --- */

static const struct link_agreed agreed = {.peer_mru = 1500, .multilink = true};
static struct line lines[2];
static struct packet_pool *pool;
static sb_time now;

static struct by_hand *new_by_hand(void)
{
	struct by_hand *h = calloc(1, sizeof *h);

	ck_assert_ptr_nonnull(h);
	h->base.kind = &encap_by_hand;
	return h;
}

static void set_up(void)
{
	ports_reset();
	now = 1000 * SB_SEC;
	pool = packet_pool_new(POOL, MTU);
	ck_assert_ptr_nonnull(pool);
	for (unsigned i = 0; i < 2; i++) {
		struct line_config c = {
			.bps = BPS, .bits_per_char = 10, .layer.exact = true, .stop_bits = 1};

		snprintf(c.device, sizeof c.device, "%u", i);
		ck_assert(line_init(&lines[i], &c, &new_by_hand()->base, MTU, now));
	}
}

static unsigned packets_in_pool(void)
{
	struct packet *first = NULL, *p;
	unsigned count = 0;

	for (; (p = packet_get(pool)); count++) {
		p->next = first;
		first = p;
	}
	for (; first; first = p) {
		p = first->next;
		packet_put(pool, first);
	}
	return count;
}

static void tear_down(void)
{
	struct packet *p;

	for (unsigned i = 0; i < 2; i++) {
		while ((p = line_give_up(&lines[i], now)))
			packet_put(pool, p);
		line_free(&lines[i]);
	}
	ck_assert_uint_eq(packets_in_pool(), POOL);
	packet_pool_free(pool);
}

static void says(struct line *l, struct encap_event what)
{
	struct by_hand *h = hand_of(l->encap);
	struct encap_event e;

	h->events[h->events_count++] = what;
	while (line_event(l, now, &e))
		continue;
}

/* UP; with a peer that answers, or with one that never says a word of its own. */
static struct line *up(unsigned i, bool answers)
{
	struct line *l = &lines[i];

	ck_assert(line_open(l, NULL, now));
	hand_of(l->encap)->agreed = answers ? &agreed : NULL;
	says(l, (struct encap_event){.kind = ENCAP_UP});
	ck_assert_int_eq(l->state, LINE_UP);
	return l;
}

static struct packet *new_packet(void)
{
	struct packet *p = packet_get(pool);

	ck_assert_ptr_nonnull(p);
	p->length = LENGTH;
	udp4_write(p->data, LENGTH, 1, 2, ECN_NOT_ECT);
	return p;
}

static void load(struct line *l, struct packet *p)
{
	l->pool = pool;
	line_load(l, now, &(struct piece){.packet = p, .length = p->length, .plain = true});
}

static void send_whole(struct line *l)
{
	while (!line_needs_frame(l)) {
		now = sb_time_max(now, line_clock_wake(&l->clock));
		line_send(l, now);
		ck_assert_int_eq(l->state, LINE_UP);
	}
	now = l->clock.busy_until;
}

/* One after the other; `now` is when the last has left the wire. */
static void send_packets(struct line *l, struct packet *packets[], unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		packets[i] = new_packet();
		load(l, packets[i]);
		send_whole(l);
	}
}

static void hears_something(struct line *l, unsigned port)
{
	struct encap_packet p;

	port_script_feed(ports[port].port, bytes_of("x", 1));
	line_read(l, now);
	ck_assert(!line_receive(l, now, &p));
}

static void assert_gives_up(struct line *l, struct packet *const packets[], unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		ck_assert_ptr_eq(line_give_up(l, now), packets[i]);
		packet_put(pool, packets[i]);
	}
	ck_assert_ptr_null(line_give_up(l, now));
	ck_assert_ptr_null(l->pool);
}

/* --- what is given up --- */

START_TEST(nothing_was_sent)
{
	struct line *l = up(0, true);

	assert_gives_up(l, NULL, 0);
	l->pool = pool;
	line_close(l, now, "hung up");
	assert_gives_up(l, NULL, 0);
}
END_TEST

/* Of a peer that never answers, what left the wire has arrived. */
START_TEST(a_line_without_answers_gives_up_what_is_on_the_wire)
{
	struct packet *sent[4];
	struct line *l = up(0, false);

	send_packets(l, sent, 4);
	now -= FRAME_TIME / 2;
	line_close(l, now, "hung up");
	assert_gives_up(l, sent + 3, 1);
}
END_TEST

START_TEST(the_delay_of_the_line_counts_as_wire)
{
	struct packet *sent[4];
	struct line *l = up(0, false);

	l->config.delay = 2 * FRAME_TIME;
	send_packets(l, sent, 4);
	now -= FRAME_TIME / 2;
	line_close(l, now, "hung up");
	assert_gives_up(l, sent + 1, 3);
}
END_TEST

START_TEST(a_line_with_answers_gives_up_what_was_sent_since_the_last_but_a_round_trip)
{
	struct packet *sent[8];
	struct line *l = up(0, true);

	hand_of(l->encap)->round_trip = FRAME_TIME * 3 / 2;
	send_packets(l, sent, 4);
	hears_something(l, 0);
	send_packets(l, sent + 4, 4);
	line_close(l, now, "hung up");
	assert_gives_up(l, sent + 2,
			6); /* 2 and 3 left within the round trip before it was heard */
	ck_assert_uint_eq(l->counters.sent_again, 6);
}
END_TEST

START_TEST(a_silent_line_gives_up_what_was_sent_since_it_is_in_doubt)
{
	struct packet *sent[8];
	struct line *l = up(0, true);
	sb_time doubt;

	send_packets(l, sent, 4);
	doubt = now;
	send_packets(l, sent + 4, 4);
	says(l, (struct encap_event){.kind = ENCAP_SILENT, .since = doubt});
	ck_assert_int_eq(l->state, LINE_SILENT);
	assert_gives_up(l, sent + 4, 4);
}
END_TEST

/* What came in the meantime was heard, and does not tell that ours arrives. */
START_TEST(a_silent_line_is_in_doubt_whatever_characters_come)
{
	struct packet *sent[4];
	struct line *l = up(0, true);
	sb_time doubt = now;

	send_packets(l, sent, 4);
	hears_something(l, 0);
	says(l, (struct encap_event){.kind = ENCAP_SILENT, .since = doubt});
	assert_gives_up(l, sent, 4);
}
END_TEST

/* The driver keeps what it took last; and the frame in progress comes after those before it. */
START_TEST(a_stalled_line_gives_up_what_its_driver_keeps_and_the_rest)
{
	struct packet *sent[4];
	struct line *l = up(0, false);

	send_packets(l, sent, 3);
	now -= FRAME_TIME / 2;
	port_script_limit(ports[0].port, 10, SIZE_MAX);
	sent[3] = new_packet();
	load(l, sent[3]);
	now = sb_time_max(now, line_clock_wake(&l->clock));
	while (!l->wants_write) {
		now = sb_time_max(now, line_clock_wake(&l->clock));
		line_send(l, now);
	}
	while (l->state == LINE_UP) {
		now = line_deadline(l, now);
		line_tick(l, now);
	}
	ck_assert_int_eq(l->state, LINE_STALLED);
	ck_assert_ptr_eq(line_give_up(l, now), sent[2]);
	packet_put(pool, sent[2]);
	assert_gives_up(l, sent + 3, 1);
	ck_assert_uint_eq(l->counters.cut_frames, 1);
	ck_assert_uint_eq(l->counters.sent_again, 1);
	ck_assert_uint_eq(hand_of(l->encap)->marks, 1);
}
END_TEST

/* Not begun, it is no frame cut short. */
START_TEST(a_frame_that_was_only_loaded_is_given_up)
{
	struct packet *p = new_packet();
	struct line *l = up(0, false);

	load(l, p);
	line_close(l, now, "hung up");
	assert_gives_up(l, &p, 1);
	ck_assert_uint_eq(l->counters.cut_frames, 0);
	ck_assert(line_needs_frame(l));
}
END_TEST

/* Last words come after the frame in progress, which is whole then, but its packet goes again. */
START_TEST(an_orderly_end_does_not_cut_the_frame)
{
	struct packet *p = new_packet();
	struct line *l = up(0, true);

	load(l, p);
	line_send(l, now);
	ck_assert_uint_gt(line_unsent(l), 0);
	line_end(l, now, "closed");
	ck_assert_int_eq(l->state, LINE_ENDING);
	assert_gives_up(l, &p, 1);
	while (!line_needs_frame(l)) {
		now = line_clock_wake(&l->clock);
		line_send(l, now);
	}
	ck_assert_uint_eq(port_wrote(0).length, LENGTH);
	ck_assert_uint_eq(l->counters.cut_frames, 0);
	assert_gives_up(l, NULL, 0);
}
END_TEST

START_TEST(what_is_of_no_packet_is_not_given_up)
{
	struct line *l = up(0, true);

	l->pool = pool;
	line_load(l, now, &(struct piece){.begin = true, .end = true});
	ck_assert(!line_needs_frame(l));
	send_whole(l);
	line_close(l, now, "hung up");
	assert_gives_up(l, NULL, 0);
}
END_TEST

/* --- what is held --- */

/* Pieces of one went over both. Each gives up its own hold, and the packet is free after that. */
START_TEST(a_packet_may_be_held_by_two_lines)
{
	struct packet *p = new_packet();

	load(up(0, true), packet_hold(p));
	load(up(1, true), p);
	send_whole(&lines[0]);
	send_whole(&lines[1]);
	ck_assert_uint_eq(p->holders, 2);
	line_close(&lines[0], now, "hung up");
	ck_assert_ptr_eq(line_give_up(&lines[0], now), p);
	ck_assert_ptr_null(line_give_up(&lines[0], now));
	packet_put(pool, p);
	ck_assert_uint_eq(p->holders, 1);
	line_close(&lines[1], now, "hung up");
	assert_gives_up(&lines[1], &p, 1);
}
END_TEST

/* More than can be remembered: the oldest are let go. */
START_TEST(a_full_ring_lets_the_oldest_go)
{
	static struct packet *sent[2 * LINE_SENT];
	struct line *l = up(0, true);

	l->config.bps = 1000000;
	line_clock_init(&l->clock, 1000000, 10, now);
	send_packets(l, sent, LINE_SENT + 10);
	ck_assert_uint_eq(l->sent_count, LINE_SENT);
	ck_assert_uint_eq(packets_in_pool(), POOL - LINE_SENT);
	line_close(l, now, "hung up");
	assert_gives_up(l, sent + 10, LINE_SENT);
}
END_TEST

/* Three seconds without a word: nobody waits any more for what was sent before that. */
START_TEST(what_was_sent_long_ago_is_forgotten)
{
	struct packet *sent[60];
	struct line *l = up(0, true);
	unsigned held;

	send_packets(l, sent, 60); /* 6 s */
	held = POOL - packets_in_pool();
	ck_assert_uint_ge(held, 30);
	ck_assert_uint_le(held, 32);
	line_close(l, now, "hung up");
	assert_gives_up(l, sent + 60 - held, held);
}
END_TEST

/* An idle line may hold its last packets for long; they are as old then as they are. */
START_TEST(a_line_that_leaves_long_after_gives_up_what_was_not_answered)
{
	struct packet *sent[2];
	struct line *l = up(0, true);

	send_packets(l, sent, 1);
	now += SB_SEC;
	hears_something(l, 0);
	now += SB_SEC;
	send_packets(l, sent + 1, 1);
	line_close(l, now, "hung up");
	assert_gives_up(l, sent + 1, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("line_sent");
	TCase *given = tcase_create("given up"), *held = tcase_create("held");

	tcase_add_checked_fixture(given, set_up, tear_down);
	tcase_add_test(given, nothing_was_sent);
	tcase_add_test(given, a_line_without_answers_gives_up_what_is_on_the_wire);
	tcase_add_test(given, the_delay_of_the_line_counts_as_wire);
	tcase_add_test(given,
		       a_line_with_answers_gives_up_what_was_sent_since_the_last_but_a_round_trip);
	tcase_add_test(given, a_silent_line_gives_up_what_was_sent_since_it_is_in_doubt);
	tcase_add_test(given, a_silent_line_is_in_doubt_whatever_characters_come);
	tcase_add_test(given, a_stalled_line_gives_up_what_its_driver_keeps_and_the_rest);
	tcase_add_test(given, a_frame_that_was_only_loaded_is_given_up);
	tcase_add_test(given, an_orderly_end_does_not_cut_the_frame);
	tcase_add_test(given, what_is_of_no_packet_is_not_given_up);
	tcase_add_checked_fixture(held, set_up, tear_down);
	tcase_add_test(held, a_packet_may_be_held_by_two_lines);
	tcase_add_test(held, a_full_ring_lets_the_oldest_go);
	tcase_add_test(held, what_was_sent_long_ago_is_forgotten);
	tcase_add_test(held, a_line_that_leaves_long_after_gives_up_what_was_not_answered);
	suite_add_tcase(suite, given);
	suite_add_tcase(suite, held);
	return run_suite(suite);
}
