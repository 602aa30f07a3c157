/* SPDX-License-Identifier: MIT */
/*
 * PPP on a line: a link (ppp/link.h) behind the waist. What the link needs to
 * know comes from the configuration here; what it says is passed on.
 */
#define _DEFAULT_SOURCE
#include "src/config.h"
#include "src/encap.h"

#include <assert.h>
#include <stdlib.h>

struct ppp_encap {
	struct encap base;
	struct link *link;
	bool said_seven_bits, said_no_frames;
	uint64_t frames_before; /* the port carried characters */
	uint64_t heard;         /* characters since then */
};

enum {
	SEVEN_BITS_SURE = 8,   /* frames */
	NO_FRAMES_SURE = 4096, /* characters, more than any frame before an agreement has */
	IDLE_LINE_CHARS = 64,
};

static struct ppp_encap *ppp_of(struct encap *e)
{
	return (struct ppp_encap *)e;
}

static struct link *link_of(const struct encap *e)
{
	return ((const struct ppp_encap *)e)->link;
}

static void ppp_free(struct encap *e)
{
	if (!e)
		return;
	link_free(link_of(e));
	free(e);
}

static double chars_per_sec(const struct line_config *line)
{
	return (double)line->bps / line->bits_per_char;
}

/*
 * A request that is answered at once takes its time over the line and back: on
 * slow and far lines the restart timer must not run out before that.
 */
static struct control_timers timers_for(const struct line_config *line, struct control_timers t)
{
	enum { REQUEST_CHARS = 120 }; /* with escapes */
	double both_ways_s = 2 * REQUEST_CHARS / chars_per_sec(line);

	t.restart += 2 * line->delay + (sb_time)(both_ways_s * (double)SB_SEC);
	return t;
}

static unsigned longest_frame(const struct config *c)
{
	unsigned most = c->mtu > c->ppp.mru ? c->mtu : c->ppp.mru;

	return most + IDLE_LINE_CHARS;
}

/*
 * Probes of a link are its Echo-Requests, that often. One that is missed has it out of use; given
 * up it is no sooner than without probes, since that would hang up a call.
 */
static struct keepalive_config keepalive_for(const struct config *c, const struct line_config *line)
{
	const struct ppp_config *p = &c->ppp;
	const struct probe_config *probe = &c->probe;
	struct keepalive_config k = {
		.interval = p->echo_interval,
		.max_silent = p->echo_failure,
		.chars_per_sec = chars_per_sec(line),
		.frame_chars = longest_frame(c),
	};

	if (!probe->interval)
		return k;
	k.interval = probe->interval;
	k.max_silent =
		(unsigned)((p->echo_interval * p->echo_failure + k.interval - 1) / k.interval);
	if (k.max_silent && k.max_silent < probe->missed_max)
		k.max_silent = probe->missed_max;
	return k;
}

/* Lines that are parked when they lose too much need reports: of a hundredth of what they carry. */
static sb_time quality_period(const struct config *c, const struct line_config *line)
{
	enum { REPORT_CHARS = 60, PRICE = 100 };
	double s = PRICE * REPORT_CHARS / chars_per_sec(line);

	if (c->ppp.quality_period || c->park.loss_out <= 0)
		return c->ppp.quality_period;
	return sb_time_max(2 * SB_SEC, (sb_time)(s * (double)SB_SEC));
}

static struct link_config link_config_for(const struct encap_config *e)
{
	const struct config *c = e->config;
	const struct ppp_config *p = &c->ppp;

