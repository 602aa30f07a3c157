/* SPDX-License-Identifier: MIT */
/* What the cables carried, as text for people and as JSON for programs. */
#ifndef NULLMODEM_REPORT_H
#define NULLMODEM_REPORT_H

#include "src/nullmodem/network.h"

/* On one line, without the newline; to be freed. NULL: out of memory. */
char *report_json(const struct network *);

/* To files and stdout, as the options say. False when one cannot be written: see errno. */
bool report_write(const struct network *, const char *text_file, const char *json_file);

/*
 * Replaces `file` by this text at once, so that no reader sees a half of it; what is
 * no regular file (a device, a pipe) is written to instead.
 */
bool report_replace_file(const char *file, const char *text);
/* Removes it, if it is a regular file. */
void report_remove_file(const char *file);

#endif
