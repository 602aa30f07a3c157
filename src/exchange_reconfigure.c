/* SPDX-License-Identifier: MIT */
/*
 * Another configuration, by the differences alone.
 *
 * A line that is the same in both is not touched. Of one that is not, what only says how it is
 * used (rate, delay, what is run, what its modem does at the next call) changes where it
 * is; what its port or its peer would have to know ends the line, and it begins anew. A line that
 * is not in the new one leaves as an emancipated one does.
 *
 * PPP's options count for a link from its next beginning on: it is not ended for them. That, and
 * whatever else does not count at once, is told to the user.
 */
#define _DEFAULT_SOURCE
#include "src/exchange_state.h"
#include "src/line_rate.h"
#include "src/line_shape.h"

#include <stdarg.h>
#include <string.h>

struct tally {
	unsigned added, removed, changed, same;
	int error;       /* the first of those that something was not done for */
	char notes[320]; /* clauses, each behind a semicolon */
};

/* What the user should know, in the log as in the answer. */
__attribute__((format(printf, 3, 4))) static void note(struct exchange *x, struct tally *t,
						       const char *format, ...)
{
	size_t length = strlen(t->notes);
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	log_say(x->log, LOG_WARN, "%s", text);
	snprintf(t->notes + length, sizeof(t->notes) - length, "; %s", text);
}

static const struct line_config *find_named(const struct config *c, const char *name)
{
	for (unsigned i = 0; i < c->line_count; i++)
		if (strcmp(c->lines[i].name, name) == 0)
			return &c->lines[i];
	return NULL;
}

/* --- lines --- */

/* The one with what may change in use taken from the other. */
static struct line_config changed_in_use(const struct line_config *from,
					 const struct line_config *to)
{
	struct line_config c = *from;

	c.bps = to->bps;
	c.auto_rate = to->auto_rate;
	c.delay = to->delay;
	c.shape = to->shape;
	c.shape_in = to->shape_in;
	c.layer = to->layer;
	c.prio = to->prio;
	c.enabled = to->enabled;
	memcpy(c.command, to->command, sizeof(c.command));
	if (from->modem.present && to->modem.present)
		c.modem = to->modem;
	return c;
}

/* Whether a rate is given or found out may change, too; the first guess is what was given. */
static void follow_rate(struct exchange *x, unsigned i, const struct line_config *to, sb_time now)
{
	struct line *l = &x->lines[i];

	if (to->bps == l->config.bps && to->auto_rate == l->config.auto_rate)
		return;
	if (to->auto_rate != l->config.auto_rate) {
		line_rate_free(l);
		l->config.auto_rate = to->auto_rate;
		if (!line_rate_init(l))
			line_rate_free(l); /* out of memory: the guess stays */
	}
	line_set_bps(l, to->bps, now);
	x->said_bps[i] = l->clock.bps;
}

static void change_in_use(struct exchange *x, unsigned i, const struct line_config *to, sb_time now)
{
	struct line *l = &x->lines[i];
	struct exchange_answer a;
	bool enabled = l->config.enabled;

	follow_rate(x, i, to, now);
	line_reshape(l, to, now);
	l->config = *to;
	l->config.enabled = enabled;
	if (to->enabled != enabled)
		exchange_enable_line(x, i, to->enabled, now, &a);
}

static void follow_line(struct exchange *x, unsigned i, const struct line_config *to, sb_time now,
			struct tally *t)
{
	const struct line_config *from = slot_config(x, i);
	struct line_config in_use = changed_in_use(from, to);

	if (config_lines_equal(from, to)) {
		t->same++;
		return;
	}
	t->changed++;
	if (!x->slots[i].next && config_lines_equal(&in_use, to))
		change_in_use(x, i, to, now);
	else
		slot_leave(x, i, LEAVES_TO_CHANGE, to, "its configuration has changed", now);
}

/* Those that leave do so before others come, which may be of the same device by another name. */
static void follow_lines(struct exchange *x, const struct config *new, sb_time now, struct tally *t)
{
	struct exchange_answer a;

	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1)) {
		const struct line_config *to = find_named(new, slot_config(x, i)->name);

		if (x->slots[i].leaving == LEAVES_FOR_GOOD)
			continue;
		if (to) {
			follow_line(x, i, to, now, t);
			continue;
		}
		t->removed++;
		exchange_remove_line(x, i, now, &a);
	}
}

static bool is_here(const struct exchange *x, const char *name)
{
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		if (strcmp(slot_config(x, i)->name, name) == 0 &&
		    x->slots[i].leaving != LEAVES_FOR_GOOD)
			return true;
	return false;
}

static void add_lines(struct exchange *x, const struct config *new, sb_time now, struct tally *t)
{
	struct exchange_answer a;

	for (unsigned i = 0; i < new->line_count; i++) {
		if (is_here(x, new->lines[i].name))
			continue;
		exchange_add_line(x, &new->lines[i], now, &a);
		t->added += a.error == 0;
		if (!a.error)
			continue;
		t->error = t->error ? t->error : a.error;
		note(x, t, "%s: not added: %s", new->lines[i].name, a.text);
	}
}

/* --- the rest --- */

static void say_what_stays(struct exchange *x, const struct config *new, struct tally *t)
{
	const char *names[CONFIG_FIXED];
	unsigned n = config_fixed_differences(x->config, new, names);

	for (unsigned i = 0; i < n; i++)
		note(x, t, "%s has changed, which counts from the next start of the program on",
		     names[i]);
}

/* Links ask for reports of quality when they begin. */
static bool parks_by_loss(const struct config *c)
{
	return c->park.loss_out > 0;
}

static void tell_encaps(struct exchange *x)
{
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1)) {
		struct line *l = &x->lines[i];

		if (l->encap->kind->follow)
			l->encap->kind->follow(l->encap, x->config, &l->config);
	}
}

static void take_options(struct exchange *x, const struct config *new, struct tally *t)
{
	bool parks = parks_by_loss(x->config), ppp = config_take_options(&x->own, new);

	ppp |= parks != parks_by_loss(new);
	if (new->mtu > x->largest) {
		x->own.mtu = (unsigned)x->largest;
		note(x, t, "mtu %u: it is %u, and more needs a restart", new->mtu, x->own.mtu);
	}
	if (ppp && config_ppp_lines(x->config) && config_ppp_lines(new))
		note(x, t,
		     "options of PPP have changed, which counts from the next start of each "
		     "line on");
	for (unsigned i = 0; ppp && i < x->line_count; i++)
		x->slots[i].outdated = slot_is_used(x, i);
	tell_encaps(x);
}

static struct tally follow(struct exchange *x, const struct config *new, sb_time now)
{
	struct tally t = {0};

	say_what_stays(x, new, &t);
	take_options(x, new, &t);
	follow_lines(x, new, now, &t);
	add_lines(x, new, now, &t);
	slots_changed(x);
	return t;
}

void exchange_follow(struct exchange *x, const struct config *new, sb_time now)
{
	follow(x, new, now);
}

void exchange_reconfigure(struct exchange *x, const struct config *new, sb_time now,
			  struct exchange_answer *a)
{
	struct tally t = follow(x, new, now);

	a->error = t.error;
	snprintf(a->text, sizeof(a->text),
		 "%u line%s added, %u removed, %u changed, %u as before%s", t.added,
		 t.added == 1 ? "" : "s", t.removed, t.changed, t.same, t.notes);
	event_reconfigured(x, a->text);
}

const struct config *exchange_config(const struct exchange *x)
{
	return x->config;
}

const struct line_config *exchange_line_config(const struct exchange *x, unsigned i)
{
	return slot_config(x, i);
}
