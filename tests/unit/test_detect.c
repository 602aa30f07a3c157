/* SPDX-License-Identifier: MIT */
/*
 * What an answered line speaks. Each stream is fed in every cut of two and in single
 * characters; what decided, what the link gets (replay and rest) and what is answered
 * must not depend on it. The link's own decoder judges the replay.
 */
#include "src/detect.h"

#include "ppp/hdlc.h"
#include "slip/slip.h"
#include "tests/unit/codec_testing.h"

#define LCP "c0 21 7d 21 7d 21 7d 20 7d 24"
/* ff 03 c0 21, Configure-Request, FCS 16; the default map. */
#define LCP_FRAME  "7e ff 7d 23 c0 21 7d 21 7d 21 7d 20 7d 24 d1 b5 7e"
#define LCP_PACKET "ff 03 c0 21 01 01 00 04"
/* 20 octets of header 10.0.0.1 -> 10.0.0.2, ICMP, and 8 of echo request. */
#define PING     "45 00 00 1c 00 01 00 00 40 01 66 de 0a 00 00 01 0a 00 00 02 08 00 f7 ff 00 00 00 00"
#define PING_192 /* from 192.219.0.1: C0 and DB escaped */                                         \
	"45 00 00 1c 00 01 00 00 40 01 b0 02 db dc db dd 00 01 0a 00 00 02 08 00 f7 ff 00 00 00 "  \
	"00"
#define OPTIONS /* 24 octets of header, a router alert in it (RFC 2113) */                         \
	"46 00 00 18 00 01 00 00 01 02 3a c8 0a 00 00 01 e0 00 00 16 94 04 00 00"
/* fe80::1 -> ff02::2, router solicitation */
#define SOLICIT                                                                                    \
	"60 00 00 00 00 08 3a ff fe 80 00 00 00 00 00 00 00 00 00 00 00 00 00 01 "                 \
	"ff 02 00 00 00 00 00 00 00 00 00 00 00 00 00 02 85 00 7b 6b 00 00 00 00"
#define CLIENT   "43 4c 49 45 4e 54"
#define MODEM    "0d 0a 52 49 4e 47 0d 0a 0d 0a 43 4f 4e 4e 45 43 54 20 32 38 38 30 30 0d 0a"
#define PASSWORD "6c 6f 67 69 6e 3a 20 70 70 70 0d 0a 50 61 73 73 77 6f 72 64 3a 20 78 0d 0a"

struct seen {
	enum detect_verdict verdict;
	struct buf link; /* what the link gets */
	struct buf said;
	uint8_t memory[2][1 << 13];
};

static void feed(struct seen *s, struct detect *d, sb_time now, struct bytes piece)
{
	uint8_t *copy = malloc(piece.length);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, piece.at, piece.length);
	struct bytes in = bytes_of(copy, piece.length);

	if (s->verdict == DETECT_UNDECIDED) {
		s->verdict = detect_input(d, now, &in);
		if (s->verdict == DETECT_UNDECIDED)
			ck_assert_uint_eq(in.length, 0);
		else
			buf_append(&s->link, detect_replay(d));
	}
	while (detect_output(d, &s->said))
		continue;
	buf_append(&s->link, in);
	free(copy);
}

/* All within one instant: the first piece of `first` characters, the others of `every`. */
static void run(struct seen *s, struct bytes stream, size_t first, size_t every)
{
	struct detect d;

	detect_init(&d);
	s->verdict = DETECT_UNDECIDED;
	s->link = buf_over(s->memory[0], sizeof s->memory[0]);
	s->said = buf_over(s->memory[1], sizeof s->memory[1]);
	for (size_t size = first; stream.length; size = every) {
		size_t n = size < stream.length ? size : stream.length;
		feed(s, &d, SB_SEC, bytes_of(stream.at, n));
		stream = bytes_skip(stream, n);
	}
	ck_assert(!s->link.overflow && !s->said.overflow);
}

static struct seen seen, cut;

static void assert_cut_alike(struct bytes stream, size_t first, size_t every)
{
	run(&cut, stream, first, every);
	ck_assert_int_eq(cut.verdict, seen.verdict);
	assert_octets(buf_bytes(&cut.link), buf_bytes(&seen.link));
	assert_octets(buf_bytes(&cut.said), buf_bytes(&seen.said));
}

