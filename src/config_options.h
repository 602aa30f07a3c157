/* SPDX-License-Identifier: MIT */
/*
 * Options as rows of tables. Each group of them is a file; config.c reads the
 * command line by all of them, and prints --help from them.
 */
#ifndef SRC_CONFIG_OPTIONS_H
#define SRC_CONFIG_OPTIONS_H

#include "src/config.h"
#include "src/config_settle.h"

#include <stddef.h>

enum { CONFIG_WHY_SIZE = 600 };

/* The command line while it is read. */
struct config_args {
	struct config *config;
	struct config_loose loose;
	bool done;                 /* --help or --version */
	char why[CONFIG_WHY_SIZE]; /* what is wrong, when something is */
};

struct option_row {
	const char *name;
	char letter;       /* or 0 */
	const char *value; /* NULL: takes none; "[=...]": may have one; else must */
	/* False when the value is wrong; args->why may then say more than `form` does. */
	bool (*take)(struct config_args *, const struct option_row *, const char *value);
	const char *help;
	const char *form;  /* what a right value is */
	size_t at;         /* for the plain ones below: where in struct config */
	uint64_t min, max; /* and what fits there */
};

struct option_group {
	const char *title;
	const struct option_row *rows;
	size_t count;
	bool ppp; /* of use only where a line may speak PPP */
};

extern const struct option_group config_interface_group, config_line_group, config_run_group;
extern const struct option_group config_ppp_group, config_multilink_group, config_auth_group,
	config_network_group, config_answer_group;

/* Prints --help. */
void config_help(void);

/* Takers of plain values, which go to row->at. */
bool config_take_true(struct config_args *, const struct option_row *, const char *value);
bool config_take_false(struct config_args *, const struct option_row *, const char *value);
bool config_take_u16(struct config_args *, const struct option_row *, const char *value);
bool config_take_unsigned(struct config_args *, const struct option_row *, const char *value);
bool config_take_time(struct config_args *, const struct option_row *, const char *value);
bool config_take_path(struct config_args *, const struct option_row *, const char *value);
bool config_take_file(struct config_args *, const struct option_row *,
		      const char *value); /* not "" */

/* Always false, so that a check can end with it. */
__attribute__((format(printf, 2, 3))) bool config_refuse(struct config_args *, const char *format,
							 ...);

/* Where a plain value goes. */
#define OPTION_IN(member) .at = offsetof(struct config, member)
/* Rows of options without a value, which make it true, or false. */
#define OPTION_ON(word, member, text)                                                              \
	{                                                                                          \
		.name = word, .take = config_take_true, OPTION_IN(member), .help = text            \
	}
#define OPTION_OFF(word, member, text)                                                             \
	{                                                                                          \
		.name = word, .take = config_take_false, OPTION_IN(member), .help = text           \
	}

#define OPTION_COUNT(table) (sizeof(table) / sizeof((table)[0]))

#endif
