/* SPDX-License-Identifier: MIT */
/*
 * The control socket: lines in, a line out for each.
 *
 *   hangup NAME [FOR]     return NAME     drop NAME     set NAME key=value
 *   phone NUMBER=OUTCOME     report
 */
#ifndef NULLMODEM_CONTROL_H
#define NULLMODEM_CONTROL_H

#include "src/nullmodem/network.h"

struct control;

/* NULL: see errno. The network is borrowed. */
struct control *control_open(const char *path, struct network *);
void control_close(struct control *);

#endif
