/* SPDX-License-Identifier: MIT */
/* The phone book: a list, as it is short. */
#include "src/nullmodem/phone_book.h"

#include <string.h>

static const struct {
	const char *word;
	enum phone_outcome outcome;
} outcomes[] = {
	{"answers", PHONE_ANSWERS},         {"busy", PHONE_BUSY},
	{"no-answer", PHONE_NO_ANSWER},     {"no-carrier", PHONE_NO_CARRIER},
	{"no-dialtone", PHONE_NO_DIALTONE},
};

bool phone_is_number(const char *text)
{
	size_t length = strlen(text);
	return length > 0 && length < PHONE_NUMBER_SIZE &&
	       strspn(text, "0123456789*#ABCD") == length;
}

static const char *parse(struct phone_entry *e, const char *text)
{
	const char *equals = strchr(text, '=');
	if (!equals || (size_t)(equals - text) >= sizeof e->number)
		return "not NUMBER=OUTCOME";
	memcpy(e->number, text, (size_t)(equals - text));
	e->number[equals - text] = '\0';
	if (!phone_is_number(e->number))
		return "not a telephone number";
	for (unsigned i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
		if (strcmp(equals + 1, outcomes[i].word) != 0)
			continue;
		e->outcome = outcomes[i].outcome;
		return NULL;
	}
	return "not one of answers, busy, no-answer, no-carrier, no-dialtone";
}

const char *phone_book_add(struct phone_book *b, const char *text)
{
	struct phone_entry new;
	const char *why = parse(&new, text);
	if (why)
		return why;
	unsigned i = 0;
	while (i < b->count && strcmp(b->entries[i].number, new.number) != 0)
		i++;
	if (i == PHONE_BOOK_MAX)
		return "too many numbers";
	b->entries[i] = new;
	b->count += i == b->count;
	return NULL;
}

enum phone_outcome phone_book_find(const struct phone_book *b, const char *number)
{
	for (unsigned i = 0; i < b->count; i++)
		if (strcmp(b->entries[i].number, number) == 0)
			return b->entries[i].outcome;
	return PHONE_ANSWERS;
}
