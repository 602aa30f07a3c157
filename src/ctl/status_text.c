/* SPDX-License-Identifier: MIT */
/*
 * The status as text: some lines for each bundle, and a table with a row for each
 * of its lines, below which stands in words what is only said when there is something to say.
 *
 *   sb0: up, 2 of 2 lines, 43200 bps, MTU 900, 10.9.0.1 to 10.9.0.2, for 3 min 12 s
 *     out    5.30 kB/s   10 s 5.29 kB/s   40 s 5.31 kB/s   peak 5.36 kB/s   total 1.02 MB
 *     in     ...
 *     queue  12 packets, 10.8 kB, oldest 1.98 s
 *     limit  line: the lines are 98 % busy
 *
 *   line   state  bps    now    out/s    in/s   busy  queued  rtt      errors  downs
 *   ttyS0  up     28800  28800  3.53 kB  121 B  98 %  12 ms   89.1 ms       0      1
 */
#define _DEFAULT_SOURCE
#include "src/ctl/status_text.h"

#include "src/ctl/document.h"

#include <stdarg.h>
#include <string.h>

enum {
	CELL_SIZE = 64,
	COLUMNS = 11,
	ROWS_MOST = 65,
	NOTE_SIZE = 512,
	LABEL_WIDTH = 6,
	REASON_SIZE = 64
};

#define GREEN  "\033[32m"
#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define BOLD   "\033[1m"
#define PLAIN  "\033[0m"

