/* SPDX-License-Identifier: MIT */
/* The keys of a cable that are about modems and the telephone; only for spec.c. */
#ifndef NULLMODEM_SPEC_MODEM_H
#define NULLMODEM_SPEC_MODEM_H

#include "src/nullmodem/spec.h"

enum spec_outcome { SPEC_SET, SPEC_BAD, SPEC_OTHER };

void spec_modem_defaults(struct cable_spec *);
/* SPEC_BAD: *why says what is wrong with the value. SPEC_OTHER: it is no such key. */
enum spec_outcome spec_modem_set(struct cable_spec *, const char *name, const char *value,
				 const char **why);
/* NULL, or what is wrong with all of them together. */
const char *spec_modem_check(const struct cable_spec *);

#endif
