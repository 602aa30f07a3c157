/* SPDX-License-Identifier: MIT */
/*
 * LCP's options: how each is written, which values will do, and what a Nak of ours
 * changes. All in one table; who asks, and when, is in lcp.c.
 *
 * An option is read into a struct lcp_options and judged there: a judge that does
 * not like a value puts a better one in its place, from which the Nak is written.
 * Which options may be asked for at all is the owner's mask, so a judge never asks
 * whether it is wanted.
 *
 * Choices that the RFCs leave:
 *
 *   - An MRU below 128 is answered with a Nak of 128: below, headers are most of
 *     what is sent, and nobody means it. Any MRU of 128 and more is good, and so is
 *     an MRRU.
 *   - Of a Nak's values those are taken that leave us able to receive: never more
 *     than the owner wanted, save that an MRU may always be 1500 (RFC 1661 section
 *     6.1). Control characters are added to our map (RFC 1662 section 7.1).
 *   - When our magic number comes back, another is chosen (section 6.4), so that
 *     two peers with the same one part at the first.
 */
#include "ppp/lcp_parts.h"

#include <assert.h>

#include "ppp/asyncmap.h"

enum {
	LEAST_MRU = 128,
	OPTION_DATA_SIZE = 1 + ENDPOINT_ADDRESS_SIZE, /* of the longest known */
	CHAP_MD5 = 5,                                 /* algorithm; RFC 1994 section 3 */
};

const struct lcp_options lcp_defaults = {
	.mru = PPP_DEFAULT_MRU,
	.accm = ACCM_DEFAULT,
	.fcs = LCP_FCS_16,
};

/* --- values on the wire --- */

uint32_t lcp_number(struct bytes data)
{
	uint32_t value = 0;
	for (size_t i = 0; i < data.length; i++)
		value = value << 8 | data.at[i];
	return value;
}

void lcp_put_number(struct buf *data, uint32_t value, unsigned octets)
{
	while (octets--)
		buf_put(data, (uint8_t)(value >> 8 * octets));
}

static bool read_flag(struct lcp_options *o, struct bytes data)
{
	(void)o;
	(void)data;
	return true;
}

static void write_flag(const struct lcp_options *o, struct buf *data)
{
	(void)o;
	(void)data;
}

static bool read_mru(struct lcp_options *o, struct bytes data)
{
	o->mru = (uint16_t)lcp_number(data);
	return true;
}

static void write_mru(const struct lcp_options *o, struct buf *data)
{
	lcp_put_number(data, o->mru, 2);
}

static bool read_accm(struct lcp_options *o, struct bytes data)
{
	o->accm = lcp_number(data);
	return true;
}

static void write_accm(const struct lcp_options *o, struct buf *data)
{
	lcp_put_number(data, o->accm, 4);
}

/* A method that is not known here is AUTH_NONE, for the judge to speak of. */
static bool read_auth(struct lcp_options *o, struct bytes data)
{
	uint32_t value = data.length <= 3 ? lcp_number(data) : 0;

	o->auth = AUTH_NONE;
	if (data.length == 2 && value == PPP_PAP)
		o->auth = AUTH_PAP;
	if (data.length == 3 && value == ((uint32_t)PPP_CHAP << 8 | CHAP_MD5))
		o->auth = AUTH_CHAP_MD5;
	return true;
}

static void write_auth(const struct lcp_options *o, struct buf *data)
{
	lcp_put_number(data, o->auth == AUTH_PAP ? PPP_PAP : PPP_CHAP, 2);
	if (o->auth == AUTH_CHAP_MD5)
		buf_put(data, CHAP_MD5);
}

static bool read_quality(struct lcp_options *o, struct bytes data)
{
	if (data.length != 6 || lcp_number(bytes_of(data.at, 2)) != PPP_LQR)
		return false;
	o->quality = lcp_number(bytes_skip(data, 2));
	return true;
}

