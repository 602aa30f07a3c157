/* SPDX-License-Identifier: MIT */
/*
 * The chat scripts of a line with a modem: read from its file, or built of its words.
 */
#ifndef SRC_LINE_SCRIPTS_H
#define SRC_LINE_SCRIPTS_H

#include "src/config.h"
#include "src/modem/script.h"

/* Each may be NULL: there is none. */
struct line_scripts {
	struct chat_script *init, *answer, *call[CONFIG_NUMBERS];
	unsigned calls; /* 0: it waits for calls */
};

/*
 * As the files are now. False, and nothing to free: why, as a sentence without full stop that
 * names the file and its line.
 */
bool line_scripts_read(struct line_scripts *, const struct modem_config *, char *why, size_t size);
void line_scripts_free(struct line_scripts *);

#endif
