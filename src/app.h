/* SPDX-License-Identifier: MIT */
/* The running program: event loop, signals, TUN, addresses, reports. */
#ifndef SRC_APP_H
#define SRC_APP_H

#include "src/config.h"

/* Runs until told to stop. Returns the exit status; what went wrong has been said. */
enum exit_status app_run(const struct config *, int argc, char *argv[]);

#endif
