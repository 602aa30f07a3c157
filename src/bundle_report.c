/* SPDX-License-Identifier: MIT */
/* The bundle's state as a report. */
#define _DEFAULT_SOURCE
#include "src/bundle_state.h"

#include <assert.h>

static_assert((int)REPORT_ADDRESSES >= (int)INTERFACE_ADDRESSES, "all fit into a report");

static void report_drops(const struct bundle *b, uint64_t drops[REPORT_DROPS])
{
	const struct fq_codel_counters q = tiers_total(b->queue);

	drops[REPORT_DROP_CODEL] = q.codel_drops;
	drops[REPORT_DROP_FULL] = q.overlimit_drops;
	drops[REPORT_DROP_NO_LINE] = b->counters.no_line_drops;
	drops[REPORT_DROP_NO_BUFFER] = b->counters.no_buffer_drops;
	drops[REPORT_DROP_NOT_IP] = b->counters.not_ip_drops;
	drops[REPORT_DROP_NO_PROTOCOL] = b->counters.no_protocol_drops;
	drops[REPORT_DROP_REFUSED] = b->counters.refused_packets;
}

static struct report_flow flow(struct meter *m, sb_time now, uint64_t packets)
{
	struct report_flow f = {.packets = packets, .rates = meter_read(m, now)};

	f.call_bytes = f.rates.total;
	return f;
}

void bundle_report(struct bundle *b, sb_time now, struct report *r)
{
	sb_time oldest = bundle_oldest_arrival(b);

	*r = (struct report){
		.ifname = b->interface->tun.name,
		.uptime = now - b->start,
		.up = b->lines_up && (!b->links || bundle_network_is_up(b)),
		.mtu = b->mtu,
		.peer = b->peer_name,
		.lines_up = b->lines_up,
		.out = flow(&b->out, now, b->counters.packets_out),
		.in = flow(&b->in, now, b->counters.packets_in),
		.queue_bytes = bundle_waiting_bytes(b),
		.queue_packets = tiers_packets(b->queue) + spread_bound_packets(&b->spread),
		.queue_age = oldest == SB_NEVER ? 0 : now - oldest,
		.ecn_marks = tiers_total(b->queue).ecn_marks,
		.vendor = bundle_vendor_report(b),
		.mode = bundle_mode_report(b),
		.reassembles = b->reassembles,
		.reassembly = bundle_reassembly_counters(b),
	};
	for (enum tier i = 0; i < TIERS; i++)
		tiers_count(b->queue, i, &r->tiers[i]);
	r->address_count = interface_addresses(b->interface, r->addresses);
	report_drops(b, r->drops);
}
