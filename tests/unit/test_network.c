/* SPDX-License-Identifier: MIT */
/*
 * The network layer: two of them over a wire that may be long and lose packets,
 * and one with a peer whose words are written out.
 */
#include "ppp/network.h"

#include "tests/unit/control_testing.h"

#define OURS "03 06 0a 00 00 01"

enum { MAX_IN_FLIGHT = 64 };

struct flight {
	bool used;
	int to;
	sb_time at; /* instant of its arrival */
	uint16_t protocol;
	size_t length;
	uint8_t octets[PPP_DEFAULT_MRU];
};

static struct world {
	sb_time now, delay;
	unsigned loss_percent;
	uint64_t seed;
	struct network *ends[2];
	struct flight flights[MAX_IN_FLIGHT];
	unsigned requests[2]; /* Configure-Requests that each end sent */
	unsigned downs;
} world;

static uint32_t world_random(void *context)
{
	(void)context;
	return (uint32_t)next_random(&world.seed);
}

static struct network_config config_of(uint32_t local, uint32_t remote)
{
	return (struct network_config){
		.ipv4 = true,
		.ipv6 = true,
		.local = local,
		.remote = remote,
		.timers = usual_timers,
		.random = world_random,
	};
}

static void begin(struct network_config a, struct network_config b)
{
	memset(&world, 0, sizeof world);
	world.now = 1000 * SB_SEC;
	world.ends[0] = network_new(&a);
	world.ends[1] = network_new(&b);
	ck_assert(world.ends[0] && world.ends[1]);
}

static void end(void)
{
	for (int i = 0; i < 2; i++) {
		network_free(world.ends[i]);
		world.ends[i] = NULL;
	}
}

/* --- the wire --- */

static void launch(int from)
{
	struct flight *f = world.flights;

	while (f->used)
		ck_assert_ptr_ne(++f, world.flights + MAX_IN_FLIGHT);
	struct buf out = buf_over(f->octets, sizeof f->octets);
	if (!network_output(world.ends[from], &f->protocol, &out))
		return;
	ck_assert(!out.overflow);
	world.requests[from] += out.at[0] == CODE_CONFIGURE_REQUEST;
	f->used = random_below(&world.seed, 100) >= world.loss_percent;
	f->to = !from;
	f->length = out.length;
	f->at = world.now + world.delay;
	launch(from);
}

static void count_events(int of)
{
	struct network_event event;

	while (network_event(world.ends[of], &event))
		world.downs += event.kind == NETWORK_IPV4_DOWN || event.kind == NETWORK_IPV6_DOWN;
}

static struct flight *next_to_land(void)
{
	struct flight *first = NULL;

	for (struct flight *f = world.flights; f < world.flights + MAX_IN_FLIGHT; f++)
		if (f->used && (!first || f->at < first->at))
			first = f;
	return first;
}

static bool all_is_up(void)
{
	for (int i = 0; i < 2; i++)
		if (!network_ipv4_is_up(world.ends[i]) || !network_ipv6_is_up(world.ends[i]))
			return false;
	return true;
}

static void step(sb_time until)
{
	struct flight *f = next_to_land();
	sb_time deadline =
		sb_time_min(network_deadline(world.ends[0]), network_deadline(world.ends[1]));

	world.now = sb_time_min(until, sb_time_min(deadline, f ? f->at : SB_NEVER));
	if (f && f->at <= world.now) {
		f->used = false;
		ck_assert(network_input(world.ends[f->to], world.now, f->protocol,
					bytes_of(f->octets, f->length)));
	}
	for (int i = 0; i < 2; i++) {
		network_tick(world.ends[i], world.now);
		count_events(i);
		launch(i);
	}
}

static bool is_landing(void)
{
	const struct flight *f = next_to_land();
	return f && f->at <= world.now;
}

static void run_for(sb_time duration)
{
	sb_time until = world.now + duration;

	while (world.now < until || is_landing())
		step(until);
}

