/* SPDX-License-Identifier: MIT */
/*
 * A bonding stanza of ifupdown's /etc/network/interfaces, as ifenslave has it:
 *
 *   auto bond0                           iface bond0 inet static
 *   iface bond0 inet static                  address 10.31.1.5/24
 *       address 10.31.1.5                    bond-slaves none
 *       netmask 255.255.255.0
 *       gateway 10.31.1.254              iface ttyS0 inet manual
 *       slaves all                           bond-master bond0
 *       bond-mode 0                          bond-primary ttyS0
 *       bond-miimon 100
 *
 * The first stanza that has slaves is taken, whether it names them itself or they name it as their
 * master, before it or behind; then what they say of the bond holds where it says nothing.
 * bond-WORD is our option WORD, where there is one of that name, and is checked as that. What is
 * not serialbundle's business stays, as a comment that says so. Rates are not in such a file, so
 * the lines get one that has to be put right.
 */
#define _DEFAULT_SOURCE
#include "src/config_import.h"

#include "src/config_keys.h"
#include "src/config_value.h"
#include "src/config_write.h"
#include "src/parse.h"
#include "src/text.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TEXT_SIZE = 1024,
	SLAVES_SIZE = 2 * TEXT_SIZE,
	NOTES_SIZE = 4096,
	NOTE_MAX = 1280,
	OPTIONS_MAX = 32,
	VALUE_SIZE = 64
};

struct bond_option {
	const char *name; /* ours */
	char value[VALUE_SIZE];
};

/* A stanza: of a bond, of one of its slaves, or of any other interface. */
struct bond {
	struct bond *next;
	char ifname[IFNAMSIZ], master[IFNAMSIZ];
	char address[CONFIG_NAME_SIZE], netmask[CONFIG_NAME_SIZE], remote[CONFIG_NAME_SIZE];
	char mtu[CONFIG_NAME_SIZE];
	bool has_gateway, has_slaves, all;
	char slaves[SLAVES_SIZE];
	struct bond_option options[OPTIONS_MAX];
	unsigned option_count;
	char notes[NOTES_SIZE]; /* comments, each with its end of line */
};

struct ifupdown {
	struct config_voice *voice;
	struct config_place place;
	struct bond current;
	bool in_stanza;
	struct bond *kept;      /* those that are complete */
	char ttys[TEXT_SIZE];   /* that have stanzas of their own */
	struct config *scratch; /* takes values, to see whether they are right */
};

/* --- what the words mean -----------------------------------------------------------------------
 */

static void note(struct bond *b, const char *word, const char *value, const char *why)
{
	size_t at = strlen(b->notes);
	if (at + NOTE_MAX < sizeof(b->notes))
		snprintf(b->notes + at, sizeof(b->notes) - at, "# %s %s: %s\n", word, value, why);
}

static bool is_address(const char *value)
{
	struct netif_address address;
	int prefix;
	return parse_address(value, &address, &prefix) && parse_is_host(&address);
}

static bool take_address(struct bond *b, const char *value)
{
	return is_address(value) && value_take_text(b->address, sizeof(b->address), value);
}

static bool take_peer(struct bond *b, const char *value)
{
	return is_address(value) && value_take_text(b->remote, sizeof(b->remote), value);
}

/* Of an interface that is not the bond it may be any. */
static bool take_mtu(struct bond *b, const char *value)
{
	uint64_t mtu;
	if (parse_number(value, CONFIG_MTU_MIN, CONFIG_MTU_MAX, &mtu))
		return value_take_text(b->mtu, sizeof(b->mtu), value);
	note(b, "mtu", value, "is none that a bundle can have");
	return *value != '\0';
}

/* The number of its leading ones; -1: it is no mask. */
static int mask_length(const char *text)
{
	struct in_addr a;
	uint64_t length;
	if (parse_number(text, 1, 32, &length))
		return (int)length;
	if (inet_pton(AF_INET, text, &a) != 1)
		return -1;
	uint32_t mask = ntohl(a.s_addr);
	int n = 0;
	while (mask & UINT32_C(0x80000000)) {
		mask <<= 1;
		n++;
	}
	return mask == 0 && n > 0 ? n : -1;
}

