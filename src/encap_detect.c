/* SPDX-License-Identifier: MIT */
/* An answered line before it is known what the peer speaks: src/detect.h behind the waist. */
#define _DEFAULT_SOURCE
#include "src/detect.h"
#include "src/encap.h"

#include <assert.h>
#include <stdlib.h>

enum { REPLAY_SIZE = 4096 };

struct detect_encap {
	struct encap base;
	struct detect detect;
	enum detect_verdict verdict;
	bool told;
	uint8_t replay[REPLAY_SIZE];
	size_t replay_length;
};

static struct detect_encap *detect_of(struct encap *e)
{
	return (struct detect_encap *)e;
}

static struct encap *detect_new(const struct encap_config *config)
{
	struct detect_encap *e = calloc(1, sizeof(*e));

	(void)config;
	if (!e)
		return NULL;
	e->base.kind = &encap_detect;
	return &e->base;
}

static void detect_free(struct encap *e)
{
	free(e);
}

static void detect_lower_up(struct encap *base, sb_time now)
{
	struct detect_encap *e = detect_of(base);

	(void)now;
	detect_init(&e->detect);
	e->verdict = DETECT_UNDECIDED;
	e->told = false;
	e->replay_length = 0;
}

static void detect_lower_down(struct encap *base, sb_time now)
{
	(void)now;
	detect_of(base)->told = true;
}

static bool detect_event(struct encap *base, struct encap_event *event)
{
	struct detect_encap *e = detect_of(base);

	if (e->verdict == DETECT_UNDECIDED || e->told)
		return false;
	e->told = true;
	*event = (struct encap_event){
		.kind = ENCAP_DETECTED,
		.detected = e->verdict == DETECT_PPP ? &encap_ppp : &encap_slip,
		.replay = bytes_of(e->replay, e->replay_length),
	};
	return true;
}

static bool detect_own(struct encap *base, sb_time now, struct buf *out)
{
	(void)now;
	return detect_output(&detect_of(base)->detect, out);
}

static void keep(struct detect_encap *e, struct bytes more)
{
	size_t room = sizeof(e->replay) - e->replay_length;
	size_t n = more.length < room ? more.length : room;

	if (n)
		memcpy(e->replay + e->replay_length, more.at, n);
	e->replay_length += n;
}

/* What is decided is told as an event; all that belongs to the link is kept until then. */
static bool detect_next(struct encap *base, sb_time now, struct bytes *in,
			struct encap_packet *packet)
{
	struct detect_encap *e = detect_of(base);

	(void)packet;
	if (e->verdict == DETECT_UNDECIDED) {
		e->verdict = detect_input(&e->detect, now, in);
		if (e->verdict != DETECT_UNDECIDED)
			keep(e, detect_replay(&e->detect));
	}
	keep(e, *in);
	*in = bytes_skip(*in, in->length);
	return false;
}

static size_t detect_encoded_length(const void *coding, struct bytes packet)
{
	(void)coding;
	return packet.length;
}

static size_t detect_overhead(const struct encap *e)
{
	(void)e;
	return 0;
}

/* Never UP, so nobody has anything to send. */
static void detect_encode(struct encap *e, uint16_t protocol, struct bytes head, struct bytes data,
			  struct buf *out)
{
	(void)e, (void)protocol, (void)head, (void)data, (void)out;
	assert(!"packets for a line that is not up");
}

static enum encap_notice detect_notice(struct encap *e)
{
	(void)e;
	return ENCAP_NOTHING;
}

static void detect_count(const struct encap *e, struct encap_counters *out)
{
	(void)e;
	*out = (struct encap_counters){.loss_out = -1, .loss_in = -1};
}

const struct encap_kind encap_detect = {
	.name = "detect",
	.new = detect_new,
	.free = detect_free,
	.lower_up = detect_lower_up,
	.lower_down = detect_lower_down,
	.event = detect_event,
	.output = detect_own,
	.encoded_length = detect_encoded_length,
	.overhead = detect_overhead,
	.encode = detect_encode,
	.next = detect_next,
	.notice = detect_notice,
	.count = detect_count,
};
