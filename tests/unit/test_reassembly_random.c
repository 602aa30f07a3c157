/* SPDX-License-Identifier: MIT */
/*
 * Reassembly of whatever a sender may do. Random packets go whole or cut over random
 * links of random rates and delays, each link in order; some frames are lost, some come
 * twice, null fragments stand between. Whatever the draw:
 *
 * - packets come out at most once, in order and unchanged;
 * - where holes may last as long as they do at most, without loss all come out, and with
 *   loss exactly those of which nothing was lost;
 * - none comes out later than most_wait after its last fragment came.
 */
#include "tests/unit/reassembly_testing.h"

enum { PACKETS = 300, MOST_LINKS = 6, LONGEST = 600, EVENTS = PACKETS * (MOST_LINKS + 2) };

struct packet_sent {
	size_t length;
	uint8_t octets[LONGEST];
	bool damaged;     /* one of its fragments is lost */
	sb_time whole_at; /* instant the last of its fragments comes */
};

struct event { /* a fragment comes */
	sb_time at;
	unsigned link;
	bool lost, null;
	struct mp_header header;
	uint32_t packet;
	size_t offset, length;
};

struct line {
	sb_time per_octet, delay, free_at, last_arrival;
};

static struct {
	uint64_t random;
	unsigned links;
	unsigned loss, doubles; /* of 1000 */
	uint32_t sequence;
	sb_time now;
	struct line lines[MOST_LINKS];
	struct packet_sent packets[PACKETS];
	size_t checked; /* packets that came out */
	int last;       /* the number of the last of them */
	size_t events;
	struct event event[EVENTS];
} world;

static struct bundle b;

/* --- the sender --- */

static bool one_in_1000(unsigned count)
{
	return random_below(&world.random, 1000) < count;
}

static void send_fragment(struct event e)
{
	struct line *l = &world.lines[e.link];
	sb_time jitter = (sb_time)random_below(&world.random, 30) * SB_MS;

	l->free_at = sb_time_max(l->free_at, world.now) + (sb_time)(e.length + 10) * l->per_octet;
	e.at = sb_time_max(l->free_at + l->delay + jitter, l->last_arrival);
	l->last_arrival = e.at;
	e.lost = one_in_1000(world.loss);
	e.header.sequence = world.sequence++;
	ck_assert_uint_lt(world.events, EVENTS);
	world.event[world.events++] = e;
	if (e.null)
		return;
	struct packet_sent *p = &world.packets[e.packet];
	p->damaged |= e.lost;
	p->whole_at = sb_time_max(p->whole_at, e.at);
}

static void send_null(unsigned link)
{
	send_fragment(
		(struct event){.link = link, .null = true, .header = {.begin = true, .end = true}});
}

/* Pieces of random length on links in rising order, from a random one on. */
static void send_cut(uint32_t number, unsigned pieces)
{
	size_t length = world.packets[number].length, offset = 0;
	unsigned first = (unsigned)random_below(&world.random, world.links);

	for (unsigned i = 0; i < pieces; i++) {
		bool last = i + 1 == pieces;
		size_t n =
			last ? length - offset : random_below(&world.random, length - offset + 1);
		send_fragment((struct event){
			.link = (first + i) % world.links,
			.packet = number,
			.offset = offset,
			.length = n,
			.header = {.begin = i == 0, .end = last},
		});
		offset += n;
	}
}

/* Time goes on until a few frames at most wait for each line. */
static void let_lines_run(void)
{
	for (unsigned i = 0; i < world.links; i++)
		world.now = sb_time_max(world.now, world.lines[i].free_at - SB_SEC);
	world.now += (sb_time)random_below(&world.random, 100) * SB_MS;
}

