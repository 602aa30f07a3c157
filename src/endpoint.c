/* SPDX-License-Identifier: MIT */
/*
 * Endpoint discriminators: by these, and by the name it proved, the other end
 * tells which links are from the same bundle.
 *
 * Whoever has several bundles to one peer needs different ones, and after a
 * restart a link must not join the bundle that the peer still has of the process
 * before: its sequence numbers begin anew. So the default is a block of magic
 * numbers (class 4), made once per process, not an address of the host.
 */
#define _DEFAULT_SOURCE
#include "src/endpoint.h"

#include "src/entropy.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

enum class { CLASS_NULL, CLASS_LOCAL, CLASS_IP, CLASS_MAC, CLASS_MAGIC, CLASS_PHONE };

enum { RANDOM_SIZE = 8 };

static const struct kind {
	const char *name;
	uint8_t least, most, step; /* bytes of the address, a multiple of step */
} kinds[] = {
	[CLASS_NULL] = {"null", 0, 0, 1},    [CLASS_LOCAL] = {"local", 1, 20, 1},
	[CLASS_IP] = {"IP", 4, 4, 4},        [CLASS_MAC] = {"MAC", 6, 6, 6},
	[CLASS_MAGIC] = {"magic", 4, 20, 4}, [CLASS_PHONE] = {"phone", 1, 15, 1},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static int hex_value(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;
	return at ? (int)(at - digits) % 16 : -1;
}

/* Pairs of digits, with '.' or ':' between them or nothing. */
static bool read_hex(const char *text, struct endpoint *e)
{
	while (*text) {
		int high = hex_value(text[0]), low = high < 0 ? -1 : hex_value(text[1]);
		if (low < 0 || e->length == sizeof(e->address))
			return false;
		e->address[e->length++] = (uint8_t)(high << 4 | low);
		text += 2;
		if ((*text == ':' || *text == '.') && text[1])
			text++;
	}
	return true;
}

/* "Directory number in ASCII", E.164. */
static bool read_phone(const char *text, struct endpoint *e)
{
	size_t length = strlen(text);
	if (length > sizeof(e->address) || strspn(text, "0123456789") != length)
		return false;
	memcpy(e->address, text, length);
	e->length = (uint8_t)length;
	return true;
}

static bool read_ip(const char *text, struct endpoint *e)
{
	e->length = 4;
	return inet_pton(AF_INET, text, e->address) == 1;
}

static bool read_value(const char *text, struct endpoint *e)
{
	switch (e->class) {
	case CLASS_IP:
		return read_ip(text, e);
	case CLASS_PHONE:
		return read_phone(text, e);
	default:
		return read_hex(text, e);
	}
}

static bool find_kind(const char *name, size_t length, uint8_t *class)
{
	for (uint8_t k = 0; k < KINDS; k++) {
		if (strlen(kinds[k].name) == length && strncmp(kinds[k].name, name, length) == 0) {
			*class = k;
			return true;
		}
	}
	return false;
}

bool endpoint_parse(const char *text, struct endpoint *to)
{
	struct endpoint e = {0};
	size_t length = strcspn(text, ":");
	const char *value = text[length] ? text + length + 1 : "";
	if (!find_kind(text, length, &e.class) || !read_value(value, &e))
		return false;
	const struct kind *kind = &kinds[e.class];
	if (e.length < kind->least || e.length > kind->most || e.length % kind->step != 0)
		return false;
	*to = e;
	return true;
}

/* A peer's may be anything. */
static bool is_number(const struct endpoint *e)
{
	for (uint8_t i = 0; i < e->length; i++) {
		if (e->address[i] < '0' || e->address[i] > '9')
			return false;
	}
	return true;
}

static void put_hex(char *to, const struct endpoint *e)
{
	for (uint8_t i = 0; i < e->length; i++)
		to += sprintf(to, "%s%02x", i ? ":" : "", e->address[i]);
}

const char *endpoint_text(char to[static ENDPOINT_TEXT_SIZE], const struct endpoint *e)
{
	const char *name = e->class < KINDS ? kinds[e->class].name : "unknown";
	int at = snprintf(to, ENDPOINT_TEXT_SIZE, "%s%s", name, e->length ? ":" : "");
	if (e->class == CLASS_PHONE && is_number(e))
		snprintf(to + at, ENDPOINT_TEXT_SIZE - (size_t)at, "%.*s", e->length,
			 (const char *)e->address);
	else if (e->class == CLASS_IP && e->length == 4)
		inet_ntop(AF_INET, e->address, to + at, (socklen_t)(ENDPOINT_TEXT_SIZE - at));
	else
		put_hex(to + at, e);
	return to;
}

struct endpoint endpoint_random(void)
{
	struct endpoint e = {.class = CLASS_MAGIC, .length = RANDOM_SIZE};
	for (unsigned i = 0; i < RANDOM_SIZE; i++)
		e.address[i] = (uint8_t)entropy_u32(NULL);
	return e;
}
