/* SPDX-License-Identifier: MIT */
/* What happens when a number is called. Numbers that are not in it reach the far end. */
#ifndef NULLMODEM_PHONE_BOOK_H
#define NULLMODEM_PHONE_BOOK_H

#include <stdbool.h>

enum { PHONE_NUMBER_SIZE = 32, PHONE_BOOK_MAX = 64 };

enum phone_outcome {
	PHONE_ANSWERS, /* it is the far end's */
	PHONE_BUSY,
	PHONE_NO_ANSWER,  /* rings for ever */
	PHONE_NO_CARRIER, /* somebody answers who is no modem */
	PHONE_NO_DIALTONE,
};

struct phone_book {
	struct phone_entry {
		char number[PHONE_NUMBER_SIZE];
		enum phone_outcome outcome;
	} entries[PHONE_BOOK_MAX];
	unsigned count;
};

/* "5551234=busy", in place of what was known of that number. NULL, or what is wrong. */
const char *phone_book_add(struct phone_book *, const char *text);
enum phone_outcome phone_book_find(const struct phone_book *, const char *number);
/* Whether the text is 1 to PHONE_NUMBER_SIZE - 1 characters that can be dialled. */
bool phone_is_number(const char *text);

#endif
