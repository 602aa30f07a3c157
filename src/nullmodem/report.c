/* SPDX-License-Identifier: MIT */
/* Reports. Files are written beside their place and renamed into it. */
#define _GNU_SOURCE
#include "src/nullmodem/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- JSON ---- */

static void add_cells(json_t *wire, const struct cable *c, enum direction d, sb_time now)
{
	struct cells_stats s;
	if (!cable_cells(c, d, now, &s))
		return;
	json_object_set_new(wire, "frames", json_integer((json_int_t)s.frames));
	json_object_set_new(wire, "cells", json_integer((json_int_t)s.cells));
	json_object_set_new(wire, "frames_dropped", json_integer((json_int_t)s.frames_dropped));
}

static json_t *wire_json(const struct cable *c, enum direction d, sb_time now)
{
	const struct wire_config *config = &cable_spec(c)->wire[d];
	struct wire_stats s = cable_stats(c, d, now);
	const struct {
		const char *name;
		uint64_t value;
	} fields[] = {
		{"bps", config->bps},
		{"bits_per_char", config->bits_per_char},
		{"accepted", s.accepted},
		{"delivered", s.delivered},
		{"dropped", s.dropped},
		{"damaged", s.damaged},
		{"queued", s.queued},
		{"peak_queued", s.peak_queued},
		{"in_flight", s.in_flight},
		{"busy_ns", (uint64_t)s.busy},
		{"first_ns", (uint64_t)s.first},
		{"last_ns", (uint64_t)s.last},
	};
	json_t *o = json_object();
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		json_object_set_new(o, fields[i].name, json_integer((json_int_t)fields[i].value));
	add_cells(o, c, d, now);
	return o;
}

static void add_calls(json_t *cable, const struct cable *c)
{
	if (!cable_has_calls(c))
		return;
	struct telephone_stats s = cable_calls(c);
	json_object_set_new(cable, "call", json_string(telephone_phase_text(cable_call(c))));
	json_object_set_new(cable, "dialled", json_integer((json_int_t)s.dialled));
	json_object_set_new(cable, "connected", json_integer((json_int_t)s.connected));
	json_object_set_new(cable, "dropped_calls", json_integer((json_int_t)s.dropped));
}

static json_t *cable_json(const struct cable *c, sb_time now)
{
	const struct cable_spec *spec = cable_spec(c);
	json_t *o = json_pack("{s:s, s:s, s:s, s:b, s:I, s:o, s:o}", "name", spec->name, "a",
			      spec->end[0], "b", spec->end[1], "up", cable_is_up(c), "hangups",
			      (json_int_t)cable_hangups(c), "ab", wire_json(c, AB, now), "ba",
			      wire_json(c, BA, now));
	add_calls(o, c);
	return o;
}

char *report_json(const struct network *n)
{
	sb_time now = loop_now(n->loop);
	json_t *cables = json_array();
	for (unsigned i = 0; i < n->count; i++)
		json_array_append_new(cables, cable_json(n->cables[i], now));
	json_t *all = json_pack("{s:o, s:I, s:I}", "cables", cables, "elapsed_ns", (json_int_t)now,
				"late_max_ns", (json_int_t)n->late_max);
	char *text = json_dumps(all, JSON_COMPACT);
	json_decref(all);
	return text;
}

/* ---- text ---- */

static void cells_text(const struct cable *c, enum direction d, sb_time now, FILE *f)
{
	struct cells_stats s;
	if (cable_cells(c, d, now, &s))
		fprintf(f,
			"         %" PRIu64 " frames in %" PRIu64 " cells, %" PRIu64
			" frames dropped\n",
			s.frames, s.cells, s.frames_dropped);
}

