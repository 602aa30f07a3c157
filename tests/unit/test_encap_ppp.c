/* SPDX-License-Identifier: MIT */
/*
 * PPP behind the waist: that the configuration reaches the link, and what the link says
 * the line. Two encapsulations talk to each other over nothing, frame by frame.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/codec_testing.h"
#include "tests/unit/ip_packets.h"

#include "ppp/secret.h"
#include "src/config.h"

#include <stdio.h>

enum { MTU = 1500, LENGTH = 100, ROOM = 8192 };

static const struct encap_kind *const kind = &encap_ppp;

static const struct secret chap_rows[] = {{"ann", "bob", "sesame", NULL}};
static const struct secret pap_rows[] = {{"ann", "bob", "open", NULL}};
static const struct secrets none, chap = {chap_rows, 1}, pap = {pap_rows, 1};

struct end {
	struct config config;
	const struct secrets *pap, *chap;
	struct encap *encap; /* NULL until it is made */
	struct encap_event events[16];
	unsigned events_count;
	struct encap_packet packet; /* the last */
	uint8_t packet_memory[MTU];
	unsigned packets;
};

static struct end ends[2];
static sb_time now;
static uint64_t random_state;

static uint32_t random_number(void *context)
{
	return (uint32_t)next_random(context);
}

static void set_up(void)
{
	memset(ends, 0, sizeof ends);
	now = 1000 * SB_SEC;
	random_state = 3;
	for (unsigned i = 0; i < 2; i++) {
		ends[i].pap = ends[i].chap = &none;
		ends[i].config = (struct config){
			.mtu = MTU,
			.lines[0] = {.bps = 38400, .bits_per_char = 10, .encap = kind},
			.line_count = 1,
			.ppp =
				{
					.mru = 1500,
					.multilink = true,
					.mrru = 1500,
					.pfc = true,
					.acfc = true,
					.endpoint = {.class = 1,
						     .length = 4,
						     .address = {9, 9, 9, (uint8_t)i}},
					.echo_interval = 10 * SB_SEC,
					.echo_failure = 6,
					.timers = {.restart = 3 * SB_SEC,
						   .max_configure = 10,
						   .max_terminate = 2,
						   .max_failure = 5},
				},
		};
	}
}

static void tear_down(void)
{
	for (unsigned i = 0; i < 2; i++)
		if (ends[i].encap)
			kind->free(ends[i].encap);
}

/* --- two ends --- */

static void make(void)
{
	for (unsigned i = 0; i < 2; i++) {
		ends[i].encap = kind->new (&(struct encap_config){
			.config = &ends[i].config,
			.line = &ends[i].config.lines[0],
			.pap = ends[i].pap,
			.chap = ends[i].chap,
			.random = random_number,
			.random_context = &random_state,
		});
		ck_assert_ptr_nonnull(ends[i].encap);
	}
}

static void note_events(struct end *e)
{
	while (e->events_count < 16 && kind->event(e->encap, &e->events[e->events_count]))
		e->events_count++;
}

static void receive(struct end *to, struct bytes wire)
{
	struct encap_packet p;

	while (kind->next(to->encap, now, &wire, &p)) {
		ck_assert_uint_le(p.data.length, sizeof to->packet_memory);
		memcpy(to->packet_memory, p.data.at, p.data.length);
		to->packet = p;
		to->packet.data.at = to->packet_memory;
		to->packets++;
	}
	ck_assert_uint_eq(wire.length, 0);
	note_events(to);
}

/* All that the end has to say goes to the other; false: nothing. */
static bool say(unsigned from)
{
	uint8_t memory[ROOM];
	struct buf out = buf_over(memory, sizeof memory);
	bool any = false;

	while (encap_output(ends[from].encap, now, &out))
		any = true;
	ck_assert(!out.overflow);
	receive(&ends[!from], buf_bytes(&out));
	return any;
}

static void talk(void)
{
	bool more = true;

	while (more) {
		more = say(0);
		more |= say(1);
	}
}

static void lower_up(void)
{
	for (unsigned i = 0; i < 2; i++) {
		kind->lower_up(ends[i].encap, now);
		note_events(&ends[i]);
	}
}

