/* SPDX-License-Identifier: MIT */
/*
 * A history is known by a name: "line ttyS0", "out sb0". Those whose name is not in the
 * newest document are forgotten, so that what comes back begins anew.
 */
#define _DEFAULT_SOURCE
#include "src/ctl/top_model.h"

#include "src/ctl/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PASTS = TOP_LINES + 2 * TOP_BUNDLES };

struct top_past {
	struct {
		char key[TOP_NAME_SIZE + 8];
		bool fresh; /* in the newest document */
		struct top_history history;
	} entries[PASTS];
	unsigned count;
};

/* --- values of a document --- */

/* Negative where it is null. */
static double number_or_unknown(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : -1;
}

static void copy(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text);
	text_clean(to);
}

static struct top_rates rates(const json_t *object, const char *key)
{
	const json_t *r = json_object_get(object, key);

	return (struct top_rates){
		.total = figure(r, "bytes"),
		.over_2s = figure(r, "rate_2s"),
		.over_10s = figure(r, "rate_10s"),
		.over_40s = figure(r, "rate_40s"),
		.peak = figure(r, "rate_peak"),
	};
}

static double sum(const json_t *counts)
{
	double total = 0;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)counts, key, value) total += json_number_value(value);
	return total;
}

/* --- what was --- */

static struct top_history *recall(struct top_past *p, const char *kind, const char *name)
{
	char key[sizeof(p->entries[0].key)];
	unsigned i = 0;

	snprintf(key, sizeof(key), "%s %s", kind, name);
	while (i < p->count && strcmp(p->entries[i].key, key) != 0)
		i++;
	if (i == PASTS)
		return NULL;
	if (i == p->count) {
		memset(&p->entries[i], 0, sizeof(p->entries[i]));
		memcpy(p->entries[i].key, key, sizeof(key));
		p->count++;
	}
	p->entries[i].fresh = true;
	return &p->entries[i].history;
}

static void remember(struct top_past *p, const char *kind, const char *name, double value)
{
	struct top_history *h = recall(p, kind, name);

	if (!h)
		return;
	if (h->count == TOP_SECONDS)
		memmove(h->values, h->values + 1, (--h->count) * sizeof(h->values[0]));
	h->values[h->count++] = value;
}

static struct top_history past_of(struct top_past *p, const char *kind, const char *name)
{
	const struct top_history *h = recall(p, kind, name);

	return h ? *h : (struct top_history){0};
}

static void forget_stale(struct top_past *p)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < p->count; i++)
		if (p->entries[i].fresh)
			p->entries[kept++] = p->entries[i];
	p->count = kept;
}

static void remember_all(struct top_past *p, const json_t *document)
{
	size_t i;
	json_t *object;

	for (unsigned n = 0; n < p->count; n++)
		p->entries[n].fresh = false;
	json_array_foreach(json_object_get(document, "lines"), i, object)
		remember(p, "line", word(object, "name"), figure(object, "busy"));
	json_array_foreach(json_object_get(document, "bundles"), i, object)
	{
		const char *name = word(object, "name");

		remember(p, "out", name, figure(json_object_get(object, "out"), "rate_2s"));
		remember(p, "in", name, figure(json_object_get(object, "in"), "rate_2s"));
	}
	forget_stale(p);
}

/* --- lines --- */

static void read_line(struct top_line *l, struct top_past *past, const json_t *o)
{
	const json_t *bps = json_object_get(o, "bps"), *loss = json_object_get(o, "loss");

	*l = (struct top_line){
		.up = json_is_true(json_object_get(o, "up")),
		.since_s = figure(o, "since_s"),
		.given_bps = figure(bps, "given"),
		.bps = figure(bps, "now"),
		.out = rates(o, "out"),
		.in = rates(o, "in"),
		.busy_out = figure(o, "busy"),
		.busy_in = figure(o, "busy_in"),
		.queue_ms = figure(json_object_get(o, "queue"), "time_ms"),
		.rtt_ms = number_or_unknown(json_object_get(o, "rtt_ms"), "smoothed"),
		.loss_out = number_or_unknown(loss, "out"),
		.loss_in = number_or_unknown(loss, "in"),
		.errors = sum(json_object_get(o, "errors")),
		.downs = figure(o, "downs"),
		.busy = past_of(past, "line", word(o, "name")),
	};
	copy(l->name, sizeof(l->name), word(o, "name"));
	copy(l->state, sizeof(l->state), word(o, "state"));
	if (strcmp(l->state, "opening") != 0) /* why it was down is past */
		copy(l->note, sizeof(l->note), word(o, l->up ? "connect" : "reason"));
}

