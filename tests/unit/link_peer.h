/* SPDX-License-Identifier: MIT */
/*
 * A link with a peer whose every octet the test writes: wires in hex go in, the
 * frames of the link come out, one by one. Magic numbers are deadbeef, deadbef0 ...
 */
#ifndef TESTS_UNIT_LINK_PEER_H
#define TESTS_UNIT_LINK_PEER_H

#include "ppp/link.h"
#include "tests/unit/codec_testing.h"
#include "tests/unit/secrets_known.h"

enum { FRAME_ROOM = 2048 };

struct peer {
	struct link *link;
	struct link_config config;
	struct hdlc_decoder *decoder; /* of what the link says */
	sb_time now;
	uint32_t random;
	uint8_t wire_memory[LINK_OUTPUT_SIZE];
	struct bytes wire; /* the link's last frame, as on the line */
	uint8_t frame_memory[FRAME_ROOM];
	struct link_packet packet; /* the last that was for the owner */
	uint8_t packet_memory[FRAME_ROOM];
	unsigned packets;
	struct link_event last;
	unsigned ups, downs;
};

static uint32_t count_random(void *context)
{
	struct peer *p = context;
	return p->random++;
}

/* Everything of little use here is off: the request is ACCM 0 and the magic number. */
static inline void peer_init(struct peer *p)
{
	memset(p, 0, sizeof *p);
	p->now = 1000 * SB_SEC;
	p->random = 0xdeadbeef;
	p->config = (struct link_config){
		.mru = 1500,
		.receive_all = true, /* the cases' octets are not escaped */
		.mrru = 1500,
		.auth = {.name = "",
			 .remote_name = "",
			 .pap_secrets = &no_secrets,
			 .chap_secrets = &no_secrets,
			 .retry = 3 * SB_SEC,
			 .max_tries = 10,
			 .random = count_random,
			 .random_context = p},
		.timers = {.restart = 3 * SB_SEC,
			   .max_configure = 10,
			   .max_terminate = 2,
			   .max_failure = 5},
		.keepalive = {.chars_per_sec = 3840, .frame_chars = 1510},
		.identity = "",
		.random = count_random,
		.random_context = p,
	};
}

static inline void peer_start(struct peer *p)
{
	p->link = link_new(&p->config);
	p->decoder = hdlc_decoder_new(
		&(struct hdlc_decoder_config){.max_frame = 1600, .fcs = HDLC_FCS_16});
	ck_assert_ptr_nonnull(p->link);
	ck_assert_ptr_nonnull(p->decoder);
	link_lower_up(p->link, p->now);
}

static inline void peer_end(struct peer *p)
{
	link_free(p->link);
	hdlc_decoder_free(p->decoder);
}

static inline void note(struct peer *p)
{
	struct link_event e;

	while (link_event(p->link, &e)) {
		p->last = e;
		p->ups += e.kind == LINK_EVENT_UP;
		p->downs += e.kind == LINK_EVENT_DOWN;
	}
}

static inline void peer_says_octets(struct peer *p, struct bytes wire)
{
	struct link_packet packet;

	while (link_next(p->link, p->now, &wire, &packet)) {
		ck_assert_uint_le(packet.data.length, sizeof p->packet_memory);
		memcpy(p->packet_memory, packet.data.at, packet.data.length);
		p->packet = packet;
		p->packet.data.at = p->packet_memory;
		p->packets++;
	}
	ck_assert_uint_eq(wire.length, 0);
	note(p);
}

static inline void peer_says_wire(struct peer *p, const char *wire)
{
	peer_says_octets(p, hex(wire));
}

/* A frame without its FCS. */
static inline void peer_says_frame(struct peer *p, struct bytes frame)
{
	uint8_t memory[2 * FRAME_ROOM];
	struct buf out = buf_over(memory, sizeof memory);
	struct asyncmap map = asyncmap_from_accm(ACCM_DEFAULT);
	struct hdlc_encoding e = {.map = &map, .fcs = HDLC_FCS_16, .opening_flag = true};

	hdlc_encode(&out, &e, frame);
	peer_says_octets(p, buf_bytes(&out));
}

static inline void peer_says(struct peer *p, const char *frame)
{
	peer_says_frame(p, hex(frame));
}

/* The link's next frame without its FCS, or nothing. */
static inline struct bytes peer_hears(struct peer *p)
{
	struct buf out = buf_over(p->wire_memory, sizeof p->wire_memory);
	struct bytes frame;

	if (!link_output(p->link, p->now, &out))
		return bytes_of(NULL, 0);
	ck_assert(!out.overflow);
	p->wire = buf_bytes(&out);
	struct bytes in = p->wire;
	ck_assert(hdlc_decoder_next(p->decoder, &in, &frame));
	ck_assert_uint_eq(in.length, 0);
	memcpy(p->frame_memory, frame.at, frame.length);
	return bytes_of(p->frame_memory, frame.length);
}

static inline void assert_hears(struct peer *p, const char *frame)
{
	assert_octets(peer_hears(p), hex(frame));
}

static inline void assert_hears_nothing(struct peer *p)
{
	ck_assert_uint_eq(peer_hears(p).length, 0);
}

static inline void pass_time(struct peer *p, sb_time duration)
{
	p->now += duration;
	if (link_deadline(p->link) <= p->now)
		link_tick(p->link, p->now);
	note(p);
}

/* Of the requests of the peer whose number does not matter. */
enum { IDENTIFIER = 0x77 };

static inline struct bytes lcp_frame(uint8_t memory[static FRAME_ROOM], uint8_t code,
				     uint8_t identifier, struct bytes options)
{
	struct buf out = buf_over(memory, FRAME_ROOM);
	size_t length = PPP_PACKET_HEADER + options.length;

	buf_append(&out, hex("ff 03 c0 21"));
	buf_put(&out, code);
	buf_put(&out, identifier);
	buf_put(&out, (uint8_t)(length >> 8));
	buf_put(&out, (uint8_t)length);
	buf_append(&out, options);
	ck_assert(!out.overflow);
	return buf_bytes(&out);
}

static inline void peer_says_lcp(struct peer *p, uint8_t code, uint8_t identifier,
				 struct bytes options)
{
	uint8_t memory[FRAME_ROOM];

	peer_says_frame(p, lcp_frame(memory, code, identifier, options));
}

static inline void assert_hears_lcp(struct peer *p, uint8_t code, uint8_t identifier,
				    struct bytes options)
{
	uint8_t memory[FRAME_ROOM];

	assert_octets(peer_hears(p), lcp_frame(memory, code, identifier, options));
}

/* Acknowledges the link's request, which is to be what it hears next. */
static inline void peer_agrees(struct peer *p)
{
	struct bytes request = peer_hears(p);

	ck_assert_uint_ge(request.length, 8);
	ck_assert_uint_eq(request.at[4], CODE_CONFIGURE_REQUEST);
	p->frame_memory[4] = CODE_CONFIGURE_ACK;
	peer_says_frame(p, request);
}

/* Both agree at once; the peer asks for nothing but a magic number. */
static inline void peer_opens(struct peer *p)
{
	peer_start(p);
	peer_agrees(p);
	peer_says(p, "ff 03 c0 21 01 01 00 0a 05 06 01 02 03 04");
	assert_hears(p, "ff 03 c0 21 02 01 00 0a 05 06 01 02 03 04");
	ck_assert_uint_eq(p->ups, 1);
}

static inline struct link_counters counters_of(const struct peer *p)
{
	struct link_counters c;

	link_count(p->link, &c);
	return c;
}

#endif
