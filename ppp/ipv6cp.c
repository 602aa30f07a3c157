/* SPDX-License-Identifier: MIT */
/*
 * IPV6CP. The two ends' interface identifiers must differ and not be 0 (RFC 5072
 * section 4.1). Ours is the configured one or, if none is, a random one with the
 * universal/local bit clear, as it is only made up here.
 *
 *	the peer's 0, or left out   Nak, with a suggestion
 *	the peer's equals ours      Nak, with one that differs
 *	ours in a Nak               fixed: repeated until control.c gives up;
 *	                            random: the suggestion, or a new one
 *	ours rejected               fixed: the end; random: kept, untold
 *
 * Ours is never 0, so that the RFC's case of both being 0, to be rejected, is a
 * peer's that stays with 0 through all Naks. One that goes on leaving the option
 * out can be refused nothing; it is acknowledged, its identifier unknown.
 */
#include "ppp/ipv6cp.h"

#include "ppp/judge.h"

enum {
	OPTION_IDENTIFIER = 1,
	ID_SIZE = 8,
	UNIVERSAL = 0x02, /* in the first octet; RFC 4291 appendix A */
};

static bool id_is_zero(const uint8_t id[static ID_SIZE])
{
	static const uint8_t zero[ID_SIZE];
	return memcmp(id, zero, ID_SIZE) == 0;
}

static bool ids_are_equal(const uint8_t a[static ID_SIZE], const uint8_t b[static ID_SIZE])
{
	return memcmp(a, b, ID_SIZE) == 0;
}

static bool is_fixed(const struct ipv6cp *v6)
{
	return !id_is_zero(v6->config->local_id);
}

/* Random, but not 0 and not the one that is taken. */
static void make_id(const struct network_config *config, uint8_t id[static ID_SIZE],
		    const uint8_t taken[static ID_SIZE])
{
	for (int i = 0; i < ID_SIZE; i += 4) {
		uint32_t random = config->random(config->random_context);
		for (int k = 0; k < 4; k++)
			id[i + k] = (uint8_t)(random >> 8 * k);
	}
	id[0] &= (uint8_t)~UNIVERSAL;
	while (id_is_zero(id) || ids_are_equal(id, taken))
		id[ID_SIZE - 1]++;
}

void ipv6cp_init(struct ipv6cp *v6, const struct network_config *config)
{
	*v6 = (struct ipv6cp){.config = config};
}

static void choose_suggestion(struct ipv6cp *v6)
{
	const uint8_t *configured = v6->config->remote_id;

	if (id_is_zero(configured) || ids_are_equal(configured, v6->agreed.local_id))
		make_id(v6->config, v6->suggestion, v6->agreed.local_id);
	else
		memcpy(v6->suggestion, configured, ID_SIZE);
}

static void begin(void *self)
{
	struct ipv6cp *v6 = self;

	*v6 = (struct ipv6cp){.config = v6->config, .asks = true};
	if (is_fixed(v6))
		memcpy(v6->agreed.local_id, v6->config->local_id, ID_SIZE);
	else
		make_id(v6->config, v6->agreed.local_id, v6->config->remote_id);
	choose_suggestion(v6);
}

static void request(void *self, struct buf *options)
{
	const struct ipv6cp *v6 = self;

	if (v6->asks)
		option_put(options, OPTION_IDENTIFIER, bytes_of(v6->agreed.local_id, ID_SIZE));
}

/* --- the peer's request --- */

static enum control_verdict verdict_on(const void *self, const struct option *option,
				       struct buf *better)
{
	const struct ipv6cp *v6 = self;

	if (option->type != OPTION_IDENTIFIER)
		return VERDICT_REJECT;
	if (option->data.length == ID_SIZE && !id_is_zero(option->data.at) &&
	    !ids_are_equal(option->data.at, v6->agreed.local_id))
		return VERDICT_ACK;
	option_put(better, OPTION_IDENTIFIER, bytes_of(v6->suggestion, ID_SIZE));
	return VERDICT_NAK;
}

static bool take_peers(struct ipv6cp *v6, struct bytes options)
{
	struct option option;
	bool found = false;

	memset(v6->agreed.remote_id, 0, ID_SIZE);
	while (option_next(&options, &option)) {
		memcpy(v6->agreed.remote_id, option.data.at, ID_SIZE);
		found = true;
	}
	return found;
}

static enum control_verdict judge(void *self, struct bytes options, bool insist, struct buf *answer)
{
	struct ipv6cp *v6 = self;
	enum control_verdict verdict = judge_options(options, insist, verdict_on, v6, answer);

	if (verdict != VERDICT_ACK || take_peers(v6, options) || insist)
		return verdict;
	/* The peer is asked to name one: RFC 1661 section 5.3. */
	option_put(answer, OPTION_IDENTIFIER, bytes_of(v6->suggestion, ID_SIZE));
	return VERDICT_NAK;
}

/* --- answers to ours --- */

static void acked(void *self)
{
	(void)self; /* agreed is what we asked for last */
}

static void take_ours(struct ipv6cp *v6, const uint8_t suggested[static ID_SIZE])
{
	if (id_is_zero(suggested) || ids_are_equal(suggested, v6->agreed.remote_id) ||
	    ids_are_equal(suggested, v6->agreed.local_id))
		make_id(v6->config, v6->agreed.local_id, v6->agreed.remote_id);
	else
		memcpy(v6->agreed.local_id, suggested, ID_SIZE);
	choose_suggestion(v6);
}

static bool naked(void *self, struct bytes options)
{
	struct ipv6cp *v6 = self;
	struct option option;

	while (option_next(&options, &option))
		if (option.type == OPTION_IDENTIFIER && option.data.length == ID_SIZE &&
		    !is_fixed(v6))
			take_ours(v6, option.data.at);
	return true;
}

static bool rejected(void *self, struct bytes options)
{
	struct ipv6cp *v6 = self;
	struct option option;

	while (option_next(&options, &option))
		if (option.type == OPTION_IDENTIFIER)
			v6->asks = false;
	return v6->asks || !is_fixed(v6);
}

const struct control_kind ipv6cp_kind = {
	.protocol = PPP_IPV6CP,
	.name = "IPV6CP",
	.begin = begin,
	.request = request,
	.judge = judge,
	.acked = acked,
	.naked = naked,
	.rejected = rejected,
};
