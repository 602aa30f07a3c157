/* SPDX-License-Identifier: MIT */
/*
 * The network layer: two of them over a wire that may be long and lose packets.
 */
#include "ppp/network.h"

#include "tests/unit/control_testing.h"

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
	Suite *suite = suite_create("network, wire");

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
	return run_suite(suite);
}