/* The stream in every cut. */
static const struct seen *see(struct bytes stream)
{
	run(&seen, stream, stream.length, stream.length);
	assert_cut_alike(stream, 1, 1);
	for (size_t at = 1; at < stream.length; at++)
		assert_cut_alike(stream, at, stream.length);
	return &seen;
}

static struct bytes join(const char *const *parts)
{
	static uint8_t memory[4096];
	struct buf all = buf_over(memory, sizeof memory);

	for (; *parts; parts++)
		buf_append(&all, hex(*parts));
	ck_assert(!all.overflow);
	return buf_bytes(&all);
}

#define STREAM(...) join((const char *const[]){__VA_ARGS__, NULL})

static void assert_undecided(struct bytes stream)
{
	ck_assert_int_eq(see(stream)->verdict, DETECT_UNDECIDED);
	ck_assert_uint_eq(seen.link.length, 0);
}

/* PPP, and the link's decoder gets these frames, and so many bad ones. */
static void assert_ppp(struct bytes stream, unsigned bad, const char *const *frames)
{
	struct hdlc_decoder *d =
		hdlc_decoder_new(&(struct hdlc_decoder_config){1504, HDLC_FCS_16, ACCM_DEFAULT});
	struct bytes frame;

	ck_assert_ptr_nonnull(d);
	ck_assert_int_eq(see(stream)->verdict, DETECT_PPP);
	struct bytes in = buf_bytes(&seen.link);
	for (; *frames; frames++) {
		ck_assert(hdlc_decoder_next(d, &in, &frame));
		assert_octets(frame, hex(*frames));
	}
	ck_assert(!hdlc_decoder_next(d, &in, &frame));
	ck_assert_uint_eq(hdlc_decoder_counters(d)->bad_fcs, bad);
	hdlc_decoder_free(d);
}

#define ASSERT_PPP(stream, ...) assert_ppp(stream, 0, (const char *const[]){__VA_ARGS__, NULL})

static void assert_slip(struct bytes stream, const char *const *packets)
{
	struct slip_decoder *d = slip_decoder_new(1006);
	struct bytes packet;

	ck_assert_ptr_nonnull(d);
	ck_assert_int_eq(see(stream)->verdict, DETECT_SLIP);
	struct bytes in = buf_bytes(&seen.link);
	for (; *packets; packets++) {
		ck_assert(slip_decoder_next(d, &in, &packet));
		assert_octets(packet, hex(*packets));
	}
	ck_assert(!slip_decoder_next(d, &in, &packet));
	ck_assert_uint_eq(slip_decoder_counters(d)->bad_escapes, 0);
	slip_decoder_free(d);
}

#define ASSERT_SLIP(stream, ...) assert_slip(stream, (const char *const[]){__VA_ARGS__, NULL})

/* --- PPP --- */

START_TEST(ppp_escaped_or_not)
{
	ASSERT_PPP(hex(LCP_FRAME), LCP_PACKET);
	ASSERT_PPP(hex("7e ff 03 c0 21 7d 21 7d 21 7d 20 7d 24 d1 b5 7e"), LCP_PACKET);
	ASSERT_PPP(hex("7e 7d df 7d 23 " LCP " d1 b5 7e"), LCP_PACKET);
	ASSERT_PPP(hex("7e 7d df 7d 23 7d e0 7d 01 7d 21 7d 21 7d 20 7d 24 d1 b5 7e"), LCP_PACKET);
}
END_TEST

START_TEST(ppp_without_a_flag_before)
{
	ASSERT_PPP(hex("ff 7d 23 " LCP " d1 b5 7e"), LCP_PACKET);
	ASSERT_PPP(hex("ff ff ff 7d 23 " LCP " d1 b5 7e"), LCP_PACKET);
}
END_TEST

START_TEST(what_follows_is_the_links)
{
	ASSERT_PPP(STREAM(LCP_FRAME, "7e", LCP_FRAME), LCP_PACKET, LCP_PACKET);
}
END_TEST

