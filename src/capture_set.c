/* SPDX-License-Identifier: MIT */
#include "src/capture_set.h"

#include "src/clock.h"

#include <assert.h>
#include <string.h>

void capture_set_add(struct capture_set *s, struct capture *c)
{
	assert(capture_set_has_room(s));
	s->of[s->count++] = c;
}

bool capture_set_has(const struct capture_set *s, const char *file)
{
	for (unsigned i = 0; i < s->count; i++)
		if (strcmp(capture_file(s->of[i]), file) == 0)
			return true;
	return false;
}

static void close_one(struct capture_set *s, unsigned i)
{
	capture_close(s->of[i]);
	s->of[i] = s->of[--s->count];
	s->of[s->count] = NULL;
}

unsigned capture_set_close(struct capture_set *s, const char *file)
{
	unsigned closed = 0;

	for (unsigned i = s->count; i-- > 0;) {
		if (strcmp(capture_file(s->of[i]), file) != 0)
			continue;
		close_one(s, i);
		closed++;
	}
	return closed;
}

void capture_set_close_all(struct capture_set *s)
{
	while (s->count)
		close_one(s, s->count - 1);
}

/* The last one takes the place of one that is closed: from the end, each gets the packet once. */
static void heed(struct capture_set *s, struct log *log, unsigned i, bool fine)
{
	if (fine)
		return;
	log_say(log, LOG_WARN, "%s: cannot write, capture ended; the traffic goes on",
		capture_path(s->of[i]));
	close_one(s, i);
}

void capture_set_packet(struct capture_set *s, struct log *log, bool sent, struct bytes packet)
{
	for (unsigned i = s->count; i-- > 0;)
		heed(s, log, i, capture_packet(s->of[i], clock_wall(), sent, packet));
}

void capture_set_frame(struct capture_set *s, struct log *log, bool sent, uint16_t protocol,
		       struct bytes data)
{
	for (unsigned i = s->count; i-- > 0;)
		heed(s, log, i,
		     capture_frame(s->of[i], clock_wall(), sent, protocol, bytes_of(NULL, 0),
				   data));
}
