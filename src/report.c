/* SPDX-License-Identifier: MIT */
/*
 * How it goes, as text.
 *
 * The summary is one table: a row for each direction of each line, and of the
 * bundle at its end, in columns of fixed width that add up to less than 80.
 * Below a line's two rows stands, in words, what is only said when there is
 * something to say: errors, times down. Names are as long as the user made
 * them; one that does not fit into its column has a row for itself.
 */
#include "src/report.h"

#include "src/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
	PAGE_WIDTH = 80,
	NAME_WIDTH = 8,
	/* state 10, bps 7, measured 8, share 5, and a space behind each */
	LINE_WIDTH = 11 + 8 + 9 + 6,
};

static const char *const error_words[REPORT_ERRORS] = {
	[REPORT_BAD_FRAMING] = "bad framing", [REPORT_BAD_FCS] = "bad FCS",
	[REPORT_TOO_LONG] = "too long",       [REPORT_NOT_IP] = "not IP",
	[REPORT_BAD_LENGTH] = "bad length",   [REPORT_BAD_CHECKSUM] = "bad checksum",
	[REPORT_COMPRESSED] = "compressed",   [REPORT_UNKNOWN] = "unknown protocol",
	[REPORT_OVERRUN] = "UART overruns",   [REPORT_UART_FRAMING] = "UART framing",
	[REPORT_UART_PARITY] = "UART parity", [REPORT_BREAK] = "breaks",
};

static const char *const drop_words[REPORT_DROPS] = {
	[REPORT_DROP_CODEL] = "CoDel",
	[REPORT_DROP_FULL] = "queue full",
	[REPORT_DROP_NO_LINE] = "no line in time",
	[REPORT_DROP_NO_BUFFER] = "no buffer",
	[REPORT_DROP_NOT_IP] = "not IP",
	[REPORT_DROP_NO_PROTOCOL] = "not agreed with the peer",
	[REPORT_DROP_REFUSED] = "refused by the kernel",
};

enum piece { LOST, LOST_BY_TIME, LATE, BROKEN, TOO_LONG, BAD_HEADERS, OVERFLOWS, PIECES };

static const char *const piece_words[PIECES] = {
	[LOST] = "lost",
	[LOST_BY_TIME] = "by time",
	[LATE] = "late",
	[BROKEN] = "packets broken",
	[TOO_LONG] = "packets too long",
	[BAD_HEADERS] = "bad headers",
	[OVERFLOWS] = "window full",
};

/* Text being put together; what does not fit is left out. */
struct page {
	char *at;
	size_t length, size;
};

__attribute__((format(printf, 2, 3))) static void put(struct page *p, const char *format, ...)
{
	if (p->length + 1 >= p->size)
		return;
	size_t room = p->size - p->length;
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(p->at + p->length, room, format, arguments);
	va_end(arguments);
	if (n > 0)
		p->length += (size_t)n < room ? (size_t)n : room - 1;
}

static struct page page_over(char *to, size_t size)
{
	if (size)
		*to = '\0';
	return (struct page){.at = to, .size = size};
}

/* Text from elsewhere, made printable; copied, since it is not ours. */
struct safe {
	char text[160];
};

static struct safe safe(const char *text)
{
	struct safe s;
	snprintf(s.text, sizeof(s.text), "%s", text ? text : "");
	text_clean(s.text);
	return s;
}

static struct safe rate(double bytes_per_s)
{
	struct safe s;
	char bytes[TEXT_UNIT_SIZE];
	snprintf(s.text, sizeof(s.text), "%s/s", text_bytes(bytes, (uint64_t)(bytes_per_s + 0.5)));
	return s;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static uint64_t sum_out(const struct report *r)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < r->line_count; i++)
		sum += r->lines[i].out.rates.total;
	return sum;
}

size_t report_status(const struct report *r, char *to, size_t size)
{
	struct page p = page_over(to, size);
	char queued[TEXT_UNIT_SIZE], age[TEXT_UNIT_SIZE];
	put(&p, "%s: %u/%u up, out %s, in %s, queue %s", safe(r->ifname).text, r->lines_up,
	    r->line_count, rate(r->out.rates.over_2s).text, rate(r->in.rates.over_2s).text,
	    text_bytes(queued, r->queue_bytes));
	if (r->queue_bytes)
		put(&p, " %s", text_time(age, r->queue_age));
	for (unsigned i = 0; i < r->line_count; i++) {
		const struct report_line *l = &r->lines[i];
		put(&p, "%s %s %s", i ? "," : " |", safe(l->name).text,
		    l->up ? rate(l->out.rates.over_2s).text : safe(l->state).text);
	}
	return p.length;
}

