/* SPDX-License-Identifier: MIT */
/*
 * One value changed, as if the file had been changed there and read again: a copy of the
 * configuration takes it by the row that files are read by, is checked, and followed by its
 * differences (exchange_reconfigure.c).
 */
#define _DEFAULT_SOURCE
#include "src/config_change.h"
#include "src/exchange_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A configuration that is to be, and the place in it of a line. */
struct change {
	struct config *config;
	unsigned line;
	char why[CONFIG_WHY_SIZE], value[CONFIG_TEXT_SIZE];
};

/* As it is going to be: with what lines change to. `slot`: the line that is looked for. */
static struct config *copy_of(const struct exchange *x, unsigned slot, unsigned *line)
{
	struct config *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	*c = *x->config;
	c->line_count = 0;
	for (unsigned i = slot_next(x, 0); i < EXCHANGE_NO_LINE; i = slot_next(x, i + 1)) {
		if (x->slots[i].leaving == LEAVES_FOR_GOOD)
			continue;
		if (i == slot)
			*line = c->line_count;
		c->lines[c->line_count++] = *slot_config(x, i);
	}
	return c;
}

static bool begin(struct change *c, const struct exchange *x, unsigned slot,
		  struct exchange_answer *a)
{
	*c = (struct change){.line = CONFIG_MAX_LINES};
	c->config = copy_of(x, slot, &c->line);
	*a = (struct exchange_answer){.error = c->config ? 0 : ENOMEM};
	if (!c->config)
		snprintf(a->text, sizeof(a->text), "out of memory");
	return c->config;
}

static void refuse(struct change *c, struct exchange_answer *a)
{
	a->error = EINVAL;
	snprintf(a->text, sizeof(a->text), "%.*s", (int)sizeof(a->text) - 1, c->why);
	free(c->config);
}

/* name: of the line, or "". */
static void follow(struct change *c, struct exchange *x, const char *name, const char *key,
		   sb_time now, struct exchange_answer *a)
{
	snprintf(a->text, sizeof(a->text), "%s%s%s %.100s%s%.200s", name, *name ? ": " : "", key,
		 c->value, *c->why ? "; " : "", c->why);
	log_say(x->log, LOG_INFO, "%s", a->text);
	exchange_follow(x, c->config, now);
	event_reconfigured(x, a->text);
	free(c->config);
}

/* What is set once and for all when the buffers are made. */
static bool fits(const struct exchange *x, struct change *c)
{
	if (c->config->mtu <= x->largest || c->config->mtu_auto)
		return true;
	snprintf(c->why, sizeof(c->why), "mtu %u: expected %d to %zu; more needs a restart",
		 c->config->mtu, CONFIG_MTU_MIN, x->largest);
	return false;
}

void exchange_set_option(struct exchange *x, const char *key, const char *value, sb_time now,
			 struct exchange_answer *a)
{
	struct change c;

	if (!begin(&c, x, EXCHANGE_NO_LINE, a))
		return;
	if (config_change_option(c.config, key, value, c.why) != 0 || !fits(x, &c)) {
		refuse(&c, a);
		return;
	}
	config_tell_option(c.config, key, c.value);
	follow(&c, x, "", config_change_name(key), now, a);
}

void exchange_set_line(struct exchange *x, unsigned i, const char *key, const char *value,
		       sb_time now, struct exchange_answer *a)
{
	struct change c;

	if (!begin(&c, x, i, a))
		return;
	if (c.line == CONFIG_MAX_LINES) {
		snprintf(c.why, sizeof(c.why), "not a member: there is no such line");
		refuse(&c, a);
		return;
	}
	if (config_change_line(c.config, c.line, key, value, c.why) != 0) {
		refuse(&c, a);
		return;
	}
	config_tell_line(&c.config->lines[c.line], key, c.value);
	follow(&c, x, slot_config(x, i)->name, key, now, a);
	/* Whoever says it knows better than the modem, be it the same figure again. */
	if (strcmp(key, "bps") == 0 && x->lines[i].carrier_bps)
		line_set_bps(&x->lines[i], x->lines[i].config.bps, now);
}