static void make_packet(struct packet_sent *p, uint32_t number)
{
	*p = (struct packet_sent){.length = 4 + random_below(&world.random, LONGEST - 3)};
	random_fill(&world.random, p->octets, p->length, bytes_of("\x7d\x7e", 2));
	for (unsigned i = 0; i < 4; i++)
		p->octets[i] = (uint8_t)(number >> (24 - 8 * i));
}

static void send_all(uint64_t seed, unsigned loss)
{
	memset(&world, 0, sizeof world);
	world.random = seed;
	world.now = 1000 * SB_SEC;
	world.loss = loss;
	world.doubles = seed % 2 ? 30 : 0;
	world.links = 1 + (unsigned)random_below(&world.random, MOST_LINKS);
	for (unsigned i = 0; i < world.links; i++) {
		world.lines[i].per_octet = SB_SEC / (960 << random_below(&world.random, 5));
		world.lines[i].delay = (sb_time)random_below(&world.random, 200) * SB_MS;
		send_null(i);
	}
	for (uint32_t i = 0; i < PACKETS; i++) {
		let_lines_run();
		make_packet(&world.packets[i], i);
		send_cut(i, 1 + (unsigned)random_below(&world.random, world.links));
		if (one_in_1000(50))
			send_null((unsigned)random_below(&world.random, world.links));
	}
}

/* --- what comes --- */

static int by_arrival(const void *a, const void *c)
{
	const struct event *x = a, *y = c;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->header.sequence < y->header.sequence ? -1 : 1;
}

/* Sorts them; duration: the longest that any number comes after a higher one. */
static sb_time sort_events(void)
{
	sb_time longest = 0, seen = SB_NEVER;

	for (size_t i = world.events; i-- > 0;) {
		seen = sb_time_min(seen, world.event[i].at);
		longest = sb_time_max(longest, world.event[i].at - seen);
	}
	qsort(world.event, world.events, sizeof world.event[0], by_arrival);
	return longest;
}

static uint32_t number_of(struct bytes packet)
{
	uint32_t number = 0;

	ck_assert_uint_ge(packet.length, 4);
	for (unsigned i = 0; i < 4; i++)
		number = number << 8 | packet.at[i];
	ck_assert_uint_lt(number, PACKETS);
	return number;
}

/* Those that have just come out: in order, unchanged, not too late. */
static void check_new(sb_time most_wait)
{
	for (; world.checked < b.got.count; world.checked++) {
		struct bytes packet = b.got.at[world.checked];
		int number = (int)number_of(packet);
		const struct packet_sent *p = &world.packets[number];
		ck_assert_int_gt(number, world.last);
		assert_octets(packet, bytes_of(p->octets, p->length));
		ck_assert(!p->damaged);
		ck_assert_int_le(b.now - p->whole_at, most_wait);
		world.last = number;
	}
}

/* As an owner: called at its deadlines. */
static void let_time_pass(sb_time until, sb_time most_wait)
{
	sb_time deadline;

	while ((deadline = reassembly_deadline(b.reassembly)) <= until) {
		wait_until(&b, sb_time_max(b.now, deadline));
		check_new(most_wait);
	}
	wait_until(&b, until);
	check_new(most_wait);
}

static void deliver(const struct event *e, sb_time most_wait)
{
	struct bytes data = bytes_of(world.packets[e->packet].octets + e->offset, e->length);
	unsigned times = one_in_1000(world.doubles) ? 2 : 1;

	let_time_pass(e->at, most_wait);
	while (!e->lost && times--)
		feed(&b, e->link, &e->header, e->null ? bytes_of(NULL, 0) : data);
	check_new(most_wait);
}

static void receive_all(const struct reassembly_config *config)
{
	bundle_open(&b, config, world.links);
	world.last = -1;
	for (size_t i = 0; i < world.events; i++)
		deliver(&world.event[i], config->most_wait);
	let_time_pass(b.now + config->most_wait, config->most_wait);
	ck_assert_int_eq(reassembly_deadline(b.reassembly), SB_NEVER);
	ck_assert_uint_eq(counted(&b).packets, b.got.count);
	ck_assert_uint_eq(counted(&b).too_long + counted(&b).bad_headers, 0);
}

