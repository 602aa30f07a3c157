/* SPDX-License-Identifier: MIT */
/*
 * Each wake-up: what happened to a line is noted (read, events, its state), and the
 * bundle it is in is told at once (settle), so that the two never disagree. Then, once,
 * exchange_run lets everything do what is due and fills the lines.
 *
 * A line is a member of a bundle from when its encapsulation is up until it is not;
 * whether it is sent over is its state's matter.
 */
#define _DEFAULT_SOURCE
#include "src/exchange.h"

#include "src/exchange_state.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_LOOK                                                                                \
	(50 * SB_MS) /* whether it is free, of one that another line is about to leave */

/* --- set-up --- */

static bool make_lines(struct exchange *x, sb_time now)
{
	for (unsigned i = 0; i < x->config->line_count; i++)
		if (!slot_fill(x, i, &x->config->lines[i], now))
			return false;
	return true;
}

/* One that is not there is as good as an empty one: nobody may be asked to prove anything. */
static bool read_secrets(struct exchange *x, const char *path, struct secrets_file **to)
{
	char why[320];

	if (!path[0] || access(path, F_OK) != 0)
		return true;
	*to = secrets_read(path, why, sizeof(why));
	if (!*to)
		log_say(x->log, LOG_ERROR, "%s", why);
	return *to != NULL;
}

bool exchange_read_secrets(struct exchange *x)
{
	const struct ppp_config *p = &x->config->ppp;

	return (x->pap || read_secrets(x, p->pap_secrets, &x->pap)) &&
	       (x->chap || read_secrets(x, p->chap_secrets, &x->chap));
}

static enum exit_status set_up(struct exchange *x, sb_time now)
{
	const struct config *c = x->config;

	if (config_ppp_lines(c) && !exchange_read_secrets(x))
		return EXIT_PERMISSION;
	if (!make_lines(x, now)) {
		log_say(x->log, LOG_ERROR, "out of memory");
		return EXIT_FAILED;
	}
	if (!captures_open(x))
		return EXIT_FAILED;
	if (c->answer)
		return exchange_make_pool(x);
	return exchange_make_bundle(x, 0, 0, now);
}

struct exchange *exchange_new(const struct config *config, struct log *log, sb_time now,
			      enum exit_status *status)
{
	struct exchange *x = calloc(1, sizeof(*x));

	if (!x) {
		log_say(log, LOG_ERROR, "out of memory");
		*status = EXIT_FAILED;
		return NULL;
	}
	x->own = *config;
	x->config = &x->own;
	x->largest = config_largest_mtu(config);
	x->log = log;
	x->start = now;
	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		x->bundles[k].interface.tun.fd = -1;
	*status = set_up(x, now);
	if (*status == EXIT_FINE)
		return x;
	exchange_free(x);
	return NULL;
}

void exchange_free(struct exchange *x)
{
	if (!x)
		return;
	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		exchange_drop_bundle(x, k);
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		slot_empty(x, i);
	pool_free(x->pool);
	secrets_free(x->pap);
	secrets_free(x->chap);
	free(x);
}

/* --- opening --- */

bool exchange_never_will_do(enum port_status s)
{
	return s == PORT_NOT_A_TTY || s == PORT_BAD_SETTING;
}

static enum exit_status exit_of_port(enum port_status s)
{
	switch (s) {
	case PORT_OK:
		return EXIT_FINE;
	case PORT_NO_DEVICE:
	case PORT_NOT_A_TTY:
		return EXIT_NO_DEVICE;
	case PORT_IN_USE:
		return EXIT_IN_USE;
	case PORT_NO_PERMISSION:
		return EXIT_PERMISSION;
	case PORT_BAD_SETTING:
	case PORT_FAILED:
		break;
	}
	return EXIT_FAILED;
}

/* Said once, not for every line. */
static void check_lock_dir(const struct exchange *x)
{
	char inside[CONFIG_DEVICE_SIZE + 2];
	const char *dir = x->config->lock_dir;

	snprintf(inside, sizeof(inside), "%s/.", dir);
	if (dir[0] && access(inside, W_OK | X_OK) < 0)
		log_say(x->log, LOG_WARN,
			"no lock files are made, since %s: %s; programs that look for nothing "
			"else can open the ports",
			dir, strerror(errno));
}

enum exit_status exchange_start(struct exchange *x, sb_time now)
{
	enum port_status first = PORT_OK;
	unsigned open = 0;

	check_lock_dir(x);
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1)) {
		struct line *l = &x->lines[i];

		if (!slot_is_wanted(x, i)) {
			open++;
			continue;
		}
		if (exchange_open_line(x, i, now)) {
			open++;
			continue;
		}
		log_say(x->log, LOG_ERROR, "%s: %s", l->config.device, l->refusal.text);
		if (exchange_never_will_do(l->refusal.status))
			return exit_of_port(l->refusal.status);
		if (first == PORT_OK)
			first = l->refusal.status;
	}
	return open ? EXIT_FINE : exit_of_port(first);
}

