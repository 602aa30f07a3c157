/* SPDX-License-Identifier: MIT */
/*
 * The status as metrics.
 *
 * A metric family is a row of a table: what it is called, where its figure stands in the object
 * that it is of (the program, a bundle, a line), and how that becomes samples: one, one for each
 * direction, for each member of an object, or for each word that a state can be. The format wants
 * a family in one piece, so families are the outer loop and the objects the inner one.
 *
 *   # HELP serialbundle_line_errors_total What arrived and could not be used.
 *   # TYPE serialbundle_line_errors_total counter
 *   serialbundle_line_errors_total{bundle="sb0",line="ttyS0",device="/dev/ttyS0",kind="bad_fcs"} 2
 *
 * Rates over some seconds are left out, since whoever reads counters makes better ones of them; and
 * so are flows and reasons in words: each pair of hosts and each wording would be a series for
 * ever. What is told of modes and of the queue's tiers is for those who look into one bundle, and
 * in the status alone.
 */
#include "src/ctl/metrics.h"

#include <stdbool.h>
#include <string.h>

#define PREFIX "serialbundle_"

enum { LABELS_MOST = 3, PATH_SIZE = 32 };

/* What a metric is of is told by labels, each a member of the object. */
struct label {
	const char *name, *member;
};

struct writer;

struct family {
	const char *name; /* ends in _total: a counter; else a gauge */
	void (*put)(struct writer *, const json_t *object);
	const char *path, *path_in; /* of the figure: members with dots between; of "in", if two */
	double divisor;             /* to come to base units; 0: it is in them */
	const char *label;          /* that tells its samples apart */
	const char *const *words;   /* that label's values, or an info's members; NULL ends them */
	const char *help;
};

/* Of which there are metrics. */
struct subject {
	const char *member; /* of the document: one object, or an array of them */
	struct label labels[LABELS_MOST];
	const struct family *families; /* ends with one without a name */
};

struct writer {
	FILE *to;
	const struct subject *subject;
	const struct family *family;
	bool begun;     /* the family has its heading */
	bool has_label; /* the sample has */
};

/* --- a document --- */

/* NULL: there is no such member. */
static const json_t *at(const json_t *object, const char *path)
{
	char name[PATH_SIZE];

	for (size_t n; object && *path; path += n + (path[n] == '.')) {
		n = strcspn(path, ".");
		snprintf(name, sizeof(name), "%.*s", (int)n, path);
		object = json_object_get(object, name);
	}
	return object;
}

static const char *word_at(const json_t *object, const char *path)
{
	const char *word = json_string_value(at(object, path));

	return word ? word : "";
}

static bool is_figure(const json_t *value)
{
	return json_is_number(value) || json_is_boolean(value);
}

/* --- a sample --- */

static bool is_counter(const char *name)
{
	size_t n = strlen(name), suffix = strlen("_total");

	return n > suffix && strcmp(name + n - suffix, "_total") == 0;
}

static void put_heading(struct writer *w)
{
	const struct family *f = w->family;

	if (!w->begun)
		fprintf(w->to, "# HELP " PREFIX "%s %s\n# TYPE " PREFIX "%s %s\n", f->name, f->help,
			f->name, is_counter(f->name) ? "counter" : "gauge");
	w->begun = true;
}

static void put_escaped(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"' || *text == '\n')
			fputc('\\', to);
		fputc(*text == '\n' ? 'n' : *text, to);
	}
}

static void put_label(struct writer *w, const char *name, const char *value)
{
	fprintf(w->to, "%c%s=\"", w->has_label ? ',' : '{', name);
	put_escaped(w->to, value);
	fputc('"', w->to);
	w->has_label = true;
}

/* An empty label is as good as none: what is null has one. */
static void put_label_of(struct writer *w, const struct label *l, const json_t *object)
{
	const json_t *value = at(object, l->member);
	char number[32];

	snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	put_label(w, l->name, json_is_integer(value) ? number : word_at(object, l->member));
}

