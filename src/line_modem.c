/* SPDX-License-Identifier: MIT */
/*
 * Around a call there are four parties: the dialler, which knows modems; the port; the
 * encapsulation, whose life is that of the call; and the user, who is told. Here they meet.
 * After each word to the dialler its events are heeded, and the line's state follows.
 *
 * Limits. A call that is idle, or lasts too long, is ended by the encapsulation in
 * its orderly way first (the peer is told), then hung up. After an idle call the line is not
 * dialled again until packets wait for it.
 *
 * Back-off. How a call ended is the dialler's to judge, but for two things that only the line
 * knows: a call in which the encapsulation never came up, or was refused, is one that the peer does
 * not want; and one that was ended from here is nobody's fault.
 */
#define _DEFAULT_SOURCE
#include "src/line_modem.h"

#include "src/line_shape.h"

#include "src/entropy.h"
#include "src/line_internal.h"
#include "src/line_scripts.h"
#include "src/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BREAK_TIME   (250 * SB_MS)
#define QUIET_LATEST (2 * SB_SEC) /* a port that holds characters for longer keeps them */
#define JITTER       0.25

enum { NOTES = 8, NOTE_SIZE = 256 };

struct line_modem {
	struct dialler *dialler;
	struct line_scripts scripts;
	enum dialler_reason limit; /* the one that the call ran into, else FINE */
	sb_time online_at;         /* instant */
	sb_time break_until;       /* instant, or SB_NEVER */
	sb_time retry_at;          /* instant, or SB_NEVER */
	char why[NOTE_SIZE];       /* the last attempt failed */
	char connect[NOTE_SIZE];   /* what it said of the call, by words of CONNECT */
	uint32_t calls;            /* attempts since the start */
	char notes[NOTES][NOTE_SIZE];
	unsigned note_first, note_count;
};

/* --- set-up --- */

static struct dialler_config dialler_config_of(const struct line_config *c,
					       const struct line_scripts *s)
{
	const struct modem_config *m = &c->modem;
	struct dialler_config d = {
		.scripts = s->calls,
		.init = s->init,
		.answer = s->answer,
		.answer_rings = m->rings,
		.stop_at_ppp = c->encap != &encap_slip,
		.dte_bps = c->baud ? c->baud : UINT32_MAX,
		.dial_timeout = m->dial_timeout,
		.redial = m->redial,
		.redial_longest = m->redial_longest,
		.jitter = JITTER,
		.attempts = m->attempts,
		.hold_off = m->hold_off,
		.random = entropy_u32,
	};

	for (unsigned i = 0; i < s->calls; i++) {
		d.script[i] = s->call[i];
		d.number[i] = i < m->number_count ? m->numbers[i] : NULL;
	}
	return d;
}

struct line_modem *line_modem_new(void)
{
	struct line_modem *m = calloc(1, sizeof *m);
	const struct dialler_config none = {.random = entropy_u32};

	if (!m)
		return NULL;
	m->break_until = SB_NEVER;
	m->dialler = dialler_new(&none);
	if (m->dialler)
		return m;
	free(m);
	return NULL;
}

void line_modem_free(struct line_modem *m)
{
	if (!m)
		return;
	dialler_free(m->dialler);
	line_scripts_free(&m->scripts);
	free(m);
}

/* --- what is said --- */

__attribute__((format(printf, 2, 3))) static void note(struct line_modem *m, const char *format,
						       ...)
{
	unsigned at = (m->note_first + m->note_count) % NOTES;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(m->notes[at], NOTE_SIZE, format, arguments);
	va_end(arguments);
	if (m->note_count < NOTES)
		m->note_count++;
	else
		m->note_first = (m->note_first + 1) % NOTES;
}

bool line_modem_holds_back(const struct line_modem *m)
{
	return dialler_suspects_loss(m->dialler);
}

const char *line_modem_said(struct line_modem *m, bool *important)
{
	const char *text = dialler_said(m->dialler);

	*important = !text;
	if (text || !m->note_count)
		return text;
	text = m->notes[m->note_first];
	m->note_first = (m->note_first + 1) % NOTES;
	m->note_count--;
	return text;
}