bool exchange_open_line(struct exchange *x, unsigned i, sb_time now)
{
	if (!line_open(&x->lines[i], x->config->lock_dir, now))
		return false;
	exchange_heed_events(x, i, now);
	return true;
}

/* Says why it failed once, not every second. */
static void retry(struct exchange *x, unsigned i, sb_time now)
{
	struct line *l = &x->lines[i];
	struct port_error before;

	if (l->state != LINE_DOWN || now < l->retry_at || !slot_is_wanted(x, i))
		return;
	if (slot_waits_for_device(x, i)) {
		l->retry_at = now + DEVICE_LOOK;
		return;
	}
	exchange_forget_peer(x, i, now);
	before = l->refusal;
	if (exchange_open_line(x, i, now))
		return;
	log_say(x->log, strcmp(before.text, l->refusal.text) == 0 ? LOG_DEBUG : LOG_INFO,
		"%s: %s; trying again until it is there", l->config.name, l->refusal.text);
}

void exchange_retry_now(struct exchange *x, sb_time now)
{
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		line_retry_now(&x->lines[i], now);
}

void exchange_end(struct exchange *x, sb_time now)
{
	x->ending = true;
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1)) {
		if (encap_agreed(x->lines[i].encap) || x->lines[i].modem)
			line_end(&x->lines[i], now, "closed");
		exchange_settle(x, i, now);
	}
}

bool exchange_has_ended(const struct exchange *x)
{
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		if (line_is_ending(&x->lines[i]))
			return false;
	return true;
}

/* --- what happens --- */

static void say_notice(struct exchange *x, unsigned i)
{
	static const char *const texts[] = {
		[ENCAP_SAW_COMPRESSED] =
			"the peer compresses TCP headers (CSLIP); such packets are dropped: turn "
			"header compression off there",
		[ENCAP_SAW_TEXT] = "text is arriving instead of packets: is a modem or a login "
				   "answering?",
		[ENCAP_SAW_NO_FRAMES] = "characters are arriving, but not one frame of PPP: is "
					"something else answering?",
		[ENCAP_SAW_SEVEN_BITS] = "no character arrives with its high bit set: the line "
					 "is not 8-bit clean",
	};
	struct encap *e = x->lines[i].encap;
	enum encap_notice notice = e->kind->notice(e);

	if (notice != ENCAP_NOTHING)
		log_say(x->log, LOG_WARN, "%s: %s", x->lines[i].config.name, texts[notice]);
}

/* What was read, and not decoded yet. */
static void receive(struct exchange *x, unsigned i, sb_time now)
{
	struct line *l = &x->lines[i];
	struct encap_packet packet;

	while (l->unread.length) {
		struct bytes before = l->unread;
		bool found = line_receive(l, now, &packet);

		capture_received(x, i, before.length - l->unread.length, before);
		exchange_heed_events(x, i, now); /* they came before the packet */
		if (!found || x->bundle_of[i] == NO_BUNDLE)
			continue;
		capture_packet_in(x, i, packet);
		bundle_receive(x->bundles[x->bundle_of[i]].bundle, i, packet, now);
	}
}

/* A port that was opened and never was ready (tcp:, exec:): why, once, not every second. */
static void say_never_ready(struct exchange *x, unsigned i)
{
	const struct line *l = &x->lines[i];

	log_say(x->log, strcmp(x->said_why[i], l->reason) == 0 ? LOG_DEBUG : LOG_INFO,
		"%s: %s; trying again until it is there", l->config.name, l->reason);
	memcpy(x->said_why[i], l->reason, sizeof(x->said_why[i]));
}

/* In the same wake-up it may have been taken out: then there is nothing to tell it any more. */
void exchange_line_readable(struct exchange *x, unsigned i, sb_time now)
{
	bool waited = x->lines[i].waits_for_port;

	if (!slot_is_used(x, i))
		return;
	line_read(&x->lines[i], now);
	if (waited && x->lines[i].state == LINE_DOWN)
		say_never_ready(x, i);
	receive(x, i, now);
	say_notice(x, i);
	exchange_settle(x, i, now);
}

void exchange_line_writable(struct exchange *x, unsigned i, sb_time now)
{
	if (!slot_is_used(x, i))
		return;
	line_writable(&x->lines[i], now);
	exchange_settle(x, i, now);
}

bool exchange_tun_readable(struct exchange *x, unsigned k, sb_time now)
{
	if (!x->bundles[k].bundle || bundle_tun_readable(x->bundles[k].bundle, now))
		return true;
	if (!x->config->answer)
		return false;
	log_say(x->log, LOG_ERROR, "%s: the interface is gone", x->bundles[k].interface.tun.name);
	exchange_hang_up(x, k, "its interface is gone", now);
	exchange_close_bundle(x, k, now);
	return true;
}

