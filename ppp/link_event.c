/* SPDX-License-Identifier: MIT */
/*
 * What the owner of a link is told. Events are not queued: what is, and what was
 * told, are kept, and an event is the difference. So a peer that comes and goes a
 * hundred times in one read costs nothing, and the owner gets the last DOWN and the
 * last UP. Only rejected protocols are a list, and a short one.
 */
#include "ppp/link_state.h"

void link_say_down(struct link *l, enum link_reason reason)
{
	l->down = true;
	l->down_reason = reason;
	l->ended = reason != LINK_RENEGOTIATED;
}

enum link_reason link_reason_of_end(const struct link *l)
{
	static const enum link_reason reasons[] = {
		[CONTROL_NO_END] = LINK_RENEGOTIATED,
		[CONTROL_NO_REPLY] = LINK_NO_REPLY,
		[CONTROL_NO_AGREEMENT] = LINK_NO_AGREEMENT,
		[CONTROL_PEER_CLOSED] = LINK_PEER_TERMINATED,
		[CONTROL_PEER_REJECTED] = LINK_PEER_REJECTED,
		[CONTROL_WE_CLOSED] = LINK_WE_CLOSED,
	};
	enum link_reason reason = l->failure ? l->failure : reasons[l->lcp.control.end];
	bool on_auth =
		l->lcp.auth_refused && (reason == LINK_NO_AGREEMENT || reason == LINK_NO_REPLY ||
					reason == LINK_PEER_TERMINATED);

	return on_auth ? LINK_NO_AUTH_AGREEMENT : reason;
}

static bool event(struct link_event *e, int kind, enum link_reason reason, uint16_t protocol)
{
	e->kind = kind;
	e->reason = reason;
	e->protocol = protocol;
	e->since = 0;
	return true;
}

static enum link_reason silence_of(const struct link *l)
{
	switch (keepalive_state(&l->keepalive)) {
	case KEEPALIVE_ALIVE:
		return LINK_FINE;
	case KEEPALIVE_UNHEARD:
		return LINK_UNHEARD;
	case KEEPALIVE_SILENT:
	case KEEPALIVE_LOST:
		break;
	}
	return LINK_SILENT;
}

static bool say(struct link *l, struct link_event *e)
{
	enum link_reason silence = silence_of(l);

	if (l->told_silent != (silence != LINK_FINE)) {
		l->told_silent = !l->told_silent;
		event(e, l->told_silent ? LINK_EVENT_SILENT : LINK_EVENT_HEARD, silence, 0);
		e->since = l->keepalive.since;
		return true;
	}
	if (l->identified) {
		l->identified = false;
		return event(e, LINK_EVENT_IDENTIFIED, LINK_FINE, 0);
	}
	if (l->rejected_count)
		return event(e, LINK_EVENT_PROTOCOL_REJECTED, LINK_FINE,
			     l->rejected[--l->rejected_count]);
	return false;
}

bool link_event(struct link *l, struct link_event *e)
{
	if (l->down) {
		l->down = l->told_up = l->told_silent = false;
		l->rejected_count = 0;
		return event(e, LINK_EVENT_DOWN, l->down_reason, 0);
	}
	if (!l->network)
		return false;
	if (!l->told_up) {
		l->told_up = true;
		return event(e, LINK_EVENT_UP, LINK_FINE, 0);
	}
	return say(l, e);
}

const char *link_reason_text(enum link_reason reason)
{
	static const char *const texts[LINK_REASONS] = {
		[LINK_FINE] = "all is well",
		[LINK_NO_REPLY] = "no reply to LCP",
		[LINK_LOOPED_BACK] = "the line is looped back",
		[LINK_NO_AGREEMENT] = "no agreement on the link's options",
		[LINK_NO_AUTH_AGREEMENT] = "no agreement on authentication",
		[LINK_PEER_TERMINATED] = "the peer closed the link",
		[LINK_WE_CLOSED] = "closed",
		[LINK_WE_WERE_REFUSED] = "the peer refused our name or secret",
		[LINK_PEER_REFUSED] = "the peer did not prove who it is",
		[LINK_AUTH_SILENT] = "no reply in authentication",
		[LINK_PEER_REJECTED] = "the peer does not speak LCP",
		[LINK_LOST] = "the peer answers no more",
		[LINK_RENEGOTIATED] = "the peer began anew",
		[LINK_LOWER_DOWN] = "the line went down",
		[LINK_SILENT] = "nothing is heard",
		[LINK_UNHEARD] = "the peer does not hear us",
	};
	return texts[reason];
}
