/* SPDX-License-Identifier: MIT */
/* Result codes: words between line ends, or numbers; and which there are at which X. */
#include "src/nullmodem/hayes_impl.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const words[] = {
	[HAYES_OK] = "OK",       [HAYES_CONNECT] = "CONNECT",
	[HAYES_RINGS] = "RING",  [HAYES_NO_CARRIER] = "NO CARRIER",
	[HAYES_ERROR] = "ERROR", [HAYES_NO_DIALTONE] = "NO DIALTONE",
	[HAYES_BUSY] = "BUSY",   [HAYES_NO_ANSWER] = "NO ANSWER",
};

/* The numbers that tell a rate, as far as modems agreed on them. */
static const struct {
	uint32_t bps;
	unsigned code;
} connect_codes[] = {{1200, 5}, {2400, 10}, {4800, 11}, {9600, 12}, {14400, 13}, {19200, 14}};

/* What does not fit is lost, as from a modem that ignores flow control. */
void hayes_put(struct hayes *h, uint8_t c)
{
	if (h->out_length < sizeof h->out)
		h->out[h->out_length++] = c;
}

static void put_text(struct hayes *h, const char *text)
{
	while (*text)
		hayes_put(h, (uint8_t)*text++);
}

static void put_line_end(struct hayes *h)
{
	hayes_put(h, h->set.s[S_END_OF_LINE]);
	hayes_put(h, h->set.s[S_LINE_FEED]);
}

void hayes_say_text(struct hayes *h, const char *text)
{
	if (h->set.verbose)
		put_line_end(h);
	put_text(h, text);
	put_line_end(h);
}

static void say(struct hayes *h, unsigned code, const char *text)
{
	if (h->set.quiet)
		return;
	if (h->set.verbose) {
		hayes_say_text(h, text);
		return;
	}
	char number[12];
	snprintf(number, sizeof number, "%u", code);
	put_text(h, number);
	hayes_put(h, h->set.s[S_END_OF_LINE]);
}

void hayes_say(struct hayes *h, enum hayes_result r)
{
	say(h, r, words[r]);
}

static unsigned connect_code(uint32_t bps)
{
	for (size_t i = 0; i < sizeof connect_codes / sizeof *connect_codes; i++)
		if (connect_codes[i].bps == bps)
			return connect_codes[i].code;
	return HAYES_CONNECT;
}

/* With W1, what is known of the carrier has lines of its own. */
static void say_carrier(struct hayes *h)
{
	char text[32];
	if (h->set.rates != 1 || h->set.quiet || !h->set.verbose || h->carrier_bps == 0)
		return;
	snprintf(text, sizeof text, "CARRIER %" PRIu32, h->carrier_bps);
	hayes_say_text(h, text);
	hayes_say_text(h, "PROTOCOL: LAP-M");
}

void hayes_say_connected(struct hayes *h)
{
	if (h->set.extended == 0) {
		hayes_say(h, HAYES_CONNECT);
		return;
	}
	say_carrier(h);
	bool carriers = h->set.rates == 2;
	uint32_t bps = carriers ? h->carrier_bps : h->dte_bps;
	char text[HAYES_TEXT_SIZE + 16];
	if (carriers && h->config->connect[0])
		snprintf(text, sizeof text, "CONNECT %s", h->config->connect);
	else if (bps > 0)
		snprintf(text, sizeof text, "CONNECT %" PRIu32, bps);
	else
		snprintf(text, sizeof text, "CONNECT");
	say(h, connect_code(bps), text);
}

/* No control characters, with which a terminal might do what noise does not mean. */
void hayes_say_noise(struct hayes *h)
{
	for (uint32_t i = 0; i < h->config->noise; i++)
		hayes_put(h, (uint8_t)(0x20 + noise_draw(&h->noise) % 0xe0));
}
