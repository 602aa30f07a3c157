/* SPDX-License-Identifier: MIT */
/*
 * CONNECT and its kin, read by what the words mean and not by a table of whole lines: no
 * two makers put them in the same order, or separate them alike.
 *
 *	CONNECT 28800/ARQ/V34/LAPM/V42BIS	the rate, then protocol and compression
 *	CONNECT 57600/ZYX 16800/V42b		the port's rate, how, the carrier's rate
 *	CONNECT 115200/V34/LAPM/33600:TX/31200:RX	the carrier's, by direction: ours is TX
 *	CARRIER 33600 ... CONNECT 115200	the carrier's, and the port's
 *	+MRR: 33600,31200			the same by V.250 section 6.4.3
 *
 * Words are known by their beginnings, in any case and without dots and dashes. Those
 * that are not known (FAST, KERM, MULTILINK) say nothing we want.
 */
#include "src/modem/connect.h"

enum {
	SLOWEST = 50, /* bps; a smaller number is no rate ("REL 5") */
	WORD_MAX = CONNECT_WORD_SIZE - 1,
};

enum meaning { NOTHING, MODULATION, PROTOCOL, BETTER_PROTOCOL, COMPRESSION };

/* The first that a word begins with is what it means. */
static const struct known {
	const char *begins;
	enum meaning meaning;
} known[] = {
	{"V42B", COMPRESSION},     {"V44", COMPRESSION},      {"MNP5", COMPRESSION},
	{"CLASS5", COMPRESSION},   {"COMP", COMPRESSION},     {"V42", BETTER_PROTOCOL},
	{"LAPM", BETTER_PROTOCOL}, {"MNP", BETTER_PROTOCOL},  {"ALT", BETTER_PROTOCOL},
	{"RLP", BETTER_PROTOCOL},  {"V110", BETTER_PROTOCOL}, {"V120", BETTER_PROTOCOL},
	{"X75", BETTER_PROTOCOL},  {"HDLC", BETTER_PROTOCOL}, {"PPP", BETTER_PROTOCOL},
	{"ARQ", PROTOCOL}, /* that there is one; which, another word may tell */
	{"REL", PROTOCOL},         {"EC", PROTOCOL},          {"NOEC", PROTOCOL},
	{"NONE", PROTOCOL},        {"NORM", PROTOCOL},        {"V2", MODULATION}, /* V.21 to V.29 */
	{"V3", MODULATION},        {"V9", MODULATION},        {"VFC", MODULATION},
	{"K56", MODULATION},       {"X2", MODULATION},        {"HST", MODULATION},
	{"ZYX", MODULATION},       {"PEP", MODULATION},       {"BELL", MODULATION},
	{"ISDN", MODULATION},
};

void connect_init(struct connect *c)
{
	*c = (struct connect){0};
}

/* --- words --- */

/* Its letters and digits alone, in capitals; as far as they fit. */
static void simplify(char to[static CONNECT_WORD_SIZE], struct bytes word)
{
	size_t n = 0;

	for (size_t i = 0; i < word.length && n < WORD_MAX; i++) {
		uint8_t c = word.at[i];
		if (c >= 'a' && c <= 'z')
			c -= 'a' - 'A';
		if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
			to[n++] = (char)c;
	}
	to[n] = '\0';
}

static enum meaning meaning_of(struct bytes word)
{
	char simple[CONNECT_WORD_SIZE];

	simplify(simple, word);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strncmp(simple, known[i].begins, strlen(known[i].begins)) == 0)
			return known[i].meaning;
	return NOTHING;
}

static void copy_word(char to[static CONNECT_WORD_SIZE], struct bytes word)
{
	size_t n = 0;

	for (; n < word.length && n < WORD_MAX; n++)
		to[n] = word.at[n] >= ' ' && word.at[n] < 0x7F ? (char)word.at[n] : '?';
	to[n] = '\0';
}

static bool separates(uint8_t c)
{
	return c == ' ' || c == '/' || c == ',' || c == '\t';
}

/* The next word of the line, and where the line goes on; false: no more. */
static bool next_word(struct bytes *line, struct bytes *word)
{
	size_t n = 0;

	while (line->length && separates(line->at[0]))
		*line = bytes_skip(*line, 1);
	while (n < line->length && !separates(line->at[n]))
		n++;
	*word = bytes_of(line->at, n);
	*line = bytes_skip(*line, n);
	return n > 0;
}

