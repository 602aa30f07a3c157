/* SPDX-License-Identifier: MIT */
/* serialbundlectl: the command line. */
#define _GNU_SOURCE
#include "src/ctl/commands.h"

#include "src/text.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMANDS_MOST = 64, WORDS_MOST = 64, OPT_COLOUR = 256, OPT_BONDING };

struct words {
	char *at[WORDS_MOST + 1];
	unsigned count;
};

static const struct option long_options[] = {
	{"socket", required_argument, NULL, 's'},
	{"bundle", required_argument, NULL, 'b'},
	{"json", no_argument, NULL, 'j'},
	{"pretty", no_argument, NULL, 'p'},
	{"color", optional_argument, NULL, OPT_COLOUR},
	{"bonding", no_argument, NULL, OPT_BONDING},
	{"version", no_argument, NULL, 'V'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static void print_help(void)
{
	puts("usage: serialbundlectl [options] COMMAND [WORD...]\n"
	     "Shows and changes a serialbundle while it runs.\n");
	for (const struct ctl_command *c = ctl_commands; c->name; c++) {
		int length = printf("  %s %s", c->name, c->usage);

		printf("%*s%s\n", length < 30 ? 30 - length : 2, "", c->help);
	}
	puts("\n"
	     "  -b, --bundle NAME   which one, by the name of its socket in " CTL_DIRECTORY "\n"
	     "  -s, --socket PATH   or by its path; without either, the only one that runs\n"
	     "  -j, --json          JSON, on one line; -p, --pretty: on several\n"
	     "      --color=WHEN    auto, always or never; NO_COLOR is heeded\n"
	     "      --bonding       status, as /proc/net/bonding has it\n"
	     "  -V, --version\n"
	     "  -h, --help");
}

/* On a terminal that can, unless the user wants none. */
static bool colour_by_itself(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

/* False: it is none of the words. */
static bool take_colour(bool *colour, const char *when)
{
	if (!when || strcmp(when, "always") == 0)
		*colour = true;
	else if (strcmp(when, "never") == 0)
		*colour = false;
	else if (strcmp(when, "auto") == 0)
		*colour = colour_by_itself();
	else
		return false;
	return true;
}

static enum ctl_exit complain(const char *what)
{
	fprintf(stderr, "serialbundlectl: %s (serialbundlectl --help tells more)\n", what);
	return CTL_USAGE;
}

/* The argument is what stands on the command line; of letters in a row one is wrong. */
static enum ctl_exit complain_option(int code, const char *argument)
{
	char text[128], letter[] = {'-', (char)optopt, '\0'};
	bool is_long = strncmp(argument, "--", 2) == 0;
	const char *name = is_long ? argument : letter;

	if (code == ':')
		snprintf(text, sizeof(text), "%.80s needs a value", name);
	else if (is_long && optopt)
		snprintf(text, sizeof(text), "%.80s: it takes no value", name);
	else
		snprintf(text, sizeof(text), "unknown option '%.80s'", name);
	return complain(text);
}

/* False: the program is to end with *e. */
static bool take_option(struct ctl_options *o, int code, const char *argument, enum ctl_exit *e)
{
	*e = CTL_FINE;
	switch (code) {
	case 's':
		o->socket = optarg;
		return true;
	case 'b':
		o->bundle = optarg;
		return true;
	case 'p':
		o->pretty = o->json = true;
		return true;
	case 'j':
		o->json = true;
		return true;
	case OPT_COLOUR:
		if (take_colour(&o->colour, optarg))
			return true;
		*e = complain("--color is auto, always or never");
		return false;
	case OPT_BONDING:
		o->bonding = true;
		return true;
	case 'V':
		puts("serialbundlectl " SERIALBUNDLE_VERSION);
		return false;
	case 'h':
		print_help();
		return false;
	default:
		*e = complain_option(code, argument);
		return false;
	}
}

static enum ctl_exit no_such_command(const char *name)
{
	const char *names[COMMANDS_MOST], *nearest;
	char text[256];
	size_t n = 0;

	for (; ctl_commands[n].name; n++)
		names[n] = ctl_commands[n].name;
	nearest = text_nearest(name, names, n);
	snprintf(text, sizeof(text), "there is no command '%s'%s%s%s", name,
		 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	return complain(text);
}

static const struct ctl_command *find(const char *name)
{
	for (const struct ctl_command *c = ctl_commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static enum ctl_exit run(const struct ctl_options *o, char *words[], unsigned count)
{
	const struct ctl_command *c;

	if (count == 0)
		return complain("what shall it do? A command is missing");
	c = find(words[0]);
	if (!c)
		return no_such_command(words[0]);
	if (count - 1 < c->least || count - 1 > c->most) {
		fprintf(stderr, "usage: serialbundlectl %s %s\n", c->name, c->usage);
		return CTL_USAGE;
	}
	if (o->bonding && strcmp(c->name, "status") != 0)
		return complain("--bonding is for status");
	return c->run(o, c, words + 1, count - 1);
}

/* What could not be written was not done. */
static enum ctl_exit close_output(enum ctl_exit e)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return e;
	perror("serialbundlectl: standard output");
	return e == CTL_FINE ? CTL_FAILED : e;
}

static void add_word(struct words *w, char *word)
{
	if (w->count < WORDS_MOST)
		w->at[w->count++] = word;
}

/* "-5" is the number, since no option is a digit. */
static bool is_number(const char *word)
{
	return word && word[0] == '-' && word[1] >= '0' && word[1] <= '9';
}

/* Options stand anywhere among the words. False: the program is to end with *e. */
static bool take_arguments(struct ctl_options *o, struct words *w, int argc, char *argv[],
			   enum ctl_exit *e)
{
	opterr = 0;
	for (;;) {
		while (is_number(argv[optind]))
			add_word(w, argv[optind++]);
		const char *argument = argv[optind];
		int code = getopt_long(argc, argv, "-:s:b:jpVh", long_options, NULL);
		if (code == -1)
			break;
		if (code == 1)
			add_word(w, optarg);
		else if (!take_option(o, code, argument, e))
			return false;
	}
	for (int i = optind; i < argc; i++)
		add_word(w, argv[i]);
	return true;
}

int main(int argc, char *argv[])
{
	struct ctl_options o = {.socket = "", .bundle = "", .colour = colour_by_itself()};
	struct words words = {0};
	enum ctl_exit e;

	if (!take_arguments(&o, &words, argc, argv, &e))
		return close_output(e);
	return close_output(run(&o, words.at, words.count));
}
