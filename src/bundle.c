/* SPDX-License-Identifier: MIT */
/*
 * How a packet goes.
 *
 *   TUN --read eagerly--> fq_codel --pulled by a line that asks--> stripe -->
 *   line: frame, port                     lines: port, frame --> TUN
 *
 * The TUN gives no back-pressure and drops in silence, so it is emptied at once
 * into the one long queue, which is ours. A line asks when its clock says that
 * half its lead is gone; the stripe decides then.
 */
#define _DEFAULT_SOURCE
#include "src/bundle.h"

#include "sched/ip.h"
#include "src/bundle_state.h"
#include "src/clock.h"
#include "src/plan.h"
#include "src/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FLOWS = 1024,
	QUEUE_PACKETS = 1024,
	QUEUE_PACKETS_LEAST = 32, /* of the MTU, however slow the lines: TCP starts with 10 */
	BOUND_PACKETS = 1024,     /* more than a horizon holds */
	TUN_BATCH = 256,          /* packets read in a row before the lines get their turn */
};
#define QUEUE_TIME (5 * SB_SEC)

/* --- set-up --- */

static uint32_t queue_limit(const struct config *config)
{
	double rate = 0, limit;
	uint32_t least = QUEUE_PACKETS_LEAST * config->mtu, most = QUEUE_PACKETS * config->mtu;

	for (unsigned i = 0; i < config->line_count; i++)
		rate += (double)config->lines[i].bps / config->lines[i].bits_per_char;
	limit = rate * (double)QUEUE_TIME / (double)SB_SEC;
	return limit < least ? least : limit > most ? most : (uint32_t)limit;
}

static bool make_queue(struct bundle *b)
{
	const struct config *config = b->config;
	struct plan_queue plan = plan_queue(config->mtu, NULL, 0); /* until lines are up */

	b->pool = packet_pool_new(QUEUE_PACKETS + BOUND_PACKETS, config->mtu);
	if (!b->pool)
		return false;
	b->queue = fq_codel_new(&(struct fq_codel_config){
		.pool = b->pool,
		.flows = FLOWS,
		.quantum = config->mtu,
		.limit_packets = QUEUE_PACKETS,
		.limit_bytes = queue_limit(config),
		.target = plan.target,
		.interval = plan.interval,
		.ecn = config->ecn,
		.seed = (uint32_t)clock_wall(),
	});
	if (!b->queue)
		return false;
	b->stripe = stripe_new(&(struct stripe_config){
		.pool = b->pool,
		.queue = b->queue,
		.flows = FLOWS,
		.mtu = config->mtu,
	});
	return b->stripe != NULL;
}

static bool make_lines(struct bundle *b, sb_time now)
{
	for (unsigned i = 0; i < b->config->line_count; i++) {
		if (!line_init(&b->lines[i], &b->config->lines[i], b->config->lines[i].encap,
			       b->config->mtu, now))
			return false;
		b->line_count++;
	}
	return true;
}

static bool make_capture(struct bundle *b, struct capture **c, const char *line_name)
{
	char text[160];
	enum capture_kind kind = line_name ? CAPTURE_SLIP : CAPTURE_RAW_IP;

	*c = capture_open(b->config->capture, line_name, kind, b->config->mtu, text, sizeof(text));
	if (!*c)
		log_say(b->log, LOG_ERROR, "%s: %s", b->config->capture, text);
	return *c != NULL;
}

static bool make_captures(struct bundle *b)
{
	if (!b->config->capture[0])
		return true;
	if (!make_capture(b, &b->capture, NULL))
		return false;
	for (unsigned i = 0; i < b->line_count; i++)
		if (!make_capture(b, &b->line_captures[i], b->lines[i].config.name))
			return false;
	return true;
}

struct bundle *bundle_new(const struct config *config, struct tun *tun, struct log *log,
			  sb_time now)
{
	struct bundle *b = calloc(1, sizeof(*b));

	if (!b) {
		log_say(log, LOG_ERROR, "out of memory");
		return NULL;
	}
	b->config = config;
	b->tun = tun;
	b->log = log;
	b->start = b->lines_gone = now;
	meter_init(&b->out, now);
	meter_init(&b->in, now);
	if (!make_queue(b) || !make_lines(b, now)) {
		log_say(log, LOG_ERROR, "out of memory");
		bundle_free(b);
		return NULL;
	}
	if (!make_captures(b)) {
		bundle_free(b);
		return NULL;
	}
	return b;
}

