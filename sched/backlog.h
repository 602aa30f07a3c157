/* SPDX-License-Identifier: MIT */
/*
 * Packets between the queue and the lines: the next one, which no line has taken
 * yet, and those that came back, which go first and in their old order.
 * Internal to sched/; not installed.
 */
#ifndef SCHED_BACKLOG_H
#define SCHED_BACKLOG_H

#include "sched/tiers.h"

struct backlog {
	struct packet_pool *pool;
	struct tiers *queue;
	struct packet *returned; /* in their order */
	struct packet *head;     /* out of the queue, after those */
	uint16_t *waiting;       /* per flow: its packets among these */
	uint32_t order;          /* of the next packet out of the queue */
};

bool backlog_init(struct backlog *, struct packet_pool *, struct tiers *);
void backlog_free(struct backlog *); /* puts its packets back; one all zero is fine too */

/*
 * The next packet, left where it is; NULL: none waits. One of a sparse flow that
 * is still in the queue is left there for another line.
 */
struct packet *backlog_next(struct backlog *, sb_time now);
/* Takes out what backlog_next shows; NULL when there was none. */
struct packet *backlog_take(struct backlog *);
/* The next one of those that the caller may have; it is not used together with backlog_next. */
struct packet *backlog_take_for(struct backlog *, sb_time now, packet_filter *,
				const void *context);
/* Whether packets wait here, so that none out of the queue would be the next. */
bool backlog_is_empty(const struct backlog *);

/* The head of a sparse flow that has nothing waiting here, or NULL; it stays queued. */
struct packet *backlog_peek_sparse(struct backlog *, sb_time now);
/* Takes that one out of the queue... */
struct packet *backlog_take_sparse(struct backlog *, sb_time now, struct packet *shown);
/* ...or makes it the next; the backlog is empty. */
void backlog_queue_sparse(struct backlog *, sb_time now, struct packet *shown);

/* Takes over a packet, unless it is among the returned already: then it is put back. */
void backlog_return(struct backlog *, struct packet *);
/* The same for one whose order means nothing here: it goes before all others. */
void backlog_adopt(struct backlog *, struct packet *);

/* Drops what arrived before `before`; how many. */
uint32_t backlog_expire(struct backlog *, sb_time before);
sb_time backlog_oldest(const struct backlog *); /* arrival, or SB_NEVER */
uint32_t backlog_bytes(const struct backlog *);
uint32_t backlog_packets(const struct backlog *);

#endif
