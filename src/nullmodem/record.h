/* SPDX-License-Identifier: MIT */
/*
 * What a cable carried, in a file of the format that pppd's `record` option writes and
 * pppdump, tshark and Wireshark read. "Sent" is what went from end a to end b.
 */
#ifndef NULLMODEM_RECORD_H
#define NULLMODEM_RECORD_H

#include "src/nullmodem/spec.h"

struct record;

/* NULL, with text; `wall` is the calendar's seconds at `now`. */
struct record *record_open(const char *path, sb_time now, int64_t wall, char *text,
			   size_t text_size);
void record_close(struct record *);

/* Both do nothing with NULL, and say so once on stderr when the file takes no more. */
void record_data(struct record *, sb_time now, enum direction, struct bytes);
void record_hang_up(struct record *, sb_time now);

#endif