void bundle_free(struct bundle *b)
{
	if (!b)
		return;
	for (unsigned i = 0; i < b->line_count; i++) {
		struct packet *p = line_take_packet(&b->lines[i]);

		if (p)
			packet_put(b->pool, p);
		line_free(&b->lines[i]);
		capture_close(b->line_captures[i]);
	}
	capture_close(b->capture);
	stripe_free(b->stripe);
	fq_codel_free(b->queue);
	packet_pool_free(b->pool);
	free(b);
}

/* --- captures --- */

static void record(struct bundle *b, struct capture **c, bool sent, struct bytes packet)
{
	if (!*c || capture_packet(*c, clock_wall(), sent, packet))
		return;
	log_say(b->log, LOG_WARN, "%s: cannot write, capture ended; the traffic goes on",
		capture_path(*c));
	capture_close(*c);
	*c = NULL;
}

/* --- lines that come and go --- */

/* CoDel's delays and the flows' fair share follow the lines that are up. */
static void tune_queue(struct bundle *b)
{
	double rates[CONFIG_MAX_LINES], sum = stripe_rate(b->stripe);
	char target[TEXT_UNIT_SIZE], interval[TEXT_UNIT_SIZE];
	struct plan_queue plan;
	unsigned n = 0;

	if (sum == b->rate || sum == 0)
		return;
	b->rate = sum;
	for (unsigned i = 0; i < b->line_count; i++)
		if (b->in_stripe[i])
			rates[n++] = b->lines[i].clock.bps / b->lines[i].clock.bits_per_char;
	plan = plan_queue(b->config->mtu, rates, n);
	log_say(b->log, LOG_DEBUG, "queue: %.0f B/s together, target %s, interval %s", sum,
		text_time(target, plan.target), text_time(interval, plan.interval));
	fq_codel_set_target(b->queue, plan.target, plan.interval);
	fq_codel_set_rate(b->queue, (uint64_t)sum);
}

static void join(struct bundle *b, unsigned i, sb_time now)
{
	struct line *l = &b->lines[i];

	stripe_line_up(b->stripe, i,
		       &(struct stripe_line){
			       .clock = &l->clock,
			       .delay = l->config.delay,
			       .encoded_length = l->kind->encoded_length,
			       .coding = l->kind->coding(l->encap),
		       },
		       now);
	b->in_stripe[i] = true;
	b->said_bps[i] = l->clock.bps;
	b->lines_up++;
	log_say(b->log, LOG_INFO, "%s: up, %u bps", l->config.name, l->config.bps);
}

/* What the line had in hand goes first over another. */
static void leave(struct bundle *b, unsigned i, sb_time now)
{
	struct line *l = &b->lines[i];
	struct packet *p = line_take_packet(l);

	stripe_line_down(b->stripe, i);
	if (p)
		stripe_return(b->stripe, p);
	b->in_stripe[i] = false;
	if (--b->lines_up == 0)
		b->lines_gone = now;
	log_say(b->log, LOG_WARN, "%s: %s: %s; %u of %u lines up", l->config.name,
		line_state_name(l->state), l->reason, b->lines_up, b->line_count);
}

/* Makes the stripe follow the line's state. */
static void settle(struct bundle *b, unsigned i, sb_time now)
{
	bool up = b->lines[i].state == LINE_UP;

	if (up == b->in_stripe[i])
		return;
	if (up)
		join(b, i, now);
	else
		leave(b, i, now);
	tune_queue(b);
}

static bool never_will_do(enum port_status s)
{
	return s == PORT_NOT_A_TTY || s == PORT_BAD_SETTING;
}

enum port_status bundle_start(struct bundle *b, sb_time now)
{
	enum port_status first = PORT_OK;

	for (unsigned i = 0; i < b->line_count; i++) {
		struct line *l = &b->lines[i];

		if (line_open(l, b->config->lock_dir, now)) {
			settle(b, i, now);
			continue;
		}
		log_say(b->log, LOG_ERROR, "%s: %s", l->config.device, l->refusal.text);
		if (never_will_do(l->refusal.status))
			return l->refusal.status;
		if (first == PORT_OK)
			first = l->refusal.status;
	}
	return b->lines_up ? PORT_OK : first;
}

