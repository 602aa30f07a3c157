/* SPDX-License-Identifier: MIT */
/* What happened, as a line of JSON for those who monitor. */
#define _DEFAULT_SOURCE
#include "src/control_commands.h"
#include "src/status_json.h"

#include <arpa/inet.h>
#include <math.h>

static const char *kind_name(enum exchange_event_kind kind)
{
	switch (kind) {
	case EXCHANGE_LINE_ADDED:
		return "line-added";
	case EXCHANGE_LINE_REMOVED:
		return "line-removed";
	case EXCHANGE_LINE_STATE:
		return "line-state";
	case EXCHANGE_LINE_SAID:
		return "line-said";
	case EXCHANGE_LINE_UP:
		return "line-up";
	case EXCHANGE_LINE_DOWN:
		return "line-down";
	case EXCHANGE_BUNDLE_MADE:
		return "bundle-made";
	case EXCHANGE_BUNDLE_UP:
		return "bundle-up";
	case EXCHANGE_BUNDLE_DOWN:
		return "bundle-down";
	case EXCHANGE_BUNDLE_CLOSED:
		return "bundle-closed";
	case EXCHANGE_RECONFIGURED:
		return "reconfigured";
	}
	return "unknown";
}

static json_t *ipv4(uint32_t host_order)
{
	struct in_addr a = {.s_addr = htonl(host_order)};
	char text[INET_ADDRSTRLEN];

	if (!host_order)
		return json_null();
	return json_string(inet_ntop(AF_INET, &a, text, sizeof(text)));
}

json_t *control_event_json(const struct exchange_event *e, int64_t wall_ms)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:i, s:f, s:I, s:I, s:o, s:o, s:o, s:o}",
			 "event", kind_name(e->kind), "time", status_json_time(wall_ms), "bundle",
			 status_json_text(e->ifname), "line", status_json_text(e->line_name),
			 "device", status_json_text(e->device), "state", status_json_text(e->state),
			 "bps", (int)e->bps, "seconds", round(e->seconds * 1000) / 1000,
			 "bytes_out", (json_int_t)e->bytes_out, "bytes_in", (json_int_t)e->bytes_in,
			 "local", ipv4(e->local), "remote", ipv4(e->remote), "peer",
			 status_json_text(e->peer_name), "text", status_json_text(e->text));
}
