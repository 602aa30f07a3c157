/* SPDX-License-Identifier: MIT */
/*
 * A dialler for its tests: the test is the modem and the clock. What happened is a text, one word
 * or so for each event and what was sent in quotes, which is compared as a whole.
 */
#ifndef TESTS_UNIT_DIALLER_TESTING_H
#define TESTS_UNIT_DIALLER_TESTING_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/modem/dialler.h"

static struct dialler_config config;
static struct dialler *dialler;
static sb_time now;
static uint32_t chance; /* what random() answers */
static char happened[4096];
static size_t happened_length;
static struct connect connected; /* as told last */
static struct chat_script *scripts[16];
static unsigned script_count;

static inline void note(const char *before, const char *text)
{
	int n = snprintf(happened + happened_length, sizeof happened - happened_length, "%s%s%s",
			 happened_length ? " " : "", before, text);

	ck_assert_int_lt(happened_length + (size_t)n, sizeof happened);
	happened_length += (size_t)n;
}

static inline void note_event(const struct dialler_event *e)
{
	char text[64];

	switch (e->kind) {
	case DIALLER_CONNECTED:
		connected = e->connect;
		note("connected", "");
		break;
	case DIALLER_FAILED:
		note("failed: ", dialler_reason_text(e->reason));
		break;
	case DIALLER_NO_MORE:
		note("over: ", dialler_reason_text(e->reason));
		break;
	case DIALLER_IS_IDLE:
		snprintf(text, sizeof text, "%.1f", (double)e->retry_in / (double)SB_SEC);
		note("idle ", text);
		break;
	case DIALLER_RINGS:
		note("rings", e->text);
		break;
	case DIALLER_DTR:
		note(e->on ? "DTR on" : "DTR off", "");
		break;
	case DIALLER_BREAK:
		note("break", "");
		break;
	case DIALLER_FILE:
		note("file ", e->text);
		break;
	}
}

/* "ATZ\r" as "ATZ." */
static inline void note_sent(struct bytes sent)
{
	char text[300] = "'";
	size_t n = 1;

	for (size_t i = 0; i < sent.length && n < sizeof text - 2; i++)
		text[n++] = sent.at[i] >= ' ' ? (char)sent.at[i] : '.';
	text[n] = '\'';
	text[n + 1] = '\0';
	note(text, "");
}

/* Asks it for all there is. */
static inline void drain(void)
{
	uint8_t memory[1024];
	struct buf out = buf_over(memory, sizeof memory);
	struct dialler_event e;

	do {
		while (dialler_event(dialler, &e))
			note_event(&e);
		while (dialler_said(dialler))
			;
	} while (dialler_output(dialler, now, &out));
	while (dialler_event(dialler, &e))
		note_event(&e);
	if (out.length)
		note_sent(buf_bytes(&out));
}

/* From deadline to deadline. */
static inline void pass(sb_time duration)
{
	sb_time end = now + duration;

	while (dialler_deadline(dialler) <= end) {
		now = sb_time_max(now, dialler_deadline(dialler));
		dialler_tick(dialler, now);
		drain();
		ck_assert_int_gt(dialler_deadline(dialler), now);
	}
	now = end;
}

static inline void says_bytes(struct bytes in)
{
	dialler_input(dialler, now, in);
	drain();
}

static inline void says(const char *text)
{
	says_bytes(bytes_of(text, strlen(text)));
}

static inline void modem_lines(bool dcd, bool ri)
{
	dialler_modem_lines(dialler, now, dcd, ri);
	drain();
}

/* What happened since it was last asked. */
static inline const char *what_happened(void)
{
	static char text[sizeof happened];

	memcpy(text, happened, happened_length);
	text[happened_length] = '\0';
	happened_length = 0;
	return text;
}

static inline void assert_happened(const char *expected)
{
	ck_assert_str_eq(what_happened(), expected);
}

static inline const struct chat_script *script_of(const char *text)
{
	struct chat_script_error error;
	struct chat_script *s = chat_script_parse(bytes_of(text, strlen(text)),
						  &(struct chat_script_options){0}, &error);

	ck_assert_msg(s != NULL, "%s", error.text);
	scripts[script_count++] = s;
	return s;
}

static inline uint32_t random_of_test(void *context)
{
	(void)context;
	return chance;
}

static inline void set_up(void)
{
	now = 1000 * SB_SEC;
	chance = UINT32_MAX / 2;
	happened_length = 0;
	config = (struct dialler_config){
		.init = script_of("ABORT ERROR TIMEOUT 3 '' ATZ OK"),
		.script = {script_of("ABORT BUSY ABORT 'NO CARRIER' ABORT 'NO DIALTONE' "
				     "ABORT 'NO ANSWER' ABORT ERROR '' ATDT1 CONNECT")},
		.number = {"1"},
		.scripts = 1,
		.dte_bps = 38400,
		.dial_timeout = 60 * SB_SEC,
		.redial = 5 * SB_SEC,
		.redial_longest = 300 * SB_SEC,
		.random = random_of_test,
	};
}

static inline void tear_down(void)
{
	dialler_free(dialler);
	dialler = NULL;
	while (script_count)
		chat_script_free(scripts[--script_count]);
}

static inline void create(void)
{
	dialler = dialler_new(&config);
	ck_assert_ptr_nonnull(dialler);
}

static inline void start(bool has_dtr)
{
	dialler_start(dialler, now, has_dtr);
	drain();
	pass(200 * SB_MS);
}

/* Dialled; the modem has echoed nothing and said nothing yet. */
static inline void dial(bool has_dtr)
{
	start(has_dtr);
	says("\r\nOK\r\n");
	what_happened();
}

static inline void connect_now(bool has_dtr)
{
	dial(has_dtr);
	says("\r\nCONNECT 28800\r\n");
	assert_happened("connected");
}

static inline void hang_up(enum dialler_reason reason)
{
	dialler_hang_up(dialler, now, now, reason);
	drain();
}

static inline TCase *new_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	suite_add_tcase(suite, tcase);
	return tcase;
}

static inline int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}

#endif
