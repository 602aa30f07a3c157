/* SPDX-License-Identifier: MIT */
/*
 * Values as people write them.
 *
 * Rates and times are decimal fractions with a unit. They are read in whole
 * numbers: 57.6k is 576 times 1000 / 10, and a value that does not come out
 * even (0.5 bits per second) is refused instead of rounded.
 */
#define _DEFAULT_SOURCE
#include "src/parse.h"

#include <arpa/inet.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t scale;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* value = value * 10 + digit, unless it would overflow. */
static bool push_digit(uint64_t *value, char digit)
{
	unsigned d = (unsigned)(digit - '0');
	if (*value > (UINT64_MAX - d) / 10)
		return false;
	*value = *value * 10 + d;
	return true;
}

/* Digits with at most one point between two of them; *divisor is 10^(digits behind it). */
static bool scan_decimal(const char **text, uint64_t *digits, uint64_t *divisor)
{
	const char *s = *text;
	*digits = 0;
	*divisor = 1;
	bool point = false;
	for (; is_digit(*s) || (*s == '.' && !point && s > *text && is_digit(s[1])); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		if (!push_digit(digits, *s) || (point && !push_digit(divisor, '0')))
			return false;
	}
	bool any = s > *text;
	*text = s;
	return any;
}

static bool scaled(const char *text, const struct unit units[], size_t count, uint64_t *value)
{
	uint64_t digits, divisor;
	if (!scan_decimal(&text, &digits, &divisor))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(text, units[i].name) != 0)
			continue;
		if (digits > UINT64_MAX / units[i].scale)
			return false;
		*value = digits * units[i].scale / divisor;
		return digits * units[i].scale % divisor == 0;
	}
	return false;
}

bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *to)
{
	uint64_t value = 0;
	if (!*text)
		return false;
	for (; *text; text++) {
		if (!is_digit(*text) || !push_digit(&value, *text))
			return false;
	}
	if (value < min || value > max)
		return false;
	*to = value;
	return true;
}

bool parse_rate(const char *text, uint64_t min, uint64_t max, uint64_t *to)
{
	static const struct unit units[] = {{"", 1},
					    {"k", 1000},
					    {"M", 1000000},
					    {"G", 1000000000},
					    {"bit", 1},
					    {"kbit", 1000},
					    {"Mbit", 1000000},
					    {"mbit", 1000000},
					    {"Gbit", 1000000000},
					    {"gbit", 1000000000}};
	uint64_t value;
	if (!scaled(text, units, sizeof(units) / sizeof(units[0]), &value))
		return false;
	if (value < min || value > max)
		return false;
	*to = value;
	return true;
}

bool parse_percent(const char *text, uint64_t per_percent, uint64_t max, uint64_t *to)
{
	const struct unit percent = {"%", per_percent};
	uint64_t value;
	if (!scaled(text, &percent, 1, &value) || value > max)
		return false;
	*to = value;
	return true;
}

bool parse_time(const char *text, sb_time max, sb_time *to)
{
	static const struct unit units[] = {
		{"us", SB_US},        {"ms", SB_MS},        {"s", SB_SEC},
		{"min", 60 * SB_SEC}, {"h", 3600 * SB_SEC},
	};
	uint64_t value = 0;
	if (strcmp(text, "0") != 0 &&
	    !scaled(text, units, sizeof(units) / sizeof(units[0]), &value))
		return false;
	if (value > (uint64_t)max)
		return false;
	*to = (sb_time)value;
	return true;
}

static bool parse_bare_address(const char *text, struct netif_address *to)
{
	if (inet_pton(AF_INET, text, &to->local.v4) == 1)
		to->family = AF_INET;
	else if (inet_pton(AF_INET6, text, &to->local.v6) == 1)
		to->family = AF_INET6;
	else
		return false;
	return true;
}

bool parse_address(const char *text, struct netif_address *to, int *prefix)
{
	struct netif_address address = {0};
	char bare[INET6_ADDRSTRLEN];
	const char *slash = strchr(text, '/');
	size_t length = slash ? (size_t)(slash - text) : strlen(text);
	if (length >= sizeof(bare))
		return false;
	memcpy(bare, text, length);
	bare[length] = '\0';
	if (!parse_bare_address(bare, &address))
		return false;
	uint64_t bits = 0;
	if (slash && !parse_number(slash + 1, 1, address.family == AF_INET ? 32 : 128, &bits))
		return false;
	*prefix = slash ? (int)bits : PARSE_NO_PREFIX;
	*to = address;
	return true;
}

bool parse_is_host(const struct netif_address *a)
{
	if (a->family == AF_INET6) {
		const struct in6_addr *v6 = &a->local.v6;
		return !IN6_IS_ADDR_UNSPECIFIED(v6) && !IN6_IS_ADDR_LOOPBACK(v6) &&
		       !IN6_IS_ADDR_MULTICAST(v6) && !IN6_IS_ADDR_V4MAPPED(v6);
	}
	/* 0/8 (RFC 1122, 3.2.1.3), 127/8, 224/4 (RFC 1112) and above */
	uint8_t first = (uint8_t)(ntohl(a->local.v4.s_addr) >> 24);
	return first != 0 && first != 127 && first < 224;
}
