/* SPDX-License-Identifier: MIT */
/*
 * Fragments from several links, put in order.
 *
 * Every fragment has the next number of one sequence, whichever link it takes.
 * A number becomes a *place*, which has 64 bits and never wraps: the one nearest to
 * `next`. Of the places
 *
 *	        next             top             next + window
 *	 taken   |  held, holes   |   still free   |
 *	---------+----------------+----------------+----
 *
 * those before `next` are done with. Either the packet that was put together
 * waits to be taken out, or the fragment of `next` has not come: what is next in
 * order never stays in the window but is copied right behind the part of the
 * packet that stands already. So all work is done once for each place, and a
 * bundle that keeps its order never uses the window.
 *
 * A hole, a place below `top` whose fragment has not come, is given up
 *
 * - by rule M (RFC 1990 section 4.1). Numbers rise on each link, so what is
 *   missing below the least of the last numbers heard on each link has been lost.
 *   Which links count? All but those that are down or silent. A link that has just
 *   joined has no last number, but nothing from before it joined can come over it:
 *   it counts with that place. If it has not been heard after `most_wait`, the peer
 *   does not send on it (or its way to us is dead), and it is not waited for until
 *   it is heard.
 *
 * - by time, since a link that is idle holds M where it is, and a lost fragment that
 *   was the last on its link with it. Time counts from when the hole was seen: from the
 *   first fragment beyond it. How long is long enough? The holes that were filled
 *   tell: they last as long as one link is behind the other. The longest of them, slowly
 *   forgotten, and half of it again, is what the next hole gets. One that is filled
 *   after it was given up tells as well.
 *
 * - when the window or the store is full.
 *
 * The peer may begin to number anew, having been restarted. RFC 1990 has it begin
 * at 0 on a new bundle; here, too, when the first of the links comes up. But it may
 * have a new bundle while we have the old one, and its links come to us one by one. A
 * fragment *surprises* when it is far ahead, or behind and not after the last
 * one of its own link (behind and after it, it is late, no more). It is dropped; a wrong
 * number from a damaged frame must not move the window. But if it is number 0,
 * beginning a packet, and the first of its link, or if surprises follow one
 * another, near together and without anything else between them, then the peer
 * numbers anew, and so do we.
 */
#include "ppp/reassembly.h"

#include <assert.h>
#include <stdlib.h>

#include "ppp/assembly.h"
#include "ppp/fragment_store.h"

enum {
	SURPRISES = 4,   /* in a row: the peer numbers anew */
	FORGETTING = 64, /* holes filled: so slowly a long one is forgotten */
	NUMBERS_LONG = 1 << 24,
	NUMBERS_SHORT = 1 << 12,
};
static const sb_time LATENESS = 20 * SB_MS; /* of timers, besides what is measured */
static const uint64_t PLACE_OF_ZERO = UINT64_C(1) << 32;

/* A place of the window, valid from `next` to `top`. */
struct slot {
	bool held, begin, end;
	size_t length;
	struct fragment_block *fragment;
	sb_time missed_at; /* instant the hole was seen; valid until held */
};

struct link {
	bool up, silent, heard;
	uint64_t last;     /* place last heard, or before which nothing comes over it */
	sb_time joined_at; /* instant */
};

struct reassembly {
	struct reassembly_config config;
	struct reassembly_counters counters;
	struct assembly assembly;

	bool begun; /* anything came since the numbers began */
	uint64_t next, top;
	uint64_t given_up;  /* holes below this are */
	struct slot *slots; /* of place p: p % window */
	struct fragment_store *store;

	bool spread_known;
	sb_time spread; /* duration: the longest that a hole was filled after, slowly forgotten */
	struct {
		uint64_t from, to; /* places */
		sb_time missed_at;
	} timed_out; /* the last hole given up by time */

	struct {
		unsigned count;
		uint32_t sequence;
	} surprise;      /* the last ones, in a row */
	unsigned joined; /* links numbered below this have been up */
	struct link links[MP_MAX_LINKS];
};

/* --- places --- */

