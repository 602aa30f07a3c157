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

/* As they are shaped: by themselves, and in proportion by the bundle. */
static void shaped_rates(const struct config *c, double bps[static CONFIG_MAX_LINES])
{
	double sum = 0;
	for (unsigned i = 0; i < c->line_count; i++)
		sum += bps[i] = shaped_bps(&c->lines[i], &c->shape);
	for (unsigned i = 0; i < c->line_count && c->shape.bps && sum > c->shape.bps; i++)
		bps[i] *= c->shape.bps / sum;
}

/* Of what the line's clock counts: its characters, or bytes of a hop behind it. */
static unsigned unit_bits(const struct line_config *line)
{
	return line->layer.exact ? line->bits_per_char : 8;
}

/* Duration of one MTU in seconds. */
static double mtu_time(const struct config *c, const struct line_config *line, double bps)
{
	size_t units = line->layer.exact ? c->mtu + config_frame_overhead(c, line)
					 : linklayer_bytes(&line->layer, c->mtu);
	return (double)units * unit_bits(line) / bps;
}

struct plan_queue config_plan(const struct config *c)
{
	double rates[CONFIG_MAX_LINES];
	shaped_rates(c, rates);
	for (unsigned i = 0; i < c->line_count; i++)
		rates[i] /= unit_bits(&c->lines[i]);
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

static void print_mtu_time(const struct config *c, const struct line_config *line, double bps)
{
	if (line->layer.exact)
		printf("  one MTU  (%u + %u) x", c->mtu, config_frame_overhead(c, line));
	else
		printf("  one MTU  %zu x", linklayer_bytes(&line->layer, c->mtu));
	printf(" %u / %.0f bps = %.1f ms\n", unit_bits(line), bps, 1000 * mtu_time(c, line, bps));
}

/* bps: as it is shaped; percent: of what all lines are to send. */
static void print_line(const struct config *c, const struct line_config *line, double bps,
		       double percent)
{
	static const char *const flows[] = {
		[PORT_FLOW_NONE] = "no flow control",
		[PORT_FLOW_RTSCTS] = "RTS/CTS",
		[PORT_FLOW_XONXOFF] = "XON/XOFF",
	};
	char format[4], delay[TEXT_UNIT_SIZE];
	config_line_format(line, format);
	printf("\nline       %s = %s, %s\n", line->name, line->device,
	       line->encap ? line->encap->name : "told by what comes first");
	printf("  port     %u baud, %s, %s\n", (unsigned)line->baud, format, flows[line->flow]);
	printf("  carries  %s%u bps / %u bits per character = %.0f B/s, share %.1f %%\n",
	       line->auto_rate ? "what is found out, first " : "", (unsigned)line->bps,
	       line->bits_per_char, (double)line->bps / line->bits_per_char, percent);
	config_print_line_shape(line, bps);
	print_mtu_time(c, line, bps);
	if (line->encap != &encap_slip && line->layer.exact)
		config_print_ppp_line(c, bps / line->bits_per_char);
	if (line->delay)
		printf("  delay    %s one way\n", text_time(delay, line->delay));
	config_print_life(line);
}

/* What they are to send together, each a part of it. */
static void print_lines(const struct config *c)
{
	double bps[CONFIG_MAX_LINES], bytes_per_s = 0, mtus_per_s = 0;
	shaped_rates(c, bps);
	for (unsigned i = 0; i < c->line_count; i++) {
		bytes_per_s += bps[i] / unit_bits(&c->lines[i]);
		mtus_per_s += 1 / mtu_time(c, &c->lines[i], bps[i]);
	}
	for (unsigned i = 0; i < c->line_count; i++)
		print_line(c, &c->lines[i], bps[i],
			   100 * bps[i] / unit_bits(&c->lines[i]) / bytes_per_s);
	printf("\ntogether   %.0f B/s, one MTU in %.1f ms\n", bytes_per_s, 1000 / mtus_per_s);
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
	print_lines(c);
}
