/* SPDX-License-Identifier: MIT */
/*
 * Files of secrets, pap-secrets and chap-secrets, as pppd(8) has them: rows of
 *
 *	client server secret [address...]
 *
 * in words that are quoted, escaped and commented as there; "*" is any name, and a
 * secret of the form @/path is the first word of that file.
 */
#ifndef SRC_SECRETS_H
#define SRC_SECRETS_H

#include "ppp/secret.h"

struct secrets_file;

/*
 * NULL on failure, and `why` says which file, which line and what (never a secret).
 * A file that anybody but its owner may read or write is not taken.
 */
struct secrets_file *secrets_read(const char *path, char *why, size_t why_size);
/* Valid as long as the file is not freed. */
const struct secrets *secrets_rows(const struct secrets_file *);
/* Wipes what it held; NULL is nothing. */
void secrets_free(struct secrets_file *);

#endif
