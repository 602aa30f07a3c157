/* SPDX-License-Identifier: MIT */
/*
 * SLIP on a line: what is taken for a packet, what is counted as what, and when
 * the user is told.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/codec_testing.h"
#include "tests/unit/ip_packets.h"

#include "sched/ip.h"
#include "slip/slip.h"
#include "src/config.h"
#include "src/encap.h"

enum { MTU = 576, LENGTH = 100 };

static const struct encap_kind *const kind = &encap_slip;
static const struct config config = {.mtu = MTU};
static struct encap *encap;
static struct frames got;
static uint8_t packet[MTU + 1];
static uint8_t wire_memory[1 << 16];

static void set_up(void)
{
	encap = kind->new (&(struct encap_config){.config = &config});
	ck_assert_ptr_nonnull(encap);
	frames_clear(&got);
}

static void tear_down(void)
{
	kind->free(encap);
}

static bool next(void *e, struct bytes *in, struct bytes *frame)
{
	struct encap_packet p;

	if (!kind->next(e, 0, in, &p))
		return false;
	ck_assert_uint_eq(p.protocol, encap_protocol(p.data));
	*frame = p.data;
	return true;
}

static void feed(struct bytes wire)
{
	collect(&got, next, encap, wire, 0, wire.length);
}

static struct encap_counters counters(void)
{
	struct encap_counters c;

	kind->count(encap, &c);
	return c;
}

/* All that is counted against the peer. */
static uint64_t faults(void)
{
	struct encap_counters c = counters();

	return c.bad_framing + c.too_long + c.not_ip + c.bad_length + c.bad_checksum + c.compressed;
}

static struct bytes encoded(struct bytes p)
{
	struct buf out = buf_over(wire_memory, sizeof wire_memory);

	kind->encode(encap, PPP_IP, bytes_of(NULL, 0), p, &out);
	ck_assert(!out.overflow);
	ck_assert_uint_eq(out.length, kind->encoded_length(encap, p));
	ck_assert_uint_le(out.length, encap_max_length(p.length));
	return buf_bytes(&out);
}

static void feed_packet(size_t length)
{
	feed(encoded(bytes_of(packet, length)));
}

static void feed_good(void)
{
	udp4_write(packet, LENGTH, 1, 2, ECN_NOT_ECT);
	feed_packet(LENGTH);
}

/* The notice after what was fed; there is no second one. */
static enum encap_notice notice(void)
{
	enum encap_notice n = kind->notice(encap);

	ck_assert_int_eq(kind->notice(encap), ENCAP_NOTHING);
	return n;
}

/* --- packets --- */

START_TEST(packets_of_every_length_come_back)
{
	size_t count = 0;

	for (size_t length = 40; length <= MTU; length += 67) {
		frames_clear(&got);
		ipv4_write(packet, length, 17, ECN_NOT_ECT);
		memset(packet + 20, length & 1 ? SLIP_END : SLIP_ESC, length - 20);
		feed_packet(length);
		ck_assert_uint_eq(got.count, 1);
		assert_octets(got.at[0], bytes_of(packet, length));
		frames_clear(&got);
		ipv6_write(packet, length, 17, ECN_NOT_ECT);
		feed_packet(length);
		ck_assert_uint_eq(got.count, 1);
		assert_octets(got.at[0], bytes_of(packet, length));
		count += 2;
	}
	ck_assert_uint_eq(counters().frames_in, count);
	ck_assert_uint_eq(faults(), 0);
}
END_TEST

/* The kernel's own form: no END in front but the one of the frame before. */
START_TEST(B011_packets_share_an_end_or_have_several)
{
	struct bytes wire;

	ipv4_write(packet, 20, 17, ECN_NOT_ECT);
	wire = encoded(bytes_of(packet, 20));
	feed(bytes_skip(wire, 1));
	feed(bytes_skip(wire, 1));
	feed(hex("c0 c0 c0"));
	feed(wire);
	ck_assert_uint_eq(got.count, 3);
	ck_assert_uint_eq(counters().frames_in, 3);
	ck_assert_uint_eq(faults(), 0);
}
END_TEST

START_TEST(B014_the_rest_of_a_frame_is_dropped_the_next_is_whole)
{
	feed(hex("11 22 33 c0"));
	feed_good();
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], bytes_of(packet, LENGTH));
	ck_assert_uint_eq(counters().not_ip, 1);
	ck_assert_uint_eq(faults(), 1);
	ck_assert_uint_eq(encoded(bytes_of(packet, LENGTH)).at[0], SLIP_END);
}
END_TEST

START_TEST(a_reset_forgets_the_frame_in_progress_and_keeps_the_counters)
{
	struct bytes wire;

	feed(hex("c0 11 c0"));
	udp4_write(packet, LENGTH, 1, 2, ECN_NOT_ECT);
	wire = encoded(bytes_of(packet, LENGTH));
	feed(bytes_of(wire.at, 50));
	kind->lower_up(encap, 0);
	feed(bytes_skip(wire, 1)); /* without the END that would have told them apart */
	ck_assert_uint_eq(got.count, 1);
	assert_octets(got.at[0], bytes_of(packet, LENGTH));
	ck_assert_uint_eq(counters().frames_in, 2);
	ck_assert_uint_eq(faults(), 1);
}
END_TEST

