/* SPDX-License-Identifier: MIT */
/*
 * The command line.
 *
 * One table holds every option: its name, what it takes, what a right value
 * looks like and what --help says of it. One loop reads the arguments by it;
 * then a row of checks settles what depends on several of them.
 */
#define _DEFAULT_SOURCE
#include "src/config.h"

#include "src/config_line.h"
#include "src/config_settle.h"
#include "src/parse.h"
#include "src/text.h"

#include <assert.h>
#include <getopt.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum {
	WHY_SIZE = 600,
	VERBOSITY_MAX = 2,
	OPTION_BASE = 256, /* getopt's values for rows without a letter */
};

static const sb_time hold_max = 3600 * SB_SEC;

/* The command line while it is read. */
struct args {
	struct config *config;
	struct config_loose loose;
	bool done;          /* --help or --version */
	char why[WHY_SIZE]; /* what is wrong, when something is */
};

/* Always false, so that a check can end with it. */
__attribute__((format(printf, 2, 3))) static bool refuse(struct args *args, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(args->why, sizeof(args->why), format, arguments);
	va_end(arguments);
	return false;
}

static void complain(const char *label, char *text)
{
	text_clean(text);
	fprintf(stderr, "serialbundle: %s%s\n", label, text);
}

/* --- what the options take ------------------------------------------------------------------ */

/* Each is false when the value is wrong; args->why may then say more than the row's form does. */

static bool take_no_ecn(struct args *args, const char *value)
{
	(void)value;
	args->config->ecn = false;
	return true;
}

static bool take_realtime(struct args *args, const char *value)
{
	(void)value;
	args->config->realtime = true;
	return true;
}

static bool take_dry_run(struct args *args, const char *value)
{
	(void)value;
	args->config->dry_run = true;
	return true;
}

static bool take_path(char to[static CONFIG_DEVICE_SIZE], const char *value)
{
	size_t length = strlen(value);
	if (length >= CONFIG_DEVICE_SIZE)
		return false;
	memcpy(to, value, length + 1);
	return true;
}

static bool take_lock_dir(struct args *args, const char *value)
{
	return take_path(args->config->lock_dir, value);
}

static bool take_capture(struct args *args, const char *value)
{
	const char *slash = strrchr(value, '/');
	const char *base = slash ? slash + 1 : value;
	return *base && strcmp(value, "-") != 0 && take_path(args->config->capture, value);
}

/* As the kernel's dev_valid_name(); one %d stands for the first free number. */
static bool take_ifname(struct args *args, const char *value)
{
	const char *percent = strchr(value, '%');
	size_t length = strlen(value);
	if (length == 0 || length >= IFNAMSIZ || strcmp(value, ".") == 0 ||
	    strcmp(value, "..") == 0)
		return false;
	if (strpbrk(value, "/: \t\n\v\f\r"))
		return false;
	if (percent && (percent[1] != 'd' || strchr(percent + 1, '%')))
		return false;
	memcpy(args->config->ifname, value, length + 1);
	return true;
}

static bool take_address(struct args *args, const char *value, struct netif_address *to,
			 int *prefix)
{
	if (!parse_address(value, to, prefix))
		return false;
	return parse_is_host(to) || refuse(args, "%s: not an address for an interface", value);
}

static bool take_local(struct args *args, const char *value)
{
	struct config *c = args->config;
	if (c->address_count == CONFIG_MAX_ADDRESSES)
		return refuse(args, "%s: more than %d addresses", value, CONFIG_MAX_ADDRESSES);
	struct netif_address *address = &c->addresses[c->address_count];
	int prefix;
	if (!take_address(args, value, address, &prefix))
		return false;
	args->loose.has_prefix[c->address_count++] = prefix != PARSE_NO_PREFIX;
	address->prefix = (uint8_t)(prefix != PARSE_NO_PREFIX    ? prefix
				    : address->family == AF_INET ? 32
								 : 128);
	return true;
}

