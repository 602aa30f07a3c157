/* SPDX-License-Identifier: MIT */
/*
 * What a line's encapsulation says, and the bundle that follows: in when it is up, out
 * when it is not, another encapsulation when a caller turns out to speak that.
 */
#define _DEFAULT_SOURCE
#include "src/exchange_state.h"

#include <string.h>

static const struct secrets no_secrets;

struct encap *exchange_make_encap(struct exchange *x, const struct line_config *line,
				  const struct encap_kind *kind)
{
	return kind->new (&(struct encap_config){
		.config = x->config,
		.line = line,
		.pap = x->pap ? secrets_rows(x->pap) : &no_secrets,
		.chap = x->chap ? secrets_rows(x->chap) : &no_secrets,
		.random = entropy_u32,
	});
}

static void say_up(struct exchange *x, unsigned i)
{
	const struct line *l = &x->lines[i];
	const struct link_agreed *a = encap_agreed(l->encap);
	const char *name = a ? a->peer_name : "";

	log_say(x->log, LOG_INFO, "%s: up, %u bps%s%s%s", l->config.name, line_bps(l),
		a ? a->multilink ? ", multilink" : ", PPP" : "", *name ? " with " : "", name);
	x->said_bps[i] = l->clock.bps;
}

/* An end that somebody wanted is no reason to warn. */
static enum log_level level_of(const struct exchange *x, enum link_reason why)
{
	if (x->ending)
		return LOG_DEBUG;
	return why == LINK_PEER_TERMINATED ? LOG_INFO : LOG_WARN;
}

static void say_left(struct exchange *x, unsigned i)
{
	const struct line *l = &x->lines[i];

	log_say(x->log, level_of(x, l->why), "%s: %s: %s; %u of %u lines up", l->config.name,
		line_state_name(l->state), l->reason, exchange_lines_up(x, x->bundle_of[i]),
		exchange_lines_of(x, x->bundle_of[i]));
	memcpy(x->said_why[i], l->reason, sizeof(x->said_why[i]));
}

static bool is_member_state(enum line_state s)
{
	return s == LINE_UP || s == LINE_STALLED || s == LINE_SILENT;
}

/* One that we end in an orderly way is heard until its peer has ended, too. */
static bool is_heard_out(const struct exchange *x, unsigned i)
{
	return x->lines[i].state == LINE_ENDING && x->lines[i].encap_up &&
	       x->bundle_of[i] != NO_BUNDLE;
}

static bool is_member(const struct exchange *x, unsigned i)
{
	return is_member_state(x->lines[i].state) || is_heard_out(x, i);
}

static void refuse(struct exchange *x, unsigned i, const char *reason, sb_time now)
{
	log_say(x->log, LOG_WARN, "%s: not joined: %s", x->lines[i].config.name, reason);
	line_end(&x->lines[i], now, reason);
}

static void become_member(struct exchange *x, unsigned i, sb_time now)
{
	struct line *l = &x->lines[i];
	unsigned k = exchange_find_bundle(x, i, now);
	const char *reason = k == NO_BUNDLE ? "there is no bundle for it"
					    : bundle_refuses(x->bundles[k].bundle, l);

	if (reason) {
		refuse(x, i, reason, now);
		return;
	}
	x->bundle_of[i] = k;
	x->slots[i].joined_at = now;
	bundle_add(x->bundles[k].bundle, i, l, now);
	event_line(x, EXCHANGE_LINE_UP, i, "");
}

static void cease_member(struct exchange *x, unsigned i, sb_time now)
{
	event_line_left(x, i, now);
	bundle_remove(x->bundles[x->bundle_of[i]].bundle, i, now);
}

/* A caller that hung up in so many words is not waited for. */
static void forget_bundle(struct exchange *x, unsigned i, sb_time now)
{
	unsigned k = x->bundle_of[i];

	x->bundle_of[i] = NO_BUNDLE;
	if (k != NO_BUNDLE && x->config->answer && x->lines[i].why == LINK_PEER_TERMINATED)
		exchange_close_if_empty(x, k, now);
}