START_TEST(control_characters_that_the_line_put_there)
{
	ASSERT_PPP(hex("7e 11 ff 13 7d 23 00 c0 11 21 7d 21 7d 21 7d 20 7d 24 d1 b5 7e"),
		   LCP_PACKET);
}
END_TEST

/* A peer in mid-session, as after a restart of ours: its next LCP packet tells. */
START_TEST(ppp_after_other_frames)
{
	assert_undecided(hex("7e 21 " PING " e5 33 7e"));
	ASSERT_PPP(STREAM("7e 21", PING, "e5 33 7e", LCP_FRAME), LCP_PACKET);
}
END_TEST

START_TEST(a_flag_or_an_address_alone_decides_nothing)
{
	assert_undecided(hex("7e 7e ff 7e ff 03 7e ff 03 c0"));
	assert_undecided(hex("7e ff 7d 23 c0 80 21"));
	assert_undecided(hex("ff ff 03 03 c0 c0 21 21"));
	assert_undecided(hex("ff 7d 7e 03 c0 21"));
}
END_TEST

/* Whoever waits for "login:" and gets PPP. */
START_TEST(B076_ppp_while_text_is_expected)
{
	ASSERT_PPP(hex("6c 6f 67 69 7e ff 7d 23 " LCP " d1 b5 7e"), LCP_PACKET);
	ASSERT_PPP(hex("0d 0a 7e ff 03 " LCP " d1 b5 7e"), LCP_PACKET);
	ASSERT_PPP(STREAM(MODEM, PASSWORD, LCP_FRAME), LCP_PACKET);
}
END_TEST

/* --- SLIP --- */

START_TEST(slip_of_both_versions)
{
	ASSERT_SLIP(hex("c0 " PING " c0"), PING);
	ASSERT_SLIP(hex("c0 " SOLICIT " c0"), SOLICIT);
	ASSERT_SLIP(hex("c0 " OPTIONS " c0"), OPTIONS);
	ASSERT_SLIP(STREAM("c0", PING, "c0 c0", SOLICIT, "c0"), PING, SOLICIT);
}
END_TEST

START_TEST(slip_without_a_first_end)
{
	ASSERT_SLIP(STREAM(PING, "c0", PING, "c0"), PING, PING);
	ASSERT_SLIP(STREAM(MODEM, PING, "c0", PING, "c0"), PING, PING);
}
END_TEST

START_TEST(slip_with_escapes_in_the_header)
{
	ASSERT_SLIP(hex("c0 " PING_192 " c0"),
		    "45 00 00 1c 00 01 00 00 40 01 b0 02 c0 db 00 01 0a 00 00 02 "
		    "08 00 f7 ff 00 00 00 00");
}
END_TEST

/* The packet that ff 03 ends is followed by one of no known version. */
START_TEST(slip_with_ppp_inside)
{
	ASSERT_SLIP(hex("c0 45 00 00 22 00 01 00 00 40 11 66 c8 0a 00 00 01 0a 00 00 02 "
			"7e ff 03 db dc 21 7e ff 7d 23 db dc 21 00 00 c0"),
		    "45 00 00 22 00 01 00 00 40 11 66 c8 0a 00 00 01 0a 00 00 02 "
		    "7e ff 03 c0 21 7e ff 7d 23 c0 21 00 00");
}
END_TEST

START_TEST(B014_slip_after_half_a_packet)
{
	ASSERT_SLIP(STREAM("11 22 33 c0 c0", PING, "c0"), PING);
	ASSERT_SLIP(STREAM("45 00 00 1c c0", PING, "c0"), PING);
	ASSERT_SLIP(STREAM("c0 45 00 db 41 c0", PING, "c0"), PING);
}
END_TEST

/* Every single character of it is checked by something. */
START_TEST(an_ipv4_header_that_is_damaged_is_none)
{
	struct bytes good = hex("c0 " PING);
	uint8_t bad[29];

	for (size_t at = 1; at <= 20; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			memcpy(bad, good.at, sizeof bad);
			bad[at] ^= (uint8_t)(1 << bit);
			run(&seen, bytes_of(bad, sizeof bad), sizeof bad, sizeof bad);
			ck_assert_int_eq(seen.verdict, DETECT_UNDECIDED);
		}
}
END_TEST