static bool take_remote(struct args *args, const char *value)
{
	int prefix;
	if (args->loose.remote_count == CONFIG_MAX_ADDRESSES)
		return refuse(args, "%s: more than %d addresses", value, CONFIG_MAX_ADDRESSES);
	if (!take_address(args, value, &args->loose.remotes[args->loose.remote_count], &prefix))
		return false;
	args->loose.remote_count++;
	return prefix == PARSE_NO_PREFIX;
}

static bool take_mtu(struct args *args, const char *value)
{
	uint64_t mtu = 0;
	bool automatic = strcmp(value, "auto") == 0;
	if (!automatic && !parse_number(value, CONFIG_MTU_MIN, CONFIG_MTU_MAX, &mtu))
		return false;
	args->config->mtu = (unsigned)mtu;
	args->config->mtu_auto = automatic;
	return true;
}

static bool take_route(struct args *args, const char *value)
{
	uint64_t metric = 0;
	if (value && !parse_number(value, 0, UINT32_MAX, &metric))
		return false;
	args->config->default_route = true;
	args->config->route_metric = (uint32_t)metric;
	return true;
}

static bool take_hold(struct args *args, const char *value)
{
	return parse_time(value, hold_max, &args->config->hold);
}

static bool take_louder(struct args *args, const char *value)
{
	(void)value;
	if (args->config->verbosity < VERBOSITY_MAX)
		args->config->verbosity++;
	return true;
}

static bool take_quiet(struct args *args, const char *value)
{
	(void)value;
	args->config->verbosity = 0;
	return true;
}

static bool take_version(struct args *args, const char *value)
{
	(void)value;
	char list[64];
	config_encapsulations(list, sizeof(list));
	printf("serialbundle " SERIALBUNDLE_VERSION "\n"
	       "encapsulations: %s\n"
	       "ports: libserialport termios\n"
	       "features: tun ipv4 ipv6 capture notify\n",
	       list);
	args->done = true;
	return true;
}

static bool take_help(struct args *, const char *value);

static_assert(CONFIG_MTU_MIN == 68 && CONFIG_MTU_MAX == 9216, "--mtu's form says so");
static_assert(IFNAMSIZ == 16, "--name's form says so");
static_assert(CONFIG_DEVICE_SIZE == 256, "--lock-dir's form says so");

static const struct option_row {
	const char *name;
	char letter;       /* or 0 */
	const char *value; /* NULL: takes none; "[=...]": may have one; else must */
	bool (*take)(struct args *, const char *value);
	const char *help;
	const char *form; /* what a right value is */
} options[] = {
	{"local", 0, " ADDR[/PREFIX]", take_local, "address of the interface; may be given again",
	 "an IPv4 or IPv6 address, with or without /PREFIX"},
	{"remote", 0, " ADDR", take_remote, "the other end's, for the --local of its family",
	 "an IPv4 or IPv6 address without prefix"},
	{"mtu", 0, " N|auto", take_mtu, "largest packet; auto: 1006 / lines, at least 296",
	 "a number from 68 to 9216, or auto"},
	{"default-route", 0, "[=METRIC]", take_route, "send all that has no other route this way",
	 "a metric, 0 to 4294967295"},
	{"name", 0, " IFNAME", take_ifname, "the interface (sb%d: sb and a free number)",
	 "1 to 15 characters without '/', ':' and space, at most one %d"},
	{"hold", 0, " TIME", take_hold, "how long packets wait while no line is up (10s)",
	 "a time from 0 to 1h (250ms, 1.5s, 10s)"},
	{"no-ecn", 0, NULL, take_no_ecn, "drop packets where marking them would do", NULL},
	{"realtime", 0, NULL, take_realtime, "run with real-time priority, for exact timing", NULL},
	{"capture", 0, " FILE", take_capture, "write all packets to FILE, and to one per line",
	 "a file name (not -, since each line gets a file beside it)"},
	{"lock-dir", 0, " DIR", take_lock_dir, "where lock files go (/run/lock); '' for none",
	 "a directory of at most 255 characters"},
	{"dry-run", 0, NULL, take_dry_run, "say what would be done, and exit", NULL},
	{"verbose", 'v', NULL, take_louder, "say more", NULL},
	{"quiet", 'q', NULL, take_quiet, "say only what went wrong", NULL},
	{"version", 0, NULL, take_version, "print version and features, and exit", NULL},
	{"help", 'h', NULL, take_help, "print this, and exit", NULL},
};