static struct slot *slot(const struct reassembly *r, uint64_t place)
{
	return &r->slots[place & (r->config.window - 1)];
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint32_t numbers(const struct reassembly *r)
{
	return r->config.short_sequence ? NUMBERS_SHORT : NUMBERS_LONG;
}

static uint64_t place_of(const struct reassembly *r, uint32_t sequence)
{
	uint32_t ahead = (sequence - (uint32_t)r->next) & (numbers(r) - 1);

	return r->next + ahead - (ahead < numbers(r) / 2 ? 0 : numbers(r));
}

static bool is_held(const struct reassembly *r, uint64_t place)
{
	return place >= r->next && place < r->top && slot(r, place)->held;
}

static void step(struct reassembly *r)
{
	r->next++;
	r->top = most(r->top, r->next);
}

static bool is_ready(const struct reassembly *r)
{
	return r->assembly.state == ASSEMBLY_READY;
}

static void take_held(struct reassembly *r)
{
	struct slot *s = slot(r, r->next);

	assembly_begin(&r->assembly, s->begin);
	if (r->assembly.state == ASSEMBLY_BUILDING)
		fragment_store_take(r->store, s->fragment, s->length, &r->assembly.packet);
	else
		fragment_store_drop(r->store, s->fragment);
	assembly_end(&r->assembly, s->end);
	step(r);
}

/* --- how long a hole is waited for --- */

static sb_time patience(const struct reassembly *r)
{
	sb_time wait =
		r->spread_known ? r->spread + r->spread / 2 + LATENESS : r->config.most_wait / 4;

	return sb_time_min(sb_time_max(wait, r->config.least_wait), r->config.most_wait);
}

static void learn(struct reassembly *r, sb_time lasted)
{
	r->spread -= r->spread / FORGETTING;
	r->spread = sb_time_max(r->spread, lasted);
	r->spread_known = true;
}

/* A hole is filled, if there is one. */
static void learn_from(struct reassembly *r, uint64_t place, sb_time now)
{
	if (place >= r->top)
		return;
	sb_time lasted = now - slot(r, place)->missed_at;
	learn(r, lasted);
	r->counters.longest_wait = sb_time_max(r->counters.longest_wait, lasted);
}

/* It would have been, but was given up too soon. */
static void learn_from_late(struct reassembly *r, uint64_t place, sb_time now)
{
	if (place >= r->timed_out.from && place < r->timed_out.to)
		learn(r, now - r->timed_out.missed_at);
}

/* --- giving up --- */

static bool is_waited_for(const struct reassembly *r, const struct link *l, sb_time now)
{
	return l->up && !l->silent && (l->heard || now - l->joined_at < r->config.most_wait);
}

/* M of section 4.1: what is missing below has been lost. */
static uint64_t least_last(const struct reassembly *r, sb_time now)
{
	uint64_t m = r->top;

	for (unsigned i = 0; i < r->joined; i++)
		if (is_waited_for(r, &r->links[i], now))
			m = least(m, r->links[i].last);
	return m;
}

static void note_timed_out(struct reassembly *r, uint64_t place, sb_time missed_at)
{
	r->counters.lost_by_time++;
	if (place != r->timed_out.to) {
		r->timed_out.from = place;
		r->timed_out.missed_at = missed_at;
	}
	r->timed_out.to = place + 1;
}

/* The hole at `next`, as far as it is lost. False: it is to be waited for. */
static bool give_up(struct reassembly *r, sb_time now)
{
	const uint64_t lost = most(r->given_up, least_last(r, now)), from = r->next;
	const sb_time too_old = now - patience(r);

	while (r->next < r->top && !is_held(r, r->next)) {
		sb_time missed_at = slot(r, r->next)->missed_at;
		if (r->next >= lost) {
			if (missed_at > too_old)
				break;
			note_timed_out(r, r->next, missed_at);
		}
		r->next++;
	}
	if (r->next == from)
		return false;
	r->counters.lost += r->next - from;
	assembly_lost(&r->assembly);
	return true;
}

/* What was given up ahead of all that came. */
static void skip(struct reassembly *r)
{
	r->counters.lost += r->given_up - r->next;
	r->next = r->top = r->given_up;
	assembly_lost(&r->assembly);
}

/* Goes on until a packet is whole or a hole is to be waited for. */
static void advance(struct reassembly *r, sb_time now)
{
	while (!is_ready(r) && r->next < r->top) {
		if (is_held(r, r->next))
			take_held(r);
		else if (!give_up(r, now))
			return;
	}
	if (!is_ready(r) && r->next < r->given_up)
		skip(r);
}

/* --- numbering --- */

static void join(struct reassembly *r, struct link *l, sb_time now)
{
	l->silent = l->heard = false;
	l->last = r->next - 1;
	l->joined_at = now;
}

/* All links may still bring what was sent shortly before the first that came. */
static void renumber(struct reassembly *r, uint64_t place, sb_time now)
{
	for (; r->next < r->top; r->next++)
		if (slot(r, r->next)->held)
			fragment_store_drop(r->store, slot(r, r->next)->fragment);
	assembly_lost(&r->assembly);
	r->next = r->top = r->given_up = place;
	r->timed_out.from = r->timed_out.to = 0;
	r->surprise.count = 0;
	r->begun = false;
	for (unsigned i = 0; i < r->joined; i++) {
		join(r, &r->links[i], now);
		r->links[i].last -= r->config.window;
	}
}

static bool is_surprise(const struct reassembly *r, const struct link *l, uint64_t place)
{
	if (place >= r->next)
		return place - r->next >= 2 * (uint64_t)r->config.window;
	return place <= l->last;
}

/* Counts the surprises that go on from one another; the same again is none. */
static bool go_on(struct reassembly *r, uint32_t sequence)
{
	uint32_t mask = numbers(r) - 1, window = r->config.window;
	uint32_t apart = (sequence - r->surprise.sequence + window) & mask;

	if (!r->surprise.count || apart > 2 * window)
		r->surprise.count = 1;
	else if (apart != window && r->surprise.count < SURPRISES)
		r->surprise.count++;
	r->surprise.sequence = sequence;
	return r->surprise.count == SURPRISES;
}

static bool numbers_anew(struct reassembly *r, const struct link *l, const struct mp_header *header)
{
	if (!r->begun || (!l->heard && header->begin && header->sequence == 0))
		return true;
	return go_on(r, header->sequence);
}

static void drop_surprise(struct reassembly *r, uint64_t place)
{
	r->counters.fragments++;
	if (place < r->next)
		r->counters.late++;
	else
		r->counters.astray++;
}

/* Before the numbers begin anew, what is whole of the old goes out; false: it waits. */
static bool flush(struct reassembly *r, sb_time now)
{
	r->given_up = r->top;
	advance(r, now);
	return !is_ready(r);
}

/* --- a fragment --- */

static void hear(struct reassembly *r, struct link *l, uint64_t place)
{
	l->last = l->heard ? most(l->last, place) : place;
	l->heard = true;
	l->silent = false;
	r->begun = true;
	r->surprise.count = 0;
}

static bool is_next(const struct reassembly *r, uint64_t place)
{
	return place == r->next && !is_ready(r);
}

static bool has_room(const struct reassembly *r, uint64_t place, size_t length)
{
	return is_next(r, place) ||
	       (place - r->next < r->config.window && fragment_store_fits(r->store, length));
}

static uint64_t end_of_hole(const struct reassembly *r)
{
	uint64_t place = r->next;

	while (place < r->top && !is_held(r, place))
		place++;
	return place;
}

/* False: what is in the way are packets to be taken out. */
static bool make_room(struct reassembly *r, uint64_t place, size_t length, sb_time now)
{
	while (!has_room(r, place, length)) {
		if (is_ready(r))
			return false;
		r->given_up = r->next < r->top ? least(end_of_hole(r), place)
					       : place + 1 - r->config.window;
		r->counters.overflows++;
		advance(r, now);
	}
	return true;
}

static void hold(struct reassembly *r, uint64_t place, const struct mp_header *header,
		 struct bytes data, sb_time now)
{
	for (; r->top <= place; r->top++)
		*slot(r, r->top) = (struct slot){.missed_at = now};
	*slot(r, place) = (struct slot){
		.held = true,
		.begin = header->begin,
		.end = header->end,
		.length = data.length,
		.fragment = fragment_store_put(r->store, data),
	};
}

static void accept(struct reassembly *r, uint64_t place, const struct mp_header *header,
		   struct bytes data, sb_time now)
{
	learn_from(r, place, now);
	if (!is_next(r, place)) {
		hold(r, place, header, data, now);
		return;
	}
	assembly_begin(&r->assembly, header->begin);
	if (r->assembly.state == ASSEMBLY_BUILDING)
		buf_append(&r->assembly.packet, data);
	assembly_end(&r->assembly, header->end);
	step(r);
}

static void drop_late(struct reassembly *r, uint64_t place, sb_time now)
{
	learn_from_late(r, place, now);
	r->counters.late++;
}

/* False: as reassembly_input. */
static bool place_fragment(struct reassembly *r, uint64_t place, const struct mp_header *header,
			   struct bytes data, sb_time now)
{
	if (place >= r->next && !is_held(r, place)) {
		if (!make_room(r, place, data.length, now))
			return false;
		accept(r, place, header, data, now);
		advance(r, now);
	} else {
		drop_late(r, place, now);
	}
	r->counters.fragments++;
	r->counters.nulls += header->begin && header->end && !data.length;
	return true;
}

/* One octet more than a packet may have makes it too long as well as many. */
static struct bytes cut(const struct reassembly *r, struct bytes data)
{
	size_t enough = r->assembly.packet.capacity + 1;