static void put_margin(struct page *p)
{
	put(p, "%*s", NAME_WIDTH + 1, "");
}

static size_t column(const struct page *p)
{
	size_t start = p->length;
	while (start && p->at[start - 1] != '\n')
		start--;
	return p->length - start;
}

/* "bad escapes 3, not IP 1": the counts that are not 0, in as many rows as it takes. */
static void put_counts(struct page *p, const uint64_t counts[], const char *const words[], size_t n)
{
	bool first = true;
	for (size_t i = 0; i < n; i++) {
		struct safe item;
		if (!counts[i])
			continue;
		int length = snprintf(item.text, sizeof(item.text), "%s %llu", words[i],
				      (unsigned long long)counts[i]);
		if (!first)
			put(p, ",");
		if (column(p) + 2 + (size_t)length >= PAGE_WIDTH) {
			put(p, "\n");
			put_margin(p);
		} else if (!first) {
			put(p, " ");
		}
		put(p, "%s", item.text);
		first = false;
	}
	put(p, first ? "none\n" : "\n");
}

static bool any(const uint64_t counts[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (counts[i])
			return true;
	}
	return false;
}

/* Whole bits per second; above any UART's, millions. */
static struct safe bps(double value)
{
	struct safe s;
	bool millions = value >= 1e7;
	snprintf(s.text, sizeof(s.text), millions ? "%.0fM" : "%.0f",
		 millions ? value / 1e6 : value);
	return s;
}

static void put_title(struct page *p)
{
	put(p, "%-*s %-10s %7s %8s %5s %3s %8s %7s %7s %7s\n", NAME_WIDTH, "line", "state", "bps",
	    "measured", "share", "", "packets", "bytes", "mean/s", "peak/s");
}

/* As a column; a long one for itself, above. */
static void put_name(struct page *p, const char *name)
{
	struct safe s = safe(name);
	if (strlen(s.text) > NAME_WIDTH) {
		put(p, "%s\n", s.text);
		s.text[0] = '\0';
	}
	put(p, "%-*s ", NAME_WIDTH, s.text);
}

/* The columns that both directions have, and the end of the row. */
static void put_flow(struct page *p, const char *direction, const struct report_flow *f)
{
	char total[TEXT_UNIT_SIZE], mean[TEXT_UNIT_SIZE], peak[TEXT_UNIT_SIZE];
	put(p, "%-3s %8llu %7s %7s %7s\n", direction, (unsigned long long)f->packets,
	    text_bytes(total, f->rates.total), text_bytes(mean, (uint64_t)(f->rates.mean + 0.5)),
	    text_bytes(peak, (uint64_t)(f->rates.peak + 0.5)));
}

static void put_in_row(struct page *p, const struct report_flow *in)
{
	put(p, "%*s", NAME_WIDTH + 1 + LINE_WIDTH, "");
	put_flow(p, "in", in);
}

static void put_errors(struct page *p, const struct report_line *l)
{
	if (!any(l->errors, REPORT_ERRORS))
		return;
	put_margin(p);
	put(p, "errors: ");
	put_counts(p, l->errors, error_words, REPORT_ERRORS);
}

static void put_echo(struct page *p, const struct report_line *l)
{
	char least[TEXT_UNIT_SIZE], smoothed[TEXT_UNIT_SIZE], most[TEXT_UNIT_SIZE];
	put(p, "echo %s, from %s to %s", text_time(smoothed, l->rtt_smoothed),
	    text_time(least, l->rtt_least), text_time(most, l->rtt_most));
}

/* What the link itself measured: round trips of its echoes, losses by quality reports. */
static void put_link(struct page *p, const struct report_line *l)
{
	bool knows_losses = l->loss_out >= 0 && l->loss_in >= 0;
	if (!l->rtt_most && !knows_losses)
		return;
	put_margin(p);
	if (l->rtt_most)
		put_echo(p, l);
	if (knows_losses)
		put(p, "%slost %.1f %% out, %.1f %% in", l->rtt_most ? "; " : "", 100 * l->loss_out,
		    100 * l->loss_in);
	put(p, "\n");
}