/* Those of the bundle; "" : of none. */
static void read_lines(struct top_model *m, const char *bundle)
{
	size_t i;
	json_t *o;

	m->line_count = 0;
	json_array_foreach(json_object_get(m->document, "lines"), i,
			   o) if (m->line_count < TOP_LINES &&
				  strcmp(word(o, "bundle"), bundle) == 0)
		read_line(&m->lines[m->line_count++], m->past, o);
}

static bool has_line_without_bundle(const json_t *document)
{
	size_t i;
	json_t *o;

	json_array_foreach(json_object_get(document, "lines"), i,
			   o) if (!*word(o, "bundle")) return true;
	return false;
}

/* --- a bundle --- */

static void read_queue(struct top_bundle *b, const json_t *o)
{
	const json_t *queue = json_object_get(o, "queue"), *drops = json_object_get(o, "drops");

	b->queue_bytes = figure(queue, "bytes");
	b->queue_packets = figure(queue, "packets");
	b->queue_ms = figure(queue, "age_ms");
	b->drops_codel = figure(drops, "codel");
	b->drops_full = figure(drops, "queue_full");
	b->drops_other = sum(drops) - b->drops_codel - b->drops_full;
	b->ecn_marks = figure(o, "ecn_marks");
}

static void read_bundle(struct top_bundle *b, struct top_past *past, const json_t *o)
{
	const json_t *address = json_array_get(json_object_get(o, "addresses"), 0);
	const json_t *limit = json_object_get(o, "limit");

	*b = (struct top_bundle){
		.uptime_s = figure(o, "uptime_s"),
		.mtu = figure(o, "mtu"),
		.bps = figure(o, "bps"),
		.lines = (unsigned)figure(o, "lines"),
		.lines_up = (unsigned)figure(o, "lines_up"),
		.out = rates(o, "out"),
		.in = rates(o, "in"),
		.out_history = past_of(past, "out", word(o, "name")),
		.in_history = past_of(past, "in", word(o, "name")),
	};
	read_queue(b, o);
	copy(b->name, sizeof(b->name), word(o, "name"));
	copy(b->local, sizeof(b->local), word(address, "local"));
	copy(b->remote, sizeof(b->remote), word(address, "peer"));
	copy(b->peer, sizeof(b->peer), word(o, "peer"));
	copy(b->limit, sizeof(b->limit), word(limit, "by"));
	copy(b->why, sizeof(b->why), word(limit, "why"));
}

static void read_flows(struct top_model *m, const json_t *bundle)
{
	size_t i;
	json_t *o;

	m->flow_count = 0;
	json_array_foreach(json_object_get(bundle, "flows"), i, o)
	{
		struct top_flow *f = &m->flows[m->flow_count];

		if (m->flow_count == TOP_FLOWS)
			break;
		copy(f->local, sizeof(f->local), word(o, "local"));
		copy(f->remote, sizeof(f->remote), word(o, "remote"));
		f->out = rates(o, "out");
		f->in = rates(o, "in");
		m->flow_count++;
	}
}

/* "2026-12-01T12:31:05.123Z": the time of the day. */
static void read_clock(struct top_model *m)
{
	const char *time = strchr(word(m->document, "time"), 'T');

	snprintf(m->clock, sizeof(m->clock), "%.8s UTC", time ? time + 1 : "");
	text_clean(m->clock);
}

void top_model_show(struct top_model *m, unsigned which)
{
	const json_t *bundles = json_object_get(m->document, "bundles"), *bundle;
	size_t n = json_array_size(bundles);

	m->bundles = (unsigned)n + has_line_without_bundle(m->document);
	m->shown = m->bundles ? which % m->bundles : 0;
	bundle = json_array_get(bundles, m->shown);
	read_bundle(&m->bundle, m->past, bundle);
	read_lines(m, m->bundle.name);
	read_flows(m, bundle);
}

void top_model_read(struct top_model *m, json_t *document)
{
	json_decref(m->document);
	m->document = json_incref(document);
	copy(m->program, sizeof(m->program), word(json_object_get(document, "program"), "version"));
	read_clock(m);
	remember_all(m->past, document);
	top_model_show(m, m->shown);
}

bool top_model_init(struct top_model *m)
{
	*m = (struct top_model){.past = calloc(1, sizeof(*m->past))};
	return m->past != NULL;
}

void top_model_free(struct top_model *m)
{
	json_decref(m->document);
	free(m->past);
	*m = (struct top_model){0};
}
