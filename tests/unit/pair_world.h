/* SPDX-License-Identifier: MIT */
/*
 * Whole exchanges, end to end: those that call and one that is called, each with
 * scripted ports, and cables between the ports that have a rate, a delay and
 * their moods. The hosts' side is a socket pair for each interface, and what was
 * said to it is noted.
 *
 * Time goes from one thing that is due to the next: a deadline of an exchange, or
 * characters that arrive. A deadline that does not move on would be a busy loop
 * of the program, and fails.
 *
 * Packets are numbered and made from their number, so what arrives can be compared
 * with what it must have been. What comes behind a later one of its flow is out of order.
 */
#ifndef TESTS_UNIT_PAIR_WORLD_H
#define TESTS_UNIT_PAIR_WORLD_H

#include "tests/unit/codec_testing.h"
#include "tests/unit/ip_packets.h"
#include "tests/unit/scripted_ports.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/entropy.h"
#include "src/exchange.h"
#include "src/interface.h"

#ifndef PAIR_CABLES
#define PAIR_CABLES 6
#endif

enum {
	MTU = 1500,
	LENGTH_MIN = 60,
	NUMBERS = 8192,
	SIDES = 3, /* a pair, or two that call and one that answers */
	CABLES = PAIR_CABLES,
	HOSTS = 8,
	WIRE_SIZE = 1 << 15,
	HOLD_S = 5,
};
#ifndef WIRE_STEP
#define WIRE_STEP (8 * SB_MS) /* characters arrive in small groups, as they do from a UART */
#endif

#define ADDRESS_A 0x0a000001u
#define ADDRESS_B 0x0a000002u

struct wire {
	struct {
		uint8_t character;
		sb_time due;
	} ring[WIRE_SIZE];
	unsigned first, count;
	sb_time busy_until; /* instant */
	bool dead;          /* what is on it does not arrive */
};

/* Between the ports that have these numbers. */
struct cable {
	unsigned port[2];
	double chars_per_sec;
	sb_time delay;       /* duration */
	double damage;       /* probability, of a character */
	struct wire wire[2]; /* from that end */
};

/* The kernel behind an interface. */
struct host {
	struct interface *interface; /* while it is open, else NULL */
	unsigned side;
	int kernel; /* the other end of the TUN */
	bool carrier, up;
	unsigned mtu;
	struct network_ipv4 v4;
	unsigned v4_times;         /* that it was set */
	unsigned arrived[NUMBERS]; /* how often */
	unsigned last, behind;     /* the last number, and how many were out of order */
};

struct side {
	struct config config;
	struct log *log;
	struct exchange *exchange; /* NULL: none, or it has ended */
	struct report report;
	struct report_line lines[CONFIG_MAX_LINES];
	unsigned sent; /* numbers below have been sent */
};

struct world {
	sb_time now;
	struct side side[SIDES];
	struct host host[HOSTS];
	unsigned hosts;
	struct cable cable[CABLES];
	unsigned cables;
	uint64_t random;
	size_t length; /* of all packets; 0: as their numbers have it */
};

static struct world w;

/* Check notes the place of each of its assertions in a file: too slow for what is done so often. */
static inline void must(bool it_is, const char *what)
{
	if (!it_is)
		ck_abort_msg("%s", what);
}

/* --- the hosts' side, by --wrap --- */

uint32_t __wrap_entropy_u32(void *);
enum exit_status __wrap_interface_open(struct interface *, const struct config *, struct log *);
void __wrap_interface_close(struct interface *);
void __wrap_interface_set_carrier(struct interface *, bool on);
void __wrap_interface_set_mtu(struct interface *, unsigned mtu);
bool __wrap_interface_set_up(struct interface *, bool up);
void __wrap_interface_set_ipv4(struct interface *, const struct network_ipv4 *);

uint32_t __wrap_entropy_u32(void *context)
{
	(void)context;
	return (uint32_t)next_random(&w.random);
}

/* An exchange has a configuration of its own; the side's name for interfaces tells whose it is. */
static unsigned side_of(const struct config *config)
{
	unsigned s = (unsigned)(config->ifname[0] - '0');

	ck_assert_uint_lt(s, SIDES);
	return s;
}

static struct host *host_behind(const struct interface *i)
{
	for (unsigned k = 0; k < w.hosts; k++)
		if (w.host[k].interface == i)
			return &w.host[k];
	return NULL;
}

enum exit_status __wrap_interface_open(struct interface *i, const struct config *c, struct log *log)
{
	struct host *h = &w.host[w.hosts++];
	int ends[2];

	(void)log;
	ck_assert_uint_le(w.hosts, HOSTS);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	*h = (struct host){
		.interface = i, .side = side_of(c), .kernel = ends[1], .up = true, .mtu = c->mtu};
	*i = (struct interface){.tun = {.fd = ends[0]}};
	snprintf(i->tun.name, sizeof i->tun.name, "sb%u", w.hosts - 1);
	return EXIT_FINE;
}

