/* SPDX-License-Identifier: MIT */
/*
 * The control protocol of control.h, but that its packets name a vendor behind their length field
 * (RFC 3772 section 2). Here that is taken off what comes and put into what goes, so that
 * the automaton sees what it knows:
 *
 *	code identifier length          data     RFC 1661 section 5
 *	code identifier length+3  OUI   data     VSNCP
 *	                          OUI   messages VSNP
 *
 * One option is asked for, which the peer must ask for too: whose protocol it is,
 * and its version. Whoever has the later one gives way when the other Naks it; there is but one
 * yet, so nothing else than it can be agreed on. Messages are of the form of options: kind, length
 * of it all, value. One may be longer than it is known here; what is behind is a later version's.
 */
#include "ppp/vendor.h"

#include <stdlib.h>

#include "ppp/judge.h"
#include "ppp/packet.h"

enum {
	/* Programs that show packets take low numbers for those of 3GPP2, whatever the vendor. */
	OPTION_PROTOCOL = 0x53,
	VERSION = 1,
};

/*
 * Nobody was assigned this one, nor can be: in the first octet, bit 0 clear is an individual
 * and bit 1 set a locally administered address. It reads "BND".
 */
static const uint8_t oui[VENDOR_OUI_SIZE] = {0x42, 0x4E, 0x44};

/* The value of the option. Others may have made up the same OUI. */
static const uint8_t protocol[] = {'s', 'e', 'r', 'i', 'a', 'l',    'b',
				   'u', 'n', 'd', 'l', 'e', VERSION};

enum { NAME_SIZE = sizeof protocol - 1 };

struct vendor {
	struct control control;
	struct outbox outbox;
	uint64_t bad_packets; /* besides those that the automaton counts */
};

/* --- the option --- */

static void begin(void *self)
{
	(void)self; /* what is agreed is always the same */
}

static void put_option(struct buf *options)
{
	option_put(options, OPTION_PROTOCOL, bytes_of(protocol, sizeof protocol));
}

static void request(void *self, struct buf *options)
{
	(void)self;
	put_option(options);
}

static bool names_our_protocol(const struct option *option)
{
	return option->type == OPTION_PROTOCOL && option->data.length == sizeof protocol &&
	       memcmp(option->data.at, protocol, NAME_SIZE) == 0;
}

static enum control_verdict verdict_on(const void *self, const struct option *option,
				       struct buf *better)
{
	(void)self;
	if (!names_our_protocol(option) || option->data.at[NAME_SIZE] < VERSION)
		return VERDICT_REJECT;
	if (option->data.at[NAME_SIZE] == VERSION)
		return VERDICT_ACK;
	put_option(better);
	return VERDICT_NAK;
}

/* A request without the option gets it by a Nak, however often (RFC 1661 section 5.3). */
static enum control_verdict judge(void *self, struct bytes options, bool insist, struct buf *answer)
{
	if (options.length)
		return judge_options(options, insist, verdict_on, self, answer);
	put_option(answer);
	return VERDICT_NAK;
}

static void acked(void *self)
{
	(void)self;
}

/* There is nothing that we could ask for instead. */
static bool refused(void *self, struct bytes options)
{
	(void)self;
	(void)options;
	return false;
}

static const struct control_kind kind = {
	.protocol = PPP_VSNCP,
	.name = "VSNCP",
	.begin = begin,
	.request = request,
	.judge = judge,
	.acked = acked,
	.naked = refused,
	.rejected = refused,
};

/* --- the vendor in packets --- */

static bool is_oui(struct bytes in)
{
	return in.length >= sizeof oui && memcmp(in.at, oui, sizeof oui) == 0;
}

bool vendor_is_ours(uint16_t of_protocol, struct bytes packet)
{
	size_t before = of_protocol == PPP_VSNCP ? PPP_PACKET_HEADER : 0;

	return packet.length >= before && is_oui(bytes_skip(packet, before));
}

/* A packet as the automaton makes it, with the vendor in it. It may be cut short at its end. */
static void put_named(struct buf *to, struct bytes packet)
{
	size_t length = (size_t)(packet.at[2] << 8 | packet.at[3]) - PPP_PACKET_HEADER;

	ppp_packet_put_header(to, packet.at[0], packet.at[1], length + sizeof oui);
	buf_append(to, bytes_of(oui, sizeof oui));
	buf_append(to, bytes_skip(packet, PPP_PACKET_HEADER));
}

/* A Code-Reject's data is the packet that is rejected, as it came. */
static void put_code_reject(struct buf *to, struct bytes packet)
{
	struct bytes rejected = bytes_skip(packet, PPP_PACKET_HEADER);

	ppp_packet_put_header(to, packet.at[0], packet.at[1], rejected.length + 2 * sizeof oui);
	buf_append(to, bytes_of(oui, sizeof oui));
	put_named(to, rejected);
}

