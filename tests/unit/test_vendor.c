/* SPDX-License-Identifier: MIT */
/*
 * The vendor protocol: with a peer whose words are written out, and two ends over a wire that
 * loses packets; and the messages.
 */
#include "ppp/vendor.h"

#include "ppp/option.h"
#include "tests/unit/control_testing.h"

#define OUI        "42 4e 44 "
#define NAME       "73 65 72 69 61 6c 62 75 6e 64 6c 65 "
#define OURS       "53 0f " NAME "01"
#define OURS_LATER "53 0f " NAME "02"

static struct vendor *vendor;
static sb_time now;

static void begin(void)
{
	now = 1000 * SB_SEC;
	vendor = vendor_new(&usual_timers);
	ck_assert_ptr_nonnull(vendor);
	vendor_lower_up(vendor, now);
}

static void end(void)
{
	vendor_free(vendor);
	vendor = NULL;
}

static void says(uint8_t code, uint8_t identifier, const char *data)
{
	vendor_input(vendor, now, packet_hex(code, identifier, data));
}

static void hears(uint8_t code, uint8_t identifier, const char *data)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	struct buf out = buf_over(memory, sizeof memory);

	ck_assert_msg(vendor_output(vendor, &out), "nothing is sent");
	assert_octets(buf_bytes(&out), packet_hex(code, identifier, data));
}

static void hears_nothing(void)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	struct buf out = buf_over(memory, sizeof memory);

	ck_assert(!vendor_output(vendor, &out));
}

static void up(void)
{
	begin();
	hears(CODE_CONFIGURE_REQUEST, 1, OUI OURS);
	says(CODE_CONFIGURE_REQUEST, 1, OUI OURS);
	hears(CODE_CONFIGURE_ACK, 1, OUI OURS);
	ck_assert(!vendor_is_up(vendor));
	says(CODE_CONFIGURE_ACK, 1, OUI OURS);
	ck_assert(vendor_is_up(vendor));
	ck_assert_int_eq(vendor_end(vendor), CONTROL_NO_END);
	hears_nothing();
}

/* --- outcomes --- */

START_TEST(both_agree)
{
	up();
	ck_assert_int_eq(vendor_deadline(vendor), SB_NEVER);
	ck_assert_uint_eq(vendor_bad_packets(vendor), 0);
}
END_TEST

START_TEST(peer_does_not_know_the_protocol)
{
	begin();
	hears(CODE_CONFIGURE_REQUEST, 1, OUI OURS);
	vendor_rejected(vendor, now);
	ck_assert_int_eq(vendor_end(vendor), CONTROL_PEER_REJECTED);
	ck_assert_int_eq(vendor_deadline(vendor), SB_NEVER);
	hears_nothing();
	vendor_lower_down(vendor, now);
	vendor_lower_up(vendor, now);
	ck_assert_int_eq(vendor_end(vendor), CONTROL_NO_END);
	hears(CODE_CONFIGURE_REQUEST, 2, OUI OURS);
}
END_TEST

START_TEST(peer_rejects_it_once_it_is_up)
{
	up();
	vendor_rejected(vendor, now);
	ck_assert(!vendor_is_up(vendor));
	ck_assert_int_eq(vendor_end(vendor), CONTROL_PEER_REJECTED);
}
END_TEST

static void ask_until_no_reply(uint8_t identifier)
{
	for (int i = 0; i < 10; i++) {
		hears(CODE_CONFIGURE_REQUEST, identifier, OUI OURS);
		ck_assert_int_eq(vendor_end(vendor), CONTROL_NO_END);
		now = vendor_deadline(vendor);
		vendor_tick(vendor, now);
	}
	hears_nothing();
	ck_assert_int_eq(vendor_end(vendor), CONTROL_NO_REPLY);
	ck_assert_int_eq(vendor_deadline(vendor), SB_NEVER);
}

