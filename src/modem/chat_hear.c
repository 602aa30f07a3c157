/* SPDX-License-Identifier: MIT */
/*
 * What comes from the modem, a character at a time.
 *
 * A string has come when the latest characters are it: they are kept, and compared from
 * their end with each string there is. So a beginning within a beginning is no
 * trouble ("OOK", "CONCONNECT"), and neither is where one read ended and the next began.
 * What counts is what was heard since the expect began; an ABORT string does not
 * reach back into an earlier one either.
 *
 * At the same character a REPORT is seen first, then the string that is waited for, then
 * ABORT strings in their order. Modems of the parity age send eight bits of which seven
 * count.
 *
 * A peer that speaks PPP already begins with FF 03 C0 21 (LCP; RFC 1662 section 3.1,
 * RFC 1661 section 6.5), each octet escaped or not, behind a flag or not.
 */
#include "src/modem/chat_state.h"

static const uint8_t lcp_begin[] = {0xFF, 0x03, 0xC0, 0x21};

enum { FLAG = 0x7E, ESCAPE = 0x7D, ESCAPED_BY = 0x20 };

static const sb_time REPORT_PATIENCE = SB_SEC; /* duration: for a character, at the end */

void chat_listen(struct chat *c)
{
	c->recent_length = 0;
	c->line_length = 0;
	c->frame.length = 0;
	c->frame.matched = 0;
	c->frame.escaped = false;
}

/* --- strings --- */

static void remember(struct chat *c, uint8_t ch)
{
	if (c->recent_length == CHAT_RECENT) {
		c->recent_length = CHAT_RECENT / 2;
		memcpy(c->recent, c->recent + CHAT_RECENT / 2, CHAT_RECENT / 2);
	}
	c->recent[c->recent_length++] = ch;
}

static bool has_come(const struct chat *c, struct bytes string)
{
	return string.length <= c->recent_length &&
	       memcmp(c->recent + c->recent_length - string.length, string.at, string.length) == 0;
}

bool chat_watch_for(struct chat_watch *w, const struct script_step *step)
{
	if (w->count == CHAT_WATCHES)
		return false;
	w->strings[w->count++] = step;
	return true;
}

static void forget(struct chat_watch *w, unsigned i)
{
	for (w->count--; i < w->count; i++)
		w->strings[i] = w->strings[i + 1];
}

bool chat_watch_no_more(struct chat_watch *w, struct bytes string)
{
	unsigned before = w->count;

	for (unsigned i = 0; i < w->count;) {
		struct bytes other = w->strings[i]->text;
		if (other.length == string.length &&
		    (!other.length || memcmp(other.at, string.at, other.length) == 0))
			forget(w, i);
		else
			i++;
	}
	return w->count < before;
}

/* The first that has come; count: none. */
static unsigned find_watched(const struct chat *c, const struct chat_watch *w)
{
	unsigned i = 0;

	while (i < w->count && !has_come(c, w->strings[i]->text))
		i++;
	return i;
}

/* --- REPORT --- */

static bool is_control(uint8_t ch)
{
	return ch < 0x20 || ch == 0x7F;
}

static void add_to_report(struct chat *c, uint8_t ch)
{
	if (c->told_length < sizeof c->told - 1)
		c->told[c->told_length++] = (char)ch;
}

/* Each is reported once. */
static void look_for_report(struct chat *c)
{
	unsigned i = find_watched(c, &c->report);

	if (i == c->report.count)
		return;
	struct bytes string = c->report.strings[i]->text;
	c->reporting = true;
	c->told_length = 0;
	for (size_t n = 0; n < string.length; n++)
		add_to_report(c, string.at[n]);
	forget(&c->report, i);
}

static void hear_report(struct chat *c, uint8_t ch)
{
	if (!c->reporting)
		look_for_report(c);
	else if (is_control(ch))
		chat_tell_report(c);
	else
		add_to_report(c, ch);
}

void chat_hear_end(struct chat *c, sb_time now, uint8_t ch)
{
	ch &= 0x7F;
	c->wake = now + REPORT_PATIENCE;
	if (!is_control(ch))
		add_to_report(c, ch);
	if (is_control(ch) || c->told_length == sizeof c->told - 1) {
		chat_tell_report(c);
		c->state = CHAT_ENDED;
	}
}

/* --- PPP --- */

/* Forgets what was thought to be a frame, unless one begins here. */
static void begin_frame(struct chat *c, uint8_t raw)
{
	bool is_first = raw == lcp_begin[0];

	c->frame.matched = is_first;
	c->frame.escaped = false;
	c->frame.raw[0] = raw;
	c->frame.length = is_first || raw == FLAG;
}

static bool is_ppp(struct chat *c, uint8_t raw)
{
	if (raw == FLAG || (c->frame.length == 0 && raw != ESCAPE)) {
		begin_frame(c, raw);
		return false;
	}
	c->frame.raw[c->frame.length++] = raw;
	if (raw == ESCAPE && !c->frame.escaped) {
		c->frame.escaped = true;
		return false;
	}
	uint8_t octet = c->frame.escaped ? raw ^ ESCAPED_BY : raw;
	c->frame.escaped = false;
	if (octet != lcp_begin[c->frame.matched])
		begin_frame(c, raw);
	else
		c->frame.matched++;
	return c->frame.matched == sizeof lcp_begin;
}

/* --- the transcript --- */

static void log_character(struct chat *c, uint8_t ch)
{
	if (ch == '\n') {
		chat_log_line(c);
		return;
	}
	c->line[c->line_length++] = (char)ch;
	if (c->line_length == CHAT_LINE)
		chat_log_line(c);
}

static void log_rest(struct chat *c, const char *outcome)
{
	if (c->line_length)
		chat_log_line(c);
	chat_log(c, outcome, bytes_of("", 0), "");
}

/* --- all of them --- */

static void hear_string(struct chat *c, sb_time now)
{
	const struct script_step *step = &c->script->steps[c->at];

	if (has_come(c, step->text)) {
		log_rest(c, " -- got it");
		c->at = step->found;
		c->state = CHAT_RUNNING;
		return;
	}
	unsigned i = find_watched(c, &c->abort);
	if (i == c->abort.count)
		return;
	log_rest(c, " -- failed");
	chat_finish(c, now, CHAT_ABORTED + (int)i, c->abort.strings[i]->text);
}

void chat_hear(struct chat *c, sb_time now, uint8_t raw)
{
	uint8_t ch = raw & 0x7F;

	if (c->config.stop_at_ppp && is_ppp(c, raw)) {
		c->peer_speaks_ppp = true;
		if (c->reporting)
			chat_tell_report(c);
		chat_tell(c, CHAT_PEER_SPEAKS_PPP);
		chat_finish(c, now, CHAT_FINE, bytes_of("", 0));
		return;
	}
	if (c->echo)
		chat_echo(c, ch);
	log_character(c, ch);
	remember(c, ch);
	hear_report(c, ch);
	hear_string(c, now);
}
