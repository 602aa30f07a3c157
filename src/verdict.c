/* SPDX-License-Identifier: MIT */
/*
 * The rules are asked in turn, and the first that knows a reason has the word. The
 * order is that of what hides what:
 *
 *  - Without any line nothing else matters.
 *  - A host that comes late leaves the wires dry, and all that can be seen of lines and
 *    windows is then its own doing.
 *  - A port that takes nothing, a queue that is flooded and a line that loses packets
 *    show at full lines as well; they are what a user can do something about.
 *  - Full lines come before windows, for a sender with a long queue in front of a slow line has
 *    always used up its receiver's window: it is the line that it waits for.
 *
 * "Full" needs a queue or a very busy wire, since a wire that is 90 % busy with an
 * empty queue is only well used. Shares are over two seconds, and a queue can be empty for a
 * moment in which a packet has just been taken: so what waits now is weighed with them.
 */
#include "src/verdict.h"

#include "src/text.h"

#include <stdarg.h>
#include <stdio.h>

static const double busy_with_queue = 0.80, busy_alone = 0.94; /* full, from here on */
static const double busy_least = 0.02;                         /* it is in use at all */
static const double late_share = 0.05;
static const double slow_share = 0.90;   /* of what the line should carry */
static const double shaped_share = 0.97; /* nothing worth speaking of is held back */
static const double loss_share = 0.05;   /* TCP does not live with more */
static const double flood_share = 0.10;  /* no room for so many: nobody slows down */
static const double codel_share = 0.40;  /* nor for so many that waited too long */
static const double window_share = 0.5;
static const double cpu_share = 0.95;
static const double per_second_least = 0.1; /* once in the 10 s that are looked at */
#define HELD_LEAST (300 * SB_MS)

struct view { /* the facts, summed up */
	const struct verdict_facts *facts;
	unsigned up, silent, held;
	double out, in, starved; /* of the lines that are up, by their rates */
	double shaped;           /* what they may carry, of what they could */
	bool waits;
};

static struct view view_of(const struct verdict_facts *f)
{
	struct view v = {.facts = f, .waits = f->queue_bytes > f->mtu};
	double bps = 0, could = 0;

	for (unsigned i = 0; i < f->line_count; i++) {
		const struct verdict_line *l = &f->lines[i];

		v.silent += !l->up && l->silent;
		v.held += l->held >= HELD_LEAST;
		if (!l->up)
			continue;
		v.up++;
		bps += l->bps;
		could += l->shaped_from > 0 ? l->shaped_from : l->bps;
		v.out += l->busy_out * l->bps;
		v.in += l->busy_in * l->bps;
		v.starved += l->starved;
	}
	if (bps > 0)
		v.out /= bps, v.in /= bps;
	v.shaped = could > 0 ? bps / could : 1;
	if (v.up)
		v.starved /= v.up;
	return v;
}

__attribute__((format(printf, 3, 4))) static bool say(struct verdict *v, enum verdict_limit limit,
						      const char *format, ...)
{
	va_list arguments;

	v->limit = limit;
	va_start(arguments, format);
	vsnprintf(v->why, sizeof(v->why), format, arguments);
	va_end(arguments);
	text_clean(v->why); /* a name cut in the middle of a character */
	return true;
}

/* More than all, by rounding or by what the driver holds, is all. */
static double percent(double share)
{
	return share < 0 ? 0 : share > 1 ? 100 : 100 * share;
}

static const char *lines_word(const struct view *v)
{
	return v->up == 1 ? "the line is" : "the lines are";
}

/* The first of its lines of which it is true, or NULL. */
static const struct verdict_line *find(const struct view *v,
				       bool (*is)(const struct verdict_line *))
{
	for (unsigned i = 0; i < v->facts->line_count; i++)
		if (is(&v->facts->lines[i]))
			return &v->facts->lines[i];
	return NULL;
}

static bool is_held(const struct verdict_line *l)
{
	return l->held >= HELD_LEAST;
}

static bool is_slow(const struct verdict_line *l)
{
	return l->up && l->bps < slow_share * l->given_bps;
}

/* Of an idle line the last report may be an old one. */
static bool is_lossy(const struct verdict_line *l)
{
	return l->up && l->busy_out >= busy_least && l->loss_out >= loss_share;
}

