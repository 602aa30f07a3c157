/* SPDX-License-Identifier: MIT */
/*
 * Options on PPP's links and on multilink: what LCP asks for, grants, and how
 * long it tries.
 */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_line.h"
#include "src/endpoint.h"
#include "src/parse.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* --ppp and --slip: the names are those of the encapsulations. */
static bool take_encap(struct config_args *args, const struct option_row *row, const char *value)
{
	bool yes;
	if (!config_flag_value(value, &yes))
		return false;
	if (!yes)
		return true;
	args->loose.encap = config_encapsulation(row->name);
	return args->loose.encap || config_refuse(args, ": this build has no such encapsulation");
}

/* At most `digits` of them. */
static bool parse_hex(const char *text, size_t digits, uint32_t *to)
{
	static const char hex[] = "0123456789abcdef0123456789ABCDEF";
	size_t length = strlen(text);
	uint32_t value = 0;
	if (length == 0 || length > digits || strspn(text, hex) != length)
		return false;
	for (; *text; text++)
		value = value << 4 | (uint32_t)(strchr(hex, *text) - hex) % 16;
	*to = value;
	return true;
}

static bool take_asyncmap(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row;
	return parse_hex(value, 8, &args->config->ppp.accm);
}

static bool give_asyncmap(const struct config *c, const struct option_row *row, unsigned n,
			  char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	snprintf(to, CONFIG_TEXT_SIZE, "%x", (unsigned)c->ppp.accm);
	return n == 0;
}

static bool add_escape(struct config_args *args, const char *text)
{
	uint32_t character;
	return parse_hex(text, 2, &character) &&
	       (asyncmap_add(&args->config->ppp.escape, (uint8_t)character) ||
		config_refuse(args, "%s: 20 to 3f and 5e cannot be escaped", text));
}

static bool take_escape(struct config_args *args, const struct option_row *row, const char *value)
{
	char copy[CONFIG_DEVICE_SIZE];
	(void)row;
	if (strlen(value) >= sizeof(copy))
		return false;
	memcpy(copy, value, strlen(value) + 1);
	for (char *item = copy, *next; item; item = next) {
		next = strchr(item, ',');
		if (next)
			*next++ = '\0';
		if (!add_escape(args, item))
			return false;
	}
	return true;
}

static bool give_escape(const struct config *c, const struct option_row *row, unsigned n,
			char to[static CONFIG_TEXT_SIZE])
{
	size_t at = 0;
	(void)row;
	*to = '\0';
	for (unsigned i = 0; i < 256; i++) {
		if (asyncmap_has(&c->ppp.escape, (uint8_t)i))
			at += (size_t)snprintf(to + at, CONFIG_TEXT_SIZE - at, "%s%02x",
					       at ? "," : "", i);
	}
	return n == 0;
}

/* As numbered in RFC 1570 section 2.5. */
static bool take_fcs(struct config_args *args, const struct option_row *row, const char *value)
{
	bool is_16 = strcmp(value, "16") == 0;
	(void)row;
	args->config->ppp.fcs = is_16 ? 0 : 4;
	return is_16 || strcmp(value, "32") == 0;
}

static bool give_fcs(const struct config *c, const struct option_row *row, unsigned n,
		     char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	strcpy(to, c->ppp.fcs ? "32" : "16");
	return n == 0;
}

/* Without multilink there is none, whatever follows from the MTU. */
static bool give_mrru(const struct config *c, const struct option_row *row, unsigned n,
		      char to[static CONFIG_TEXT_SIZE])
{
	return c->ppp.multilink && config_give_u16(c, row, n, to);
}

static bool take_endpoint(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row;
	return endpoint_parse(value, &args->config->ppp.endpoint);
}

static bool give_endpoint(const struct config *c, const struct option_row *row, unsigned n,
			  char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	endpoint_text(to, &c->ppp.endpoint);
	return n == 0;
}

enum {
	UNIT_MIN = 128, /* pppd's; below it little but headers is carried */
	UNIT_MAX = CONFIG_MTU_MAX,
	TRIES_MAX = 100,
};
#define A_UNIT       "a number from 128 to 9216"
#define A_COUNT      "a number from 1 to 100"
#define A_TIME(most) "a time from 0 to " most " (250ms, 1.5s, 10s)"

static const struct option_row line_rows[] = {
	{.name = "slip",
	 .take = take_encap,
	 .is_flag = true,
	 .rival = "ppp",
	 .help = "lines speak SLIP, if they do not say (default)"},
	{.name = "ppp",
	 .take = take_encap,
	 .is_flag = true,
	 .rival = "slip",
	 .help = "lines speak PPP, if they do not say"},
};

