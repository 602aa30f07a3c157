/* SPDX-License-Identifier: MIT */
/*
 * Lengths: by the words of tc-stab and tc-cake, against figures worked out by hand; and of the
 * line's own encapsulation, against what is really encoded, for 100,000 packets of SLIP and of
 * PPP with each map.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/codec_testing.h"
#include "tests/unit/suite_testing.h"

#include "ppp/mp.h"
#include "sched/linklayer.h"
#include "src/config.h"

enum { PACKETS = 100000, LONGEST = 1500, ROOM = 8192 };

/* --- words and figures --- */

static size_t bytes_by(const char *name, size_t ip_bytes)
{
	struct linklayer l = {.exact = true};

	ck_assert(linklayer_named(name, &l));
	ck_assert(!l.exact);
	return linklayer_bytes(&l, ip_bytes);
}

static const struct {
	const char *word;
	size_t ip_bytes, bytes;
} by_word[] = {
	/* tc-stab(8): 100 bytes are three cells */
	{"atm", 100, 159},
	{"adsl", 100, 159},
	{"atm", 48, 53},
	{"atm", 49, 106},
	{"atm", 1500, 1696},
	{"raw", 1500, 1500},
	{"noatm", 1500, 1500},
	/* a byte to each 64, the last ones too */
	{"ptm", 64, 65},
	{"ptm", 65, 67},
	{"ptm", 1500, 1524},
	{"conservative", 1500, 1749},
	{"ipoa-vcmux", 40, 53},
	{"ipoa-vcmux", 41, 106},
	{"ipoa-llcsnap", 32, 53},
	{"ipoa-llcsnap", 33, 106},
	{"bridged-vcmux", 24, 53},
	{"bridged-vcmux", 25, 106},
	{"bridged-llcsnap", 1500, 1696},
	{"bridged-llcsnap", 1505, 1749},
	{"pppoa-vcmux", 38, 53},
	{"pppoa-vcmux", 39, 106},
	{"pppoa-llc", 34, 53},
	{"pppoa-llc", 35, 106},
	{"pppoe-vcmux", 40, 106},
	{"pppoe-vcmux", 1492, 1696},
	{"pppoe-llcsnap", 40, 106},
	{"pppoe-llcsnap", 1492, 1696},
	{"pppoe-llcsnap", 1497, 1749},
	{"pppoe-ptm", 1492, 1522 + 24},
	{"bridged-ptm", 1500, 1522 + 24},
	{"docsis", 40, 64},
	{"docsis", 1500, 1518},
	{"ethernet", 40, 84},
	{"ethernet", 46, 84},
	{"ethernet", 1500, 1538},
};

START_TEST(a_word_means_what_it_means_to_cake)
{
	ck_assert_uint_eq(bytes_by(by_word[_i].word, by_word[_i].ip_bytes), by_word[_i].bytes);
}
END_TEST

START_TEST(a_tag_comes_on_top)
{
	struct linklayer l = {0};

	ck_assert(linklayer_named("ethernet", &l));
	ck_assert(linklayer_named("ether-vlan", &l));
	ck_assert_uint_eq(linklayer_bytes(&l, 1500), 1542);
	ck_assert_uint_eq(linklayer_bytes(&l, 40), 84);
	ck_assert(linklayer_named("ether-vlan", &l));
	ck_assert_uint_eq(linklayer_bytes(&l, 1500), 1546);
}
END_TEST

/* "linklayer atm overhead 40" in either order. */
START_TEST(cells_leave_the_overhead_as_it_is)
{
	struct linklayer l = {.overhead = 40, .mpu = 64};

	ck_assert(linklayer_named("atm", &l));
	ck_assert_int_eq(l.overhead, 40);
	ck_assert_uint_eq(l.mpu, 64);
	ck_assert_uint_eq(linklayer_bytes(&l, 1500), 33 * 53);
	ck_assert(linklayer_named("noatm", &l));
	ck_assert_uint_eq(linklayer_bytes(&l, 1500), 1540);
	ck_assert(linklayer_named("raw", &l));
	ck_assert_uint_eq(linklayer_bytes(&l, 10), 10);
}
END_TEST