static void pass_time(sb_time duration)
{
	now += duration;
	for (unsigned i = 0; i < 2; i++) {
		if (now >= encap_deadline(ends[i].encap))
			kind->tick(ends[i].encap, now);
		note_events(&ends[i]);
	}
}

static void bring_up(void)
{
	make();
	lower_up();
	talk();
	ck_assert_ptr_nonnull(encap_agreed(ends[0].encap));
	ck_assert_ptr_nonnull(encap_agreed(ends[1].encap));
}

static bool told(const struct end *e, int what)
{
	for (unsigned i = 0; i < e->events_count; i++)
		if ((int)e->events[i].kind == what)
			return true;
	return false;
}

static struct bytes ip_packet(void)
{
	static uint8_t memory[LENGTH];

	udp4_write(memory, LENGTH, 1, 2, ECN_NOT_ECT);
	memset(memory + 28, 0x7e, 30);
	return bytes_of(memory, LENGTH);
}

/* --- up and down --- */

START_TEST(it_is_up_when_both_agree)
{
	const struct link_agreed *a;

	make();
	ck_assert_ptr_null(encap_agreed(ends[0].encap));
	lower_up();
	talk();
	a = encap_agreed(ends[0].encap);
	ck_assert_ptr_nonnull(a);
	ck_assert(told(&ends[0], ENCAP_UP));
	ck_assert(a->multilink);
	ck_assert_uint_eq(a->peer_mrru, 1500);
	ck_assert(a->peer_has_endpoint);
	ck_assert_uint_eq(a->peer_endpoint.address[3], 1);
	ck_assert(told(&ends[0], ENCAP_IDENTIFIED));
	ck_assert_int_eq(strncmp(a->peer_identity, "serialbundle ", 13), 0);
}
END_TEST

START_TEST(the_configuration_reaches_the_link)
{
	const struct link_agreed *a;

	ends[0].config.ppp.mru = 1000;
	ends[0].config.ppp.mrru = 1200;
	ends[0].config.ppp.short_sequence = true;
	ends[1].config.ppp.short_sequence = true;
	ends[0].config.ppp.accm = 0x000a0000;
	bring_up();
	a = encap_agreed(ends[1].encap);
	ck_assert_uint_eq(a->peer_mru, 1000);
	ck_assert_uint_eq(a->peer_mrru, 1200);
	ck_assert(a->short_in && a->short_out);
	ck_assert(asyncmap_has(&((const struct link_coding *)encap_coding(ends[1].encap))->map,
			       0x11));
}
END_TEST

START_TEST(without_multilink_it_is_plain)
{
	ends[_i].config.ppp.multilink = false;
	bring_up();
	for (unsigned i = 0; i < 2; i++)
		ck_assert(!encap_agreed(ends[i].encap)->multilink);
}
END_TEST

START_TEST(an_end_is_told_with_its_reason)
{
	struct encap_event *last;

	bring_up();
	ends[0].events_count = ends[1].events_count = 0;
	kind->close(ends[0].encap, now);
	talk();
	last = &ends[1].events[ends[1].events_count - 1];
	ck_assert_int_eq(last->kind, ENCAP_DOWN);
	ck_assert_int_eq(last->why, LINK_PEER_TERMINATED);
	ck_assert_str_eq(last->reason, "the peer closed the link");
	ck_assert_ptr_null(encap_agreed(ends[1].encap));
	ck_assert(told(&ends[0], ENCAP_DOWN));
}
END_TEST

/* Nobody is asked for a word on a line that has no peer, and then it says so. */
START_TEST(B045_no_reply_is_told)
{
	uint8_t memory[ROOM];

	make();
	kind->lower_up(ends[0].encap, now);
	for (unsigned i = 0; i < 60 && !told(&ends[0], ENCAP_DOWN); i++) {
		struct buf out = buf_over(memory, sizeof memory);

		encap_output(ends[0].encap, now, &out);
		now += SB_SEC;
		if (now >= encap_deadline(ends[0].encap))
			kind->tick(ends[0].encap, now);
		note_events(&ends[0]);
	}
	ck_assert_int_eq(ends[0].events[0].kind, ENCAP_DOWN);
	ck_assert_int_eq(ends[0].events[0].why, LINK_NO_REPLY);
}
END_TEST

