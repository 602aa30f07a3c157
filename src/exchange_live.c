/* SPDX-License-Identifier: MIT */
/*
 * What a user changes while the program runs. Refusals are those of the EQL driver
 * (eql_enslave, eql_emancipate) as far as it knew the case.
 */
#define _DEFAULT_SOURCE
#include "src/exchange_state.h"
#include "src/line_scripts.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static void answer(struct exchange_answer *to, int error,
							 const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(to->text, sizeof(to->text), format, arguments);
	va_end(arguments);
	to->error = error;
}

/* --- which line, which bundle --- */

unsigned exchange_find_line(const struct exchange *x, const char *name)
{
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		if (strcmp(x->lines[i].config.name, name) == 0)
			return i;
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		if (strcmp(x->lines[i].config.device, name) == 0 ||
		    slot_same_port(x->lines[i].config.device, name))
			return i;
	return EXCHANGE_NO_LINE;
}

static bool is_line(const struct exchange *x, unsigned i, struct exchange_answer *a)
{
	if (i < x->line_count && slot_is_used(x, i) && x->slots[i].leaving != LEAVES_FOR_GOOD)
		return true;
	answer(a, EINVAL, "not a member: there is no such line");
	return false;
}

static bool is_bundle(const struct exchange *x, unsigned k, struct exchange_answer *a)
{
	if (k < EXCHANGE_MAX_BUNDLES && x->bundles[k].bundle)
		return true;
	answer(a, EINVAL, "there is no such bundle");
	return false;
}

/* --- lines are added --- */

static bool is_an_interface_of_ours(const struct exchange *x, const char *name)
{
	if (strcmp(name, "/dev/net/tun") == 0)
		return true;
	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		if (x->bundles[k].bundle && strcmp(x->bundles[k].interface.tun.name, name) == 0)
			return true;
	return false;
}

/* By name or device. */
static bool is_same(const struct line_config *a, const struct line_config *b)
{
	return strcmp(a->name, b->name) == 0 || slot_same_port(a->device, b->device);
}

/* By a line that stays; what it is about to leave is free for others. */
static bool is_taken(const struct exchange *x, const struct line_config *c)
{
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		if (x->slots[i].leaving != LEAVES_FOR_GOOD && is_same(slot_config(x, i), c))
			return true;
	return false;
}

/* The one that has not left yet, and may return as this one. */
static unsigned find_leaving(const struct exchange *x, const struct line_config *c)
{
	unsigned i = slot_next(x, 0);

	while (i < EXCHANGE_NO_LINE &&
	       (x->slots[i].leaving != LEAVES_FOR_GOOD || !is_same(&x->lines[i].config, c)))
		i = slot_next(x, i + 1);
	return i;
}

static unsigned lines_that_stay(const struct exchange *x)
{
	unsigned n = 0;

	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		n += x->slots[i].leaving != LEAVES_FOR_GOOD;
	return n;
}

/* Of scripts: what cannot be read now would not be when it is dialled. */
static bool scripts_are_fine(const struct line_config *c, char *why, size_t size)
{
	struct line_scripts s;

	if (!c->modem.present)
		return true;
	if (!line_scripts_read(&s, &c->modem, why, size))
		return false;
	line_scripts_free(&s);
	return true;
}

static bool may_add(const struct exchange *x, const struct line_config *c,
		    struct exchange_answer *a)
{
	char why[160];

	if (is_an_interface_of_ours(x, c->device) || is_an_interface_of_ours(x, c->name))
		answer(a, EINVAL, "%s: is the bundle itself", c->device);
	else if (is_taken(x, c))
		answer(a, EINVAL, "%s: is a line already", c->device);
	else if (!x->config->answer && x->bundles[0].down)
		answer(a, EINVAL, "%s is down", exchange_name(x));
	else if (lines_that_stay(x) >= x->config->max_lines)
		answer(a, ENOSPC, "there are %u lines, and max-lines is %u", lines_that_stay(x),
		       x->config->max_lines);
	else if (!scripts_are_fine(c, why, sizeof(why)))
		answer(a, EINVAL, "%s", why);
	else
		return true;
	return false;
}