static void note_connected(struct line_modem *m, const struct connect *c)
{
	char rate[32] = "";

	if (c->bps)
		snprintf(rate, sizeof rate, " at %u bps", c->bps);
	note(m, "connected%s%s%s%s%s%s%s", rate, c->modulation[0] ? ", " : "", c->modulation,
	     c->protocol[0] ? ", " : "", c->protocol, c->compression[0] ? ", " : "",
	     c->compression);
}

static void keep_connect(struct line_modem *m, const struct connect *c)
{
	const char *const words[] = {c->modulation, c->protocol, c->compression};

	m->connect[0] = '\0';
	if (c->bps)
		snprintf(m->connect, sizeof m->connect, "%u", c->bps);
	for (unsigned i = 0; i < 3; i++) {
		size_t length = strlen(m->connect);

		if (*words[i])
			snprintf(m->connect + length, sizeof m->connect - length, "%s%s",
				 length ? "/" : "", words[i]);
	}
}

static void note_again(struct line *l, sb_time now)
{
	struct line_modem *m = l->modem;
	sb_time wait = m->retry_at - now;

	if (m->retry_at == SB_NEVER)
		note(m, "%s; dialled again when packets wait", l->reason);
	else if (m->scripts.calls && l->config.enabled)
		note(m, "%s; dialled again in %.1f s", l->reason, (double)wait / (double)SB_SEC);
	else
		note(m, "%s", l->reason);
}

/* --- what the dialler says --- */

static void take_rest(struct line *l)
{
	struct bytes rest = dialler_rest(l->modem->dialler);

	static_assert(LINE_READ_SIZE >= 4096, "what a dialler keeps fits");
	assert(rest.length <= LINE_READ_SIZE);
	if (rest.length)
		memcpy(l->read_at, rest.at, rest.length);
	l->unread = bytes_of(l->read_at, rest.length);
}

static void connected(struct line *l, sb_time now, const struct connect *c)
{
	struct line_modem *m = l->modem;

	m->online_at = l->traffic_at = now;
	if (l->config.modem.connect_rate)
		l->carrier_bps = c->bps;
	line_clock_begin(l, now);
	note_connected(m, c);
	keep_connect(m, c);
	take_rest(l);
	line_encap_begin(l, now);
}

static void failed(struct line *l, sb_time now, const struct dialler_event *e)
{
	struct line_modem *m = l->modem;
	const char *number = dialler_number(m->dialler);
	bool tells_more = e->reason == DIALLER_ABORTED || e->reason == DIALLER_TIMEOUT;
	const char *what = tells_more && e->text[0] ? e->text : "";

	snprintf(m->why, sizeof m->why, "%s%s%s%s%s", dialler_reason_text(e->reason),
		 *what ? ": " : "", what, *number ? ", " : "", number);
	line_leave(l, LINE_HANGING_UP, now, m->why);
}

static void call_is_over(struct line *l, sb_time now, enum dialler_reason reason)
{
	line_encap_finish(l, now);
	line_leave(l, LINE_HANGING_UP, now, dialler_reason_text(reason));
}

static void is_idle(struct line *l, sb_time now, const struct dialler_event *e)
{
	struct line_modem *m = l->modem;

	m->retry_at = now + e->retry_in;
	l->traffic_from = SB_NEVER;
	if (e->reason == DIALLER_IDLE_LIMIT && m->scripts.calls) {
		l->traffic_from = m->retry_at;
		m->retry_at = SB_NEVER;
	}
	note_again(l, now);
	line_shut(l, now, l->reason);
}

static void rings(struct line_modem *m, const char *caller)
{
	note(m, *caller ? "it rings, %s calls" : "it rings%s", caller);
}

static void begin_break(struct line *l, sb_time now)
{
	if (port_set_break(l->port, true))
		l->modem->break_until = now + BREAK_TIME;
}

static void end_break(struct line *l)
{
	port_set_break(l->port, false);
	l->modem->break_until = SB_NEVER;
}