static void write_quality(const struct lcp_options *o, struct buf *data)
{
	lcp_put_number(data, PPP_LQR, 2);
	lcp_put_number(data, o->quality, 4);
}

static bool read_magic(struct lcp_options *o, struct bytes data)
{
	o->magic = lcp_number(data);
	return true;
}

static void write_magic(const struct lcp_options *o, struct buf *data)
{
	lcp_put_number(data, o->magic, LCP_MAGIC_SIZE);
}

static bool read_fcs(struct lcp_options *o, struct bytes data)
{
	o->fcs = data.at[0];
	return true;
}

static void write_fcs(const struct lcp_options *o, struct buf *data)
{
	buf_put(data, o->fcs);
}

static bool read_mrru(struct lcp_options *o, struct bytes data)
{
	o->mrru = (uint16_t)lcp_number(data);
	return true;
}

static void write_mrru(const struct lcp_options *o, struct buf *data)
{
	lcp_put_number(data, o->mrru, 2);
}

static bool read_endpoint(struct lcp_options *o, struct bytes data)
{
	o->endpoint = (struct endpoint){
		.class = data.at[0],
		.length = (uint8_t)(data.length - 1),
	};
	memcpy(o->endpoint.address, data.at + 1, data.length - 1);
	return true;
}

static void write_endpoint(const struct lcp_options *o, struct buf *data)
{
	buf_put(data, o->endpoint.class);
	buf_append(data, bytes_of(o->endpoint.address, o->endpoint.length));
}

/* --- what the peer asks for: true, or a value that would do is put in its place --- */

uint32_t lcp_new_magic(struct lcp *l)
{
	uint32_t magic = l->config.random(l->config.random_context);
	return magic ? magic : 1; /* zero says that there is none */
}

bool lcp_came_back(struct lcp *l, uint32_t magic)
{
	bool is_ours = magic && magic == l->wanted.magic;

	l->loops = is_ours ? l->loops + 1 : 0;
	l->loops_total += is_ours;
	return is_ours;
}

static bool judge_mru(struct lcp *l, struct lcp_options *asked)
{
	(void)l;
	if (asked->mru >= LEAST_MRU)
		return true;
	asked->mru = LEAST_MRU;
	return false;
}

static bool judge_mrru(struct lcp *l, struct lcp_options *asked)
{
	(void)l;
	if (asked->mrru >= LEAST_MRU)
		return true;
	asked->mrru = PPP_DEFAULT_MRU;
	return false;
}

enum auth_method lcp_stronger(unsigned methods)
{
	return methods & 1 << AUTH_CHAP_MD5 ? AUTH_CHAP_MD5 : AUTH_PAP;
}

static bool judge_auth(struct lcp *l, struct lcp_options *asked)
{
	if (l->config.prove & ~(1u << AUTH_NONE) & 1u << asked->auth)
		return true;
	asked->auth = lcp_stronger(l->config.prove);
	return false;
}

static bool judge_magic(struct lcp *l, struct lcp_options *asked)
{
	if (!lcp_came_back(l, asked->magic) && asked->magic)
		return true;
	asked->magic = lcp_new_magic(l);
	return false;
}

static bool is_one_fcs(uint8_t fcs)
{
	return fcs == LCP_FCS_NULL || fcs == LCP_FCS_16 || fcs == LCP_FCS_32;
}

static bool judge_fcs(struct lcp *l, struct lcp_options *asked)
{
	(void)l;
	if (is_one_fcs(asked->fcs))
		return true;
	asked->fcs = asked->fcs & LCP_FCS_32 ? LCP_FCS_32 : LCP_FCS_16;
	return false;
}

/* --- what the peer would have us ask for: false, there is no use in going on --- */

static uint16_t between(uint16_t least, uint16_t value, uint16_t most)
{
	uint16_t at_most = value < most ? value : most;
	return at_most > least ? at_most : least;
}

static bool naked_mru(struct lcp *l, const struct lcp_options *suggested)
{
	uint16_t most = l->config.wanted.mru;

	if (most < PPP_DEFAULT_MRU)
		most = PPP_DEFAULT_MRU;
	l->wanted.mru = between(LEAST_MRU, suggested->mru, most);
	return true;
}

