/* SPDX-License-Identifier: MIT */
/*
 * The modem's states and its clockwork; see hayes.h for the picture. One timer is enough for
 * the call: the number is being sent, then a carrier is waited for, then a lost one is borne.
 *
 * The escape is three characters S2 in a row, no more than the guard time S12 apart, with
 * silence for at least that long before and after. They pass to the far end like all others.
 */
#include "src/nullmodem/hayes_impl.h"

#include <assert.h>
#include <stdlib.h>

static const sb_time key_grace = SB_SEC / 8; /* V.250 5.6.1: after the command's end */

bool hayes_is_profile(const char *text)
{
	struct hayes_settings any;
	hayes_settings_factory(&any);
	return hayes_settings_obey_all(&any, text);
}

void hayes_recall_profile(struct hayes *h)
{
	hayes_settings_factory(&h->set);
	hayes_settings_obey_all(&h->set, h->config->profile);
}

void hayes_reset(struct hayes *h)
{
	*h = (struct hayes){
		.config = h->config,
		.noise = h->noise,
		.dte_bps = h->dte_bps,
		.timer = SB_NEVER,
		.obey_at = SB_NEVER,
	};
	hayes_recall_profile(h);
}

struct hayes *hayes_new(const struct hayes_config *config, uint64_t seed)
{
	struct hayes *h = calloc(1, sizeof *h);
	if (!h)
		return NULL;
	h->config = config;
	h->noise = noise_seeded(seed);
	hayes_reset(h);
	return h;
}

void hayes_free(struct hayes *h)
{
	free(h);
}

/* ---- events ---- */

static void tell(struct hayes *h, int kind)
{
	assert(h->event_count < HAYES_EVENTS_MAX);
	struct hayes_event *e = &h->events[h->event_count++];
	*e = (struct hayes_event){.kind = kind};
	if (kind == HAYES_DIALS)
		memcpy(e->number, h->number, sizeof e->number);
}

bool hayes_event(struct hayes *h, struct hayes_event *e)
{
	if (h->event_count == 0)
		return false;
	*e = h->events[0];
	h->event_count--;
	memmove(h->events, h->events + 1, h->event_count * sizeof *e);
	return true;
}

bool hayes_output(struct hayes *h, struct buf *out)
{
	size_t n = out->capacity - out->length;
	if (n > h->out_length)
		n = h->out_length;
	buf_append(out, bytes_of(h->out, n));
	h->out_length -= n;
	memmove(h->out, h->out + n, h->out_length);
	return n > 0;
}

/* ---- calls ---- */

static void become(struct hayes *h, enum hayes_state state, sb_time timer)
{
	h->state = state;
	h->timer = timer;
	h->escapes = 0;
	h->set.s[S_RINGS] = 0;
}

void hayes_hang_up(struct hayes *h)
{
	if (h->state == HAYES_COMMAND)
		return;
	become(h, HAYES_COMMAND, SB_NEVER);
	tell(h, HAYES_HANGS_UP);
}

static void fail(struct hayes *h, enum hayes_result why)
{
	hayes_hang_up(h);
	hayes_say(h, why);
}

static void wait_for_carrier(struct hayes *h, sb_time now)
{
	become(h, HAYES_CALLING, now + h->set.s[S_CARRIER_WAIT] * SB_SEC);
}

void hayes_dial(struct hayes *h, sb_time now, sb_time duration)
{
	h->heard_ringing = false;
	become(h, HAYES_DIALLING, now + duration);
}

static void number_sent(struct hayes *h, sb_time now)
{
	if (h->comes_back) {
		become(h, HAYES_COMMAND, SB_NEVER);
		hayes_say(h, HAYES_OK);
		return;
	}
	wait_for_carrier(h, now);
	tell(h, HAYES_DIALS);
}

void hayes_answer(struct hayes *h, sb_time now)
{
	h->heard_ringing = false;
	wait_for_carrier(h, now);
	tell(h, HAYES_ANSWERS);
}

static bool hears_tones(const struct hayes *h)
{
	return h->set.extended >= 3;
}

static void no_carrier_came(struct hayes *h)
{
	bool nobody = h->heard_ringing && (hears_tones(h) || h->wants_quiet);
	fail(h, nobody ? HAYES_NO_ANSWER : HAYES_NO_CARRIER);
}

static void give_up_carrier(struct hayes *h)
{
	fail(h, HAYES_NO_CARRIER);
	hayes_say_noise(h);
}

void hayes_go_online(struct hayes *h, sb_time now)
{
	/* A carrier that is being missed is missed all the same. */
	h->state = HAYES_ONLINE;
	h->escapes = 0;
	h->passed_at = now;
	hayes_say_connected(h);
}

void hayes_carrier(struct hayes *h, sb_time now, uint32_t bps)
{
	if (h->state != HAYES_CALLING)
		return;
	become(h, HAYES_ONLINE, SB_NEVER);
	h->carrier_bps = bps;
	hayes_say_noise(h);
	hayes_go_online(h, now);
}

static void ring(struct hayes *h, sb_time now)
{
	uint8_t *rings = &h->set.s[S_RINGS];
	uint8_t enough = h->set.s[S_AUTO_ANSWER];
	*rings += *rings < UINT8_MAX;
	hayes_say(h, HAYES_RINGS);
	bool wanted = h->dtr || h->set.dtr < 2;
	if (wanted && enough > 0 && *rings >= enough)
		hayes_answer(h, now);
}

static void miss_carrier(struct hayes *h, sb_time now)
{
	uint8_t tenths = h->set.s[S_CARRIER_LOSS];
	if (h->state == HAYES_COMMAND)
		h->set.s[S_RINGS] = 0;
	else if (h->state != HAYES_DIALLING && tenths < UINT8_MAX)
		h->timer = sb_time_min(h->timer, now + tenths * SB_SEC / 10);
}

