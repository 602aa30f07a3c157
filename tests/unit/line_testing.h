/* SPDX-License-Identifier: MIT */
/* A line by itself for its tests, on scripted port 0 and in time that the test makes. */
#ifndef TESTS_UNIT_LINE_TESTING_H
#define TESTS_UNIT_LINE_TESTING_H

#include "tests/unit/codec_testing.h"
#include "tests/unit/ip_packets.h"
#include "tests/unit/scripted_ports.h"

#include "slip/slip.h"
#include "src/line.h"

enum { MTU = 576, BPS = 9600, LENGTH = 500 };

static const struct line_config config = {
	.device = "0",
	.name = "tty0",
	.bps = BPS,
	.bits_per_char = 10,
	.stop_bits = 1,
	.encap = &encap_slip,
};
static struct line line;
static struct packet_pool *pool;
static sb_time now;

static inline void set_up(void)
{
	ports_reset();
	now = 1000 * SB_SEC;
	pool = packet_pool_new(8, MTU);
	ck_assert_ptr_nonnull(pool);
	ck_assert(line_init(&line, &config, config.encap, MTU, now));
}

static inline void tear_down(void)
{
	line_take_packet(&line);
	line_free(&line);
	packet_pool_free(pool);
}

static inline void open_line(void)
{
	ck_assert(line_open(&line, NULL, now));
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

/* Sends as the bundle does, each time the clock says that it is time, until the frame is out. */
static inline struct packet *send_whole(void)
{
	struct packet *done = NULL;

	for (int i = 0; i < 1000 && !done && line.state == LINE_UP && !line.wants_write; i++) {
		now = sb_time_max(now, line_clock_wake(&line.clock));
		done = line_send(&line, now);
	}
	return done;
}

/* From deadline to deadline up to that instant; true when the state changed. */
static inline bool tick_until(sb_time end)
{
	bool changed = false;

	while (line_deadline(&line) <= end) {
		now = sb_time_max(now, line_deadline(&line));
		changed |= line_tick(&line, now);
		if (line.state == LINE_UP && !line.wants_write && !line_needs_packet(&line))
			line_send(&line, now);
		ck_assert_int_gt(line_deadline(&line), now);
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
