/* SPDX-License-Identifier: MIT */
/* Who calls gets a bundle and an address: --answer, with two callers. */
#define _DEFAULT_SOURCE
#include "tests/unit/pair_world.h"
#include "tests/unit/suite_testing.h"

enum { BPS = 115200, CALLER = 0, OTHER = 1, ANSWERS = 2 };
#define OWN_ADDRESS 0x0a000101u
#define FIRST_GIVEN 0x0a00010au
enum { GIVEN = 4 };

/* Callers ask for an address; each is known by its endpoint. */
static void configure(void)
{
	world_clear();
	for (unsigned s = 0; s < SIDES; s++)
		w.side[s].config = config_of_side(s);
	w.side[ANSWERS].config.answer = true;
	w.side[ANSWERS].config.ppp.local = OWN_ADDRESS;
	w.side[ANSWERS].config.pool = (struct pool_config){.first = FIRST_GIVEN, .count = GIVEN};
}

static void call_over(unsigned caller, const struct encap_kind *kind)
{
	add_cable(caller, ANSWERS, BPS, 5 * SB_MS, kind, NULL);
}

static void start_all(void)
{
	for (unsigned s = 0; s < SIDES; s++)
		if (w.side[s].config.line_count)
			side_start(s);
}

/* The answering side's end of what the caller's is one end of, by their addresses. */
static struct host *answering(const struct host *caller)
{
	for (unsigned k = 0; k < w.hosts; k++)
		if (w.host[k].side == ANSWERS && w.host[k].interface &&
		    w.host[k].v4.remote == caller->v4.local)
			return &w.host[k];
	return NULL;
}

static unsigned open_interfaces(unsigned s)
{
	unsigned n = 0;

	for (unsigned k = 0; k < w.hosts; k++)
		n += w.host[k].side == s && w.host[k].interface;
	return n;
}

static unsigned bundles(void)
{
	unsigned n = 0;

	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		n += report_of(ANSWERS, k)->ifname != NULL;
	return n;
}

static void assert_has_address_of_pool(unsigned s)
{
	const struct network_ipv4 *a = &host_of(s)->v4;

	ck_assert_uint_ge(a->local, FIRST_GIVEN);
	ck_assert_uint_lt(a->local, FIRST_GIVEN + GIVEN);
	ck_assert_uint_eq(a->remote, OWN_ADDRESS);
}

START_TEST(each_caller_gets_a_bundle_and_an_address)
{
	configure();
	call_over(CALLER, &encap_ppp);
	call_over(OTHER, &encap_ppp);
	call_over(CALLER, &encap_ppp);
	start_all();
	ck_assert_uint_eq(bundles(), 0);
	ck_assert_uint_eq(report_of(ANSWERS, EXCHANGE_NO_BUNDLE)->line_count, 3);
	world_run(3 * SB_SEC);
	ck_assert_uint_eq(bundles(), 2);
	ck_assert_uint_eq(open_interfaces(ANSWERS), 2);
	ck_assert_uint_eq(report_of(ANSWERS, EXCHANGE_NO_BUNDLE)->line_count, 0);
	ck_assert_uint_eq(lines_up(CALLER), 2);
	ck_assert_uint_eq(lines_up(OTHER), 1);
	assert_has_address_of_pool(CALLER);
	assert_has_address_of_pool(OTHER);
	ck_assert_uint_ne(host_of(CALLER)->v4.local, host_of(OTHER)->v4.local);
	world_end();
}
END_TEST

START_TEST(packets_go_to_the_caller_whose_they_are)
{
	struct host *mine, *others;

	configure();
	call_over(CALLER, &encap_ppp);
	call_over(OTHER, &encap_ppp);
	call_over(CALLER, &encap_ppp);
	start_all();
	world_run(3 * SB_SEC);
	mine = answering(host_of(CALLER));
	others = answering(host_of(OTHER));
	ck_assert(mine && others && mine != others);
	for (unsigned i = 0; i < 100; i++) {
		side_sends(CALLER, 1);
		host_sends_bytes(i % 2 ? mine : others, packet_of(i));
		world_run(100 * SB_MS);
	}
	ck_assert_uint_eq(missing(mine, 100), 0);
	ck_assert_uint_eq(missing(others, 100), 100);
	ck_assert_uint_eq(missing(host_of(CALLER), 100), 50);
	ck_assert_uint_eq(missing(host_of(OTHER), 100), 50);
	ck_assert_uint_eq(host_of(CALLER)->arrived[1], 1);
	ck_assert_uint_eq(host_of(OTHER)->arrived[0], 1);
	world_end();
}
END_TEST

