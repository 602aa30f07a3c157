/* SPDX-License-Identifier: MIT */
/*
 * Options on the interface, and on the run of the program.
 */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_import.h"
#include "src/config_line.h"
#include "src/config_value.h"
#include "src/parse.h"

#include <arpa/inet.h>
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

/* As the kernel's dev_valid_name(); one %d stands for the first free number. */
static bool take_ifname(struct config_args *args, const struct option_row *row, const char *value)
{
	const char *percent = strchr(value, '%');
	size_t length = strlen(value);
	(void)row;
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

static bool take_address(struct config_args *args, const char *value, struct netif_address *to,
			 int *prefix)
{
	if (!parse_address(value, to, prefix))
		return false;
	return parse_is_host(to) ||
	       config_refuse(args, "%s: not an address for an interface", value);
}

static bool take_local(struct config_args *args, const struct option_row *row, const char *value)
{
	struct config *c = args->config;
	int prefix;
	(void)row;
	if (c->address_count == CONFIG_MAX_ADDRESSES)
		return config_refuse(args, "%s: more than %d addresses", value,
				     CONFIG_MAX_ADDRESSES);
	struct netif_address *address = &c->addresses[c->address_count];
	if (!take_address(args, value, address, &prefix))
		return false;
	args->loose.has_prefix[c->address_count++] = prefix != PARSE_NO_PREFIX;
	address->prefix = (uint8_t)(prefix != PARSE_NO_PREFIX    ? prefix
				    : address->family == AF_INET ? 32
								 : 128);
	return true;
}

static bool take_remote(struct config_args *args, const struct option_row *row, const char *value)
{
	int prefix;
	(void)row;
	if (args->loose.remote_count == CONFIG_MAX_ADDRESSES)
		return config_refuse(args, "%s: more than %d addresses", value,
				     CONFIG_MAX_ADDRESSES);
	if (!take_address(args, value, &args->loose.remotes[args->loose.remote_count], &prefix))
		return false;
	args->loose.remote_count++;
	return prefix == PARSE_NO_PREFIX;
}

/* An IPv4 address of ours that IPCP was given. */
static bool is_interfaces(const struct config *c, uint32_t address)
{
	for (unsigned i = 0; i < c->address_count; i++) {
		if (c->addresses[i].family == AF_INET &&
		    ntohl(c->addresses[i].local.v4.s_addr) == address)
			return true;
	}
	return false;
}

static bool give_ipv4(uint32_t address, char to[static CONFIG_TEXT_SIZE])
{
	struct in_addr a = {.s_addr = htonl(address)};
	inet_ntop(AF_INET, &a, to, CONFIG_TEXT_SIZE);
	return true;
}

static bool give_local(const struct config *c, const struct option_row *row, unsigned n,
		       char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	bool negotiated = c->ppp.local && !is_interfaces(c, c->ppp.local);
	if (negotiated && n == 0)
		return give_ipv4(c->ppp.local, to);
	n -= negotiated;
	if (n >= c->address_count)
		return false;
	const struct netif_address *a = &c->addresses[n];
	inet_ntop(a->family, &a->local, to, INET6_ADDRSTRLEN);
	if (a->prefix != (a->family == AF_INET ? 32 : 128))
		snprintf(to + strlen(to), CONFIG_TEXT_SIZE - INET6_ADDRSTRLEN, "/%u", a->prefix);
	return true;
}

/* In the order of their --local, so that they find it again. */
static bool give_remote(const struct config *c, const struct option_row *row, unsigned n,
			char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	bool negotiated = c->ppp.remote && !is_interfaces(c, c->ppp.local);
	if (negotiated && n-- == 0)
		return give_ipv4(c->ppp.remote, to);
	for (unsigned i = 0; i < c->address_count; i++) {
		const struct netif_address *a = &c->addresses[i];
		if (a->has_peer && n-- == 0)
			return inet_ntop(a->family, &a->peer, to, INET6_ADDRSTRLEN) != NULL;
	}
	return false;
}

static bool take_mtu(struct config_args *args, const struct option_row *row, const char *value)
{
	args->config->mtu_auto = strcmp(value, "auto") == 0;
	return args->config->mtu_auto || config_take_unsigned(args, row, value);
}

static bool give_mtu(const struct config *c, const struct option_row *row, unsigned n,
		     char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	if (c->mtu_auto)
		strcpy(to, "auto");
	else
		value_give_number(c->mtu, to);
	return n == 0;
}

static bool take_route(struct config_args *args, const struct option_row *row, const char *value)
{
	uint64_t metric = 0;
	bool yes = true;
	(void)row;
	if (!config_flag_value(value, &yes) && !parse_number(value, 0, UINT32_MAX, &metric))
		return false;
	args->config->default_route = yes;
	args->config->route_metric = (uint32_t)metric;
	return true;
}

static bool give_route(const struct config *c, const struct option_row *row, unsigned n,
		       char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	value_give_yes(c->default_route, to);
	if (c->default_route && c->route_metric)
		value_give_number(c->route_metric, to);
	return n == 0;
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

static bool take_config(struct config_args *args, const struct option_row *row, const char *value)
{
	return config_take_file(args, row, value);
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
	       "ports: libserialport termios\n"
	       "features: tun ipv4 ipv6 multilink pap chap answer capture notify\n",
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

static_assert(CONFIG_MTU_MIN == 68 && CONFIG_MTU_MAX == 9216, "--mtu's form says so");
static_assert(IFNAMSIZ == 16, "--name's form says so");
#define A_FILE "a file name of at most 255 characters"
static_assert(CONFIG_DEVICE_SIZE == 256, "A_FILE and --lock-dir's form say so");

static const struct option_row interface_rows[] = {
	{.name = "local",
	 .value = " ADDR[/PREFIX]",
	 .take = take_local,
	 .give = give_local,
	 .repeats = true,
	 .help = "address of the interface; may be given again",
	 .form = "an IPv4 or IPv6 address, with or without /PREFIX"},
	{.name = "remote",
	 .value = " ADDR",
	 .take = take_remote,
	 .give = give_remote,
	 .repeats = true,
	 .help = "the other end's, for the --local of its family",
	 .form = "an IPv4 or IPv6 address without prefix"},
	{.name = "mtu",
	 .value = " N|auto",
	 .take = take_mtu,
	 .give = give_mtu,
	 OPTION_IN(mtu),
	 .min = CONFIG_MTU_MIN,
	 .max = CONFIG_MTU_MAX,
	 .help = "largest packet; auto: PPP 1500, SLIP 1006 / n",
	 .form = "a number from 68 to 9216, or auto"},
	{.name = "default-route",
	 .value = "[=METRIC]",
	 .take = take_route,
	 .give = give_route,
	 .help = "send all that has no other route this way",
	 .form = "a metric, 0 to 4294967295, or yes or no"},
	{.name = "name",
	 .value = " IFNAME",
	 .take = take_ifname,
	 .give = config_give_path,
	 OPTION_IN(ifname),
	 .help = "the interface (sb%d: sb and a free number)",
	 .form = "1 to 15 characters without '/', ':' and space, at most one %d"},
	{.name = "hold",
	 .value = " TIME",
	 OPTION_PLAIN(time, hold),
	 .max = 3600 * (uint64_t)SB_SEC,
	 .help = "how long packets wait while no line is up (10s)",
	 .form = "a time from 0 to 1h (250ms, 1.5s, 10s)"},
	OPTION_OFF("no-ecn", ecn, "drop packets where marking them would do"),
};

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
	 .take = take_config,
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
	 .help = "print a runslip or ifupdown FILE as ours",
	 .form = CONFIG_IMPORT_KINDS},
};

const struct option_group config_interface_group = {
	.title = "Interface", .rows = interface_rows, .count = OPTION_COUNT(interface_rows)};
const struct option_group config_file_group = {
	.title = "Configuration file", .rows = file_rows, .count = OPTION_COUNT(file_rows)};
const struct option_group config_run_group = {
	.title = "Run", .rows = run_rows, .count = OPTION_COUNT(run_rows)};
