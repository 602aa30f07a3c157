/* SPDX-License-Identifier: MIT */
/*
 * IPV6CP: interface identifiers, in the words of the peer. ::1 is ours where it is
 * configured, ::2 the peer's.
 */
#include "ppp/ipv6cp.h"

#include "ppp/option.h"
#include "tests/unit/control_testing.h"

#define ZERO  "01 0a 00 00 00 00 00 00 00 00"
#define OURS  "01 0a 00 00 00 00 00 00 00 01"
#define PEERS "01 0a 00 00 00 00 00 00 00 02"

enum {
	REQUEST = CODE_CONFIGURE_REQUEST,
	ACK = CODE_CONFIGURE_ACK,
	NAK = CODE_CONFIGURE_NAK,
	REJECT = CODE_CONFIGURE_REJECT,
};

static struct network_config config;
static struct ipv6cp v6;
static uint32_t dice; /* what is thrown next, always the same if fixed_dice */
static bool fixed_dice;

static uint32_t throw_dice(void *context)
{
	(void)context;
	return fixed_dice ? dice : (dice = dice * 1664525 + 1013904223);
}

static void start(struct network_config c)
{
	config = c;
	config.random = throw_dice;
	ipv6cp_init(&v6, &config);
	bench_start(&ipv6cp_kind, &v6);
}

static const struct network_config fixed = {.local_id = {[7] = 1}, .remote_id = {[7] = 2}};
static const struct network_config any = {0};

static struct bytes option_of(const uint8_t id[static 8])
{
	static uint8_t memory[10];
	struct buf out = buf_over(memory, sizeof memory);

	option_put(&out, 1, bytes_of(id, 8));
	return buf_bytes(&out);
}

/* The identifier of the only option in the next packet. */
static const uint8_t *id_heard(uint8_t code, uint8_t identifier)
{
	struct bytes packet = taken_from(&bench.box, PPP_IPV6CP);

	ck_assert_uint_eq(packet.length, 14);
	ck_assert_uint_eq(packet.at[0], code);
	ck_assert_uint_eq(packet.at[1], identifier);
	ck_assert_uint_eq(packet.at[4], 1);
	return packet.at + 6;
}

static bool is_zero(const uint8_t id[static 8])
{
	return memcmp(id, (uint8_t[8]){0}, 8) == 0;
}

START_TEST(identifiers_that_fit)
{
	start(fixed);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, PEERS);
	bench_hears(ACK, 1, PEERS);
	bench_says(ACK, 1, OURS);
	ck_assert(bench_is_open());
	ck_assert_mem_eq(v6.agreed.local_id, ((uint8_t[8]){[7] = 1}), 8);
	ck_assert_mem_eq(v6.agreed.remote_id, ((uint8_t[8]){[7] = 2}), 8);
}
END_TEST

/* RFC 5072 section 4.1: u/l 0, as it is not from a globally unique one. */
START_TEST(random_identifiers_are_local)
{
	for (int i = 0; i < 1000; i++) {
		start(any);
		const uint8_t *id = id_heard(REQUEST, 1);
		ck_assert(!is_zero(id));
		ck_assert_uint_eq(id[0] & 0x02, 0);
	}
}
END_TEST

START_TEST(random_identifiers_differ_with_bad_dice)
{
	fixed_dice = true;
	dice = 0;
	start(any);
	ck_assert(!is_zero(v6.agreed.local_id));
	ck_assert(!is_zero(v6.suggestion));
	ck_assert_mem_ne(v6.agreed.local_id, v6.suggestion, 8);
}
END_TEST

START_TEST(B044_configured_means_no_dice)
{
	start(fixed);
	bench_hears(REQUEST, 1, OURS);
	bench_says(NAK, 1, PEERS);
	bench_hears(REQUEST, 2, OURS);
}
END_TEST

START_TEST(B044_zero_is_given_a_value)
{
	start(fixed);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, ZERO);
	bench_hears(NAK, 1, PEERS);
	bench_says(REQUEST, 2, PEERS);
	bench_hears(ACK, 2, PEERS);
}
END_TEST

START_TEST(B044_zero_is_given_a_random_value)
{
	start(any);
	outbox_clear(&bench.box);
	bench_says(REQUEST, 1, ZERO);
	const uint8_t *id = id_heard(NAK, 1);
	ck_assert(!is_zero(id));
	ck_assert_uint_eq(id[0] & 0x02, 0);
	ck_assert_mem_ne(id, v6.agreed.local_id, 8);
}
END_TEST

START_TEST(B044_equal_is_given_another)
{
	start(fixed);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, OURS);
	bench_hears(NAK, 1, PEERS);
}
END_TEST

START_TEST(B044_equal_and_the_suggestion_equal_too)
{
	struct network_config c = fixed;

	c.remote_id[7] = 1;
	start(c);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, OURS);
	const uint8_t *id = id_heard(NAK, 1);
	ck_assert(!is_zero(id));
	ck_assert_mem_ne(id, c.local_id, 8);
}
END_TEST

