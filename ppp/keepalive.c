/* SPDX-License-Identifier: MIT */
/*
 * Silence, and how soon it is one.
 *
 * Terms. r: the line's characters per second. F: the time of the longest frame. A
 * request and its answer are ECHO_CHARS each.
 *
 * When to ask. Every interval, traffic or not: the answer measures the round trip,
 * and shows that what comes back is not our own (RFC 1661 section 6.4). Sooner when
 * packets were given to the line and then it was quiet: for QUIET, which is a little
 * more than the pause that a peer of our kind leaves on a line in use; or, where
 * characters have come without a pause for a while, for STREAM_QUIET. Peers of other
 * kinds have nothing to say on a line whose traffic all goes one way. So requests are
 * paid for: each costs the time in which it is RELIED_SHARE of the line, and no more
 * than BURST of them are ahead of their time. A line at 38400 bit/s is asked every
 * 0.8 s when it says nothing by itself, and at once when it falls quiet after a time
 * in which it spoke. On a line that is out of use, and has nothing else to carry,
 * requests may take RETURN_SHARE.
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
 * A request that cannot leave, because the port takes nothing, is no reason to wait: if
 * nothing is heard either, the line is dead both ways.
 *
 * Characters alone prove little: noise, a modem's words, our own echo. They count
 * for two longest frames (one under way, and one that was damaged), then a good
 * frame must have come.
 *
 * One way. All this is about what we hear. Whether we are heard the peer tells, if it
 * is of our kind, as soon as it hears nothing. A line keeps the order of what it
 * carries, so a reply that comes after such words was sent after them, by a peer that
 * hears again. Of other peers we know by replies alone. With all that their ports
 * may hold (HELD_CHARS), and the next frame, these may come late, so there is time for
 * them, no less than LEAST_REPLY_TIME; and two in a row have to be missing, since one
 * can be damaged. A peer that never replied at all is not judged by it.
 */
#include "ppp/keepalive.h"

#define QUIET            (340 * SB_MS)
#define STREAM           SB_SEC /* as long as this without a pause */
#define STREAM_QUIET     (150 * SB_MS)
#define LEAST_SPACING    (300 * SB_MS)
#define RETURN_SPACING   (500 * SB_MS)
#define LEAST_PATIENCE   (200 * SB_MS)
#define FIRST_PATIENCE   (3 * SB_SEC) /* RFC 1661 section 4.6, Restart Timer */
#define LEAST_REPLY_TIME (6 * SB_SEC)
#define LONG_AGO         0
#define LEAST_DOUBT      (100 * SB_MS)  /* of the smoothed round trip */
#define MOST_SINCE       (2500 * SB_MS) /* what was sent before is of no use any more */

static const double RELIED_SHARE = 0.005;
static const double RETURN_SHARE = 0.02;

enum {
	ECHO_CHARS = 16,   /* flags, header, code, identifier, length, magic number, FCS */
	SLACK_CHARS = 160, /* both ends' ports, the request and the answer */
	HELD_CHARS = 8192, /* by the peer's driver, which others fill as far as it goes */
	BURST = 4,         /* requests */
	OVERDUE_MOST = 2,  /* replies */
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
	return sb_time_max(2 * frame_time(k), 2 * QUIET);
}

/* In which a request is that share of the line. */
static sb_time spacing(const struct keepalive *k, sb_time least, double share)
{
	return sb_time_max(least, time_of(k, ECHO_CHARS / share));
}

static sb_time relied_spacing(const struct keepalive *k)
{
	return spacing(k, LEAST_SPACING, RELIED_SHARE);
}

void keepalive_start(struct keepalive *k, const struct keepalive_config *config, sb_time now)
{
	*k = (struct keepalive){
		.config = *config,
		.heard_at = now,
		.characters_at = now,
		.relied_at = LONG_AGO,
		.stream_from = now,
		.asked_at = SB_NEVER,
		.owed_from = SB_NEVER,
		.pending_from = SB_NEVER,
		.last_ask_at = now - config->interval, /* the first is due: to measure */
	};
}

void keepalive_set_rate(struct keepalive *k, double chars_per_sec)
{
	k->config.chars_per_sec = chars_per_sec;
}

void keepalive_set_interval(struct keepalive *k, sb_time interval, unsigned max_silent)
{
	k->config.interval = interval;
	k->config.max_silent = max_silent;
}

enum keepalive_state keepalive_state(const struct keepalive *k)
{
	if (k->lost)
		return KEEPALIVE_LOST;
	if (k->deaf)
		return KEEPALIVE_SILENT;
	return k->unheard ? KEEPALIVE_UNHEARD : KEEPALIVE_ALIVE;
}

/* --- what happened --- */

void keepalive_receiving(struct keepalive *k, sb_time now)
{
	if (now - k->characters_at > STREAM_QUIET)
		k->stream_from = now;
	k->characters_at = now;
}

void keepalive_heard(struct keepalive *k, sb_time now)
{
	keepalive_receiving(k, now);
	k->heard_at = now;
	k->asked_at = SB_NEVER;
	k->unanswered = 0;
	k->deaf = k->tell = false;
}

static void doubt(struct keepalive *k, sb_time since)
{
	if (keepalive_state(k) == KEEPALIVE_ALIVE)
		k->since = since;
}

static void become_unheard(struct keepalive *k, sb_time now, sb_time since)
{
	doubt(k, sb_time_max(since, now - MOST_SINCE));
	k->unheard = k->hurry = true;
	k->unheard_at = now;
}

