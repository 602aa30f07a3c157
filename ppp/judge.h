/* SPDX-License-Identifier: MIT */
/* Judging a Configure-Request option by option, as struct control_kind wants it. */
#ifndef PPP_JUDGE_H
#define PPP_JUDGE_H

#include "ppp/control.h"
#include "ppp/option.h"

/* The verdict on one option; for a Nak one that would do is appended. */
typedef enum control_verdict option_verdict(const void *self, const struct option *,
					    struct buf *better);

/* The worst of the verdicts, and its options (RFC 1661 sections 5.2 to 5.4). */
enum control_verdict judge_options(struct bytes options, bool insist, option_verdict *,
				   const void *self, struct buf *answer);

#endif
