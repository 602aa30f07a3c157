/* SPDX-License-Identifier: MIT */
/*
 * The status as /proc/net/bonding/bondX has it, for eyes and scripts that know that. Pure, like
 * status_text.h.
 */
#ifndef SRC_CTL_BONDING_TEXT_H
#define SRC_CTL_BONDING_TEXT_H

#include <jansson.h>
#include <stdio.h>

void bonding_text(const json_t *status, FILE *);

#endif