/* The peer says so with each of its requests; only the first is news. */
void keepalive_unheard(struct keepalive *k, sb_time now, sb_time silence)
{
	if (!k->unheard && k->config.interval)
		become_unheard(k, now, now - silence);
}

void keepalive_relied(struct keepalive *k, sb_time now)
{
	if (k->relied_at == LONG_AGO || now - k->relied_at > pause_of(k))
		k->relied_from = now;
	k->relied_at = now;
}

void keepalive_asked(struct keepalive *k, sb_time now)
{
	if (keepalive_state(k) == KEEPALIVE_ALIVE)
		k->paid_until = sb_time_max(k->paid_until, now) + relied_spacing(k);
	if (!k->deaf && k->asked_at == SB_NEVER)
		k->asked_at = now;
	if (!k->deaf && k->owed_from == SB_NEVER)
		k->owed_from = now;
	k->pending_from = SB_NEVER;
	k->hurry = false;
	k->last_ask_at = now;
	k->requests++;
	k->unanswered++;
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
	k->unheard = k->hurry = false;
	k->owed_from = SB_NEVER;
	k->overdue = 0;
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

/* What was given to the line is not sure to have gone through yet. */
static bool is_relied_on(const struct keepalive *k)
{
	return k->relied_at != LONG_AGO && k->relied_at + pause_of(k) >= k->heard_at;
}

/* After the last sign of life, for as long as that. */
static sb_time quiet_limit(const struct keepalive *k)
{
	return k->characters_at - k->stream_from >= STREAM ? STREAM_QUIET : QUIET;
}

static sb_time relied_ask(const struct keepalive *k)
{
	sb_time from = sb_time_max(k->relied_from, last_sign(k, k->heard_at));
	sb_time paid = k->paid_until - (BURST - 1) * relied_spacing(k);
	sb_time may = sb_time_max(paid, k->last_ask_at + LEAST_SPACING);

	return sb_time_max(from + quiet_limit(k), may);
}

static sb_time next_ask(const struct keepalive *k)
{
	if (k->pending_from != SB_NEVER || k->lost || k->config.interval == 0)
		return SB_NEVER;
	if (k->hurry)
		return k->last_ask_at + LEAST_SPACING;
	if (k->deaf || k->unheard)
		return k->last_ask_at + spacing(k, RETURN_SPACING, RETURN_SHARE);
	if (k->asked_at != SB_NEVER)
		return SB_NEVER;

	sb_time regular = k->last_ask_at + k->config.interval;
	return is_relied_on(k) ? sb_time_min(regular, relied_ask(k)) : regular;
}

/* One that does not leave counts as asked when a frame that was in its way is gone. */
static sb_time asked_from(const struct keepalive *k)
{
	if (k->asked_at != SB_NEVER || k->pending_from == SB_NEVER)
		return k->asked_at;
	return sb_time_max(k->pending_from, k->heard_at) + frame_time(k);
}

/* When nothing will have been heard for too long. */
static sb_time deaf_at(const struct keepalive *k)
{
	sb_time from = asked_from(k);

	return k->lost || k->deaf || from == SB_NEVER ? SB_NEVER : last_sign(k, from) + patience(k);
}

/* When a reply will have been missing for too long, whatever else was heard. */
static sb_time overdue_at(const struct keepalive *k)
{
	if (keepalive_state(k) != KEEPALIVE_ALIVE || !k->replies || k->owed_from == SB_NEVER)
		return SB_NEVER;
	sb_time wait = time_of(k, HELD_CHARS) + 2 * frame_time(k) + patience(k);
	return k->owed_from + sb_time_max(wait, LEAST_REPLY_TIME);
}

static sb_time lost_at(const struct keepalive *k)
{
	sb_time from = SB_NEVER;

	if (k->deaf)
		from = k->heard_at;
	if (k->unheard)
		from = sb_time_min(from, k->unheard_at);
	if (k->lost || from == SB_NEVER || !k->config.max_silent)
		return SB_NEVER;
	return from + k->config.max_silent * k->config.interval;
}

sb_time keepalive_deadline(const struct keepalive *k)
{
	sb_time change = sb_time_min(deaf_at(k), sb_time_min(overdue_at(k), lost_at(k)));

	return sb_time_min(next_ask(k), change);
}

/* What replies are owed does not matter now: the next that is heard is enough. */
static void become_deaf(struct keepalive *k)
{
	doubt(k, k->heard_at);
	k->deaf = k->tell = true;
	k->asked_at = k->owed_from = SB_NEVER;
	k->overdue = 0;
}

static void miss_reply(struct keepalive *k, sb_time now)
{
	if (++k->overdue == OVERDUE_MOST)
		become_unheard(k, now, LONG_AGO);
	k->owed_from = SB_NEVER;
	k->hurry = true;
}

bool keepalive_tick(struct keepalive *k, sb_time now)
{
	if (now >= deaf_at(k))
		become_deaf(k);
	if (now >= overdue_at(k))
		miss_reply(k, now);
	if (now >= lost_at(k))
		k->lost = true;
	if (now < next_ask(k))
		return false;
	k->pending_from = now;
	k->tell = k->deaf;
	return true;
}

bool keepalive_tells(struct keepalive *k, sb_time now, sb_time *silence)
{
	bool tells = k->tell;

	*silence = now - k->heard_at;
	k->tell = false;
	return tells;
}
