/* SPDX-License-Identifier: MIT */
/*
 * The command line.
 *
 * Tables hold every option: its name, what it takes, what a right value looks
 * like and what --help says of it (config_options.h). One loop reads the arguments
 * by them; then a row of checks settles what depends on several of them.
 */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_line.h"
#include "src/text.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	OPTION_BASE = 256, /* getopt's values for rows without a letter */
	OPTION_MAX = CONFIG_MAX_GIVEN,
};

static const struct option_group *const groups[] = {
	&config_line_group,      &config_interface_group, &config_answer_group, &config_ppp_group,
	&config_multilink_group, &config_network_group,   &config_auth_group,   &config_run_group,
};

static void complain(const char *label, char *text)
{
	text_clean(text);
	fprintf(stderr, "serialbundle: %s%s\n", label, text);
}

/* --- all rows --------------------------------------------------------------------------------- */

/* Row number i of all groups, or NULL behind the last. */
static const struct option_row *row_at(size_t i, const struct option_group **group)
{
	for (size_t g = 0; g < OPTION_COUNT(groups); g++) {
		*group = groups[g];
		if (i < groups[g]->count)
			return &groups[g]->rows[i];
		i -= groups[g]->count;
	}
	return NULL;
}

static void print_row(const struct option_row *o)
{
	char left[40], letter[] = {'-', o->letter, ',', '\0'};
	snprintf(left, sizeof(left), "%3s --%s%s", o->letter ? letter : "", o->name,
		 o->value ? o->value : "");
	printf("  %-28s %s\n", left, o->help);
}

void config_help(void)
{
	printf("usage: serialbundle [options] DEVICE:BPS[@BAUD][,key=value...]...\n"
	       "One IP interface over several serial lines.\n\n"
	       "  BPS is what the line carries, BAUD the port's speed (28800, 57.6k, 1M)\n"
	       "  keys: bps= baud= bits= parity= stop= flow= delay= name= bundle=, see\n"
	       "  serialbundle(8); words: slip ppp\n");
	for (size_t g = 0; g < OPTION_COUNT(groups); g++) {
		printf("\n%s\n", groups[g]->title);
		for (size_t i = 0; i < groups[g]->count; i++)
			print_row(&groups[g]->rows[i]);
	}
}

/* --- reading ---------------------------------------------------------------------------------- */

struct getopt_tables {
	struct option longs[OPTION_MAX + 1];
	char shorts[OPTION_MAX + 2];
};

static int how_it_takes(const struct option_row *row)
{
	return !row->value          ? no_argument
	       : *row->value == '[' ? optional_argument
				    : required_argument;
}

static struct getopt_tables make_tables(void)
{
	struct getopt_tables t = {.shorts = ":"};
	const struct option_group *group;
	const struct option_row *row;
	for (size_t i = 0, at = 1; (row = row_at(i, &group)); i++) {
		assert(i < OPTION_MAX);
		t.longs[i] = (struct option){
			.name = row->name,
			.has_arg = how_it_takes(row),
			.val = OPTION_BASE + (int)i,
		};
		if (row->letter)
			t.shorts[at++] = row->letter;
	}
	return t;
}

static const struct option_row *find_row(int value, const struct option_group **group)
{
	const struct option_row *row;
	for (size_t i = 0; (row = row_at(i, group)); i++) {
		if (value == OPTION_BASE + (int)i || (value && value == row->letter))
			return row;
	}
	return NULL;
}

static const char *nearest_option(const char *word)
{
	const char *names[OPTION_MAX];
	const struct option_group *group;
	const struct option_row *row;
	size_t count = 0;
	for (; (row = row_at(count, &group)); count++)
		names[count] = row->name;
	return text_nearest(word, names, count);
}

