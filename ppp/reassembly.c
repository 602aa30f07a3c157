/* SPDX-License-Identifier: MIT */
/*
 * Fragments from several links, put in order.
 *
 * Every fragment has the next number of one sequence, whichever link it takes. A number
 * becomes a *place*, which has 64 bits and never wraps: the one nearest to `next`, the
 * place before which all is done with. Either a packet that was put together waits to
 * be taken out, or the fragment of `next` has not come: what is next in order does
 * not stay in the window but is copied at once behind what stands of its packet. So the work
 * is done once for each place, and a bundle that keeps its order does not use the window.
 *
 * A hole, a place below `top` whose fragment has not come, is given up
 *
 * - by rule M (RFC 1990 section 4.1): numbers rise on each link, so what is missing below
 *   the least of the last numbers heard on the links has been lost (heard.h).
 *
 * - by time, since a link that is idle holds M where it is, and so does a lost fragment
 *   that was the last on its link. Time counts from when the hole was seen: from
 *   the first fragment beyond it. How long is long enough? The holes that were filled tell:
 *   they last as long as one link is behind the other (patience.h).
 *
 * - when the window or the store is full.
 *
 * The peer begins at 0 when the first link comes up, and may do so at any other time, having
 * been restarted; numbering.c tells when to follow it.
 */
#include "ppp/reassembly.h"

#include <assert.h>
#include <stdlib.h>

#include "ppp/assembly.h"
#include "ppp/fragment_store.h"
#include "ppp/fragments.h"
#include "ppp/heard.h"
#include "ppp/numbering.h"
#include "ppp/patience.h"

/*
 * Of the short numbers a quarter. With the long ones it is what fast lines need: at four times
 * 100 Mbit/s, in pieces of packets of 1500 bytes cut in four, 4096 places are 30 ms by which one
 * line may be behind. The places take 160 KB then, and the buffer 2.1 MB, if ever they are all in
 * use. Packets that are larger make the buffer larger only if few of them would fill it.
 */
enum {
	SHORT_WINDOW = 1024,
	LONG_WINDOW = 4096,
	PIECE = 4 * FRAGMENT_BLOCK_OCTETS, /* 375, in whole blocks */
	FEW = 64,
};

