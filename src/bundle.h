/* SPDX-License-Identifier: MIT */
/*
 * The bundle: one interface, one queue, any number of lines that its owner adds
 * and removes as they come and go.
 *
 * No event loop here: the owner tells it what is readable or due, lets it run
 * once after all that, and asks when to come back. `now` is the owner's one
 * reading of the clock per wake-up. Lines have the owner's numbers.
 */
#ifndef SRC_BUNDLE_H
#define SRC_BUNDLE_H

#include "src/capture_set.h"
#include "src/config.h"
#include "src/flows.h"
#include "src/interface.h"
#include "src/line.h"
#include "src/log.h"
#include "src/report.h"

struct bundle;

/*
 * All borrowed, to outlive the bundle. remote: IPv4 address for a peer that asks for one
 * (host order), 0: as configured. NULL: out of memory or a capture that cannot be opened (said in
 * the log).
 */
struct bundle *bundle_new(const struct config *, struct interface *, uint32_t remote, struct log *,
			  sb_time now);
void bundle_free(struct bundle *);

/* NULL: the line, whose encapsulation is up, may join; else why not, a clause. */
const char *bundle_refuses(const struct bundle *, const struct line *);
/*
 * Whether the peer on the line is the bundle's: false also when the bundle has had none. One
 * without multilink can only be told when it says who it is, and comes back to an empty bundle,
 * as does one that proved its name but has another endpoint, having been started again.
 */
bool bundle_is_with(const struct bundle *, const struct line *);

/* The line's encapsulation is up: packets are received over it. */
void bundle_add(struct bundle *, unsigned i, struct line *, sb_time now);
void bundle_remove(struct bundle *, unsigned i, sb_time now);
/*
 * The line is to leave: nothing more is bound to it, but for pieces of packets that are on their
 * way already. It is received from, and what it has sent is not sent again, until it is removed.
 */
void bundle_retire(struct bundle *, unsigned i, sb_time now);
/* Whether it is left out for now, since it loses or delays too much. */
bool bundle_is_parked(const struct bundle *, unsigned i);
/* Whether the line may still be given something to send. */
bool bundle_uses(const struct bundle *, unsigned i);
/* Whether the peer on the line is another one of this program. */
bool bundle_is_of_our_kind(const struct bundle *, unsigned i);
/* The peer has got, or will get, all that was sent over the line. */
void bundle_has_arrived(struct bundle *, unsigned i);
/* The configuration changed, as far as it can while the bundle lives. */
void bundle_reconfigure(struct bundle *);
/* Whether the line, which was added, can be relied on for sending, as its state says. */
void bundle_settle(struct bundle *, unsigned i, sb_time now);
unsigned bundle_members(const struct bundle *);
unsigned bundle_lines_up(const struct bundle *);
bool bundle_has_carrier(const struct bundle *);
/* As agreed with the peer; NULL: nothing was. */
const struct network_ipv4 *bundle_ipv4(const struct bundle *);
const char *bundle_peer(const struct bundle *); /* its name, or "" */
struct bundle_totals {
	uint64_t bytes_out, bytes_in;
};
struct bundle_totals bundle_totals(struct bundle *, sb_time now);
/* Whether its links are of no use: no network protocol could be agreed on. */
bool bundle_has_failed(const struct bundle *);
/* Instant since which it has had no member, or SB_NEVER. */
sb_time bundle_empty_since(const struct bundle *);

/* False: the interface is gone. */
bool bundle_tun_readable(struct bundle *, sb_time now);
/* A packet came over the line. */
void bundle_receive(struct bundle *, unsigned i, struct encap_packet, sb_time now);
/* The peer said on the line that it does not know the protocol. */
void bundle_rejected(struct bundle *, uint16_t protocol, sb_time now);
/* The peer on the line said who it is. */
void bundle_identified(struct bundle *);

/* Starts a frame on the line, which needs one; false: there is none for it now. */
bool bundle_load(struct bundle *, unsigned i, sb_time now);
/* Characters of the line's frame were sent. */
void bundle_sent(struct bundle *, unsigned i);
/* Does what is due before lines are loaded. */
void bundle_run(struct bundle *, sb_time now);
/* Drops what has waited for a line for too long; after lines were loaded. */
void bundle_expire(struct bundle *, sb_time now);
/* The instant of the next thing due, or SB_NEVER; lines not counted. */
sb_time bundle_deadline(const struct bundle *);
/* The instant at which a line without a frame should ask again. */
sb_time bundle_line_deadline(const struct bundle *, unsigned i, sb_time now);

/* A capture of its packets into the file; false: text says why not. */
bool bundle_capture(struct bundle *, const char *file, char *text, size_t text_size);
struct capture_set *bundle_captures(struct bundle *);

/* How it goes, but for the lines and the verdict. */
void bundle_report(struct bundle *, sb_time now, struct report *);
/* How line i is used. */
struct report_member bundle_member_report(const struct bundle *, unsigned i);
/* Who talks with whom over it, as in src/flows.h. */
unsigned bundle_flows(struct bundle *, sb_time now, struct flow_pair to[static FLOWS_MAX]);
/* What it knows of its own limits, but for the lines; */
void bundle_facts(struct bundle *, sb_time now, struct verdict_facts *);
/* and of line i what its UART lost, characters per second over the last 10 s. */
double bundle_overruns(struct bundle *, unsigned i, sb_time now);

/* Of packets that no line has taken. */
uint32_t bundle_waiting_bytes(const struct bundle *);

#endif
