/* SPDX-License-Identifier: MIT */
/* A configuration as a file that says the same. */
#ifndef SRC_CONFIG_WRITE_H
#define SRC_CONFIG_WRITE_H

#include "src/config.h"

#include <stdio.h>

void config_write(const struct config *, FILE *);
/* "KEY = VALUE", broken in several lines if it is long. */
void config_write_key(FILE *, const char *key, const char *value);

#endif