/* --- rates --- */

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* A number, and what stands behind it in the word; false: none. */
static bool read_number(struct bytes word, uint32_t *number, struct bytes *behind)
{
	uint64_t value = 0;
	size_t n = 0;

	for (; n < word.length && is_digit(word.at[n]); n++)
		value = value * 10 + (word.at[n] - '0');
	*behind = bytes_skip(word, n);
	if (n == 0 || n > 10 || value < SLOWEST || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

static bool is_direction(struct bytes behind, char letter)
{
	if (behind.length == 3 && behind.at[0] == ':')
		behind = bytes_skip(behind, 1);
	return behind.length == 2 && behind.at[0] == (uint8_t)letter && behind.at[1] == 'X';
}

/* The rates that a CONNECT line has. */
struct rates {
	uint32_t first; /* the first number */
	uint32_t
		carrier; /* one that stands behind a modulation, or is said to be our direction's */
	bool modulation_is_last;
};

static void note_rate(struct rates *r, uint32_t rate, struct bytes behind)
{
	if (is_direction(behind, 'R'))
		return;
	if (is_direction(behind, 'T') || (r->modulation_is_last && !behind.length && r->first))
		r->carrier = rate;
	else if (!behind.length && !r->first)
		r->first = rate;
}

static bool is_believed(uint32_t rate, uint32_t dte_bps)
{
	return !dte_bps || rate <= dte_bps;
}

static void settle_rate(struct connect *c, const struct rates *r, uint32_t dte_bps)
{
	uint32_t rate = r->carrier ? r->carrier : r->first;

	if (!c->carrier_told)
		c->bps = is_believed(rate, dte_bps) ? rate : 0;
}

/* --- lines --- */

static void note_word(struct connect *c, struct bytes word, enum meaning meaning)
{
	if (meaning == MODULATION && !c->modulation[0])
		copy_word(c->modulation, word);
	else if (meaning == COMPRESSION && !c->compression[0])
		copy_word(c->compression, word);
	else if (meaning == BETTER_PROTOCOL || (meaning == PROTOCOL && !c->protocol[0]))
		copy_word(c->protocol, word);
}

/* What one call is told of; the first line of the next forgets it. */
static void begin(struct connect *c)
{
	if (c->connected)
		connect_init(c);
}

static void heed_connect(struct connect *c, struct bytes rest, uint32_t dte_bps)
{
	struct rates rates = {0};
	struct bytes word, behind;
	uint32_t rate;

	begin(c);
	c->connected = true;
	while (next_word(&rest, &word))
		if (read_number(word, &rate, &behind)) {
			note_rate(&rates, rate, behind);
			rates.modulation_is_last = false;
		} else {
			enum meaning meaning = meaning_of(word);
			note_word(c, word, meaning);
			rates.modulation_is_last = meaning == MODULATION;
		}
	settle_rate(c, &rates, dte_bps);
}

static void heed_carrier(struct connect *c, struct bytes rest, uint32_t dte_bps)
{
	struct bytes word, behind;
	uint32_t rate;

	begin(c);
	if (!next_word(&rest, &word) || !read_number(word, &rate, &behind))
		return;
	c->bps = is_believed(rate, dte_bps) ? rate : 0;
	c->carrier_told = c->bps != 0;
}

/* All that is left of the line: "CLASS 5". */
static void heed_text(struct connect *c, char to[static CONNECT_WORD_SIZE], struct bytes rest)
{
	while (rest.length && separates(rest.at[0]))
		rest = bytes_skip(rest, 1);
	begin(c);
	copy_word(to, rest);
}

/* --- which line it is --- */

static struct bytes trim(struct bytes line)
{
	while (line.length && line.at[0] <= ' ')
		line = bytes_skip(line, 1);
	while (line.length && line.at[line.length - 1] <= ' ')
		line.length--;
	return line;
}

/* Takes the word off the line's beginning, where it is one, and a colon behind it. */
static bool begins(struct bytes *line, const char *word)
{
	size_t n = strlen(word);

	if (line->length < n || memcmp(line->at, word, n) != 0)
		return false;
	struct bytes rest = bytes_skip(*line, n);
	if (rest.length && rest.at[0] == ':')
		rest = bytes_skip(rest, 1);
	else if (rest.length && !separates(rest.at[0]))
		return false;
	*line = rest;
	return true;
}

bool connect_heed(struct connect *c, struct bytes line, uint32_t dte_bps)
{
	line = trim(line);
	if (begins(&line, "CONNECT"))
		heed_connect(c, line, dte_bps);
	else if (begins(&line, "CARRIER") || begins(&line, "+MRR"))
		heed_carrier(c, line, dte_bps);
	else if (begins(&line, "MODULATION") || begins(&line, "+MCR"))
		heed_text(c, c->modulation, line);
	else if (begins(&line, "PROTOCOL") || begins(&line, "+ER"))
		heed_text(c, c->protocol, line);
	else if (begins(&line, "COMPRESSION") || begins(&line, "+DR"))
		heed_text(c, c->compression, line);
	else
		return false;
	return true;
}