static void lower_up(int i)
{
	network_lower_up(world.ends[i], world.now);
	launch(i);
}

/* --- two ends --- */

START_TEST(both_come_up)
{
	begin(config_of(0x0a000001, 0x0a000002), config_of(0, 0));
	lower_up(0);
	lower_up(1);
	run_for(SB_SEC);
	ck_assert(all_is_up());
	ck_assert_uint_eq(network_ipv4(world.ends[1])->local, 0x0a000002);
	ck_assert_uint_eq(network_ipv4(world.ends[1])->remote, 0x0a000001);
	ck_assert_uint_eq(network_ipv4(world.ends[0])->remote, 0x0a000002);
	ck_assert_mem_eq(network_ipv6(world.ends[0])->local_id,
			 network_ipv6(world.ends[1])->remote_id, 8);
	ck_assert_mem_eq(network_ipv6(world.ends[1])->local_id,
			 network_ipv6(world.ends[0])->remote_id, 8);
	ck_assert_uint_eq(world.downs, 0);
}
END_TEST

START_TEST(name_servers_go_across)
{
	struct network_config a = config_of(0x0a000001, 0x0a000002), b = config_of(0, 0);

	a.give_dns[0] = 0x08080808;
	b.ask_dns = true;
	begin(a, b);
	lower_up(0);
	lower_up(1);
	run_for(SB_SEC);
	ck_assert(all_is_up());
	ck_assert_uint_eq(network_ipv4(world.ends[1])->dns[0], 0x08080808);
	ck_assert_uint_eq(network_ipv4(world.ends[1])->dns[1], 0);
}
END_TEST

/* Two seconds each way, less than the restart timer forth, more than it and back. */
START_TEST(long_wire_with_the_first_requests)
{
	begin(config_of(0x0a000001, 0), config_of(0x0a000002, 0));
	world.delay = 2 * SB_SEC;
	lower_up(0);
	lower_up(1);
	run_for(4 * SB_SEC);
	ck_assert(all_is_up());
	run_for(20 * SB_SEC);
	ck_assert(all_is_up());
	ck_assert_uint_eq(world.downs, 0);
}
END_TEST

/*
 * One end comes `later`: its request, ours again, its Ack, and both are up, whatever
 * the timers.
 */
static void assert_prompt(sb_time delay, sb_time later)
{
	begin(config_of(0x0a000001, 0), config_of(0x0a000002, 0));
	world.delay = delay;
	lower_up(0);
	run_for(later);
	lower_up(1);
	run_for(3 * delay);
	ck_assert_msg(all_is_up(), "not up with a delay of %d ms, %d ms later",
		      (int)(delay / SB_MS), (int)(later / SB_MS));
	run_for(15 * SB_SEC);
	ck_assert(all_is_up());
	ck_assert_uint_eq(world.downs, 0);
	end();
}

START_TEST(end_that_comes_later)
{
	static const sb_time delays[] = {SB_MS, 100 * SB_MS, SB_SEC, 2 * SB_SEC};

	for (size_t i = 0; i < sizeof delays / sizeof delays[0]; i++)
		for (sb_time later = 100 * SB_MS; later < 7 * SB_SEC; later += 130 * SB_MS)
			assert_prompt(delays[i], later);
}
END_TEST

static void assert_gets_through(uint64_t seed, unsigned loss_percent, sb_time delay)
{
	begin(config_of(0x0a000001, 0x0a000002), config_of(0, 0));
	world.seed = seed;
	world.loss_percent = loss_percent;
	world.delay = delay;
	lower_up(0);
	lower_up(1);
	for (int i = 0; i < 120 && !all_is_up(); i++)
		run_for(SB_SEC);
	ck_assert_msg(all_is_up(), "not up: seed %u, %u %% lost", (unsigned)seed, loss_percent);
	world.loss_percent = 0;
	run_for(20 * SB_SEC);
	ck_assert(all_is_up());
	end();
}

