/* SPDX-License-Identifier: MIT */
/*
 * What the exchange has to do with modems: their words are for the log and for whoever
 * watches, and a line that was hung up since nothing passed is dialled again when packets wait.
 *
 * They wait when no line is up. They also wait behind lines that are: not the packet that is
 * about to go, but a queue that these lines would take a while for.
 */
#define _DEFAULT_SOURCE
#include "src/exchange_state.h"

#include <string.h>

static const double LONG_QUEUE = 2; /* seconds */

/* Of a line that was taken out: that was said when it was. */
static bool is_known(const struct exchange *x, unsigned i, const char *text)
{
	const struct slot *s = &x->slots[i];

	return s->leaving == LEAVES_FOR_GOOD && strcmp(text, s->reason) == 0;
}

void exchange_tell_modem(struct exchange *x, unsigned i)
{
	bool important;
	const char *text;

	while ((text = line_said(&x->lines[i], &important))) {
		important &= !is_known(x, i, text);
		log_say(x->log, important ? LOG_INFO : LOG_DEBUG, "%s: %s", x->lines[i].config.name,
			text);
		event_line(x, EXCHANGE_LINE_SAID, i, text);
	}
}

static double rate_of(const struct exchange *x, unsigned k)
{
	double bps = 0;

	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		if (x->bundle_of[i] == k && x->lines[i].state == LINE_UP)
			bps += x->lines[i].clock.bps;
	return bps;
}

static bool packets_wait(const struct exchange *x, unsigned k)
{
	uint32_t bytes = bundle_waiting_bytes(x->bundles[k].bundle);

	return bytes && 8.0 * bytes > LONG_QUEUE * rate_of(x, k);
}

void exchange_dial_for_traffic(struct exchange *x, sb_time now)
{
	if (x->config->answer || !x->bundles[0].bundle || !packets_wait(x, 0))
		return;
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1))
		if (slot_is_wanted(x, i))
			line_dial_for_traffic(&x->lines[i], now);
}