struct reassembly {
	struct reassembly_config config;
	struct reassembly_counters counters;
	struct fragments window;
	struct assembly assembly;
	struct patience patience;
	struct numbering numbering;
	struct heard heard;
	uint64_t given_up; /* holes below this place are */
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool is_ready(const struct reassembly *r)
{
	return r->assembly.state == ASSEMBLY_READY;
}

static void take_held(struct reassembly *r)
{
	struct fragment f = fragments_take(&r->window);

	assembly_begin(&r->assembly, f.begin);
	if (r->assembly.state == ASSEMBLY_BUILDING)
		fragment_store_take(r->window.store, f.data, f.length, &r->assembly.packet);
	else
		fragment_store_drop(r->window.store, f.data);
	assembly_end(&r->assembly, f.end);
}

/* --- giving up --- */

static bool runs_out(struct reassembly *r, sb_time now)
{
	sb_time missed_at = fragments_missed_at(&r->window, r->window.next);

	if (now - missed_at < patience_limit(&r->patience))
		return false;
	patience_ran_out(&r->patience, r->window.next, missed_at);
	r->counters.lost_by_time++;
	return true;
}

/* The hole at `next`, as far as it is lost. False: it is to be waited for. */
static bool give_up(struct reassembly *r, sb_time now)
{
	struct fragments *w = &r->window;
	const uint64_t m = heard_least(&r->heard, w->top, now);
	const uint64_t lost = most(r->given_up, m), from = w->next;

	while (w->next < w->top && !fragments_has(w, w->next)) {
		if (w->next >= lost && !runs_out(r, now))
			break;
		w->next++;
	}
	if (w->next == from)
		return false;
	r->counters.lost += w->next - from;
	assembly_lost(&r->assembly);
	return true;
}

/* What was given up ahead of all that came. */
static void skip(struct reassembly *r)
{
	r->counters.lost += r->given_up - r->window.next;
	r->window.next = r->window.top = r->given_up;
	assembly_lost(&r->assembly);
}

/* Goes on until a packet is whole or a hole is to be waited for. */
static void advance(struct reassembly *r, sb_time now)
{
	while (!is_ready(r) && r->window.next < r->window.top) {
		if (fragments_has(&r->window, r->window.next))
			take_held(r);
		else if (!give_up(r, now))
			return;
	}
	if (!is_ready(r) && r->window.next < r->given_up)
		skip(r);
}

/* --- numbering --- */

/* Links may still bring what was sent shortly before the first that came: late, no surprise. */
static void renumber(struct reassembly *r, uint64_t place, sb_time now)
{
	numbering_restart(&r->numbering);
	heard_restart(&r->heard, place - 1 - r->config.window, now);
	fragments_restart(&r->window, place);
	assembly_lost(&r->assembly);
	patience_forget_place(&r->patience);
	r->given_up = place;
}

static void drop(struct reassembly *r, uint64_t place)
{
	r->counters.fragments++;
	if (place >= r->window.top)
		r->counters.astray++;
	else
		r->counters.late++;
}

/* What a link brings that was silent is no measure for the links at work. */
static void drop_late(struct reassembly *r, unsigned link, uint64_t place, sb_time now)
{
	if (r->heard.links[link].silent)
		patience_forget_place(&r->patience);
	else
		patience_came_late(&r->patience, place, now);
	heard_place(&r->heard, link, place);
	drop(r, place);
}

/* Before the numbers begin anew, what is whole of the old goes out; false: it waits. */
static bool flush(struct reassembly *r, sb_time now)
{
	r->given_up = r->window.top;
	advance(r, now);
	return !is_ready(r);
}

/* --- a fragment --- */

static bool is_next(const struct reassembly *r, uint64_t place)
{
	return place == r->window.next && !is_ready(r);
}

static bool has_room(const struct reassembly *r, uint64_t place, size_t length)
{
	return is_next(r, place) || fragments_fits(&r->window, place, length);
}

/* False: what is in the way are packets to be taken out. */
static bool make_room(struct reassembly *r, uint64_t place, size_t length, sb_time now)
{
	while (!has_room(r, place, length)) {
		if (is_ready(r))
			return false;
		r->given_up = place - r->window.next < r->config.window
				      ? least(fragments_end_of_hole(&r->window), place)
				      : place + 1 - r->config.window;
		r->counters.overflows++;
		advance(r, now);
	}
	return true;
}

/* Is it what a hole waited for? */
static void note_filled(struct reassembly *r, uint64_t place, sb_time now)
{
	if (place >= r->window.top)
		return;
	sb_time lasted = now - fragments_missed_at(&r->window, place);
	patience_filled(&r->patience, lasted);
	r->counters.longest_wait = sb_time_max(r->counters.longest_wait, lasted);
}

static void take_in(struct reassembly *r, uint64_t place, const struct mp_header *header,
		    struct bytes data, sb_time now)
{
	note_filled(r, place, now);
	if (!is_next(r, place)) {
		fragments_hold(&r->window, place, header, data, now);
		return;
	}
	assembly_begin(&r->assembly, header->begin);
	if (r->assembly.state == ASSEMBLY_BUILDING)
		buf_append(&r->assembly.packet, data);
	assembly_end(&r->assembly, header->end);
	fragments_step(&r->window);
}

/* False: as reassembly_input. */
static bool place_fragment(struct reassembly *r, uint64_t place, const struct mp_header *header,
			   struct bytes data, sb_time now)
{
	if (place < r->window.next || fragments_has(&r->window, place)) {
		drop(r, place);
		return true;
	}
	if (!make_room(r, place, data.length, now))
		return false;
	take_in(r, place, header, data, now);
	advance(r, now);
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

/* Behind, but for its own link it is in order. */
static bool is_late(uint64_t place, uint64_t next, uint64_t last_of_link)
{
	return last_of_link < place && place < next;
}

enum verdict { EXPECTED, DROPPED, TO_BE_OFFERED_AGAIN };

/* What to do with a fragment of that place, which changes when the numbers begin anew. */
static enum verdict judge(struct reassembly *r, unsigned link, const struct mp_header *header,
			  sb_time now, uint64_t *place)
{
	const struct heard_link l = r->heard.links[link];
	const uint64_t next = r->window.next;

	if (numbering_is_expected(&r->numbering, next, *place))
		return EXPECTED;
	const bool late = is_late(*place, next, l.last);
	if (!numbering_is_new(&r->numbering, header, !l.heard, late, now)) {
		if (late)
			drop_late(r, link, *place, now);
		else
			drop(r, *place);
		return DROPPED;
	}
	if (!flush(r, now))
		return TO_BE_OFFERED_AGAIN;
	r->counters.renumbered += r->numbering.begun;
	*place = numbering_first_place(header->sequence);
	renumber(r, *place, now);
	return EXPECTED;
}

bool reassembly_input(struct reassembly *r, unsigned link, sb_time now, struct bytes fragment)
{
	assert(link < MP_MAX_LINKS);
	struct mp_header header;

	if (!mp_header_take(&fragment, &header, r->config.short_sequence)) {
		r->counters.bad_headers++;
		return true;
	}
	advance(r, now);
	uint64_t place = numbering_place(&r->numbering, r->window.next, header.sequence);
	enum verdict verdict = judge(r, link, &header, now, &place);
	if (verdict != EXPECTED)
		return verdict == DROPPED;
	numbering_expected(&r->numbering);
	heard_place(&r->heard, link, place);
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
	const struct fragments *w = &r->window;

	if (w->next == w->top || fragments_has(w, w->next))
		return SB_NEVER;
	return fragments_missed_at(w, w->next) + patience_limit(&r->patience);
}

void reassembly_link_up(struct reassembly *r, unsigned link, sb_time now)
{
	if (!heard_is_up_any(&r->heard))
		renumber(r, numbering_first_place(0), now);
	heard_up(&r->heard, link, r->window.next - 1, now);
}

void reassembly_link_down(struct reassembly *r, unsigned link, sb_time now)
{
	heard_down(&r->heard, link);
	advance(r, now);
}

void reassembly_link_silent(struct reassembly *r, unsigned link, sb_time now)
{
	heard_silent(&r->heard, link);
	advance(r, now);
}

const struct reassembly_counters *reassembly_counters(const struct reassembly *r)
{
	return &r->counters;
}

void reassembly_counters_add(struct reassembly_counters *to, const struct reassembly_counters *c)
{
	to->fragments += c->fragments;
	to->nulls += c->nulls;
	to->packets += c->packets;
	to->bad_headers += c->bad_headers;
	to->late += c->late;
	to->lost += c->lost;
	to->lost_by_time += c->lost_by_time;
	to->broken += c->broken;
	to->too_long += c->too_long;
	to->overflows += c->overflows;
	to->astray += c->astray;
	to->renumbered += c->renumbered;
	to->longest_wait = sb_time_max(to->longest_wait, c->longest_wait);
}

void reassembly_fit(struct reassembly_config *config)
{
	config->window = config->short_sequence ? SHORT_WINDOW : LONG_WINDOW;
	config->buffer = (size_t)most((uint64_t)config->window * PIECE, FEW * config->mrru);
}

static bool allocate(struct reassembly *r)
{
	const size_t packet = assembly_size(r->config.mrru);

	r->assembly = (struct assembly){
		.packet = buf_over(malloc(packet), packet),
		.mrru = r->config.mrru,
		.counters = &r->counters,
	};
	/* A store without room for the longest that can be of use would stay full for ever. */
	size_t store = r->config.buffer > packet ? r->config.buffer : packet + 1;
	return fragments_init(&r->window, r->config.window, store) && r->assembly.packet.at;
}

void reassembly_set_wait(struct reassembly *r, sb_time least, sb_time most)
{
	r->numbering.most_deaf = most;
	r->heard.most_wait = most;
	r->patience.least = least;
	r->patience.most = most;
}

struct reassembly *reassembly_new(const struct reassembly_config *config)
{
	struct reassembly *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->config = *config;
	assert(config->window && (config->window & (config->window - 1)) == 0);
	numbering_init(&r->numbering, config->short_sequence, config->most_wait);
	assert(config->window < numbering_far(&r->numbering));
	reassembly_set_wait(r, config->least_wait, config->most_wait);
	if (!allocate(r)) {
		reassembly_free(r);
		return NULL;
	}
	renumber(r, numbering_first_place(0), 0);
	return r;
}

void reassembly_free(struct reassembly *r)
{
	if (!r)
		return;
	fragments_free(&r->window);
	free(r->assembly.packet.at);
	free(r);
}