/* In so many words: nobody waits for it. */
START_TEST(a_bundle_is_closed_when_its_peer_hangs_up)
{
	configure();
	call_over(CALLER, &encap_ppp);
	call_over(OTHER, &encap_ppp);
	start_all();
	world_run(3 * SB_SEC);
	exchange_end(w.side[CALLER].exchange, w.now);
	world_run(SB_SEC);
	ck_assert(exchange_has_ended(w.side[CALLER].exchange));
	ck_assert_uint_eq(open_interfaces(ANSWERS), 1);
	ck_assert_uint_eq(bundles(), 1);
	ck_assert_uint_eq(lines_up(OTHER), 1);
	world_end();
}
END_TEST

/* Its interface goes after the hold time; then it is back, with its old address. */
START_TEST(a_bundle_is_closed_when_its_peer_has_been_away)
{
	uint32_t address;

	configure();
	call_over(CALLER, &encap_ppp);
	call_over(OTHER, &encap_ppp);
	start_all();
	world_run(3 * SB_SEC);
	address = host_of(CALLER)->v4.local;
	unplug(0, 1);
	side_end(CALLER);
	world_run((HOLD_S - 1) * SB_SEC);
	ck_assert_uint_eq(open_interfaces(ANSWERS), 2);
	world_run(2 * SB_SEC);
	ck_assert_uint_eq(open_interfaces(ANSWERS), 1);
	ck_assert_uint_eq(bundles(), 1);
	plug_in(0, 1);
	side_start(CALLER);
	world_run(5 * SB_SEC);
	ck_assert_uint_eq(lines_up(CALLER), 1);
	ck_assert_uint_eq(lines_up(OTHER), 1);
	ck_assert_uint_eq(open_interfaces(ANSWERS), 2);
	ck_assert_uint_eq(host_of(CALLER)->v4.local, address);
	world_end();
}
END_TEST

/* Before that time is over it is the same bundle, whose packets have waited. */
START_TEST(a_caller_that_is_back_soon_finds_its_bundle)
{
	struct host *mine;

	configure();
	call_over(CALLER, &encap_ppp);
	start_all();
	world_run(3 * SB_SEC);
	mine = answering(host_of(CALLER));
	unplug(0, 1);
	world_run(SB_SEC);
	for (unsigned i = 0; i < 5; i++)
		host_sends_bytes(mine, packet_of(i));
	plug_in(0, 1);
	side_sends(CALLER, 1); /* or it would not notice before its next Echo-Request */
	world_run(10 * SB_SEC);
	ck_assert_uint_eq(lines_up(CALLER), 1);
	ck_assert_ptr_eq(answering(host_of(CALLER)), mine);
	ck_assert_uint_eq(w.hosts, 2);
	ck_assert_uint_eq(missing(host_of(CALLER), 5), 0);
	world_end();
}
END_TEST

/* --- what the caller speaks --- */

START_TEST(B076_a_caller_that_speaks_slip_is_understood_from_its_first_packet)
{
	configure();
	call_over(CALLER, &encap_slip);
	call_over(OTHER, &encap_ppp);
	start_all();
	world_run(3 * SB_SEC);
	ck_assert_uint_eq(bundles(), 1);
	side_sends(CALLER, 10);
	world_run(3 * SB_SEC);
	ck_assert_uint_eq(bundles(), 2);
	ck_assert_uint_eq(report_of(ANSWERS, 1)->in.packets, 10);
	ck_assert_uint_eq(missing(&w.host[w.hosts - 1], 10), 0);
	ck_assert_uint_eq(w.host[w.hosts - 1].v4.local, OWN_ADDRESS);
	ck_assert_uint_ge(w.host[w.hosts - 1].v4.remote, FIRST_GIVEN);
	world_end();
}
END_TEST

/* Each of two lines is a caller of its own, unless they have been given one name. */
START_TEST(slip_lines_of_one_name_are_one_bundle)
{
	configure();
	call_over(CALLER, &encap_slip);
	call_over(OTHER, &encap_slip);
	for (unsigned i = 0; _i && i < 2; i++)
		snprintf(w.side[ANSWERS].config.lines[i].bundle, CONFIG_NAME_SIZE, "office");
	start_all();
	side_sends(CALLER, 1);
	side_sends(OTHER, 1);
	world_run(SB_SEC);
	ck_assert_uint_eq(bundles(), _i ? 1 : 2);
	world_end();
}
END_TEST

