/* SPDX-License-Identifier: MIT */
/*
 * The captures of one thing, a line or a bundle: those of the configuration, and those that
 * somebody started since. One that fails is closed, which is said once; it never
 * disturbs the traffic.
 */
#ifndef SRC_CAPTURE_SET_H
#define SRC_CAPTURE_SET_H

#include "src/capture.h"
#include "src/log.h"

enum { CAPTURE_SET_MAX = 4 };

/* All zero: empty. */
struct capture_set {
	struct capture *of[CAPTURE_SET_MAX];
	unsigned count;
};

static inline bool capture_set_has_room(const struct capture_set *s)
{
	return s->count < CAPTURE_SET_MAX;
}
/* Takes it over. There must be room. */
void capture_set_add(struct capture_set *, struct capture *);
/* Whether one was opened as `file` (capture_file). */
bool capture_set_has(const struct capture_set *, const char *file);
/* Closes those opened as `file` (capture_file); how many there were. */
unsigned capture_set_close(struct capture_set *, const char *file);
void capture_set_close_all(struct capture_set *);

/* As capture_packet and capture_frame, to all of them, with the time of now. */
void capture_set_packet(struct capture_set *, struct log *, bool sent, struct bytes packet);
void capture_set_frame(struct capture_set *, struct log *, bool sent, uint16_t protocol,
		       struct bytes data);

#endif
