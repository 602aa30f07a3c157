/* SPDX-License-Identifier: MIT */
/*
 * A peer that sends anything, in the authentication phase. The first byte says what
 * was agreed to; then packets, each with a byte of length and one whose lowest bit is
 * the protocol and whose others are time that passes. Nobody who does not know the
 * secret is let in, and what is sent is asked for: never PAP unless agreed to.
 */
#include <stdlib.h>

#include "ppp/auth.h"
#include "ppp/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char secret[] = "9c1f7a52d83e4b60";
static const struct secret rows[] = {{"*", "*", secret, NULL}};
static const struct secrets secrets = {rows, 1};

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* Not random, so that what was found is found again. */
static uint32_t count_up(void *context)
{
	uint32_t *n = context;
	return *n += 0x9E3779B9;
}

static void check_sent(struct outbox *outbox, enum auth_method ours, enum auth_method peers)
{
	uint8_t memory[OUTBOX_BYTES];
	uint16_t protocol;
	for (;;) {
		struct buf packet = buf_over(memory, sizeof(memory));
		if (!outbox_take(outbox, &protocol, &packet))
			return;
		require(packet.length >= PPP_PACKET_HEADER);
		require(((size_t)memory[2] << 8 | memory[3]) == packet.length);
		enum auth_method method = protocol == PPP_PAP ? AUTH_PAP : AUTH_CHAP_MD5;
		require(method == ours || method == peers);
		require(ours == AUTH_PAP || protocol != PPP_PAP || memory[0] != 1);
	}
}

/* In a block of its very size, so that a read beyond the end is seen. */
static void hear(struct auth *a, sb_time now, uint16_t protocol, struct bytes packet)
{
	uint8_t *copy = malloc(packet.length ? packet.length : 1);
	require(copy != NULL);
	if (packet.length)
		memcpy(copy, packet.at, packet.length);
	auth_input(a, now, protocol, bytes_of(copy, packet.length));
	free(copy);
}

static void talk(struct auth *a, struct outbox *outbox, struct bytes in, enum auth_method ours,
		 enum auth_method peers)
{
	sb_time now = 0;
	auth_start(a, now, ours, peers);
	check_sent(outbox, ours, peers);
	while (in.length >= 2) {
		size_t length = in.at[0] < in.length - 2 ? in.at[0] : in.length - 2;
		uint16_t protocol = in.at[1] & 1 ? PPP_CHAP : PPP_PAP;
		now += (in.at[1] >> 1) * (SB_SEC / 10);
		if (now >= auth_deadline(a))
			auth_tick(a, now);
		require(auth_deadline(a) > now);
		hear(a, now, protocol, bytes_of(in.at + 2, length));
		in = bytes_skip(in, 2 + length);
		check_sent(outbox, ours, peers);
		require(peers == AUTH_NONE || auth_result(a) != AUTH_DONE);
		require(auth_peer_name(a)[0] == '\0' && auth_peer_secret(a) == NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct outbox outbox;
	uint32_t random = 0;
	if (size == 0)
		return 0;
	outbox_clear(&outbox);
	struct auth *a = auth_new(&(struct auth_config){.name = "fuzzed",
							.remote_name = "",
							.pap_secrets = &secrets,
							.chap_secrets = &secrets,
							.retry = SB_SEC,
							.max_tries = 3,
							.rechallenge = SB_SEC,
							.random = count_up,
							.random_context = &random},
				  &outbox);
	require(a != NULL);
	talk(a, &outbox, bytes_of(data + 1, size - 1), data[0] % 3, data[0] / 3 % 3);
	auth_free(a);
	return 0;
}