/* A file that a script names, as much of it as chat(8) sends. */
static void answer_file(struct line *l, sb_time now, const char *path)
{
	char text[1023];
	FILE *f = fopen(path, "re");
	size_t length = f ? fread(text, 1, sizeof text, f) : 0;
	bool fine = f && !ferror(f);

	if (f)
		fclose(f);
	dialler_file(l->modem->dialler, now, bytes_of(fine ? text : NULL, length));
}

static void heed(struct line *l, sb_time now, const struct dialler_event *e)
{
	switch (e->kind) {
	case DIALLER_CONNECTED:
		connected(l, now, &e->connect);
		break;
	case DIALLER_FAILED:
		failed(l, now, e);
		break;
	case DIALLER_NO_MORE:
		call_is_over(l, now, e->reason);
		break;
	case DIALLER_IS_IDLE:
		is_idle(l, now, e);
		break;
	case DIALLER_RINGS:
		rings(l->modem, e->text);
		break;
	case DIALLER_DTR:
		port_set_dtr(l->port, e->on);
		break;
	case DIALLER_BREAK:
		begin_break(l, now);
		break;
	case DIALLER_FILE:
		answer_file(l, now, e->text);
		break;
	}
}

static void heed_dialler(struct line *l, sb_time now)
{
	struct dialler_event e;

	while (dialler_event(l->modem->dialler, &e))
		heed(l, now, &e);
}

/* --- its life --- */

static bool use_scripts(struct line *l)
{
	struct line_modem *m = l->modem;
	struct line_scripts scripts;
	struct dialler_config config;

	if (!line_scripts_read(&scripts, &l->config.modem, l->refusal.text, sizeof l->refusal.text))
		return false;
	config = dialler_config_of(&l->config, &scripts);
	if (!dialler_reconfigure(m->dialler, &config)) {
		snprintf(l->refusal.text, sizeof l->refusal.text, "out of memory");
		line_scripts_free(&scripts);
		return false;
	}
	line_scripts_free(&m->scripts);
	m->scripts = scripts;
	return true;
}

bool line_modem_prepare(struct line *l)
{
	bool fine = use_scripts(l);

	if (!fine)
		l->refusal.status = PORT_FAILED;
	return fine;
}

void line_modem_start(struct line *l, sb_time now)
{
	struct line_modem *m = l->modem;
	const char *number = dialler_number(m->dialler);

	m->limit = DIALLER_FINE;
	m->break_until = SB_NEVER;
	l->traffic_from = SB_NEVER;
	dialler_start(m->dialler, now, port_modem_lines(l->port) >= 0);
	m->calls += m->scripts.calls > 0;
	if (m->scripts.calls)
		note(m, "dialling%s%s", *number ? " " : "", number);
	line_enter(l, m->scripts.calls ? LINE_DIALLING : LINE_WAITING, now);
	heed_dialler(l, now);
}

void line_modem_input(struct line *l, sb_time now, struct bytes in)
{
	dialler_input(l->modem->dialler, now, in);
	heed_dialler(l, now);
}

bool line_modem_output(struct line *l, sb_time now, struct buf *out)
{
	bool some = dialler_output(l->modem->dialler, now, out);

	heed_dialler(l, now);
	return some;
}

/* A few characters, past what may be held up: that is not sent any more, or a little later. */
static void ask_modem(struct line *l, sb_time now)
{
	uint8_t memory[16];
	struct buf out = buf_over(memory, sizeof memory);

	if (dialler_suspects_loss(l->modem->dialler) &&
	    dialler_output(l->modem->dialler, now, &out))
		port_write(l->port, buf_bytes(&out));
}

void line_modem_look(struct line *l, sb_time now)
{
	int lines = port_modem_lines(l->port);

	if (lines < 0)
		return;
	dialler_modem_lines(l->modem->dialler, now, lines & PORT_DCD, lines & PORT_RI);
	heed_dialler(l, now);
}

/* --- limits --- */

static bool is_in_use(const struct line *l)
{
	return l->state == LINE_UP || l->state == LINE_STALLED || l->state == LINE_SILENT;
}

static sb_time idle_at(const struct line *l)
{
	return l->config.modem.idle && is_in_use(l) ? l->traffic_at + l->config.modem.idle
						    : SB_NEVER;
}