START_TEST(lossy_wire)
{
	for (uint64_t seed = 0; seed < 100; seed++) {
		assert_gets_through(seed, 10, 100 * SB_MS);
		assert_gets_through(seed, 30, SB_MS);
		assert_gets_through(seed, 20, 2 * SB_SEC);
	}
}
END_TEST

START_TEST(same_fixed_identifiers)
{
	struct network_config c = config_of(0x0a000001, 0);
	struct network_config other = config_of(0x0a000002, 0);

	c.local_id[7] = other.local_id[7] = 1;
	begin(c, other);
	lower_up(0);
	lower_up(1);
	run_for(60 * SB_SEC);
	for (int i = 0; i < 2; i++) {
		ck_assert(network_ipv4_is_up(world.ends[i]));
		ck_assert(!network_ipv6_is_up(world.ends[i]));
	}
	ck_assert_uint_le(world.requests[0], 24);
}
END_TEST

/* --- one end, events --- */

static void says(uint16_t protocol, uint8_t code, uint8_t identifier, const char *data)
{
	ck_assert(network_input(world.ends[0], world.now, protocol,
				packet_hex(code, identifier, data)));
}

static void hears(uint16_t protocol, uint8_t code, uint8_t identifier, const char *data)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	struct buf out = buf_over(memory, sizeof memory);
	uint16_t got;

	ck_assert(network_output(world.ends[0], &got, &out));
	ck_assert_uint_eq(got, protocol);
	assert_octets(buf_bytes(&out), packet_hex(code, identifier, data));
}

static void assert_event(int kind, enum network_reason reason)
{
	struct network_event event;

	ck_assert(network_event(world.ends[0], &event));
	ck_assert_int_eq(event.kind, kind);
	ck_assert_str_eq(network_reason_text(event.reason), network_reason_text(reason));
}

static void assert_no_event(void)
{
	struct network_event event;

	ck_assert(!network_event(world.ends[0], &event));
}

static void begin_v4(struct network_config c)
{
	c.ipv6 = false;
	begin(c, c);
	network_lower_up(world.ends[0], world.now);
}

static void up_v4(void)
{
	begin_v4(config_of(0x0a000001, 0));
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, OURS);
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, "");
	hears(PPP_IPCP, CODE_CONFIGURE_ACK, 1, "");
	says(PPP_IPCP, CODE_CONFIGURE_ACK, 1, OURS);
	assert_event(NETWORK_IPV4_UP, NETWORK_FINE);
	ck_assert(network_ipv4_is_up(world.ends[0]));
}

START_TEST(B036_both_in_one_read)
{
	struct network_config c = config_of(0x0a000001, 0);

	c.local_id[7] = 1;
	begin(c, c);
	network_lower_up(world.ends[0], world.now);
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 7, "03 06 0a 00 00 02");
	says(PPP_IPV6CP, CODE_CONFIGURE_REQUEST, 8, "01 0a 00 00 00 00 00 00 00 02");
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, OURS);
	hears(PPP_IPV6CP, CODE_CONFIGURE_REQUEST, 1, "01 0a 00 00 00 00 00 00 00 01");
	hears(PPP_IPCP, CODE_CONFIGURE_ACK, 7, "03 06 0a 00 00 02");
	hears(PPP_IPV6CP, CODE_CONFIGURE_ACK, 8, "01 0a 00 00 00 00 00 00 00 02");
	says(PPP_IPCP, CODE_CONFIGURE_ACK, 1, OURS);
	says(PPP_IPV6CP, CODE_CONFIGURE_ACK, 1, "01 0a 00 00 00 00 00 00 00 01");
	assert_event(NETWORK_IPV4_UP, NETWORK_FINE);
	assert_event(NETWORK_IPV6_UP, NETWORK_FINE);
	assert_no_event();
}
END_TEST