START_TEST(silence_is_told_and_since_when)
{
	sb_time quiet;

	bring_up();
	pass_time(SB_SEC);
	talk();
	quiet = now;
	for (unsigned i = 0; i < 50 && !told(&ends[0], ENCAP_SILENT); i++) {
		uint8_t memory[ROOM];
		struct buf out = buf_over(memory, sizeof memory);

		kind->relied(ends[0].encap, now);
		while (encap_output(ends[0].encap, now, &out))
			continue;
		pass_time(100 * SB_MS);
	}
	ck_assert(told(&ends[0], ENCAP_SILENT));
	ck_assert_int_lt(now - quiet, 2 * SB_SEC);
	for (unsigned i = 0; i < ends[0].events_count; i++)
		if (ends[0].events[i].kind == ENCAP_SILENT)
			ck_assert_int_le(ends[0].events[i].since, quiet + SB_SEC);
	pass_time(SB_SEC);
	talk();
	ck_assert(told(&ends[0], ENCAP_HEARD));
}
END_TEST

/* --- secrets --- */

/* Of an idle line, in that many tenths of a second. */
static uint64_t frames_heard(unsigned at, unsigned tenths)
{
	struct encap_counters before, after;

	kind->count(ends[at].encap, &before);
	for (unsigned i = 0; i < tenths; i++) {
		pass_time(100 * SB_MS);
		talk();
	}
	kind->count(ends[at].encap, &after);
	return after.frames_in - before.frames_in;
}

START_TEST(probes_are_echo_requests_that_often)
{
	ends[0].config.probe = (struct probe_config){.interval = 500 * SB_MS, .missed_max = 2};
	bring_up();
	uint64_t heard = frames_heard(1, 300);
	ck_assert_uint_ge(heard, 59);
	ck_assert_uint_le(heard, 66); /* and what answers the other's own */
}
END_TEST

/* It would hang up a call. */
START_TEST(probes_give_no_link_up_sooner)
{
	ends[0].config.probe = (struct probe_config){.interval = 500 * SB_MS, .missed_max = 2};
	bring_up();
	frames_heard(1, 20);
	sb_time quiet = now;
	while (!told(&ends[0], ENCAP_DOWN) && now < quiet + 100 * SB_SEC) {
		uint8_t memory[ROOM];
		struct buf out = buf_over(memory, sizeof memory);

		while (encap_output(ends[0].encap, now, &out))
			continue;
		pass_time(100 * SB_MS);
	}
	ck_assert(told(&ends[0], ENCAP_SILENT));
	ck_assert(told(&ends[0], ENCAP_DOWN));
	ck_assert_int_ge(now - quiet, 59 * SB_SEC);
	ck_assert_int_le(now - quiet, 63 * SB_SEC);
}
END_TEST

static void authenticate(bool by_pap)
{
	ends[0].config.ppp.require_pap = by_pap;
	ends[0].config.ppp.require_chap = !by_pap;
	snprintf(ends[0].config.ppp.name, AUTH_NAME_SIZE, "bob");
	snprintf(ends[1].config.ppp.name, AUTH_NAME_SIZE, "ann");
	snprintf(ends[1].config.ppp.remote_name, AUTH_NAME_SIZE, "bob");
}

/* A secret is for the method whose file it is in: PAP's is told in the clear. */
START_TEST(each_method_has_its_own_secrets)
{
	bool by_pap = _i;

	authenticate(by_pap);
	for (unsigned i = 0; i < 2; i++)
		*(by_pap ? &ends[i].pap : &ends[i].chap) = by_pap ? &pap : &chap;
	bring_up();
	ck_assert_str_eq(encap_agreed(ends[0].encap)->peer_name, "ann");
	ck_assert(encap_agreed(ends[1].encap)->we_proved);
}
END_TEST

START_TEST(B054_a_secret_of_the_other_method_is_not_told)
{
	bool by_pap = _i;

	authenticate(by_pap);
	for (unsigned i = 0; i < 2; i++)
		*(by_pap ? &ends[i].chap : &ends[i].pap) = by_pap ? &chap : &pap;
	make();
	lower_up();
	talk();
	ck_assert_ptr_null(encap_agreed(ends[0].encap));
	ck_assert_ptr_null(encap_agreed(ends[1].encap));
}
END_TEST

/* --- frames --- */

