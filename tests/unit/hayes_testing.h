/* SPDX-License-Identifier: MIT */
/* Somebody at a terminal with a modem, and a clock of their own. */
#ifndef HAYES_TESTING_H
#define HAYES_TESTING_H

#include <check.h>
#include <stdlib.h>

#include "src/nullmodem/hayes.h"

struct desk {
	struct hayes_config config;
	struct hayes *modem;
	sb_time now;
	char said[HAYES_OUTPUT_MAX + 1];
};

static inline void desk_open(struct desk *d)
{
	d->now = 5 * SB_SEC;
	d->modem = hayes_new(&d->config, 1);
	ck_assert_ptr_nonnull(d->modem);
	hayes_dtr(d->modem, d->now, true);
}

static inline void desk_close(struct desk *d)
{
	hayes_free(d->modem);
}

static inline void type_bytes(struct desk *d, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		ck_assert(!hayes_is_online(d->modem));
		hayes_type(d->modem, d->now, (uint8_t)text[i]);
	}
}

static inline void type(struct desk *d, const char *text)
{
	type_bytes(d, text, strlen(text));
}

/* What it has said since this was asked before, the carriage returns left out. */
static inline const char *said(struct desk *d)
{
	uint8_t bytes[HAYES_OUTPUT_MAX];
	struct buf out = buf_over(bytes, sizeof bytes);
	while (hayes_output(d->modem, &out))
		;
	ck_assert(!out.overflow);
	size_t n = 0;
	for (size_t i = 0; i < out.length; i++)
		if (bytes[i] != '\r')
			d->said[n++] = (char)bytes[i];
	d->said[n] = '\0';
	return d->said;
}

#define ck_says(desk, text) ck_assert_str_eq(said(desk), text)

/* A line without its echo, and the answer. */
#define ck_answers(desk, line, text)                                                               \
	do {                                                                                       \
		type(desk, line "\r");                                                             \
		ck_says(desk, text);                                                               \
	} while (0)

/* Lets time pass, and wakes the modem whenever it asked for that. */
static inline void wait_for(struct desk *d, sb_time duration)
{
	sb_time end = d->now + duration;
	while (hayes_deadline(d->modem) <= end) {
		d->now = sb_time_max(d->now, hayes_deadline(d->modem));
		hayes_tick(d->modem, d->now);
		ck_assert(hayes_deadline(d->modem) > d->now);
	}
	d->now = end;
}

/* The next event is of this kind; its number. */
static inline const char *event_number(struct desk *d, int kind)
{
	static struct hayes_event e;
	ck_assert(hayes_event(d->modem, &e));
	ck_assert_int_eq((int)e.kind, kind);
	return e.number;
}

static inline void no_event(struct desk *d)
{
	struct hayes_event e;
	ck_assert(!hayes_event(d->modem, &e));
}

/* Dials, with echo off, and is waiting for a carrier. */
static inline void call(struct desk *d)
{
	type(d, "ATE0DT5551234\r");
	wait_for(d, 2 * SB_SEC);
	ck_assert_str_eq(event_number(d, HAYES_DIALS), "5551234");
	said(d);
}

static inline void go_online(struct desk *d)
{
	call(d);
	hayes_carrier(d->modem, d->now, 28800);
	ck_assert(hayes_is_online(d->modem));
	said(d);
}

static inline void pass(struct desk *d, const char *text)
{
	hayes_passes(d->modem, d->now, bytes_of(text, strlen(text)));
}

static inline void escape(struct desk *d)
{
	wait_for(d, SB_SEC);
	pass(d, "+++");
	wait_for(d, SB_SEC);
	ck_assert(!hayes_is_online(d->modem));
	ck_says(d, "\nOK\n");
}

#endif