static bool take_netmask(struct bond *b, const char *value)
{
	int length = mask_length(value);
	if (length < 0)
		return false;
	snprintf(b->netmask, sizeof(b->netmask), "/%d", length);
	return true;
}

static bool take_gateway(struct bond *b, const char *value)
{
	b->has_gateway = true;
	note(b, "gateway", value, "is at the other end; the route needs no address");
	return is_address(value);
}

/* What a line can be called after, with or without its directory. */
static bool is_device(const char *word, size_t length)
{
	const char *base = word;
	for (const char *c = word; c < word + length; c++) {
		if (*c == '/')
			base = c + 1;
		else if (!config_is_name_character(*c))
			return false;
	}
	size_t name = (size_t)(word + length - base);
	return name && name < CONFIG_NAME_SIZE && *base != '.' && *base != '-';
}

static bool are_devices(const char *words)
{
	const char *at = words;
	for (size_t n; *at; at += n + strspn(at + n, " \t")) {
		n = strcspn(at, " \t");
		if (!is_device(at, n))
			return false;
	}
	return at > words;
}

static bool take_slaves(struct bond *b, const char *value)
{
	b->has_slaves = strcmp(value, "none") != 0;
	b->all = strcmp(value, "all") == 0;
	snprintf(b->slaves, sizeof(b->slaves), "%s", b->all || !b->has_slaves ? "" : value);
	return are_devices(value);
}

static bool take_master(struct bond *b, const char *value)
{
	return is_device(b->ifname, strlen(b->ifname)) &&
	       value_take_text(b->master, sizeof(b->master), value);
}

static const struct word {
	const char *name;
	bool (*take)(struct bond *, const char *value);
} words[] = {
	{"address", take_address},    {"netmask", take_netmask},
	{"gateway", take_gateway},    {"slaves", take_slaves},
	{"bond-slaves", take_slaves}, {"bond_slaves", take_slaves},
	{"bond-master", take_master}, {"bond_master", take_master},
	{"pointopoint", take_peer},   {"mtu", take_mtu},
};

/* --- options -----------------------------------------------------------------------------------
 */

static unsigned find_option(const struct bond *b, const char *name)
{
	unsigned i = 0;
	while (i < b->option_count && strcmp(b->options[i].name, name) != 0)
		i++;
	return i;
}

/* Once each; the last one holds, as with bonding. */
static void keep_option(struct bond *b, const char *name, const char *value)
{
	unsigned i = find_option(b, name);
	if (i == OPTIONS_MAX)
		return;
	b->option_count += i == b->option_count;
	b->options[i].name = name;
	snprintf(b->options[i].value, VALUE_SIZE, "%.*s", VALUE_SIZE - 1, value);
}

/* Of several lines or addresses the first one; of a device the name of its line. */
static void first_of(const char *value, bool is_device, char to[static VALUE_SIZE])
{
	size_t n = strcspn(value, ", \t");
	snprintf(to, VALUE_SIZE, "%.*s", (int)(n < VALUE_SIZE ? n : VALUE_SIZE - 1), value);
	const char *slash = is_device ? strrchr(to, '/') : NULL;
	if (slash)
		memmove(to, slash + 1, strlen(slash));
}

static bool take_option(struct ifupdown *f, const struct option_row *row, const char *word,
			const char *value)
{
	struct config_args args = {.config = f->scratch, .voice = f->voice, .place = f->place};
	char text[CONFIG_TEXT_SIZE], first[VALUE_SIZE];
	first_of(value, strcmp(row->name, "primary") == 0, first);
	if (!row->take(&args, row, first))
		return config_complain(f->voice, f->place, "%s %s: %s%s", word,
				       *value ? value : "''", args.why[0] ? "" : "expected ",
				       args.why[0] ? args.why : row->form);
	if (strpbrk(value, ", \t"))
		note(&f->current, word, value, "only the first one");
	row->give(f->scratch, row, 0, text);
	keep_option(&f->current, row->name, text);
	return true;
}

