/* SPDX-License-Identifier: MIT */
/*
 * IPCP. Addresses are each end's own word (RFC 1332 section 3.3), except that 0
 * asks for one, and that who is configured to know better says so in a Nak.
 *
 *	ours    as configured, or 0; what a Nak says is taken when ours was 0 or the
 *	        peer is to be believed, else ours is repeated until control.c gives up
 *	peer's  as configured, if it is: given to a peer that asks, held against one
 *	        that claims another, assumed of one that says nothing
 *
 * A peer that asks when there is nothing to give is rejected, as pppd does it: no
 * address is made up. Compression (option 2) is rejected: over a bundle its
 * slots would get out of step. The old option 1 cannot be kept apart from
 * option 3 for both ends (RFC 1332 section 3.1), and is rejected too.
 */
#include "ppp/ipcp.h"

#include "ppp/judge.h"

enum {
	OPTION_ADDRESS = 3,
	OPTION_DNS_1 = 129, /* RFC 1877; 130 and 132 are NBNS, of which there are none */
	OPTION_DNS_2 = 131,
};

static const uint8_t dns_options[2] = {OPTION_DNS_1, OPTION_DNS_2};

void ipcp_init(struct ipcp *ipcp, const struct network_config *config)
{
	*ipcp = (struct ipcp){.config = config};
}

static void begin(void *self)
{
	struct ipcp *ipcp = self;
	const struct network_config *config = ipcp->config;

	*ipcp = (struct ipcp){
		.config = config,
		.asks_address = true,
		.asks_dns = {config->ask_dns, config->ask_dns},
		.agreed = {.local = config->local, .remote = config->remote},
	};
}

static void request(void *self, struct buf *options)
{
	const struct ipcp *ipcp = self;

	if (ipcp->asks_address)
		option_put_u32(options, OPTION_ADDRESS, ipcp->agreed.local);
	for (int i = 0; i < 2; i++)
		if (ipcp->asks_dns[i])
			option_put_u32(options, dns_options[i], ipcp->agreed.dns[i]);
}

/* --- the peer's request --- */

/* 0 for an option of the wrong length: what is meant is not known, so tell (RFC 1661 section 6). */
static uint32_t address_in(const struct option *option)
{
	return option->data.length == 4 ? option_u32(option) : 0;
}

static enum control_verdict nak_with(uint32_t address, const struct option *option,
				     struct buf *better)
{
	if (!address)
		return VERDICT_REJECT;
	option_put_u32(better, option->type, address);
	return VERDICT_NAK;
}

static enum control_verdict verdict_on_address(const struct network_config *config,
					       const struct option *option, struct buf *better)
{
	uint32_t claimed = address_in(option);
	bool free_to_choose = config->accept_remote || !config->remote;

	if (claimed && (claimed == config->remote || free_to_choose))
		return VERDICT_ACK;
	return nak_with(config->remote, option, better);
}

static enum control_verdict verdict_on_dns(uint32_t ours, const struct option *option,
					   struct buf *better)
{
	if (ours && address_in(option) == ours)
		return VERDICT_ACK;
	return nak_with(ours, option, better);
}

static enum control_verdict verdict_on(const void *self, const struct option *option,
				       struct buf *better)
{
	const struct network_config *config = ((const struct ipcp *)self)->config;

	switch (option->type) {
	case OPTION_ADDRESS:
		return verdict_on_address(config, option, better);
	case OPTION_DNS_1:
		return verdict_on_dns(config->give_dns[0], option, better);
	case OPTION_DNS_2:
		return verdict_on_dns(config->give_dns[1], option, better);
	default:
		return VERDICT_REJECT;
	}
}

static enum control_verdict judge(void *self, struct bytes options, bool insist, struct buf *answer)
{
	struct ipcp *ipcp = self;
	enum control_verdict verdict = judge_options(options, insist, verdict_on, ipcp, answer);
	struct option option;

	ipcp->agreed.remote = ipcp->config->remote;
	while (verdict == VERDICT_ACK && option_next(&options, &option))
		if (option.type == OPTION_ADDRESS)
			ipcp->agreed.remote = option_u32(&option);
	return verdict;
}

/* --- answers to ours --- */

static void acked(void *self)
{
	(void)self; /* agreed is what we asked for last */
}

static void take_address(struct ipcp *ipcp, uint32_t suggested)
{
	if (suggested && (ipcp->config->accept_local || !ipcp->config->local))
		ipcp->agreed.local = suggested;
}

/* A suggestion of none: the peer has none, and to ask again would not end. */
static void take_dns(struct ipcp *ipcp, int i, uint32_t suggested)
{
	ipcp->agreed.dns[i] = suggested;
	ipcp->asks_dns[i] = ipcp->asks_dns[i] && suggested;
}

static bool naked(void *self, struct bytes options)
{
	struct ipcp *ipcp = self;
	struct option option;

	while (option_next(&options, &option)) {
		uint32_t suggested = address_in(&option);
		if (option.type == OPTION_ADDRESS && ipcp->asks_address)
			take_address(ipcp, suggested);
		for (int i = 0; i < 2; i++)
			if (option.type == dns_options[i] && ipcp->asks_dns[i])
				take_dns(ipcp, i, suggested);
	}
	return true;
}

static bool rejected(void *self, struct bytes options)
{
	struct ipcp *ipcp = self;
	struct option option;

	while (option_next(&options, &option)) {
		if (option.type == OPTION_ADDRESS)
			ipcp->asks_address = false;
		for (int i = 0; i < 2; i++)
			if (option.type == dns_options[i]) {
				ipcp->asks_dns[i] = false;
				ipcp->agreed.dns[i] = 0;
			}
	}
	/* Without the option there is only what we know ourselves. */
	return ipcp->asks_address || ipcp->config->local;
}

const struct control_kind ipcp_kind = {
	.protocol = PPP_IPCP,
	.name = "IPCP",
	.begin = begin,
	.request = request,
	.judge = judge,
	.acked = acked,
	.naked = naked,
	.rejected = rejected,
};
