/* SPDX-License-Identifier: MIT */
/* What serialbundlectl can do. */
#ifndef SRC_CTL_COMMANDS_H
#define SRC_CTL_COMMANDS_H

#include "src/ctl/client.h"

/* What the command line says. */
struct ctl_options {
	const char *socket; /* -s; "" : to be found */
	const char *bundle; /* -b; "" */
	bool json, pretty;  /* -j, -p */
	bool colour;        /* it was decided: yes or no */
	bool bonding;       /* --bonding */
};

enum { CTL_WORDS = 4 }; /* of a request, besides the command */

struct ctl_command {
	const char *name;
	unsigned least, most; /* words behind it */
	enum ctl_exit (*run)(const struct ctl_options *, const struct ctl_command *, char *words[],
			     unsigned count);
	const char *usage, *help;
	const char
		*members[CTL_WORDS]; /* of the request that the words are, if it is that simple */
};

/* Ends with a row without a name. */
extern const struct ctl_command ctl_commands[];

/* The connection that the options ask for. NULL: it was said why, and *e is the exit status. */
struct ctl_client *ctl_open(const struct ctl_options *, enum ctl_exit *e);
/* "serialbundlectl: ..." on standard error; returns CTL_FAILED. */
enum ctl_exit ctl_fail(const struct ctl_why *);

#endif