/* Makes the bundle follow the line's state, and says what changed. */
void exchange_settle(struct exchange *x, unsigned i, sb_time now)
{
	struct line *l = &x->lines[i];
	bool member = is_member(x, i), up = l->state == LINE_UP;

	if (member && x->bundle_of[i] == NO_BUNDLE)
		become_member(x, i, now);
	else if (member)
		bundle_settle(x->bundles[x->bundle_of[i]].bundle, i, now);
	if (!member && x->bundle_of[i] != NO_BUNDLE)
		cease_member(x, i, now);
	up = up && l->state == LINE_UP && x->bundle_of[i] != NO_BUNDLE;
	if (up && !x->said_up[i])
		say_up(x, i);
	else if (!up && x->said_up[i])
		say_left(x, i);
	x->said_up[i] = up;
	if (!is_member(x, i))
		forget_bundle(x, i, now);
}

static void become(struct exchange *x, unsigned i, const struct encap_kind *kind,
		   struct bytes replay, sb_time now)
{
	struct encap *e = exchange_make_encap(x, &x->lines[i].config, kind);

	if (!e) {
		log_say(x->log, LOG_ERROR, "%s: out of memory", x->lines[i].config.name);
		line_close(&x->lines[i], now, "out of memory");
		return;
	}
	line_set_encap(&x->lines[i], e, replay, now);
}

static void detected(struct exchange *x, unsigned i, const struct encap_event *e, sb_time now)
{
	log_say(x->log, LOG_DEBUG, "%s: a peer that speaks %s", x->lines[i].config.name,
		e->detected->name);
	become(x, i, e->detected, e->replay, now);
}

static void say_why(struct exchange *x, unsigned i, const struct encap_event *e)
{
	const struct line *l = &x->lines[i];

	if (!x->said_up[i] && strcmp(x->said_why[i], e->reason) != 0)
		log_say(x->log, level_of(x, e->why), "%s: %s", l->config.name, e->reason);
	snprintf(x->said_why[i], sizeof(x->said_why[i]), "%s", e->reason);
}

static void heed(struct exchange *x, unsigned i, const struct encap_event *e, sb_time now)
{
	struct bundle *b = x->bundle_of[i] == NO_BUNDLE ? NULL : x->bundles[x->bundle_of[i]].bundle;

	switch (e->kind) {
	case ENCAP_UP:
		x->said_why[i][0] = '\0';
		break;
	case ENCAP_DOWN:
		say_why(x, i, e);
		break;
	case ENCAP_PROTOCOL_REJECTED:
		if (b)
			bundle_rejected(b, e->protocol, now);
		break;
	case ENCAP_IDENTIFIED:
		if (b)
			bundle_identified(b);
		break;
	case ENCAP_DETECTED:
		detected(x, i, e, now);
		break;
	case ENCAP_SILENT:
	case ENCAP_HEARD:
		break;
	}
}

/*
 * Whether all that we sent over a link that has ended has arrived, and need not be sent again. The
 * peer's agreement to our end comes behind all of it, and was heard just now; one that
 * does not answer is given up by time. A peer that ended the link itself hears us out if it is
 * of our kind: what is under way comes before our agreement.
 */
static void note_end(struct exchange *x, unsigned i, const struct encap_event *e, sb_time now)
{
	struct bundle *b = x->bundles[x->bundle_of[i]].bundle;
	bool agreed = e->why == LINK_WE_CLOSED && x->lines[i].heard_at == now;

	if (agreed || (e->why == LINK_PEER_TERMINATED && bundle_is_of_our_kind(b, i)))
		bundle_has_arrived(b, i);
}

/* What the line's encapsulation has to say; the bundle follows each of it. */
void exchange_heed_events(struct exchange *x, unsigned i, sb_time now)
{
	struct encap_event e;

	while (line_event(&x->lines[i], now, &e)) {
		if (e.kind == ENCAP_DOWN && x->bundle_of[i] != NO_BUNDLE)
			note_end(x, i, &e, now);
		exchange_settle(x, i, now);
		heed(x, i, &e, now);
	}
	exchange_settle(x, i, now);
}

void exchange_forget_peer(struct exchange *x, unsigned i, sb_time now)
{
	struct line *l = &x->lines[i];
	const struct encap_kind *first = l->config.encap ? l->config.encap : &encap_detect;

	if (l->state != LINE_DOWN || (l->encap->kind == first && !x->slots[i].outdated))
		return;
	x->slots[i].outdated = false;
	become(x, i, first, bytes_of(NULL, 0), now);
}