START_TEST(a_preset_forgets_what_was_before)
{
	struct linklayer l = {.exact = true, .overhead = 7, .mpu = 99, .cells = CELLS_ATM};

	ck_assert(linklayer_named("docsis", &l));
	ck_assert(!l.exact);
	ck_assert_int_eq(l.overhead, 18);
	ck_assert_uint_eq(l.mpu, 64);
	ck_assert_int_eq(l.cells, CELLS_NONE);
	ck_assert(linklayer_named("exact", &l));
	ck_assert(l.exact);
	ck_assert_int_eq(l.overhead, 0);
}
END_TEST

START_TEST(no_other_word_is_known)
{
	static const char *const others[] = {"", "ATM", "atm ", "slip", "via-ethernet"};
	struct linklayer l = {.overhead = 5};

	for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
		ck_assert(!linklayer_named(others[i], &l));
	ck_assert_int_eq(l.overhead, 5);
}
END_TEST

START_TEST(all_words_are_listed)
{
	unsigned n = 0;

	for (const char *word; (word = linklayer_word(n)); n++) {
		struct linklayer l = {0};

		ck_assert(linklayer_named(word, &l));
		ck_assert_int_ge(l.overhead, LINKLAYER_OVERHEAD_MIN);
		ck_assert_int_le(l.overhead, LINKLAYER_OVERHEAD_MAX);
		ck_assert_uint_le(l.mpu, LINKLAYER_MPU_MAX);
	}
	ck_assert_uint_ge(n, 20);
	ck_assert_ptr_null(linklayer_word(n + 1));
}
END_TEST

/* --- overhead, mpu --- */

/* A4 */
START_TEST(overhead_may_be_negative)
{
	struct linklayer l = {.overhead = -14};

	ck_assert_uint_eq(linklayer_bytes(&l, 100), 86);
	l.cells = CELLS_ATM;
	ck_assert_uint_eq(linklayer_bytes(&l, 110), 106);
	ck_assert_uint_eq(linklayer_bytes(&l, 111), 159);
}
END_TEST

START_TEST(no_packet_takes_less_than_nothing)
{
	struct linklayer l = {.overhead = LINKLAYER_OVERHEAD_MIN};

	ck_assert_uint_eq(linklayer_bytes(&l, 63), 0);
	ck_assert_uint_eq(linklayer_bytes(&l, 64), 0);
	ck_assert_uint_eq(linklayer_bytes(&l, 65), 1);
	l.mpu = 20;
	ck_assert_uint_eq(linklayer_bytes(&l, 20), 20);
	l.cells = CELLS_ATM;
	ck_assert_uint_eq(linklayer_bytes(&l, 20), 53);
}
END_TEST

START_TEST(mpu_counts_before_cells)
{
	struct linklayer l = {.overhead = 10, .mpu = 96, .cells = CELLS_ATM};

	ck_assert_uint_eq(linklayer_bytes(&l, 40), 106);
	l.mpu = 97;
	ck_assert_uint_eq(linklayer_bytes(&l, 40), 159);
	ck_assert_uint_eq(linklayer_bytes(&l, 87), 159);
}
END_TEST

/* What comes from the TUN has no Ethernet header, and none is taken off. */
START_TEST(b108_ppp_is_no_ethernet)
{
	struct linklayer l = {.overhead = 10};

	ck_assert_uint_eq(linklayer_bytes(&l, 1500), 1510);
	l.cells = CELLS_ATM;
	ck_assert_uint_eq(linklayer_bytes(&l, 1500), 32 * 53);
}
END_TEST

/* Each line with its own, by no more than what it was given. */
START_TEST(b111_each_line_has_its_own_words)
{
	const struct linklayer_coding first = {.layer = {.overhead = 40, .cells = CELLS_ATM}},
				      second = {.layer = {.overhead = 4}},
				      exact = {.layer = {.exact = true},
					       .encoded = encap_slip.encoded_length};
	static const uint8_t packet[100] = {0x45, [50] = 0xc0};
	struct bytes p = bytes_of(packet, sizeof packet);

	ck_assert_uint_eq(linklayer_length(&first, p), 159);
	ck_assert_uint_eq(linklayer_length(&second, p), 104);
	ck_assert_uint_eq(linklayer_length(&exact, p), 103);
}
END_TEST

/* --- as it is really encoded --- */

static uint64_t random_state;
static uint8_t packet_memory[LONGEST];

static uint32_t random_number(void *context)
{
	return (uint32_t)next_random(context);
}

