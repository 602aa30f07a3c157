/* SPDX-License-Identifier: MIT */
/*
 * How it goes, as JSON.
 *
 * Every object is one json_pack of what stands in the schema, in its order. json_pack
 * takes the values that it is given over, and is NULL when one of them is: so nothing is checked
 * on the way, and the end tells whether all was well.
 */
#define _DEFAULT_SOURCE
#include "src/status_json.h"

#include "src/port.h"
#include "src/status_json_mode.h"
#include "src/text.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const drop_keys[REPORT_DROPS] = {
	[REPORT_DROP_CODEL] = "codel",     [REPORT_DROP_FULL] = "queue_full",
	[REPORT_DROP_NO_LINE] = "no_line", [REPORT_DROP_NO_BUFFER] = "no_buffer",
	[REPORT_DROP_NOT_IP] = "not_ip",   [REPORT_DROP_NO_PROTOCOL] = "no_protocol",
	[REPORT_DROP_REFUSED] = "refused",
};

static const char *const error_keys[REPORT_ERRORS] = {
	[REPORT_BAD_FRAMING] = "bad_framing", [REPORT_BAD_FCS] = "bad_fcs",
	[REPORT_TOO_LONG] = "too_long",       [REPORT_NOT_IP] = "not_ip",
	[REPORT_BAD_LENGTH] = "bad_length",   [REPORT_BAD_CHECKSUM] = "bad_checksum",
	[REPORT_COMPRESSED] = "compressed",   [REPORT_UNKNOWN] = "unknown_protocol",
	[REPORT_OVERRUN] = "uart_overruns",   [REPORT_UART_FRAMING] = "uart_framing",
	[REPORT_UART_PARITY] = "uart_parity", [REPORT_BREAK] = "breaks",
};

/* --- values --- */

static json_int_t number(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (json_int_t)n;
}

double status_json_rounded(double value)
{
	return round(value * 1000) / 1000;
}

static double seconds(sb_time t)
{
	return status_json_rounded((double)t / SB_SEC);
}

double status_json_ms(sb_time t)
{
	return status_json_rounded((double)t / SB_MS);
}

static double share(double part)
{
	return status_json_rounded(fmin(fmax(part, 0), 1));
}

json_t *status_json_text(const char *text)
{
	char copy[512];

	if (!text || !*text)
		return json_null();
	snprintf(copy, sizeof(copy), "%s", text);
	text_clean(copy);
	return json_string(copy);
}

json_t *status_json_time(int64_t wall_ms)
{
	time_t s = wall_ms / 1000;
	char day[32], text[48];
	struct tm tm;

	if (!gmtime_r(&s, &tm) || !strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm))
		return json_null();
	snprintf(text, sizeof(text), "%s.%03dZ", day, (int)(wall_ms % 1000));
	return json_string(text);
}

