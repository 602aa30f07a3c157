/* SPDX-License-Identifier: MIT */
/*
 * The rig's Hayes modem at a scripted port, as if a cable were between them: what the port has
 * written is typed at it, or passes to the far end, and what it says arrives at the port.
 */
#ifndef TESTS_UNIT_SCRIPTED_MODEM_H
#define TESTS_UNIT_SCRIPTED_MODEM_H

#include "tests/unit/scripted_ports.h"

#include "src/nullmodem/hayes.h"

struct scripted_modem {
	struct hayes_config config;
	struct hayes *hayes;
	unsigned port;
	bool has_lines; /* DTR, DCD and RI are wired */
	bool attached;  /* the port was open, with DTR on, when it was looked at last */
	/* Takes the characters that pass to the far end. */
	void (*passes)(struct scripted_modem *, sb_time now, struct bytes);
};

static inline void modem_create(struct scripted_modem *m, uint32_t dte, uint64_t seed)
{
	m->hayes = hayes_new(&m->config, seed);
	ck_assert_ptr_nonnull(m->hayes);
	hayes_set_dte(m->hayes, dte);
	ports[m->port].modem_lines = m->has_lines ? 0 : -1;
}

/* A port without modem lines shows the modem no more than that it is open. */
static inline bool modem_is_attached(const struct scripted_modem *m)
{
	struct port *port = ports[m->port].port;

	return port && (!m->has_lines || port_script_dtr(port));
}

/* One that is closed and opened at once is seen to have been left. */
static inline void modem_see_dtr(struct scripted_modem *m, sb_time now)
{
	bool attached = modem_is_attached(m);

	if (attached != m->attached)
		hayes_dtr(m->hayes, now, attached);
	m->attached = attached;
}

static inline void modem_set_lines(const struct scripted_modem *m, bool dcd, bool ri)
{
	struct port *port = ports[m->port].port;
	int lines = PORT_CTS | PORT_DSR | (dcd ? PORT_DCD : 0) | (ri ? PORT_RI : 0);

	if (m->has_lines && port)
		port_script_set_modem_lines(port, lines);
	if (m->has_lines)
		ports[m->port].modem_lines = lines;
}

/* True when there was any. */
static inline bool modem_take_written(struct scripted_modem *m, sb_time now)
{
	struct port *port = ports[m->port].port;
	struct bytes out = port ? port_script_written(port) : bytes_of(NULL, 0);
	bool any = out.length > 0;

	for (; out.length && !hayes_is_online(m->hayes); out = bytes_skip(out, 1))
		hayes_type(m->hayes, now, out.at[0]);
	if (out.length) {
		hayes_passes(m->hayes, now, out);
		m->passes(m, now, out);
	}
	if (port)
		port_script_forget(port);
	return any;
}

/* What it says; lost where nobody has the port open. True when it said anything. */
static inline bool modem_say(struct scripted_modem *m)
{
	uint8_t memory[HAYES_OUTPUT_MAX];
	struct buf words = buf_over(memory, sizeof memory);

	while (hayes_output(m->hayes, &words))
		;
	if (words.length && ports[m->port].port)
		port_script_feed(ports[m->port].port, buf_bytes(&words));
	return words.length > 0;
}

/* True when something happened. */
static inline bool modem_turn(struct scripted_modem *m, sb_time now)
{
	bool any;

	modem_see_dtr(m, now);
	any = modem_take_written(m, now);
	hayes_tick(m->hayes, now);
	any |= modem_say(m);
	return any;
}

#endif
