/* SPDX-License-Identifier: MIT */
/*
 * Options on how packets are spread over the lines, and on when a line counts as up: those of Linux
 * bonding by its names. Its durations are in ms when they have no unit.
 *
 * What of bonding has no meaning for lines under an IP interface is refused by name, with the
 * reason: who takes over an old configuration learns what became of each word.
 */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_keys.h"
#include "src/config_value.h"
#include "src/parse.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define MS_MAX (300000 * (uint64_t)SB_MS) /* bonding's of peer_notif_delay */

static bool take_mode(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row;
	return mode_named(value, &args->config->mode.mode);
}

static bool give_mode(const struct config *c, const struct option_row *row, unsigned n,
		      char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	strcpy(to, mode_name(c->mode.mode));
	return n == 0;
}

static bool take_hash(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row;
	return xmit_hash_named(value, &args->config->mode.hash);
}

static bool give_hash(const struct config *c, const struct option_row *row, unsigned n,
		      char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	strcpy(to, xmit_hash_name(c->mode.hash));
	return n == 0;
}

/* 1 and 0 as bonding has it. */
static bool take_dynamic(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row;
	bool *to = &args->config->mode.tlb_dynamic_lb;
	bool number = strcmp(value, "0") == 0 || strcmp(value, "1") == 0;
	return number ? (*to = *value == '1', true) : value_take_yes(to, value);
}

static bool give_dynamic(const struct config *c, const struct option_row *row, unsigned n,
			 char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	value_give_yes(c->mode.tlb_dynamic_lb, to);
	return n == 0;
}

static bool take_primary(struct config_args *args, const struct option_row *row, const char *value)
{
	char *to = args->config->primary;
	(void)row;
	return !*value ? (*to = '\0', true)
		       : value_take_text(to, sizeof(args->config->primary), value);
}

static bool give_primary(const struct config *c, const struct option_row *row, unsigned n,
			 char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	strcpy(to, c->primary);
	return n == 0;
}

static bool take_target(struct config_args *args, const struct option_row *row, const char *value)
{
	struct netif_address a;
	int prefix;
	(void)row;
	args->config->probe.target = 0;
	if (strcmp(value, "peer") == 0)
		return true;
	if (strchr(value, ','))
		return config_refuse(args, "%s: one address is asked; a line has one other end",
				     value);
	if (!parse_address(value, &a, &prefix) || a.family != AF_INET ||
	    prefix != PARSE_NO_PREFIX || !parse_is_host(&a))
		return false;
	args->config->probe.target = ntohl(a.local.v4.s_addr);
	return true;
}

static bool give_target(const struct config *c, const struct option_row *row, unsigned n,
			char to[static CONFIG_TEXT_SIZE])
{
	struct in_addr a = {.s_addr = htonl(c->probe.target)};
	(void)row;
	if (c->probe.target)
		inet_ntop(AF_INET, &a, to, CONFIG_TEXT_SIZE);
	else
		strcpy(to, "peer");
	return n == 0;
}

/* --- what bonding has, and this has not --------------------------------------------------------
 */

static const struct foreign {
	const char *name, *why;
} foreigns[] = {
	{"lacp-rate", "LACP is not spoken: a line's peer says by PPP who it is"},
	{"lacp-active", "LACP is not spoken: a line's peer says by PPP who it is"},
	{"ad-actor-sys-prio", "LACP is not spoken: a line's peer says by PPP who it is"},
	{"ad-actor-system", "LACP is not spoken; --endpoint says who we are"},
	{"ad-user-port-key", "LACP is not spoken; lines of one speed and peer are a group"},
	{"fail-over-mac", "a TUN interface has no MAC address"},
	{"resend-igmp", "there is no switch that IGMP had to tell of another line"},
	{"lp-interval", "there is no switch that had to learn where we are"},
	{"all-slaves-active", "what comes in over any line is always taken"},
	{"use-carrier", "a modem's carrier is always heeded where the port tells it"},
	{"arp-all-targets", "there is one target of probes, --probe-target"},
	{"ns-ip6-target", "probes are ICMP of IPv4 or LCP echoes; see --probe-target"},
	{"active-slave", "--primary and --primary-reselect say which line is the active one"},
	{"max-bonds", "each bundle is a serialbundle of its own"},
};

const char *config_option_foreign(const char *name)
{
	for (size_t i = 0; i < OPTION_COUNT(foreigns); i++) {
		if (config_is_spelt(foreigns[i].name, name))
			return foreigns[i].why;
	}
	return NULL;
}

/* --- rows --------------------------------------------------------------------------------------
 */

static const char *const reselects[] = {[RESELECT_ALWAYS] = "always",
					[RESELECT_BETTER] = "better",
					[RESELECT_FAILURE] = "failure",
					NULL};
static const char *const selects[] = {[AD_SELECT_STABLE] = "stable",
				      [AD_SELECT_BANDWIDTH] = "bandwidth",
				      [AD_SELECT_COUNT] = "count",
				      NULL};