/* bond-WORD or bond_WORD. */
static void read_bonding(struct ifupdown *f, const char *word, const char *value)
{
	const char *name = word + strlen("bond-"), *foreign = config_option_foreign(name);
	const struct option_group *group;
	const struct option_row *row = config_option_named(name, &group);
	if (row && group == &config_modes_group)
		take_option(f, row, word, value);
	else
		note(&f->current, word, value, foreign ? foreign : "left out");
}

/* --- reading -----------------------------------------------------------------------------------
 */

static void keep_stanza(struct ifupdown *f)
{
	struct bond **end = &f->kept;
	while (*end)
		end = &(*end)->next;
	*end = malloc(sizeof(**end));
	if (*end)
		**end = f->current;
	else
		config_complain(f->voice, f->place, "out of memory");
}

static void end_stanza(struct ifupdown *f)
{
	if (f->in_stanza)
		keep_stanza(f);
	f->in_stanza = false;
}

/* "iface bond0 inet static" */
static void begin_stanza(struct ifupdown *f, const char *value)
{
	char name[TEXT_SIZE] = "";
	sscanf(value, "%1023s", name);
	f->in_stanza = true;
	f->current = (struct bond){0};
	if (!value_take_text(f->current.ifname, sizeof(f->current.ifname), name))
		config_complain(f->voice, f->place, "iface '%s': not a name for an interface",
				name);
	size_t at = strlen(f->ttys);
	if (strncmp(name, "tty", 3) == 0 && is_device(name, strlen(name)))
		snprintf(f->ttys + at, sizeof(f->ttys) - at, "%s ", name);
}

/* Words that are ifupdown's own begin something else. */
static bool begins_other(const char *word)
{
	static const char *const others[] = {
		"auto", "mapping", "source", "source-directory", "no-auto-down", "rename"};
	for (size_t i = 0; i < OPTION_COUNT(others); i++) {
		if (strcmp(others[i], word) == 0)
			return true;
	}
	return strncmp(word, "allow-", strlen("allow-")) == 0;
}

static void read_option(struct ifupdown *f, const char *word, const char *value)
{
	for (size_t i = 0; i < OPTION_COUNT(words); i++) {
		if (strcmp(words[i].name, word) != 0)
			continue;
		if (!words[i].take(&f->current, value))
			config_complain(f->voice, f->place, "%s %s: not understood", word,
					*value ? value : "''");
		return;
	}
	if (strncmp(word, "bond-", 5) == 0 || strncmp(word, "bond_", 5) == 0)
		read_bonding(f, word, value);
	else
		note(&f->current, word, value, "left out");
}

static void read_word(struct ifupdown *f, const char *word, const char *value)
{
	if (strcmp(word, "iface") == 0 || begins_other(word))
		end_stanza(f);
	if (strcmp(word, "iface") == 0)
		begin_stanza(f, value);
	else if (f->in_stanza)
		read_option(f, word, value);
}

static void read_line(struct ifupdown *f, char *text)
{
	char *value, *word = import_split(text, &value);
	if (!word)
		return;
	text_clean(word);
	text_clean(value);
	read_word(f, word, value);
}

static bool read_lines(struct ifupdown *f, FILE *from)
{
	enum { MANY_ERRORS = 20 };
	char text[TEXT_SIZE];
	while (f->voice->errors < MANY_ERRORS && fgets(text, sizeof(text), from)) {
		f->place.line++;
		if (strlen(text) == sizeof(text) - 1)
			return config_complain(f->voice, f->place, "longer than %d characters",
					       TEXT_SIZE - 2);
		read_line(f, text);
	}
	end_stanza(f);
	return f->voice->errors == 0;
}

/* --- who belongs to whom -----------------------------------------------------------------------
 */

