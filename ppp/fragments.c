/* SPDX-License-Identifier: MIT */
#include "ppp/fragments.h"

#include <stdlib.h>

#include "ppp/fragment_store.h"

/* Valid from `next` to `top`. */
struct fragment_slot {
	bool held;
	sb_time missed_at; /* while not */
	struct fragment fragment;
};

static struct fragment_slot *slot(const struct fragments *f, uint64_t place)
{
	return &f->slots[place & (f->size - 1)];
}

bool fragments_init(struct fragments *f, unsigned size, size_t store_bytes)
{
	*f = (struct fragments){
		.size = size,
		.slots = calloc(size, sizeof *f->slots),
		.store = fragment_store_new(store_bytes),
	};
	return f->slots && f->store;
}

void fragments_free(struct fragments *f)
{
	free(f->slots);
	fragment_store_free(f->store);
}

bool fragments_has(const struct fragments *f, uint64_t place)
{
	return place >= f->next && place < f->top && slot(f, place)->held;
}

bool fragments_fits(const struct fragments *f, uint64_t place, size_t length)
{
	return place - f->next < f->size && fragment_store_fits(f->store, length);
}

void fragments_hold(struct fragments *f, uint64_t place, const struct mp_header *header,
		    struct bytes data, sb_time now)
{
	for (; f->top <= place; f->top++)
		*slot(f, f->top) = (struct fragment_slot){.missed_at = now};
	*slot(f, place) = (struct fragment_slot){
		.held = true,
		.fragment = {.begin = header->begin,
			     .end = header->end,
			     .length = data.length,
			     .data = fragment_store_put(f->store, data)},
	};
}

sb_time fragments_missed_at(const struct fragments *f, uint64_t place)
{
	return slot(f, place)->missed_at;
}

uint64_t fragments_end_of_hole(const struct fragments *f)
{
	uint64_t place = f->next;

	while (place < f->top && !slot(f, place)->held)
		place++;
	return place;
}

struct fragment fragments_take(struct fragments *f)
{
	struct fragment fragment = slot(f, f->next)->fragment;

	fragments_step(f);
	return fragment;
}

void fragments_step(struct fragments *f)
{
	f->next++;
	if (f->top < f->next)
		f->top = f->next;
}

void fragments_restart(struct fragments *f, uint64_t place)
{
	for (; f->next < f->top; f->next++)
		if (slot(f, f->next)->held)
			fragment_store_drop(f->store, slot(f, f->next)->fragment.data);
	f->next = f->top = place;
}