/* As long as it was said to be, and what comes out is what went in. */
START_TEST(packets_pass)
{
	uint8_t memory[ROOM];
	struct buf out = buf_over(memory, sizeof memory);
	size_t length;

	bring_up();
	kind->encode(ends[0].encap, PPP_IP, bytes_of(NULL, 0), ip_packet(), &out);
	out.length = 0; /* from here on no frame begins with a flag of its own */
	kind->encode(ends[0].encap, PPP_IP, bytes_of(NULL, 0), ip_packet(), &out);
	length = kind->encoded_length(encap_coding(ends[0].encap), ip_packet());
	ck_assert_uint_eq(out.length, length);
	ck_assert_uint_ge(length, LENGTH + 30);
	receive(&ends[1], buf_bytes(&out));
	ck_assert_uint_eq(ends[1].packets, 1);
	ck_assert_uint_eq(ends[1].packet.protocol, PPP_IP);
	assert_octets(ends[1].packet.data, ip_packet());
}
END_TEST

/* Header of multilink and first octets of the packet, in two pieces; then what stands besides. */
START_TEST(a_fragment_takes_its_data_and_the_overhead)
{
	static const uint8_t plain[50] = {'p', 'l', 'a', 'i', 'n'};
	size_t header = _i ? 2 : 4;
	uint8_t memory[ROOM];
	struct buf out = buf_over(memory, sizeof memory);

	ends[0].config.ppp.short_sequence = ends[1].config.ppp.short_sequence = _i;
	bring_up();
	kind->encode(ends[0].encap, PPP_IP, bytes_of(NULL, 0), ip_packet(), &out);
	out.length = 0;
	kind->encode(ends[0].encap, PPP_MP, bytes_of("\x40\x21\x22\x23", header),
		     bytes_of(plain, sizeof plain), &out);
	ck_assert_uint_le(out.length, kind->overhead(ends[0].encap) + sizeof plain + 2); /* FCS */
	ck_assert_uint_ge(out.length, kind->overhead(ends[0].encap) + sizeof plain);
	receive(&ends[1], buf_bytes(&out));
	ck_assert_uint_eq(ends[1].packet.protocol, PPP_MP);
	ck_assert_uint_eq(ends[1].packet.data.length, header + sizeof plain);
	ck_assert_mem_eq(ends[1].packet.data.at + header, plain, sizeof plain);
}
END_TEST

/* Of the longest packet the worst encoding fits what a line has for it. */
START_TEST(B004_the_longest_frame_fits)
{
	static uint8_t worst[MTU], memory[2 * MTU + ENCAP_FRAME_EXTRA];
	struct buf out = buf_over(memory, encap_max_length(MTU));

	for (unsigned i = 0; i < 2; i++) {
		ends[i].config.ppp.accm = 0xffffffff;
		ends[i].config.ppp.pfc = ends[i].config.ppp.acfc = false;
		ends[i].config.ppp.fcs = 4;
	}
	memset(worst, 0x7d, sizeof worst);
	bring_up();
	kind->cut(ends[0].encap, bytes_of(worst, 1));
	kind->cut(ends[0].encap, ip_packet());
	kind->encode(ends[0].encap, PPP_MP, bytes_of("\x7d\x7d\x7d\x7d\x7d\x7d", 6),
		     bytes_of(worst, sizeof worst), &out);
	ck_assert(!out.overflow);
}
END_TEST

START_TEST(what_was_cut_is_not_taken_for_the_beginning_of_the_next)
{
	uint8_t memory[ROOM];
	struct buf out = buf_over(memory, sizeof memory);

	bring_up();
	kind->encode(ends[0].encap, PPP_IP, bytes_of(NULL, 0), ip_packet(), &out);
	out.length = 40;
	kind->mark(ends[0].encap);
	kind->encode(ends[0].encap, PPP_IP, bytes_of(NULL, 0), ip_packet(), &out);
	receive(&ends[1], buf_bytes(&out));
	ck_assert_uint_eq(ends[1].packets, 1);
	assert_octets(ends[1].packet.data, ip_packet());
}
END_TEST

