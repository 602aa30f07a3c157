/* SPDX-License-Identifier: MIT */
/*
 * One LINE of the command line, DEVICE[:BPS[@BAUD]][,key=value...], or one [line NAME] of the file.
 */
#ifndef SRC_CONFIG_LINE_H
#define SRC_CONFIG_LINE_H

#include "src/config.h"

/*
 * The line's encap stays NULL when no word names one. False: why says which device,
 * and what is wrong with it.
 */
bool config_line_parse(struct line_config *, const char *text, char *why, size_t why_size);
/* The same key by key, as a file has them. False: why says what is wrong, without the line's name.
 */
struct line_reading {
	struct line_config *line;
	uint64_t given; /* bit k: config_key_at(k) */
	bool in_file;
	char *why;
	size_t why_size;
};
void config_line_begin(struct line_reading *, struct line_config *, char *why, size_t why_size);
bool config_line_set(struct line_reading *, const char *key, const char *value);
/* All is said: fills in what follows from it. */
bool config_line_end(struct line_reading *);

/* Whether a line cannot be though its keys are each right: why, a sentence without full stop. */
bool config_line_contradicts(const struct line_config *, char *why, size_t why_size);

/* By its name; NULL: not in this build. */
const struct encap_kind *config_encapsulation(const char *name);
/* The encapsulations of this build, separated by spaces, for --version. */
void config_encapsulations(char *to, size_t size);
/* "8N1", "8E2". */
void config_line_format(const struct line_config *, char to[static 4]);

#endif
