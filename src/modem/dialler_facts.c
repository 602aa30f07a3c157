/* SPDX-License-Identifier: MIT */
/*
 * What a dialler has to tell, kept until it is asked, and what a modem says, line by line.
 *
 * The transcript may be long, so the oldest of it are forgotten when nobody asks;
 * facts are few between two calls, and only RINGS, which a modem could repeat
 * without end, may be left out.
 */
#include "src/modem/dialler_internal.h"

#include <assert.h>

static void copy(char *to, size_t size, const char *from)
{
	size_t length = from ? strlen(from) : 0;

	if (length >= size)
		length = size - 1;
	if (length)
		memcpy(to, from, length);
	to[length] = '\0';
}

void dialler_tell(struct dialler *d, const struct dialler_event *event)
{
	struct dialler_fact *f;

	if (event->kind == DIALLER_RINGS && d->fact_count >= DIALLER_FACTS / 2)
		return;
	assert(d->fact_count < DIALLER_FACTS); /* the owner drains them */
	f = &d->facts[(d->fact_first + d->fact_count++) % DIALLER_FACTS];
	f->event = *event;
	copy(f->text, sizeof f->text, event->text);
	f->event.text = f->text;
}

void dialler_say(struct dialler *d, const char *text)
{
	unsigned at = (d->saying_first + d->saying_count) % DIALLER_SAYINGS;

	copy(d->sayings[at], sizeof d->sayings[at], text);
	if (d->saying_count < DIALLER_SAYINGS)
		d->saying_count++;
	else
		d->saying_first = (d->saying_first + 1) % DIALLER_SAYINGS;
}

const char *dialler_said(struct dialler *d)
{
	const char *text = d->sayings[d->saying_first];

	if (!d->saying_count)
		return NULL;
	d->saying_first = (d->saying_first + 1) % DIALLER_SAYINGS;
	d->saying_count--;
	return text;
}

bool dialler_event(struct dialler *d, struct dialler_event *event)
{
	if (!d->fact_count)
		return false;
	*event = d->facts[d->fact_first].event;
	d->fact_first = (d->fact_first + 1) % DIALLER_FACTS;
	d->fact_count--;
	return true;
}

/* --- lines --- */

bool dialler_line_take(struct dialler_line *l, uint8_t c)
{
	if (l->ended)
		l->length = 0;
	l->ended = c == '\r' || c == '\n';
	if (!l->ended && l->length < sizeof l->text)
		l->text[l->length++] = (char)c;
	return l->ended && l->length > 0;
}

struct bytes dialler_line_bytes(const struct dialler_line *l)
{
	return bytes_of(l->text, l->length);
}

bool dialler_line_begins(const struct dialler_line *l, const char *word)
{
	size_t length = strlen(word);

	return l->length >= length && memcmp(l->text, word, length) == 0;
}

const char *dialler_reason_text(enum dialler_reason reason)
{
	static const char *const texts[DIALLER_REASONS] = {
		[DIALLER_FINE] = "hung up",
		[DIALLER_BUSY] = "busy",
		[DIALLER_NO_CARRIER] = "no carrier",
		[DIALLER_NO_DIALTONE] = "no dial tone",
		[DIALLER_NO_ANSWER] = "no answer",
		[DIALLER_TIMEOUT] = "no connection in time",
		[DIALLER_ABORTED] = "the dialogue was broken off",
		[DIALLER_NO_MODEM] = "no modem answers",
		[DIALLER_LOST] = "the carrier was lost",
		[DIALLER_REFUSED] = "the peer refused",
		[DIALLER_IDLE_LIMIT] = "nothing passed for the idle time",
		[DIALLER_TIME_LIMIT] = "the time for one call is over",
	};

	return texts[reason];
}
