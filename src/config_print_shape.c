/* SPDX-License-Identifier: MIT */
/* The plan's part on modes and shaping: what is said, where it is not what is usual. */
#define _DEFAULT_SOURCE
#include "src/config_print.h"

#include "src/config_change.h"
#include "src/config_options.h"
#include "src/line_shape.h"

#include <stdio.h>
#include <string.h>

/* ", word VALUE" when it is another one than usual. */
static void print_unusual(const struct config *c, const char *option)
{
	char value[CONFIG_TEXT_SIZE], usual[CONFIG_TEXT_SIZE];
	config_tell_option(c, option, value);
	config_tell_option(&config_defaults, option, usual);
	if (strcmp(value, usual) != 0)
		printf(", %s %s", option, value);
}

static void print_all(const struct config *c, const char *const options[])
{
	for (; *options; options++)
		print_unusual(c, *options);
	printf("\n");
}

void config_print_mode(const struct config *c)
{
	static const char *const options[] = {
		"xmit-hash-policy", "packets-per-line", "tlb-dynamic-lb",
		"primary",          "primary-reselect", "ad-select",
		"min-links",        "miimon",           "updelay",
		"downdelay",        "probe-interval",   "probe-target",
		"probe-validate",   "probe-missed-max", NULL};
	printf("mode       %s", mode_name(c->mode.mode));
	print_all(c, options);
}

void config_print_shaping(const struct config *c)
{
	static const char *const options[] = {
		"tier-interactive", "tier-best-effort", "tier-bulk",  "wash", "queue-bytes",
		"queue-time",       "park-loss",        "park-delay", NULL};
	char shape[CONFIG_TEXT_SIZE], in[CONFIG_TEXT_SIZE], scheme[CONFIG_TEXT_SIZE];
	config_tell_option(c, "shape", shape);
	config_tell_option(c, "shape-in", in);
	config_tell_option(c, "tiers", scheme);
	printf("shape      %s, inwards %s\n", shape, in);
	printf("tiers      %s", scheme);
	print_all(c, options);
}

static void print_shape(const struct line_config *line, double bps)
{
	char shape[CONFIG_TEXT_SIZE];
	uint32_t own = shape_bps(&line->shape, line->bps);
	config_tell_line(line, "shape", shape);
	if (bps >= line->bps)
		return;
	printf("  shape    ");
	if (own < line->bps)
		printf("%s = %u bps%s", shape, (unsigned)own, bps < own ? ", " : "\n");
	if (bps < own)
		printf("its part of the bundle's %.0f bps\n", bps);
}

/* What a packet costs where that is not what the line itself makes of it. */
static void print_packets(const struct line_config *line, double bps)
{
	static const size_t sizes[] = {40, 576, 1500};
	char layer[CONFIG_TEXT_SIZE];
	config_tell_line(line, "linklayer", layer);
	printf("  packets  %s, overhead %d, mpu %u:", layer, line->layer.overhead, line->layer.mpu);
	for (size_t i = 0; i < OPTION_COUNT(sizes); i++) {
		size_t bytes = linklayer_bytes(&line->layer, sizes[i]);
		printf("%s %zu = %zu bytes, %.1f ms", i ? ";" : "", sizes[i], bytes,
		       8000.0 * (double)bytes / bps);
	}
	printf("\n");
}

void config_print_line_shape(const struct line_config *line, double bps)
{
	print_shape(line, bps);
	if (!line->layer.exact)
		print_packets(line, bps);
}
