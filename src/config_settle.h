/* SPDX-License-Identifier: MIT */
/*
 * What depends on several options at once: checked and filled in.
 */
#ifndef SRC_CONFIG_SETTLE_H
#define SRC_CONFIG_SETTLE_H

#include "src/config.h"
#include "src/config_voice.h"

/* What options said that has its place in struct config only when all are known. */
enum { CONFIG_MAX_GIVEN = 128, CONFIG_MAX_NAMES = 256 }; /* options; and what they are called */

struct config_given {
	const char *name; /* of an option */
	struct config_place place;
	bool off; /* a flag that was said to be off */
};

/* Where a line is, and its script; the latter is known of files only. */
struct config_line_place {
	struct config_place line, chat;
};

struct config_loose {
	struct config_given given[CONFIG_MAX_GIVEN]; /* each once */
	unsigned given_count;
	const char *given_ppp;          /* the first one of those for PPP, or NULL */
	const struct encap_kind *encap; /* of lines that name none; NULL: not said */
	struct netif_address remotes[CONFIG_MAX_ADDRESSES]; /* family and local are set */
	unsigned remote_count;
	bool has_prefix[CONFIG_MAX_ADDRESSES]; /* config.addresses[i] was given with one */
	struct config_line_place line_places[CONFIG_MAX_LINES];
	char chosen[CONFIG_TEXT_SIZE]; /* names of the lines that are wanted of a file; "": all */
};

/* What was said of an option, be it that a flag is off; NULL: nothing. */
const struct config_given *config_find_given(const struct config_loose *, const char *option);

/*
 * False: it was said what is wrong. True: the config is complete, and it was remarked what
 * the user may not expect.
 */
bool config_settle(struct config *, struct config_loose *, struct config_voice *);
/* Of a file with errors: says what can be told of the rest all the same. */
void config_settle_broken(struct config *, struct config_loose *, struct config_voice *);

#endif
