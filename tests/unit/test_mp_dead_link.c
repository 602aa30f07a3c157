/* SPDX-License-Identifier: MIT */
/*
 * A link dies under full load: how long until packets come out again?
 *
 * The sender has always something to send: it cuts each packet over all links in
 * proportion to their rates (as kernels do), or gives each whole to the link that is
 * free first. After DEATH nothing comes over one of the links; the sender gives it
 * up STOPS_AFTER later, as a keepalive that asks every half second does. The receiver
 *
 * - is told at once (carrier lost),
 * - is told STOPS_AFTER later (silent),
 * - is told then, but the link was only held: AWAY later all of it comes at once, and the
 *   sender uses the link again,
 * - is never told, and has but its patience.
 *
 * With U the longest time between two packets before, or after on the links that remain,
 * packets come again within
 *
 *	told:      STOPS_AFTER + 3 U
 *	not told:  STOPS_AFTER + 3 U + most_wait / 2
 *
 * of the last one: U from that to the death, U for the last that was cut for the dead link
 * too, U for the first that is not; and not told, the patience of a bundle that knows
 * nothing else yet. When the link is back no packet takes longer than 2 U. No packet is missing
 * of which nothing was lost.
 */
#include "tests/unit/reassembly_testing.h"

#define STOPS_AFTER (900 * SB_MS)
#define DEATH       (40 * SB_SEC)
#define AWAY        (10 * SB_SEC)
#define END         (DEATH + AWAY + 10 * SB_SEC)

enum { MOST_LINKS = 4, PACKET = 1500, FRAME_EXTRA = 12, MOST_PACKETS = 30000, NONE = MOST_LINKS };

enum way { TOLD_DOWN, TOLD_SILENT, HELD, NOT_TOLD, WAYS };

struct scene {
	uint32_t bps[MOST_LINKS];
	unsigned links;
};

