/* SPDX-License-Identifier: MIT */
/* The timetable of hang-ups: nothing is stepped, every answer follows from `now`. */
#include "src/nullmodem/outage.h"

#include "src/nullmodem/units.h"

#include <string.h>

static const char every[] = "every:";

/* Splits AT+FOR. */
static bool parse_pair(const char *text, sb_time *at, sb_time *length)
{
	const char *plus = strchr(text, '+');
	char first[32];
	if (!plus || (size_t)(plus - text) >= sizeof first)
		return false;
	memcpy(first, text, (size_t)(plus - text));
	first[plus - text] = '\0';
	return parse_time(first, at) && parse_time(plus + 1, length);
}

const char *timetable_add(struct timetable *t, const char *text)
{
	if (t->count == OUTAGE_MAX)
		return "too many hang-ups";

	bool periodic = strncmp(text, every, sizeof every - 1) == 0;
	struct outage o = {0};
	if (!parse_pair(periodic ? text + sizeof every - 1 : text, &o.at, &o.length))
		return "not AT+FOR or every:PERIOD+FOR";
	if (o.length == 0)
		return "takes no time";
	if (periodic) {
		o.period = o.at;
		if (o.length >= o.period)
			return "longer than its period";
	}
	t->outages[t->count++] = o;
	return NULL;
}

/* When the latest outage that has begun by `now` began; needs now >= at. */
static sb_time latest_begin(const struct outage *o, sb_time now)
{
	return o->period ? now - (now - o->at) % o->period : o->at;
}

bool timetable_is_out(const struct timetable *t, sb_time since, sb_time now)
{
	for (unsigned i = 0; i < t->count; i++) {
		const struct outage *o = &t->outages[i];
		if (now < o->at)
			continue;
		sb_time begin = latest_begin(o, now);
		if (begin >= since && now - begin < o->length)
			return true;
	}
	return false;
}

static sb_time outage_next(const struct outage *o, sb_time now)
{
	if (now < o->at)
		return o->at;
	sb_time begin = latest_begin(o, now);
	if (now - begin < o->length)
		return begin + o->length;
	return o->period ? begin + o->period : SB_NEVER;
}

sb_time timetable_next(const struct timetable *t, sb_time now)
{
	sb_time next = SB_NEVER;
	for (unsigned i = 0; i < t->count; i++)
		next = sb_time_min(next, outage_next(&t->outages[i], now));
	return next;
}
