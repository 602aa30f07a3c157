/* SPDX-License-Identifier: MIT */
/* {"command": "show-shaper", "name": LINE or BUNDLE}: what the shaper assumes of it, or of all. */
#define _DEFAULT_SOURCE
#include "src/control_commands.h"

#include "src/shaper_json.h"

#include <errno.h>
#include <string.h>

static bool is_meant(const char *wanted, const char *name)
{
	return !*wanted || strcmp(wanted, name) == 0;
}

/* A line's name means its bundle, too: that is where its queue is. */
static bool has_line(const struct report *r, const char *wanted)
{
	for (unsigned i = 0; i < r->line_count; i++)
		if (strcmp(r->lines[i].name, wanted) == 0)
			return true;
	return false;
}

static bool add_bundles(json_t *document, const struct control_call *c, const char *wanted)
{
	struct report_line lines[CONFIG_MAX_LINES];
	struct report r;

	for (unsigned k = 0; k < EXCHANGE_MAX_BUNDLES; k++)
		if (exchange_report(c->host->exchange, k, *c->host->now, &r, lines) &&
		    (is_meant(wanted, r.ifname) || has_line(&r, wanted)) &&
		    !shaper_json_add_bundle(document, &r, c->host->config))
			return false;
	return true;
}

static bool add_lines(json_t *document, const struct control_call *c, const char *wanted)
{
	const struct exchange *x = c->host->exchange;
	struct shaper_line s;

	for (unsigned i = exchange_next_line(x, 0); i < EXCHANGE_NO_LINE;
	     i = exchange_next_line(x, i + 1)) {
		exchange_shaper(x, i, &s);
		if ((is_meant(wanted, s.name) || is_meant(wanted, s.bundle)) &&
		    !shaper_json_add_line(document, &s))
			return false;
	}
	return true;
}

static bool is_empty(const json_t *document)
{
	return json_array_size(json_object_get(document, "bundles")) +
		       json_array_size(json_object_get(document, "lines")) ==
	       0;
}

json_t *control_show_shaper(struct control_call *c)
{
	const char *wanted = control_text(c, "name");
	json_t *document = shaper_json();
	bool whole = document && add_bundles(document, c, wanted) &&
		     add_lines(document, c, wanted) &&
		     json_object_set_new(document, "ok", json_true()) == 0;

	if (whole && (!*wanted || !is_empty(document)))
		return document;
	json_decref(document);
	if (!whole)
		return NULL;
	return control_error(EINVAL, "%s: there is no line or bundle of this name", wanted);
}
