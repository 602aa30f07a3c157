/* SPDX-License-Identifier: MIT */
/*
 * Scripted ports behind port_open(): the test is linked with --wrap=port_open and
 * --wrap=port_close, so that what lines open are the ports of this file, and the
 * program has no seam for tests.
 *
 * The device "N" is the port number N.
 */
#ifndef TESTS_UNIT_SCRIPTED_PORTS_H
#define TESTS_UNIT_SCRIPTED_PORTS_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/port_script.h"

enum { SCRIPTED_PORTS = 32 };

struct scripted_port {
	struct port *port;         /* NULL while closed */
	struct port_error refuses; /* opening it, unless PORT_OK */
	unsigned tries, openings;
	int modem_lines, outq; /* when it is opened */
	bool waits;            /* it is not ready then */
};

static struct scripted_port ports[SCRIPTED_PORTS];

struct port *__wrap_port_open(const struct port_config *, struct port_error *);
void __wrap_port_close(struct port *);
void __real_port_close(struct port *);

struct port *__wrap_port_open(const struct port_config *config, struct port_error *error)
{
	struct scripted_port *p = &ports[atoi(config->device)];

	ck_assert_ptr_null(p->port);
	p->tries++;
	*error = p->refuses;
	if (error->status != PORT_OK)
		return NULL;
	p->openings++;
	p->port = port_script_new();
	ck_assert_ptr_nonnull(p->port);
	port_script_set_modem_lines(p->port, p->modem_lines);
	port_script_set_outq(p->port, p->outq);
	port_script_set_ready(p->port, !p->waits);
	return p->port;
}

void __wrap_port_close(struct port *port)
{
	for (unsigned i = 0; i < SCRIPTED_PORTS; i++)
		if (ports[i].port == port)
			ports[i].port = NULL;
	__real_port_close(port);
}

static inline void ports_reset(void)
{
	for (unsigned i = 0; i < SCRIPTED_PORTS; i++)
		ports[i] = (struct scripted_port){.modem_lines = -1, .outq = -1};
}

static inline void port_refuses(unsigned i, enum port_status status, const char *why)
{
	ports[i].refuses.status = status;
	snprintf(ports[i].refuses.text, sizeof ports[i].refuses.text, "%s", why);
}

static inline void port_is_back(unsigned i)
{
	ports[i].refuses = (struct port_error){.status = PORT_OK};
}

static inline struct bytes port_wrote(unsigned i)
{
	return port_script_written(ports[i].port);
}

#endif
