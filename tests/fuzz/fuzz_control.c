/* SPDX-License-Identifier: MIT */
/*
 * Any packets, at any times, to IPCP and IPV6CP. Input: the configuration, then
 * steps, each of an octet that says what happens and what belongs to it:
 *
 *	00-7f  a packet follows, length and octets; bit 0 tells the protocol, bit 1
 *	       has its identifier made that of our last request, bit 2 the whole of
 *	       it an Ack of that request
 *	80-bf  time passes, 100 ms times the low six bits
 *	c0-ff  by the low two bits: the layer below goes and comes back, a
 *	       Protocol-Reject of either protocol, we close
 *
 * Whatever comes: what we send is well formed and little, deadlines lie ahead
 * and are near, an address is agreed on when a protocol is up, events alternate.
 */
#include "ppp/network.h"

#include "ppp/option.h"
#include "tests/fuzz/cuts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RESTART (3 * SB_SEC)

enum { PROTOCOLS = 2, MOST_PACKETS = 3 };

struct world {
	struct network *network;
	sb_time now;
	uint32_t dice;
	bool told_up[PROTOCOLS];
	struct {
		uint8_t octets[PPP_DEFAULT_MRU];
		size_t length;
	} asked[PROTOCOLS]; /* our last Configure-Request of each */
};

static uint32_t throw_dice(void *context)
{
	struct world *w = context;
	return w->dice = w->dice * 1664525 + 1013904223;
}

static struct network_config config_from(uint8_t choice, struct world *w)
{
	return (struct network_config){
		.ipv4 = true,
		.ipv6 = true,
		.local = choice & 1 ? 0x0a000001 : 0,
		.remote = choice & 2 ? 0x0a000002 : 0,
		.accept_local = choice & 4,
		.accept_remote = choice & 8,
		.ask_dns = choice & 16,
		.give_dns = {choice & 32 ? 0x0a000035 : 0},
		.local_id = {[7] = choice >> 6 & 1},
		.remote_id = {[7] = choice >> 7},
		.timers = {RESTART, 10, 2, 5},
		.random = throw_dice,
		.random_context = w,
	};
}

/* --- what it did --- */

static void check_packet(struct world *w, uint16_t protocol, struct bytes packet)
{
	REQUIRE(protocol == PPP_IPCP || protocol == PPP_IPV6CP);
	REQUIRE(packet.length >= PPP_PACKET_HEADER && packet.length <= PPP_DEFAULT_MRU);
	REQUIRE(packet.length == (size_t)(packet.at[2] << 8 | packet.at[3]));
	REQUIRE(packet.at[0] >= CODE_CONFIGURE_REQUEST && packet.at[0] <= CODE_CODE_REJECT);
	if (packet.at[0] <= CODE_CONFIGURE_REJECT)
		REQUIRE(options_are_whole(bytes_skip(packet, PPP_PACKET_HEADER)));
	if (packet.at[0] == CODE_CONFIGURE_REQUEST) {
		int i = protocol == PPP_IPV6CP;
		memcpy(w->asked[i].octets, packet.at, packet.length);
		w->asked[i].length = packet.length;
	}
}

/* At most `most` packets of each protocol for one thing that happened. */
static void check_output(struct world *w, int most)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	struct buf out = buf_over(memory, sizeof memory);
	uint16_t protocol;

	while (network_output(w->network, &protocol, &out)) {
		REQUIRE(!out.overflow && most-- > 0);
		check_packet(w, protocol, buf_bytes(&out));
		out = buf_over(memory, sizeof memory);
	}
}

static void check_events(struct world *w)
{
	struct network_event event;

	while (network_event(w->network, &event)) {
		int i = event.kind == NETWORK_IPV6_UP || event.kind == NETWORK_IPV6_DOWN;
		bool up = event.kind == NETWORK_IPV4_UP || event.kind == NETWORK_IPV6_UP;
		REQUIRE(!up || !w->told_up[i]);
		REQUIRE(*network_reason_text(event.reason));
		w->told_up[i] = up;
	}
	REQUIRE(w->told_up[0] == network_ipv4_is_up(w->network));
	REQUIRE(w->told_up[1] == network_ipv6_is_up(w->network));
}

static void check_agreed(const struct world *w)
{
	static const uint8_t zero[8];
	const struct network_ipv6 *v6 = network_ipv6(w->network);

	REQUIRE(!network_ipv4_is_up(w->network) || network_ipv4(w->network)->local);
	if (!network_ipv6_is_up(w->network))
		return;
	REQUIRE(memcmp(v6->local_id, zero, sizeof zero));
	REQUIRE(memcmp(v6->local_id, v6->remote_id, sizeof zero));
}

static void check(struct world *w, int most)
{
	sb_time deadline = network_deadline(w->network);

	REQUIRE(deadline == SB_NEVER || (deadline > w->now && deadline <= w->now + RESTART));
	check_output(w, most);
	check_events(w);
	check_agreed(w);
}

/* --- what happens --- */

static void pass(struct world *w, sb_time duration)
{
	for (sb_time until = w->now + duration; w->now < until;) {
		w->now = sb_time_min(until, network_deadline(w->network));
		network_tick(w->network, w->now);
		check(w, 2);
	}
}

static void input(struct world *w, int protocol, const uint8_t *at, size_t length)
{
	/* A block of the very size, so that a read beyond the end is seen. */
	uint8_t *copy = malloc(length ? length : 1);

	REQUIRE(copy);
	if (length)
		memcpy(copy, at, length);
	REQUIRE(network_input(w->network, w->now, protocol ? PPP_IPV6CP : PPP_IPCP,
			      bytes_of(copy, length)));
	free(copy);
	check(w, MOST_PACKETS);
}

static void packet(struct world *w, uint8_t how, struct bytes octets)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	int protocol = how & 1;
	size_t length = octets.length;

	if (how & 4) {
		length = w->asked[protocol].length;
		memcpy(memory, w->asked[protocol].octets, length);
		memory[0] = CODE_CONFIGURE_ACK;
	} else if (length) {
		memcpy(memory, octets.at, length);
	}
	if (how & 2 && length > 1)
		memory[1] = w->asked[protocol].octets[1];
	input(w, protocol, memory, length);
}

static void other(struct world *w, uint8_t what)
{
	switch (what & 3) {
	case 0:
		network_lower_down(w->network, w->now);
		check(w, 0);
		network_lower_up(w->network, w->now);
		break;
	case 1:
		network_rejected(w->network, w->now, PPP_IPCP);
		break;
	case 2:
		network_rejected(w->network, w->now, PPP_IPV6CP);
		break;
	case 3:
		network_close(w->network, w->now);
		break;
	}
	check(w, 2);
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
	static struct world w;

	if (size < 1)
		return 0;
	w = (struct world){.now = SB_SEC};
	struct network_config config = config_from(data[0], &w);
	w.network = network_new(&config);
	REQUIRE(w.network);
	network_lower_up(w.network, w.now);
	check(&w, 2);
	for (struct bytes in = bytes_of(data + 1, size - 1); in.length;)
		step(&w, &in);
	network_free(w.network);
	return 0;
}