static json_t *counts(const uint64_t values[], const char *const keys[], size_t n)
{
	json_t *object = json_object();

	for (size_t i = 0; i < n; i++)
		json_object_set_new(object, keys[i], json_integer(number(values[i])));
	if (json_object_size(object) == n)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *traffic(uint64_t packets, const struct meter_rates *r)
{
	return json_pack("{s:I, s:I, s:f, s:f, s:f, s:f, s:f}", "packets", number(packets), "bytes",
			 number(r->total), "rate_2s", status_json_rounded(r->over_2s), "rate_10s",
			 status_json_rounded(r->over_10s), "rate_40s",
			 status_json_rounded(r->over_40s), "rate_peak",
			 status_json_rounded(r->peak), "rate_mean", status_json_rounded(r->mean));
}

static json_t *line_traffic(const struct report_flow *f)
{
	json_t *object = traffic(f->packets, &f->rates);

	json_object_set_new(object, "call_bytes", json_integer(number(f->call_bytes)));
	return object;
}

/* --- a line --- */

static json_t *line_bps(const struct report_line *l)
{
	return json_pack("{s:i, s:f, s:o}", "given", (int)l->bps, "now",
			 status_json_rounded(l->bps_now), "measured",
			 l->measured_bps > 0 ? json_real(status_json_rounded(l->measured_bps))
					     : json_null());
}

static json_t *modem_lines(int set)
{
	if (set < 0)
		return json_null();
	return json_pack("{s:b, s:b, s:b, s:b}", "cts", set & PORT_CTS, "dsr", set & PORT_DSR, "ri",
			 set & PORT_RI, "dcd", set & PORT_DCD);
}

static json_t *modem(const struct report_line *l)
{
	if (!l->modem)
		return json_null();
	return json_pack("{s:s, s:i, s:i}", "state", l->modem, "failures", (int)l->failures,
			 "calls", (int)l->calls);
}

static json_t *round_trips(const struct report_line *l)
{
	if (!l->rtt_most)
		return json_null();
	return json_pack("{s:f, s:f, s:f}", "least", status_json_ms(l->rtt_least), "smoothed",
			 status_json_ms(l->rtt_smoothed), "most", status_json_ms(l->rtt_most));
}

static json_t *loss(const struct report_line *l)
{
	if (l->loss_out < 0 || l->loss_in < 0)
		return json_null();
	return json_pack("{s:f, s:f}", "out", share(l->loss_out), "in", share(l->loss_in));
}

/* A line that is kept down is not one that is about to be tried again. */
static const char *state(const struct report_line *l)
{
	return !l->enabled && strcmp(l->state, "down") == 0 ? "disabled" : l->state;
}

static json_t *line_state(const struct report_line *l)
{
	return json_pack("{s:o, s:o, s:o, s:s, s:s, s:b, s:b, s:f, s:o, s:o, s:i, s:o, s:o, s:o}",
			 "name", status_json_text(l->name), "device", status_json_text(l->device),
			 "bundle", status_json_text(l->bundle), "encapsulation", l->encapsulation,
			 "state", state(l), "up", l->up, "enabled", l->enabled, "since_s",
			 seconds(l->since), "reason", status_json_text(l->reason), "bps",
			 line_bps(l), "baud", (int)l->baud, "connect", status_json_text(l->connect),
			 "modem_lines", modem_lines(l->modem_lines), "modem", modem(l));
}

static json_t *heard(const struct report_line *l)
{
	return l->heard < 0 ? json_null() : json_real(seconds(l->heard));
}

static json_t *line_figures(const struct report_line *l)
{
	return json_pack("{s:o, s:o, s:f, s:f, s:o, s:{s:I, s:f}, s:o, s:o, s:o, s:I, s:I, s:I, "
			 "s:I, s:I, s:o}",
			 "out", line_traffic(&l->out), "in", line_traffic(&l->in), "busy",
			 share(l->busy_out), "busy_in", share(l->busy_in), "heard_s", heard(l),
			 "queue", "bytes", number(l->waiting), "time_ms",
			 status_json_ms(l->waiting_time), "rtt_ms", round_trips(l), "loss", loss(l),
			 "errors", counts(l->errors, error_keys, REPORT_ERRORS), "cut_frames",
			 number(l->cut), "sent_again", number(l->sent_again), "downs",
			 number(l->downs), "openings", number(l->openings), "redials",
			 number(l->calls ? l->calls - 1 : 0), "member",
			 status_json_member(&l->member));
}

static json_t *line(const struct report_line *l)
{
	json_t *object = line_state(l), *figures = line_figures(l);
	bool whole = object && figures && json_object_update(object, figures) == 0;

	json_decref(figures);
	if (whole)
		return object;
	json_decref(object);
	return NULL;
}

/* --- a bundle --- */

static json_t *address_text(int family, const void *at)
{
	char text[INET6_ADDRSTRLEN];

	return json_string(inet_ntop(family, at, text, sizeof(text)));
}

static const char *family_name(int family)
{
	return family == AF_INET ? "inet" : "inet6";
}

static json_t *address(const struct netif_address *a)
{
	return json_pack("{s:s, s:o, s:o, s:i}", "family", family_name(a->family), "local",
			 address_text(a->family, &a->local), "peer",
			 a->has_peer ? address_text(a->family, &a->peer) : json_null(), "prefix",
			 a->prefix);
}

/* Appends; an array that lacks one is none. */
static bool append(json_t *array, json_t *value)
{
	return json_array_append_new(array, value) == 0;
}

static json_t *addresses(const struct report *r)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < r->address_count; i++) {
		if (append(array, address(&r->addresses[i])))
			continue;
		json_decref(array);
		return NULL;
	}
	return array;
}

static json_t *flow(const struct flow_pair *f)
{
	int family = f->version == 4 ? AF_INET : AF_INET6;

	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "family", family_name(family), "local",
			 address_text(family, f->local), "remote", address_text(family, f->remote),
			 "out", traffic(f->packets_out, &f->out), "in",
			 traffic(f->packets_in, &f->in));
}

static json_t *flows_array(const struct flow_pair flows[], unsigned n)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < n; i++) {
		if (append(array, flow(&flows[i])))
			continue;
		json_decref(array);
		return NULL;
	}
	return array;
}

double status_json_bps(const struct report *r)
{
	double sum = 0;

	for (unsigned i = 0; r->up && i < r->line_count; i++)
		sum += r->lines[i].bps_now;
	return status_json_rounded(sum);
}

static json_t *limit(const struct report *r)
{
	return json_pack("{s:s, s:s}", "by", verdict_word(r->verdict.limit), "why", r->verdict.why);
}

