/* SPDX-License-Identifier: MIT */
/*
 * The Link Control Protocol (RFC 1661 section 6): what the two ends of a link agree
 * to, and the packets that only LCP has (codes 8 to 13).
 */
#ifndef PPP_LCP_H
#define PPP_LCP_H

#include "ppp/auth.h"
#include "ppp/control.h"
#include "ppp/endpoint.h"

/* Option types that are known here; all others are rejected. */
enum lcp_option {
	LCP_MRU = 1,
	LCP_ACCM = 2, /* RFC 1662 section 7.1 */
	LCP_AUTH = 3,
	LCP_QUALITY = 4, /* RFC 1989 */
	LCP_MAGIC = 5,
	LCP_PFC = 7,
	LCP_ACFC = 8,
	LCP_FCS = 9,             /* RFC 1570 section 2.1 */
	LCP_MRRU = 17,           /* RFC 1990 section 5.1.1 */
	LCP_SHORT_SEQUENCE = 18, /* 5.1.2 */
	LCP_ENDPOINT = 19,       /* 5.1.3 */
};
#define LCP_BIT(option) (UINT32_C(1) << (option))

/* Of LCP_FCS */
enum { LCP_FCS_NULL = 1, LCP_FCS_16 = 2, LCP_FCS_32 = 4 };

/* What one end asks of the other: how it is to be sent to. */
struct lcp_options {
	uint32_t given; /* LCP_BIT of those asked for; the others have their default values */
	uint16_t mru;
	uint32_t accm;
	enum auth_method auth;
	uint32_t quality; /* hundredths of a second between reports; 0: answers only */
	uint32_t magic;
	uint8_t fcs;
	uint16_t mrru;
	struct endpoint endpoint;
};
extern const struct lcp_options lcp_defaults;

struct lcp_config {
	struct lcp_options wanted; /* by us; the magic number and the method are LCP's to choose */
	uint32_t granted;          /* LCP_BIT of what the peer may ask for; the rest is rejected */
	unsigned prove;  /* 1 << enum auth_method: the ways in which we can prove ourselves */
	unsigned demand; /* those of which the peer is to choose one; 0: it need not */
	struct control_timers timers;
	uint32_t (*random)(void *context);
	void *random_context;
};

/* What a packet brought to the link, besides negotiation. */
enum lcp_news {
	LCP_NO_NEWS,
	LCP_ECHO_REPLIED, /* to the request of news_identifier */
	LCP_PROTOCOL_REJECTED,
	LCP_IDENTIFIED, /* by lcp->identity */
	LCP_TIME_REMAINING,
	LCP_UNHEARD, /* the peer has not heard us for news_silence */
};

enum { LCP_IDENTITY_SIZE = 64, LCP_REJECTS_KEPT = 8 };

struct lcp {
	struct control control;
	struct lcp_config config;
	struct lcp_options wanted; /* our next request */
	struct lcp_options agreed; /* our last request that the peer acknowledged */
	struct lcp_options peers;  /* the peer's last that we did */
	unsigned demand_left;      /* methods not refused yet */
	bool auth_refused;         /* one end does not prove itself as the other wants it to */
	unsigned loops;            /* packets with our own magic number, in a row */
	uint64_t loops_total;
	uint8_t identifier; /* of our last Echo-Request and the like */
	enum lcp_news news; /* of the last packet */
	uint16_t news_protocol;
	uint8_t news_identifier;
	sb_time news_silence;             /* duration */
	char identity[LCP_IDENTITY_SIZE]; /* of the peer, printable; "": not told */
	uint32_t remaining_s;             /* UINT32_MAX: not told */
	struct {
		uint16_t protocol;
		sb_time at;          /* instant */
	} rejects[LCP_REJECTS_KEPT]; /* our last Protocol-Rejects, a ring */
	unsigned next_reject;
};

void lcp_init(struct lcp *, const struct lcp_config *, struct outbox *);
/* Then look at control_happened, at `news` and at lcp_is_looped. */
void lcp_input(struct lcp *, sb_time now, struct bytes packet);
/* As lcp_input, for one that came in fragments: those that negotiate are not heeded. */
void lcp_input_over_bundle(struct lcp *, sb_time now, struct bytes packet);
/* What we hear is ourselves (RFC 1661 section 6.4). */
bool lcp_is_looped(const struct lcp *);

/* These send nothing but in Opened. */
void lcp_request_echo(struct lcp *);
void lcp_identify(struct lcp *, const char *text);
/* We have not heard the peer for so long. Only its own kind knows what that means. */
void lcp_tell_unheard(struct lcp *, sb_time silence);
/* At most now and then for one protocol, and for all. */
void lcp_reject_protocol(struct lcp *, sb_time now, uint16_t protocol, struct bytes packet);

#endif