/* After a hang-up the line is anybody's: the next caller speaks something else. */
START_TEST(the_next_caller_on_a_line_may_be_another)
{
	configure();
	call_over(CALLER, &encap_slip);
	call_over(OTHER, &encap_ppp);
	w.cable[1].port[1] = 1; /* the other has the same line, later */
	w.side[ANSWERS].config.line_count = 1;
	side_start(CALLER);
	side_start(ANSWERS);
	side_sends(CALLER, 1);
	world_run(SB_SEC);
	ck_assert_uint_eq(bundles(), 1);
	side_end(CALLER);
	unplug(0, 1);
	world_run(SB_SEC);
	w.cable[0].port[1] = SCRIPTED_PORTS - 1;
	plug_in(1, 1);
	side_start(OTHER);
	world_run(5 * SB_SEC);
	ck_assert_uint_eq(lines_up(OTHER), 1);
	assert_has_address_of_pool(OTHER);
	world_end();
}
END_TEST

/* A line that is in no cable: the test is at its other end. */
enum { LONE_PORT = SCRIPTED_PORTS - 2 };

static struct bytes lone_port_said(void)
{
	world_run(SB_SEC);
	return port_wrote(LONE_PORT);
}

START_TEST(B077_windows_is_answered_and_ppp_follows)
{
	static const char request[] = "~\xff}#\xc0!}!}!} }$\xd1\xb5~"; /* no options */

	configure();
	add_line(ANSWERS, LONE_PORT, BPS, NULL);
	side_start(ANSWERS);
	ck_assert_uint_eq(lone_port_said().length, 0);
	port_script_feed(ports[LONE_PORT].port, bytes_of("CLI", 3));
	ck_assert_uint_eq(lone_port_said().length, 0);
	port_script_feed(ports[LONE_PORT].port, bytes_of("ENT", 3));
	assert_octets(lone_port_said(), bytes_of("CLIENTSERVER", 12));
	port_script_forget(ports[LONE_PORT].port);
	port_script_feed(ports[LONE_PORT].port, bytes_of(request, sizeof request - 1));
	ck_assert_uint_gt(lone_port_said().length, 20);
	ck_assert_mem_eq(port_wrote(LONE_PORT).at, "~\xff}#\xc0!", 6);
	world_end();
}
END_TEST

/* Nobody speaks: nothing is said, and nothing is due. */
START_TEST(a_silent_line_is_left_in_peace)
{
	configure();
	add_line(ANSWERS, LONE_PORT, BPS, NULL);
	side_start(ANSWERS);
	world_run(60 * SB_SEC);
	ck_assert_uint_eq(port_wrote(LONE_PORT).length, 0);
	ck_assert_int_eq(exchange_deadline(w.side[ANSWERS].exchange, w.now), SB_NEVER);
	port_script_feed(ports[LONE_PORT].port, bytes_of("\r\nRING\r\nlogin: ", 15));
	ck_assert_uint_eq(lone_port_said().length, 0);
	ck_assert_uint_eq(bundles(), 0);
	world_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exchange_answer");
	TCase *callers = new_case(suite, "callers"), *speech = new_case(suite, "speech");

	tcase_add_test(callers, each_caller_gets_a_bundle_and_an_address);
	tcase_add_test(callers, packets_go_to_the_caller_whose_they_are);
	tcase_add_test(callers, a_bundle_is_closed_when_its_peer_hangs_up);
	tcase_add_test(callers, a_bundle_is_closed_when_its_peer_has_been_away);
	tcase_add_test(callers, a_caller_that_is_back_soon_finds_its_bundle);
	tcase_add_test(speech, B076_a_caller_that_speaks_slip_is_understood_from_its_first_packet);
	tcase_add_loop_test(speech, slip_lines_of_one_name_are_one_bundle, 0, 2);
	tcase_add_test(speech, the_next_caller_on_a_line_may_be_another);
	tcase_add_test(speech, B077_windows_is_answered_and_ppp_follows);
	tcase_add_test(speech, a_silent_line_is_left_in_peace);
	return run_suite(suite);
}