static json_t *tier(enum tier i, const struct tier_counters *c)
{
	const struct fq_codel_counters *q = &c->queue;

	return json_pack(
		"{s:s, s:I, s:f, s:f, s:{s:f, s:f, s:f}, s:{s:I, s:I}, s:I, s:I, s:{s:I, s:I, s:I},"
		" s:I, s:{s:I, s:I}, s:I, s:I, s:I, s:I, s:I}",
		"name", tier_name(i), "guaranteed", number(c->thresh), "target_ms",
		status_json_ms(c->target), "interval_ms", status_json_ms(c->interval), "delay_ms",
		"peak", status_json_ms(c->peak_delay), "average", status_json_ms(c->average_delay),
		"base", status_json_ms(c->base_delay), "queue", "bytes", number(c->backlog_bytes),
		"packets", number(c->backlog_packets), "packets", number(q->dequeued_packets),
		"bytes", number(q->dequeued_bytes), "drops", "codel", number(q->codel_drops),
		"queue_full", number(q->overlimit_drops), "no_line", number(q->expired_drops),
		"ecn_marks", number(q->ecn_marks), "flows", "sparse", number(c->sparse_flows),
		"bulk", number(c->bulk_flows), "way_hits", number(q->way_hits), "way_misses",
		number(q->way_misses), "collisions", number(q->collisions), "max_packet",
		number(c->max_packet), "quantum", number(c->quantum));
}

json_t *status_json_tiers(const struct report *r)
{
	json_t *array = json_array();

	for (enum tier i = 0; i < TIERS; i++)
		json_array_append_new(array, tier(i, &r->tiers[i]));
	if (json_array_size(array) == TIERS)
		return array;
	json_decref(array);
	return NULL;
}

static json_t *vendor(const struct report_vendor *v)
{
	return json_pack("{s:b, s:o, s:o, s:I, s:I, s:I, s:I, s:I}", "up", v->up, "peer_mode",
			 status_json_text(v->peer_mode), "peer_xmit_hash",
			 status_json_text(v->peer_hash), "out", number(v->out), "in", number(v->in),
			 "bad", number(v->bad), "notices_out", number(v->notices_out), "notices_in",
			 number(v->notices_in));
}

static json_t *reassembly(const struct report *r)
{
	const struct reassembly_counters *c = &r->reassembly;

	if (!r->reassembles)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}",
			 "fragments", number(c->fragments), "nulls", number(c->nulls), "packets",
			 number(c->packets), "lost", number(c->lost), "lost_by_time",
			 number(c->lost_by_time), "late", number(c->late), "broken",
			 number(c->broken), "too_long", number(c->too_long), "bad_headers",
			 number(c->bad_headers), "overflows", number(c->overflows), "astray",
			 number(c->astray), "renumbered", number(c->renumbered), "longest_wait_ms",
			 status_json_ms(c->longest_wait));
}

static json_t *bundle(const struct report *r, const struct flow_pair flows[], unsigned n)
{
	return json_pack(
		"{s:o, s:b, s:f, s:i, s:o, s:o, s:i, s:i, s:f, s:o, s:o,"
		" s:{s:I, s:I, s:f}, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o}",
		"name", status_json_text(r->ifname), "up", r->up, "uptime_s", seconds(r->uptime),
		"mtu", (int)r->mtu, "addresses", addresses(r), "peer", status_json_text(r->peer),
		"lines", (int)r->line_count, "lines_up", (int)r->lines_up, "bps",
		status_json_bps(r), "out", traffic(r->out.packets, &r->out.rates), "in",
		traffic(r->in.packets, &r->in.rates), "queue", "bytes", number(r->queue_bytes),
		"packets", number(r->queue_packets), "age_ms", status_json_ms(r->queue_age),
		"drops", counts(r->drops, drop_keys, REPORT_DROPS), "ecn_marks",
		number(r->ecn_marks), "tiers", status_json_tiers(r), "limit", limit(r), "flows",
		flows_array(flows, n), "vendor", vendor(&r->vendor), "mode",
		status_json_mode(&r->mode), "reassembly", reassembly(r));
}

/* --- all --- */

json_t *status_json(const struct status_program *p)
{
	return json_pack("{s:i, s:o, s:{s:s, s:s, s:i, s:f, s:b}, s:[], s:[]}", "version",
			 STATUS_JSON_VERSION, "time", status_json_time(p->wall_ms), "program",
			 "name", "serialbundle", "version", p->version, "pid", p->pid, "uptime_s",
			 seconds(p->uptime), "answers", p->answers, "bundles", "lines");
}

bool status_json_add(json_t *document, const struct report *r, const struct flow_pair flows[],
		     unsigned flow_count)
{
	json_t *lines = json_object_get(document, "lines");

	if (r->ifname[0] &&
	    !append(json_object_get(document, "bundles"), bundle(r, flows, flow_count)))
		return false;
	for (unsigned i = 0; i < r->line_count; i++)
		if (!append(lines, line(&r->lines[i])))
			return false;
	return true;
}