static bool naked_mrru(struct lcp *l, const struct lcp_options *suggested)
{
	l->wanted.mrru = between(LEAST_MRU, suggested->mrru, l->config.wanted.mrru);
	return true;
}

/* RFC 1662 section 7.1: characters that the peer cannot keep off the line. */
static bool naked_accm(struct lcp *l, const struct lcp_options *suggested)
{
	l->wanted.accm |= suggested->accm;
	return true;
}

static bool demand_another(struct lcp *l, enum auth_method suggested)
{
	l->demand_left &= ~(1u << l->wanted.auth);
	if (!l->demand_left) {
		l->auth_refused = true;
		return false;
	}
	l->wanted.auth =
		l->demand_left & 1u << suggested ? suggested : lcp_stronger(l->demand_left);
	return true;
}

static bool naked_auth(struct lcp *l, const struct lcp_options *suggested)
{
	return demand_another(l, suggested->auth);
}

static bool naked_quality(struct lcp *l, const struct lcp_options *suggested)
{
	l->wanted.quality = suggested->quality;
	return true;
}

static bool naked_magic(struct lcp *l, const struct lcp_options *suggested)
{
	(void)suggested;
	l->wanted.magic = lcp_new_magic(l);
	return true;
}

static bool naked_fcs(struct lcp *l, const struct lcp_options *suggested)
{
	if (is_one_fcs(suggested->fcs))
		l->wanted.fcs = suggested->fcs;
	else
		l->wanted.given &= ~LCP_BIT(LCP_FCS);
	return true;
}

/* --- the table --- */

const struct lcp_option_kind lcp_option_kinds[LCP_OPTION_KINDS] = {
	{LCP_MRU, 2, 2, read_mru, write_mru, judge_mru, naked_mru},
	{LCP_ACCM, 4, 4, read_accm, write_accm, NULL, naked_accm},
	{LCP_AUTH, 2, UINT8_MAX, read_auth, write_auth, judge_auth, naked_auth},
	{LCP_QUALITY, 2, UINT8_MAX, read_quality, write_quality, NULL, naked_quality},
	{LCP_MAGIC, LCP_MAGIC_SIZE, LCP_MAGIC_SIZE, read_magic, write_magic, judge_magic,
	 naked_magic},
	{LCP_PFC, 0, 0, read_flag, write_flag, NULL, NULL},
	{LCP_ACFC, 0, 0, read_flag, write_flag, NULL, NULL},
	{LCP_FCS, 1, 1, read_fcs, write_fcs, judge_fcs, naked_fcs},
	{LCP_MRRU, 2, 2, read_mrru, write_mrru, judge_mrru, naked_mrru},
	{LCP_SHORT_SEQUENCE, 0, 0, read_flag, write_flag, NULL, NULL},
	{LCP_ENDPOINT, 1, OPTION_DATA_SIZE, read_endpoint, write_endpoint, NULL, NULL},
};

const struct lcp_option_kind *lcp_option_kind(uint8_t type)
{
	for (unsigned i = 0; i < LCP_OPTION_KINDS; i++)
		if (lcp_option_kinds[i].type == type)
			return &lcp_option_kinds[i];
	return NULL;
}

bool lcp_option_read(const struct lcp_option_kind *kind, const struct option *option,
		     struct lcp_options *to)
{
	bool fits = option->data.length >= kind->least && option->data.length <= kind->most;

	to->given |= LCP_BIT(kind->type);
	return fits && kind->read(to, option->data);
}

void lcp_option_write(const struct lcp_option_kind *kind, const struct lcp_options *from,
		      struct buf *to)
{
	uint8_t memory[OPTION_DATA_SIZE];
	struct buf data = buf_over(memory, sizeof memory);

	kind->write(from, &data);
	option_put(to, kind->type, buf_bytes(&data));
}