/* Says why it failed once, not every second. */
static void retry(struct bundle *b, unsigned i, sb_time now)
{
	struct line *l = &b->lines[i];
	struct port_error before;

	if (l->state != LINE_DOWN || now < l->retry_at)
		return;
	before = l->refusal;
	if (line_open(l, b->config->lock_dir, now)) {
		settle(b, i, now);
		return;
	}
	log_say(b->log, strcmp(before.text, l->refusal.text) == 0 ? LOG_DEBUG : LOG_INFO,
		"%s: %s; trying again until it is there", l->config.name, l->refusal.text);
}

/* A line that was found to carry less than it was said to, or recovers from that. */
static void say_rate(struct bundle *b, unsigned i)
{
	const struct line *l = &b->lines[i];
	double change = l->clock.bps / b->said_bps[i];

	if (!b->in_stripe[i] || (change > 0.9 && change < 1.1))
		return;
	b->said_bps[i] = l->clock.bps;
	log_say(b->log, LOG_INFO, "%s: carries about %.0f bps now, given were %u", l->config.name,
		l->clock.bps, l->config.bps);
}

void bundle_retry_now(struct bundle *b, sb_time now)
{
	for (unsigned i = 0; i < b->line_count; i++)
		b->lines[i].retry_at = now;
}

/* --- from the lines --- */

static void say_notice(struct bundle *b, const struct line *l, enum encap_notice notice)
{
	static const char *const texts[] = {
		[ENCAP_SAW_COMPRESSED] =
			"the peer compresses TCP headers (CSLIP); such packets are dropped: turn "
			"header compression off there",
		[ENCAP_SAW_TEXT] = "text is arriving instead of packets: is a modem or a login "
				   "answering?",
	};

	if (notice != ENCAP_NOTHING)
		log_say(b->log, LOG_WARN, "%s: %s", l->config.name, texts[notice]);
}

void bundle_line_readable(struct bundle *b, unsigned i, sb_time now)
{
	struct line *l = &b->lines[i];
	struct bytes packet;

	line_read(l, now);
	while (line_receive(l, &packet)) {
		record(b, &b->line_captures[i], false, packet);
		record(b, &b->capture, false, packet);
		b->counters.packets_in++;
		meter_add(&b->in, now, packet.length);
		if (!tun_write(b->tun, packet))
			b->counters.refused_packets++;
	}
	say_notice(b, l, l->kind->notice(l->encap));
	settle(b, i, now);
}

/* --- to the lines --- */

enum taken { TOOK_ONE, TOOK_NONE, TUN_GONE };

static enum taken taken(ssize_t n)
{
	return n > 0 ? TOOK_ONE : n == 0 ? TOOK_NONE : TUN_GONE;
}

/* Reads a packet for which there is no room, so that the kernel's queue goes on. */
static enum taken discard_from_tun(struct bundle *b)
{
	uint8_t nowhere[1];
	ssize_t n = tun_read(b->tun, nowhere, sizeof(nowhere));

	b->counters.no_buffer_drops += n > 0;
	return taken(n);
}

static void enqueue(struct bundle *b, sb_time now, struct packet *p)
{
	if (ip_check(packet_bytes(p)) != IP_OK) {
		b->counters.not_ip_drops++;
		packet_put(b->pool, p);
		return;
	}
	b->counters.packets_out++;
	meter_add(&b->out, now, p->length);
	record(b, &b->capture, true, packet_bytes(p));
	fq_codel_enqueue(b->queue, now, p);
}

/* One packet from the TUN into the queue. */
static enum taken take_from_tun(struct bundle *b, sb_time now)
{
	struct packet *p = packet_get(b->pool);
	ssize_t n;

	if (!p)
		return discard_from_tun(b);
	n = tun_read(b->tun, p->data, packet_pool_size(b->pool));
	if (n <= 0) {
		packet_put(b->pool, p);
		return taken(n);
	}
	p->length = (uint32_t)n;
	enqueue(b, now, p);
	return TOOK_ONE;
}

bool bundle_tun_readable(struct bundle *b, sb_time now)
{
	enum taken t = TOOK_ONE;

	for (int n = 0; n < TUN_BATCH && t == TOOK_ONE; n++)
		t = take_from_tun(b, now);
	return t != TUN_GONE;
}

