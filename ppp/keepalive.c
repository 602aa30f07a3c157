/* SPDX-License-Identifier: MIT */
/*
 * Silence, and how soon it is one.
 *
 * Terms. r: the line's characters per second. F: the time of the longest frame. A
 * request and its answer are ECHO_CHARS each.
 *
 * When to ask. Every interval, traffic or not: the answer measures the round trip,
 * and shows that what comes back is not our own (RFC 1661 section 6.4). Sooner when
 * packets were given to the line and for QUIET nothing came of it, but not so
 * often that requests take more than RELIED_SHARE of the line; on a line that went
 * silent, which has nothing else to carry, RETURN_SHARE. With this a line at 38400
 * bit/s is asked every 0.8 s when all its traffic goes one way.
 *
 * How long to wait. What can delay an answer is on the way out the few characters
 * that the port holds (a request is counted as asked when it is given to the port,
 * and the line is never given more than a little ahead); then the line's delay;
 * then, on the way back, what the peer has in its queue. The last may take seconds,
 * but it can be heard: as long as characters come, the peer speaks, and the answer
 * may be behind them. So the clock runs from the last character, and
 *
 *	patience = max(LEAST_PATIENCE, smoothed + 4 variation) + SLACK_CHARS / r
 *
 * as RFC 6298 reckons it, over the round trips in which nothing else was heard. The
 * others tell of the peer's queue; they are upper bounds, and start the reckoning
 * anew when they are below it. Before anything is measured FIRST_PATIENCE is for
 * any line.
 *
 * Characters alone prove little: noise, a modem's words, our own echo. They count
 * for two longest frames (one under way, and one that was damaged), then a good
 * frame must have come.
 */
#include "ppp/keepalive.h"

#define QUIET          (300 * SB_MS)
#define LEAST_SPACING  (500 * SB_MS)
#define LEAST_PATIENCE (300 * SB_MS)
#define FIRST_PATIENCE (3 * SB_SEC) /* RFC 1661 section 4.6, Restart Timer */
#define LONG_AGO       0
#define LEAST_DOUBT    (100 * SB_MS) /* of the smoothed round trip */

static const double RELIED_SHARE = 0.005;
static const double RETURN_SHARE = 0.02;

enum {
	ECHO_CHARS = 16,   /* flags, header, code, identifier, length, magic number, FCS */
	SLACK_CHARS = 160, /* both ends' ports, the request and the answer */
};

static sb_time time_of(const struct keepalive *k, double chars)
{
	return (sb_time)(chars / k->config.chars_per_sec * (double)SB_SEC);
}

static sb_time frame_time(const struct keepalive *k)
{
	return time_of(k, k->config.frame_chars);
}

/* Traffic that goes on, one longest frame after the other, leaves no gap of this length. */
static sb_time pause_of(const struct keepalive *k)
{
	return 2 * frame_time(k);
}

void keepalive_start(struct keepalive *k, const struct keepalive_config *config, sb_time now)
{
	*k = (struct keepalive){
		.config = *config,
		.heard_at = now,
		.characters_at = now,
		.relied_at = LONG_AGO,
		.asked_at = SB_NEVER,
		.last_ask_at = now - config->interval, /* the first is due: to measure */
	};
}

void keepalive_set_rate(struct keepalive *k, double chars_per_sec)
{
	k->config.chars_per_sec = chars_per_sec;
}

/* --- what happened --- */

void keepalive_receiving(struct keepalive *k, sb_time now)
{
	k->characters_at = now;
}

void keepalive_heard(struct keepalive *k, sb_time now)
{
	k->heard_at = k->characters_at = now;
	k->asked_at = SB_NEVER;
	k->unanswered = 0;
	if (k->state == KEEPALIVE_SILENT)
		k->state = KEEPALIVE_ALIVE;
}

void keepalive_relied(struct keepalive *k, sb_time now)
{
	if (k->relied_at == LONG_AGO || now - k->relied_at > pause_of(k))
		k->relied_from = now;
	k->relied_at = now;
}

void keepalive_asked(struct keepalive *k, sb_time now)
{
	k->pending = false;
	k->last_ask_at = now;
	k->requests++;
	k->unanswered++;
	if (k->state == KEEPALIVE_ALIVE)
		k->asked_at = now;
}