START_TEST(nobody_answers_and_later_the_peer_begins)
{
	begin();
	ask_until_no_reply(1);
	says(CODE_CONFIGURE_REQUEST, 9, OUI OURS);
	hears(CODE_CONFIGURE_REQUEST, 2, OUI OURS);
	hears(CODE_CONFIGURE_ACK, 9, OUI OURS);
	says(CODE_CONFIGURE_ACK, 2, OUI OURS);
	ck_assert(vendor_is_up(vendor));
}
END_TEST

START_TEST(peer_closes)
{
	up();
	says(CODE_TERMINATE_REQUEST, 5, OUI);
	hears(CODE_TERMINATE_ACK, 5, OUI);
	ck_assert(!vendor_is_up(vendor));
	ck_assert_int_eq(vendor_end(vendor), CONTROL_PEER_CLOSED);
}
END_TEST

START_TEST(peer_begins_anew)
{
	up();
	says(CODE_CONFIGURE_REQUEST, 2, OUI OURS);
	ck_assert(!vendor_is_up(vendor));
	hears(CODE_CONFIGURE_REQUEST, 2, OUI OURS);
	hears(CODE_CONFIGURE_ACK, 2, OUI OURS);
	says(CODE_CONFIGURE_ACK, 2, OUI OURS);
	ck_assert(vendor_is_up(vendor));
}
END_TEST

START_TEST(links_go_and_come)
{
	up();
	says(CODE_TERMINATE_REQUEST + 9, 1, OUI); /* an answer to which nobody waits */
	vendor_lower_down(vendor, now);
	ck_assert(!vendor_is_up(vendor));
	hears_nothing();
	says(CODE_CONFIGURE_REQUEST, 3, OUI OURS); /* too late */
	hears_nothing();
	vendor_lower_up(vendor, now);
	hears(CODE_CONFIGURE_REQUEST, 2, OUI OURS);
}
END_TEST

/* One dispute is enough: whatever the peer wants instead, there is nothing else to be had. */
static void refuse(uint8_t code, const char *data)
{
	begin();
	hears(CODE_CONFIGURE_REQUEST, 1, OUI OURS);
	says(code, 1, data);
	ck_assert_int_eq(vendor_end(vendor), CONTROL_NO_AGREEMENT);
	hears_nothing();
	says(CODE_CONFIGURE_REQUEST, 8, OUI OURS);
	hears(CODE_TERMINATE_ACK, 8, OUI);
	ck_assert(!vendor_is_up(vendor));
	ck_assert_int_eq(vendor_deadline(vendor), SB_NEVER);
}

START_TEST(ours_is_rejected)
{
	refuse(CODE_CONFIGURE_REJECT, OUI OURS);
}
END_TEST

START_TEST(ours_is_not_what_the_peer_wants)
{
	refuse(CODE_CONFIGURE_NAK, OUI "53 03 00");
}
END_TEST

/* --- the peer's wishes --- */

START_TEST(what_the_peer_asks_for)
{
	static const struct {
		const char *asked, *answer;
		uint8_t code;
	} cases[] = {
		{OUI OURS, OUI OURS, CODE_CONFIGURE_ACK},
		{OUI OURS_LATER, OUI OURS, CODE_CONFIGURE_NAK},
		{OUI, OUI OURS, CODE_CONFIGURE_NAK},
		{OUI "53 0f " NAME "00", OUI "53 0f " NAME "00", CODE_CONFIGURE_REJECT},
		{OUI "53 0e " NAME, OUI "53 0e " NAME, CODE_CONFIGURE_REJECT},
		{OUI OURS " 02 03 aa", OUI "02 03 aa", CODE_CONFIGURE_REJECT},
		{OUI "02 03 aa " OURS_LATER, OUI "02 03 aa", CODE_CONFIGURE_REJECT},
		{OUI "53 02", OUI "53 02", CODE_CONFIGURE_REJECT},
	};

	begin();
	hears(CODE_CONFIGURE_REQUEST, 1, OUI OURS);
	says(CODE_CONFIGURE_REQUEST, 7, cases[_i].asked);
	hears(cases[_i].code, 7, cases[_i].answer);
	hears_nothing();
}
END_TEST

