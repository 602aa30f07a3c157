/* SPDX-License-Identifier: MIT */
/*
 * What a function prints: stdout or stderr led into a file for a while. Check
 * runs each test in a process of its own, so nothing else prints meanwhile.
 */
#ifndef TESTS_UNIT_OUTPUT_TESTING_H
#define TESTS_UNIT_OUTPUT_TESTING_H

#include <check.h>
#include <stdio.h>
#include <unistd.h>

struct output {
	int fd, saved;
	FILE *file;
};

static inline struct output output_begin(int fd)
{
	struct output o = {.fd = fd, .saved = dup(fd), .file = tmpfile()};
	fflush(stdout);
	ck_assert(o.saved >= 0 && o.file);
	ck_assert_int_eq(dup2(fileno(o.file), fd), fd);
	return o;
}

/* Ends it; what was printed, cut to size - 1 bytes. */
static inline void output_end(struct output *o, char *text, size_t size)
{
	fflush(stdout);
	ck_assert_int_eq(dup2(o->saved, o->fd), o->fd);
	close(o->saved);
	rewind(o->file);
	text[fread(text, 1, size - 1, o->file)] = '\0';
	fclose(o->file);
}

#endif