/* The name, and whose it is; more labels may follow, then the figure must. */
static void begin_sample(struct writer *w, const json_t *object)
{
	put_heading(w);
	fprintf(w->to, PREFIX "%s", w->family->name);
	w->has_label = false;
	for (size_t i = 0; i < LABELS_MOST && w->subject->labels[i].name; i++)
		put_label_of(w, &w->subject->labels[i], object);
}

static void end_sample(struct writer *w, const json_t *figure)
{
	double divisor = w->family->divisor;

	fputs("} ", w->to);
	if (json_is_boolean(figure))
		fprintf(w->to, "%d\n", json_is_true(figure));
	else if (json_is_integer(figure) && divisor == 0)
		fprintf(w->to, "%" JSON_INTEGER_FORMAT "\n", json_integer_value(figure));
	else
		fprintf(w->to, "%.15g\n", json_number_value(figure) / (divisor > 0 ? divisor : 1));
}

/* --- what figures become --- */

static void put_one(struct writer *w, const json_t *object)
{
	const json_t *figure = at(object, w->family->path);

	if (!is_figure(figure))
		return;
	begin_sample(w, object);
	end_sample(w, figure);
}

static void put_labelled(struct writer *w, const json_t *object, const char *value,
			 const json_t *figure)
{
	if (!is_figure(figure))
		return;
	begin_sample(w, object);
	put_label(w, w->family->label, value);
	end_sample(w, figure);
}

static void put_out_in(struct writer *w, const json_t *object)
{
	put_labelled(w, object, "out", at(object, w->family->path));
	put_labelled(w, object, "in", at(object, w->family->path_in));
}

static void put_members(struct writer *w, const json_t *object)
{
	const json_t *members = at(object, w->family->path);

	for (void *i = json_object_iter((json_t *)members); i;
	     i = json_object_iter_next((json_t *)members, i))
		put_labelled(w, object, json_object_iter_key(i), json_object_iter_value(i));
}

/* Each word with 1 or 0. A newer program may have states that we do not know. */
static void put_states(struct writer *w, const json_t *object)
{
	const char *state = word_at(object, w->family->path);
	bool known = false;

	if (!*state)
		return;
	for (const char *const *word = w->family->words; *word; word++) {
		bool is = strcmp(*word, state) == 0;

		put_labelled(w, object, *word, json_boolean(is));
		known |= is;
	}
	if (!known)
		put_labelled(w, object, state, json_true());
}

/* 1, with what there is to know in labels. */
static void put_info(struct writer *w, const json_t *object)
{
	begin_sample(w, object);
	for (const char *const *word = w->family->words; *word; word++)
		put_label(w, *word, word_at(object, *word));
	end_sample(w, json_true());
}

/* --- the families --- */

#define DIRECTIONS(out, in) put_out_in, .path = out, .path_in = in, .label = "direction"
#define MS                  .divisor = 1000

static const char *const program_info[] = {"version", NULL};
static const char *const bundle_info[] = {"peer", NULL};
static const char *const line_info[] = {"encapsulation", "connect", NULL};
static const char *const limits[] = {"nothing", "line", "host", "peer", "shaper", "queue", NULL};
static const char *const line_states[] = {
	"down",    "disabled", "dialling",   "waiting", "opening", "up",         "parked",
	"stalled", "silent",   "no carrier", "leaving", "ending",  "hanging up", NULL};
static const char *const modem_states[] = {"idle",   "dialling",   "waiting",
					   "online", "hanging up", NULL};

/* clang-format off */
static const struct family program_families[] = {
	{"info", put_info, .words = program_info, .help = "The program that runs."},
	{"uptime_seconds", put_one, "uptime_s", .help = "Since it was started."},
	{0},
};

