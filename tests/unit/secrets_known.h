/* SPDX-License-Identifier: MIT */
/* Nobody's secrets, and alice's. */
#ifndef TESTS_UNIT_SECRETS_KNOWN_H
#define TESTS_UNIT_SECRETS_KNOWN_H

#include "ppp/secret.h"

static const struct secrets no_secrets;
static const struct secret alices_secret = {"alice", "*", "secret", NULL};
static const struct secrets alices_secrets = {&alices_secret, 1};

#endif