void __wrap_interface_close(struct interface *i)
{
	struct host *h = host_behind(i);

	if (!h)
		return;
	h->interface = NULL;
	tun_close(&i->tun);
}

void __wrap_interface_set_carrier(struct interface *i, bool on)
{
	host_behind(i)->carrier = on;
}

void __wrap_interface_set_mtu(struct interface *i, unsigned mtu)
{
	host_behind(i)->mtu = mtu;
}

bool __wrap_interface_set_up(struct interface *i, bool up)
{
	host_behind(i)->up = up;
	return true;
}

void __wrap_interface_set_ipv4(struct interface *i, const struct network_ipv4 *a)
{
	struct host *h = host_behind(i);

	h->v4 = *a;
	h->v4_times++;
}

/* --- set-up --- */

static inline void world_clear(void)
{
	ports_reset();
	memset(&w, 0, sizeof w);
	w.now = 1000 * SB_SEC;
	w.random = 7;
}

static inline struct config config_of_side(unsigned s)
{
	return (struct config){
		.ifname = {(char)('0' + s)},
		.mtu = MTU,
		.min_lines = 1,
		.max_lines = CONFIG_MAX_LINES,
		.hold = HOLD_S * SB_SEC,
		.mode = {.mode = MODE_EARLIEST},
		.queue_time = 5 * SB_SEC,
		.ppp =
			{
				.mru = 1500,
				.multilink = true,
				.mrru = 1500,
				.pfc = true,
				.acfc = true,
				.endpoint = {.class = 1,
					     .length = 4,
					     .address = {1, 2, 3, (uint8_t)s}},
				.echo_interval = 10 * SB_SEC,
				.echo_failure = 6,
				.timers = {.restart = 3 * SB_SEC,
					   .max_configure = 10,
					   .max_terminate = 2,
					   .max_failure = 5},
				.max_fragment_delay = 50 * SB_MS,
			},
	};
}

static inline void add_line(unsigned s, unsigned port, uint32_t bps, const struct encap_kind *kind)
{
	struct config *c = &w.side[s].config;
	struct line_config *l = &c->lines[c->line_count++];

	*l = (struct line_config){.bps = bps,
				  .bits_per_char = 10,
				  .layer.exact = true,
				  .stop_bits = 1,
				  .encap = kind,
				  .enabled = true};
	snprintf(l->device, sizeof l->device, "%u", port);
	snprintf(l->name, sizeof l->name, "tty%u", port);
}

/* A cable between two sides, and what they speak; NULL: that one will find out. */
static inline void add_cable(unsigned a, unsigned b, uint32_t bps, sb_time delay,
			     const struct encap_kind *kind_a, const struct encap_kind *kind_b)
{
	unsigned n = w.cables++;

	ck_assert_uint_lt(n, CABLES);
	w.cable[n] = (struct cable){
		.port = {2 * n, 2 * n + 1}, .chars_per_sec = bps / 10.0, .delay = delay};
	add_line(a, 2 * n, bps, kind_a);
	add_line(b, 2 * n + 1, bps, kind_b);
}

/* An exchange for the side, not started. */
static inline void side_create(unsigned s, enum log_level most)
{
	enum exit_status status;

	w.side[s].log = log_new(most);
	w.side[s].exchange = exchange_new(&w.side[s].config, w.side[s].log, w.now, &status);
	ck_assert_ptr_nonnull(w.side[s].exchange);
}

static inline void side_start(unsigned s)
{
	side_create(s, LOG_ERROR);
	ck_assert_int_eq(exchange_start(w.side[s].exchange, w.now), EXIT_FINE);
}

static inline void side_end(unsigned s)
{
	exchange_free(w.side[s].exchange);
	log_free(w.side[s].log);
	w.side[s].exchange = NULL;
	w.side[s].log = NULL;
}

/* Two sides with their addresses, and lines of that rate between them, still to be started. */
static inline void pair_configure(unsigned lines, uint32_t bps, sb_time delay)
{
	world_clear();
	for (unsigned s = 0; s < 2; s++)
		w.side[s].config = config_of_side(s);
	w.side[0].config.ppp.local = w.side[1].config.ppp.remote = ADDRESS_A;
	w.side[1].config.ppp.local = w.side[0].config.ppp.remote = ADDRESS_B;
	for (unsigned i = 0; i < lines; i++)
		add_cable(0, 1, bps, delay, &encap_ppp, &encap_ppp);
}

