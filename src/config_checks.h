/* SPDX-License-Identifier: MIT */
/* Between the files that settle what several options say together; config_settle.c runs them. */
#ifndef SRC_CONFIG_CHECKS_H
#define SRC_CONFIG_CHECKS_H

#include "src/config_settle.h"

#include <netinet/in.h>

struct settling {
	struct config *config;
	struct config_loose *loose;
	struct config_voice *voice;
};

/*
 * Always false, so that a check can end with them. What is said follows the option's or the
 * device's name, and says where that stands when it is in a file.
 */
__attribute__((format(printf, 3, 4))) bool settle_refuse(struct settling *, const char *option,
							 const char *format, ...);
__attribute__((format(printf, 3, 4))) bool
settle_refuse_line(struct settling *, const struct line_config *, const char *format, ...);
bool settle_is_given(const struct settling *, const char *option);
const char *settle_address_text(const struct netif_address *, char to[static INET6_ADDRSTRLEN]);

/* Checks: false when one has refused. */
bool settle_rules(struct settling *); /* options that need or exclude one another */
bool settle_encapsulations(struct settling *);
bool settle_answering(struct settling *);
bool settle_multilink(struct settling *);
bool settle_flow(struct settling *);
bool settle_negotiated(struct settling *); /* after the addresses are paired */
bool settle_units(struct settling *);      /* after the MTU */
bool settle_secrets(struct settling *);
bool settle_names(struct settling *);
bool settle_limits(struct settling *);
bool settle_modes(struct settling *); /* after the lines */
bool settle_shape(struct settling *);
bool settle_programs(struct settling *);
bool settle_scripts(struct settling *);

#endif