static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);
	for (size_t n; *text; text += n + strspn(text + n, " \t")) {
		n = strcspn(text, " \t");
		if (n == length && strncmp(text, word, n) == 0)
			return true;
	}
	return false;
}

/* A slave that names its master. */
static void enslave(struct bond *b, const struct bond *slave)
{
	size_t at = strlen(b->slaves);
	if (!b->all && !has_word(b->slaves, slave->ifname))
		snprintf(b->slaves + at, sizeof(b->slaves) - at, "%s%s", at ? " " : "",
			 slave->ifname);
	b->has_slaves = true;
	for (unsigned i = 0; i < slave->option_count; i++) {
		const struct bond_option *o = &slave->options[i];
		if (find_option(b, o->name) == b->option_count)
			keep_option(b, o->name, o->value);
	}
}

/* NULL: no stanza has slaves. */
static const struct bond *find_bond(const struct ifupdown *f)
{
	for (struct bond *b = f->kept; b; b = b->next) {
		for (const struct bond *slave = f->kept; slave; slave = slave->next) {
			if (strcmp(slave->master, b->ifname) == 0)
				enslave(b, slave);
		}
		if (b->has_slaves)
			return b;
	}
	return NULL;
}

static void forget_stanzas(struct ifupdown *f)
{
	while (f->kept) {
		struct bond *next = f->kept->next;
		free(f->kept);
		f->kept = next;
	}
}

/* --- writing -----------------------------------------------------------------------------------
 */

/* A prefix is of no use beside a --remote, and not taken. */
static void write_address(const struct bond *b, FILE *to)
{
	char address[2 * CONFIG_NAME_SIZE];
	size_t length = strcspn(b->address, "/");
	const char *prefix = b->address[length] ? b->address + length : b->netmask;
	snprintf(address, sizeof(address), "%.*s%s", (int)length, b->address,
		 *b->remote ? "" : prefix);
	if (*b->address)
		config_write_key(to, "local", address);
}

static void write_bundle(const struct bond *b, FILE *to)
{
	fprintf(to, "[bundle]\nname = %s\n%s", b->ifname, b->notes);
	write_address(b, to);
	if (*b->mtu)
		config_write_key(to, "mtu", b->mtu);
	if (*b->remote)
		config_write_key(to, "remote", b->remote);
	if (b->has_gateway)
		config_write_key(to, "default-route", "yes");
	if (b->all)
		config_write_key(to, "lines", "all");
	for (unsigned i = 0; i < b->option_count; i++)
		config_write_key(to, b->options[i].name, b->options[i].value);
}

static void write_lines(const char *names, FILE *to)
{
	char copy[SLAVES_SIZE], *rest;
	snprintf(copy, sizeof(copy), "%s", names);
	for (char *name = strtok_r(copy, " \t", &rest); name; name = strtok_r(NULL, " \t", &rest)) {
		const char *slash = strrchr(name, '/');
		fprintf(to, "\n[line %s]\ndevice = %s%s\n", slash ? slash + 1 : name,
			slash ? "" : "/dev/", name);
		fprintf(to, "# The rate is not in that file: put it right.\nbps = 115200\n");
	}
}

static bool import(struct ifupdown *f, FILE *from, const char *name, FILE *to)
{
	if (!read_lines(f, from))
		return false;
	const struct bond *bond = find_bond(f);
	if (!bond)
		return config_complain(f->voice, (struct config_place){.file = name},
				       "no stanza in it has slaves");
	config_write_origin(to, name, "ifupdown");
	write_bundle(bond, to);
	write_lines(bond->all ? f->ttys : bond->slaves, to);
	return true;
}

bool import_ifupdown(FILE *from, const char *name, struct config_voice *voice, FILE *to)
{
	struct ifupdown f = {
		.voice = voice, .place = {.file = name}, .scratch = calloc(1, sizeof(*f.scratch))};
	bool fine = f.scratch ? import(&f, from, name, to)
			      : config_complain(voice, f.place, "out of memory");
	forget_stanzas(&f);
	free(f.scratch);
	return fine;
}