/* The peer is not to take it for a damaged one; its end may be a frame of the link's own. */
START_TEST(what_was_cut_is_aborted)
{
	uint8_t memory[ROOM];
	struct buf out = buf_over(memory, sizeof memory);
	struct encap_counters c;

	bring_up();
	for (size_t cut = 39; cut <= 40; cut++) { /* in an escape, and not */
		out.length = 0;
		kind->encode(ends[0].encap, PPP_IP, bytes_of(NULL, 0), ip_packet(), &out);
		out.length = cut;
		kind->cut(ends[0].encap, buf_bytes(&out));
		kind->encode(ends[0].encap, PPP_IP, bytes_of(NULL, 0), ip_packet(), &out);
		kind->encode(ends[0].encap, PPP_IP, bytes_of(NULL, 0), ip_packet(), &out);
		receive(&ends[1], buf_bytes(&out));
		assert_octets(ends[1].packet.data, ip_packet());
	}
	ck_assert_uint_eq(ends[1].packets, 4);
	kind->count(ends[1].encap, &c);
	ck_assert_uint_eq(c.bad_fcs, 0);
}
END_TEST

START_TEST(a_frame_of_the_links_own_aborts_too)
{
	uint8_t memory[ROOM];
	struct buf out = buf_over(memory, sizeof memory);

	bring_up();
	kind->cut(ends[0].encap, ip_packet());
	kind->close(ends[0].encap, now);
	ck_assert(kind->output(ends[0].encap, now, &out));
	ck_assert_mem_eq(memory, "\x7d\x7e\xff\x7d\x23", 5); /* no flag besides */
}
END_TEST

/* --- what is counted and said --- */

START_TEST(what_is_wrong_is_counted)
{
	struct encap_counters c;
	uint8_t memory[ROOM];
	struct buf out = buf_over(memory, sizeof memory);

	bring_up();
	kind->encode(ends[0].encap, PPP_IP, bytes_of(NULL, 0), ip_packet(), &out);
	memory[50] ^= 1;
	receive(&ends[1], buf_bytes(&out));
	receive(&ends[1], bytes_of("\xff\x03\x7d\x7e", 4)); /* an abort (RFC 1662 section 4.3) */
	receive(&ends[1], bytes_of("\xff\x03\x7e", 3));     /* a runt */
	kind->count(ends[1].encap, &c);
	ck_assert_uint_eq(c.bad_fcs, 1);
	ck_assert_uint_eq(c.bad_framing, 2);
	ck_assert_double_lt(c.loss_in, 0);
	ck_assert_uint_gt(c.frames_in, 3);
}
END_TEST

START_TEST(B046_an_unknown_protocol_is_rejected_and_the_peer_told)
{
	uint8_t memory[ROOM];
	struct buf out = buf_over(memory, sizeof memory);
	struct encap_counters c;
	struct encap_event *last;

	bring_up();
	kind->encode(ends[0].encap, 0x80fd, bytes_of(NULL, 0), hex("01 01 00 04"), &out);
	receive(&ends[1], buf_bytes(&out));
	ck_assert_uint_eq(ends[1].packet.protocol, 0x80fd);
	kind->reject(ends[1].encap, now, ends[1].packet);
	talk();
	last = &ends[0].events[ends[0].events_count - 1];
	ck_assert_int_eq(last->kind, ENCAP_PROTOCOL_REJECTED);
	ck_assert_uint_eq(last->protocol, 0x80fd);
	kind->count(ends[1].encap, &c);
	ck_assert_uint_eq(c.unknown, 1);
}
END_TEST

/* Bad frames, none of whose characters has its high bit: said once. */
START_TEST(B028_a_line_of_seven_bits_is_told)
{
	struct bytes frame = hex("7e 7f 7d 23 40 21 7d 21 7d 21 7d 20 7d 24 51 35 7e");

	make();
	lower_up();
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_int_eq(kind->notice(ends[0].encap), ENCAP_NOTHING);
		receive(&ends[0], frame);
	}
	ck_assert_int_eq(kind->notice(ends[0].encap), ENCAP_SAW_SEVEN_BITS);
	ck_assert_int_eq(kind->notice(ends[0].encap), ENCAP_NOTHING);
}
END_TEST

/* A program that writes and writes, say. */
START_TEST(much_without_a_frame_is_told)
{
	const struct bytes words = bytes_of("garbage\n", 8);

	make();
	lower_up();
	for (unsigned i = 0; i < 4096 / 8; i++) {
		ck_assert_int_eq(kind->notice(ends[0].encap), ENCAP_NOTHING);
		receive(&ends[0], words);
	}
	ck_assert_int_eq(kind->notice(ends[0].encap), ENCAP_SAW_NO_FRAMES);
	receive(&ends[0], words);
	ck_assert_int_eq(kind->notice(ends[0].encap), ENCAP_NOTHING);
}
END_TEST

