/* SPDX-License-Identifier: MIT */
/* What comes in, held back for the sake of shape-in; for bundle*.c alone. */
#ifndef SRC_BUNDLE_INGRESS_H
#define SRC_BUNDLE_INGRESS_H

#include "sched/fq_codel.h"

struct bundle;

struct bundle_ingress {
	struct packet_pool *pool; /* NULL until it is first needed */
	struct fq_codel *queue;
	uint64_t bps;    /* of what is handed to the host; 0: nothing is held back */
	sb_time free_at; /* instant from which the next packet may be */
};

void bundle_ingress_free(struct bundle *);
/* True: it was copied, and is handed over when it is time. */
bool bundle_ingress_takes(struct bundle *, struct bytes packet, sb_time now);
/* The rate may have changed; what is due is handed over. */
void bundle_ingress_run(struct bundle *, sb_time now);
sb_time bundle_ingress_deadline(const struct bundle *);

#endif