static const struct family bundle_families[] = {
	{"bundle_info", put_info, .words = bundle_info, .help = "Who the peer is."},
	{"bundle_up", put_one, "up", .help = "Whether a line is up, and packets can pass."},
	{"bundle_uptime_seconds", put_one, "uptime_s", .help = "Since the bundle was made."},
	{"bundle_mtu_bytes", put_one, "mtu", .help = "The largest packet of the interface."},
	{"bundle_lines", put_one, "lines", .help = "How many lines it has."},
	{"bundle_lines_up", put_one, "lines_up", .help = "How many of them are up."},
	{"bundle_bits_per_second", put_one, "bps", .help = "What its lines that are up carry."},
	{"bundle_bytes_total", DIRECTIONS("out.bytes", "in.bytes"),
	 .help = "Of IP packets that passed."},
	{"bundle_packets_total", DIRECTIONS("out.packets", "in.packets"),
	 .help = "IP packets that passed."},
	{"bundle_queue_bytes", put_one, "queue.bytes", .help = "Of packets that wait to be sent."},
	{"bundle_queue_packets", put_one, "queue.packets", .help = "That wait to be sent."},
	{"bundle_queue_age_seconds", put_one, "queue.age_ms", MS,
	 .help = "How long the oldest packet has waited; 0 when there is none."},
	{"bundle_dropped_packets_total", put_members, "drops", .label = "reason",
	 .help = "Packets that went no further."},
	{"bundle_ecn_marks_total", put_one, "ecn_marks",
	 .help = "Packets marked to tell a sender to go slower."},
	{"bundle_limit", put_states, "limit.by", .label = "by", .words = limits,
	 .help = "What limits the bundle now: 1 for what does."},
	{"bundle_reassembly_fragments_total", put_one, "reassembly.fragments",
	 .help = "Fragments that came of packets over several links."},
	{"bundle_reassembly_nulls_total", put_one, "reassembly.nulls",
	 .help = "Of these, empty ones."},
	{"bundle_reassembly_packets_total", put_one, "reassembly.packets",
	 .help = "Packets put together of fragments."},
	{"bundle_reassembly_lost_total", put_one, "reassembly.lost",
	 .help = "Sequence numbers given up."},
	{"bundle_reassembly_lost_by_time_total", put_one, "reassembly.lost_by_time",
	 .help = "Of these, waited for too long."},
	{"bundle_reassembly_late_total", put_one, "reassembly.late",
	 .help = "Fragments that came after they were given up, or for the second time."},
	{"bundle_reassembly_broken_total", put_one, "reassembly.broken",
	 .help = "Packets of which a part was lost."},
	{"bundle_reassembly_too_long_total", put_one, "reassembly.too_long",
	 .help = "Packets beyond what was agreed on."},
	{"bundle_reassembly_bad_headers_total", put_one, "reassembly.bad_headers",
	 .help = "Fragments too short to be any."},
	{"bundle_reassembly_overflows_total", put_one, "reassembly.overflows",
	 .help = "Times there was no room left to wait for what was missing."},
	{"bundle_reassembly_astray_total", put_one, "reassembly.astray",
	 .help = "Fragments far ahead of all others."},
	{"bundle_reassembly_renumbered_total", put_one, "reassembly.renumbered",
	 .help = "Times the peer began its numbers anew."},
	{"bundle_reassembly_longest_wait_seconds", put_one, "reassembly.longest_wait_ms", MS,
	 .help = "For a fragment that came."},
	{0},
};