static const char *const validates[] = {[PROBE_VALIDATE_NONE] = "none",
					[PROBE_VALIDATE_ALL] = "all",
					[PROBE_VALIDATE_FILTER] = "filter",
					NULL};

#define A_DELAY "ms from 0 to 300000, or a time (100, 100ms, 1.5s)"
static_assert(MS_MAX == 300 * (uint64_t)SB_SEC, "A_DELAY says so");
#define A_DELAY_IN(member) OPTION_PLAIN(ms, member), .max = MS_MAX, .form = A_DELAY

static const struct option_row mode_rows[] = {
	{.name = "mode",
	 .value = " MODE",
	 .take = take_mode,
	 .give = give_mode,
	 .help = "how packets are spread over lines (earliest)",
	 .form = "earliest, or one of bonding's by name or number: balance-rr 0, active-backup 1, "
		 "balance-xor 2, broadcast 3, 802.3ad 4, balance-tlb 5, balance-alb 6"},
	{.name = "xmit-hash-policy",
	 .value = " WHAT",
	 .take = take_hash,
	 .give = give_hash,
	 .help = "what of a packet chooses its line (layer2)",
	 .form = "layer2, layer2+3, layer3+4, encap2+3, encap3+4 or vlan+srcmac"},
	{.name = "packets-per-line",
	 .aliases = {"packets-per-slave"},
	 .value = " N",
	 OPTION_PLAIN(unsigned, mode.packets_per_line),
	 .max = 65535,
	 .help = "balance-rr: in a row (1); 0: a random line",
	 .form = "a number from 0 to 65535"},
	{.name = "tlb-dynamic-lb",
	 .value = " yes|no",
	 .take = take_dynamic,
	 .give = give_dynamic,
	 .help = "balance-tlb by load (yes), or by hash alone",
	 .form = "yes or no, 1 or 0"},
	{.name = "primary",
	 .value = " LINE",
	 .take = take_primary,
	 .give = give_primary,
	 .help = "active-backup: the line to prefer",
	 .form = "a line's name or device, 1 to 31 characters, or ''"},
	{.name = "primary-reselect",
	 .value = " WHEN",
	 OPTION_PLAIN(word, election.reselect),
	 .words = reselects,
	 .help = "when it takes over: always, better, failure",
	 .form = "always, better or failure"},
	{.name = "ad-select",
	 .value = " HOW",
	 OPTION_PLAIN(word, election.ad_select),
	 .words = selects,
	 .help = "802.3ad's group: stable, bandwidth or count",
	 .form = "stable, bandwidth or count"},
	{.name = "min-links",
	 .value = " N",
	 OPTION_PLAIN(unsigned, election.min_links),
	 .max = CONFIG_MAX_LINES,
	 .help = "802.3ad: with fewer up a group is no use (0)",
	 .form = "a number from 0 to 64"},
	{.name = "miimon",
	 .value = " MS",
	 A_DELAY_IN(monitor.miimon),
	 .help = "how often lines are looked at (0: at once)"},
	{.name = "updelay",
	 .value = " MS",
	 A_DELAY_IN(monitor.updelay),
	 .help = "with miimon: up for so long before it is used"},
	{.name = "downdelay",
	 .value = " MS",
	 A_DELAY_IN(monitor.downdelay),
	 .help = "with miimon: down for so long before it is left"},
	{.name = "num-peer-notif",
	 .aliases = {"num-grat-arp", "num-unsol-na"},
	 .value = " N",
	 OPTION_PLAIN(unsigned, notices),
	 .max = 255,
	 .help = "times the peer is told of the active line (1)",
	 .form = "a number from 0 to 255"},
	{.name = "peer-notif-delay",
	 .value = " MS",
	 A_DELAY_IN(notice_delay),
	 .help = "between two of these"},
	{.name = "probe-interval",
	 .aliases = {"arp-interval"},
	 .value = " MS",
	 A_DELAY_IN(probe.interval),
	 .help = "ask the other end of each line so often; 0: no"},
	{.name = "probe-target",
	 .aliases = {"arp-ip-target"},
	 .value = " ADDR",
	 .take = take_target,
	 .give = give_target,
	 .help = "whom SLIP lines ask (peer)",
	 .form = "an IPv4 address, or peer"},
	{.name = "probe-validate",
	 .aliases = {"arp-validate"},
	 .value = " WHAT",
	 OPTION_PLAIN(word, probe.validate),
	 .words = validates,
	 .help = "what of answers counts: none, all, filter",
	 .form = "none, all or filter"},
	{.name = "probe-missed-max",
	 .aliases = {"arp-missed-max"},
	 .value = " N",
	 OPTION_PLAIN(unsigned, probe.missed_max),
	 .min = 1,
	 .max = 255,
	 .help = "unanswered ones that make a line down (2)",
	 .form = "a number from 1 to 255"},
};

static_assert(CONFIG_MAX_LINES == 64, "min-links' form says so");

const struct option_group config_modes_group = {
	.title = "Modes", .rows = mode_rows, .count = OPTION_COUNT(mode_rows)};