static void wire_text(const struct cable *c, enum direction d, sb_time now, FILE *f)
{
	const struct wire_config *config = &cable_spec(c)->wire[d];
	struct wire_stats s = cable_stats(c, d, now);
	fprintf(f, "  %s", d == AB ? "a to b" : "b to a");
	if (config->bps > 0)
		fprintf(f, " at %" PRIu32 " bps, %" PRIu32 " bits", config->bps,
			config->bits_per_char);
	fprintf(f,
		": %" PRIu64 " accepted, %" PRIu64 " delivered, %" PRIu64 " dropped, %" PRIu64
		" damaged, %" PRIu64 " under way\n",
		s.accepted, s.delivered, s.dropped, s.damaged, s.queued + s.in_flight);
	double seconds = (double)(s.last - s.first) / 1e9;
	if (seconds > 0)
		fprintf(f,
			"         busy %.3f s of %.3f s (%.1f %%), at most %" PRIu64
			" in the buffer\n",
			(double)s.busy / 1e9, seconds, 100 * (double)s.busy / 1e9 / seconds,
			s.peak_queued);
	cells_text(c, d, now, f);
}

static void calls_text(const struct cable *c, FILE *f)
{
	if (!cable_has_calls(c))
		return;
	struct telephone_stats s = cable_calls(c);
	fprintf(f,
		"  telephone %s: %" PRIu64 " numbers dialled, %" PRIu64 " calls, %" PRIu64
		" lost their carrier\n",
		telephone_phase_text(cable_call(c)), s.dialled, s.connected, s.dropped);
}

static void report_text(const struct network *n, FILE *f)
{
	sb_time now = loop_now(n->loop);
	for (unsigned i = 0; i < n->count; i++) {
		const struct cable *c = n->cables[i];
		const struct cable_spec *spec = cable_spec(c);
		fprintf(f, "%s: %s - %s, %s, hung up %" PRIu64 " times\n", spec->name, spec->end[0],
			spec->end[1], cable_is_up(c) ? "up" : "down", cable_hangups(c));
		calls_text(c, f);
		wire_text(c, AB, now, f);
		wire_text(c, BA, now, f);
	}
	fprintf(f, "%.3f s; wake-ups at most %.3f ms late\n", (double)now / 1e9,
		(double)n->late_max / 1e6);
}

static char *text_report(const struct network *n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	report_text(n, f);
	return fclose(f) == 0 ? text : NULL;
}

/* ---- out ---- */

static bool write_all(FILE *f, const char *text)
{
	bool written = fputs(text, f) != EOF;
	return fflush(f) == 0 && written;
}

/* A device, a pipe, or a link to one. */
static bool is_special(const char *file)
{
	struct stat st;
	return stat(file, &st) == 0 && !S_ISREG(st.st_mode);
}

static bool write_to(const char *file, const char *text)
{
	FILE *f = fopen(file, "we");
	if (!f)
		return false;
	bool written = write_all(f, text);
	return fclose(f) == 0 && written;
}

bool report_replace_file(const char *file, const char *text)
{
	char fresh[4096];
	if (is_special(file))
		return write_to(file, text);
	int n = snprintf(fresh, sizeof fresh, "%s.%ld", file, (long)getpid());
	if (n < 0 || (size_t)n >= sizeof fresh)
		return false;
	if (write_to(fresh, text) && rename(fresh, file) == 0)
		return true;
	unlink(fresh);
	return false;
}

void report_remove_file(const char *file)
{
	if (!is_special(file))
		unlink(file);
}

static bool put(const char *file, const char *text)
{
	if (!text)
		return false;
	if (strcmp(file, "-") == 0)
		return write_all(stdout, text);
	return report_replace_file(file, text);
}

static char *json_line(const struct network *n)
{
	char *json = report_json(n);
	char *line = NULL;
	if (json && asprintf(&line, "%s\n", json) < 0)
		line = NULL;
	free(json);
	return line;
}

bool report_write(const struct network *n, const char *text_file, const char *json_file)
{
	bool ok = true;
	if (text_file) {
		char *text = text_report(n);
		ok = put(text_file, text) && ok;
		free(text);
	}
	if (json_file) {
		char *line = json_line(n);
		ok = put(json_file, line) && ok;
		free(line);
	}
	return ok;
}