START_TEST(what_only_resembles_an_ipv6_header)
{
	assert_undecided(hex(SOLICIT)); /* no END before it */
	/* next header 58 -> 57; from ff80::; to 80::; 65288 octets */
	assert_undecided(hex("c0 60 00 00 00 00 08 39 ff fe 80 00 00 00 00 00 00 00 00 00 00 00 "
			     "00 00 01 ff 02 00 00 00 00 00 00 00 00 00 00 00 00 00 02 85"));
	assert_undecided(hex("c0 60 00 00 00 00 08 3a ff ff 80 00 00 00 00 00 00 00 00 00 00 00 "
			     "00 00 01 ff 02 00 00 00 00 00 00 00 00 00 00 00 00 00 02 85"));
	assert_undecided(hex("c0 60 00 00 00 00 08 3a ff fe 80 00 00 00 00 00 00 00 00 00 00 00 "
			     "00 00 01 80 02 00 00 00 00 00 00 00 00 00 00 00 00 00 02 85"));
	assert_undecided(hex("c0 60 00 00 00 ff 08 3a ff fe 80 00 00 00 00 00 00 00 00 00 00 00 "
			     "00 00 01 ff 02 00 00 00 00 00 00 00 00 00 00 00 00 00 02 85"));
}
END_TEST

/* --- what is neither --- */

START_TEST(B015_text_is_skipped)
{
	assert_undecided(STREAM(MODEM, "0d 0a 4f 4b 0d 0a", PASSWORD));
	ASSERT_SLIP(STREAM(MODEM, PASSWORD, "c0", PING, "c0"), PING);
	/* E for 4x, l for 6x: "Enter the login name\r\nlogin..." */
	assert_undecided(hex("45 6e 74 65 72 20 74 68 65 20 6c 6f 67 69 6e 20 6e 61 6d 65 0d 0a "
			     "6c 6f 67 69 6e 6c 6f 67 69 6e 6c 6f 67 69 6e 6c 6f 67 69 6e 6c 6f 67 "
			     "69 6e 6c 6f 67 69 6e 6c 6f 67 69 6e 6c 6f 67 69 6e"));
}
END_TEST

/* Noise decides nothing, and what it leaves behind hinders neither kind for long. */
START_TEST(noise_before)
{
	uint64_t seed = 7;
	uint8_t noise[4000];
	struct bytes favoured = hex("7e 7d ff 03 c0 45 60 db dc dd 43 4c 0d 0a 11");

	for (int round = 0; round < 300; round++) {
		size_t n = random_below(&seed, sizeof noise - 200);
		random_fill(&seed, noise, n, favoured);
		run(&seen, bytes_of(noise, n), n, n);
		ck_assert_int_eq(seen.verdict, DETECT_UNDECIDED);
		struct buf after = buf_over(noise, sizeof noise);
		after.length = n;
		buf_append(&after, round & 1 ? hex("7e " LCP_FRAME) : hex("c0 " PING " c0"));
		run(&seen, buf_bytes(&after), after.length, after.length);
		ck_assert_int_eq(seen.verdict, round & 1 ? DETECT_PPP : DETECT_SLIP);
	}
}
END_TEST

/* --- Windows --- */

static void assert_said(const char *text)
{
	assert_octets(buf_bytes(&seen.said), bytes_of(text, strlen(text)));
}

START_TEST(B077_client_is_answered)
{
	assert_undecided(hex(CLIENT));
	assert_said("CLIENTSERVER");
	assert_undecided(hex("00 " CLIENT));
	assert_said("CLIENTSERVER");
	assert_undecided(STREAM("c0 7e 43 4c 49 43 ff", CLIENT));
	assert_said("CLIENTSERVER");
}
END_TEST

START_TEST(B077_then_ppp)
{
	ASSERT_PPP(STREAM("00", CLIENT, LCP_FRAME), LCP_PACKET);
	assert_said("CLIENTSERVER");
}
END_TEST

