/* SPDX-License-Identifier: MIT */
/*
 * What is said to the bundle at the other end, over each link.
 *
 * Its words: the mode, the share and the rate that we ask for, the pace of what we send. Nobody
 * acknowledges them, so they are said again, after two seconds and then at ever longer
 * intervals; and at once when they are others. A peer that wants to find out what the line carries
 * says now and then how many characters it has sent. While characters come in, it is then told how
 * many came, in its count, with the time of the last of them.
 *
 * The price. All that is said over a line may take a two-hundredth of what it carries, and the
 * reports that were asked for three hundredths: each frame is paid for with so much time, in which
 * the next one has to wait. What is new goes ahead on credit. A report of what came in goes only
 * when that was more than idle lines bring, or else two ends would talk to each other for ever
 * about their talk.
 */
#define _DEFAULT_SOURCE
#include "src/bundle_shape.h"
#include "src/bundle_state.h"
#include "src/bundle_vendor.h"
#include "src/line_rate.h"
#include "src/line_shape.h"

enum {
	PRICE = 200,        /* times what a frame takes on the line */
	REPORT_PRICE = 33,  /* the same of a report */
	SENT_FRAME = 24,    /* characters of a frame that tells what was sent, about */
	CREDIT_CHARS = 96,  /* that may be owed: a few frames */
	REPORT_CHARS = 512, /* to have come since the last report, at least, for another one */
	PACKET_SIZE = VENDOR_OUI_SIZE + 7 * VENDOR_MESSAGE_SIZE,
};
#define REPORT_EVERY (250 * SB_MS) /* at most */
#define SENT_EVERY   (3 * SB_SEC)
#define AGAIN_FIRST  (2 * SB_SEC)
#define AGAIN_LAST   (32 * SB_SEC)

/* --- what there is to say --- */

static uint32_t word_on_mode(const struct mode_config *c)
{
	return (uint32_t)c->mode | (uint32_t)c->hash << VENDOR_HASH_SHIFT;
}

static uint32_t pace_of(const struct line *l)
{
	uint32_t bps = line_shaped_bps(l);

	return bps < line_bps(l) ? bps : 0;
}

/* What comes over it is what it carries; what is to leave is to carry nothing more. */
static struct vendor_words words_on(const struct bundle *b, unsigned i)
{
	const struct mode_config *mode = &b->config->mode;
	bool asks = mode->mode == MODE_BALANCE_ALB && !b->retired[i];

	return (struct vendor_words){
		.mode = word_on_mode(mode),
		.share = asks ? line_bps(b->lines[i]) : 0,
		.wish = bundle_rate_wish(b, i),
		.pace = pace_of(b->lines[i]),
	};
}

/* A rate that is found out is never quite the same. */
static bool differs(uint32_t a, uint32_t b)
{
	uint32_t more = a > b ? a : b, less = a > b ? b : a;

	return more - less > more / 20;
}

static bool has_news(const struct vendor_link *k, const struct vendor_words *w)
{
	return !k->told || k->owes_notice || k->said.mode != w->mode || k->said.wish != w->wish ||
	       differs(k->said.share, w->share) || differs(k->said.pace, w->pace);
}

/* As much as a busy line brings until the next one; what idle ends say to each other is less. */
static bool has_received(const struct bundle *b, unsigned i)
{
	const struct line *l = b->lines[i];
	uint64_t received = l->in.total - b->vendor.links[i].received;
	uint32_t count;

	return line_received_count(l, &count) && received >= REPORT_CHARS &&
	       line_clock_time(&l->clock, received) >= REPORT_EVERY;
}

/* So many characters take so long. */
static sb_time price(const struct line *l, size_t characters)
{
	return PRICE * line_clock_time(&l->clock, characters);
}

/* At the rate that it has now: what was dear while the line was slow is not for ever. */
static sb_time paid_until(const struct bundle *b, unsigned i)
{
	const struct vendor_link *k = &b->vendor.links[i];

	return k->owed_at + price(b->lines[i], k->owed);
}

static bool may_talk(const struct bundle *b, unsigned i)
{
	const struct line *l = b->lines[i];

	return l && l->state == LINE_UP && encap_agreed(l->encap);
}

/* The words are to be said, or said again. */
static sb_time words_due(const struct bundle *b, unsigned i)
{
	const struct vendor_link *k = &b->vendor.links[i];
	struct vendor_words w = words_on(b, i);

	if (has_news(k, &w))
		return paid_until(b, i) - price(b->lines[i], CREDIT_CHARS);
	return sb_time_max(k->again_at, paid_until(b, i));
}

static sb_time report_due(const struct bundle *b, unsigned i)
{
	const struct vendor_link *k = &b->vendor.links[i];

	if (!has_received(b, i))
		return SB_NEVER;
	return k->received_at +
	       sb_time_max(REPORT_EVERY,
			   REPORT_PRICE * line_clock_time(&b->lines[i]->clock, k->report));
}

