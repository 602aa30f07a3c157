/* SPDX-License-Identifier: MIT */
/*
 * The queue's delays.
 *
 * CoDel's 5 ms are meant for lines on which a packet takes microseconds. Let T
 * be the time of one full frame of L characters over all n lines together, R
 * characters per second. A TCP sender keeps at least a few packets in flight,
 * and with fewer than three in the queue there is nothing to be gained by
 * dropping: the target must be some T. With many lines it must be more of them: a
 * frame takes nT on its own line, so that is the least round trip, and a sender
 * that gives way by three tenths needs about half of it in the queue to keep the
 * lines busy until it has caught up. The time for which a packet may be held
 * back for a line that is slow to get it there adds to every packet's wait,
 *
 *   H = L (1/r_min - 1/r_max) + Q,
 *
 * where r_min and r_max are the slowest and the fastest line and Q the lead
 * that keeps a line busy, max(64 characters, 3 ms). On average half of it is
 * used. So
 *
 *   target = max(3, 2 + n/2) T + H/2, at least RFC 8289's 5 ms,
 *   interval = 2 target, at least its 100 ms
 *
 * RFC 8289 wants the interval to be a worst-case round-trip time and the target
 * 5 to 10 % of it; a round trip here is made of the same T, so the two grow
 * together and the ratio is given up.
 *
 * TCP's timeout. Linux waits no less than 200 ms beyond the smoothed round trip
 * (RFC 6298 would have it a second). A first flight of ten segments sees a
 * handshake of some milliseconds and then round trips of T, 2T, 3T...; the
 * smoothed one lags behind by more than its variance makes good, and segments
 * that only wait here are sent again. In the worst place, the second
 * segment, the lag is 2T - T/8; with H for a line that takes its time,
 *
 *   min_rto = 4 T + H
 *
 * is safe. On lines where that is below 200 ms nothing needs to be said.
 */
#include "src/plan.h"

static const sb_time target_min = 5 * SB_MS;
static const sb_time interval_min = 100 * SB_MS;
static const sb_time min_rto_min = 200 * SB_MS; /* Linux's own */
static const double lead_chars = 64, lead_s = 0.003;
static const double slowest = 5; /* characters per second: 50 bps */

struct plan_queue plan_queue(size_t frame, const double chars_per_sec[], unsigned n)
{
	double sum = n ? 0 : slowest;
	double r_min = n ? chars_per_sec[0] : slowest, r_max = r_min;
	for (unsigned i = 0; i < n; i++) {
		double r = chars_per_sec[i];
		sum += r;
		r_min = r < r_min ? r : r_min;
		r_max = r > r_max ? r : r_max;
	}
	double length = (double)frame;
	double lead = lead_chars / r_min > lead_s ? lead_chars / r_min : lead_s;
	double held_back = length * (1 / r_min - 1 / r_max) + lead;
	double turns = n > 2 ? 2 + n / 2.0 : 3;
	double target_s = turns * length / sum + held_back / 2;
	double min_rto_s = 4 * length / sum + held_back;
	sb_time target = sb_time_max((sb_time)(target_s * (double)SB_SEC), target_min);
	return (struct plan_queue){
		.target = target,
		.interval = sb_time_max(2 * target, interval_min),
		.min_rto = sb_time_max((sb_time)(min_rto_s * (double)SB_SEC), min_rto_min),
	};
}
