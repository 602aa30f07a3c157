/* SPDX-License-Identifier: MIT */
/*
 * Lengths on a hop that is not ours.
 *
 * tc-cake(8) reckons in this order, and so does this: the IP packet, plus the overhead, no less
 * than the mpu; then in cells. ATM carries 48 bytes in a cell of 53, and the last one is filled
 * up: a packet costs whole cells. PTM (VDSL) adds one byte to each 64, and fills nothing up; as in
 * cake, the last, incomplete 64 have theirs too.
 *
 * The words, too, are cake's, with tc-stab's "adsl" and "raw" for no link layer at all. Those that
 * say what is carried in cells leave the overhead as it was given; the others, presets, set all
 * three. An Ethernet is of 38 bytes: header, checksum, preamble, gap between frames.
 */
#include "sched/linklayer.h"

#include <string.h>

enum {
	ATM_CELL = 53,
	ATM_PAYLOAD = 48,
	PTM_PAYLOAD = 64, /* and a byte */
};

enum word_kind {
	WORD_EXACT,
	WORD_CELLS,  /* alone */
	WORD_PRESET, /* all three */
	WORD_MORE,   /* overhead besides the others' */
};

static const struct word {
	const char *name;
	enum word_kind kind;
	enum linklayer_cells cells;
	int overhead;
	unsigned mpu;
} words[] = {
	{"exact", WORD_EXACT, CELLS_NONE, 0, 0},
	{"raw", WORD_PRESET, CELLS_NONE, 0, 0},
	{"noatm", WORD_CELLS, CELLS_NONE, 0, 0},
	{"atm", WORD_CELLS, CELLS_ATM, 0, 0},
	{"adsl", WORD_CELLS, CELLS_ATM, 0, 0},
	{"ptm", WORD_CELLS, CELLS_PTM, 0, 0},
	{"conservative", WORD_PRESET, CELLS_ATM, 48, 0},
	{"ipoa-vcmux", WORD_PRESET, CELLS_ATM, 8, 0},
	{"ipoa-llcsnap", WORD_PRESET, CELLS_ATM, 16, 0},
	{"bridged-vcmux", WORD_PRESET, CELLS_ATM, 24, 0},
	{"bridged-llcsnap", WORD_PRESET, CELLS_ATM, 32, 0},
	{"pppoa-vcmux", WORD_PRESET, CELLS_ATM, 10, 0},
	{"pppoa-llc", WORD_PRESET, CELLS_ATM, 14, 0},
	{"pppoe-vcmux", WORD_PRESET, CELLS_ATM, 32, 0},
	{"pppoe-llcsnap", WORD_PRESET, CELLS_ATM, 40, 0},
	{"pppoe-ptm", WORD_PRESET, CELLS_PTM, 30, 0},
	{"bridged-ptm", WORD_PRESET, CELLS_PTM, 22, 0},
	{"docsis", WORD_PRESET, CELLS_NONE, 18, 64},
	{"ethernet", WORD_PRESET, CELLS_NONE, 38, 84},
	{"ether-vlan", WORD_MORE, CELLS_NONE, 4, 0},
};

enum { WORDS = sizeof(words) / sizeof(words[0]) };

/* --- lengths --- */

static size_t divided_up(size_t n, size_t by)
{
	return (n + by - 1) / by;
}

static size_t in_cells(enum linklayer_cells cells, size_t bytes)
{
	switch (cells) {
	case CELLS_ATM:
		return divided_up(bytes, ATM_PAYLOAD) * ATM_CELL;
	case CELLS_PTM:
		return bytes + divided_up(bytes, PTM_PAYLOAD);
	case CELLS_NONE:
		break;
	}
	return bytes;
}

/* A packet cannot take less than nothing. */
static size_t with_overhead(size_t bytes, int overhead)
{
	size_t less = overhead < 0 ? (size_t)-overhead : 0;

	if (overhead >= 0)
		return bytes + (size_t)overhead;
	return bytes > less ? bytes - less : 0;
}

size_t linklayer_bytes(const struct linklayer *l, size_t ip_bytes)
{
	size_t bytes = with_overhead(ip_bytes, l->overhead);

	return in_cells(l->cells, bytes < l->mpu ? l->mpu : bytes);
}

size_t linklayer_length(const void *linklayer_coding, struct bytes packet)
{
	const struct linklayer_coding *c = linklayer_coding;

	return c->layer.exact ? c->encoded(c->coding, packet)
			      : linklayer_bytes(&c->layer, packet.length);
}

/* --- words --- */

static const struct word *find_word(const char *name)
{
	for (unsigned i = 0; i < WORDS; i++)
		if (strcmp(words[i].name, name) == 0)
			return &words[i];
	return NULL;
}

static struct linklayer of_preset(const struct word *w)
{
	return (struct linklayer){.overhead = w->overhead, .mpu = w->mpu, .cells = w->cells};
}

bool linklayer_named(const char *name, struct linklayer *l)
{
	const struct word *w = find_word(name);

	if (!w)
		return false;
	switch (w->kind) {
	case WORD_EXACT:
		*l = (struct linklayer){.exact = true};
		break;
	case WORD_CELLS:
		l->exact = false;
		l->cells = w->cells;
		break;
	case WORD_PRESET:
		*l = of_preset(w);
		break;
	case WORD_MORE:
		l->exact = false;
		l->overhead += w->overhead;
		break;
	}
	return true;
}

const char *linklayer_word(unsigned i)
{
	return i < WORDS ? words[i].name : NULL;
}
