/* SPDX-License-Identifier: MIT */
/*
 * Where DCD is not known, or not wired, a modem says NO CARRIER in the midst of the call's data. So
 * may any packet; but a frame of the link comes to its end, and behind the modem's words
 * there is silence. Until it is over nothing should be sent: a modem that obeys commands again
 * echoes it, or finds an AT in it and says ERROR.
 */
#include "src/modem/dialler_internal.h"

#define SILENCE_OF_LOSS (1500 * SB_MS) /* behind NO CARRIER */

/* "\nNO CARRIER\r\n", whatever the modem's line ends are: true when the stream ends with it. */
static bool ends_with_loss(const struct dialler *d)
{
	static const char words[] = "NO CARRIER";
	size_t end = d->tail_length, length = sizeof words - 1;

	while (end && (d->tail[end - 1] == '\n' || d->tail[end - 1] == '\r'))
		end--;
	if (end == d->tail_length || end < length ||
	    memcmp(d->tail + end - length, words, length) != 0)
		return false;
	return end == length || d->tail[end - length - 1] == '\n' ||
	       d->tail[end - length - 1] == '\r';
}

/* Keeps as much of the stream's end as those words need. */
static void keep_tail(struct dialler *d, struct bytes in)
{
	size_t kept;

	if (in.length > sizeof d->tail)
		in = bytes_skip(in, in.length - sizeof d->tail);
	kept = sizeof d->tail - in.length;
	if (kept > d->tail_length)
		kept = d->tail_length;
	memmove(d->tail, d->tail + d->tail_length - kept, kept);
	memcpy(d->tail + kept, in.at, in.length);
	d->tail_length = kept + in.length;
}

void dialler_watch_for_loss(struct dialler *d, sb_time now, struct bytes in)
{
	if (!in.length)
		return;
	keep_tail(d, in);
	d->until = ends_with_loss(d) ? now + SILENCE_OF_LOSS : SB_NEVER;
}

bool dialler_suspects_loss(const struct dialler *d)
{
	return d->state == DIALLER_ONLINE && d->until != SB_NEVER;
}
