/* SPDX-License-Identifier: MIT */
/*
 * Names of hosts by their addresses. Asking for one may take long, over a slow line more than ever,
 * so a child process does it; until it has answered there is no name.
 */
#ifndef SRC_CTL_TOP_NAMES_H
#define SRC_CTL_TOP_NAMES_H

struct top_names;

struct top_names *top_names_new(void); /* NULL: there is no more memory, or process */
void top_names_free(struct top_names *);
/* To poll; when it can be read: */
int top_names_fd(const struct top_names *);
void top_names_read(struct top_names *);
/* NULL: it has none, or is being asked for. */
const char *top_names_get(struct top_names *, const char *address);

#endif