static inline void world_end(void)
{
	for (unsigned s = 0; s < SIDES; s++)
		if (w.side[s].exchange)
			side_end(s);
	for (unsigned k = 0; k < w.hosts; k++) {
		ck_assert_ptr_null(w.host[k].interface);
		close(w.host[k].kernel);
	}
}

/* --- wires --- */

static inline bool is_damaged(const struct cable *c)
{
	return c->damage > 0 && (double)random_below(&w.random, 1000000) < c->damage * 1e6;
}

static inline void wire_put(struct wire *r, const struct cable *c, struct bytes out)
{
	r->busy_until = sb_time_max(r->busy_until, w.now);
	for (size_t i = 0; i < out.length; i++) {
		unsigned slot = (r->first + r->count++) % WIRE_SIZE;

		must(r->count < WIRE_SIZE, "the wire has room");
		r->busy_until += (sb_time)((double)SB_SEC / c->chars_per_sec);
		r->ring[slot].character = out.at[i] ^ (is_damaged(c) ? 0x10 : 0);
		r->ring[slot].due =
			(r->busy_until + c->delay + WIRE_STEP - 1) / WIRE_STEP * WIRE_STEP;
	}
}

static inline sb_time wire_due(const struct wire *r)
{
	return r->count ? r->ring[r->first].due : SB_NEVER;
}

/* What the port has written goes onto the wire. */
static inline void wire_take(struct cable *c, unsigned end)
{
	struct port *from = ports[c->port[end]].port;

	if (!from)
		return;
	wire_put(&c->wire[end], c, port_script_written(from));
	port_script_forget(from);
}

/* What is due arrives, if there is anybody; true when it does. */
static inline bool wire_deliver(struct cable *c, unsigned end)
{
	struct wire *r = &c->wire[end];
	struct port *to = ports[c->port[!end]].port;
	uint8_t memory[256];
	struct buf in = buf_over(memory, sizeof memory);

	while (wire_due(r) <= w.now && in.length < sizeof memory) {
		buf_put(&in, r->ring[r->first].character);
		r->first = (r->first + 1) % WIRE_SIZE;
		r->count--;
	}
	if (!in.length || !to || r->dead)
		return in.length > 0;
	port_script_feed(to, buf_bytes(&in));
	return true;
}

/* Nothing arrives over the cable, either way; or again. */
static inline void cable_set_dead(unsigned n, bool dead)
{
	w.cable[n].wire[0].dead = w.cable[n].wire[1].dead = dead;
}

/* The device is unplugged at one end: what was on its way there or from there is gone. */
static inline void unplug(unsigned n, unsigned end)
{
	unsigned port = w.cable[n].port[end];

	for (unsigned e = 0; e < 2; e++)
		w.cable[n].wire[e].count = 0;
	port_script_hang_up(ports[port].port);
	port_refuses(port, PORT_NO_DEVICE, "no such device");
}

static inline void plug_in(unsigned n, unsigned end)
{
	port_is_back(w.cable[n].port[end]);
}

/* --- packets --- */

enum { PORT_OF_ALL = 1000, FLOWS_OF_WORLD = 8 };

static inline struct bytes packet_of(unsigned number)
{
	static uint8_t memory[MTU];
	size_t length = w.length ? w.length : LENGTH_MIN + number * 97 % (MTU - LENGTH_MIN + 1);

	udp4_write(memory, length, PORT_OF_ALL + number % FLOWS_OF_WORLD, 9, ECN_NOT_ECT);
	put16(memory + 28, number);
	for (size_t i = 30; i < length; i++)
		memory[i] = i % 3 ? (uint8_t)(number + i) : (uint8_t)(0x7d + i % 2);
	return bytes_of(memory, length);
}

static inline struct host *host_of(unsigned s)
{
	for (unsigned k = 0; k < w.hosts; k++)
		if (w.host[k].side == s && w.host[k].interface)
			return &w.host[k];
	return NULL;
}

static inline void host_sends_bytes(struct host *h, struct bytes p)
{
	ck_assert_int_eq(send(h->kernel, p.at, p.length, 0), (ssize_t)p.length);
}

/* The next packets, from that side to its first peer. */
static inline void side_sends(unsigned s, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		ck_assert_uint_lt(w.side[s].sent, NUMBERS);
		host_sends_bytes(host_of(s), packet_of(w.side[s].sent++));
	}
}

static inline void host_takes(struct host *h, struct bytes p)
{
	unsigned number;

	ck_assert_uint_ge(p.length, LENGTH_MIN);
	number = (unsigned)(p.at[28] << 8 | p.at[29]);
	ck_assert_uint_lt(number, NUMBERS);
	assert_octets(p, packet_of(number));
	h->arrived[number]++;
	h->behind += number + FLOWS_OF_WORLD <= h->last;
	h->last = number > h->last ? number : h->last;
}

