/* SPDX-License-Identifier: MIT */
/* Other programs' files, as files of ours that say the same. */
#ifndef SRC_CONFIG_IMPORT_H
#define SRC_CONFIG_IMPORT_H

#include "src/config_options.h"

#include <stdio.h>

/* Whether there is one for that kind of file; and all kinds, for messages. */
bool config_import_knows(const char *kind);
#define CONFIG_IMPORT_KINDS "runslip, ifupdown or sqm"

/* What args->import and args->source name. False: it was said what is wrong. */
bool config_import(const struct config_args *, FILE *to);
/* The first two kinds of file have a word and what follows it on each line. NULL: none, or a
 * comment. */
char *import_split(char *line, char **value);
/* The comment at the top of what was made. */
void config_write_origin(FILE *, const char *name, const char *kind);
/* Each kind, from a stream; `name` is the file's, for messages. */
bool import_runslip(FILE *from, const char *name, struct config_voice *, FILE *to);
bool import_ifupdown(FILE *from, const char *name, struct config_voice *, FILE *to);
bool import_sqm(FILE *from, const char *name, struct config_voice *, FILE *to);

#endif