static bool put_into_slot(struct exchange *x, unsigned i, const struct line_config *c, sb_time now,
			  struct exchange_answer *a)
{
	if (i == EXCHANGE_NO_LINE)
		answer(a, ENOSPC, "all %d lines are in use", CONFIG_MAX_LINES);
	else if (c->encap != &encap_slip && !exchange_read_secrets(x))
		answer(a, EACCES, "the secrets cannot be read: see the log");
	else if (!slot_fill(x, i, c, now))
		answer(a, ENOMEM, "out of memory");
	else
		return true;
	return false;
}

/* One that can never do is refused; one that cannot be opened yet is tried again. */
static bool open_first(struct exchange *x, unsigned i, sb_time now, struct exchange_answer *a)
{
	struct line *l = &x->lines[i];

	answer(a, 0, "%s: added", l->config.name);
	if (slot_waits_for_device(x, i)) {
		answer(a, 0, "%s: added, once its device is free", l->config.name);
		return true;
	}
	if (!slot_is_wanted(x, i) || exchange_open_line(x, i, now))
		return true;
	if (exchange_never_will_do(l->refusal.status)) {
		answer(a, EINVAL, "%s: %s", l->config.device, l->refusal.text);
		return false;
	}
	answer(a, 0, "%s: added; %s, trying again until it is there", l->config.name,
	       l->refusal.text);
	return true;
}

void exchange_add_line(struct exchange *x, const struct line_config *c, sb_time now,
		       struct exchange_answer *a)
{
	unsigned i = find_leaving(x, c);

	if (!may_add(x, c, a))
		return;
	if (i != EXCHANGE_NO_LINE) {
		answer(a, 0, "%s: added, once it has ended", c->name);
		log_say(x->log, LOG_INFO, "%s", a->text);
		slot_leave(x, i, LEAVES_TO_CHANGE, c, "removed", now);
		slots_changed(x);
		return;
	}
	i = slot_free(x);
	if (!put_into_slot(x, i, c, now, a))
		return;
	if (!open_first(x, i, now, a)) {
		slot_empty(x, i);
		return;
	}
	if (!capture_open_line(x, i))
		log_say(x->log, LOG_WARN, "%s: is not captured", c->name);
	log_say(x->log, LOG_INFO, "%s", a->text);
	event_line(x, EXCHANGE_LINE_ADDED, i, a->text);
	slots_changed(x);
}

/* --- lines that are there --- */

void exchange_remove_line(struct exchange *x, unsigned i, sb_time now, struct exchange_answer *a)
{
	if (!is_line(x, i, a))
		return;
	answer(a, 0, "%s: removed", x->lines[i].config.name);
	log_say(x->log, LOG_INFO, "%s", a->text);
	x->lines[i].config.enabled = false; /* nothing begins on it any more */
	slot_leave(x, i, LEAVES_FOR_GOOD, NULL, "removed", now);
	slots_changed(x);
}

static void disable(struct exchange *x, unsigned i, sb_time now)
{
	slot_leave(x, i, LEAVES_TO_REST, NULL, "taken down", now);
}

static void enable(struct exchange *x, unsigned i, sb_time now)
{
	if (x->slots[i].leaving == LEAVES_TO_REST)
		x->slots[i].leaving = LEAVES_TO_RETURN;
	line_retry_now(&x->lines[i], now);
}

void exchange_enable_line(struct exchange *x, unsigned i, bool on, sb_time now,
			  struct exchange_answer *a)
{
	if (!is_line(x, i, a))
		return;
	answer(a, 0, "%s: %s", x->lines[i].config.name, on ? "enabled" : "taken down");
	if (x->lines[i].config.enabled == on && !on)
		return;
	x->lines[i].config.enabled = on;
	log_say(x->log, LOG_INFO, "%s", a->text);
	if (on)
		enable(x, i, now);
	else
		disable(x, i, now);
	slots_changed(x);
}