/* --- what is no packet --- */

struct fault {
	const char *wire;
	size_t counter; /* offset in struct encap_counters */
};

#define COUNTER(name) offsetof(struct encap_counters, name)

/* 45 00 00 1c .. 66 de is an echo request of 28 bytes. */
static const struct fault fault_cases[] = {
	{"c0 45 00 db 41 c0", COUNTER(bad_framing)},
	{"c0 45 00 db c0", COUNTER(bad_framing)},
	{"c0 15 00 00 1c c0", COUNTER(not_ip)},
	{"c0 55 c0", COUNTER(not_ip)},
	{"c0 45 c0", COUNTER(bad_length)},
	{"c0 60 00 00 00 00 00 11 40 c0", COUNTER(bad_length)},
	{"c0 45 00 00 1d 00 01 00 00 40 01 66 dd 0a 00 00 01 0a 00 00 02 08 00 f7 ff 00 00 00 00 "
	 "c0",
	 COUNTER(bad_length)},
	{"c0 44 00 00 1c 00 01 00 00 40 01 66 de 0a 00 00 01 0a 00 00 02 08 00 f7 ff 00 00 00 00 "
	 "c0",
	 COUNTER(bad_length)},
	{"c0 45 00 00 1c 00 01 00 00 40 01 66 df 0a 00 00 01 0a 00 00 02 08 00 f7 ff 00 00 00 00 "
	 "c0",
	 COUNTER(bad_checksum)},
	{"c0 70 00 00 1c c0", COUNTER(compressed)},
	{"c0 80 00 c0", COUNTER(compressed)},
	{"c0 ff c0", COUNTER(compressed)},
};
enum { FAULT_CASES = sizeof fault_cases / sizeof fault_cases[0] };

START_TEST(each_fault_is_counted_by_its_kind)
{
	const struct fault *f = &fault_cases[_i];
	struct encap_counters c;
	uint64_t counted;

	feed(hex(f->wire));
	c = counters();
	memcpy(&counted, (const char *)&c + f->counter, sizeof counted);
	ck_assert_uint_eq(got.count, 0);
	ck_assert_uint_eq(counted, 1);
	ck_assert_uint_eq(faults(), 1);
	ck_assert_uint_eq(c.frames_in, 1);
	feed_good();
	ck_assert_uint_eq(got.count, 1);
	ck_assert_uint_eq(faults(), 1);
}
END_TEST

START_TEST(B004_the_mtu_is_the_longest)
{
	ipv4_write(packet, MTU, 17, ECN_NOT_ECT);
	feed_packet(MTU);
	ck_assert_uint_eq(got.count, 1);
	ipv4_write(packet, MTU + 1, 17, ECN_NOT_ECT);
	feed_packet(MTU + 1);
	ck_assert_uint_eq(got.count, 1);
	ck_assert_uint_eq(counters().too_long, 1);
	ck_assert_uint_eq(counters().frames_in, 2);
}
END_TEST

/* Whatever the line says, in whatever pieces: only packets come out, and the next good one does. */
START_TEST(junk_is_no_packet_and_does_no_harm)
{
	static uint8_t junk[4096];
	uint64_t seed = 15;

	for (int round = 0; round < 50; round++) {
		random_fill(&seed, junk, sizeof junk, hex("c0 c0 db dc dd 45 60 70 80 00 0d 0a"));
		frames_clear(&got);
		collect(&got, next, encap, bytes_of(junk, sizeof junk), 1 + (size_t)round,
			1 + random_below(&seed, 64));
		for (size_t i = 0; i < got.count; i++)
			ck_assert_int_eq(ip_check(got.at[i]), IP_OK);
		feed(hex("c0"));
		frames_clear(&got);
		feed_good();
		ck_assert_uint_eq(got.count, 1);
		notice(), notice();
	}
	ck_assert_uint_gt(faults(), 1000);
	ck_assert_uint_eq(counters().frames_in, faults() + 50);
}
END_TEST

/* --- words --- */

static const char *const words[] = {
	"0d 0a 4f 4b 0d 0a",                      /* OK */
	"52 49 4e 47 0d 0a",                      /* RING */
	"00 ff 0d 0a 4f 4b 0d 0a",                /* behind noise, as a port that is opened makes */
	"45 52 52 4f 52 0d",                      /* ERROR: begins as IPv4 does */
	"c0 c0 6c 6f 67 69 6e 3a 20 78 0d",       /* login: begins as IPv6 does, behind our ENDs */
	"db c0 45 00 00 c0 4e 4f 0d 4e 4f 0d 0a", /* behind the end of a damaged packet */
};
enum { WORDS = sizeof words / sizeof words[0] };