/* Keys are words with _ between them. */
static const char *in_words(char *key)
{
	for (char *c = key; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	return key;
}

static struct cell cell_s(double s)
{
	return cell_ms(s * 1000);
}

/* --- a table --- */

struct table {
	unsigned rows;
	char cells[ROWS_MOST][COLUMNS][CELL_SIZE];
	char notes[ROWS_MOST][NOTE_SIZE]; /* below the row; "" : nothing */
	const char *colours[ROWS_MOST];   /* of the second cell; "" : none */
};

/* Texts to the left, figures to the right. */
static bool is_left(unsigned column)
{
	return column < 2;
}

/* UTF-8: a column for each character. */
static int width_of(const char *cell)
{
	int width = 0;

	for (; *cell; cell++)
		width += (*cell & 0xC0) != 0x80;
	return width;
}

static int column_width(const struct table *t, unsigned column)
{
	int most = 0;

	for (unsigned i = 0; i < t->rows; i++) {
		int width = width_of(t->cells[i][column]);

		most = width > most ? width : most;
	}
	return most;
}

static void put_cell(FILE *to, const struct table *t, unsigned row, unsigned column, int width)
{
	const char *cell = t->cells[row][column];
	const char *colour = column == 1 ? t->colours[row] : "";
	int gap = width - width_of(cell);

	if (column)
		fputs("  ", to);
	fprintf(to, "%*s%s%s%s%*s", is_left(column) ? 0 : gap, "", colour, cell,
		*colour ? PLAIN : "", is_left(column) ? gap : 0, "");
}

static void put_table(FILE *to, const struct table *t)
{
	int widths[COLUMNS];

	for (unsigned c = 0; c < COLUMNS; c++)
		widths[c] = column_width(t, c);
	for (unsigned r = 0; r < t->rows; r++) {
		for (unsigned c = 0; c < COLUMNS; c++)
			put_cell(to, t, r, c, widths[c]);
		fputc('\n', to);
		if (t->notes[r][0])
			fprintf(to, "%*s  %s\n", widths[0], "", t->notes[r]);
	}
}

/* --- a line --- */

__attribute__((format(printf, 2, 3))) static void put(char to[static CELL_SIZE], const char *format,
						      ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(to, CELL_SIZE, format, arguments);
	va_end(arguments);
}

static double sum_of_errors(const json_t *line)
{
	const char *kind;
	json_t *count;
	double sum = 0;

	json_object_foreach(json_object_get(line, "errors"), kind, count) sum +=
		json_number_value(count);
	return sum;
}

static const char *colour_of(const json_t *line)
{
	if (truth(line, "up"))
		return GREEN;
	return truth(line, "enabled") ? RED : YELLOW;
}

/* Adds a clause. */
__attribute__((format(printf, 2, 3))) static void note(char to[static NOTE_SIZE],
						       const char *format, ...)
{
	size_t length = strlen(to);
	va_list arguments;

	if (length)
		length += (size_t)snprintf(to + length, NOTE_SIZE - length, "; ");
	va_start(arguments, format);
	if (length < NOTE_SIZE)
		vsnprintf(to + length, NOTE_SIZE - length, format, arguments);
	va_end(arguments);
}

static void note_errors(char to[static NOTE_SIZE], const json_t *line)
{
	char kinds[NOTE_SIZE / 2] = "";
	const char *kind;
	json_t *count;

	json_object_foreach(json_object_get(line, "errors"), kind, count)
	{
		size_t length = strlen(kinds);

		if (json_number_value(count) > 0)
			snprintf(kinds + length, sizeof(kinds) - length, "%s%s %.0f",
				 length ? ", " : "", kind, json_number_value(count));
	}
	in_words(kinds);
	if (*kinds)
		note(to, "errors: %s", kinds);
}

static void note_modem(char to[static NOTE_SIZE], const json_t *line)
{
	const json_t *modem = json_object_get(line, "modem");

	if (*word(line, "connect"))
		note(to, "connected as %s", word(line, "connect"));
	if (!json_is_object(modem))
		return;
	note(to, "modem %s, %.0f call%s", word(modem, "state"), figure(modem, "calls"),
	     figure(modem, "calls") == 1 ? "" : "s");
	if (figure(modem, "failures") > 0)
		note(to, "%.0f failed in a row", figure(modem, "failures"));
}

/* A reason is why a line went down; one that comes up again is past it. */
static bool is_past_its_reason(const json_t *line)
{
	const char *state = word(line, "state");

	return truth(line, "up") || strcmp(state, "opening") == 0 || strcmp(state, "dialling") == 0;
}

/* What is only said when there is something to say. */
static void note_line(char to[static NOTE_SIZE], const json_t *line)
{
	const json_t *loss = json_object_get(line, "loss");

	if (!truth(line, "up"))
		note(to, "for %s", cell_s(figure(line, "since_s")).text);
	if (*word(line, "reason"))
		note(to, "%s%s", is_past_its_reason(line) ? "last down: " : "",
		     word(line, "reason"));
	note_modem(to, line);
	note_errors(to, line);
	if (json_is_object(loss) && figure(loss, "out") + figure(loss, "in") > 0)
		note(to, "lost %.1f %% out, %.1f %% in", 100 * figure(loss, "out"),
		     100 * figure(loss, "in"));
}

static void add_title(struct table *t)
{
	static const char *const titles[COLUMNS] = {"line",  "state",  "bps",  "now",
						    "out/s", "in/s",   "busy", "queued",
						    "rtt",   "errors", "downs"};

	for (unsigned c = 0; c < COLUMNS; c++)
		put(t->cells[0][c], "%s", titles[c]);
	t->colours[0] = "";
	t->rows = 1;
}

static void add_line(struct table *t, const json_t *line, bool colour)
{
	const json_t *bps = json_object_get(line, "bps"), *rtt = json_object_get(line, "rtt_ms");
	char(*c)[CELL_SIZE] = t->cells[t->rows];

	put(c[0], "%s", word(line, "name"));
	put(c[1], "%s", word(line, "state"));
	put(c[2], "%.0f", figure(bps, "given"));
	put(c[3], "%.0f", figure(bps, "now"));
	put(c[4], "%s", cell_bytes(figure(json_object_get(line, "out"), "rate_2s")).text);
	put(c[5], "%s", cell_bytes(figure(json_object_get(line, "in"), "rate_2s")).text);
	put(c[6], "%.0f %%", 100 * figure(line, "busy"));
	put(c[7], "%s", cell_ms(figure(json_object_get(line, "queue"), "time_ms")).text);
	put(c[8], "%s", json_is_object(rtt) ? cell_ms(figure(rtt, "smoothed")).text : "-");
	put(c[9], "%.0f", sum_of_errors(line));
	put(c[10], "%.0f", figure(line, "downs"));
	t->colours[t->rows] = colour ? colour_of(line) : "";
	note_line(t->notes[t->rows++], line);
}

/* Those of the bundle of this name; "" : those that are in none. False: there are none. */
static bool put_lines(FILE *to, const json_t *lines, const char *bundle, bool colour)
{
	struct table t = {0};
	size_t i;
	json_t *line;

	add_title(&t);
	json_array_foreach(lines, i, line)
	{
		if (strcmp(word(line, "bundle"), bundle) == 0 && t.rows < ROWS_MOST)
			add_line(&t, line, colour);
	}
	if (t.rows > 1)
		put_table(to, &t);
	return t.rows > 1;
}

/* --- a bundle --- */

static void put_address(FILE *to, const json_t *a)
{
	const char *peer = word(a, "peer");

	if (*peer)
		fprintf(to, ", %s to %s", word(a, "local"), peer);
	else
		fprintf(to, ", %s/%.0f", word(a, "local"), figure(a, "prefix"));
}

static void put_head(FILE *to, const json_t *b, bool colour)
{
	const char *on = colour ? (truth(b, "up") ? GREEN : RED) : "";
	size_t i;
	json_t *address;

	fprintf(to, "%s%s%s: %s%s%s, %.0f of %.0f lines, %.0f bps, MTU %.0f", colour ? BOLD : "",
		word(b, "name"), colour ? PLAIN : "", on, truth(b, "up") ? "up" : "down",
		colour ? PLAIN : "", figure(b, "lines_up"), figure(b, "lines"), figure(b, "bps"),
		figure(b, "mtu"));
	json_array_foreach(json_object_get(b, "addresses"), i, address) put_address(to, address);
	if (*word(b, "peer"))
		fprintf(to, ", with %s", word(b, "peer"));
	fprintf(to, ", for %s\n", cell_s(figure(b, "uptime_s")).text);
}

static void put_traffic(FILE *to, const char *label, const json_t *t)
{
	fprintf(to, "  %-*s %s   10 s %s   40 s %s   peak %s   total %s\n", LABEL_WIDTH, label,
		cell_rate(figure(t, "rate_2s")).text, cell_rate(figure(t, "rate_10s")).text,
		cell_rate(figure(t, "rate_40s")).text, cell_rate(figure(t, "rate_peak")).text,
		cell_bytes(figure(t, "bytes")).text);
}

static void put_queue(FILE *to, const json_t *b)
{
	const json_t *q = json_object_get(b, "queue");

	fprintf(to, "  %-*s %.0f packets, %s", LABEL_WIDTH, "queue", figure(q, "packets"),
		cell_bytes(figure(q, "bytes")).text);
	if (figure(q, "packets") > 0)
		fprintf(to, ", oldest %s", cell_ms(figure(q, "age_ms")).text);
	if (figure(b, "ecn_marks") > 0)
		fprintf(to, ", ECN marks %.0f", figure(b, "ecn_marks"));
	fputc('\n', to);
}

/* What an IP version was dropped for is no word that anybody would look for. */
static const char *reason_in_words(const char *key, char to[static REASON_SIZE])
{
	snprintf(to, REASON_SIZE, "%s",
		 strcmp(key, "no_protocol") == 0 ? "IP version not negotiated" : key);
	return in_words(to);
}

static void put_drops(FILE *to, const json_t *b)
{
	const char *reason, *between = "";
	char words[REASON_SIZE];
	json_t *count;

	json_object_foreach(json_object_get(b, "drops"), reason, count)
	{
		if (json_number_value(count) <= 0)
			continue;
		if (!*between)
			fprintf(to, "  %-*s ", LABEL_WIDTH, "drops");
		fprintf(to, "%s%s %.0f", between, reason_in_words(reason, words),
			json_number_value(count));
		between = ", ";
	}
	fputs(*between ? "\n" : "", to);
}

/* Of packets over several links, once anything was lost. */
static void put_pieces(FILE *to, const json_t *b)
{
	static const char *const words[][2] = {
		{"lost", "lost"},
		{"lost_by_time", "by time"},
		{"late", "late"},
		{"broken", "packets broken"},
		{"too_long", "packets too long"},
		{"bad_headers", "bad headers"},
		{"overflows", "window full"},
	};
	const json_t *r = json_object_get(b, "reassembly");
	const char *between = "";

	if (figure(r, "lost") + figure(r, "broken") + figure(r, "too_long") +
		    figure(r, "bad_headers") <=
	    0)
		return;
	fprintf(to, "  %-*s ", LABEL_WIDTH, "pieces");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (figure(r, words[i][0]) <= 0)
			continue;
		fprintf(to, "%s%s %.0f", between, words[i][1], figure(r, words[i][0]));
		between = ", ";
	}
	fputc('\n', to);
}