static bool calls(const struct modem_config *m)
{
	return m->number_count || (m->chat[0] && !m->answers);
}

static bool may_dial(const struct exchange *x, unsigned i, struct exchange_answer *a)
{
	const struct line_config *c = &x->lines[i].config;

	if (!c->modem.present)
		answer(a, EINVAL, "%s: has no modem", c->name);
	else if (!calls(&c->modem))
		answer(a, EINVAL, "%s: waits for calls, and has no number to call", c->name);
	else if (!x->config->answer && x->bundles[0].down)
		answer(a, EINVAL, "%s is down", exchange_name(x));
	else
		return true;
	return false;
}

/* One that changes begins at once, too. */
static void call_when_down(struct exchange *x, unsigned i, struct exchange_answer *a)
{
	bool down = x->lines[i].state == LINE_DOWN;

	answer(a, 0, "%s: calling%s", x->lines[i].config.name, down ? "" : ", once it has hung up");
	if (!down && x->slots[i].leaving != LEAVES_TO_CHANGE)
		x->slots[i].leaving = LEAVES_TO_CALL;
}

void exchange_dial_line(struct exchange *x, unsigned i, sb_time now, struct exchange_answer *a)
{
	const struct line *l = &x->lines[i];
	bool stays;

	if (!is_line(x, i, a) || !may_dial(x, i, a))
		return;
	stays = x->slots[i].leaving == STAYS;
	if (stays && l->state == LINE_DIALLING) {
		answer(a, 0, "%s: calling already", l->config.name);
	} else if (stays && l->state != LINE_DOWN && !line_is_ending(l)) {
		answer(a, 0, "%s: online already", l->config.name);
	} else {
		exchange_enable_line(x, i, true, now, a);
		call_when_down(x, i, a);
	}
}

void exchange_hang_up_line(struct exchange *x, unsigned i, sb_time now, struct exchange_answer *a)
{
	if (!is_line(x, i, a))
		return;
	if (x->lines[i].state == LINE_DOWN) {
		answer(a, EINVAL, "%s: is down already", x->lines[i].config.name);
		return;
	}
	answer(a, 0, "%s: hanging up", x->lines[i].config.name);
	if (x->slots[i].leaving == STAYS)
		slot_leave(x, i, LEAVES_TO_RETURN, NULL, "hung up, as told", now);
}

/* --- bundles --- */

/* The one bundle of who calls: its lines rest with it, and are enabled as before after it. */
static void take_down(struct exchange *x, sb_time now)
{
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		if (x->slots[i].leaving == STAYS)
			slot_leave(x, i, LEAVES_TO_REST, NULL, "the bundle is taken down", now);
}

static void bring_up(struct exchange *x, sb_time now)
{
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		if (x->lines[i].config.enabled)
			enable(x, i, now);
}

static void enable_only_bundle(struct exchange *x, bool on, sb_time now, struct exchange_answer *a)
{
	x->bundles[0].down = !on;
	if (on && !interface_set_up(&x->bundles[0].interface, true))
		answer(a, EIO, "%s: cannot be set up: see the log", exchange_name(x));
	if (on)
		bring_up(x, now);
	else
		take_down(x, now);
	if (!on && !interface_set_up(&x->bundles[0].interface, false))
		answer(a, EIO, "%s: cannot be set down: see the log", exchange_name(x));
}

void exchange_enable_bundle(struct exchange *x, unsigned k, bool on, sb_time now,
			    struct exchange_answer *a)
{
	if (!is_bundle(x, k, a))
		return;
	answer(a, 0, "%s: %s", x->bundles[k].interface.tun.name, on ? "up" : "taken down");
	if (x->config->answer && on)
		return; /* it is: a peer made it */
	log_say(x->log, LOG_INFO, "%s", a->text);
	if (x->config->answer)
		exchange_hang_up(x, k, "the bundle is taken down", now);
	else if (x->bundles[0].down == on)
		enable_only_bundle(x, on, now, a);
}