	return (struct link_config){
		.mru = p->mru,
		.accm = p->accm,
		.escape = p->escape,
		.receive_all = p->receive_all,
		.pfc = p->pfc,
		.acfc = p->acfc,
		.fcs = p->fcs,
		.multilink = p->multilink,
		.mrru = p->mrru,
		.short_sequence = p->short_sequence,
		.endpoint = p->endpoint,
		.require_pap = p->require_pap,
		.require_chap = p->require_chap,
		.refuse_pap = p->refuse_pap,
		.refuse_chap = p->refuse_chap,
		.auth =
			{
				.name = p->name,
				.remote_name = p->remote_name,
				.pap_secrets = e->pap,
				.chap_secrets = e->chap,
				.retry = p->timers.restart,
				.max_tries = p->timers.max_configure,
				.rechallenge = p->rechallenge,
				.random = e->random,
				.random_context = e->random_context,
			},
		.quality_period = quality_period(c, e->line),
		.timers = timers_for(e->line, p->timers),
		.keepalive = keepalive_for(c, e->line),
		.identity = "serialbundle " SERIALBUNDLE_VERSION,
		/* Where detection has heard the peer, it may be in the middle of an old link. */
		.passive = c->answer && e->line->encap,
		.random = e->random,
		.random_context = e->random_context,
	};
}

static struct encap *ppp_new(const struct encap_config *config)
{
	struct ppp_encap *e = calloc(1, sizeof(*e));
	struct link_config wanted = link_config_for(config);

	if (!e)
		return NULL;
	e->base.kind = &encap_ppp;
	e->link = link_new(&wanted);
	if (!e->link) {
		ppp_free(&e->base);
		return NULL;
	}
	return &e->base;
}

/* Of any kind: what ended with a flag. */
static uint64_t frames_heard(const struct ppp_encap *e)
{
	struct link_counters c;

	link_count(e->link, &c);
	return c.hdlc.frames + c.hdlc.bad_fcs + c.hdlc.too_long + c.hdlc.runts + c.hdlc.aborts;
}

static void ppp_lower_up(struct encap *base, sb_time now)
{
	struct ppp_encap *e = ppp_of(base);

	e->frames_before = frames_heard(e);
	e->heard = 0;
	link_lower_up(e->link, now);
}

static void ppp_lower_down(struct encap *e, sb_time now)
{
	link_lower_down(link_of(e), now);
}

static void ppp_close(struct encap *e, sb_time now)
{
	link_close(link_of(e), now);
}

static bool ppp_event(struct encap *e, struct encap_event *event)
{
	static const int kinds[] = {
		[LINK_EVENT_UP] = ENCAP_UP,
		[LINK_EVENT_DOWN] = ENCAP_DOWN,
		[LINK_EVENT_SILENT] = ENCAP_SILENT,
		[LINK_EVENT_HEARD] = ENCAP_HEARD,
		[LINK_EVENT_PROTOCOL_REJECTED] = ENCAP_PROTOCOL_REJECTED,
		[LINK_EVENT_IDENTIFIED] = ENCAP_IDENTIFIED,
	};
	struct link_event l;

	if (!link_event(link_of(e), &l))
		return false;
	event->kind = kinds[l.kind];
	event->why = l.reason;
	event->reason = link_reason_text(l.reason);
	event->since = l.since;
	event->protocol = l.protocol;
	return true;
}

static bool ppp_output(struct encap *e, sb_time now, struct buf *out)
{
	return link_output(link_of(e), now, out);
}

static sb_time ppp_deadline(const struct encap *e)
{
	return link_deadline(link_of(e));
}

static void ppp_tick(struct encap *e, sb_time now)
{
	link_tick(link_of(e), now);
}

static void ppp_relied(struct encap *e, sb_time now)
{
	link_relied(link_of(e), now);
}

static void ppp_set_rate(struct encap *e, double rate)
{
	link_set_rate(link_of(e), rate);
}

/* Of probes; what LCP has agreed on stays. */
static void ppp_follow(struct encap *e, const struct config *c, const struct line_config *line)
{
	const struct keepalive_config k = keepalive_for(c, line);

	link_set_interval(link_of(e), k.interval, k.max_silent);
}

static void ppp_reject(struct encap *e, sb_time now, struct encap_packet p)
{
	link_reject(link_of(e), now, p.protocol, p.data);
}

static void ppp_own(struct encap *e, sb_time now, struct bytes packet)
{
	link_lcp(link_of(e), now, packet);
}

