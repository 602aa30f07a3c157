/* SPDX-License-Identifier: MIT */
/* The command line: getopt_long over one table. */
#define _GNU_SOURCE
#include "src/nullmodem/options.h"

#include "src/nullmodem/units.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifndef VERSION
#define VERSION "unknown"
#endif

enum option_code {
	OPT_SEED = 1,
	OPT_REPORT,
	OPT_JSON,
	OPT_CONTROL,
	OPT_READY,
	OPT_DURATION,
	OPT_PHONE,
	OPT_REALTIME,
	OPT_QUIET,
	OPT_VERSION,
	OPT_HELP,
};

static const struct option long_options[] = {
	{"seed", required_argument, NULL, OPT_SEED},
	{"report", required_argument, NULL, OPT_REPORT},
	{"json", required_argument, NULL, OPT_JSON},
	{"control", required_argument, NULL, OPT_CONTROL},
	{"ready", required_argument, NULL, OPT_READY},
	{"duration", required_argument, NULL, OPT_DURATION},
	{"phone", required_argument, NULL, OPT_PHONE},
	{"realtime", no_argument, NULL, OPT_REALTIME},
	{"quiet", no_argument, NULL, OPT_QUIET},
	{"version", no_argument, NULL, OPT_VERSION},
	{"help", no_argument, NULL, OPT_HELP},
	{0},
};

static const char help[] =
	"usage: nullmodem [options] CABLE...\n"
	"Null-modem cables between pseudo-terminals or unix sockets, at an exact rate.\n"
	"\n"
	"CABLE is END,END[,key=value...]; END is PATH (a link to a pty) or unix:PATH.\n"
	"Keys, both ways or one with ab. or ba. before them:\n"
	"  bps=N  bits=8..12  delay=TIME  buffer=SIZE|TIME  buffer-full=wait|drop\n"
	"  cells=none|atm  overhead=N  bit-errors=P  byte-errors=P  drop=P  burst=N\n"
	"  receiver=SIZE  stop=0|1\n"
	"for the cable: name=NAME  hangup=AT+FOR  hangup=every:PERIOD+FOR  record=FILE\n"
	"for modems, at both ends or one with a. or b. before them:\n"
	"  modem=yes|no  number=N  init=COMMANDS  connect-text=TEXT  dte=BAUD  noise=N  slow=TIME\n"
	"  ath=ok|no-carrier|nothing\n"
	"and for their telephone: answers-after=TIME  ring-every=TIME  train=TIME\n"
	"  drop-call=after:TIME|every:TIME|random:TIME|no\n"
	"\n"
	"  --seed N         of the errors and drops (1)\n"
	"  --report FILE    text report at exit; - is stdout, the default\n"
	"  --json FILE      the same as JSON\n"
	"  --control PATH   unix socket for hangup, return, drop, set, phone, report\n"
	"  --ready FILE     written, with the pid, when all ends exist\n"
	"  --duration TIME  stop by itself\n"
	"  --phone N=WHAT   number N is busy, no-answer, no-carrier, no-dialtone or answers\n"
	"  --realtime       run before other programs (SCHED_RR)\n"
	"  --quiet          print nothing on stdout\n"
	"  --version\n"
	"  --help\n";

__attribute__((format(printf, 1, 2))) static enum options_outcome wrong(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fputs("nullmodem: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	return OPTIONS_WRONG;
}

static enum options_outcome add_phone(struct options *o, const char *value)
{
	const char *why = phone_book_add(&o->book, value);
	return why ? wrong("--phone %s: %s", value, why) : OPTIONS_RUN;
}

static enum options_outcome apply(struct options *o, enum option_code code, const char *value)
{
	switch (code) {
	case OPT_SEED:
		if (!parse_count(value, &o->seed))
			return wrong("--seed %s: not a number", value);
		break;
	case OPT_REPORT:
		o->report = value;
		break;
	case OPT_JSON:
		o->json = value;
		break;
	case OPT_CONTROL:
		o->control = value;
		break;
	case OPT_READY:
		o->ready = value;
		break;
	case OPT_DURATION:
		if (!parse_time(value, &o->duration))
			return wrong("--duration %s: not a time", value);
		break;
	case OPT_PHONE:
		return add_phone(o, value);
	case OPT_REALTIME:
		o->realtime = true;
		break;
	case OPT_QUIET:
		o->quiet = true;
		break;
	case OPT_VERSION:
		puts("nullmodem " VERSION);
		return OPTIONS_DONE;
	case OPT_HELP:
		fputs(help, stdout);
		return OPTIONS_DONE;
	}
	return OPTIONS_RUN;
}

/* Two cables with one name could not be told apart; two ends with one path would fight. */
static const char *clash(const struct options *o, const struct cable_spec *new)
{
	for (unsigned i = 0; i < o->cable_count; i++) {
		const struct cable_spec *old = &o->cables[i];
		if (strcmp(old->name, new->name) == 0)
			return new->name;
		for (unsigned a = 0; a < 2; a++)
			for (unsigned b = 0; b < 2; b++)
				if (strcmp(old->end[a], new->end[b]) == 0)
					return new->end[b];
	}
	return NULL;
}

static enum options_outcome add_cable(struct options *o, const char *text)
{
	struct spec_error error;
	if (o->cable_count == OPTIONS_MAX_CABLES)
		return wrong("more than %d cables", OPTIONS_MAX_CABLES);
	struct cable_spec *spec = &o->cables[o->cable_count];
	if (!spec_parse(spec, text, o->cable_count, &error))
		return wrong("%s: %s", text, error.text);
	const char *twice = clash(o, spec);
	if (twice)
		return wrong("%s: %s is used twice", text, twice);
	o->cable_count++;
	return OPTIONS_RUN;
}

enum options_outcome options_parse(struct options *o, int argc, char *argv[])
{
	*o = (struct options){.seed = 1, .duration = SB_NEVER};
	int code;
	while ((code = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (code == '?') /* getopt_long has said why */
			return OPTIONS_WRONG;
		enum options_outcome outcome = apply(o, (enum option_code)code, optarg);
		if (outcome != OPTIONS_RUN)
			return outcome;
	}
	for (; optind < argc; optind++)
		if (add_cable(o, argv[optind]) != OPTIONS_RUN)
			return OPTIONS_WRONG;
	if (o->cable_count == 0)
		return wrong("no CABLE; try --help");
	if (!o->report && !o->quiet)
		o->report = "-";
	return OPTIONS_RUN;
}