static sb_time over_at(const struct line *l)
{
	return l->config.modem.max_connect && is_in_use(l)
		       ? l->modem->online_at + l->config.modem.max_connect
		       : SB_NEVER;
}

static void ran_into(struct line *l, sb_time now, enum dialler_reason limit)
{
	l->modem->limit = limit;
	line_end(l, now, dialler_reason_text(limit));
}

void line_modem_tick(struct line *l, sb_time now)
{
	struct line_modem *m = l->modem;

	if (now >= m->break_until)
		end_break(l);
	if (now >= over_at(l))
		ran_into(l, now, DIALLER_TIME_LIMIT);
	else if (now >= idle_at(l))
		ran_into(l, now, DIALLER_IDLE_LIMIT);
	dialler_tick(m->dialler, now);
	ask_modem(l, now);
	heed_dialler(l, now);
}

sb_time line_modem_deadline(const struct line *l)
{
	sb_time t = sb_time_min(dialler_deadline(l->modem->dialler), l->modem->break_until);

	return sb_time_min(t, sb_time_min(idle_at(l), over_at(l)));
}

/* --- the end --- */

/* As the header of this file has it. */
static enum dialler_reason reason_of_end(const struct line *l)
{
	const struct line_modem *m = l->modem;

	if (m->limit != DIALLER_FINE)
		return m->limit;
	if (l->why == LINK_FINE || l->why == LINK_WE_CLOSED || l->why == LINK_LOWER_DOWN)
		return DIALLER_FINE;
	if (!l->was_up || line_was_refused(l))
		return DIALLER_REFUSED;
	return l->why == LINK_PEER_TERMINATED ? DIALLER_FINE : DIALLER_LOST;
}

/* What waits to be sent would come between the modem and the silence that +++ needs. */
static sb_time drop_output(struct line *l, sb_time now)
{
	sb_time ahead = line_clock_ahead(&l->clock, now);

	if (!l->packet)
		line_cut_frame(l);
	port_discard(l->port);
	return now + sb_time_min(ahead, QUIET_LATEST);
}

void line_modem_hang_up(struct line *l, sb_time now, const char *reason)
{
	struct line_modem *m = l->modem;
	enum dialler_reason why = reason_of_end(l);

	line_encap_finish(l, now);
	if (m->break_until != SB_NEVER)
		end_break(l);
	if (l->state == LINE_ENDING)
		line_enter(l, LINE_HANGING_UP, now); /* the reason was given */
	else
		line_leave(l, LINE_HANGING_UP, now, reason);
	dialler_hang_up(m->dialler, now, drop_output(l, now), why);
	heed_dialler(l, now);
}

/* The dialler's last word is when to try again; the line is shut by whom the port told. */
void line_modem_port_is_gone(struct line *l, sb_time now)
{
	struct dialler_event e;

	dialler_lost(l->modem->dialler, now);
	while (dialler_event(l->modem->dialler, &e))
		if (e.kind == DIALLER_IS_IDLE)
			l->modem->retry_at = now + e.retry_in;
}

sb_time line_modem_retry_at(const struct line_modem *m)
{
	return m->retry_at;
}

void line_modem_forget_failures(struct line_modem *m)
{
	dialler_forget_failures(m->dialler);
}

static const char *state_name(enum dialler_state s)
{
	static const char *const names[] = {
		[DIALLER_IDLE] = "idle",
		[DIALLER_DIALLING] = "dialling",
		[DIALLER_WAITING] = "waiting",
		[DIALLER_ONLINE] = "online",
		[DIALLER_HANGING_UP] = "hanging up",
	};

	return names[s];
}

bool line_modem_facts(const struct line *l, struct line_modem_facts *f)
{
	const struct line_modem *m = l->modem;

	if (!m)
		return false;
	*f = (struct line_modem_facts){
		.state = state_name(dialler_state(m->dialler)),
		.connect = dialler_state(m->dialler) == DIALLER_ONLINE ? m->connect : "",
		.failures = dialler_failures(m->dialler),
		.calls = m->calls,
	};
	return true;
}