void hayes_hears(struct hayes *h, sb_time now, enum hayes_sound sound)
{
	bool calling = h->state == HAYES_CALLING;
	switch (sound) {
	case HAYES_RING:
		if (h->state == HAYES_COMMAND)
			ring(h, now);
		break;
	case HAYES_RINGBACK:
		h->heard_ringing = calling;
		break;
	case HAYES_BUSY_TONE:
		if (calling && hears_tones(h))
			fail(h, HAYES_BUSY);
		break;
	case HAYES_NO_TONE:
		if (calling && (h->set.extended == 2 || h->set.extended == 4))
			fail(h, HAYES_NO_DIALTONE);
		break;
	case HAYES_SILENCE:
		miss_carrier(h, now);
		break;
	}
}

/* ---- the terminal ---- */

bool hayes_is_online(const struct hayes *h)
{
	return h->state == HAYES_ONLINE;
}

static void finish_line(struct hayes *h, sb_time now)
{
	h->line[h->line_length] = '\0';
	h->editor = HAYES_HUNTS;
	h->obey_at = now + h->config->slow;
	hayes_tick(h, now);
}

static void edit(struct hayes *h, sb_time now, char c)
{
	if (c == h->set.s[S_END_OF_LINE])
		finish_line(h, now);
	else if (c == h->set.s[S_BACKSPACE])
		h->line_length -= h->line_length > 0;
	else if (c <= ' ' || c == 0x7f)
		return;
	else if (h->line_length == HAYES_LINE_MAX)
		h->overlong = true;
	else
		h->line[h->line_length++] = c;
}

static void start_line(struct hayes *h)
{
	h->editor = HAYES_SAW_AT;
	h->line_length = 0;
	h->overlong = false;
}

static void hunt(struct hayes *h, sb_time now, char c)
{
	bool after_a = h->editor == HAYES_SAW_A;
	h->editor = c == 'A' ? HAYES_SAW_A : HAYES_HUNTS;
	if (after_a && c == 'T')
		start_line(h);
	else if (after_a && c == '/')
		finish_line(h, now);
}

static bool is_calling(const struct hayes *h)
{
	return h->state == HAYES_DIALLING || h->state == HAYES_CALLING;
}

void hayes_type(struct hayes *h, sb_time now, uint8_t c)
{
	assert(!hayes_is_online(h));
	if (is_calling(h)) {
		if (now - h->obeyed_at >= key_grace)
			fail(h, HAYES_NO_CARRIER);
		return;
	}
	if (h->obey_at != SB_NEVER)
		return;
	c &= 0x7f; /* it may be parity */
	if (h->set.echo)
		hayes_put(h, c);
	char upper = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
	if (h->editor == HAYES_SAW_AT)
		edit(h, now, upper);
	else
		hunt(h, now, upper);
}

static sb_time guard(const struct hayes *h)
{
	return h->set.s[S_GUARD] * SB_SEC / 50;
}

static void count_escape(struct hayes *h, sb_time silence)
{
	bool fresh = silence >= guard(h);
	if (h->escapes == 0 || fresh)
		h->escapes = fresh ? 1 : 0;
	else
		h->escapes = h->escapes < 3 ? h->escapes + 1 : 0;
}

void hayes_passes(struct hayes *h, sb_time now, struct bytes b)
{
	assert(hayes_is_online(h));
	for (size_t i = 0; i < b.length; i++) {
		if (b.at[i] == h->set.s[S_ESCAPE] && b.at[i] < 128)
			count_escape(h, now - h->passed_at);
		else
			h->escapes = 0;
		h->passed_at = now;
	}
}

static sb_time escape_at(const struct hayes *h)
{
	bool waits = h->state == HAYES_ONLINE && h->escapes == 3;
	return waits ? h->passed_at + guard(h) : SB_NEVER;
}

static void escape(struct hayes *h)
{
	h->state = HAYES_ESCAPED;
	h->escapes = 0;
	h->editor = HAYES_HUNTS;
	hayes_say(h, HAYES_OK);
}

void hayes_set_dte(struct hayes *h, uint32_t bps)
{
	h->dte_bps = bps;
}

static void lose_dtr(struct hayes *h)
{
	h->editor = HAYES_HUNTS;
	h->obey_at = SB_NEVER;
	h->out_length = 0;
	if (h->set.dtr == 1 && h->state == HAYES_ONLINE)
		escape(h);
	if (h->set.dtr >= 2)
		hayes_hang_up(h);
	if (h->set.dtr == 3)
		hayes_recall_profile(h);
}

void hayes_dtr(struct hayes *h, sb_time now, bool up)
{
	(void)now;
	if (h->dtr && !up)
		lose_dtr(h);
	h->dtr = up;
}

/* ---- time ---- */

static void time_is_up(struct hayes *h, sb_time now)
{
	h->timer = SB_NEVER;
	if (h->state == HAYES_DIALLING)
		number_sent(h, now);
	else if (h->state == HAYES_CALLING)
		no_carrier_came(h);
	else
		give_up_carrier(h);
}

void hayes_tick(struct hayes *h, sb_time now)
{
	if (now >= h->obey_at) {
		h->obey_at = SB_NEVER;
		h->obeyed_at = now;
		hayes_obey(h, now);
	}
	if (now >= escape_at(h))
		escape(h);
	if (now >= h->timer)
		time_is_up(h, now);
}

sb_time hayes_deadline(const struct hayes *h)
{
	return sb_time_min(h->timer, sb_time_min(h->obey_at, escape_at(h)));
}
