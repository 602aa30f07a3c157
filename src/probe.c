/* SPDX-License-Identifier: MIT */
/*
 * Probes: an ICMP echo request (RFC 792) each interval, and what its silence means.
 *
 * A look every interval judges the request of the look before: without a sign of life since, it was
 * missed. missed_max in a row, and the line is silent; it is asked on, and the first sign of life
 * makes it good again. A request that the line did not take is not judged: a line that takes no
 * characters is found out otherwise.
 *
 * What is a sign of life, by `validate`:
 *
 *     none     whatever is heard on the line, and a reply with our identifier
 *     all      whatever is heard on the line, and a reply that can only be to our request
 *     filter   the latter alone: a line that brings noise, or whose other way is dead, is silent
 *
 * A reply that can only be to our request has the addresses of the request the other way round, our
 * identifier, our nonce, and the sequence number of a request of the last 32 that was not answered
 * yet. It may come over any line: it tells that the request got through, which is what the line
 * is used for. Replies are not for the host, which asked nobody.
 *
 * Requests ask for precedence (DSCP CS6, RFC 2474), which the reply has as well: a load on the
 * line is no silence.
 */
#define _DEFAULT_SOURCE
#include "src/probe.h"

#include "sched/ip.h"

enum {
	IP_HEADER = 20,
	ICMP_HEADER = 8,
	NONCE = 4,
	VERSION_IHL = 0x45,
	TOS = 48 << 2,
	DONT_FRAGMENT = 0x40,
	TTL = 64,
	PROTOCOL_ICMP = 1,
	ECHO_REPLY = 0,
	ECHO_REQUEST = 8,
	REMEMBERED = 32,
};

void probe_start(struct probe *p, const struct probe_config *config, uint16_t id, uint32_t nonce,
		 sb_time now)
{
	*p = (struct probe){
		.config = config,
		.id = id,
		.nonce = nonce,
		.look_at = now,
		.alive_at = now,
	};
}

/* --- time --- */

static void judge(struct probe *p)
{
	if (!p->asked)
		return;
	p->missed = p->lived ? 0 : p->missed + 1;
	p->silent |= p->missed >= p->config->missed_max;
}

void probe_tick(struct probe *p, sb_time now)
{
	if (now < p->look_at)
		return;
	judge(p);
	p->asked = false;
	p->waits = true;
	p->look_at = now + p->config->interval;
}

sb_time probe_deadline(const struct probe *p)
{
	return p->look_at;
}

static void lives(struct probe *p, sb_time at)
{
	p->alive_at = sb_time_max(p->alive_at, at);
	p->missed = 0;
	p->lived = true;
	p->silent = false;
}

void probe_heard(struct probe *p, sb_time at)
{
	if (p->config->validate != PROBE_VALIDATE_FILTER && at > p->alive_at)
		lives(p, at);
}

/* --- requests --- */

static void put16(uint8_t *to, unsigned value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

static void put32(uint8_t *to, uint32_t value)
{
	put16(to, value >> 16);
	put16(to + 2, value & 0xffff);
}

static unsigned get16(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
}

/* RFC 1071; 0 over what holds its right checksum. */
static unsigned checksum(const uint8_t *at, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i + 1 < n; i += 2)
		sum += get16(at + i);
	if (n % 2)
		sum += (uint32_t)at[n - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

static void write_ip(uint8_t *at, uint32_t from, uint32_t to)
{
	at[0] = VERSION_IHL;
	at[1] = TOS;
	put16(at + 2, PROBE_SIZE);
	at[6] = DONT_FRAGMENT;
	at[8] = TTL;
	at[9] = PROTOCOL_ICMP;
	put32(at + 12, from);
	put32(at + 16, to);
	put16(at + 10, checksum(at, IP_HEADER));
}

static void write_icmp(uint8_t *at, const struct probe *p)
{
	at[0] = ECHO_REQUEST;
	put16(at + 4, p->id);
	put16(at + 6, p->sequence);
	put32(at + ICMP_HEADER, p->nonce);
	put16(at + 2, checksum(at, ICMP_HEADER + NONCE));
}

bool probe_output(struct probe *p, uint32_t from, uint32_t to, struct buf *packet)
{
	uint8_t request[PROBE_SIZE] = {0};

	if (!p->waits)
		return false;
	p->waits = false;
	p->asked = true;
	p->lived = false;
	p->from = from;
	p->to = to;
	p->sequence++;
	p->unanswered = p->unanswered << 1 | 1;
	p->requests++;
	write_ip(request, from, to);
	write_icmp(request + IP_HEADER, p);
	buf_append(packet, bytes_of(request, sizeof(request)));
	return true;
}

/* --- replies --- */

/* The echo reply in a packet from whom was asked; none: it is not one. */
static struct bytes echo_reply(const struct probe *p, struct bytes packet)
{
	const struct bytes none = {0};
	struct ip_parts ip;

	if (!ip_take_apart(packet, &ip) || ip.source.length != 4 || ip.protocol != PROTOCOL_ICMP)
		return none;
	if (get32(ip.source.at) != p->to || get32(ip.destination.at) != p->from)
		return none;
	if (ip.payload.length < ICMP_HEADER || ip.payload.at[0] != ECHO_REPLY ||
	    checksum(ip.payload.at, ip.payload.length) != 0)
		return none;
	return ip.payload;
}

static bool has_nonce(const struct probe *p, struct bytes icmp)
{
	return icmp.length == ICMP_HEADER + NONCE && get32(icmp.at + ICMP_HEADER) == p->nonce;
}

/* Each request is answered once. */
static bool answers_a_request(struct probe *p, unsigned sequence)
{
	unsigned age = (p->sequence - sequence) & 0xffff;
	uint32_t bit = age < REMEMBERED ? (uint32_t)1 << age : 0;
	bool new = p->unanswered &bit;

	p->unanswered &= ~bit;
	return new;
}

bool probe_input(struct probe *p, sb_time now, struct bytes packet)
{
	struct bytes icmp = echo_reply(p, packet);
	bool validates = p->config->validate != PROBE_VALIDATE_NONE;

	if (!icmp.length || !p->requests || get16(icmp.at + 4) != p->id)
		return false;
	if (validates && !has_nonce(p, icmp))
		return false;
	if (answers_a_request(p, get16(icmp.at + 6)) || !validates) {
		p->replies++;
		lives(p, now);
	}
	return true;
}
