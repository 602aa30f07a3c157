/* SPDX-License-Identifier: MIT */
/*
 * Options on the interface, and on the run of the program.
 */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_line.h"
#include "src/parse.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { VERBOSITY_MAX = 2 };

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

static bool take_mtu(struct config_args *args, const struct option_row *row, const char *value)
{
	args->config->mtu_auto = strcmp(value, "auto") == 0;
	return args->config->mtu_auto || config_take_unsigned(args, row, value);
}

static bool take_route(struct config_args *args, const struct option_row *row, const char *value)
{
	uint64_t metric = 0;
	(void)row;
	if (value && !parse_number(value, 0, UINT32_MAX, &metric))
		return false;
	args->config->default_route = true;
	args->config->route_metric = (uint32_t)metric;
	return true;
}

static bool take_louder(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	if (args->config->verbosity < VERBOSITY_MAX)
		args->config->verbosity++;
	return true;
}

static bool take_quiet(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	args->config->verbosity = 0;
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
	args->done = true;
	return true;
}

static bool take_help(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	config_help();
	args->done = true;
	return true;
}

static_assert(CONFIG_MTU_MIN == 68 && CONFIG_MTU_MAX == 9216, "--mtu's form says so");
static_assert(IFNAMSIZ == 16, "--name's form says so");
static_assert(CONFIG_DEVICE_SIZE == 256, "--lock-dir's form says so");

static const struct option_row interface_rows[] = {
	{.name = "local",
	 .value = " ADDR[/PREFIX]",
	 .take = take_local,
	 .help = "address of the interface; may be given again",
	 .form = "an IPv4 or IPv6 address, with or without /PREFIX"},
	{.name = "remote",
	 .value = " ADDR",
	 .take = take_remote,
	 .help = "the other end's, for the --local of its family",
	 .form = "an IPv4 or IPv6 address without prefix"},
	{.name = "mtu",
	 .value = " N|auto",
	 .take = take_mtu,
	 OPTION_IN(mtu),
	 .min = CONFIG_MTU_MIN,
	 .max = CONFIG_MTU_MAX,
	 .help = "largest packet; auto: PPP 1500, SLIP 1006 / n",
	 .form = "a number from 68 to 9216, or auto"},
	{.name = "default-route",
	 .value = "[=METRIC]",
	 .take = take_route,
	 .help = "send all that has no other route this way",
	 .form = "a metric, 0 to 4294967295"},
	{.name = "name",
	 .value = " IFNAME",
	 .take = take_ifname,
	 .help = "the interface (sb%d: sb and a free number)",
	 .form = "1 to 15 characters without '/', ':' and space, at most one %d"},
	{.name = "hold",
	 .value = " TIME",
	 .take = config_take_time,
	 OPTION_IN(hold),
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
	 OPTION_IN(capture),
	 .help = "write all packets to FILE, and to one per line",
	 .form = "a file name (not -, since each line gets a file beside it)"},
	{.name = "lock-dir",
	 .value = " DIR",
	 .take = config_take_path,
	 OPTION_IN(lock_dir),
	 .help = "where lock files go (/run/lock); '' for none",
	 .form = "a directory of at most 255 characters"},
	OPTION_ON("dry-run", dry_run, "say what would be done, and exit"),
	{.name = "verbose", .letter = 'v', .take = take_louder, .help = "say more"},
	{.name = "quiet", .letter = 'q', .take = take_quiet, .help = "say only what went wrong"},
	{.name = "version", .take = take_version, .help = "print version and features, and exit"},
	{.name = "help", .letter = 'h', .take = take_help, .help = "print this, and exit"},
};

const struct option_group config_interface_group = {
	.title = "Interface", .rows = interface_rows, .count = OPTION_COUNT(interface_rows)};
const struct option_group config_run_group = {
	.title = "Run", .rows = run_rows, .count = OPTION_COUNT(run_rows)};
