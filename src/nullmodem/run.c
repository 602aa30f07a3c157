/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of runs. The largest product is characters * bits * 10^9: with
 * 10^9 characters a second, 12 bits and 2^24 characters waiting, 1.23 * 10^19,
 * below 2^64.
 */
#include "src/nullmodem/run.h"

static uint64_t ns_per_char_times_bps(const struct run *r)
{
	return r->bits * (uint64_t)SB_SEC;
}

sb_time run_time(const struct run *r, uint64_t n)
{
	if (r->bps == 0)
		return 0;
	return (sb_time)((n * ns_per_char_times_bps(r) + r->bps - 1) / r->bps);
}

sb_time run_end(const struct run *r)
{
	return r->start + run_time(r, r->count);
}

uint64_t run_left(const struct run *r, sb_time t)
{
	if (t >= run_end(r))
		return r->count;
	if (t < r->start)
		return 0;
	return (uint64_t)(t - r->start) * r->bps / ns_per_char_times_bps(r);
}

uint64_t run_begun(const struct run *r, sb_time t)
{
	uint64_t left = run_left(r, t);
	return t >= r->start && left < r->count ? left + 1 : left;
}

sb_time run_last_end(const struct run *r, sb_time t)
{
	return r->start + run_time(r, run_left(r, t));
}

sb_time run_arrival(const struct run *r)
{
	return r->start + run_time(r, r->taken + 1) + r->delay;
}

uint64_t run_arrived(const struct run *r, sb_time t)
{
	return run_left(r, t - r->delay) - r->taken;
}

sb_time run_rebase(struct run *r)
{
	uint64_t cycles = r->bps > 0 ? r->taken / r->bps : 0;
	sb_time passed = (sb_time)cycles * r->bits * SB_SEC;
	r->start += passed;
	r->count -= cycles * r->bps;
	r->taken -= cycles * r->bps;
	return passed;
}