static void put_limit(FILE *to, const json_t *b)
{
	const json_t *limit = json_object_get(b, "limit");
	const char *why = word(limit, "why");

	if (*word(limit, "by"))
		fprintf(to, "  %-*s %s%s%s\n", LABEL_WIDTH, "limit", word(limit, "by"),
			*why ? ": " : "", why);
}

static void put_bundle(FILE *to, const json_t *b, const json_t *lines, bool colour)
{
	put_head(to, b, colour);
	put_traffic(to, "out", json_object_get(b, "out"));
	put_traffic(to, "in", json_object_get(b, "in"));
	put_queue(to, b);
	put_drops(to, b);
	put_pieces(to, b);
	put_limit(to, b);
	fputc('\n', to);
	put_lines(to, lines, word(b, "name"), colour);
}

void status_text(const json_t *status, bool colour, FILE *to)
{
	const json_t *bundles = json_object_get(status, "bundles");
	const json_t *lines = json_object_get(status, "lines");
	size_t i;
	json_t *bundle;

	json_array_foreach(bundles, i, bundle)
	{
		fputs(i ? "\n" : "", to);
		put_bundle(to, bundle, lines, colour);
	}
	if (json_array_size(bundles) && truth(json_object_get(status, "program"), "answers"))
		fputs("\nlines without a bundle\n\n", to);
	if (!put_lines(to, lines, "", colour) && !json_array_size(bundles))
		fputs("no bundle and no line\n", to);
}

/* --- events --- */

static void put_part(FILE *to, const char *before, const char *text)
{
	if (*text)
		fprintf(to, "%s%s", before, text);
}

/* A line or bundle that went: how long it was there. */
static void put_past(FILE *to, const json_t *e)
{
	if (figure(e, "seconds") <= 0)
		return;
	fprintf(to, ", after %s, %s out, %s in", cell_s(figure(e, "seconds")).text,
		cell_bytes(figure(e, "bytes_out")).text, cell_bytes(figure(e, "bytes_in")).text);
}

void event_text(const json_t *e, bool colour, FILE *to)
{
	const char *time = word(e, "time"), *clock = strchr(time, 'T');
	const char *line = word(e, "line");

	fprintf(to, "%s  %s%-14s%s", clock ? clock + 1 : time, colour ? BOLD : "", word(e, "event"),
		colour ? PLAIN : "");
	put_part(to, "  ", *line ? line : word(e, "bundle"));
	put_part(to, "  ", word(e, *line ? "state" : "local"));
	put_part(to, " to ", word(e, *line ? "" : "remote"));
	put_part(to, ": ", word(e, "text"));
	put_past(to, e);
	fputc('\n', to);
}
