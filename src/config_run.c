/* SPDX-License-Identifier: MIT */
/*
 * Options on the run of the program, and on what it is to do instead.
 */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_import.h"
#include "src/config_line.h"
#include "src/config_value.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { VERBOSITY_PLAIN = 1, VERBOSITY_MAX = 2 };

static bool take_capture(struct config_args *args, const struct option_row *row, const char *value)
{
	const char *slash = strrchr(value, '/');
	const char *base = slash ? slash + 1 : value;
	return *base && strcmp(value, "-") != 0 && config_take_path(args, row, value);
}

static bool take_louder(struct config_args *args, const struct option_row *row, const char *value)
{
	bool yes;
	unsigned *verbosity = &args->config->verbosity;
	(void)row;
	if (!config_flag_value(value, &yes))
		return false;
	if (!yes)
		*verbosity = VERBOSITY_PLAIN;
	else if (*verbosity < VERBOSITY_MAX)
		++*verbosity;
	return true;
}

static bool give_louder(const struct config *c, const struct option_row *row, unsigned n,
			char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	value_give_yes(c->verbosity > VERBOSITY_PLAIN, to);
	return n == 0;
}

static bool take_quiet(struct config_args *args, const struct option_row *row, const char *value)
{
	bool yes;
	(void)row;
	if (!config_flag_value(value, &yes))
		return false;
	args->config->verbosity = yes ? 0 : VERBOSITY_PLAIN;
	return true;
}

static bool give_quiet(const struct config *c, const struct option_row *row, unsigned n,
		       char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	value_give_yes(c->verbosity == 0, to);
	return n == 0;
}

static bool take_check(struct config_args *args, const struct option_row *row, const char *value)
{
	args->task = TASK_CHECK;
	return config_take_file(args, row, value);
}

static bool take_print(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	args->task = TASK_PRINT;
	return true;
}

static bool take_import(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row;
	args->task = TASK_IMPORT;
	args->import = value;
	return config_import_knows(value);
}

/* Names of lines, separated by commas. */
static bool take_lines(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row;
	if (strcmp(value, "all") != 0)
		return value_take_text(args->loose.chosen, sizeof(args->loose.chosen), value);
	args->loose.chosen[0] = '\0';
	return true;
}

static bool take_version(struct config_args *args, const struct option_row *row, const char *value)
{
	char list[64];
	(void)row, (void)value;
	config_encapsulations(list, sizeof(list));
	printf("serialbundle " SERIALBUNDLE_VERSION "\n"
	       "encapsulations: %s\n"
	       "ports: libserialport termios exec tcp usb\n"
	       "features: tun ipv4 ipv6 multilink pap chap answer modem config control hooks "
	       "capture notify modes shaping\n",
	       list);
	args->task = TASK_DONE;
	return true;
}

static bool take_help(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	config_help();
	args->task = TASK_DONE;
	return true;
}

#define A_FILE "a file name of at most 255 characters"
static_assert(CONFIG_DEVICE_SIZE == 256, "A_FILE and --lock-dir's form say so");

static const struct option_row run_rows[] = {
	OPTION_ON("realtime", realtime, "run with real-time priority, for exact timing"),
	{.name = "capture",
	 .value = " FILE",
	 .take = take_capture,
	 .give = config_give_path,
	 OPTION_IN(capture),
	 .help = "write all packets to FILE, and to one per line",
	 .form = "a file name (not -, since each line gets a file beside it)"},
	{.name = "lock-dir",
	 .value = " DIR",
	 OPTION_PLAIN(path, lock_dir),
	 .help = "where lock files go (/run/lock); '' for none",
	 .form = "a directory of at most 255 characters"},
	{.name = "verbose",
	 .letter = 'v',
	 .take = take_louder,
	 .give = give_louder,
	 .is_flag = true,
	 .help = "say more"},
	{.name = "quiet",
	 .letter = 'q',
	 .take = take_quiet,
	 .give = give_quiet,
	 .is_flag = true,
	 .help = "say only what went wrong"},
	{.name = "dry-run",
	 .take = config_take_true,
	 OPTION_IN(dry_run),
	 .is_flag = true,
	 .only_command = true,
	 .help = "say what would be done, and exit"},
	{.name = "version",
	 .take = take_version,
	 .only_command = true,
	 .help = "print version and features, and exit"},
	{.name = "help",
	 .letter = 'h',
	 .take = take_help,
	 .only_command = true,
	 .help = "print this, and exit"},
};

static const struct option_row file_rows[] = {
	{.name = "config",
	 .letter = 'c',
	 .value = " FILE",
	 .take = config_take_file,
	 OPTION_IN(file),
	 .only_command = true,
	 .help = "read options and lines from FILE",
	 .form = A_FILE},
	{.name = "lines",
	 .value = " all|NAME,...",
	 .take = take_lines,
	 .help = "which of the file's lines there are (all)",
	 .form = "all, or names separated by commas"},
	{.name = "check",
	 .value = " FILE",
	 .take = take_check,
	 OPTION_IN(file),
	 .only_command = true,
	 .help = "say what is wrong in FILE, and exit",
	 .form = A_FILE},
	{.name = "print-config",
	 .take = take_print,
	 .only_command = true,
	 .help = "print a file that says all this, and exit"},
	{.name = "import",
	 .value = " KIND FILE",
	 .take = take_import,
	 .only_command = true,
	 .help = "print a runslip, ifupdown or sqm FILE as ours",
	 .form = CONFIG_IMPORT_KINDS},
};

const struct option_group config_file_group = {
	.title = "Configuration file", .rows = file_rows, .count = OPTION_COUNT(file_rows)};
const struct option_group config_run_group = {
	.title = "Run", .rows = run_rows, .count = OPTION_COUNT(run_rows)};