static const struct family line_families[] = {
	{"line_info", put_info, .words = line_info,
	 .help = "What it speaks, and what the modem said when it connected."},
	{"line_state", put_states, "state", .label = "state", .words = line_states,
	 .help = "1 for the state that it is in."},
	{"line_state_seconds", put_one, "since_s", .help = "How long it has been in its state."},
	{"line_up", put_one, "up", .help = "Whether it carries packets."},
	{"line_enabled", put_one, "enabled",
	 .help = "Whether it may come up without being told."},
	{"line_given_bits_per_second", put_one, "bps.given",
	 .help = "What it carries by the user, or the modem's CONNECT."},
	{"line_bits_per_second", put_one, "bps.now",
	 .help = "Its share of the bundle: as measured, else as given; 0 while it is not up."},
	{"line_measured_bits_per_second", put_one, "bps.measured",
	 .help = "What it was measured to carry."},
	{"line_port_bits_per_second", put_one, "baud",
	 .help = "The speed of the port; 0: it is left as it is."},
	{"line_signal", put_members, "modem_lines", .label = "signal",
	 .help = "The port's modem lines: 1 for those that are set."},
	{"line_modem_state", put_states, "modem.state", .label = "state", .words = modem_states,
	 .help = "1 for the state that its modem is in."},
	{"line_modem_failures", put_one, "modem.failures",
	 .help = "Attempts in a row that came to nothing."},
	{"line_calls_total", put_one, "modem.calls", .help = "Attempts to call."},
	{"line_redials_total", put_one, "redials", .help = "Calls after the first."},
	{"line_bytes_total", DIRECTIONS("out.bytes", "in.bytes"),
	 .help = "Characters on the wire, framing and escapes included."},
	{"line_packets_total", DIRECTIONS("out.packets", "in.packets"),
	 .help = "Packets that it carried."},
	{"line_call_bytes", DIRECTIONS("out.call_bytes", "in.call_bytes"),
	 .help = "Characters on the wire since it last came up."},
	{"line_busy_ratio", DIRECTIONS("busy", "busy_in"),
	 .help = "Of the last 2 s, how much its wire was in use."},
	{"line_heard_age_seconds", put_one, "heard_s", .help = "Since anything was received."},
	{"line_queue_bytes", put_one, "queue.bytes",
	 .help = "Characters handed over that have not left the wire yet."},
	{"line_queue_seconds", put_one, "queue.time_ms", MS, .help = "What they take at its rate."},
	{"line_rtt_seconds", put_one, "rtt_ms.smoothed", MS,
	 .help = "Round trips of PPP's echoes, smoothed."},
	{"line_rtt_min_seconds", put_one, "rtt_ms.least", MS, .help = "The shortest of them."},
	{"line_rtt_max_seconds", put_one, "rtt_ms.most", MS, .help = "The longest of them."},
	{"line_loss_ratio", DIRECTIONS("loss.out", "loss.in"),
	 .help = "Of packets, by PPP's quality reports."},
	{"line_errors_total", put_members, "errors", .label = "kind",
	 .help = "What arrived and could not be used."},
	{"line_cut_frames_total", put_one, "cut_frames",
	 .help = "Frames cut short since the line left."},
	{"line_sent_again_packets_total", put_one, "sent_again",
	 .help = "Packets whose fate was not known when it left, sent over another line."},
	{"line_downs_total", put_one, "downs", .help = "Times it left up."},
	{"line_openings_total", put_one, "openings", .help = "Times its port was opened."},
	{0},
};
/* clang-format on */

/* Several programs may be read into one place: they differ by pid, their bundles by name. */
static const struct subject subjects[] = {
	{"program", {{"pid", "pid"}}, program_families},
	{"bundles", {{"bundle", "name"}}, bundle_families},
	{"lines", {{"bundle", "bundle"}, {"line", "name"}, {"device", "device"}}, line_families},
};

static void put_family(struct writer *w, const json_t *objects)
{
	size_t i;
	json_t *object;

	if (json_is_object(objects))
		w->family->put(w, objects);
	json_array_foreach(objects, i, object)
	{
		w->family->put(w, object);
	}
}

void metrics_text(const json_t *status, FILE *to)
{
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		const struct subject *s = &subjects[i];

		for (const struct family *f = s->families; f->name; f++) {
			struct writer w = {.to = to, .subject = s, .family = f};

			put_family(&w, json_object_get(status, s->member));
		}
	}
}
