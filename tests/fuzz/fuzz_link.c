/* SPDX-License-Identifier: MIT */
/*
 * Any octets, at any times, are what a peer says to a link. Input: choices, then the
 * stream, in which 55 AA n lets n tenths of a second pass, and 55 BB n says the n
 * octets that follow as a frame with its FCS, which a fuzzer does not guess.
 *
 * Whatever comes: the link answers within bounds, in whole frames that a decoder
 * understands; DOWN and UP take turns; packets come up only while it is UP, and are
 * no longer than it said; time always moves on.
 */
#include "ppp/link.h"
#include "tests/fuzz/cuts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MARK = 0x55, MARK_PAUSE = 0xAA, MARK_FRAME = 0xBB, TICKS_MOST = 64, FRAMES_MOST = 64 };

struct target {
	struct link *link;
	sb_time now;
	uint32_t random;
	bool up;
};

static const struct secret secret = {"alice", "*", "secret", NULL};
static const struct secrets secrets = {&secret, 1};

static uint32_t next_number(void *context)
{
	uint32_t *state = context;
	return *state = *state * 1664525 + 1013904223;
}

static struct link_config config_from(struct target *t, uint8_t choice, uint8_t more)
{
	return (struct link_config){
		.mru = more & 1 ? 1500 : 300,
		.accm = more & 2 ? 0x000a0000 : 0,
		.receive_all = !(choice & 1),
		.pfc = choice & 2,
		.acfc = choice & 2,
		.fcs = more & 4 ? 4 : 0,
		.multilink = choice & 4,
		.mrru = 1500,
		.short_sequence = choice & 8,
		.require_pap = choice & 16,
		.require_chap = choice & 32,
		.auth = {.name = "alice",
			 .remote_name = "",
			 .pap_secrets = &secrets,
			 .chap_secrets = &secrets,
			 .retry = 3 * SB_SEC,
			 .max_tries = 10,
			 .random = next_number,
			 .random_context = &t->random},
		.quality_period = choice & 64 ? 2 * SB_SEC : 0,
		.timers = {3 * SB_SEC, 10, 2, 5},
		.keepalive = {.interval = 10 * SB_SEC, .max_silent = 6, .chars_per_sec = 960},
		.identity = choice & 128 ? "fuzz" : "",
		.passive = more & 8,
		.random = next_number,
		.random_context = &t->random,
	};
}

static void heed_events(struct target *t)
{
	struct link_event e;

	while (link_event(t->link, &e)) {
		if (e.kind == LINK_EVENT_UP) {
			REQUIRE(!t->up);
			t->up = true;
		} else if (e.kind == LINK_EVENT_DOWN) {
			t->up = false;
			REQUIRE(e.reason > LINK_FINE && e.reason < LINK_REASONS);
		} else {
			REQUIRE(t->up);
		}
	}
	REQUIRE(t->up == (link_phase(t->link) == LINK_NETWORK));
}

static void heed_output(struct target *t)
{
	uint8_t memory[LINK_OUTPUT_SIZE];
	unsigned frames = 0;

	for (;;) {
		struct buf out = buf_over(memory, sizeof memory);
		if (!link_output(t->link, t->now, &out))
			break;
		REQUIRE(!out.overflow && out.length >= 2);
		REQUIRE(out.at[0] == HDLC_FLAG && out.at[out.length - 1] == HDLC_FLAG);
		REQUIRE(++frames <= FRAMES_MOST);
	}
}

static void send_something(struct target *t)
{
	static const uint8_t data[] = {0x45, 0x7e, 0x7d, 0x00};
	uint8_t memory[64];
	struct buf out = buf_over(memory, sizeof memory);
	struct bytes head = bytes_of(data, 1), rest = bytes_of(data + 1, sizeof data - 1);

	link_encode(t->link, PPP_IP, head, rest, &out);
	REQUIRE(!out.overflow);
	REQUIRE(out.length == link_encoded_length(link_coding(t->link), PPP_IP, head, rest));
	link_relied(t->link, t->now);
}

static void say(struct target *t, struct bytes stream)
{
	struct link_packet packet;
	uint8_t *copy = malloc(stream.length + 1);

	REQUIRE(copy);
	memcpy(copy, stream.at, stream.length);
	struct bytes in = bytes_of(copy, stream.length);
	while (link_next(t->link, t->now, &in, &packet)) {
		REQUIRE(link_phase(t->link) == LINK_NETWORK);
		REQUIRE(packet.data.length <= 1500 + 72);
		if (packet.protocol == PPP_MP)
			REQUIRE(link_agreed(t->link)->multilink);
		else if (packet.protocol != PPP_IP)
			link_reject(t->link, t->now, packet.protocol, packet.data);
	}
	REQUIRE(in.length == 0);
	free(copy);
}

static void pass_time(struct target *t, sb_time duration)
{
	sb_time end = t->now + duration;

	for (unsigned ticks = 0; link_deadline(t->link) <= end; ticks++) {
		REQUIRE(ticks < TICKS_MOST);
		t->now = sb_time_max(t->now, link_deadline(t->link));
		link_tick(t->link, t->now);
		heed_events(t);
		heed_output(t);
	}
	t->now = end;
}

static void say_frame(struct target *t, struct bytes frame)
{
	uint8_t memory[2 * (UINT8_MAX + HDLC_FCS_32) + 2];
	struct buf out = buf_over(memory, sizeof memory);
	struct asyncmap map = asyncmap_from_accm(ACCM_DEFAULT);
	struct hdlc_encoding e = {.map = &map, .fcs = HDLC_FCS_16, .opening_flag = true};

	hdlc_encode(&out, &e, frame);
	say(t, buf_bytes(&out));
}

static bool is_mark(const uint8_t at[static 3])
{
	return at[0] == MARK && (at[1] == MARK_PAUSE || at[1] == MARK_FRAME);
}

/* Up to the next mark, or all. */
static size_t raw_length(struct bytes stream)
{
	for (size_t i = 0; i + 2 < stream.length; i++)
		if (is_mark(stream.at + i))
			return i;
	return stream.length;
}

static void obey_mark(struct target *t, struct bytes *stream)
{
	uint8_t what = stream->at[1];
	size_t n = stream->at[2];

	*stream = bytes_skip(*stream, 3);
	if (what == MARK_PAUSE) {
		pass_time(t, (sb_time)n * 100 * SB_MS);
		return;
	}
	n = n < stream->length ? n : stream->length;
	say_frame(t, bytes_of(stream->at, n));
	*stream = bytes_skip(*stream, n);
}

static void live(struct target *t, struct bytes stream)
{
	while (stream.length) {
		size_t length = raw_length(stream);
		if (length)
			say(t, bytes_of(stream.at, length));
		stream = bytes_skip(stream, length);
		if (stream.length)
			obey_mark(t, &stream);
		heed_events(t);
		heed_output(t);
		if (t->up)
			send_something(t);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target t = {.now = 1000 * SB_SEC, .random = 1};

	if (size < 2)
		return 0;
	struct link_config config = config_from(&t, data[0], data[1]);
	t.link = link_new(&config);
	REQUIRE(t.link);
	link_lower_up(t.link, t.now);
	heed_output(&t);
	live(&t, bytes_of(data + 2, size - 2));
	link_close(t.link, t.now);
	t.up = false; /* which is not told again */
	heed_events(&t);
	pass_time(&t, 20 * SB_SEC);
	REQUIRE(link_phase(t.link) == LINK_DEAD);
	link_lower_down(t.link, t.now);
	REQUIRE(link_deadline(t.link) == SB_NEVER);
	link_free(t.link);
	return 0;
}