START_TEST(other_protocols_are_not_its_own)
{
	up_v4();
	struct bytes request = packet_hex(CODE_CONFIGURE_REQUEST, 1, "");
	ck_assert(!network_input(world.ends[0], world.now, 0x80fd, request));
	ck_assert(!network_input(world.ends[0], world.now, PPP_IP, request));
	ck_assert(!network_input(world.ends[0], world.now, PPP_IPV6CP, request)); /* not wanted */
	assert_no_event();
}
END_TEST

START_TEST(peer_does_not_know_the_protocol)
{
	begin(config_of(0x0a000001, 0), config_of(0, 0));
	network_lower_up(world.ends[0], world.now);
	network_rejected(world.ends[0], world.now, PPP_IPV6CP);
	assert_event(NETWORK_IPV6_DOWN, NETWORK_PEER_REJECTED);
	assert_no_event();
	network_rejected(world.ends[0], world.now, PPP_IPV6CP);
	network_rejected(world.ends[0], world.now, PPP_IP);
	network_rejected(world.ends[0], world.now, 0x80fd);
	assert_no_event();
}
END_TEST

static void ask_until_no_reply(uint8_t identifier)
{
	for (int i = 0; i < 10; i++) {
		hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, identifier, OURS);
		assert_no_event();
		world.now = network_deadline(world.ends[0]);
		network_tick(world.ends[0], world.now);
	}
	assert_event(NETWORK_IPV4_DOWN, NETWORK_NO_REPLY);
	assert_no_event();
	ck_assert_int_eq(network_deadline(world.ends[0]), SB_NEVER);
}

START_TEST(B045_no_reply_time_and_again)
{
	begin_v4(config_of(0x0a000001, 0));
	ask_until_no_reply(1);
	network_lower_down(world.ends[0], world.now);
	assert_no_event();
	network_lower_up(world.ends[0], world.now);
	ask_until_no_reply(2);
}
END_TEST

START_TEST(B045_peer_begins_after_no_reply)
{
	begin_v4(config_of(0x0a000001, 0));
	ask_until_no_reply(1);
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, "");
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 2, OURS);
}
END_TEST

START_TEST(B037_renegotiated)
{
	up_v4();
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 2, "03 06 0a 00 00 02");
	ck_assert(!network_ipv4_is_up(world.ends[0]));
	says(PPP_IPCP, CODE_CONFIGURE_ACK, 2, OURS);
	ck_assert(network_ipv4_is_up(world.ends[0]));
	assert_event(NETWORK_IPV4_DOWN, NETWORK_FINE);
	assert_event(NETWORK_IPV4_UP, NETWORK_FINE);
	assert_no_event();
	ck_assert_uint_eq(network_ipv4(world.ends[0])->remote, 0x0a000002);
}
END_TEST

START_TEST(lower_down_and_up)
{
	up_v4();
	says(PPP_IPCP, CODE_TERMINATE_REQUEST + 9, 1, ""); /* an answer to which nobody waits */
	network_lower_down(world.ends[0], world.now);
	assert_event(NETWORK_IPV4_DOWN, NETWORK_LOWER_DOWN);
	assert_no_event();
	network_lower_up(world.ends[0], world.now);
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 2, OURS);
}
END_TEST

START_TEST(up_that_is_over_is_not_told)
{
	begin_v4(config_of(0x0a000001, 0));
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, "");
	says(PPP_IPCP, CODE_CONFIGURE_ACK, 1, OURS);
	network_lower_down(world.ends[0], world.now);
	assert_event(NETWORK_IPV4_DOWN, NETWORK_LOWER_DOWN);
	assert_no_event();
}
END_TEST

START_TEST(peer_closes)
{
	up_v4();
	says(PPP_IPCP, CODE_TERMINATE_REQUEST, 5, "");
	hears(PPP_IPCP, CODE_TERMINATE_ACK, 5, "");
	assert_event(NETWORK_IPV4_DOWN, NETWORK_PEER_CLOSED);
	world.now = network_deadline(world.ends[0]);
	network_tick(world.ends[0], world.now);
	assert_no_event();
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 6, "");
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 2, OURS);
}
END_TEST