/* --- sending --- */

static bool load(struct exchange *x, unsigned i, sb_time now)
{
	struct line *l = &x->lines[i];

	if (line_load_own(l, now))
		return true;
	return x->bundle_of[i] != NO_BUNDLE &&
	       bundle_load(x->bundles[x->bundle_of[i]].bundle, i, now);
}

/* Fills the line's lead; true when anything moved. */
static bool pump(struct exchange *x, unsigned i, sb_time now)
{
	struct line *l = &x->lines[i];
	bool moved = false;

	while (line_asks(l, now)) {
		if (line_needs_frame(l)) {
			if (!load(x, i, now))
				break;
			capture_sent(x, i);
		}
		line_send(l, now);
		if (x->bundle_of[i] != NO_BUNDLE)
			bundle_sent(x->bundles[x->bundle_of[i]].bundle, i);
		moved = true;
	}
	exchange_settle(x, i, now);
	return moved;
}

/* A packet bound for one line may have been waiting for another to ask: go round until still. */
static void pump_all(struct exchange *x, sb_time now)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
			moved |= x->lines[i].port && pump(x, i, now);
	}
}

/* --- time --- */

/* A line that was found to carry less than it was said to, or recovers from that. */
static void say_rate(struct exchange *x, unsigned i)
{
	const struct line *l = &x->lines[i];
	double change;

	if (!x->said_up[i])
		return;
	if (l->clock.given_bps != x->said_given[i]) { /* shaped otherwise: on purpose */
		x->said_given[i] = l->clock.given_bps;
		x->said_bps[i] = l->clock.bps;
	}
	change = l->clock.bps / x->said_bps[i];
	if (change > 0.9 && change < 1.1)
		return;
	x->said_bps[i] = l->clock.bps;
	log_say(x->log, LOG_INFO, "%s: carries about %.0f bps now, given were %u", l->config.name,
		l->clock.bps, l->clock.given_bps);
}

static void run_line(struct exchange *x, unsigned i, sb_time now)
{
	line_tick(&x->lines[i], now);
	exchange_heed_events(x, i, now);
	if (x->lines[i].state == LINE_ENDING) {
		line_tick(&x->lines[i], now); /* it may have nothing to say */
		exchange_settle(x, i, now);
	}
	receive(x, i, now); /* what came between the modem's words and the call's */
	exchange_tell_modem(x, i);
	slot_leave_on(x, i, now);
	if (!slot_is_used(x, i))
		return;
	retry(x, i, now);
	say_rate(x, i);
	event_line_state(x, i);
}

void exchange_run(struct exchange *x, sb_time now)
{
	exchange_dial_for_traffic(x, now);
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		run_line(x, i, now);
	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		if (x->bundles[k].bundle)
			bundle_run(x->bundles[k].bundle, now);
	pump_all(x, now);
	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		exchange_expire_bundle(x, k, now);
	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		event_bundle_state(x, k, now);
}

/* A line that has no frame now, but wants to be asked again when its lead is half gone. */
static sb_time line_due(const struct exchange *x, unsigned i, sb_time now)
{
	const struct line *l = &x->lines[i];
	sb_time due = slot_deadline(x, i);

	if (l->state != LINE_DOWN || slot_is_wanted(x, i))
		due = sb_time_min(due, line_deadline(l, now));
	if (x->bundle_of[i] == NO_BUNDLE || !line_needs_frame(l) || !line_may_send(l))
		return due;
	return sb_time_min(due, bundle_line_deadline(x->bundles[x->bundle_of[i]].bundle, i, now));
}

sb_time exchange_deadline(const struct exchange *x, sb_time now)
{
	sb_time due = SB_NEVER;

	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		due = sb_time_min(due, line_due(x, i, now));
	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		due = sb_time_min(due, exchange_bundle_deadline(x, k));
	return due;
}

/* --- what the owner watches --- */

unsigned exchange_line_count(const struct exchange *x)
{
	return x->line_count;
}

struct exchange_watch exchange_watch_line(const struct exchange *x, unsigned i)
{
	const struct line *l = &x->lines[i];

	return (struct exchange_watch){
		.fd = l->port ? port_fd(l->port) : -1,
		.wants_read = line_wants_read(l),
		.wants_write = l->wants_write,
		.openings = x->slots[i].openings + l->counters.openings,
	};
}

struct exchange_watch exchange_watch_tun(const struct exchange *x, unsigned k)
{
	return (struct exchange_watch){
		.fd = x->bundles[k].bundle ? x->bundles[k].interface.tun.fd : -1,
		.wants_read = true,
		.openings = x->bundles[k].openings,
	};
}

const char *exchange_name(const struct exchange *x)
{
	return x->bundles[0].bundle ? x->bundles[0].interface.tun.name : "";
}
