/* SPDX-License-Identifier: MIT */
/*
 * What the owner wants of a link, as LCP sees it: what to ask for, and what to grant.
 */
#include "ppp/link_state.h"

#include <stdlib.h>

enum {
	HEADER_SIZE = 4, /* address, control, protocol */
	MP_ROOM = 64,    /* for peers whose fragments are a little longer than our MRU */
};

static unsigned own_methods(const struct link_config *c)
{
	unsigned methods = 0;

	if (!c->refuse_pap && auth_can(&c->auth, AUTH_PAP))
		methods |= 1u << AUTH_PAP;
	if (!c->refuse_chap && auth_can(&c->auth, AUTH_CHAP_MD5))
		methods |= 1u << AUTH_CHAP_MD5;
	return methods;
}

static struct lcp_options wanted_by(const struct link_config *c)
{
	struct lcp_options w = lcp_defaults;

	w.mru = c->mru;
	w.accm = c->accm;
	w.quality = (uint32_t)(c->quality_period / (SB_SEC / 100));
	w.given |= c->mru != lcp_defaults.mru ? LCP_BIT(LCP_MRU) : 0;
	w.given |= c->accm != lcp_defaults.accm ? LCP_BIT(LCP_ACCM) : 0;
	w.given |= c->quality_period ? LCP_BIT(LCP_QUALITY) : 0;
	w.given |= c->pfc ? LCP_BIT(LCP_PFC) : 0;
	w.given |= c->acfc ? LCP_BIT(LCP_ACFC) : 0;
	if (c->fcs) {
		w.fcs = c->fcs;
		w.given |= LCP_BIT(LCP_FCS);
	}
	if (c->multilink) {
		w.mrru = c->mrru;
		w.given |= LCP_BIT(LCP_MRRU);
		w.given |= c->short_sequence ? LCP_BIT(LCP_SHORT_SEQUENCE) : 0;
	}
	if (c->endpoint.class || c->endpoint.length) {
		w.endpoint = c->endpoint;
		w.given |= LCP_BIT(LCP_ENDPOINT);
	}
	return w;
}

static uint32_t granted_by(const struct link_config *c)
{
	uint32_t granted = LCP_BIT(LCP_MRU) | LCP_BIT(LCP_ACCM) | LCP_BIT(LCP_MAGIC) |
			   LCP_BIT(LCP_FCS) | LCP_BIT(LCP_ENDPOINT);

	granted |= own_methods(c) ? LCP_BIT(LCP_AUTH) : 0;
	granted |= c->quality_period ? LCP_BIT(LCP_QUALITY) : 0;
	granted |= c->pfc ? LCP_BIT(LCP_PFC) : 0;
	granted |= c->acfc ? LCP_BIT(LCP_ACFC) : 0;
	granted |= c->multilink ? LCP_BIT(LCP_MRRU) : 0;
	granted |= c->multilink && c->short_sequence ? LCP_BIT(LCP_SHORT_SEQUENCE) : 0;
	return granted;
}

struct lcp_config link_lcp_config(const struct link_config *c)
{
	return (struct lcp_config){
		.wanted = wanted_by(c),
		.granted = granted_by(c),
		.prove = own_methods(c),
		.demand = (c->require_pap ? 1u << AUTH_PAP : 0) |
			  (c->require_chap ? 1u << AUTH_CHAP_MD5 : 0),
		.timers = c->timers,
		.random = c->random,
		.random_context = c->random_context,
	};
}

/* 1500 always (RFC 1661 section 6.1); an FCS that is judged here is part of the frame. */
size_t link_longest_frame(const struct link_config *c)
{
	size_t mru = c->mru > PPP_DEFAULT_MRU ? c->mru : PPP_DEFAULT_MRU;
	return HEADER_SIZE + mru + MP_ROOM + HDLC_FCS_32;
}

struct link *link_new(const struct link_config *config)
{
	struct link *l = calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->config = *config;
	l->auth = auth_new(&config->auth, &l->outbox);
	l->decoder = hdlc_decoder_new(&(struct hdlc_decoder_config){
		.max_frame = link_longest_frame(config),
		.fcs = HDLC_FCS_16,
		.receive_accm = config->receive_all ? 0 : ACCM_DEFAULT,
	});
	if (!l->auth || !l->decoder) {
		link_free(l);
		return NULL;
	}
	const struct lcp_config lcp = link_lcp_config(config);
	lcp_init(&l->lcp, &lcp, &l->outbox);
	lqr_stop(&l->lqr);
	l->plain = l->coding = frame_coding(ACCM_DEFAULT, &config->escape);
	l->receive_fcs = HDLC_FCS_16;
	return l;
}

void link_free(struct link *l)
{
	if (!l)
		return;
	auth_free(l->auth);
	hdlc_decoder_free(l->decoder);
	free(l);
}