/* The packet without the vendor. False: it is none of ours, or has a length that it cannot have. */
static bool take_unnamed(struct bytes in, struct buf *to)
{
	struct ppp_packet p;

	if (!ppp_packet_take(in, &p) || !is_oui(p.data))
		return false;
	p.data = bytes_skip(p.data, sizeof oui);
	ppp_packet_put_header(to, p.code, p.identifier, p.data.length);
	buf_append(to, p.data);
	return !to->overflow;
}

/* --- the machine --- */

struct vendor *vendor_new(const struct control_timers *timers)
{
	struct vendor *v = calloc(1, sizeof *v);

	if (v)
		control_init(&v->control, &kind, v, &v->outbox, timers);
	return v;
}

void vendor_free(struct vendor *v)
{
	free(v);
}

/* What cannot be agreed on is closed: a peer that goes on gets no more than a Terminate-Ack. */
static void settle(struct vendor *v, sb_time now)
{
	if (control_happened(&v->control) & CONTROL_FINISHED &&
	    v->control.end == CONTROL_NO_AGREEMENT)
		control_close(&v->control, now);
}

void vendor_lower_up(struct vendor *v, sb_time now)
{
	control_open(&v->control, now);
	control_up(&v->control, now);
	settle(v, now);
}

void vendor_lower_down(struct vendor *v, sb_time now)
{
	control_down(&v->control, now);
	outbox_clear(&v->outbox);
	settle(v, now);
}

void vendor_input(struct vendor *v, sb_time now, struct bytes packet)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	struct buf plain = buf_over(memory, sizeof memory);

	if (!take_unnamed(packet, &plain)) {
		v->bad_packets++;
		return;
	}
	control_input(&v->control, now, buf_bytes(&plain));
	settle(v, now);
}

void vendor_rejected(struct vendor *v, sb_time now)
{
	control_protocol_rejected(&v->control, now);
	settle(v, now);
}

bool vendor_output(struct vendor *v, struct buf *packet)
{
	uint8_t memory[PPP_DEFAULT_MRU];
	struct buf plain = buf_over(memory, sizeof memory);
	uint16_t of_protocol;

	if (!outbox_take(&v->outbox, &of_protocol, &plain))
		return false;
	if (memory[0] == CODE_CODE_REJECT)
		put_code_reject(packet, buf_bytes(&plain));
	else
		put_named(packet, buf_bytes(&plain));
	return true;
}

bool vendor_is_up(const struct vendor *v)
{
	return v->control.state == STATE_OPENED;
}

enum control_end vendor_end(const struct vendor *v)
{
	return v->control.end;
}

uint64_t vendor_bad_packets(const struct vendor *v)
{
	return v->bad_packets + v->control.counters.bad_packets;
}

sb_time vendor_deadline(const struct vendor *v)
{
	return control_deadline(&v->control);
}

void vendor_tick(struct vendor *v, sb_time now)
{
	control_tick(&v->control, now);
	settle(v, now);
}

/* --- messages --- */

static bool has_time(unsigned message_kind)
{
	return message_kind == VENDOR_RECEIVED;
}

static bool is_known(unsigned message_kind)
{
	return message_kind >= VENDOR_MODE && message_kind <= VENDOR_PACE;
}

bool vendor_open(struct bytes *packet)
{
	if (!is_oui(*packet))
		return false;
	*packet = bytes_skip(*packet, sizeof oui);
	return true;
}

/* Most significant octet first. */
static uint32_t u32_at(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put_u32(struct buf *to, uint32_t value)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_put(to, (uint8_t)(value >> shift));
}

bool vendor_next(struct bytes *packet, struct vendor_message *message)
{
	struct bytes rest = *packet;
	struct option o;

	while (option_next(&rest, &o)) {
		if (is_known(o.type) && o.data.length < (has_time(o.type) ? 8 : 4))
			return false;
		*packet = rest;
		if (!is_known(o.type))
			continue;
		*message = (struct vendor_message){
			.kind = (enum vendor_message_kind)o.type,
			.value = u32_at(o.data.at),
			.time = has_time(o.type) ? u32_at(o.data.at + 4) : 0,
		};
		return true;
	}
	return false;
}

void vendor_begin(struct buf *packet)
{
	buf_append(packet, bytes_of(oui, sizeof oui));
}

void vendor_put(struct buf *packet, const struct vendor_message *message)
{
	uint8_t memory[8];
	struct buf value = buf_over(memory, sizeof memory);

	put_u32(&value, message->value);
	if (has_time(message->kind))
		put_u32(&value, message->time);
	option_put(packet, (uint8_t)message->kind, buf_bytes(&value));
}
