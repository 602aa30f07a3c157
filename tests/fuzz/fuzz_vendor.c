/* SPDX-License-Identifier: MIT */
/*
 * Any packets, at any times, to the vendor protocol. Input: steps, each of an octet that says
 * what happens and what belongs to it:
 *
 *	00-3f  a packet of VSNCP follows, length and octets; bit 0 has its identifier made
 *	       that of our last request, bit 1 the whole of it an Ack of that request
 *	40-7f  a packet of VSNP follows
 *	80-bf  time passes, 100 ms times the low six bits
 *	c0-ff  by bit 0: the links go and come back, or a Protocol-Reject
 *
 * Whatever comes: what we send is well formed, ours, and little, deadlines lie ahead and are near,
 * and each message comes back the same when it is put into a packet again.
 */
#include "ppp/vendor.h"

#include "ppp/option.h"
#include "tests/fuzz/cuts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RESTART (3 * SB_SEC)

enum {
	HEADER = PPP_PACKET_HEADER + VENDOR_OUI_SIZE,
	MOST_PACKETS = 3, /* for one thing that happened */
};

struct world {
	struct vendor *vendor;
	sb_time now;
	uint64_t bad;
	uint8_t asked[PPP_DEFAULT_MRU]; /* our last Configure-Request */
	size_t asked_length;
};

/* --- what it did --- */

static void check_packet(struct world *w, struct bytes packet)
{
	REQUIRE(packet.length >= HEADER && packet.length <= PPP_DEFAULT_MRU);
	REQUIRE(packet.length == (size_t)(packet.at[2] << 8 | packet.at[3]));
	REQUIRE(packet.at[0] >= CODE_CONFIGURE_REQUEST && packet.at[0] <= CODE_CODE_REJECT);
	REQUIRE(vendor_is_ours(PPP_VSNCP, packet));
	if (packet.at[0] <= CODE_CONFIGURE_REJECT)
		REQUIRE(options_are_whole(bytes_skip(packet, HEADER)));
	if (packet.at[0] == CODE_CODE_REJECT)
		REQUIRE(vendor_is_ours(PPP_VSNCP, bytes_skip(packet, HEADER)));
	if (packet.at[0] != CODE_CONFIGURE_REQUEST)
		return;
	memcpy(w->asked, packet.at, packet.length);
	w->asked_length = packet.length;
}

static void check(struct world *w, int most)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	struct buf out = buf_over(memory, sizeof memory);
	sb_time deadline = vendor_deadline(w->vendor);

	REQUIRE(deadline == SB_NEVER || (deadline > w->now && deadline <= w->now + RESTART));
	while (vendor_output(w->vendor, &out)) {
		REQUIRE(!out.overflow && most-- > 0);
		check_packet(w, buf_bytes(&out));
		out = buf_over(memory, sizeof memory);
	}
	REQUIRE(!vendor_is_up(w->vendor) || vendor_end(w->vendor) == CONTROL_NO_END);
	REQUIRE(vendor_bad_packets(w->vendor) >= w->bad);
	w->bad = vendor_bad_packets(w->vendor);
}

/* A later version's may be longer: what is known of it is the same. */
static void check_message(const struct vendor_message *m)
{
	uint8_t memory[VENDOR_OUI_SIZE + VENDOR_MESSAGE_SIZE];
	struct buf out = buf_over(memory, sizeof memory);
	struct vendor_message again;

	vendor_begin(&out);
	vendor_put(&out, m);
	struct bytes in = buf_bytes(&out);
	REQUIRE(!out.overflow && vendor_open(&in) && vendor_next(&in, &again) && !in.length);
	REQUIRE(again.kind == m->kind && again.value == m->value && again.time == m->time);
}

static void check_messages(struct bytes in)
{
	struct vendor_message m;
	size_t before = in.length;

	REQUIRE(vendor_is_ours(PPP_VSNP, in) == vendor_open(&in));
	while (vendor_next(&in, &m)) {
		REQUIRE(in.length < before);
		before = in.length;
		check_message(&m);
	}
	REQUIRE(in.length <= before);
}

/* --- what happens --- */

static void pass(struct world *w, sb_time duration)
{
	for (sb_time until = w->now + duration; w->now < until;) {
		w->now = sb_time_min(until, vendor_deadline(w->vendor));
		vendor_tick(w->vendor, w->now);
		check(w, 1);
	}
}

static void packet(struct world *w, uint8_t how, struct bytes octets)
{
	bool is_ack = how & 2 && w->asked_length;
	size_t length = is_ack ? w->asked_length : octets.length;
	/* A block of the very size, so that a read beyond the end is seen. */
	uint8_t *copy = malloc(length ? length : 1);

	REQUIRE(copy);
	if (length)
		memcpy(copy, is_ack ? w->asked : octets.at, length);
	if (is_ack)
		copy[0] = CODE_CONFIGURE_ACK;
	if (how & 1 && length > 1)
		copy[1] = w->asked[1];
	if (how & 0x40)
		check_messages(bytes_of(copy, length));
	else
		vendor_input(w->vendor, w->now, bytes_of(copy, length));
	free(copy);
	check(w, MOST_PACKETS);
}

static void other(struct world *w, uint8_t what)
{
	if (what & 1) {
		vendor_rejected(w->vendor, w->now);
	} else {
		vendor_lower_down(w->vendor, w->now);
		check(w, 0);
		vendor_lower_up(w->vendor, w->now);
	}
	check(w, 1);
}

static void step(struct world *w, struct bytes *in)
{
	uint8_t what = in->at[0];

	*in = bytes_skip(*in, 1);
	if (what >= 0xc0) {
		other(w, what);
	} else if (what >= 0x80) {
		pass(w, (what & 0x3f) * 100 * SB_MS);
	} else if (in->length) {
		size_t length = in->at[0];
		*in = bytes_skip(*in, 1);
		length = length < in->length ? length : in->length;
		packet(w, what, bytes_of(in->at, length));
		*in = bytes_skip(*in, length);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct control_timers timers = {RESTART, 10, 2, 5};
	static struct world w;

	w = (struct world){.now = SB_SEC, .vendor = vendor_new(&timers)};
	REQUIRE(w.vendor);
	vendor_lower_up(w.vendor, w.now);
	check(&w, 1);
	for (struct bytes in = bytes_of(data, size); in.length;)
		step(&w, &in);
	vendor_free(w.vendor);
	return 0;
}