/* --- the tests --- */

static struct reassembly_config config_for(sb_time least_wait, sb_time most_wait, uint64_t seed)
{
	return (struct reassembly_config){
		.mrru = LONGEST,
		.short_sequence = seed % 3 == 0,
		.window = 1024,
		.buffer = 1 << 20,
		.least_wait = least_wait,
		.most_wait = most_wait,
	};
}

static size_t undamaged(void)
{
	size_t count = 0;

	for (size_t i = 0; i < PACKETS; i++)
		count += !world.packets[i].damaged;
	return count;
}

static size_t lost_frames(void)
{
	size_t count = 0;

	for (size_t i = 0; i < world.events; i++)
		count += world.event[i].lost;
	return count;
}

START_TEST(without_loss_all)
{
	for (uint64_t seed = 0; seed < 25; seed++) {
		send_all(seed, 0);
		sb_time longest = sort_events() + 1;
		struct reassembly_config config = config_for(longest, longest + SB_SEC, seed);
		receive_all(&config);
		ck_assert_uint_eq(b.got.count, PACKETS);
		ck_assert_uint_eq(counted(&b).lost + counted(&b).broken, 0);
		ck_assert_uint_eq(counted(&b).renumbered, 0);
		bundle_close(&b);
	}
}
END_TEST

/* Except at the very end, after which nothing tells of a loss. */
START_TEST(with_loss_those_that_are_whole)
{
	for (uint64_t seed = 100; seed < 125; seed++) {
		send_all(seed, 1 + (unsigned)(seed % 5) * 30);
		sb_time longest = sort_events() + 1;
		struct reassembly_config config = config_for(longest, longest + SB_SEC, seed);
		receive_all(&config);
		ck_assert_uint_eq(b.got.count, undamaged());
		ck_assert_uint_le(counted(&b).lost, lost_frames());
		ck_assert_uint_ge(counted(&b).lost + MOST_LINKS * 2, lost_frames());
		bundle_close(&b);
	}
}
END_TEST

/* It learns how long to wait. What it gives up too soon is a loss, and nothing worse. */
START_TEST(with_a_limit_that_learns_few_are_given_up)
{
	size_t wanted = 0, given_up = 0;

	for (uint64_t seed = 200; seed < 230; seed++) {
		send_all(seed, 10);
		sort_events();
		struct reassembly_config config = config_for(20 * SB_MS, 4 * SB_SEC, seed);
		receive_all(&config);
		wanted += undamaged();
		given_up += undamaged() - b.got.count;
		bundle_close(&b);
	}
	ck_assert_uint_gt(wanted, 30 * PACKETS / 2);
	ck_assert_uint_lt(given_up, wanted / 500);
}
END_TEST

/* With little room of either kind: never more than is lost or given up is missing. */
START_TEST(with_little_room)
{
	for (uint64_t seed = 300; seed < 320; seed++) {
		send_all(seed, (unsigned)(seed % 2) * 20);
		sb_time longest = sort_events() + 1;
		struct reassembly_config config = config_for(longest, longest + SB_SEC, seed);
		config.window = 4;
		config.buffer = seed % 4 < 2 ? 1000 : 1 << 20;
		receive_all(&config);
		ck_assert_uint_ge(b.got.count + counted(&b).late + counted(&b).lost, undamaged());
		bundle_close(&b);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("reassembly_random");
	TCase *random = tcase_create("random");

	suite_add_tcase(suite, random);
	tcase_set_timeout(random, 60);
	tcase_add_test(random, without_loss_all);
	tcase_add_test(random, with_loss_those_that_are_whole);
	tcase_add_test(random, with_a_limit_that_learns_few_are_given_up);
	tcase_add_test(random, with_little_room);
	return run_suite(suite);
}