START_TEST(B044_zero_for_ever_is_rejected)
{
	start(fixed);
	bench_hears(REQUEST, 1, OURS);
	for (uint8_t i = 0; i < 5; i++) {
		bench_says(REQUEST, i, ZERO);
		bench_hears(NAK, i, PEERS);
	}
	bench_says(REQUEST, 5, ZERO);
	bench_hears(REJECT, 5, ZERO);
	bench_says(REQUEST, 6, "");
	bench_hears(ACK, 6, "");
	ck_assert(is_zero(v6.agreed.remote_id));
}
END_TEST

START_TEST(B044_left_out_is_asked_for)
{
	start(fixed);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, "");
	bench_hears(NAK, 1, PEERS);
	bench_says(REQUEST, 2, PEERS);
	bench_hears(ACK, 2, PEERS);
}
END_TEST

START_TEST(B044_taken_back_for_ever)
{
	start(fixed);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, PEERS);
	bench_hears(ACK, 1, PEERS);
	for (uint8_t i = 0; i < 5; i++) {
		bench_says(REQUEST, i, "");
		bench_hears(NAK, i, PEERS);
	}
	bench_says(REQUEST, 5, "");
	bench_hears(ACK, 5, "");
	ck_assert(is_zero(v6.agreed.remote_id));
}
END_TEST

START_TEST(B044_rejected_while_fixed)
{
	start(fixed);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REJECT, 1, OURS);
	bench_hears_nothing();
	ck_assert_int_eq(bench.control.end, CONTROL_NO_AGREEMENT);
}
END_TEST

START_TEST(B044_rejected_while_random)
{
	uint8_t kept[8];

	start(any);
	memcpy(kept, id_heard(REQUEST, 1), sizeof kept);
	control_input(&bench.control, bench.now, packet_of(REJECT, 1, option_of(kept)));
	bench_hears(REQUEST, 2, "");
	ck_assert_mem_eq(v6.agreed.local_id, kept, sizeof kept);
}
END_TEST

START_TEST(ours_is_suggested_by_the_peer)
{
	start(any);
	id_heard(REQUEST, 1);
	bench_says(NAK, 1, "01 0a 00 00 00 00 00 00 00 77");
	bench_hears(REQUEST, 2, "01 0a 00 00 00 00 00 00 00 77");
}
END_TEST

/* A suggestion that would clash with the peer's own, or is 0, is none. */
START_TEST(B044_bad_suggestions)
{
	start(any);
	id_heard(REQUEST, 1);
	bench_says(REQUEST, 1, PEERS);
	bench_hears(ACK, 1, PEERS);
	bench_says(NAK, 1, PEERS);
	const uint8_t *id = id_heard(REQUEST, 2);
	ck_assert_mem_ne(id, v6.agreed.remote_id, 8);
	bench_says(NAK, 2, ZERO);
	ck_assert(!is_zero(id_heard(REQUEST, 3)));
	bench_says(NAK, 3, "01 04 00 01");
	ck_assert(!is_zero(id_heard(REQUEST, 4)));
}
END_TEST

START_TEST(other_options_and_lengths)
{
	start(fixed);
	bench_hears(REQUEST, 1, OURS);
	bench_says(REQUEST, 1, PEERS " 02 04 00 61");
	bench_hears(REJECT, 1, "02 04 00 61");
	bench_says(REQUEST, 2, "01 04 00 02");
	bench_hears(NAK, 2, PEERS);
}
END_TEST

static void setup(void)
{
	fixed_dice = false;
	dice = 1;
}

static void add_case(Suite *suite, const char *name, const TTest *const *tests)
{
	TCase *test_case = tcase_create(name);

	tcase_add_checked_fixture(test_case, setup, NULL);
	for (; *tests; tests++)
		tcase_add_test(test_case, *tests);
	suite_add_tcase(suite, test_case);
}

int main(void)
{
	Suite *suite = suite_create("ipv6cp");

	add_case(suite, "the peer's",
		 (const TTest *[]){
			 identifiers_that_fit,
			 B044_zero_is_given_a_value,
			 B044_zero_is_given_a_random_value,
			 B044_equal_is_given_another,
			 B044_equal_and_the_suggestion_equal_too,
			 B044_zero_for_ever_is_rejected,
			 B044_left_out_is_asked_for,
			 B044_taken_back_for_ever,
			 other_options_and_lengths,
			 NULL,
		 });
	add_case(suite, "ours",
		 (const TTest *[]){
			 random_identifiers_are_local,
			 random_identifiers_differ_with_bad_dice,
			 B044_configured_means_no_dice,
			 B044_rejected_while_fixed,
			 B044_rejected_while_random,
			 ours_is_suggested_by_the_peer,
			 B044_bad_suggestions,
			 NULL,
		 });
	return run_suite(suite);
}