static const struct option_row ppp_rows[] = {
	{.name = "mru",
	 .value = " N",
	 OPTION_PLAIN(u16, ppp.mru),
	 .min = UNIT_MIN,
	 .max = UNIT_MAX,
	 .help = "largest frame's data we take (1500, or --mtu)",
	 .form = A_UNIT},
	{.name = "asyncmap",
	 .value = " HEX",
	 .take = take_asyncmap,
	 .give = give_asyncmap,
	 .help = "control characters the line eats, a bit each (0)",
	 .form = "1 to 8 hexadecimal digits (a0000: XON and XOFF)"},
	{.name = "escape",
	 .value = " HEX,...",
	 .take = take_escape,
	 .give = give_escape,
	 .repeats = true,
	 .help = "characters to escape whatever the peer says",
	 .form = "characters as hexadecimal numbers (11,13,ff)"},
	OPTION_ON("receive-all", ppp.receive_all, "take control characters that should be escaped"),
	OPTION_OFF("no-pfc", ppp.pfc, "no compression of protocol numbers"),
	OPTION_OFF("no-acfc", ppp.acfc, "no compression of address and control"),
	{.name = "fcs",
	 .value = " 16|32",
	 .take = take_fcs,
	 .give = give_fcs,
	 .help = "frame check sequence to ask for (16)",
	 .form = "16 or 32"},
	{.name = "echo-interval",
	 .value = " TIME",
	 OPTION_PLAIN(time, ppp.echo_interval),
	 .max = 3600 * (uint64_t)SB_SEC,
	 .help = "between questions on idle lines (10s); 0: none",
	 .form = A_TIME("1h")},
	{.name = "echo-failure",
	 .value = " N",
	 OPTION_PLAIN(unsigned, ppp.echo_failure),
	 .max = TRIES_MAX,
	 .help = "unanswered ones that end a link (6); 0: never",
	 .form = "a number from 0 to 100"},
	{.name = "quality-reports",
	 .value = " TIME",
	 OPTION_PLAIN(time, ppp.quality_period),
	 .max = 3600 * (uint64_t)SB_SEC,
	 .help = "ask for reports on losses (RFC 1989) that often",
	 .form = A_TIME("1h")},
	{.name = "restart",
	 .value = " TIME",
	 OPTION_PLAIN(time, ppp.timers.restart),
	 .min = 100 * (uint64_t)SB_MS,
	 .max = 60 * (uint64_t)SB_SEC,
	 .help = "between requests without an answer (3s)",
	 .form = "a time from 100ms to 60s"},
	{.name = "max-configure",
	 .value = " N",
	 OPTION_PLAIN(unsigned, ppp.timers.max_configure),
	 .min = 1,
	 .max = TRIES_MAX,
	 .help = "requests before the peer is given up (10)",
	 .form = A_COUNT},
	{.name = "max-failure",
	 .value = " N",
	 OPTION_PLAIN(unsigned, ppp.timers.max_failure),
	 .min = 1,
	 .max = TRIES_MAX,
	 .help = "refusals before a request is rejected (5)",
	 .form = A_COUNT},
	{.name = "max-terminate",
	 .value = " N",
	 OPTION_PLAIN(unsigned, ppp.timers.max_terminate),
	 .min = 1,
	 .max = TRIES_MAX,
	 .help = "requests to end, at most (2)",
	 .form = A_COUNT},
};

static const struct option_row multilink_rows[] = {
	OPTION_OFF("no-multilink", ppp.multilink, "a plain link: one line only"),
	{.name = "mrru",
	 .value = " N",
	 .take = config_take_u16,
	 .give = give_mrru,
	 OPTION_IN(ppp.mrru),
	 .min = UNIT_MIN,
	 .max = UNIT_MAX,
	 .help = "largest packet we put together (1500, or --mtu)",
	 .form = A_UNIT},
	OPTION_ON("short-sequence", ppp.short_sequence, "headers of two bytes less, for few lines"),
	{.name = "max-fragment-delay",
	 .value = " TIME",
	 OPTION_PLAIN(time, ppp.max_fragment_delay),
	 .max = 10 * (uint64_t)SB_SEC,
	 .help = "a sparse packet waits less (50ms); 0: any",
	 .form = A_TIME("10s")},
	{.name = "endpoint",
	 .value = " KIND:VALUE",
	 .take = take_endpoint,
	 .give = give_endpoint,
	 .made_up = true,
	 .help = "who we are to the peer (random); null: not told",
	 .form = ENDPOINT_FORM},
};

static_assert(UNIT_MIN == 128 && UNIT_MAX == 9216, "A_UNIT says so");
static_assert(TRIES_MAX == 100, "A_COUNT says so");

const struct option_group config_line_group = {
	.title = "Lines", .rows = line_rows, .count = OPTION_COUNT(line_rows)};
const struct option_group config_ppp_group = {
	.title = "PPP links", .rows = ppp_rows, .count = OPTION_COUNT(ppp_rows), .ppp = true};
const struct option_group config_multilink_group = {.title = "Multilink",
						    .rows = multilink_rows,
						    .count = OPTION_COUNT(multilink_rows),
						    .ppp = true};
