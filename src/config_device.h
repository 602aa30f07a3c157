/* SPDX-License-Identifier: MIT */
/* Names of devices as they stand in a LINE: where they end and the rate begins, and their form. */
#ifndef SRC_CONFIG_DEVICE_H
#define SRC_CONFIG_DEVICE_H

#include <stdbool.h>

/*
 * Cuts the rate off, "BPS" or "BPS@BAUD", and returns it; NULL: there is none. With has_rate the
 * rate is said elsewhere, so that what only looks like one belongs to the device.
 */
char *device_cut_rate(char *text, bool has_rate);
/* What is wrong with its form, as a sentence without full stop; NULL: nothing. */
const char *device_wrong(const char *device);
/* "exec:": each of them is a program of its own. */
bool device_is_exec(const char *device);

#endif