static const struct scene scenes[] = {
	{{9600, 9600}, 2},
	{{28800, 14400}, 2},
	{{115200, 9600}, 2},
	{{9600, 115200}, 2},
	{{115200, 57600, 28800, 9600}, 4},
	{{9600, 9600, 9600, 9600}, 4},
	{{115200, 115200, 115200, 115200}, 4},
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

struct event {
	sb_time at;
	unsigned link;
	uint32_t packet;
	struct mp_header header;
	size_t length;
};

static const struct reassembly_config config = {
	.mrru = PACKET,
	.window = 1024,
	.buffer = 64 * PACKET,
	.least_wait = 50 * SB_MS,
	.most_wait = 5 * SB_SEC,
};

static struct {
	const struct scene *scene;
	enum way way;
	unsigned victim;
	uint32_t sequence, packets;
	sb_time free_at[MOST_LINKS];
	bool damaged[MOST_PACKETS]; /* a fragment was lost, or held */
	size_t events;
	struct event event[MOST_LINKS * MOST_PACKETS];
} world;

/* --- the sender --- */

/* Whether the sender uses the link for what it sends now. */
static bool is_used(unsigned link, sb_time now)
{
	if (link != world.victim || now < DEATH + STOPS_AFTER)
		return true;
	return world.way == HELD && now > DEATH + AWAY + 100 * SB_MS;
}

static sb_time time_of(size_t length, unsigned link)
{
	return (sb_time)(length + FRAME_EXTRA) * 10 * SB_SEC / world.scene->bps[link];
}

static void send_fragment(unsigned link, sb_time now, size_t length, bool begin, bool end)
{
	sb_time at = sb_time_max(world.free_at[link], now) + time_of(length, link);
	bool dead = link == world.victim && at > DEATH && at < DEATH + AWAY;
	struct event e = {
		.at = dead ? DEATH + AWAY : at,
		.link = link,
		.packet = world.packets,
		.length = length,
		.header = {.begin = begin, .end = end, .sequence = world.sequence++},
	};

	world.free_at[link] = at;
	world.damaged[world.packets] |= dead;
	if (!dead || world.way == HELD)
		world.event[world.events++] = e;
}

static sb_time send_whole(sb_time now)
{
	unsigned first = NONE;

	for (unsigned i = 0; i < world.scene->links; i++)
		if (is_used(i, now) && (first == NONE || world.free_at[i] < world.free_at[first]))
			first = i;
	now = sb_time_max(now, world.free_at[first]);
	send_fragment(first, now, PACKET, true, true);
	return now;
}

/* When all links that are used will be free. */
static sb_time all_free_at(sb_time now)
{
	sb_time at = now;

	for (unsigned i = 0; i < world.scene->links; i++)
		if (is_used(i, now))
			at = sb_time_max(at, world.free_at[i]);
	return at;
}

static sb_time send_cut(sb_time now)
{
	uint64_t rate = 0, sent_rate = 0;
	size_t sent = 0;

	now = all_free_at(now);
	for (unsigned i = 0; i < world.scene->links; i++)
		rate += is_used(i, now) ? world.scene->bps[i] : 0;
	for (unsigned i = 0; i < world.scene->links; i++) {
		if (!is_used(i, now))
			continue;
		sent_rate += world.scene->bps[i];
		size_t end = (size_t)(PACKET * sent_rate / rate);
		send_fragment(i, now, end - sent, sent == 0, end == PACKET);
		sent = end;
	}
	return now;
}

static int by_arrival(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->header.sequence < y->header.sequence ? -1 : 1;
}

static void send_all(bool cut)
{
	for (sb_time now = 0; now < END; world.packets++) {
		ck_assert_uint_lt(world.packets, MOST_PACKETS);
		now = cut ? send_cut(now) : send_whole(now);
	}
	qsort(world.event, world.events, sizeof world.event[0], by_arrival);
}

/* --- the receiver --- */

struct gaps {
	struct reassembly *reassembly;
	sb_time last;                   /* instant of the last packet */
	sb_time usual, death, returned; /* durations: the longest */
	uint32_t next, missing;         /* packets; those that were whole */
};

static sb_time *longest_of(struct gaps *g, sb_time now)
{
	const sb_time settled = DEATH + (world.way == NOT_TOLD ? 9 : 5) * SB_SEC;

	if (now >= DEATH && now < settled)
		return &g->death;
	return world.way == HELD && now >= DEATH + AWAY ? &g->returned : &g->usual;
}

static void note_packet(struct gaps *g, sb_time now, struct bytes packet)
{
	uint32_t number = (uint32_t)packet.at[1] << 16 | (uint32_t)packet.at[2] << 8 | packet.at[3];
	sb_time gap = now - g->last;

	ck_assert_uint_eq(packet.length, PACKET);
	ck_assert(number >= g->next && number < world.packets && !world.damaged[number]);
	for (; g->next < number; g->next++)
		g->missing += !world.damaged[g->next];
	g->next = number + 1;
	sb_time *longest = longest_of(g, now);
	*longest = sb_time_max(*longest, gap);
	g->last = now;
}

static void drain_gaps(struct gaps *g, sb_time now)
{
	struct bytes packet;

	while (reassembly_next(g->reassembly, now, &packet))
		note_packet(g, now, packet);
}

static void tell(struct gaps *g, sb_time now)
{
	if (world.way == TOLD_DOWN)
		reassembly_link_down(g->reassembly, world.victim, now);
	else if (world.way != NOT_TOLD)
		reassembly_link_silent(g->reassembly, world.victim, now);
	drain_gaps(g, now);
}

static void let_time_pass(struct gaps *g, sb_time until)
{
	sb_time deadline;

	while ((deadline = reassembly_deadline(g->reassembly)) <= until)
		drain_gaps(g, deadline);
	drain_gaps(g, until);
}

static void take(struct gaps *g, const struct event *e)
{
	static uint8_t memory[MP_LONG_HEADER + PACKET];
	struct buf fragment = buf_over(memory, sizeof memory);
	const uint8_t number[] = {0, (uint8_t)(e->packet >> 16), (uint8_t)(e->packet >> 8),
				  (uint8_t)e->packet};

	mp_header_put(&fragment, &e->header, false);
	if (e->header.begin)
		memcpy(fragment.at + fragment.length, number, sizeof number);
	while (!reassembly_input(g->reassembly, e->link, e->at,
				 bytes_of(memory, fragment.length + e->length)))
		drain_gaps(g, e->at);
	drain_gaps(g, e->at);
}

static struct gaps receive_all(void)
{
	struct gaps g = {.reassembly = reassembly_new(&config)};
	sb_time told_at = DEATH + (world.way == TOLD_DOWN ? 0 : STOPS_AFTER);
	bool told = false;

	ck_assert_ptr_nonnull(g.reassembly);
	for (unsigned i = 0; i < world.scene->links; i++)
		reassembly_link_up(g.reassembly, i, 0);
	for (size_t i = 0; i < world.events; i++) {
		const struct event *e = &world.event[i];
		if (!told && e->at > told_at) {
			let_time_pass(&g, told_at);
			tell(&g, told_at);
			told = true;
		}
		let_time_pass(&g, e->at);
		take(&g, e);
	}
	let_time_pass(&g, END + 60 * SB_SEC);
	for (; g.next < world.packets; g.next++)
		g.missing += !world.damaged[g.next];
	return g;
}

static struct gaps play(const struct scene *scene, unsigned victim, enum way way, bool cut)
{
	memset(&world, 0, sizeof world);
	world.scene = scene;
	world.victim = victim;
	world.way = way;
	send_all(cut);
	struct gaps g = receive_all();
	reassembly_free(g.reassembly);
	return g;
}

static void check(const struct gaps *g)
{
	sb_time patience = world.way == NOT_TOLD ? config.most_wait / 2 : 0;

	ck_assert(g->usual > 0 && g->death > 0);
	ck_assert((g->returned > 0) == (world.way == HELD));
	ck_assert_int_le(g->death, STOPS_AFTER + 3 * g->usual + patience);
	ck_assert_int_le(g->returned, 2 * g->usual);
	ck_assert_uint_eq(g->missing, 0);
}

START_TEST(a_link_dies)
{
	for (unsigned s = 0; s < SCENES; s++)
		for (unsigned victim = 0; victim < scenes[s].links; victim++)
			for (unsigned cut = 0; cut < 2; cut++) {
				struct gaps g = play(&scenes[s], victim, (enum way)_i, cut);
				check(&g);
			}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mp_dead_link");
	TCase *tcase = tcase_create("dead link");

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, a_link_dies, 0, WAYS);
	return run_suite(suite);
}
