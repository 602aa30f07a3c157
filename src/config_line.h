/* SPDX-License-Identifier: MIT */
/*
 * One LINE of the command line: DEVICE[:BPS[@BAUD]][,key=value...].
 */
#ifndef SRC_CONFIG_LINE_H
#define SRC_CONFIG_LINE_H

#include "src/config.h"

/*
 * The line's encap stays NULL when no word names one. False: why says which device,
 * and what is wrong with it.
 */
bool config_line_parse(struct line_config *, const char *text, char *why, size_t why_size);

/* By its name; NULL: not in this build. */
const struct encap_kind *config_encapsulation(const char *name);
/* The encapsulations of this build, separated by spaces, for --version. */
void config_encapsulations(char *to, size_t size);
/* "8N1", "8E2". */
void config_line_format(const struct line_config *, char to[static 4]);

#endif