static sb_time sent_due(const struct bundle *b, unsigned i)
{
	const struct vendor_link *k = &b->vendor.links[i];
	const struct line *l = b->lines[i];

	if (!l->rate || (k->sent_at != SB_NEVER && l->out.total - k->sent < REPORT_CHARS))
		return SB_NEVER;
	return k->sent_at == SB_NEVER ? 0 : sb_time_max(k->sent_at + SENT_EVERY, paid_until(b, i));
}

sb_time bundle_vendor_due(const struct bundle *b, unsigned i)
{
	if (!b->vendor.up || !may_talk(b, i))
		return SB_NEVER;
	return sb_time_min(sb_time_min(words_due(b, i), report_due(b, i)), sent_due(b, i));
}

/* --- saying it --- */

static void put(struct buf *packet, enum vendor_message_kind kind, uint32_t value, uint32_t time)
{
	vendor_put(packet, &(struct vendor_message){.kind = kind, .value = value, .time = time});
}

/* No share, wish, pace: said only to take back what was said before. */
static void put_words(struct bundle *b, unsigned i, struct buf *packet, sb_time now)
{
	struct vendor_link *k = &b->vendor.links[i];
	struct vendor_words w = words_on(b, i);
	bool news = has_news(k, &w);

	put(packet, VENDOR_MODE, w.mode, 0);
	if (w.share || k->said.share)
		put(packet, VENDOR_SHARE, w.share, 0);
	if (w.wish || k->said.wish)
		put(packet, VENDOR_RATE_WISH, w.wish, 0);
	if (w.pace || k->said.pace)
		put(packet, VENDOR_PACE, w.pace, 0);
	if (k->owes_notice)
		put(packet, VENDOR_NOTICE, b->mode.changes, 0);
	b->vendor.counters.notices_out += k->owes_notice;
	k->again = news ? AGAIN_FIRST : sb_time_min(2 * k->again, AGAIN_LAST);
	k->again_at = now + k->again;
	k->owes_notice = false;
	k->told = true;
	k->said = w;
	bundle_vendor_expect(b, i);
}

static void put_report(struct bundle *b, unsigned i, struct buf *packet, sb_time now)
{
	struct vendor_link *k = &b->vendor.links[i];
	const struct line *l = b->lines[i];
	uint32_t count;

	line_received_count(l, &count);
	put(packet, VENDOR_RECEIVED, count, (uint32_t)(l->heard_at / VENDOR_TICK));
	k->received = l->in.total;
	k->received_at = now;
}

static void put_sent(struct bundle *b, unsigned i, struct buf *packet, sb_time now)
{
	struct vendor_link *k = &b->vendor.links[i];
	uint32_t frame = SENT_FRAME + (uint32_t)packet->length - VENDOR_OUI_SIZE;

	put(packet, VENDOR_SENT, line_sent_count(b->lines[i]) + frame, 0);
	k->sent = b->lines[i]->out.total;
	k->sent_at = now;
}

static void owe(struct bundle *b, unsigned i, size_t characters, sb_time now)
{
	struct vendor_link *k = &b->vendor.links[i];
	sb_time left = paid_until(b, i) - now;

	k->owed = characters +
		  (left > 0 ? k->owed * (size_t)left / (size_t)price(b->lines[i], k->owed) : 0);
	k->owed_at = now;
}

/* A report that goes with others is paid for twice. */
static void pay(struct bundle *b, unsigned i, bool others, bool report, sb_time now)
{
	struct vendor_link *k = &b->vendor.links[i];
	size_t frame = line_unsent(b->lines[i]);

	if (others)
		owe(b, i, frame, now);
	if (report)
		k->report = frame;
}

static bool load_messages(struct bundle *b, unsigned i, sb_time now)
{
	uint8_t space[PACKET_SIZE];
	struct buf packet = buf_over(space, sizeof(space));
	bool words = now >= words_due(b, i), report = now >= report_due(b, i);
	bool sent = now >= sent_due(b, i);

	if (!words && !report && !sent)
		return false;
	vendor_begin(&packet);
	if (words)
		put_words(b, i, &packet, now);
	if (report)
		put_report(b, i, &packet, now);
	if (sent)
		put_sent(b, i, &packet, now);
	line_load_control(b->lines[i], now, PPP_VSNP, buf_bytes(&packet));
	pay(b, i, words || sent, report, now);
	b->vendor.counters.out++;
	return true;
}

static bool load_control(struct bundle *b, unsigned i, sb_time now)
{
	uint8_t space[PPP_DEFAULT_MRU];
	struct buf packet = buf_over(space, sizeof(space));

	if (!vendor_output(b->vendor.engine, &packet))
		return false;
	line_load_control(b->lines[i], now, PPP_VSNCP, buf_bytes(&packet));
	return true;
}

bool bundle_vendor_load(struct bundle *b, unsigned i, sb_time now)
{
	if (!may_talk(b, i))
		return false;
	return load_control(b, i, now) || (b->vendor.up && load_messages(b, i, now));
}

void bundle_vendor_notice(struct bundle *b, unsigned i)
{
	b->vendor.links[i].owes_notice = true;
}