enum { WISHES = 8 };

START_TEST(a_dispute_ends)
{
	unsigned answers = 0;

	begin();
	hears(CODE_CONFIGURE_REQUEST, 1, OUI OURS);
	for (uint8_t i = 1; i < 30; i++) {
		uint8_t memory[64];
		struct buf out = buf_over(memory, sizeof memory);

		says(CODE_CONFIGURE_REQUEST, i, _i ? OUI OURS_LATER : OUI);
		answers += vendor_output(vendor, &out) && memory[0] != CODE_TERMINATE_ACK;
	}
	ck_assert_uint_eq(answers, 2 * usual_timers.max_failure);
	ck_assert_int_eq(vendor_end(vendor), CONTROL_NO_AGREEMENT);
}
END_TEST

/* --- what is not as it should be --- */

START_TEST(an_unknown_code_is_rejected_as_it_came)
{
	up();
	says(14, 3, OUI "aa bb");
	hears(CODE_CODE_REJECT, 1, OUI "0e 03 00 09 " OUI "aa bb");
	ck_assert(vendor_is_up(vendor));
}
END_TEST

START_TEST(a_code_that_it_must_know_is_rejected)
{
	up();
	says(CODE_CODE_REJECT, 3, OUI "01 01 00 16 " OUI);
	ck_assert(!vendor_is_up(vendor));
	ck_assert_int_eq(vendor_end(vendor), CONTROL_PEER_REJECTED);
}
END_TEST

START_TEST(other_vendors)
{
	struct bytes theirs = packet_hex(CODE_CONFIGURE_REQUEST, 1, "00 00 0c 01 02");

	ck_assert(vendor_is_ours(PPP_VSNCP, packet_hex(CODE_CONFIGURE_REQUEST, 1, OUI)));
	ck_assert(vendor_is_ours(PPP_VSNP, hex(OUI)));
	ck_assert(!vendor_is_ours(PPP_VSNCP, theirs));
	ck_assert(!vendor_is_ours(PPP_VSNP, hex("00 00 0c 01 06 00 00 00 00")));
	for (size_t n = 0; n < 7; n++)
		ck_assert(!vendor_is_ours(PPP_VSNCP, bytes_of(theirs.at, n)));
	for (size_t n = 0; n < 3; n++)
		ck_assert(!vendor_is_ours(PPP_VSNP, bytes_of(hex(OUI).at, n)));
	up();
	vendor_input(vendor, now, theirs);
	hears_nothing();
	ck_assert_uint_eq(vendor_bad_packets(vendor), 1);
	ck_assert(vendor_is_up(vendor));
}
END_TEST

START_TEST(B031_lengths_that_disagree)
{
	static const char *const packets[] = {
		"",
		"01",
		"01 02 00",
		"01 02 00 03 42 4e 44",          /* less than a header */
		"01 02 00 06 42 4e 44",          /* ends in the vendor */
		"01 02 00 08 42 4e 44",          /* more than there is */
		"01 02 00 09 42 4e 44 53 00",    /* an option of length 0 */
		"01 02 00 09 42 4e 44 53 01",    /* and 1 */
		"01 02 00 0a 42 4e 44 53 04 00", /* and one that ends beyond */
		"01 02 ff ff 42 4e 44",
		"07 02 00 07 42 4e 44", /* rejects nothing */
	};

	up();
	for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
		vendor_input(vendor, now, hex(packets[i]));
		ck_assert_uint_eq(vendor_bad_packets(vendor), i + 1);
		hears_nothing();
		ck_assert(vendor_is_up(vendor));
	}
}
END_TEST

START_TEST(a_packet_that_is_longer_than_any_of_ours)
{
	static uint8_t octets[4000] = {
		CODE_CONFIGURE_REQUEST, 1, 4000 >> 8, 4000 & 0xff, 0x42, 0x4e, 0x44};

	up();
	vendor_input(vendor, now, bytes_of(octets, sizeof octets));
	ck_assert_uint_eq(vendor_bad_packets(vendor), 1);
	hears_nothing();
	ck_assert(vendor_is_up(vendor));
}
END_TEST

