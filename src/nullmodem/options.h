/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef NULLMODEM_OPTIONS_H
#define NULLMODEM_OPTIONS_H

#include "src/nullmodem/spec.h"

enum { OPTIONS_MAX_CABLES = 128 };

/* Exit statuses, as nullmodem(1) documents them. */
enum { EXIT_FINE = 0, EXIT_USAGE = 2, EXIT_FAILED = 7 };

struct options {
	struct cable_spec cables[OPTIONS_MAX_CABLES];
	unsigned cable_count;
	struct phone_book book;
	uint64_t seed;
	const char *report; /* file or "-"; NULL: none */
	const char *json;
	const char *control;
	const char *ready;
	sb_time duration; /* SB_NEVER: until a signal */
	bool realtime;
	bool quiet;
};

enum options_outcome {
	OPTIONS_RUN,
	OPTIONS_DONE,  /* --help or --version was answered */
	OPTIONS_WRONG, /* said on stderr what is wrong */
};

/* Strings point into argv. */
enum options_outcome options_parse(struct options *, int argc, char *argv[]);

#endif