static bool is_overrun(const struct verdict_line *l)
{
	return l->overruns >= per_second_least;
}

/* --- the rules: whether this is it --- */

static bool port_takes_nothing(const struct view *v, struct verdict *to)
{
	char time[TEXT_UNIT_SIZE];
	const struct verdict_line *l = find(v, is_held);

	if (!l || (v->up && !v->waits))
		return false;
	return say(to, VERDICT_PEER, "%s has taken nothing for %s: its modem or peer holds it off",
		   l->name, text_time(time, l->held));
}

static bool no_line(const struct view *v, struct verdict *to)
{
	unsigned n = v->facts->line_count;

	if (v->up)
		return false;
	if (v->held)
		return port_takes_nothing(v, to);
	if (v->silent && v->silent == n)
		return say(to, VERDICT_PEER, "nothing is heard of the peer on %s",
			   n == 1 ? "its line" : "any of its lines");
	if (n == 1)
		return say(to, VERDICT_LINE, "its line is not up");
	return say(to, VERDICT_LINE, n ? "none of its %u lines is up" : "it has no line", n);
}

static bool host_is_late(const struct view *v, struct verdict *to)
{
	if (v->starved < late_share || !(v->waits || v->out > 0.5))
		return false;
	return say(to, VERDICT_HOST,
		   "it runs too late: wires were dry in mid-frame for %.0f %% of the time",
		   percent(v->starved));
}

static bool host_loses_characters(const struct view *v, struct verdict *to)
{
	const struct verdict_line *l = find(v, is_overrun);

	if (!l)
		return false;
	return say(to, VERDICT_HOST,
		   "characters are lost in the UART of %s: %.1f overruns/s, read too late", l->name,
		   l->overruns);
}

static bool host_has_no_room(const struct view *v, struct verdict *to)
{
	const struct verdict_rates *p = &v->facts->over_10s;

	if (p->no_buffer < per_second_least)
		return false;
	return say(to, VERDICT_HOST, "%.1f packets/s are lost between kernel and program",
		   p->no_buffer);
}