/* RFC 6298 section 2 */
static void smooth(struct keepalive_rtt *rtt, sb_time sample, bool first)
{
	if (first) {
		rtt->smoothed = sample;
		rtt->variation = sample / 2;
		return;
	}
	sb_time off = sample > rtt->smoothed ? sample - rtt->smoothed : rtt->smoothed - sample;
	rtt->variation += (off - rtt->variation) / 4;
	rtt->smoothed += (sample - rtt->smoothed) / 8;
}

void keepalive_replied(struct keepalive *k, sb_time now, sb_time asked_at)
{
	struct keepalive_rtt *rtt = &k->rtt;
	sb_time sample = now - asked_at;

	k->replies++;
	rtt->last = sample;
	rtt->least = rtt->count ? sb_time_min(rtt->least, sample) : sample;
	rtt->most = sb_time_max(rtt->most, sample);
	rtt->count++;
	bool disturbed = k->heard_at > asked_at;
	if (disturbed && k->measured && sample >= rtt->smoothed)
		return;
	smooth(rtt, sample, disturbed || !k->measured);
	k->measured = true;
}

/* --- what is due --- */

/* Characters since `from`, as far as they can be believed without a good frame. */
static sb_time last_sign(const struct keepalive *k, sb_time from)
{
	sb_time believed = from + 2 * frame_time(k);
	return sb_time_max(from, sb_time_min(k->characters_at, believed));
}

static sb_time patience(const struct keepalive *k)
{
	const struct keepalive_rtt *rtt = &k->rtt;
	sb_time round_trip = k->measured
				     ? rtt->smoothed + sb_time_max(4 * rtt->variation, LEAST_DOUBT)
				     : FIRST_PATIENCE;

	return sb_time_max(LEAST_PATIENCE, round_trip) + time_of(k, SLACK_CHARS);
}

static sb_time spacing(const struct keepalive *k, double share)
{
	return sb_time_max(LEAST_SPACING, time_of(k, ECHO_CHARS / share));
}

/* What was given to the line is not sure to have gone through yet. */
static bool is_relied_on(const struct keepalive *k)
{
	return k->relied_at != LONG_AGO && k->relied_at + pause_of(k) >= k->heard_at;
}

static sb_time next_ask(const struct keepalive *k)
{
	if (k->pending || k->config.interval == 0)
		return SB_NEVER;
	if (k->state == KEEPALIVE_SILENT)
		return k->last_ask_at + spacing(k, RETURN_SHARE);
	if (k->asked_at != SB_NEVER)
		return SB_NEVER;

	sb_time regular = k->last_ask_at + k->config.interval;
	if (!is_relied_on(k))
		return regular;
	sb_time quiet = sb_time_max(k->relied_from, last_sign(k, k->heard_at)) + QUIET;
	sb_time relied = sb_time_max(quiet, k->last_ask_at + spacing(k, RELIED_SHARE));
	return sb_time_min(regular, relied);
}

/* When the state changes if nothing is heard. */
static sb_time next_change(const struct keepalive *k)
{
	if (k->state == KEEPALIVE_SILENT)
		return k->config.max_silent
			       ? k->heard_at + k->config.max_silent * k->config.interval
			       : SB_NEVER;
	if (k->state == KEEPALIVE_LOST || k->asked_at == SB_NEVER)
		return SB_NEVER;
	return last_sign(k, k->asked_at) + patience(k);
}

sb_time keepalive_deadline(const struct keepalive *k)
{
	if (k->state == KEEPALIVE_LOST)
		return SB_NEVER;
	return sb_time_min(next_ask(k), next_change(k));
}

bool keepalive_tick(struct keepalive *k, sb_time now)
{
	while (now >= next_change(k)) {
		k->state = k->state == KEEPALIVE_ALIVE ? KEEPALIVE_SILENT : KEEPALIVE_LOST;
		k->asked_at = SB_NEVER;
	}
	if (k->state == KEEPALIVE_LOST || now < next_ask(k))
		return false;
	k->pending = true;
	return true;
}
