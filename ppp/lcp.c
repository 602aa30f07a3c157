/* SPDX-License-Identifier: MIT */
/*
 * LCP's side of a negotiation: one loop over the options of lcp_option.c for each
 * kind of packet.
 *
 * The answer to a request holds the options of the worst verdict only, as they came
 * when they are rejected (RFC 1661 sections 5.2 to 5.4). One pass does it: when a
 * worse verdict turns up, what was written so far is dropped.
 *
 * What was agreed for our direction is read back from the request that the peer
 * acknowledged, so that there is one notion of what an option says.
 *
 * Our magic number is always asked for. It may come back in a request or in one of
 * the packets of lcp_packet.c; after LOOPS_MOST of them in a row, none of anybody
 * else in between, the line is a loop (section 6.4).
 *
 * Options of a length that their type cannot have get a Nak that shows how it is
 * written (section 6). A short-sequence option without an MRRU is acknowledged and
 * means nothing (RFC 1990 section 5.1.2).
 */
#include "ppp/lcp_parts.h"

enum { LOOPS_MOST = 3 };

static void begin(void *self)
{
	struct lcp *l = self;

	l->wanted = l->config.wanted;
	l->wanted.given |= LCP_BIT(LCP_MAGIC);
	l->wanted.magic = lcp_new_magic(l);
	l->demand_left = l->config.demand;
	if (l->demand_left) {
		l->wanted.given |= LCP_BIT(LCP_AUTH);
		l->wanted.auth = lcp_stronger(l->demand_left);
	}
	l->agreed = l->peers = lcp_defaults;
	l->auth_refused = false;
	l->loops = 0;
	l->identity[0] = '\0';
	l->remaining_s = UINT32_MAX;
}

static void request(void *self, struct buf *options)
{
	const struct lcp *l = self;

	for (unsigned i = 0; i < LCP_OPTION_KINDS; i++)
		if (l->wanted.given & LCP_BIT(lcp_option_kinds[i].type))
			lcp_option_write(&lcp_option_kinds[i], &l->wanted, options);
}

/* Fills in *asked; after a Nak with what it is to say. */
static enum control_verdict judge_option(struct lcp *l, const struct lcp_option_kind *kind,
					 const struct option *option, bool insist,
					 struct lcp_options *asked)
{
	if (!kind || !(l->config.granted & LCP_BIT(kind->type)))
		return VERDICT_REJECT;
	bool good = lcp_option_read(kind, option, asked);
	if (kind->judge)
		good = kind->judge(l, asked) && good;
	if (good)
		return VERDICT_ACK;
	return insist ? VERDICT_REJECT : VERDICT_NAK;
}

static enum control_verdict judge(void *self, struct bytes options, bool insist, struct buf *answer)
{
	struct lcp *l = self;
	struct lcp_options asked = lcp_defaults;
	enum control_verdict worst = VERDICT_ACK;
	struct option option;

	l->auth_refused = false;
	while (option_next(&options, &option)) {
		const struct lcp_option_kind *kind = lcp_option_kind(option.type);
		enum control_verdict verdict = judge_option(l, kind, &option, insist, &asked);
		if (verdict == VERDICT_REJECT && option.type == LCP_AUTH)
			l->auth_refused = true;
		if (verdict > worst)
			answer->length = 0;
		if (verdict >= worst && verdict == VERDICT_NAK)
			lcp_option_write(kind, &asked, answer);
		else if (verdict >= worst)
			buf_append(answer, option.whole);
		worst = verdict > worst ? verdict : worst;
	}
	if (worst == VERDICT_ACK)
		l->peers = asked;
	return worst;
}

static void acked(void *self)
{
	struct lcp *l = self;
	uint8_t memory[CONTROL_OPTIONS_SIZE];
	struct buf written = buf_over(memory, sizeof memory);
	struct option option;

	request(l, &written);
	l->agreed = lcp_defaults;
	for (struct bytes in = buf_bytes(&written); option_next(&in, &option);)
		lcp_option_read(lcp_option_kind(option.type), &option, &l->agreed);
}

/* Values that cannot be read, and options that we did not ask for, are no help. */
static bool naked(void *self, struct bytes options)
{
	struct lcp *l = self;
	struct lcp_options suggested = lcp_defaults;
	struct option option;

	while (option_next(&options, &option)) {
		const struct lcp_option_kind *kind = lcp_option_kind(option.type);
		if (!kind || !kind->naked || !(l->wanted.given & LCP_BIT(kind->type)))
			continue;
		if (lcp_option_read(kind, &option, &suggested) && !kind->naked(l, &suggested))
			return false;
	}
	return true;
}

/* Multilink's options go together. */
static bool rejected(void *self, struct bytes options)
{
	struct lcp *l = self;
	struct option option;

	while (option_next(&options, &option)) {
		if (option.type == LCP_AUTH) {
			l->auth_refused = true;
			return false;
		}
		if (lcp_option_kind(option.type))
			l->wanted.given &= ~LCP_BIT(option.type);
		if (option.type == LCP_MRRU)
			l->wanted.given &= ~LCP_BIT(LCP_SHORT_SEQUENCE);
		if (option.type == LCP_MAGIC)
			l->wanted.magic = 0;
	}
	return true;
}

static const struct control_kind lcp_kind = {
	.protocol = PPP_LCP,
	.name = "LCP",
	.begin = begin,
	.request = request,
	.judge = judge,
	.acked = acked,
	.naked = naked,
	.rejected = rejected,
	.packet = lcp_packet,
};

/* --- the owner --- */

void lcp_init(struct lcp *l, const struct lcp_config *config, struct outbox *outbox)
{
	*l = (struct lcp){
		.config = *config,
		.wanted = lcp_defaults,
		.agreed = lcp_defaults,
		.peers = lcp_defaults,
		.remaining_s = UINT32_MAX,
	};
	control_init(&l->control, &lcp_kind, l, outbox, &config->timers);
}

void lcp_input(struct lcp *l, sb_time now, struct bytes in)
{
	l->news = LCP_NO_NEWS;
	control_input(&l->control, now, in);
}

/* RFC 1990 section 2 */
void lcp_input_over_bundle(struct lcp *l, sb_time now, struct bytes in)
{
	l->news = LCP_NO_NEWS;
	if (in.length && in.at[0] >= CODE_CODE_REJECT && in.at[0] <= CODE_DISCARD_REQUEST)
		control_input(&l->control, now, in);
}

bool lcp_is_looped(const struct lcp *l)
{
	return l->loops >= LOOPS_MOST;
}