	return data.length > enough ? bytes_of(data.at, enough) : data;
}

bool reassembly_input(struct reassembly *r, unsigned link, sb_time now, struct bytes fragment)
{
	assert(link < MP_MAX_LINKS);
	struct link *l = &r->links[link];
	struct mp_header header;

	if (!mp_header_take(&fragment, &header, r->config.short_sequence)) {
		r->counters.bad_headers++;
		return true;
	}
	advance(r, now);
	uint64_t place = place_of(r, header.sequence);
	if (is_surprise(r, l, place)) {
		if (!numbers_anew(r, l, &header)) {
			drop_surprise(r, place);
			return true;
		}
		if (!flush(r, now))
			return false;
		r->counters.renumbered += r->begun;
		place = PLACE_OF_ZERO + header.sequence;
		renumber(r, place, now);
	}
	hear(r, l, place);
	advance(r, now);
	return place_fragment(r, place, &header, cut(r, fragment), now);
}

/* --- the rest --- */

bool reassembly_next(struct reassembly *r, sb_time now, struct bytes *packet)
{
	advance(r, now);
	if (!is_ready(r))
		return false;
	*packet = buf_bytes(&r->assembly.packet);
	r->assembly.state = ASSEMBLY_BETWEEN;
	return true;
}

sb_time reassembly_deadline(const struct reassembly *r)
{
	if (r->next == r->top || is_held(r, r->next))
		return SB_NEVER;
	return slot(r, r->next)->missed_at + patience(r);
}

static bool is_empty(const struct reassembly *r)
{
	for (unsigned i = 0; i < r->joined; i++)
		if (r->links[i].up)
			return false;
	return true;
}

void reassembly_link_up(struct reassembly *r, unsigned link, sb_time now)
{
	assert(link < MP_MAX_LINKS);
	if (is_empty(r))
		renumber(r, PLACE_OF_ZERO, now);
	if (link >= r->joined)
		r->joined = link + 1;
	r->links[link].up = true;
	join(r, &r->links[link], now);
}

void reassembly_link_down(struct reassembly *r, unsigned link, sb_time now)
{
	assert(link < MP_MAX_LINKS);
	r->links[link].up = false;
	advance(r, now);
}

void reassembly_link_silent(struct reassembly *r, unsigned link, sb_time now)
{
	assert(link < MP_MAX_LINKS);
	r->links[link].silent = true;
	advance(r, now);
}

const struct reassembly_counters *reassembly_counters(const struct reassembly *r)
{
	return &r->counters;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* The store has room for any fragment that may be of use, or nothing could ever fit. */
struct reassembly *reassembly_new(const struct reassembly_config *config)
{
	const size_t packet = assembly_size(config->mrru);
	struct reassembly *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->config = *config;
	assert(config->window && (config->window & (config->window - 1)) == 0);
	assert(config->window < numbers(r) / 2);
	r->slots = calloc(config->window, sizeof *r->slots);
	r->store = fragment_store_new(larger(config->buffer, packet + 1));
	r->assembly = (struct assembly){.packet = buf_over(malloc(packet), packet),
					.mrru = config->mrru,
					.counters = &r->counters};
	if (!r->slots || !r->store || !r->assembly.packet.at) {
		reassembly_free(r);
		return NULL;
	}
	renumber(r, PLACE_OF_ZERO, 0);
	return r;
}

void reassembly_free(struct reassembly *r)
{
	if (!r)
		return;
	free(r->slots);
	fragment_store_free(r->store);
	free(r->assembly.packet.at);
	free(r);
}