START_TEST(B015_words_are_said_once)
{
	struct bytes w = hex(words[_i]);

	collect(&got, next, encap, w, 0, 1);
	ck_assert_int_eq(notice(), ENCAP_SAW_TEXT);
	feed(w);
	kind->lower_up(encap, 0);
	feed(w);
	ck_assert_int_eq(notice(), ENCAP_NOTHING);
	ck_assert_uint_eq(got.count, 0);
}
END_TEST

START_TEST(B015_half_a_word_before_a_reset_does_not_count)
{
	feed(hex("0d 0a 4f 4b"));
	kind->lower_up(encap, 0);
	feed(hex("0d 0a"));
	ck_assert_int_eq(notice(), ENCAP_NOTHING);
	feed(hex("4f 4b 0d 0a"));
	ck_assert_int_eq(notice(), ENCAP_SAW_TEXT);
}
END_TEST

/* A packet whose payload is text, in reads as small as a slow line's. */
START_TEST(B015_packets_that_carry_words_are_not_words)
{
	static const char text[] = "HTTP/1.0 200 OK\r\nServer: x\r\n\r\n";
	size_t length = (_i ? 40 : 28) + sizeof text - 1;
	struct bytes wire;

	if (_i)
		ipv6_write(packet, length, 6, ECN_NOT_ECT);
	else
		udp4_write(packet, length, 80, 1024, ECN_NOT_ECT);
	memcpy(packet + length - (sizeof text - 1), text, sizeof text - 1);
	wire = encoded(bytes_of(packet, length));
	for (size_t i = 0; i < wire.length; i++) {
		feed(bytes_of(wire.at + i, 1));
		ck_assert_int_eq(notice(), ENCAP_NOTHING);
	}
	ck_assert_uint_eq(got.count, 1);
	feed(hex("0d 0a 4f 4b 0d 0a c0"));
	ck_assert_int_eq(notice(), ENCAP_NOTHING);
}
END_TEST

/* --- compressed headers --- */

/* RFC 1144, 3.2.3: TYPE_UNCOMPRESSED_TCP; all of it is as the sender made it but the protocol. */
static void write_uncompressed(size_t length)
{
	ipv4_write(packet, length, 6, ECN_NOT_ECT);
	packet[0] |= 0x70;
	packet[9] = 3;
}

START_TEST(E11_an_uncompressed_header_of_cslip_is_said_once)
{
	write_uncompressed(LENGTH);
	feed_packet(LENGTH);
	ck_assert_int_eq(notice(), ENCAP_SAW_COMPRESSED);
	feed_packet(LENGTH);
	ck_assert_int_eq(notice(), ENCAP_NOTHING);
	ck_assert_uint_eq(counters().compressed, 2);
	ck_assert_uint_eq(got.count, 0);
}
END_TEST

START_TEST(E11_compressed_headers_in_a_row_are_said_once)
{
	int said = 0;

	for (int i = 0; i < 100; i++) {
		feed(hex("c0 8b 12 34 56 78 c0"));
		said += notice() == ENCAP_SAW_COMPRESSED;
		ck_assert_int_eq(said, i >= 15);
	}
	ck_assert_uint_eq(counters().compressed, 100);
}
END_TEST

/* Noise that turns one packet in three into what might be compressed is no reason to warn. */
START_TEST(E11_noise_is_not_taken_for_compression)
{
	for (int i = 0; i < 100; i++) {
		feed(hex("c0 c5 00 12 34 c0"));
		feed(hex("c0 70 00 00 40 c0"));
		feed_good();
	}
	ck_assert_int_eq(notice(), ENCAP_NOTHING);
	ck_assert_uint_eq(counters().compressed, 200);
	ck_assert_uint_eq(got.count, 100);
}
END_TEST

static TCase *new_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	suite_add_tcase(suite, tcase);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("encap_slip");
	TCase *packets = new_case(suite, "packets"), *bad = new_case(suite, "faults");
	TCase *text = new_case(suite, "words"), *compressed = new_case(suite, "compressed");

	tcase_add_test(packets, packets_of_every_length_come_back);
	tcase_add_test(packets, B011_packets_share_an_end_or_have_several);
	tcase_add_test(packets, B014_the_rest_of_a_frame_is_dropped_the_next_is_whole);
	tcase_add_test(packets, a_reset_forgets_the_frame_in_progress_and_keeps_the_counters);
	tcase_add_loop_test(bad, each_fault_is_counted_by_its_kind, 0, FAULT_CASES);
	tcase_add_test(bad, B004_the_mtu_is_the_longest);
	tcase_add_test(bad, junk_is_no_packet_and_does_no_harm);
	tcase_add_loop_test(text, B015_words_are_said_once, 0, WORDS);
	tcase_add_test(text, B015_half_a_word_before_a_reset_does_not_count);
	tcase_add_loop_test(text, B015_packets_that_carry_words_are_not_words, 0, 2);
	tcase_add_test(compressed, E11_an_uncompressed_header_of_cslip_is_said_once);
	tcase_add_test(compressed, E11_compressed_headers_in_a_row_are_said_once);
	tcase_add_test(compressed, E11_noise_is_not_taken_for_compression);
	return run_suite(suite);
}