/* What getopt stumbled over: an option that is none, or one with or without a value. */
static bool refuse_option(struct config_args *args, int result, const char *text)
{
	const struct option_group *group;
	const struct option_row *row = find_row(optopt, &group);
	if (row && result == ':')
		return config_refuse(args, "--%s needs a value: %s", row->name, row->form);
	if (row)
		return config_refuse(args, "--%s takes no value", row->name);
	if (optopt)
		return config_refuse(args, "unknown option '-%c' (see --help)", optopt);

	char word[64];
	text += strspn(text, "-");
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, "="), text);
	const char *nearest = nearest_option(word);
	return config_refuse(args, "unknown option '--%s' (%s%s%s)", word,
			     nearest ? "did you mean '--" : "see --help", nearest ? nearest : "",
			     nearest ? "'?" : "");
}

/* For what several options have to say together. */
static void note_given(struct config_loose *loose, const struct option_row *row, bool ppp)
{
	if (ppp && !loose->given_ppp)
		loose->given_ppp = row->name;
	for (unsigned i = 0; i < loose->given_count; i++) {
		if (loose->given[i] == row->name)
			return;
	}
	loose->given[loose->given_count++] = row->name;
}

static bool set_option(struct config_args *args, int result, const char *value)
{
	const struct option_group *group;
	const struct option_row *row = find_row(result, &group);
	note_given(&args->loose, row, group->ppp);
	if (row->take(args, row, value))
		return true;
	char why[CONFIG_WHY_SIZE];
	snprintf(why, sizeof(why), "%s", args->why);
	if (why[0])
		return config_refuse(args, "--%s %s", row->name, why);
	return config_refuse(args, "--%s %s: expected %s", row->name, *value ? value : "''",
			     row->form);
}

static bool add_line(struct config_args *args, const char *text)
{
	struct config *c = args->config;
	if (c->line_count == CONFIG_MAX_LINES)
		return config_refuse(args, "%s: more than %d lines", text, CONFIG_MAX_LINES);
	return config_line_parse(&c->lines[c->line_count++], text, args->why, sizeof(args->why));
}

static bool read_args(struct config_args *args, int argc, char *argv[])
{
	const struct getopt_tables tables = make_tables();
	optind = 0; /* glibc's and musl's way to begin anew */
	opterr = 0;
	for (;;) {
		int result = getopt_long(argc, argv, tables.shorts, tables.longs, NULL);
		if (result == -1)
			break;
		if (result == '?' || result == ':')
			return refuse_option(args, result, argv[optind - 1]);
		if (!set_option(args, result, optarg))
			return false;
		if (args->done)
			return true;
	}
	for (int i = optind; i < argc; i++) {
		if (!add_line(args, argv[i]))
			return false;
	}
	return true;
}

static const struct config defaults = {
	.ifname = "sb%d",
	.mtu_auto = true,
	.lock_dir = "/run/lock",
	.ppp =
		{
			.mru = PPP_DEFAULT_MRU,
			.multilink = true,
			.mrru = PPP_DEFAULT_MRU,
			.pfc = true,
			.acfc = true,
			.pap_secrets = "/etc/ppp/pap-secrets",
			.chap_secrets = "/etc/ppp/chap-secrets",
			.echo_interval = 10 * SB_SEC,
			.echo_failure = 6,
			.timers = {.restart = 3 * SB_SEC,
				   .max_configure = 10,
				   .max_terminate = 2,
				   .max_failure = 5},
			.max_fragment_delay = 50 * SB_MS,
		},
	.hold = 10 * SB_SEC,
	.max_lines = CONFIG_MAX_LINES,
	.min_lines = 1,
	.hook_timeout = 30 * SB_SEC,
	.capture_files = 4,
	.ecn = true,
	.verbosity = 1,
};

enum config_outcome config_from_args(struct config *config, int argc, char *argv[])
{
	*config = defaults;
	struct config_args args = {.config = config};
	char note[CONFIG_WHY_SIZE] = "";
	bool fine = read_args(&args, argc, argv);
	if (fine && args.done)
		return CONFIG_DONE;
	if (!fine ||
	    !config_settle(config, &args.loose, args.why, sizeof(args.why), note, sizeof(note))) {
		complain("", args.why);
		return CONFIG_WRONG;
	}
	if (note[0] && config->verbosity)
		complain("note: ", note);
	return CONFIG_RUN;
}