static bool take_help(struct args *args, const char *value)
{
	(void)value;
	printf("usage: serialbundle [options] DEVICE:BPS[@BAUD][,key=value...]...\n"
	       "One IP interface over several serial lines.\n\n"
	       "  BPS is what the line carries, BAUD the port's speed (28800, 57.6k, 1M)\n"
	       "  keys: bps= baud= bits= parity= stop= flow= delay= name=, see "
	       "serialbundle(8)\n\n");
	for (size_t i = 0; i < COUNT(options); i++) {
		const struct option_row *o = &options[i];
		char left[40], letter[] = {'-', o->letter, ',', '\0'};
		snprintf(left, sizeof(left), "%3s --%s%s", o->letter ? letter : "", o->name,
			 o->value ? o->value : "");
		printf("  %-28s %s\n", left, o->help);
	}
	args->done = true;
	return true;
}

/* --- reading ---------------------------------------------------------------------------------- */

struct getopt_tables {
	struct option longs[COUNT(options) + 1];
	char shorts[COUNT(options) + 2];
};

static struct getopt_tables make_tables(void)
{
	struct getopt_tables t = {.shorts = ":"};
	for (size_t i = 0, at = 1; i < COUNT(options); i++) {
		const char *value = options[i].value;
		t.longs[i] = (struct option){
			.name = options[i].name,
			.has_arg = !value          ? no_argument
				   : *value == '[' ? optional_argument
						   : required_argument,
			.val = OPTION_BASE + (int)i,
		};
		if (options[i].letter)
			t.shorts[at++] = options[i].letter;
	}
	return t;
}

static const struct option_row *find_row(int value)
{
	for (size_t i = 0; i < COUNT(options); i++) {
		if (value == OPTION_BASE + (int)i || (value && value == options[i].letter))
			return &options[i];
	}
	return NULL;
}

/* What getopt stumbled over: an option that is none, or one with or without a value. */
static bool refuse_option(struct args *args, int result, const char *text)
{
	const struct option_row *row = find_row(optopt);
	if (row && result == ':')
		return refuse(args, "--%s needs a value: %s", row->name, row->form);
	if (row)
		return refuse(args, "--%s takes no value", row->name);
	if (optopt)
		return refuse(args, "unknown option '-%c' (see --help)", optopt);

	const char *names[COUNT(options)];
	char word[64];
	for (size_t i = 0; i < COUNT(options); i++)
		names[i] = options[i].name;
	text += strspn(text, "-");
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, "="), text);
	const char *nearest = text_nearest(word, names, COUNT(names));
	return refuse(args, "unknown option '--%s' (%s%s%s)", word,
		      nearest ? "did you mean '--" : "see --help", nearest ? nearest : "",
		      nearest ? "'?" : "");
}

static bool set_option(struct args *args, const struct option_row *row, const char *value)
{
	if (row->take(args, value))
		return true;
	char why[WHY_SIZE];
	snprintf(why, sizeof(why), "%s", args->why);
	if (why[0])
		return refuse(args, "--%s %s", row->name, why);
	return refuse(args, "--%s %s: expected %s", row->name, *value ? value : "''", row->form);
}

static bool add_line(struct args *args, const char *text)
{
	struct config *c = args->config;
	if (c->line_count == CONFIG_MAX_LINES)
		return refuse(args, "%s: more than %d lines", text, CONFIG_MAX_LINES);
	return config_line_parse(&c->lines[c->line_count++], text, args->why, sizeof(args->why));
}

static bool read_args(struct args *args, int argc, char *argv[])
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
		if (!set_option(args, find_row(result), optarg))
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
	.hold = 10 * SB_SEC,
	.ecn = true,
	.verbosity = 1,
};

enum config_outcome config_from_args(struct config *config, int argc, char *argv[])
{
	*config = defaults;
	struct args args = {.config = config};
	char note[WHY_SIZE] = "";
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
