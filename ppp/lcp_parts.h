/* SPDX-License-Identifier: MIT */
/* What the parts of LCP share: lcp.c negotiates, over the options of lcp_option.c;
 * lcp_packet.c has the codes 8 to 13. */
#ifndef PPP_LCP_PARTS_H
#define PPP_LCP_PARTS_H

#include "ppp/lcp.h"
#include "ppp/option.h"

enum { LCP_MAGIC_SIZE = 4, LCP_OPTION_KINDS = 11 };

struct lcp_option_kind {
	enum lcp_option type;
	uint8_t least, most; /* octets of data */
	bool (*read)(struct lcp_options *, struct bytes data);
	void (*write)(const struct lcp_options *, struct buf *data);
	/* True: it will do; else one that would is put in its place. NULL: any will do. */
	bool (*judge)(struct lcp *, struct lcp_options *asked);
	/* Ours as the peer would have it; false: no use in going on. NULL: it stays. */
	bool (*naked)(struct lcp *, const struct lcp_options *suggested);
};
extern const struct lcp_option_kind lcp_option_kinds[LCP_OPTION_KINDS];

const struct lcp_option_kind *lcp_option_kind(uint8_t type); /* NULL: not known */
/* False: its value cannot be read, and *to keeps the one it had. */
bool lcp_option_read(const struct lcp_option_kind *, const struct option *, struct lcp_options *to);
void lcp_option_write(const struct lcp_option_kind *, const struct lcp_options *from,
		      struct buf *to);

uint32_t lcp_number(struct bytes data); /* most significant octet first */
void lcp_put_number(struct buf *, uint32_t value, unsigned octets);

uint32_t lcp_new_magic(struct lcp *);
/* The one of these methods that tells an eavesdropper less. */
enum auth_method lcp_stronger(unsigned methods);
/* A magic number came; true: it is our own. */
bool lcp_came_back(struct lcp *, uint32_t magic);

/* struct control_kind, packet */
bool lcp_packet(void *self, sb_time now, uint8_t code, uint8_t identifier, struct bytes data);

#endif
