/* SPDX-License-Identifier: MIT */
/*
 * An exchange with one bundle in a small world: scripted ports, a socket pair for
 * the TUN, a clock that goes from deadline to deadline. The loop is the program's: what
 * is readable and writable first, then exchange_run, then the next deadline.
 *
 * Packets are numbered and made from their number, so what arrives can be
 * compared with what it must have been.
 */
#ifndef TESTS_UNIT_EXCHANGE_WORLD_H
#define TESTS_UNIT_EXCHANGE_WORLD_H

#include "tests/unit/codec_testing.h"
#include "tests/unit/ip_packets.h"
#include "tests/unit/scripted_ports.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "slip/slip.h"
#include "src/clock.h"
#include "src/entropy.h"
#include "src/exchange.h"
#include "src/interface.h"

enum { EARS = 4, MTU = 576, NUMBERS = 2048, LENGTH_MIN = 60, HOLD_S = 2 };

struct world {
	struct config config;
	struct tun tun;
	int kernel; /* the other end of the TUN */
	struct network_ipv4 v4; /* the interface's address; 0: it has none */
	struct log *log;
	struct exchange *exchange;
	sb_time now;
	struct report report;
	struct report_line lines[CONFIG_MAX_LINES];
	bool carrier, up;
	unsigned mtu; /* of the interface */
	bool listens; /* to the first lines, all the time */
	struct slip_decoder *ears[EARS];
	unsigned arrived[NUMBERS]; /* how often, at the lines' far ends or in the kernel */
};

static struct world w;

/* --wrap: the seed of the flow hash, so that each run is the same; and the host's side. */
uint32_t __wrap_entropy_u32(void *);
enum exit_status __wrap_interface_open(struct interface *, const struct config *, struct log *);
void __wrap_interface_close(struct interface *);
void __wrap_interface_set_carrier(struct interface *, bool on);
void __wrap_interface_set_mtu(struct interface *, unsigned mtu);
bool __wrap_interface_set_up(struct interface *, bool up);

uint32_t __wrap_entropy_u32(void *context)
{
	(void)context;
	return 1;
}

enum exit_status __wrap_interface_open(struct interface *i, const struct config *c, struct log *log)
{
	(void)log;
	w.up = true;
	w.mtu = c->mtu;
	*i = (struct interface){.tun = w.tun, .v4 = w.v4};
	i->ipv4 = w.v4.local ? (struct netif *)&w.v4 : NULL; /* nobody looks into it here */
	return EXIT_FINE;
}

void __wrap_interface_close(struct interface *i)
{
	i->tun.fd = -1;
}

void __wrap_interface_set_carrier(struct interface *i, bool on)
{
	(void)i;
	w.carrier = on;
}

void __wrap_interface_set_mtu(struct interface *i, unsigned mtu)
{
	(void)i;
	w.mtu = mtu;
}

bool __wrap_interface_set_up(struct interface *i, bool up)
{
	(void)i;
	w.up = up;
	return true;
}

static inline void world_line(unsigned i, uint32_t bps)
{
	struct line_config *l = &w.config.lines[i];

	*l = (struct line_config){.bps = bps,
				  .bits_per_char = 10,
				  .layer.exact = true,
				  .stop_bits = 1,
				  .encap = &encap_slip,
				  .enabled = true};
	snprintf(l->device, sizeof l->device, "%u", i);
	snprintf(l->name, sizeof l->name, "tty%u", i);
}

static inline void world_tun(void)
{
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	w.tun = (struct tun){.fd = ends[0], .name = "sb0"};
	w.kernel = ends[1];
}

static inline void world_configure(unsigned lines, uint32_t bps)
{
	ports_reset();
	w = (struct world){.now = 1000 * SB_SEC};
	w.config.line_count = lines;
	w.config.mtu = MTU;
	w.config.min_lines = 1;
	w.config.max_lines = CONFIG_MAX_LINES;
	w.config.hold = HOLD_S * SB_SEC;
	w.config.mode.mode = MODE_EARLIEST;
	w.config.queue_time = 5 * SB_SEC;
	for (unsigned i = 0; i < lines; i++)
		world_line(i, bps);
}

static inline void world_create(enum log_level most)
{
	enum exit_status status;

	world_tun();
	w.log = log_new(most);
	w.exchange = exchange_new(&w.config, w.log, w.now, &status);
	ck_assert_ptr_nonnull(w.exchange);
}

/* An exchange of that many lines, not started. */
static inline void world_new(unsigned lines, uint32_t bps, enum log_level most)
{
	world_configure(lines, bps);
	world_create(most);
}

static inline void world_start(unsigned lines, uint32_t bps)
{
	world_new(lines, bps, LOG_ERROR);
	ck_assert_int_eq(exchange_start(w.exchange, w.now), EXIT_FINE);
}

static inline void world_end(void)
{
	exchange_free(w.exchange);
	log_free(w.log);
	for (unsigned n = 0; n < EARS; n++)
		slip_decoder_free(w.ears[n]);
	tun_close(&w.tun);
	close(w.kernel);
}

/* --- the loop --- */

