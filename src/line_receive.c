/* SPDX-License-Identifier: MIT */
/*
 * Receiving: what has arrived is read once a turn, and decoded before more is read.
 *
 * A serial port brings what its speed allows; a program or a connection may bring all that
 * this machine can move, and would take its time from the lines that work. So no line is
 * read faster than a serial port could be, or than several times its own rate.
 */
#define _DEFAULT_SOURCE
#include "src/line_internal.h"
#include "src/line_modem.h"

#include "ppp/mp.h"

enum {
	READ_FLOOR = 2000000, /* characters a second: no UART brings more */
	READ_FACTOR = 8, /* times what the line carries: compression, and a rate told too low */
};

/* Characters a second. */
static uint64_t read_rate(const struct line *l)
{
	uint64_t most = (uint64_t)READ_FACTOR * line_bps(l) / l->config.bits_per_char;

	return most > READ_FLOOR ? most : READ_FLOOR;
}

void line_rest(struct line *l, sb_time now)
{
	l->rests = l->read_until > now + LINE_READ_AHEAD;
}

static void count_read(struct line *l, sb_time now, size_t n)
{
	l->heard_at = now;
	l->read_until =
		sb_time_max(l->read_until, now) + (sb_time)((uint64_t)SB_SEC * n / read_rate(l));
	line_rest(l, now);
	meter_add(&l->in, now, n);
}

void line_read(struct line *l, sb_time now)
{
	ssize_t n;

	if (!l->port || l->unread.length || l->rests)
		return;
	if (l->waits_for_port)
		line_begin(l, now);
	n = port_read(l->port, l->read_at, LINE_READ_SIZE);
	if (n < 0)
		line_port_is_gone(l, now);
	if (n <= 0)
		return;
	count_read(l, now, (size_t)n);
	if (!line_is_with_modem(l))
		l->unread = bytes_of(l->read_at, (size_t)n);
	if (l->modem)
		line_modem_input(l, now, bytes_of(l->read_at, (size_t)n));
}

/* IP, or a fragment of it: not an empty one, as is sent on idle lines, nor the bundle's control. */
static bool is_traffic(const struct encap_packet *p)
{
	return p->protocol == PPP_MP ? p->data.length > MP_LONG_HEADER
				     : p->protocol == PPP_IP || p->protocol == PPP_IPV6;
}

bool line_receive(struct line *l, sb_time now, struct encap_packet *packet)
{
	bool found;

	if (!l->unread.length)
		return false;
	found = l->encap->kind->next(l->encap, now, &l->unread, packet);
	l->counters.packets_in += found;
	if (found && is_traffic(packet))
		l->traffic_at = now;
	return found;
}
