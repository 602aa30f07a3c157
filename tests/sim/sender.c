/* SPDX-License-Identifier: MIT */
#include "tests/sim/sender.h"

#include "slip/slip.h"

#include <stdlib.h>

struct sender {
	struct stripe *stripe; /* one of them */
	struct multilink *multilink;
};

struct sender *sender_new(const struct sender_config *c)
{
	struct sender *s = calloc(1, sizeof(*s));

	if (c->multilink)
		s->multilink = multilink_new(&(struct multilink_config){
			.pool = c->pool,
			.queue = c->queue,
			.mtu = c->mtu,
			.max_fragment_delay = c->max_fragment_delay,
			.heartbeat = c->heartbeat,
		});
	else
		s->stripe = stripe_new(
			&(struct stripe_config){.pool = c->pool, .queue = c->queue, .mtu = c->mtu});
	return s;
}

void sender_free(struct sender *s)
{
	stripe_free(s->stripe);
	multilink_free(s->multilink);
	free(s);
}

static size_t slip_length(const void *coding, struct bytes packet)
{
	(void)coding;
	return slip_encoded_length(packet);
}

static size_t plain_length(const void *coding, struct bytes packet)
{
	(void)coding;
	return packet.length + SIM_PLAIN_OVERHEAD;
}

void sender_line_up(struct sender *s, unsigned line, const struct line_clock *clock, sb_time delay,
		    sb_time now)
{
	const struct stripe_line l = {
		.clock = clock,
		.delay = delay,
		.encoded_length = s->stripe ? slip_length : plain_length,
		.fragment_overhead = SIM_FRAGMENT_OVERHEAD,
	};

	if (s->stripe)
		stripe_line_up(s->stripe, line, &l, now);
	else
		multilink_line_up(s->multilink, line, &l, now);
}

void sender_line_down(struct sender *s, unsigned line)
{
	if (s->stripe)
		stripe_line_down(s->stripe, line);
	else
		multilink_line_down(s->multilink, line);
}

void sender_line_unsent(struct sender *s, unsigned line, size_t characters)
{
	if (s->stripe)
		stripe_line_unsent(s->stripe, line, characters);
	else
		multilink_line_unsent(s->multilink, line, characters);
}

bool sender_pull(struct sender *s, unsigned line, sb_time now, struct piece *piece)
{
	struct packet *p;

	if (s->multilink)
		return multilink_pull(s->multilink, line, now, piece);
	p = stripe_pull(s->stripe, line, now);
	if (p)
		*piece = (struct piece){.packet = p,
					.length = p->length,
					.plain = true,
					.begin = true,
					.end = true};
	return p;
}

void sender_return(struct sender *s, struct packet *p)
{
	if (s->stripe)
		stripe_return(s->stripe, p);
	else
		multilink_return(s->multilink, p);
}

sb_time sender_deadline(const struct sender *s, unsigned line)
{
	return s->stripe ? stripe_deadline(s->stripe, line)
			 : multilink_deadline(s->multilink, line);
}

double sender_rate(const struct sender *s)
{
	return s->stripe ? stripe_rate(s->stripe) : multilink_rate(s->multilink);
}

uint32_t sender_bound_bytes(const struct sender *s)
{
	return s->stripe ? stripe_bound_bytes(s->stripe) : multilink_bound_bytes(s->multilink);
}

size_t sender_length(const struct sender *s, const struct piece *piece)
{
	if (s->stripe)
		return slip_encoded_length(packet_bytes(piece->packet));
	return piece->length + (piece->plain ? SIM_PLAIN_OVERHEAD : SIM_FRAGMENT_OVERHEAD);
}
