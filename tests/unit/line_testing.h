/* SPDX-License-Identifier: MIT */
/* A line by itself for its tests, on scripted port 0 and in time that the test makes. */
#ifndef TESTS_UNIT_LINE_TESTING_H
#define TESTS_UNIT_LINE_TESTING_H

#include "tests/unit/codec_testing.h"
#include "tests/unit/ip_packets.h"
#include "tests/unit/scripted_ports.h"

#include "slip/slip.h"
#include "src/line.h"
#include "src/line_shape.h"

enum { MTU = 576, BPS = 9600, LENGTH = 500 };

static const struct line_config config = {
	.device = "0",
	.name = "tty0",
	.bps = BPS,
	.bits_per_char = 10,
	.layer.exact = true,
	.stop_bits = 1,
	.encap = &encap_slip,
};
static const struct config all = {.mtu = MTU};
static struct line line;
static struct packet_pool *pool;
static sb_time now;

static inline void set_up(void)
{
	ports_reset();
	now = 1000 * SB_SEC;
	pool = packet_pool_new(8, MTU);
	ck_assert_ptr_nonnull(pool);
	ck_assert(line_init(&line, &config, encap_slip.new(&(struct encap_config){.config = &all}),
			    MTU, now));
}

static inline void tear_down(void)
{
	while (line_give_up(&line, now))
		;
	line_free(&line);
	packet_pool_free(pool);
}

static inline void heed_events(void)
{
	struct encap_event e;

	while (line_event(&line, now, &e))
		;
}

static inline void open_line(void)
{
	ck_assert(line_open(&line, NULL, now));
	heed_events();
	ck_assert_int_eq(line.state, LINE_UP);
}

/* A packet of which many characters are escaped. */
static inline struct packet *new_packet(void)
{
	struct packet *p = packet_get(pool);

	ck_assert_ptr_nonnull(p);
	p->length = LENGTH;
	udp4_write(p->data, LENGTH, 1, 2, ECN_NOT_ECT);
	memset(p->data + 100, SLIP_END, 100);
	return p;
}

static inline void feed(struct bytes in)
{
	port_script_feed(ports[0].port, in);
	line_read(&line, now);
}

static inline struct bytes encoded(const struct packet *p)
{
	static uint8_t memory[2 * MTU + 2];
	struct buf out = buf_over(memory, sizeof memory);

	slip_encode(&out, packet_bytes(p));
	return buf_bytes(&out);
}

static inline bool receive(struct bytes *packet)
{
	struct encap_packet p;

	if (!line_receive(&line, now, &p))
		return false;
	*packet = p.data;
	return true;
}

/* Starts a frame; the test keeps its own reference to the packet. */
static inline void load(struct packet *p)
{
	line.pool = pool;
	line_load(&line, now,
		  &(struct piece){.packet = packet_hold(p), .length = p->length, .plain = true});
}

/* Sends a part of the frame. */
static inline void send_part(void)
{
	line_send(&line, now);
	ck_assert(!line_needs_frame(&line));
}

/* Sends as the exchange does, each time the clock says that it is time, until the frame is out. */
static inline bool send_whole(void)
{
	for (int i = 0; i < 1000 && line.state == LINE_UP && !line.wants_write; i++) {
		now = sb_time_max(now, line_wake(&line));
		line_send(&line, now);
		if (line.state == LINE_UP && line_needs_frame(&line))
			return true;
	}
	return false;
}

/* True when the state changed. */
static inline bool tick(void)
{
	enum line_state before = line.state;

	line_tick(&line, now);
	heed_events();
	return line.state != before;
}

/* From deadline to deadline up to that instant; true when the state changed. */
static inline bool tick_until(sb_time end)
{
	bool changed = false;

	while (line_deadline(&line, now) <= end) {
		now = sb_time_max(now, line_deadline(&line, now));
		changed |= tick();
		if (line.state == LINE_UP && !line.wants_write && !line_needs_frame(&line))
			line_send(&line, now);
		ck_assert_int_gt(line_deadline(&line, now), now);
	}
	now = end;
	return changed;
}

static inline TCase *new_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	suite_add_tcase(suite, tcase);
	return tcase;
}

#endif
