/* SPDX-License-Identifier: MIT */
/*
 * Who shares which secret with whom: the rows of a secrets file, in memory, as
 * pppd(8) section AUTHENTICATION has them. Reading the file is the shell's.
 */
#ifndef PPP_SECRET_H
#define PPP_SECRET_H

#include "serialbundle/bytes.h"

struct secret {
	const char *client, *server; /* "*": any */
	const char *secret;
	const char *const
		*addresses; /* the words after it, for the client; NULL-terminated, or NULL */
};

struct secrets {
	const struct secret *rows;
	size_t count;
};

/*
 * The row for that client to prove itself to that server: exact names before "*",
 * the server's more so, and of several the first. The server "" is one that told no
 * name: any row will do; a client "" has those of "*" alone. NULL: none, also of no
 * secrets (NULL).
 */
const struct secret *secret_find(const struct secrets *, const char *client, const char *server);

/* Whether they are the same, in a time that does not tell where they differ. */
bool secret_equal(struct bytes given, struct bytes ours);
/* Zeroes what held a secret, though nobody reads it again. */
void secret_wipe(void *at, size_t length);

#endif
