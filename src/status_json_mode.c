/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/status_json_mode.h"

#include "src/status_json.h"

#include <arpa/inet.h>

static json_t *aggregator(unsigned number)
{
	return number == REPORT_NO_AGGREGATOR ? json_null() : json_integer(number);
}

static json_t *target(uint32_t address)
{
	struct in_addr a = {.s_addr = htonl(address)};
	char text[INET_ADDRSTRLEN];

	if (!address)
		return json_null();
	return json_string(inet_ntop(AF_INET, &a, text, sizeof(text)));
}

static json_t *probes(const struct report_mode *r)
{
	if (!r->probe_interval)
		return json_null();
	return json_pack("{s:f, s:o, s:i, s:s}", "interval_ms", status_json_ms(r->probe_interval),
			 "target", target(r->probe_target), "missed_max", (int)r->probe_missed_max,
			 "validate", r->probe_validate);
}

json_t *status_json_mode(const struct report_mode *r)
{
	if (!r->name)
		return json_null();
	return json_pack(
		"{s:s, s:s?, s:o, s:s, s:o, s:I, s:s, s:i, s:o, s:i, s:i, s:f, s:f, s:f, "
		"s:i, s:f, s:o, s:I, s:I, s:I}",
		"name", r->name, "hash", r->hash, "primary", status_json_text(r->primary),
		"primary_reselect", r->reselect, "active", status_json_text(r->active), "changes",
		(json_int_t)r->changes, "ad_select", r->ad_select, "min_links", (int)r->min_links,
		"aggregator", aggregator(r->aggregator), "aggregator_lines",
		(int)r->aggregator_lines, "aggregator_up", (int)r->aggregator_up, "miimon_ms",
		status_json_ms(r->miimon), "updelay_ms", status_json_ms(r->updelay), "downdelay_ms",
		status_json_ms(r->downdelay), "notices", (int)r->notices, "notice_delay_ms",
		status_json_ms(r->notice_delay), "probes", probes(r), "moves", (json_int_t)r->moves,
		"copies", (json_int_t)r->copies, "copies_dropped", (json_int_t)r->copies_dropped);
}

json_t *status_json_member(const struct report_member *r)
{
	if (!r->state)
		return json_null();
	return json_pack("{s:s, s:b, s:I, s:i, s:o, s:I, s:I}", "state", r->state, "used", r->used,
			 "failures", (json_int_t)r->failures, "prio", (int)r->prio, "aggregator",
			 aggregator(r->aggregator), "probes", (json_int_t)r->probes,
			 "probe_replies", (json_int_t)r->probe_replies);
}
