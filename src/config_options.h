/* SPDX-License-Identifier: MIT */
/*
 * Options as rows of tables. Each group of them is a file; config_args.c reads the
 * command line by all of them, config_file.c the [bundle] sections of files, config_write.c
 * writes such a section, and --help is printed from them.
 */
#ifndef SRC_CONFIG_OPTIONS_H
#define SRC_CONFIG_OPTIONS_H

#include "src/config.h"
#include "src/config_settle.h"
#include "src/config_voice.h"

#include <stddef.h>

/* What is to be done with what is read. */
enum config_task { TASK_RUN, TASK_DONE, TASK_CHECK, TASK_PRINT, TASK_IMPORT };

/* The command line, or a file, while it is read. */
struct config_args {
	struct config *config;
	struct config_loose loose;
	struct config_voice *voice;
	struct config_place place; /* of what is being read */
	enum config_task task;
	const char *import; /* TASK_IMPORT: what kind of file; */
	const char *source; /* and its name */
	char why[CONFIG_WHY_SIZE];
	struct config_names *names; /* of the files that places are in */
};

enum { OPTION_ALIASES = 3 };

struct option_row {
	const char *name;
	const char *aliases[OPTION_ALIASES]; /* what others call it; NULL behind the last */
	char letter;                         /* or 0 */
	const char *value; /* NULL: takes none; "[=...]": may have one; else must */
	/* False when the value is wrong; args->why may then say more than `form` does. */
	bool (*take)(struct config_args *, const struct option_row *, const char *value);
	/*
	 * The n-th value as take() would have it; false: there are no more. NULL: it is not
	 * written to files.
	 */
	bool (*give)(const struct config *, const struct option_row *, unsigned n,
		     char to[static CONFIG_TEXT_SIZE]);
	const char *help;
	const char *form;         /* what a right value is */
	size_t at;                /* for the plain ones below: where in struct config */
	uint64_t min, max;        /* and what fits there */
	const char *const *words; /* of those of `word`, by the enumerators' values; NULL ends */
	bool is_flag;             /* may have the value yes or no */
	bool repeats;             /* may be given again, and adds to what was given before */
	bool made_up;             /* when it is not given, so that a file has to say it */
	bool only_command;        /* makes no sense in a file */
	const char *rival;        /* the option that says the contrary */
};

struct option_group {
	const char *title;
	const struct option_row *rows;
	size_t count;
	bool ppp; /* of use only where a line may speak PPP */
};

extern const struct option_group config_interface_group, config_line_group, config_run_group;
extern const struct option_group config_ppp_group, config_multilink_group, config_auth_group,
	config_modes_group, config_shape_group, config_network_group, config_answer_group,
	config_control_group, config_hook_group, config_file_group;

/* What a program does that was told nothing. */
extern const struct config config_defaults;

/* Row number i of all groups, or NULL behind the last. */
const struct option_row *config_option_at(size_t i, const struct option_group **);
/* By its name or an alias, in which an underscore is a hyphen; NULL: there is none. */
const struct option_row *config_option_named(const char *name, const struct option_group **);
/* A name of the row: the i-th, its own first; NULL behind the last. */
const char *config_option_name(const struct option_row *, size_t i);
/* Why bonding's option of this name means nothing here, as a clause; NULL: it is none of them. */
const char *config_option_foreign(const char *name);
/* The name that `word` is most likely a slip of the pen for, or NULL. */
const char *config_option_near(const char *word);
/* Takes a value; false: it was said what is wrong with it. */
bool config_option_set(struct config_args *, const struct option_row *, const struct option_group *,
		       const char *value);

/* Reads options and LINEs; false: it was said what is wrong. */
bool config_args_read(struct config_args *, int argc, char *argv[]);
/* Reads a file and all that it includes. What `commanded` has is only checked. False likewise. */
bool config_file_read(struct config_args *, const struct config_args *commanded, const char *path);
/* Ends the life of all places in it. */
void config_file_forget(struct config_args *);

/* Prints --help. */
void config_help(void);

/* Takers and givers of plain values, which go to row->at. */
#define OPTION_FUNCTIONS(kind)                                                                     \
	bool config_take_##kind(struct config_args *, const struct option_row *,                   \
				const char *value);                                                \
	bool config_give_##kind(const struct config *, const struct option_row *, unsigned n,      \
				char to[static CONFIG_TEXT_SIZE])
OPTION_FUNCTIONS(true);
OPTION_FUNCTIONS(false);
OPTION_FUNCTIONS(u16);
OPTION_FUNCTIONS(unsigned);
OPTION_FUNCTIONS(bytes);
OPTION_FUNCTIONS(time);
OPTION_FUNCTIONS(ms);
OPTION_FUNCTIONS(word);
OPTION_FUNCTIONS(shape);
OPTION_FUNCTIONS(path);
bool config_take_file(struct config_args *, const struct option_row *,
		      const char *value); /* a path, and not "" */
/* For the values of flags: NULL, yes or no. */
bool config_flag_value(const char *value, bool *yes);

/* Always false, so that a check can end with it. */
__attribute__((format(printf, 2, 3))) bool config_refuse(struct config_args *, const char *format,
							 ...);

/* Where a plain value goes. */
#define OPTION_IN(member) .at = offsetof(struct config, member)
#define OPTION_PLAIN(kind, member)                                                                 \
	.take = config_take_##kind, .give = config_give_##kind, OPTION_IN(member)
/* Rows of options without a value, which make it true, or false. */
#define OPTION_ON(word, member, text)                                                              \
	{                                                                                          \
		.name = word, OPTION_PLAIN(true, member), .help = text, .is_flag = true            \
	}
#define OPTION_OFF(word, member, text)                                                             \
	{                                                                                          \
		.name = word, OPTION_PLAIN(false, member), .help = text, .is_flag = true           \
	}

#define OPTION_COUNT(table) (sizeof(table) / sizeof((table)[0]))

#endif