/* The framer gets what comes late, and knows how to ignore it. */
START_TEST(B077_client_again_after_ppp_has_begun)
{
	assert_ppp(STREAM(CLIENT, LCP_FRAME, CLIENT, LCP_FRAME), 1,
		   (const char *const[]){LCP_PACKET, LCP_PACKET, NULL});
	assert_said("CLIENTSERVER");
	ASSERT_PPP(STREAM(CLIENT, "7e ff 7d 23", CLIENT, LCP_FRAME), LCP_PACKET);
}
END_TEST

START_TEST(B077_asked_every_second)
{
	struct detect d;
	uint8_t memory[256];
	struct buf said = buf_over(memory, sizeof memory);

	detect_init(&d);
	for (int i = 0; i < 10; i++) {
		struct bytes in = hex(CLIENT);
		ck_assert_int_eq(detect_input(&d, i * SB_SEC, &in), DETECT_UNDECIDED);
		ck_assert(detect_output(&d, &said));
		ck_assert(!detect_output(&d, &said));
	}
	ck_assert_uint_eq(detect_answers(&d), 10);
	ck_assert_uint_eq(said.length, 10 * strlen("CLIENTSERVER"));
}
END_TEST

/* Our answer holds the question: were it answered, there would be no end. */
START_TEST(B077_a_line_that_echoes)
{
	struct detect d;
	uint8_t memory[256];

	detect_init(&d);
	struct bytes in = hex(CLIENT);
	detect_input(&d, SB_SEC, &in);
	for (sb_time late = 0; late < 400 * SB_MS; late += 50 * SB_MS) {
		struct buf said = buf_over(memory, sizeof memory);
		if (!detect_output(&d, &said))
			break;
		in = buf_bytes(&said);
		detect_input(&d, SB_SEC + late, &in);
	}
	ck_assert_uint_eq(detect_answers(&d), 1);
}
END_TEST

START_TEST(nothing_is_said_to_others)
{
	assert_undecided(STREAM(MODEM, PASSWORD, "43 4c 49 45 4e 43 4c 49 45 4e 20 54"));
	assert_said("");
	ASSERT_PPP(hex(LCP_FRAME), LCP_PACKET);
	assert_said("");
}
END_TEST

static TCase *ppp_case(void)
{
	TCase *c = tcase_create("ppp");
	tcase_add_test(c, ppp_escaped_or_not);
	tcase_add_test(c, ppp_without_a_flag_before);
	tcase_add_test(c, what_follows_is_the_links);
	tcase_add_test(c, control_characters_that_the_line_put_there);
	tcase_add_test(c, ppp_after_other_frames);
	tcase_add_test(c, a_flag_or_an_address_alone_decides_nothing);
	tcase_add_test(c, B076_ppp_while_text_is_expected);
	return c;
}

static TCase *slip_case(void)
{
	TCase *c = tcase_create("slip");
	tcase_add_test(c, slip_of_both_versions);
	tcase_add_test(c, slip_without_a_first_end);
	tcase_add_test(c, slip_with_escapes_in_the_header);
	tcase_add_test(c, slip_with_ppp_inside);
	tcase_add_test(c, B014_slip_after_half_a_packet);
	tcase_add_test(c, an_ipv4_header_that_is_damaged_is_none);
	tcase_add_test(c, what_only_resembles_an_ipv6_header);
	return c;
}

static TCase *neither_case(void)
{
	TCase *c = tcase_create("neither");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, B015_text_is_skipped);
	tcase_add_test(c, noise_before);
	return c;
}

static TCase *windows_case(void)
{
	TCase *c = tcase_create("windows");
	tcase_add_test(c, B077_client_is_answered);
	tcase_add_test(c, B077_then_ppp);
	tcase_add_test(c, B077_client_again_after_ppp_has_begun);
	tcase_add_test(c, B077_asked_every_second);
	tcase_add_test(c, B077_a_line_that_echoes);
	tcase_add_test(c, nothing_is_said_to_others);
	return c;
}

int main(void)
{
	Suite *suite = suite_create("detect");
	suite_add_tcase(suite, ppp_case());
	suite_add_tcase(suite, slip_case());
	suite_add_tcase(suite, neither_case());
	suite_add_tcase(suite, windows_case());
	return run_suite(suite);
}