/* --- two ends --- */

static void pass(struct vendor *from, struct vendor *to, uint64_t *seed, uint64_t loss_percent)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	struct buf out = buf_over(memory, sizeof memory);

	while (vendor_output(from, &out)) {
		ck_assert(vendor_is_ours(PPP_VSNCP, buf_bytes(&out)));
		if (random_below(seed, 100) >= loss_percent)
			vendor_input(to, now, buf_bytes(&out));
		out = buf_over(memory, sizeof memory);
	}
}

/* Time goes to the next thing due: a timer, or b's link, of which b learns later than a. */
static void step(struct vendor *a, struct vendor *b, sb_time *b_at)
{
	now = sb_time_min(*b_at, sb_time_min(vendor_deadline(a), vendor_deadline(b)));
	if (now == SB_NEVER)
		return;
	if (now == *b_at) {
		vendor_lower_up(b, now);
		*b_at = SB_NEVER;
	}
	vendor_tick(a, now);
	vendor_tick(b, now);
}

static bool are_up(const struct vendor *a, const struct vendor *b)
{
	return vendor_is_up(a) && vendor_is_up(b);
}

static void come_up(uint64_t seed, uint64_t loss_percent)
{
	struct vendor *a = vendor_new(&usual_timers), *b = vendor_new(&usual_timers);
	sb_time b_at = (sb_time)random_below(&seed, 4000) * SB_MS;

	now = 0;
	vendor_lower_up(a, now);
	while (now < 60 * SB_SEC) {
		pass(a, b, &seed, loss_percent);
		pass(b, a, &seed, loss_percent);
		pass(a, b, &seed, loss_percent);
		if (are_up(a, b))
			break;
		step(a, b, &b_at);
	}
	ck_assert(are_up(a, b));
	vendor_free(a);
	vendor_free(b);
}

/* Packets are lost with this probability, in percent. */
START_TEST(B035_over_a_line_that_loses_packets)
{
	for (uint64_t seed = 1; seed <= 40; seed++)
		come_up(seed, (uint64_t)_i);
}
END_TEST

/* --- messages --- */

START_TEST(messages_as_octets)
{
	uint8_t memory[64];
	struct buf out = buf_over(memory, sizeof memory);

	vendor_begin(&out);
	vendor_put(&out, &(struct vendor_message){.kind = VENDOR_MODE, .value = 0x0207});
	vendor_put(&out, &(struct vendor_message){VENDOR_RECEIVED, 0x01020304, 0xf1f2f3f4});
	assert_octets(buf_bytes(&out), hex(OUI "01 06 00 00 02 07  05 0a 01 02 03 04 f1 f2 f3 f4"));
}
END_TEST

static void assert_next(struct bytes *in, enum vendor_message_kind kind, uint32_t value,
			uint32_t time)
{
	struct vendor_message m;

	ck_assert(vendor_next(in, &m));
	ck_assert_int_eq(m.kind, kind);
	ck_assert_uint_eq(m.value, value);
	ck_assert_uint_eq(m.time, time);
}

static void assert_no_more(struct bytes in, size_t left)
{
	struct vendor_message m;

	ck_assert(!vendor_next(&in, &m));
	ck_assert_uint_eq(in.length, left);
}

START_TEST(messages_come_back)
{
	static const struct vendor_message sent[] = {
		{VENDOR_MODE, 7, 0},
		{VENDOR_SHARE, UINT32_MAX, 0},
		{VENDOR_RATE_WISH, 16309000, 0},
		{VENDOR_NOTICE, 1, 0},
		{VENDOR_RECEIVED, 0x80000000, 1},
		{VENDOR_SENT, 0xfffffff0, 0},
		{VENDOR_PACE, 16384, 0},
	};
	enum { COUNT = sizeof sent / sizeof sent[0] };
	uint8_t memory[VENDOR_OUI_SIZE + COUNT * VENDOR_MESSAGE_SIZE];
	struct buf out = buf_over(memory, sizeof memory);
	struct bytes in;

	vendor_begin(&out);
	for (int i = 0; i < COUNT; i++)
		vendor_put(&out, &sent[i]);
	ck_assert(!out.overflow);
	in = buf_bytes(&out);
	ck_assert(vendor_open(&in));
	for (int i = 0; i < COUNT; i++)
		assert_next(&in, sent[i].kind, sent[i].value, sent[i].time);
	assert_no_more(in, 0);
}
END_TEST

