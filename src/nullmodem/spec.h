/* SPDX-License-Identifier: MIT */
/*
 * A cable as the command line describes it: END,END[,key=value...]
 */
#ifndef NULLMODEM_SPEC_H
#define NULLMODEM_SPEC_H

#include "src/nullmodem/hayes.h"
#include "src/nullmodem/outage.h"
#include "src/nullmodem/telephone.h"
#include "src/nullmodem/wire.h"

enum { SPEC_NAME_SIZE = 32, SPEC_END_SIZE = 112, SPEC_RECORD_SIZE = 240 };

enum direction { AB, BA }; /* from end a to end b, and back */

struct modem_spec {
	bool present;
	bool described; /* keys are about this one alone */
	uint32_t dte;   /* speed of the terminal; 0: the port's */
	struct hayes_config hayes;
};

struct cable_spec {
	char name[SPEC_NAME_SIZE];
	char end[2][SPEC_END_SIZE]; /* as written: PATH or unix:PATH */
	struct wire_config wire[2]; /* by direction */
	struct modem_spec modem[2];
	struct telephone_config telephone; /* with a modem */
	struct timetable hangups;
	char record[SPEC_RECORD_SIZE]; /* file for what it carries; "": none */
};

/* What is wrong, for people: "bps=fast: not a number". */
struct spec_error {
	char text[192];
};

/* Parses one CABLE; `number` gives it its default name. */
bool spec_parse(struct cable_spec *, const char *text, unsigned number, struct spec_error *);
/* Changes one setting ("delay=250ms", "ab.bps=9600", "connect-text=9600") of what exists. */
bool spec_set(struct cable_spec *, const char *setting, struct spec_error *);
bool spec_has_modem(const struct cable_spec *); /* at either end */

#endif