static const struct link_agreed *ppp_agreed(const struct encap *e)
{
	return link_phase(link_of(e)) == LINK_NETWORK ? link_agreed(link_of(e)) : NULL;
}

static size_t ppp_encoded_length(const void *coding, struct bytes packet)
{
	return link_encoded_length(coding, encap_protocol(packet), bytes_of(NULL, 0), packet);
}

static const void *ppp_coding(const struct encap *e)
{
	return link_coding(link_of(e));
}

static size_t ppp_overhead(const struct encap *e)
{
	size_t header = link_agreed(link_of(e))->short_out ? 2 : 4;

	return link_overhead(link_coding(link_of(e)), PPP_MP) + header;
}

static void ppp_encode(struct encap *e, uint16_t protocol, struct bytes head, struct bytes data,
		       struct buf *out)
{
	link_encode(link_of(e), protocol, head, data, out);
}

static void ppp_mark(struct encap *e)
{
	link_mark(link_of(e));
}

/* Behind an escape a flag alone aborts. */
static void ppp_cut(struct encap *e, struct bytes sent)
{
	if (sent.at[sent.length - 1] == HDLC_ESCAPE)
		link_mark(link_of(e));
	else
		link_abort(link_of(e));
}

static bool ppp_next(struct encap *e, sb_time now, struct bytes *in, struct encap_packet *packet)
{
	size_t before = in->length;
	struct link_packet p;
	bool found = link_next(link_of(e), now, in, &p);

	ppp_of(e)->heard += before - in->length;
	if (!found)
		return false;
	*packet = (struct encap_packet){.protocol = p.protocol, .data = p.data};
	return true;
}

static bool saw_seven_bits(const struct ppp_encap *e)
{
	struct link_counters c;

	link_count(e->link, &c);
	return c.eight_bit_unclean >= SEVEN_BITS_SURE && c.hdlc.frames == 0;
}

static bool saw_no_frames(const struct ppp_encap *e)
{
	return e->heard >= NO_FRAMES_SURE && frames_heard(e) == e->frames_before;
}

static enum encap_notice ppp_notice(struct encap *base)
{
	struct ppp_encap *e = ppp_of(base);

	if (!e->said_seven_bits && saw_seven_bits(e)) {
		e->said_seven_bits = true;
		return ENCAP_SAW_SEVEN_BITS;
	}
	if (!e->said_no_frames && saw_no_frames(e)) {
		e->said_no_frames = true;
		return ENCAP_SAW_NO_FRAMES;
	}
	return ENCAP_NOTHING;
}

static void ppp_count(const struct encap *e, struct encap_counters *out)
{
	struct link_counters c;

	link_count(link_of(e), &c);
	*out = (struct encap_counters){
		.frames_in = c.hdlc.frames + c.hdlc.bad_fcs + c.hdlc.too_long,
		.bad_framing = c.hdlc.runts + c.hdlc.aborts,
		.bad_fcs = c.hdlc.bad_fcs,
		.too_long = c.hdlc.too_long,
		.bad_length = c.bad_packets,
		.unknown = c.unknown_protocol,
		.rtt = c.rtt,
		.loss_out = c.loss_out,
		.loss_in = c.loss_in,
		.reports = c.reports,
	};
}

const struct encap_kind encap_ppp = {
	.name = "ppp",
	.new = ppp_new,
	.free = ppp_free,
	.lower_up = ppp_lower_up,
	.lower_down = ppp_lower_down,
	.close = ppp_close,
	.event = ppp_event,
	.output = ppp_output,
	.deadline = ppp_deadline,
	.tick = ppp_tick,
	.relied = ppp_relied,
	.set_rate = ppp_set_rate,
	.follow = ppp_follow,
	.reject = ppp_reject,
	.own = ppp_own,
	.agreed = ppp_agreed,
	.encoded_length = ppp_encoded_length,
	.coding = ppp_coding,
	.overhead = ppp_overhead,
	.encode = ppp_encode,
	.mark = ppp_mark,
	.cut = ppp_cut,
	.next = ppp_next,
	.notice = ppp_notice,
	.count = ppp_count,
};
