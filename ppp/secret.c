/* SPDX-License-Identifier: MIT */
/*
 * Finding a secret, and handling one without telling what it is.
 */
#include "ppp/secret.h"

/* How well a row's word fits a name: 0 not at all, 1 as any would, 2 by name. */
static unsigned fit(const char *word, const char *name)
{
	if (strcmp(word, "*") == 0)
		return 1;
	return name[0] && strcmp(word, name) == 0 ? 2 : 0;
}

/* An unknown server may be any; an unknown client is nobody. */
static unsigned row_fit(const struct secret *row, const char *client, const char *server)
{
	unsigned by_client = fit(row->client, client);
	unsigned by_server = server[0] ? fit(row->server, server) : 1;
	return by_client && by_server ? by_client + 2 * by_server : 0;
}

const struct secret *secret_find(const struct secrets *secrets, const char *client,
				 const char *server)
{
	const struct secret *best = NULL;
	unsigned best_fit = 0;
	for (size_t i = 0; secrets && i < secrets->count; i++) {
		unsigned this_fit = row_fit(&secrets->rows[i], client, server);
		if (this_fit > best_fit) {
			best_fit = this_fit;
			best = &secrets->rows[i];
		}
	}
	return best;
}

bool secret_equal(struct bytes given, struct bytes ours)
{
	size_t difference = given.length ^ ours.length;
	for (size_t i = 0; i < given.length; i++)
		difference |= (size_t)(given.at[i] ^ (i < ours.length ? ours.at[i] : 0));
	return difference == 0;
}

/* A plain memset of what is read no more would be left out by the compiler. */
void secret_wipe(void *at, size_t length)
{
	volatile uint8_t *byte = at;
	while (length--)
		*byte++ = 0;
}
