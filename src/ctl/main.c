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

enum { COMMANDS_MOST = 64, OPT_COLOUR = 256 };

static const struct option long_options[] = {
	{"socket", required_argument, NULL, 's'},
	{"bundle", required_argument, NULL, 'b'},
	{"json", no_argument, NULL, 'j'},
	{"pretty", no_argument, NULL, 'p'},
	{"color", optional_argument, NULL, OPT_COLOUR},
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

/* False: the program is to end with *e. */
static bool take_option(struct ctl_options *o, int code, enum ctl_exit *e)
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
	case 'V':
		puts("serialbundlectl " SERIALBUNDLE_VERSION);
		return false;
	case 'h':
		print_help();
		return false;
	default: /* getopt has said it */
		*e = CTL_USAGE;
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

int main(int argc, char *argv[])
{
	struct ctl_options o = {.socket = "", .bundle = "", .colour = colour_by_itself()};
	enum ctl_exit e;

	for (int code; (code = getopt_long(argc, argv, "s:b:jpVh", long_options, NULL)) != -1;)
		if (!take_option(&o, code, &e))
			return close_output(e);
	return close_output(run(&o, argv + optind, (unsigned)(argc - optind)));
}
