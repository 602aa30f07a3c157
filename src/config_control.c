/* SPDX-License-Identifier: MIT */
/*
 * Options on who may look in and change things, on the programs that are run when something
 * happened, and on what is recorded.
 */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_value.h"

#include <assert.h>
#include <string.h>

static bool take_group(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row;
	return value_take_text(args->config->control_group, CONFIG_NAME_SIZE, value) &&
	       !strpbrk(value, ": ");
}

#define A_FILE    "a file name of at most 255 characters"
#define A_PROGRAM "the name of a program, at most 255 characters"
static_assert(CONFIG_DEVICE_SIZE == 256, "A_FILE and A_PROGRAM say so");
static_assert(CONFIG_NAME_SIZE == 32, "--control-group's form says so");
static_assert(CONFIG_MAX_LINES == 64, "--max-lines' form says so");

static const struct option_row control_rows[] = {
	{.name = "control",
	 .value = " SOCKET",
	 OPTION_PLAIN(path, control),
	 .help = "where serialbundlectl reaches us; '' for none",
	 .form = A_FILE},
	{.name = "control-group",
	 .value = " GROUP",
	 .take = take_group,
	 .give = config_give_path,
	 OPTION_IN(control_group),
	 .help = "who may change things, besides us and root",
	 .form = "the name of a group, at most 31 characters"},
	{.name = "max-lines",
	 .value = " N",
	 OPTION_PLAIN(unsigned, max_lines),
	 .min = 1,
	 .max = CONFIG_MAX_LINES,
	 .help = "how many lines there may be (64)",
	 .form = "a number from 1 to 64"},
	{.name = "min-lines",
	 .value = " N",
	 OPTION_PLAIN(unsigned, min_lines),
	 .min = 1,
	 .max = CONFIG_MAX_LINES,
	 .help = "with fewer up the interface has no carrier (1)",
	 .form = "a number from 1 to 64"},
	{.name = "capture-bytes",
	 .value = " N",
	 OPTION_PLAIN(bytes, capture_bytes),
	 .min = 4096,
	 .max = UINT64_C(1000000000000),
	 .help = "begin a new capture file after so many; 0: never",
	 .form = "a number of bytes, 4096 to 1000G, or 0"},
	{.name = "capture-files",
	 .value = " N",
	 OPTION_PLAIN(unsigned, capture_files),
	 .min = 1,
	 .max = 1000,
	 .help = "how many of each are kept (4)",
	 .form = "a number from 1 to 1000"},
};

#define HOOK(word, member, text)                                                                   \
	{                                                                                          \
		.name = word, .value = " PROGRAM", .take = config_take_path,                       \
		.give = config_give_path, OPTION_IN(member), .help = text, .form = A_PROGRAM       \
	}

static const struct option_row hook_rows[] = {
	HOOK("ip-up", ip_up, "when packets can pass"),
	HOOK("ip-down", ip_down, "when they no longer can"),
	HOOK("line-up", line_up, "when a line joined a bundle"),
	HOOK("line-down", line_down, "when it left it"),
	{.name = "hook-timeout",
	 .value = " TIME",
	 OPTION_PLAIN(time, hook_timeout),
	 .min = SB_SEC,
	 .max = 3600 * (uint64_t)SB_SEC,
	 .help = "such a program is ended after it (30s)",
	 .form = "a time from 1s to 1h (30s, 5min)"},
};

const struct option_group config_control_group = {
	.title = "Control", .rows = control_rows, .count = OPTION_COUNT(control_rows)};
const struct option_group config_hook_group = {
	.title = "Programs run", .rows = hook_rows, .count = OPTION_COUNT(hook_rows)};
