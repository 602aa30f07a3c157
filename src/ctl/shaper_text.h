/* SPDX-License-Identifier: MIT */
/* What the shaper assumes, and what its tiers did, as text for people. Pure. */
#ifndef SRC_CTL_SHAPER_TEXT_H
#define SRC_CTL_SHAPER_TEXT_H

#include <jansson.h>
#include <stdio.h>

void shaper_text(const json_t *document, FILE *);

#endif