/* True when there was something to read. */
static inline bool world_line_io(unsigned i)
{
	struct exchange_watch watch = exchange_watch_line(w.exchange, i);
	struct pollfd p = {.fd = watch.fd};

	p.events = (watch.wants_read ? POLLIN : 0) | (watch.wants_write ? POLLOUT : 0);
	if (p.fd < 0 || !p.events)
		return false;
	ck_assert_int_ge(poll(&p, 1, 0), 0);
	if (p.revents & POLLOUT)
		exchange_line_writable(w.exchange, i, w.now);
	if (p.revents & (POLLIN | POLLHUP))
		exchange_line_readable(w.exchange, i, w.now);
	return p.revents & (POLLIN | POLLHUP);
}

static inline void world_arrived(struct bytes p);

/* The far end of one that is listened to all the time: a port that is closed forgets what it wrote.
 */
static inline void world_hear(unsigned line)
{
	struct bytes in, p;

	if (!ports[line].port)
		return;
	if (!w.ears[line])
		w.ears[line] = slip_decoder_new(MTU);
	for (in = port_wrote(line); slip_decoder_next(w.ears[line], &in, &p);)
		world_arrived(p);
	port_script_forget(ports[line].port);
}

/* All that happens at this instant. */
static inline void world_turn(void)
{
	bool more = true;

	while (more) {
		more = false;
		ck_assert(exchange_tun_readable(w.exchange, 0, w.now));
		for (unsigned i = 0; i < exchange_line_count(w.exchange); i++)
			more |= world_line_io(i);
		exchange_run(w.exchange, w.now);
		for (unsigned i = 0; w.listens && i < EARS; i++)
			world_hear(i);
	}
}

/* From deadline to deadline. One that does not move on would be a busy loop of the program. */
static inline void world_run(sb_time duration)
{
	sb_time end = w.now + duration;

	for (;;) {
		world_turn();
		sb_time due = exchange_deadline(w.exchange, w.now);
		ck_assert_int_gt(due, w.now);
		if (due > end)
			break;
		w.now = due;
	}
	w.now = end;
	world_turn();
}

/* As a host does that is too busy: whatever is due, it is done only now and then. */
static inline void world_run_late(sb_time duration, sb_time lateness)
{
	for (sb_time end = w.now + duration; w.now < end; w.now += lateness)
		world_turn();
}

static inline const struct report *world_report(void)
{
	exchange_report(w.exchange, 0, w.now, &w.report, w.lines);
	return &w.report;
}

/* --- packets --- */

static inline size_t header_of(unsigned number)
{
	return number % 2 ? 40 : 20;
}

static inline size_t length_of(unsigned number)
{
	return LENGTH_MIN + number * 97 % (MTU - LENGTH_MIN + 1);
}

/* IPv4 and IPv6 in turn, of all lengths. */
static inline struct bytes packet_of(unsigned number)
{
	static uint8_t memory[MTU];
	size_t length = length_of(number), header = header_of(number);

	if (header == 40)
		ipv6_write(memory, length, 17, ECN_NOT_ECT);
	else
		ipv4_write(memory, length, 17, ECN_NOT_ECT);
	put16(memory + header, number);
	for (size_t i = header + 2; i < length; i++)
		memory[i] = i % 3 ? SLIP_END : (uint8_t)(number + i);
	return bytes_of(memory, length);
}

static inline unsigned number_of(struct bytes p)
{
	size_t header = p.at[0] >> 4 == 6 ? 40 : 20;

	ck_assert_uint_ge(p.length, LENGTH_MIN);
	return (unsigned)(p.at[header] << 8 | p.at[header + 1]);
}

/* Counts one that has arrived, as it was sent. */
static inline void world_arrived(struct bytes p)
{
	unsigned number = number_of(p);

	ck_assert_uint_lt(number, NUMBERS);
	assert_octets(p, packet_of(number));
	w.arrived[number]++;
}

static inline void assert_arrived_once(unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		ck_assert_msg(w.arrived[i] == 1, "%u arrived %u times", i, w.arrived[i]);
}

static inline void kernel_sends_bytes(struct bytes p)
{
	ck_assert_int_eq(send(w.kernel, p.at, p.length, 0), (ssize_t)p.length);
	ck_assert(exchange_tun_readable(w.exchange, 0, w.now));
}

static inline void kernel_sends(unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		kernel_sends_bytes(packet_of(i));
}

/* Takes all packets that the kernel has got; how many. */
static inline unsigned kernel_receives(void)
{
	uint8_t at[2 * MTU];
	unsigned count = 0;
	ssize_t n;

	for (; (n = recv(w.kernel, at, sizeof at, 0)) > 0; count++)
		world_arrived(bytes_of(at, (size_t)n));
	return count;
}

static inline void peer_sends(unsigned line, unsigned from, unsigned to)
{
	uint8_t at[2 * MTU + 2];

	for (unsigned i = from; i < to; i++) {
		struct buf out = buf_over(at, sizeof at);
		slip_encode(&out, packet_of(i));
		port_script_feed(ports[line].port, buf_bytes(&out));
	}
}

/* Takes what the line has written so far; how many whole packets that were. */
static inline unsigned peer_receives(unsigned line)
{
	struct slip_decoder *d = slip_decoder_new(MTU);
	struct bytes in = port_wrote(line), p;
	unsigned count = 0;

	for (; slip_decoder_next(d, &in, &p); count++)
		world_arrived(p);
	slip_decoder_free(d);
	port_script_forget(ports[line].port);
	return count;
}

/* The device is unplugged: what was whole by then has arrived. */
static inline void unplug(unsigned line)
{
	peer_receives(line);
	port_script_hang_up(ports[line].port);
	port_refuses(line, PORT_NO_DEVICE, "no such device");
}

#endif
