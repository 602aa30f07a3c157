/* SPDX-License-Identifier: MIT */
/*
 * Runs of the command line's reader, with what they print. Include it first:
 * it asks the C library for what config.h needs.
 */
#ifndef TESTS_UNIT_CONFIG_TESTING_H
#define TESTS_UNIT_CONFIG_TESTING_H

#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "src/config.h"

#include "tests/unit/output_testing.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

enum { MAX_WORDS = 80, TEXT_SIZE = 8192 };

static struct config config;
static char out[TEXT_SIZE], err[TEXT_SIZE];

/* Runs with these words (of the last: NULL); what was printed is in out and err. */
static inline enum config_outcome run_words(const char *const words[])
{
	static char copies[MAX_WORDS][1024];
	char *argv[MAX_WORDS + 1] = {0};
	int argc = 0;
	for (; words[argc]; argc++) {
		ck_assert(argc < MAX_WORDS && strlen(words[argc]) < sizeof(copies[0]));
		argv[argc] = strcpy(copies[argc], words[argc]);
	}
	struct output o = output_begin(STDOUT_FILENO), e = output_begin(STDERR_FILENO);
	enum config_outcome outcome = config_from_args(&config, argc, argv);
	output_end(&e, err, sizeof(err));
	output_end(&o, out, sizeof(out));
	return outcome;
}

#define RUN(...) run_words((const char *const[]){"serialbundle", __VA_ARGS__, NULL})

/* The plan of the last run, in out. */
static inline void print_plan(void)
{
	struct output o = output_begin(STDOUT_FILENO);
	config_print(&config);
	output_end(&o, out, sizeof(out));
}

#define ck_assert_has(text, part)                                                                  \
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in \"%s\"", part, text)

#endif