static bool host_is_busy(const struct view *v, struct verdict *to)
{
	if (v->facts->cpu < cpu_share)
		return false;
	return say(to, VERDICT_HOST, "serialbundle needs %.0f %% of a processor; %s %.0f %% busy",
		   percent(v->facts->cpu), lines_word(v), percent(v->out));
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* Senders that heed a loss have slowed down after some seconds; a burst is over by then. */
static bool queue_is_flooded(const struct view *v, struct verdict *to)
{
	const struct verdict_rates *now = &v->facts->over_2s, *lately = &v->facts->over_10s;
	double full = share(lately->full, lately->sent), late = share(lately->codel, lately->sent);

	if (full < flood_share && late < codel_share)
		return false;
	if (share(now->full, now->sent) >= flood_share)
		return say(to, VERDICT_QUEUE,
			   "%.0f %% of what is sent finds no room: its sender does not slow down",
			   percent(full));
	if (share(now->codel, now->sent) >= codel_share)
		return say(to, VERDICT_QUEUE,
			   "%.0f %% of what is sent waits too long: its sender does not slow down",
			   percent(late));
	return false;
}

static bool bursts_find_no_room(const struct view *v, struct verdict *to)
{
	const struct verdict_rates *p = &v->facts->over_10s;

	if (p->full < per_second_least || v->waits || v->out >= busy_with_queue)
		return false;
	return say(to, VERDICT_QUEUE,
		   "bursts find no room: %.1f packets/s are dropped, though %s %.0f %% busy",
		   p->full, lines_word(v), percent(v->out));
}

/* Noise is on the wire, and hits both ways; who loses what only it receives is too slow for it. */
static bool packets_get_lost(const struct view *v, struct verdict *to)
{
	const struct verdict_line *l = find(v, is_lossy);

	if (!l)
		return false;
	if (l->loss_in >= 0 && l->loss_in < l->loss_out / 4)
		return say(to, VERDICT_PEER,
			   "the peer loses %.0f %% of what %s brings it, and nothing comes damaged",
			   percent(l->loss_out), l->name);
	return say(to, VERDICT_LINE, "%s loses %.0f %% of what it carries", l->name,
		   percent(l->loss_out));
}

static bool lines_are_full(const struct view *v, struct verdict *to)
{
	char bytes[TEXT_UNIT_SIZE], age[TEXT_UNIT_SIZE];
	const struct verdict_line *slow = find(v, is_slow);

	if (v->out < (v->waits ? busy_with_queue : busy_alone))
		return false;
	if (slow)
		return say(to, VERDICT_LINE, "%s %.0f %% busy, and %s is %.0f %% of its given rate",
			   lines_word(v), percent(v->out), slow->name,
			   percent(slow->bps / slow->given_bps));
	if (v->shaped < shaped_share)
		return say(to, VERDICT_SHAPER,
			   "%s %.0f %% busy, shaped to %.0f %% of what could pass", lines_word(v),
			   percent(v->out), percent(v->shaped));
	if (!v->waits)
		return say(to, VERDICT_LINE, "%s %.0f %% busy", lines_word(v), percent(v->out));
	return say(to, VERDICT_LINE, "%s %.0f %% busy, and %s wait, the oldest for %s",
		   lines_word(v), percent(v->out), text_bytes(bytes, v->facts->queue_bytes),
		   text_time(age, v->facts->queue_age));
}

static bool lines_are_full_inwards(const struct view *v, struct verdict *to)
{
	if (v->in < busy_alone)
		return false;
	return say(to, VERDICT_LINE, "%s %.0f %% busy with what the peer sends", lines_word(v),
		   percent(v->in));
}

static bool peer_reads_slowly(const struct view *v, struct verdict *to)
{
	const struct verdict_windows *w = &v->facts->peer;
	char bytes[TEXT_UNIT_SIZE];

	if (w->full < window_share)
		return false;
	if (!w->window)
		return say(to, VERDICT_PEER,
			   "the receiver does not read: its TCP window is closed");
	return say(to, VERDICT_PEER,
		   "the receiver takes %s at a time (its TCP window); %s %.0f %% busy",
		   text_bytes(bytes, w->window), lines_word(v), percent(v->out));
}

static bool host_reads_slowly(const struct view *v, struct verdict *to)
{
	const struct verdict_windows *w = &v->facts->host;
	char bytes[TEXT_UNIT_SIZE];

	if (w->full < window_share)
		return false;
	if (!w->window)
		return say(to, VERDICT_HOST,
			   "a program here does not read: its TCP window is closed");
	return say(to, VERDICT_HOST,
		   "a program here takes %s at a time (its TCP window); %s %.0f %% busy",
		   text_bytes(bytes, w->window), lines_word(v), percent(v->in));
}

/* They are just being filled, or may not carry what waits. */
static bool something_waits(const struct view *v, struct verdict *to)
{
	char bytes[TEXT_UNIT_SIZE];

	if (!v->waits)
		return false;
	return say(to, VERDICT_LINE, "%s wait; %s %.0f %% busy",
		   text_bytes(bytes, v->facts->queue_bytes), lines_word(v), percent(v->out));
}

static bool nothing(const struct view *v, struct verdict *to)
{
	return say(to, VERDICT_NOTHING, "%s %.0f %% busy out, %.0f %% in", lines_word(v),
		   percent(v->out), percent(v->in));
}

struct verdict verdict_on(const struct verdict_facts *facts)
{
	static bool (*const rules[])(const struct view *, struct verdict *) = {
		no_line,
		host_is_late,
		host_loses_characters,
		host_has_no_room,
		host_is_busy,
		port_takes_nothing,
		queue_is_flooded,
		packets_get_lost,
		lines_are_full,
		lines_are_full_inwards,
		bursts_find_no_room,
		peer_reads_slowly,
		host_reads_slowly,
		something_waits,
		nothing,
	};
	struct view view = view_of(facts);
	struct verdict v = {VERDICT_NOTHING, ""};

	for (unsigned i = 0; !rules[i](&view, &v); i++)
		;
	return v;
}

const char *verdict_word(enum verdict_limit limit)
{
	static const char *const words[VERDICT_LIMITS] = {
		[VERDICT_NOTHING] = "nothing", [VERDICT_LINE] = "line",
		[VERDICT_HOST] = "host",       [VERDICT_PEER] = "peer",
		[VERDICT_SHAPER] = "shaper",   [VERDICT_QUEUE] = "queue",
	};

	return words[limit];
}
