/* SPDX-License-Identifier: MIT */
/*
 * What would be done: --dry-run's answer, with the arithmetic behind it.
 */
#define _DEFAULT_SOURCE
#include "src/config_print.h"

#include "src/config_line.h"
#include "src/line_shape.h"
#include "src/text.h"

#include <arpa/inet.h>
#include <stdio.h>

static double chars_per_sec(const struct line_config *line)
{
	return (double)line->bps / line->bits_per_char;
}

static void print_mtu(const struct config *c)
{
	printf("MTU        %u", c->mtu);
	bool shared = c->mtu_auto && !c->answer && config_ppp_lines(c) < c->line_count;
	unsigned rule = config_mtu_auto(CONFIG_MTU_BASE_SLIP, c->line_count);
	if (shared)
		printf(" = max(%d, %d / %u)", CONFIG_MTU_FLOOR, CONFIG_MTU_BASE_SLIP,
		       c->line_count);
	if (shared && rule != c->mtu)
		printf(" = %u, raised for IPv6", rule);
	printf("\n");
}

static void print_address(const struct netif_address *a)
{
	char local[INET6_ADDRSTRLEN], peer[INET6_ADDRSTRLEN];
	inet_ntop(a->family, &a->local, local, sizeof(local));
	inet_ntop(a->family, &a->peer, peer, sizeof(peer));
	if (a->has_peer)
		printf("address    %s to %s\n", local, peer);
	else
		printf("address    %s/%u\n", local, a->prefix);
}

static void print_interface(const struct config *c)
{
	printf("interface  %s\n", c->ifname);
	print_mtu(c);
	for (unsigned i = 0; i < c->address_count; i++)
		print_address(&c->addresses[i]);
	if (c->default_route && c->route_metric)
		printf("route      default, metric %u\n", (unsigned)c->route_metric);
	else if (c->default_route)
		printf("route      default\n");
}

static double shaped_bps(const struct line_config *line, const struct shape_config *bundle)
{
	uint32_t own = shape_bps(&line->shape, line->bps);
	uint32_t part = bundle->bps ? own : shape_bps(bundle, line->bps);
	return own < part ? own : part;
}

/* As they are shaped: by themselves, and in proportion by the bundle. Returns their sum. */
static double shaped_rates(const struct config *c, double chars_per_s[static CONFIG_MAX_LINES])
{
	double bps = 0, sum = 0, scale;
	for (unsigned i = 0; i < c->line_count; i++)
		bps += chars_per_s[i] = shaped_bps(&c->lines[i], &c->shape);
	scale = c->shape.bps && bps > c->shape.bps ? c->shape.bps / bps : 1;
	for (unsigned i = 0; i < c->line_count; i++) {
		unsigned bits = c->lines[i].layer.exact ? c->lines[i].bits_per_char : 8;
		sum += chars_per_s[i] = chars_per_s[i] * scale / bits;
	}
	return sum;
}

struct plan_queue config_plan(const struct config *c)
{
	double rates[CONFIG_MAX_LINES];
	shaped_rates(c, rates);
	return plan_queue(c->mtu, rates, c->line_count);
}

static void print_queue(const struct config *c)
{
	char target[TEXT_UNIT_SIZE], interval[TEXT_UNIT_SIZE], rto[TEXT_UNIT_SIZE];
	char hold[TEXT_UNIT_SIZE];
	struct plan_queue delays = config_plan(c);
	printf("queue      target %s, interval %s, %s\n", text_time(target, delays.target),
	       text_time(interval, delays.interval),
	       c->ecn ? "ECN marks before drops" : "drops, no ECN marks");
	printf("TCP        sends again after %s at the earliest\n", text_time(rto, delays.min_rto));
	printf("hold       %s while no line is up\n", text_time(hold, c->hold));
}

/* percent: of what all lines are to send. */
static void print_line(const struct config *c, const struct line_config *line, double percent)
{
	static const char *const flows[] = {
		[PORT_FLOW_NONE] = "no flow control",
		[PORT_FLOW_RTSCTS] = "RTS/CTS",
		[PORT_FLOW_XONXOFF] = "XON/XOFF",
	};
	char format[4], delay[TEXT_UNIT_SIZE];
	double rate = chars_per_sec(line);
	unsigned overhead = config_frame_overhead(c, line);
	config_line_format(line, format);
	printf("\nline       %s = %s, %s\n", line->name, line->device,
	       line->encap ? line->encap->name : "told by what comes first");
	printf("  port     %u baud, %s, %s\n", (unsigned)line->baud, format, flows[line->flow]);
	printf("  carries  %s%u bps / %u bits per character = %.0f B/s, share %.1f %%\n",
	       line->auto_rate ? "what is found out, first " : "", (unsigned)line->bps,
	       line->bits_per_char, rate, percent);
	printf("  one MTU  (%u + %u) x %u / %u bps = %.1f ms\n", c->mtu, overhead,
	       line->bits_per_char, (unsigned)line->bps, 1000 * (c->mtu + overhead) / rate);
	config_print_line_shape(line);
	if (line->encap != &encap_slip)
		config_print_ppp_line(c, rate);
	if (line->delay)
		printf("  delay    %s one way\n", text_time(delay, line->delay));
	config_print_life(line);
}

static void print_capture(const struct config *c)
{
	char size[TEXT_UNIT_SIZE];
	printf("capture    %s, and one file per line beside it\n", c->capture);
	if (c->capture_bytes)
		printf("           a new one after %s, %u kept\n",
		       text_bytes(size, c->capture_bytes), c->capture_files);
}

void config_print(const struct config *c)
{
	double rates[CONFIG_MAX_LINES], sum = shaped_rates(c, rates);
	unsigned overhead = config_frame_overhead(c, &c->lines[0]);
	print_interface(c);
	config_print_mode(c);
	print_queue(c);
	config_print_shaping(c);
	config_print_answer(c);
	config_print_ppp(c);
	if (c->capture[0])
		print_capture(c);
	config_print_programs(c);
	printf("locks      %s\n", c->lock_dir[0] ? c->lock_dir : "no lock files");
	if (c->realtime)
		printf("priority   real-time\n");
	for (unsigned i = 0; i < c->line_count; i++)
		print_line(c, &c->lines[i], 100 * rates[i] / sum);
	printf("\ntogether   %.0f B/s, one MTU in %.1f ms\n", sum,
	       1000 * (c->mtu + overhead) / sum);
}
