/* SPDX-License-Identifier: MIT */
/*
 * Where DCD is not known, or not wired, a modem says NO CARRIER in the midst of the call's data. So
 * may any packet.
 *
 * When a line of those words is followed by nothing at all, it was the modem: a frame of the link
 * comes to its end. But a modem that takes commands again also echoes what it is sent, and we were
 * perhaps sending. So nothing is sent for a moment. When it is quiet after a few characters, the
 * modem is asked: AT is answered by OK, or it goes to the peer, for whom it is a frame too short
 * to be one. When more comes than can be our own echo, it is data.
 */
#include "src/modem/dialler_internal.h"

#define SILENCE_OF_LOSS (1500 * SB_MS) /* behind NO CARRIER */
#define QUIET           (400 * SB_MS)  /* behind what may be an echo */
#define OK_TIME         (1500 * SB_MS)

enum { ECHO_MOST = 256 }; /* characters that were on their way to the modem */

static bool line_is(const struct dialler *d, const char *words)
{
	return d->line.length == strlen(words) && dialler_line_begins(&d->line, words);
}

static void no_doubt(struct dialler *d)
{
	d->doubt = DOUBT_NONE;
	d->behind = 0;
	d->until = SB_NEVER;
}

static void heed_line(struct dialler *d, sb_time now)
{
	if (line_is(d, "NO CARRIER")) {
		d->doubt = DOUBT_WORDS;
		d->behind = 0;
		d->until = now + SILENCE_OF_LOSS;
	} else if (d->doubt == DOUBT_ASKED && line_is(d, "OK")) {
		d->doubt = DOUBT_WORDS; /* which is none */
		d->behind = 0;
		d->until = now;
	}
}

static void take(struct dialler *d, sb_time now, uint8_t c)
{
	if (dialler_line_take(&d->line, c))
		heed_line(d, now);
	else if (d->doubt != DOUBT_NONE && c != '\r' && c != '\n')
		d->behind++;
}

void dialler_watch_for_loss(struct dialler *d, sb_time now, struct bytes in)
{
	for (size_t i = 0; i < in.length; i++)
		take(d, now, in.at[i]);
	if (d->behind > ECHO_MOST) {
		no_doubt(d);
	} else if ((d->doubt == DOUBT_WORDS || d->doubt == DOUBT_ECHO) && d->behind) {
		d->doubt = DOUBT_ECHO;
		d->until = now + QUIET;
	}
}

/* The instant of doubt is over. True: the carrier is lost. */
bool dialler_watch_tick(struct dialler *d, sb_time now)
{
	if (d->doubt == DOUBT_WORDS)
		return true;
	if (d->doubt == DOUBT_ASKED) {
		no_doubt(d);
		return false;
	}
	d->send = "\rAT\r";
	d->doubt = DOUBT_ASKED;
	d->behind = 0;
	d->until = now + OK_TIME;
	return false;
}

bool dialler_suspects_loss(const struct dialler *d)
{
	return d->state == DIALLER_ONLINE && d->doubt != DOUBT_NONE;
}
