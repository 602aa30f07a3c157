/* SPDX-License-Identifier: MIT */
/*
 * What depends on several options at once: checked and filled in.
 */
#ifndef SRC_CONFIG_SETTLE_H
#define SRC_CONFIG_SETTLE_H

#include "src/config.h"

/* What options said that has its place in struct config only when all are known. */
enum { CONFIG_MAX_GIVEN = 96 };

struct config_loose {
	const char *given[CONFIG_MAX_GIVEN]; /* names of options, each once */
	unsigned given_count;
	const char *given_ppp;          /* the first one of those for PPP, or NULL */
	const struct encap_kind *encap; /* of lines that name none; NULL: not said */
	struct netif_address remotes[CONFIG_MAX_ADDRESSES]; /* family and local are set */
	unsigned remote_count;
	bool has_prefix[CONFIG_MAX_ADDRESSES]; /* config.addresses[i] was given with one */
};

/*
 * False: why says what is wrong. True: the config is complete, and note says
 * what the user may not expect, or is "".
 */
bool config_settle(struct config *, const struct config_loose *, char *why, size_t why_size,
		   char *note, size_t note_size);

#endif
