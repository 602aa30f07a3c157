/* SPDX-License-Identifier: MIT */
/*
 * Judging option by option. A request with something to reject is rejected first,
 * whatever else is wrong with it, and only then are values talked about; so the
 * worst verdict has to be known before the answer can begin: two passes.
 */
#include "ppp/judge.h"

static enum control_verdict judge_one(const struct option *option, bool insist,
				      option_verdict *verdict_on, const void *self,
				      struct buf *better)
{
	enum control_verdict verdict = verdict_on(self, option, better);

	return insist && verdict == VERDICT_NAK ? VERDICT_REJECT : verdict;
}

static enum control_verdict worst(struct bytes options, bool insist, option_verdict *verdict_on,
				  const void *self)
{
	enum control_verdict found = VERDICT_ACK;
	struct option option;

	while (option_next(&options, &option)) {
		struct buf nowhere = buf_over(NULL, 0);
		enum control_verdict verdict =
			judge_one(&option, insist, verdict_on, self, &nowhere);
		if (verdict > found)
			found = verdict;
	}
	return found;
}

enum control_verdict judge_options(struct bytes options, bool insist, option_verdict *verdict_on,
				   const void *self, struct buf *answer)
{
	enum control_verdict verdict = worst(options, insist, verdict_on, self);
	struct option option;

	while (option_next(&options, &option)) {
		uint8_t memory[UINT8_MAX];
		struct buf better = buf_over(memory, sizeof memory);
		if (judge_one(&option, insist, verdict_on, self, &better) != verdict)
			continue;
		buf_append(answer, verdict == VERDICT_NAK ? buf_bytes(&better) : option.whole);
	}
	return verdict;
}
