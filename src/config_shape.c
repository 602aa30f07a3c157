/* SPDX-License-Identifier: MIT */
/*
 * Options on the queue: how fast it is emptied at most, whose packets go first, how long it may
 * become, and which lines are too bad to be used.
 */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_value.h"
#include "src/parse.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* "A[/B]": each of them a percentage up to 100. False: it is not; *b stays when it is not there. */
static bool split_percents(const char *value, uint64_t per_percent, uint64_t *a, uint64_t *b)
{
	char first[16];
	const char *slash = strchr(value, '/');
	size_t length = slash ? (size_t)(slash - value) : strlen(value);
	if (length >= sizeof(first))
		return false;
	memcpy(first, value, length);
	first[length] = '\0';
	return parse_percent(first, per_percent, 100 * per_percent, a) &&
	       (!slash || parse_percent(slash + 1, per_percent, 100 * per_percent, b));
}

/* SHARE%[/CEILING%] */
static bool take_tier(struct config_args *args, const struct option_row *row, const char *value)
{
	struct tier_config *tier = (struct tier_config *)((char *)args->config + row->at);
	uint64_t share, ceiling = 1000;
	if (!split_percents(value, 10, &share, &ceiling))
		return false;
	if (ceiling == 0 || share > ceiling)
		return config_refuse(args, "%s: the ceiling is not below the share, nor 0", value);
	*tier = (struct tier_config){.share = (uint32_t)share, .ceiling = (uint32_t)ceiling};
	return true;
}

static bool give_tier(const struct config *c, const struct option_row *row, unsigned n,
		      char to[static CONFIG_TEXT_SIZE])
{
	const struct tier_config *tier = (const struct tier_config *)((const char *)c + row->at);
	char ceiling[CONFIG_TEXT_SIZE];
	value_give_percent(UINT64_C(10) * tier->share, to);
	value_give_percent(UINT64_C(10) * tier->ceiling, ceiling);
	if (tier->ceiling < 1000)
		strcat(strcat(to, "/"), ceiling);
	return n == 0;
}

/* LOSS%[/GOOD%]: good is half of it, when it is not said. */
static bool take_loss(struct config_args *args, const struct option_row *row, const char *value)
{
	enum { PER_PERCENT = 100, WHOLE = 100 * PER_PERCENT };
	struct park_config *park = &args->config->park;
	uint64_t out, in = UINT64_MAX;
	(void)row;
	if (strcmp(value, "0") == 0)
		value = "0%";
	if (!split_percents(value, PER_PERCENT, &out, &in))
		return false;
	if (in == UINT64_MAX)
		in = out / 2;
	if (in > out)
		return config_refuse(args, "%s: what is good is no more than what is bad", value);
	park->loss_out = (double)out / WHOLE;
	park->loss_in = (double)in / WHOLE;
	return true;
}

static uint64_t per_10000(double fraction)
{
	return (uint64_t)(fraction * 10000 + 0.5);
}

static bool give_loss(const struct config *c, const struct option_row *row, unsigned n,
		      char to[static CONFIG_TEXT_SIZE])
{
	char good[CONFIG_TEXT_SIZE];
	uint64_t out = per_10000(c->park.loss_out), in = per_10000(c->park.loss_in);
	(void)row;
	value_give_percent(out, to);
	value_give_percent(in, good);
	if (in != out / 2)
		strcat(strcat(to, "/"), good);
	return n == 0;
}

static const char *const schemes[] = {[TIERS_BESTEFFORT] = "besteffort",
				      [TIERS_DIFFSERV3] = "diffserv3",
				      [TIERS_PRECEDENCE] = "precedence",
				      NULL};

#define A_SHAPE                                                                                    \
	"a rate from 50 to 1000000000 bps (28800, 57.6k, 1M), a percentage up to 100%, or none"
#define A_TIER "SHARE%[/CEILING%], such as 33.3% or 20%/50%"
enum { QUEUE_BYTES_MIN = 4096, QUEUE_BYTES_MAX = 1 << 30 };

#define TIER(word, tier, text)                                                                     \
	{                                                                                          \
		.name = word, .value = " PART", .take = take_tier, .give = give_tier,              \
		OPTION_IN(tiers[tier]), .help = text, .form = A_TIER                               \
	}

static const struct option_row shape_rows[] = {
	{.name = "shape",
	 .value = " RATE|PERCENT%",
	 OPTION_PLAIN(shape, shape),
	 .help = "send no faster, over all lines together (none)",
	 .form = A_SHAPE},
	{.name = "shape-in",
	 .value = " RATE|PERCENT%",
	 OPTION_PLAIN(shape, shape_in),
	 .help = "the same of what the peer sends",
	 .form = A_SHAPE},
	{.name = "tiers",
	 .value = " SCHEME",
	 OPTION_PLAIN(word, scheme),
	 .words = schemes,
	 .help = "by DSCP: diffserv3, precedence; or besteffort",
	 .form = "besteffort, diffserv3 or precedence"},
	TIER("tier-interactive", TIER_INTERACTIVE, "its guaranteed part, and the most (33.3%)"),
	TIER("tier-best-effort", TIER_BEST_EFFORT, "likewise (50%)"),
	TIER("tier-bulk", TIER_BULK, "likewise (16.7%)"),
	OPTION_ON("wash", wash, "clear DSCPs once they were heeded"),
	{.name = "queue-bytes",
	 .aliases = {"memlimit"},
	 .value = " BYTES",
	 OPTION_PLAIN(bytes, queue_bytes),
	 .min = QUEUE_BYTES_MIN,
	 .max = QUEUE_BYTES_MAX,
	 .help = "what may wait (0: as the lines need)",
	 .form = "0, or 4096 to 1073741824 bytes (64k, 1M)"},
	{.name = "queue-time",
	 .value = " TIME",
	 OPTION_PLAIN(time, queue_time),
	 .max = 3600 * (uint64_t)SB_SEC,
	 .help = "for how long, at the lines' rate (5s); 0: any",
	 .form = "a time from 0 to 1h (250ms, 1.5s, 10s)"},
	{.name = "park-loss",
	 .value = " LOSS%",
	 .take = take_loss,
	 .give = give_loss,
	 .help = "lines that lose so much are not used; 0: all are",
	 .form = "percentages: of losses that are too many, and of those that are fine (5%/1%)"},
	{.name = "park-delay",
	 .value = " TIME",
	 OPTION_PLAIN(time, park.delay),
	 .max = 3600 * (uint64_t)SB_SEC,
	 .help = "nor those that answer later (0: all are)",
	 .form = "a time from 0 to 1h (250ms, 1.5s, 10s)"},
	{.name = "park-for",
	 .value = " TIME",
	 OPTION_PLAIN(time, park.good_for),
	 .min = (uint64_t)SB_SEC,
	 .max = 3600 * (uint64_t)SB_SEC,
	 .help = "until they have been good for so long (30s)",
	 .form = "a time from 1s to 1h (30s, 5min)"},
};

static_assert(CONFIG_BPS_MIN == 50 && CONFIG_BPS_MAX == 1000000000, "its form says so");
static_assert(QUEUE_BYTES_MIN == 4096 && QUEUE_BYTES_MAX == 1073741824, "their form says so");

const struct option_group config_shape_group = {
	.title = "Shaping", .rows = shape_rows, .count = OPTION_COUNT(shape_rows)};
