/* SPDX-License-Identifier: MIT */
#include "ppp/assembly.h"

enum { PROTOCOL_FIELD = 2 }; /* bytes; 1 when compressed, the first octet then being odd */

size_t assembly_size(size_t mrru)
{
	return PROTOCOL_FIELD + mrru;
}

static bool is_too_long(const struct assembly *a)
{
	const struct buf *p = &a->packet;
	size_t protocol_field = p->length && p->at[0] & 1 ? 1 : PROTOCOL_FIELD;

	return p->overflow || p->length > protocol_field + a->mrru;
}

void assembly_lost(struct assembly *a)
{
	if (a->state != ASSEMBLY_BUILDING)
		return;
	a->counters->broken++;
	a->state = ASSEMBLY_SKIPPING;
}

/* With B, the fragment before was the last of its packet, whether E was seen or not. */
void assembly_begin(struct assembly *a, bool begin)
{
	if (begin) {
		assembly_lost(a);
		a->packet.length = 0;
		a->packet.overflow = false;
		a->state = ASSEMBLY_BUILDING;
	} else if (a->state == ASSEMBLY_BETWEEN) {
		a->counters->broken++;
		a->state = ASSEMBLY_SKIPPING;
	}
}

/* A packet of no octets is a null fragment, which only takes its place. */
void assembly_end(struct assembly *a, bool end)
{
	if (a->state == ASSEMBLY_BUILDING && is_too_long(a)) {
		a->counters->too_long++;
		a->state = ASSEMBLY_SKIPPING;
	}
	if (!end)
		return;
	if (a->state == ASSEMBLY_BUILDING && a->packet.length) {
		a->counters->packets++;
		a->state = ASSEMBLY_READY;
	} else {
		a->state = ASSEMBLY_BETWEEN;
	}
}
