/* SPDX-License-Identifier: MIT */
/*
 * Whether two configurations want the same, for those who change a running program by the
 * differences alone.
 */
#define _DEFAULT_SOURCE
#include "src/config.h"

#include <string.h>

static bool numbers_equal(const struct modem_config *a, const struct modem_config *b)
{
	for (unsigned i = 0; i < a->number_count && a->number_count == b->number_count; i++) {
		if (strcmp(a->numbers[i], b->numbers[i]) != 0)
			return false;
	}
	return a->number_count == b->number_count;
}

static bool modem_times_equal(const struct modem_config *a, const struct modem_config *b)
{
	return a->dial_timeout == b->dial_timeout && a->redial == b->redial &&
	       a->redial_longest == b->redial_longest && a->hold_off == b->hold_off &&
	       a->idle == b->idle && a->max_connect == b->max_connect;
}

static bool modems_equal(const struct modem_config *a, const struct modem_config *b)
{
	return a->present == b->present && strcmp(a->chat, b->chat) == 0 &&
	       strcmp(a->init, b->init) == 0 && strcmp(a->dial_command, b->dial_command) == 0 &&
	       numbers_equal(a, b) && a->answers == b->answers && a->rings == b->rings &&
	       modem_times_equal(a, b) && a->attempts == b->attempts &&
	       a->connect_rate == b->connect_rate;
}

static bool formats_equal(const struct line_config *a, const struct line_config *b)
{
	return a->baud == b->baud && a->bits_per_char == b->bits_per_char && a->flow == b->flow &&
	       a->parity == b->parity && a->stop_bits == b->stop_bits;
}

static bool shapes_equal(const struct shape_config *a, const struct shape_config *b)
{
	return a->bps == b->bps && a->permille == b->permille;
}

/* What it carries, and what a packet costs on it. */
static bool rates_equal(const struct line_config *a, const struct line_config *b)
{
	return a->bps == b->bps && a->auto_rate == b->auto_rate && a->delay == b->delay &&
	       shapes_equal(&a->shape, &b->shape) && shapes_equal(&a->shape_in, &b->shape_in) &&
	       a->layer.exact == b->layer.exact && a->layer.overhead == b->layer.overhead &&
	       a->layer.mpu == b->layer.mpu && a->layer.cells == b->layer.cells;
}

bool config_lines_equal(const struct line_config *a, const struct line_config *b)
{
	return strcmp(a->device, b->device) == 0 && strcmp(a->name, b->name) == 0 &&
	       formats_equal(a, b) && rates_equal(a, b) && a->prio == b->prio &&
	       a->encap == b->encap && strcmp(a->bundle, b->bundle) == 0 &&
	       modems_equal(&a->modem, &b->modem) && a->enabled == b->enabled &&
	       strcmp(a->command, b->command) == 0;
}