/* One frame is enough, were it a bad one. */
START_TEST(much_with_a_frame_is_not)
{
	const struct bytes words = bytes_of("garbage\n", 8);

	make();
	lower_up();
	receive(&ends[0], hex("7e 7f 7d 23 40 21 7d 21 7d 21 7d 20 7d 24 51 35 7e"));
	for (unsigned i = 0; i < 2 * 4096 / 8; i++) {
		receive(&ends[0], words);
		ck_assert_int_eq(kind->notice(ends[0].encap), ENCAP_NOTHING);
	}
}
END_TEST

/* --- who speaks first --- */

static unsigned characters_said_unasked(bool answer, const struct encap_kind *given)
{
	uint8_t memory[ROOM];
	struct buf out = buf_over(memory, sizeof memory);

	ends[0].config.answer = answer;
	ends[0].config.lines[0].encap = given;
	make();
	kind->lower_up(ends[0].encap, now);
	while (encap_output(ends[0].encap, now, &out))
		continue;
	return (unsigned)out.length;
}

START_TEST(who_calls_speaks_first)
{
	ck_assert_uint_gt(characters_said_unasked(false, kind), 0);
}
END_TEST

START_TEST(who_answers_lets_the_peer_speak_first)
{
	ck_assert_uint_eq(characters_said_unasked(true, kind), 0);
}
END_TEST

/* The peer has spoken, and may have been up for long: it has to hear a Configure-Request. */
START_TEST(who_answers_a_peer_that_was_heard_speaks)
{
	ck_assert_uint_gt(characters_said_unasked(true, NULL), 0);
}
END_TEST

static TCase *new_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	suite_add_tcase(suite, tcase);
	return tcase;
}

static void add_life(Suite *suite)
{
	TCase *life = new_case(suite, "life"), *secret = new_case(suite, "secrets");
	TCase *first = new_case(suite, "first");

	tcase_add_test(life, it_is_up_when_both_agree);
	tcase_add_test(life, the_configuration_reaches_the_link);
	tcase_add_loop_test(life, without_multilink_it_is_plain, 0, 2);
	tcase_add_test(life, an_end_is_told_with_its_reason);
	tcase_add_test(life, B045_no_reply_is_told);
	tcase_add_test(life, silence_is_told_and_since_when);
	tcase_add_test(life, probes_are_echo_requests_that_often);
	tcase_add_test(life, probes_give_no_link_up_sooner);
	tcase_add_loop_test(secret, each_method_has_its_own_secrets, 0, 2);
	tcase_add_loop_test(secret, B054_a_secret_of_the_other_method_is_not_told, 0, 2);
	tcase_add_test(first, who_calls_speaks_first);
	tcase_add_test(first, who_answers_lets_the_peer_speak_first);
	tcase_add_test(first, who_answers_a_peer_that_was_heard_speaks);
}

static void add_frames(Suite *suite)
{
	TCase *frames = new_case(suite, "frames"), *told_case = new_case(suite, "told");

	tcase_add_test(frames, packets_pass);
	tcase_add_loop_test(frames, a_fragment_takes_its_data_and_the_overhead, 0, 2);
	tcase_add_test(frames, B004_the_longest_frame_fits);
	tcase_add_test(frames, what_was_cut_is_not_taken_for_the_beginning_of_the_next);
	tcase_add_test(frames, what_was_cut_is_aborted);
	tcase_add_test(frames, a_frame_of_the_links_own_aborts_too);
	tcase_add_test(told_case, what_is_wrong_is_counted);
	tcase_add_test(told_case, B046_an_unknown_protocol_is_rejected_and_the_peer_told);
	tcase_add_test(told_case, B028_a_line_of_seven_bits_is_told);
	tcase_add_test(told_case, much_without_a_frame_is_told);
	tcase_add_test(told_case, much_with_a_frame_is_not);
}

int main(void)
{
	Suite *suite = suite_create("encap_ppp");

	add_life(suite);
	add_frames(suite);
	return run_suite(suite);
}