/* Most are short; some are full of what has to be escaped. */
static struct bytes random_packet(void)
{
	static const uint8_t special[] = {0xc0, 0xdb, 0x7d, 0x7e, 0x11, 0x13, 0x1d, 0x00, 0x5e};
	size_t most = random_below(&random_state, 16) ? 128 : LONGEST;
	size_t length = 20 + random_below(&random_state, most - 20 + 1);
	size_t one_in = 1 + random_below(&random_state, 20);

	for (size_t i = 0; i < length; i++) {
		uint64_t r = next_random(&random_state);

		packet_memory[i] =
			r % one_in ? (uint8_t)(r >> 32) : special[(r >> 32) % sizeof special];
	}
	packet_memory[0] = random_below(&random_state, 4) ? 0x45 : 0x60;
	return bytes_of(packet_memory, length);
}

static size_t reckoned(const struct encap *e, struct bytes packet)
{
	const struct linklayer_coding c = {
		.layer = {.exact = true},
		.encoded = e->kind->encoded_length,
		.coding = encap_coding(e),
	};

	return linklayer_length(&c, packet);
}

/* From the second frame on: the first has a flag at its front, behind a silence. */
static size_t encoded(struct encap *e, uint16_t protocol, struct bytes head, struct bytes data)
{
	static uint8_t memory[ROOM];
	struct buf out = buf_over(memory, sizeof memory);

	e->kind->encode(e, protocol, head, data, &out);
	ck_assert(!out.overflow);
	return out.length;
}

START_TEST(slip_is_exact)
{
	struct config config = {.mtu = LONGEST};
	struct encap *e = encap_slip.new(&(struct encap_config){.config = &config});

	ck_assert_ptr_nonnull(e);
	random_state = 1;
	for (int i = 0; i < PACKETS; i++) {
		struct bytes p = random_packet();

		ck_assert_uint_eq(reckoned(e, p), encoded(e, 0, bytes_of(NULL, 0), p));
	}
	encap_slip.free(e);
}
END_TEST

static const uint32_t accms[] = {0, 0x000a0000, 0x200a0000, 0xffffffff};

enum { ACCMS = 4, PPP_KINDS = 2 * 2 * 2 * 2 * ACCMS };

struct end {
	struct config config;
	struct encap *encap;
};

/* The i-th kind of PPP there is. */
static void configure(struct config *c, unsigned i, uint8_t id)
{
	*c = (struct config){
		.mtu = LONGEST,
		.lines[0] = {.bps = 38400, .bits_per_char = 10, .encap = &encap_ppp},
		.line_count = 1,
		.ppp =
			{
				.mru = LONGEST,
				.multilink = true,
				.mrru = LONGEST,
				.accm = accms[i % ACCMS],
				.pfc = i / ACCMS & 1,
				.acfc = i / ACCMS & 2,
				.fcs = i / ACCMS & 4 ? 4 : 0,
				.short_sequence = i / ACCMS & 8,
				.endpoint = {.class = 1, .length = 1, .address = {id}},
				.timers = {.restart = 3 * SB_SEC,
					   .max_configure = 10,
					   .max_terminate = 2,
					   .max_failure = 5},
			},
	};
}

static void make(struct end *e, unsigned kind, uint8_t id)
{
	static const struct secrets none;

	configure(&e->config, kind, id);
	e->encap = encap_ppp.new(&(struct encap_config){
		.config = &e->config,
		.line = &e->config.lines[0],
		.pap = &none,
		.chap = &none,
		.random = random_number,
		.random_context = &random_state,
	});
	ck_assert_ptr_nonnull(e->encap);
	encap_ppp.lower_up(e->encap, SB_SEC);
}

static bool say(struct end *from, struct end *to)
{
	uint8_t memory[ROOM];
	struct buf out = buf_over(memory, sizeof memory);
	struct encap_packet p;
	struct encap_event event;
	struct bytes wire;

	while (encap_output(from->encap, SB_SEC, &out))
		;
	wire = buf_bytes(&out);
	while (encap_ppp.next(to->encap, SB_SEC, &wire, &p))
		;
	while (encap_ppp.event(to->encap, &event))
		;
	return out.length > 0;
}

static void bring_up(struct end ends[2])
{
	bool more = true;

	while (more) {
		more = say(&ends[0], &ends[1]);
		more |= say(&ends[1], &ends[0]);
	}
	ck_assert_ptr_nonnull(encap_agreed(ends[0].encap));
	ck_assert(encap_agreed(ends[0].encap)->multilink);
}