/* Of a line that was ever down: how often, why, and what passed since it last came up. */
static void put_life(struct page *p, const struct report_line *l)
{
	char since[TEXT_UNIT_SIZE], out[TEXT_UNIT_SIZE], in[TEXT_UNIT_SIZE];
	if (l->up && !l->downs)
		return;
	put_margin(p);
	put(p, "%s for %s; times down: %u", safe(l->state).text, text_time(since, l->since),
	    (unsigned)l->downs);
	if (l->reason && *l->reason)
		put(p, ", last: %s", safe(l->reason).text);
	put(p, "\n");
	put_margin(p);
	put(p, "%s call: out %s, in %s; frames cut short: %llu", l->up ? "this" : "last",
	    text_bytes(out, l->out.call_bytes), text_bytes(in, l->in.call_bytes),
	    (unsigned long long)l->cut);
	if (l->sent_again)
		put(p, ", sent again: %llu", (unsigned long long)l->sent_again);
	put(p, "\n");
}

static void put_line(struct page *p, const struct report_line *l, uint64_t all_out)
{
	put_name(p, l->name);
	put(p, "%-10s %7s %8s %3.0f %% ", safe(l->state).text, bps(l->bps).text,
	    l->measured_bps > 0 ? bps(l->measured_bps).text : "-",
	    share(l->out.rates.total, all_out));
	put_flow(p, "out", &l->out);
	put_in_row(p, &l->in);
	put_link(p, l);
	put_errors(p, l);
	put_life(p, l);
}

/* The row of all together: the rates of the lines that are up now. */
static void put_sum(struct page *p, const struct report *r)
{
	double given = 0, measured = 0;
	bool any_measured = false;
	for (unsigned i = 0; i < r->line_count; i++) {
		const struct report_line *l = &r->lines[i];
		if (!l->up)
			continue;
		given += l->bps;
		measured += l->measured_bps > 0 ? l->measured_bps : l->bps;
		any_measured |= l->measured_bps > 0;
	}
	put_name(p, r->ifname);
	put(p, "%-10s %7s %8s %5s ", "", bps(given).text, any_measured ? bps(measured).text : "-",
	    "");
	put_flow(p, "out", &r->out);
	put_in_row(p, &r->in);
}

static void put_recent(struct page *p, const char *direction, const struct meter_rates *m)
{
	put(p, "%-*s %s, %s, %s in the last 2, 10, 40 s\n", NAME_WIDTH, direction,
	    rate(m->over_2s).text, rate(m->over_10s).text, rate(m->over_40s).text);
}

/* Of packets over several links, once anything was lost. */
static void put_pieces(struct page *p, const struct reassembly_counters *c)
{
	const uint64_t counts[PIECES] = {
		[LOST] = c->lost,           [LOST_BY_TIME] = c->lost_by_time,
		[LATE] = c->late,           [BROKEN] = c->broken,
		[TOO_LONG] = c->too_long,   [BAD_HEADERS] = c->bad_headers,
		[OVERFLOWS] = c->overflows,
	};

	if (!c->lost && !c->broken && !c->too_long && !c->bad_headers)
		return;
	put(p, "pieces   ");
	put_counts(p, counts, piece_words, PIECES);
}

static void put_queue(struct page *p, const struct report *r)
{
	char bytes[TEXT_UNIT_SIZE], age[TEXT_UNIT_SIZE];
	put(p, "queue    %llu packets, %s, oldest %s; ECN marks: %llu\n",
	    (unsigned long long)r->queue_packets, text_bytes(bytes, r->queue_bytes),
	    text_time(age, r->queue_age), (unsigned long long)r->ecn_marks);
	put(p, "drops    ");
	put_counts(p, r->drops, drop_words, REPORT_DROPS);
	put_pieces(p, &r->reassembly);
	put(p, "limit    %s: %s\n", verdict_word(r->verdict.limit), safe(r->verdict.why).text);
}

size_t report_summary(const struct report *r, char *to, size_t size)
{
	struct page p = page_over(to, size);
	char uptime[TEXT_UNIT_SIZE];
	uint64_t all_out = sum_out(r);
	if (r->ifname[0])
		put(&p, "%s: running for %s, %u of %u lines up, limit: %s\n\n",
		    safe(r->ifname).text, text_time(uptime, r->uptime), r->lines_up, r->line_count,
		    verdict_word(r->verdict.limit));
	else
		put(&p, "lines without a bundle, after %s\n\n", text_time(uptime, r->uptime));
	put_title(&p);
	for (unsigned i = 0; i < r->line_count; i++)
		put_line(&p, &r->lines[i], all_out);
	if (!r->ifname[0])
		return p.length;
	put_sum(&p, r);
	put(&p, "\n");
	put_recent(&p, "out", &r->out.rates);
	put_recent(&p, "in", &r->in.rates);
	put_queue(&p, r);
	return p.length;
}
