/* SPDX-License-Identifier: MIT */
#ifndef SRC_CONFIG_MODEM_H
#define SRC_CONFIG_MODEM_H

#include "src/config.h"

/* What does not go together in it, as a sentence without full stop; NULL: it is fine. */
const char *config_modem_settle(const struct modem_config *);

#endif