START_TEST(we_close)
{
	up_v4();
	network_close(world.ends[0], world.now);
	hears(PPP_IPCP, CODE_TERMINATE_REQUEST, 2, "");
	assert_event(NETWORK_IPV4_DOWN, NETWORK_WE_CLOSED);
	says(PPP_IPCP, CODE_TERMINATE_ACK, 2, "");
	assert_no_event();
	ck_assert_int_eq(network_deadline(world.ends[0]), SB_NEVER);
	network_lower_down(world.ends[0], world.now);
	network_lower_up(world.ends[0], world.now);
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 3, OURS);
}
END_TEST

/* No dispute without end: once it failed, the peer is told that we are closed. */
START_TEST(B039_no_agreement)
{
	begin_v4(config_of(0x0a000001, 0x0a000002));
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, OURS);
	for (uint8_t i = 1; i <= 11; i++) {
		uint8_t memory[64];
		struct buf out = buf_over(memory, sizeof memory);
		uint16_t protocol;
		assert_no_event();
		says(PPP_IPCP, CODE_CONFIGURE_NAK, i, "03 06 0b 00 00 01");
		ck_assert(network_output(world.ends[0], &protocol, &out) == (i < 11));
	}
	assert_event(NETWORK_IPV4_DOWN, NETWORK_NO_AGREEMENT);
	assert_no_event();
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 9, "");
	hears(PPP_IPCP, CODE_TERMINATE_ACK, 9, "");
	network_lower_down(world.ends[0], world.now);
	assert_no_event();
	network_lower_up(world.ends[0], world.now);
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 12, OURS);
}
END_TEST

/* The 0 that asks for an address, acknowledged: we have none. */
START_TEST(address_0_is_acknowledged)
{
	begin_v4(config_of(0, 0));
	says(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, "");
	says(PPP_IPCP, CODE_CONFIGURE_ACK, 1, "03 06 00 00 00 00");
	ck_assert(!network_ipv4_is_up(world.ends[0]));
	assert_event(NETWORK_IPV4_DOWN, NETWORK_NO_AGREEMENT);
	hears(PPP_IPCP, CODE_CONFIGURE_REQUEST, 1, "03 06 00 00 00 00");
	hears(PPP_IPCP, CODE_CONFIGURE_ACK, 1, "");
	hears(PPP_IPCP, CODE_TERMINATE_REQUEST, 2, "");
	says(PPP_IPCP, CODE_TERMINATE_ACK, 2, "");
	assert_no_event();
}
END_TEST

static void add_case(Suite *suite, const char *name, const TTest *const *tests)
{
	TCase *test_case = tcase_create(name);

	tcase_add_checked_fixture(test_case, NULL, end);
	tcase_set_timeout(test_case, 60); /* sanitizers on a busy machine */
	for (; *tests; tests++)
		tcase_add_test(test_case, *tests);
	suite_add_tcase(suite, test_case);
}

int main(void)
{
	Suite *suite = suite_create("network");

	add_case(suite, "two ends",
		 (const TTest *[]){
			 both_come_up,
			 name_servers_go_across,
			 long_wire_with_the_first_requests,
			 end_that_comes_later,
			 lossy_wire,
			 same_fixed_identifiers,
			 NULL,
		 });
	add_case(suite, "events",
		 (const TTest *[]){
			 B036_both_in_one_read,
			 other_protocols_are_not_its_own,
			 peer_does_not_know_the_protocol,
			 B045_no_reply_time_and_again,
			 B045_peer_begins_after_no_reply,
			 B037_renegotiated,
			 lower_down_and_up,
			 up_that_is_over_is_not_told,
			 peer_closes,
			 we_close,
			 B039_no_agreement,
			 address_0_is_acknowledged,
			 NULL,
		 });
	return run_suite(suite);
}