START_TEST(messages_of_later_versions)
{
	struct bytes in = hex(OUI "c8 02  01 08 00 00 00 01 aa bb  00 05 01 02 03  "
				  "05 0c 00 00 00 02 00 00 00 03 ff ff  08 06 00 00 00 00");

	ck_assert(vendor_open(&in));
	assert_next(&in, VENDOR_MODE, 1, 0);
	assert_next(&in, VENDOR_RECEIVED, 2, 3);
	assert_no_more(in, 0);
}
END_TEST

START_TEST(bad_messages)
{
	static const struct {
		const char *octets;
		size_t left;
	} cases[] = {
		{"01", 1},
		{"01 00", 2},
		{"01 01", 2},
		{"01 02", 2},
		{"01 05 00 00 00", 5},
		{"01 06 00 00 00", 5},
		{"05 06 00 00 00 00", 6},
		{"05 09 00 00 00 00 00 00 00", 9},
		{"c8 03", 2},
		{"c8 02 01 06 00", 3},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_no_more(hex(cases[i].octets), cases[i].left);
}
END_TEST

START_TEST(another_vendors_packet_is_none)
{
	struct bytes in = hex("42 4e 45 01 06 00 00 00 01"), before = in;

	ck_assert(!vendor_open(&in));
	ck_assert_ptr_eq(in.at, before.at);
	ck_assert_uint_eq(in.length, before.length);
	in = hex("42 4e");
	ck_assert(!vendor_open(&in));
}
END_TEST

static TCase *new_case(Suite *suite, const char *name)
{
	TCase *test_case = tcase_create(name);

	tcase_add_checked_fixture(test_case, NULL, end);
	tcase_set_timeout(test_case, 60); /* sanitizers on a busy machine */
	suite_add_tcase(suite, test_case);
	return test_case;
}

static void add_case(Suite *suite, const char *name, const TTest *const *tests)
{
	TCase *test_case = new_case(suite, name);

	for (; *tests; tests++)
		tcase_add_test(test_case, *tests);
}

int main(void)
{
	Suite *suite = suite_create("vendor");
	TCase *many = new_case(suite, "many");

	add_case(suite, "outcomes",
		 (const TTest *[]){
			 both_agree,
			 peer_does_not_know_the_protocol,
			 peer_rejects_it_once_it_is_up,
			 nobody_answers_and_later_the_peer_begins,
			 peer_closes,
			 peer_begins_anew,
			 links_go_and_come,
			 ours_is_rejected,
			 ours_is_not_what_the_peer_wants,
			 NULL,
		 });
	add_case(suite, "harm",
		 (const TTest *[]){
			 an_unknown_code_is_rejected_as_it_came,
			 a_code_that_it_must_know_is_rejected,
			 other_vendors,
			 B031_lengths_that_disagree,
			 a_packet_that_is_longer_than_any_of_ours,
			 NULL,
		 });
	add_case(suite, "messages",
		 (const TTest *[]){
			 messages_as_octets,
			 messages_come_back,
			 messages_of_later_versions,
			 bad_messages,
			 another_vendors_packet_is_none,
			 NULL,
		 });
	tcase_add_loop_test(many, what_the_peer_asks_for, 0, WISHES);
	tcase_add_loop_test(many, a_dispute_ends, 0, 2);
	tcase_add_loop_test(many, B035_over_a_line_that_loses_packets, 0, 31);
	return run_suite(suite);
}