static inline void host_receives(struct host *h)
{
	uint8_t at[2 * MTU];
	ssize_t n;

	while ((n = recv(h->kernel, at, sizeof at, 0)) > 0)
		host_takes(h, bytes_of(at, (size_t)n));
}

/* Of the numbers below `sent`: how many never arrived there. */
static inline unsigned missing(const struct host *h, unsigned sent)
{
	unsigned n = 0;

	for (unsigned i = 0; i < sent; i++)
		n += h->arrived[i] == 0;
	return n;
}

static inline unsigned twice(const struct host *h, unsigned sent)
{
	unsigned n = 0;

	for (unsigned i = 0; i < sent; i++)
		n += h->arrived[i] > 1;
	return n;
}

/* --- the loop --- */

/* True when there was something to read. */
static inline bool line_io(struct exchange *x, unsigned i)
{
	struct exchange_watch watch = exchange_watch_line(x, i);
	struct pollfd p = {.fd = watch.fd};

	p.events = (watch.wants_read ? POLLIN : 0) | (watch.wants_write ? POLLOUT : 0);
	if (p.fd < 0 || !p.events)
		return false;
	must(poll(&p, 1, 0) >= 0, "poll");
	if (p.revents & POLLOUT)
		exchange_line_writable(x, i, w.now);
	if (p.revents & (POLLIN | POLLHUP))
		exchange_line_readable(x, i, w.now);
	return p.revents & (POLLIN | POLLHUP);
}

static inline bool side_turn(struct exchange *x)
{
	bool more = false;

	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		if (exchange_watch_tun(x, k).fd >= 0)
			must(exchange_tun_readable(x, k, w.now), "the interface is there");
	for (unsigned i = 0; i < exchange_line_count(x); i++)
		more |= line_io(x, i);
	exchange_run(x, w.now);
	return more;
}

static inline bool wires_turn(void)
{
	bool more = false;

	for (unsigned n = 0; n < w.cables; n++)
		for (unsigned end = 0; end < 2; end++) {
			wire_take(&w.cable[n], end);
			more |= wire_deliver(&w.cable[n], end);
		}
	return more;
}

/* All that happens at this instant. */
static inline void world_turn(void)
{
	bool more = true;

	while (more) {
		more = wires_turn();
		for (unsigned s = 0; s < SIDES; s++)
			more |= w.side[s].exchange && side_turn(w.side[s].exchange);
	}
	wires_turn();
	for (unsigned k = 0; k < w.hosts; k++)
		host_receives(&w.host[k]);
}

static inline sb_time world_due(void)
{
	sb_time due = SB_NEVER;

	for (unsigned s = 0; s < SIDES; s++)
		if (w.side[s].exchange)
			due = sb_time_min(due, exchange_deadline(w.side[s].exchange, w.now));
	for (unsigned n = 0; n < w.cables; n++)
		for (unsigned end = 0; end < 2; end++)
			due = sb_time_min(due, wire_due(&w.cable[n].wire[end]));
	return due;
}

static inline void world_run(sb_time duration)
{
	sb_time end = w.now + duration;

	for (;;) {
		world_turn();
		sb_time due = world_due();
		must(due > w.now, "the deadline is to come");
		if (due > end)
			break;
		w.now = due;
	}
	w.now = end;
	world_turn();
}

/* Both of the pair send a packet that often. */
static inline void world_run_busy(sb_time duration, sb_time every)
{
	for (sb_time end = w.now + duration; w.now < end;) {
		side_sends(0, 1);
		side_sends(1, 1);
		world_run(every);
	}
}

/* --- what can be seen --- */

static inline const struct report *report_of(unsigned s, unsigned bundle)
{
	struct side *d = &w.side[s];

	if (!exchange_report(d->exchange, bundle, w.now, &d->report, d->lines))
		d->report = (struct report){0};
	return &d->report;
}

static inline unsigned lines_up(unsigned s)
{
	return report_of(s, 0)->lines_up;
}

/* False: not so within that time. */
static inline bool both_have_up(unsigned lines, sb_time within)
{
	for (sb_time end = w.now + within; w.now < end; world_run(10 * SB_MS))
		if (lines_up(0) == lines && lines_up(1) == lines)
			return true;
	return false;
}

/* Started, and all its lines are up. */
static inline void pair_start(void)
{
	side_start(0);
	side_start(1);
	ck_assert(both_have_up(w.cables, 5 * SB_SEC));
}

/* All that both have sent so far has arrived once, in order. */
static inline void assert_all_once(void)
{
	for (unsigned s = 0; s < 2; s++) {
		ck_assert_uint_eq(missing(host_of(!s), w.side[s].sent), 0);
		ck_assert_uint_eq(twice(host_of(!s), w.side[s].sent), 0);
		ck_assert_uint_eq(host_of(!s)->behind, 0);
	}
}

#endif