/* Gives the line its next frame; false when there is none for it now. */
static bool load(struct bundle *b, unsigned i, sb_time now)
{
	struct line *l = &b->lines[i];
	struct packet *p = stripe_pull(b->stripe, i, now);

	if (!p)
		return false;
	record(b, &b->line_captures[i], true, packet_bytes(p));
	line_load(l, p);
	return true;
}

static bool asks(const struct line *l, sb_time now)
{
	return l->state == LINE_UP && !l->wants_write && now >= line_clock_wake(&l->clock);
}

/* Fills the line's lead; true when anything moved. */
static bool pump(struct bundle *b, unsigned i, sb_time now)
{
	struct line *l = &b->lines[i];
	bool moved = false;

	while (asks(l, now)) {
		struct packet *done;

		if (line_needs_packet(l) && !load(b, i, now))
			break;
		done = line_send(l, now);
		if (done)
			packet_put(b->pool, done);
		stripe_line_unsent(b->stripe, i, line_unsent(l));
		moved = true;
	}
	settle(b, i, now);
	return moved;
}

/* A packet bound for one line may have been waiting for another to ask: go round until still. */
static void pump_all(struct bundle *b, sb_time now)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (unsigned i = 0; i < b->line_count; i++)
			moved |= b->in_stripe[i] && pump(b, i, now);
	}
}

void bundle_line_writable(struct bundle *b, unsigned i, sb_time now)
{
	line_writable(&b->lines[i], now);
	settle(b, i, now);
}

/* --- time --- */

sb_time bundle_oldest_arrival(const struct bundle *b)
{
	return sb_time_min(fq_codel_oldest(b->queue), stripe_oldest(b->stripe));
}

/*
 * With no line at all packets wait for one, but not for ever. The time they spent
 * in the queue before, while lines were up, is no wait for a line.
 */
static sb_time hold_ends(const struct bundle *b)
{
	sb_time oldest = bundle_oldest_arrival(b);

	if (b->lines_up || oldest == SB_NEVER)
		return SB_NEVER;
	return sb_time_max(oldest, b->lines_gone) + b->config->hold;
}

static void expire(struct bundle *b, sb_time now)
{
	sb_time before = now - b->config->hold + 1;
	uint32_t queued = fq_codel_packets(b->queue);

	if (now < hold_ends(b))
		return;
	fq_codel_expire(b->queue, before);
	b->counters.no_line_drops += queued - fq_codel_packets(b->queue);
	b->counters.no_line_drops += stripe_expire(b->stripe, before);
}

void bundle_run(struct bundle *b, sb_time now)
{
	for (unsigned i = 0; i < b->line_count; i++) {
		if (line_tick(&b->lines[i], now))
			settle(b, i, now);
		retry(b, i, now);
		say_rate(b, i);
	}
	tune_queue(b);
	pump_all(b, now);
	expire(b, now);
}

uint32_t bundle_waiting_bytes(const struct bundle *b)
{
	return fq_codel_bytes(b->queue) + stripe_bound_bytes(b->stripe);
}

static sb_time line_due(const struct bundle *b, unsigned i, sb_time now)
{
	const struct line *l = &b->lines[i];
	sb_time due = line_deadline(l), wake, bound;

	if (!b->in_stripe[i] || l->packet || l->wants_write)
		return due;
	/* An idle line asks again when it nears running dry, or when what is bound to it may start.
	 */
	wake = line_clock_wake(&l->clock);
	bound = stripe_deadline(b->stripe, i);
	if (bound != SB_NEVER)
		return sb_time_min(due, sb_time_max(bound, wake));
	if (wake > now && bundle_waiting_bytes(b))
		return sb_time_min(due, wake);
	return due;
}

sb_time bundle_deadline(const struct bundle *b, sb_time now)
{
	sb_time due = hold_ends(b);

	for (unsigned i = 0; i < b->line_count; i++)
		due = sb_time_min(due, line_due(b, i, now));
	return due;
}

/* --- what the owner watches --- */

int bundle_line_fd(const struct bundle *b, unsigned i)
{
	return b->lines[i].port ? port_fd(b->lines[i].port) : -1;
}

bool bundle_line_wants_write(const struct bundle *b, unsigned i)
{
	return b->lines[i].wants_write;
}

uint32_t bundle_line_openings(const struct bundle *b, unsigned i)
{
	return b->lines[i].counters.openings;
}

unsigned bundle_line_count(const struct bundle *b)
{
	return b->line_count;
}