/* A piece of a packet in multilink, cut anywhere, of the length that the coding says. */
static void check_piece(struct encap *e, struct bytes packet, uint32_t sequence)
{
	const struct link_coding *coding = encap_coding(e);
	size_t from = random_below(&random_state, packet.length);
	size_t length = 1 + random_below(&random_state, packet.length - from);
	struct mp_header header = {.begin = from == 0, .end = true, .sequence = sequence};
	uint8_t space[ENCAP_HEAD_SIZE];
	struct buf head = buf_over(space, sizeof space);
	struct bytes data = bytes_of(packet.at + from, length);

	mp_header_put(&head, &header, encap_agreed(e)->short_out);
	ck_assert_uint_eq(link_encoded_length(coding, PPP_MP, buf_bytes(&head), data),
			  encoded(e, PPP_MP, buf_bytes(&head), data));
}

/*
 * With and without compression of protocol and address, 16 and 32 bits of FCS, both kinds of
 * sequence numbers: of each map PACKETS in all.
 */
START_TEST(ppp_is_exact)
{
	struct end ends[2];
	struct encap *e;

	random_state = (uint64_t)_i + 1;
	make(&ends[0], (unsigned)_i, 1);
	make(&ends[1], (unsigned)_i, 2);
	bring_up(ends);
	e = ends[0].encap;
	for (uint32_t i = 0; i < PACKETS / (PPP_KINDS / ACCMS); i++) {
		struct bytes p = random_packet();

		ck_assert_uint_eq(reckoned(e, p),
				  encoded(e, encap_protocol(p), bytes_of(NULL, 0), p));
		check_piece(e, p, i);
	}
	for (unsigned i = 0; i < 2; i++)
		encap_ppp.free(ends[i].encap);
}
END_TEST

/* With a map of all control characters each of these 32 takes two. */
START_TEST(b112_escapes_count)
{
	uint8_t packet[256];
	struct end ends[2];
	size_t plain, escaped;

	for (unsigned i = 0; i < sizeof packet; i++)
		packet[i] = (uint8_t)i;
	packet[0] = 0x45;
	make(&ends[0], 0, 1);
	make(&ends[1], 0, 2);
	bring_up(ends);
	plain = reckoned(ends[0].encap, bytes_of(packet, sizeof packet));
	for (unsigned i = 0; i < 2; i++)
		encap_ppp.free(ends[i].encap);
	make(&ends[0], 3, 1);
	make(&ends[1], 3, 2);
	bring_up(ends);
	escaped = reckoned(ends[0].encap, bytes_of(packet, sizeof packet));
	for (unsigned i = 0; i < 2; i++)
		encap_ppp.free(ends[i].encap);
	/* 1 to 31 in the packet, 0x03 of the control field, 0x00 of the protocol; the FCS may vary
	 */
	ck_assert_uint_ge(escaped - plain, 33 - 2);
	ck_assert_uint_le(escaped - plain, 33 + 2);
}
END_TEST

static Suite *linklayer_suite(void)
{
	Suite *suite = suite_create("linklayer");
	TCase *named = new_case(suite, "words"), *lengths = new_case(suite, "lengths"),
	      *exact = new_case(suite, "exact");

	tcase_add_loop_test(named, a_word_means_what_it_means_to_cake, 0,
			    sizeof by_word / sizeof by_word[0]);
	tcase_add_test(named, a_tag_comes_on_top);
	tcase_add_test(named, cells_leave_the_overhead_as_it_is);
	tcase_add_test(named, a_preset_forgets_what_was_before);
	tcase_add_test(named, no_other_word_is_known);
	tcase_add_test(named, all_words_are_listed);
	tcase_add_test(lengths, overhead_may_be_negative);
	tcase_add_test(lengths, no_packet_takes_less_than_nothing);
	tcase_add_test(lengths, mpu_counts_before_cells);
	tcase_add_test(lengths, b108_ppp_is_no_ethernet);
	tcase_add_test(lengths, b111_each_line_has_its_own_words);
	tcase_add_test(exact, slip_is_exact);
	tcase_add_loop_test(exact, ppp_is_exact, 0, PPP_KINDS);
	tcase_add_test(exact, b112_escapes_count);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(linklayer_suite());

	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
