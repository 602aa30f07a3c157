/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/config_change.h"

#include "src/config_checks.h"
#include "src/config_keys.h"
#include "src/config_line.h"
#include "src/config_options.h"

#include <stdio.h>
#include <string.h>

/* What was said, the first error or else the last remark. */
struct hearing {
	char *text;
	bool wrong;
};

static void hear(void *context, const struct config_message *m)
{
	struct hearing *h = context;
	const char *text = strncmp(m->text, "--", 2) == 0 ? m->text + 2 : m->text;
	if (h->wrong)
		return;
	h->wrong = !m->is_note;
	snprintf(h->text, CONFIG_WHY_SIZE, "%s", text);
}

/* --- what may change ---------------------------------------------------------------------------
 */

static int refuse_option(const char *key, char why[static CONFIG_WHY_SIZE])
{
	const struct option_group *group;
	const struct option_row *row = config_option_named(key, &group);
	const char *foreign = config_option_foreign(key), *nearest = config_option_near(key);
	if (row && group->ppp)
		snprintf(why, CONFIG_WHY_SIZE,
			 "'%s' cannot be set: a link of PPP heeds it when it begins; put it into "
			 "the file, and reload",
			 row->name);
	else if (row)
		snprintf(why, CONFIG_WHY_SIZE, "'%s' cannot be set while the program runs",
			 row->name);
	else if (foreign)
		snprintf(why, CONFIG_WHY_SIZE, "'%s' cannot be set: %s", key, foreign);
	else
		snprintf(why, CONFIG_WHY_SIZE, "'%s' cannot be set: there is no such option%s%s%s",
			 key, nearest ? "; did you mean '" : "", nearest ? nearest : "",
			 nearest ? "'?" : "");
	return EINVAL;
}

static const struct option_row *live_option(const char *key, const struct option_group **group)
{
	const struct option_row *row = config_option_named(key, group);
	return row && row->give && config_live_change(row->name) != CONFIG_CHANGE_NEVER ? row
											: NULL;
}

bool config_change_is_for_root(const char *key)
{
	const struct option_group *group;
	const struct option_row *row = live_option(key, &group);
	return row && config_live_change(row->name) == CONFIG_CHANGE_ROOT;
}

const char *config_change_name(const char *key)
{
	const struct option_group *group;
	const struct option_row *row = config_option_named(key, &group);
	return row ? row->name : key;
}

static const struct line_key *key_named(const char *name)
{
	const struct line_key *key;
	for (size_t k = 0; (key = config_key_at(k)); k++) {
		if (config_is_spelt(key->name, name))
			return key;
	}
	return NULL;
}

static int refuse_key(const char *name, char why[static CONFIG_WHY_SIZE])
{
	const struct line_key *key = key_named(name);
	int n = snprintf(why, CONFIG_WHY_SIZE, "'%s' cannot be set %s; ", name,
			 key ? "while the line is in use" : "of a line");
	for (size_t k = 0; (key = config_key_at(k)) && n < CONFIG_WHY_SIZE; k++) {
		if (key->live)
			n += snprintf(why + n, CONFIG_WHY_SIZE - (size_t)n, "%s, ", key->name);
	}
	if (n > 0 && n < CONFIG_WHY_SIZE)
		snprintf(why + n - 2, CONFIG_WHY_SIZE - (size_t)n + 2, " can");
	return EINVAL;
}

/* --- changes -----------------------------------------------------------------------------------
 */

/* What can be told of a configuration whose addresses and names were settled at the start. */
static bool check(struct config_args *args)
{
	struct settling s = {.config = args->config, .loose = &args->loose, .voice = args->voice};
	return settle_limits(&s) && settle_modes(&s) && settle_shape(&s);
}

int config_change_option(struct config *c, const char *key, const char *value,
			 char why[static CONFIG_WHY_SIZE])
{
	struct hearing hearing = {.text = why};
	struct config_voice voice = {.listener = hear, .context = &hearing};
	struct config_args args = {.config = c, .voice = &voice};
	const struct option_group *group;
	const struct option_row *row = live_option(key, &group);
	*why = '\0';
	if (!row)
		return refuse_option(key, why);
	return config_option_set(&args, row, group, value) && check(&args) ? 0 : EINVAL;
}

int config_change_line(struct config *c, unsigned i, const char *name, const char *value,
		       char why[static CONFIG_WHY_SIZE])
{
	struct hearing hearing = {.text = why};
	struct config_voice voice = {.listener = hear, .context = &hearing};
	struct config_args args = {.config = c, .voice = &voice};
	struct line_config *line = &c->lines[i];
	const struct line_key *key = key_named(name);
	*why = '\0';
	if (!key || !key->live)
		return refuse_key(name, why);
	if (!key->take(line, key, value)) {
		snprintf(why, CONFIG_WHY_SIZE, "%s %s: %s", key->name, *value ? value : "''",
			 key->form);
		return EINVAL;
	}
	int n = snprintf(why, CONFIG_WHY_SIZE, "%s: ", line->name);
	if (config_line_contradicts(line, why + n, (size_t)(CONFIG_WHY_SIZE - n)))
		return EINVAL;
	*why = '\0';
	return check(&args) ? 0 : EINVAL;
}

/* --- telling -----------------------------------------------------------------------------------
 */

bool config_tell_option(const struct config *c, const char *key, char to[static CONFIG_TEXT_SIZE])
{
	const struct option_group *group;
	const struct option_row *row = config_option_named(key, &group);
	char more[CONFIG_TEXT_SIZE];
	*to = '\0';
	if (!row || !row->give)
		return false;
	for (unsigned n = 0; row->give(c, row, n, more); n++) {
		size_t length = strlen(to);
		snprintf(to + length, CONFIG_TEXT_SIZE - length, "%s%s", n ? "\n" : "", more);
	}
	return true;
}

bool config_tells_secrets(const char *name)
{
	const struct line_key *key = key_named(name);
	return key && (config_key_is_modems(key) || strcmp(key->name, "command") == 0);
}

bool config_tell_line(const struct line_config *line, const char *name,
		      char to[static CONFIG_TEXT_SIZE])
{
	const struct line_key *key = key_named(name);
	if (key)
		key->give(line, key, to);
	return key != NULL;
}
