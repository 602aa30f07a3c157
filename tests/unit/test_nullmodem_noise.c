/* SPDX-License-Identifier: MIT */
/* Errors, drops and overruns: as often as asked, the same for the same seed. */
#include <check.h>
#include <math.h>

#include "src/nullmodem/wire.h"

enum { MANY = 400000, ALL = 200000 };

/* Within 4.5 standard deviations: with a fixed seed it either holds for ever or never. */
static void check_share(uint64_t hits, uint64_t of, double p)
{
	double sigma = sqrt((double)of * p * (1 - p));
	ck_assert_double_le(fabs((double)hits - (double)of * p), 4.5 * sigma);
}

struct tally {
	uint64_t dropped, damaged, bits;
};

static struct tally apply_many(const struct noise_config *config, uint64_t seed)
{
	struct noise n = noise_seeded(seed);
	struct tally t = {0};
	unsigned wrong = 0;
	for (unsigned i = 0; i < MANY; i++) {
		uint8_t before = (uint8_t)i, c = before;
		enum noise_effect effect = noise_apply(&n, config, &c);
		wrong += (effect == NOISE_DAMAGED) != (c != before);
		t.dropped += effect == NOISE_DROPPED;
		t.damaged += effect == NOISE_DAMAGED;
		for (uint8_t changed = c ^ before; changed; changed &= changed - 1)
			t.bits++;
	}
	ck_assert_uint_eq(wrong, 0);
	return t;
}

static const double shares[] = {1e-4, 0.01, 0.3, 0.999};

START_TEST(drops_the_share_asked_for)
{
	struct noise_config config = {.drop = shares[_i]};
	struct tally t = apply_many(&config, 1);
	check_share(t.dropped, MANY, shares[_i]);
	ck_assert_uint_eq(t.damaged, 0);
}
END_TEST

START_TEST(damages_the_share_of_bytes_asked_for)
{
	struct noise_config config = {.byte_errors = shares[_i]};
	struct tally t = apply_many(&config, 2);
	check_share(t.damaged, MANY, shares[_i]);
	/* Any of the 255 others: 1024 bits set among them, with a deviation of 1.41 each. */
	double mean = (double)t.bits / (double)t.damaged;
	ck_assert_double_eq_tol(mean, 1024.0 / 255, 4.5 * 1.41 / sqrt((double)t.damaged));
}
END_TEST

START_TEST(inverts_the_share_of_bits_asked_for)
{
	struct noise_config config = {.bit_errors = shares[_i]};
	struct tally t = apply_many(&config, 3);
	check_share(t.bits, 8 * (uint64_t)MANY, shares[_i]);
}
END_TEST

START_TEST(never_and_always_are_exact)
{
	struct noise_config none = {0};
	ck_assert(noise_is_silent(&none));
	struct tally t = apply_many(&none, 4);
	ck_assert_uint_eq(t.dropped + t.damaged, 0);
	struct noise_config all = {.drop = 1};
	ck_assert(!noise_is_silent(&all));
	ck_assert_uint_eq(apply_many(&all, 4).dropped, MANY);
	struct noise_config bytes = {.byte_errors = 1};
	ck_assert_uint_eq(apply_many(&bytes, 4).damaged, MANY);
}
END_TEST

/* ---- on a wire ---- */

static uint8_t input[ALL], once[ALL], again[ALL];

static struct wire *noisy_wire(uint64_t seed)
{
	struct wire_config config = {
		.bits_per_char = 10,
		.buffer = 64,
		.noise = {.drop = 0.01, .byte_errors = 0.01, .bit_errors = 0.001},
	};
	struct wire *w = wire_new(&config, seed);
	ck_assert_ptr_nonnull(w);
	return w;
}

