/* SPDX-License-Identifier: MIT */
/*
 * Processes that ports need: one that runs a command and sees to its end, one that asks for
 * the address of a host. None of them is our child, so none is ours to wait for, and the event
 * loop never meets the end of one.
 */
#ifndef SRC_PORT_CHILD_H
#define SRC_PORT_CHILD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls run() in a new process, which ends when that returns. It has a session of its own, the
 * usual signal handling, and of our descriptors only 0, 1, 2 and those in keep (which is sorted).
 * False: errno says why.
 */
bool port_child_start(void (*run)(void *), void *argument, int keep[], size_t count);

#endif
