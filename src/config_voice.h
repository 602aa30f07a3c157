/* SPDX-License-Identifier: MIT */
/* What is wrong with a configuration, told to whoever asked for it to be read. */
#ifndef SRC_CONFIG_VOICE_H
#define SRC_CONFIG_VOICE_H

#include "src/config.h"

#include <stdarg.h>

enum { CONFIG_WHY_SIZE = 1024 };

/* Where something was said: a file NULL is the command line, a line 0 a file as a whole. */
struct config_place {
	const char *file;
	unsigned line;
};

struct config_voice {
	config_listener *listener;
	void *context;
	unsigned errors;
};

/* Always false, so that a check can end with it. */
__attribute__((format(printf, 3, 4))) bool
config_complain(struct config_voice *, struct config_place, const char *format, ...);
/* The same, of something that has a name, which comes first. */
__attribute__((format(printf, 4, 0))) bool config_complain_of(struct config_voice *,
							      struct config_place, const char *name,
							      const char *format, va_list);
/* What is no error, but may be a surprise. */
__attribute__((format(printf, 2, 3))) void config_remark(struct config_voice *, const char *format,
							 ...);

#endif