/* Sends `input` in pieces of `chunk`; returns what arrived. */
static size_t send_all(uint64_t seed, size_t chunk, uint8_t *out)
{
	struct wire *w = noisy_wire(seed);
	size_t length = 0;
	for (size_t at = 0; at < ALL; at += chunk) {
		size_t n = chunk < ALL - at ? chunk : ALL - at;
		wire_input(w, 0, bytes_of(input + at, n));
		length += wire_output(w, 0, out + length, ALL - length);
	}
	struct wire_stats s = wire_stats(w, 0);
	ck_assert_uint_eq(s.delivered, length);
	ck_assert_uint_eq(s.delivered + s.dropped, ALL);
	wire_free(w);
	return length;
}

START_TEST(the_same_seed_gives_the_same_errors_whatever_the_chunks)
{
	size_t length = send_all(7, 1000, once);
	ck_assert_uint_lt(length, ALL);
	ck_assert_uint_eq(send_all(7, 17, again), length);
	ck_assert_mem_eq(once, again, length);
}
END_TEST

START_TEST(another_seed_gives_other_errors)
{
	size_t length = send_all(7, 1000, once);
	size_t other = send_all(8, 1000, again);
	ck_assert(other != length || memcmp(once, again, length) != 0);
}
END_TEST

/* ---- overrun ---- */

static struct wire *overrun_wire(void)
{
	struct wire_config config = {.bps = 10000, .bits_per_char = 10, .buffer = 64, .burst = 16};
	struct wire *w = wire_new(&config, 1);
	ck_assert_ptr_nonnull(w);
	return w;
}

START_TEST(B013_a_slow_receiver_loses_what_exceeds_its_fifo)
{
	struct wire *w = overrun_wire();
	wire_input(w, 0, bytes_of(input, 40));
	ck_assert_uint_eq(wire_output(w, SB_SEC, once, ALL), 16);
	ck_assert_uint_eq(wire_stats(w, SB_SEC).dropped, 24);
	wire_free(w);
}
END_TEST

START_TEST(B013_pauses_of_a_character_let_the_receiver_catch_up)
{
	struct wire *w = overrun_wire();
	sb_time now = 0;
	for (int i = 0; i < 10; i++) {
		wire_input(w, now, bytes_of(input, 16));
		now += 17 * SB_MS; /* 16 characters and a pause of one */
		ck_assert_uint_eq(wire_output(w, now, once, ALL), 16);
	}
	wire_free(w);
}
END_TEST

START_TEST(B013_a_pause_of_less_than_a_character_is_none)
{
	struct wire *w = overrun_wire();
	wire_input(w, 0, bytes_of(input, 16));
	ck_assert_uint_eq(wire_output(w, 16 * SB_MS, once, ALL), 16);
	wire_input(w, 17 * SB_MS - 1, bytes_of(input, 1));
	ck_assert_uint_eq(wire_output(w, SB_SEC, once, ALL), 0);
	wire_free(w);
}
END_TEST

static Suite *noise_suite(void)
{
	enum { SHARES = sizeof shares / sizeof *shares };
	Suite *s = suite_create("nullmodem noise");
	TCase *t = tcase_create("shares");
	tcase_add_loop_test(t, drops_the_share_asked_for, 0, SHARES);
	tcase_add_loop_test(t, damages_the_share_of_bytes_asked_for, 0, SHARES);
	tcase_add_loop_test(t, inverts_the_share_of_bits_asked_for, 0, SHARES);
	tcase_add_test(t, never_and_always_are_exact);
	suite_add_tcase(s, t);

	t = tcase_create("repeatable");
	tcase_add_test(t, the_same_seed_gives_the_same_errors_whatever_the_chunks);
	tcase_add_test(t, another_seed_gives_other_errors);
	suite_add_tcase(s, t);

	t = tcase_create("overrun");
	tcase_add_test(t, B013_a_slow_receiver_loses_what_exceeds_its_fifo);
	tcase_add_test(t, B013_pauses_of_a_character_let_the_receiver_catch_up);
	tcase_add_test(t, B013_a_pause_of_less_than_a_character_is_none);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	for (size_t i = 0; i < ALL; i++)
		input[i] = (uint8_t)(i * 7);
	SRunner *runner = srunner_create(noise_suite());
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
