/* SPDX-License-Identifier: MIT */
/*
 * A port and its modem. The modem's words go through a wire of their own, at the speed that the
 * port is set to; characters of the call that arrive meanwhile wait for it (CONNECT comes first).
 */
#include "src/nullmodem/station.h"

#include "src/nullmodem/wire.h"

#include <stdlib.h>

struct station {
	struct end *end;
	const struct modem_spec *spec;
	struct hayes *modem;
	struct wire *words; /* from the modem to the port; only with a modem */
	uint32_t speed;     /* of the port */
};

static struct wire_config words_config(uint32_t bps)
{
	return (struct wire_config){.bps = bps, .bits_per_char = 10, .buffer = HAYES_OUTPUT_MAX};
}

static bool make_modem(struct station *s, uint64_t seed)
{
	struct wire_config config = words_config(0);
	s->modem = hayes_new(&s->spec->hayes, seed);
	s->words = wire_new(&config, seed);
	return s->modem && s->words;
}

struct station *station_new(const char *end, const struct modem_spec *spec,
			    const struct end_host *host, uint64_t seed)
{
	struct station *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->spec = spec;
	s->end = end_new(end, host);
	if (s->end && (!spec->present || make_modem(s, seed)))
		return s;
	station_free(s);
	return NULL;
}

void station_free(struct station *s)
{
	if (!s)
		return;
	end_free(s->end);
	hayes_free(s->modem);
	wire_free(s->words);
	free(s);
}

struct end *station_end(const struct station *s)
{
	return s->end;
}

struct hayes *station_modem(const struct station *s)
{
	return s->modem;
}

/* A rate that cannot be had any more leaves the old one. */
void station_update_speed(struct station *s, sb_time now)
{
	uint32_t speed = s->spec->dte > 0 ? s->spec->dte : end_speed(s->end);
	if (!s->modem || speed == s->speed)
		return;
	struct wire_config config = words_config(speed);
	if (!wire_configure(s->words, &config, now))
		return;
	s->speed = speed;
	hayes_set_dte(s->modem, speed);
}

/* One at a time, since any of them may put the modem online. */
static void type(struct station *s, sb_time now)
{
	uint8_t c;
	if (end_is_readable(s->end))
		station_update_speed(s, now);
	while (!hayes_is_online(s->modem) && end_is_readable(s->end))
		if (end_read(s->end, &c, 1) == 1)
			hayes_type(s->modem, now, c);
}

void station_listen(struct station *s, sb_time now)
{
	if (!s->modem)
		return;
	if (end_was_left(s->end))
		hayes_dtr(s->modem, now, false);
	hayes_dtr(s->modem, now, end_is_attached(s->end));
	type(s, now);
}

void station_talk(struct station *s, sb_time now)
{
	uint8_t chunk[256];
	if (!s->modem)
		return;
	for (;;) {
		size_t room = wire_room(s->words, now);
		struct buf out = buf_over(chunk, room < sizeof chunk ? room : sizeof chunk);
		if (!hayes_output(s->modem, &out))
			break;
		wire_input(s->words, now, buf_bytes(&out));
	}
	size_t n;
	while ((n = wire_output(s->words, now, chunk, sizeof chunk)) > 0)
		end_write(s->end, bytes_of(chunk, n)); /* who does not read loses it */
}

void station_unplug(struct station *s, sb_time now)
{
	end_close(s->end);
	if (!s->modem)
		return;
	hayes_dtr(s->modem, now, false);
	hayes_reset(s->modem);
	wire_cut(s->words, now);
}

bool station_is_online(const struct station *s)
{
	return !s->modem || hayes_is_online(s->modem);
}

void station_passes(struct station *s, sb_time now, struct bytes b)
{
	if (s->modem)
		hayes_passes(s->modem, now, b);
}

bool station_hears(const struct station *s)
{
	return end_is_attached(s->end) && station_is_online(s);
}

bool station_is_talking(const struct station *s)
{
	return s->modem && wire_deadline(s->words) != SB_NEVER;
}

bool station_has_typed(const struct station *s)
{
	return !station_is_online(s) && end_is_readable(s->end);
}

sb_time station_deadline(const struct station *s)
{
	if (!s->modem)
		return SB_NEVER;
	return sb_time_min(hayes_deadline(s->modem), wire_deadline(s->words));
}
