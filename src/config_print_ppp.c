/* SPDX-License-Identifier: MIT */
/*
 * The plan of PPP, as far as it can be told before the peer was heard: what we
 * ask for and grant.
 */
#define _DEFAULT_SOURCE
#include "src/config_print.h"

#include "ppp/mp.h"
#include "src/endpoint.h"
#include "src/text.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

enum { SLIP_ENDS = 2, FLAG = 1 };

/* With frames back to back, one flag stands between two (RFC 1662 section 3.1). */
static unsigned ppp_overhead(const struct ppp_config *p)
{
	unsigned fcs = p->fcs == 4 ? 4 : 2;
	return FLAG + (p->acfc ? 0 : 2) + (p->pfc ? 1 : 2) + fcs;
}

static unsigned multilink_overhead(const struct ppp_config *p)
{
	return (p->pfc ? 1 : 2) + (p->short_sequence ? MP_SHORT_HEADER : MP_LONG_HEADER);
}

unsigned config_frame_overhead(const struct config *c, const struct line_config *line)
{
	if (line->encap == &encap_slip)
		return SLIP_ENDS;
	return ppp_overhead(&c->ppp) + (c->ppp.multilink ? multilink_overhead(&c->ppp) : 0);
}

static void print_link(const struct ppp_config *p)
{
	char interval[TEXT_UNIT_SIZE], restart[TEXT_UNIT_SIZE], quality[TEXT_UNIT_SIZE];
	printf("PPP        MRU %u, asyncmap %x, FCS of %d bits\n", p->mru, (unsigned)p->accm,
	       p->fcs == 4 ? 32 : 16);
	printf("requests   every %s, at most %u; %u refusals, %u to end\n",
	       text_time(restart, p->timers.restart), p->timers.max_configure,
	       p->timers.max_failure, p->timers.max_terminate);
	if (!p->echo_interval)
		printf("echo       only while packets are sent");
	else
		printf("echo       every %s on idle lines", text_time(interval, p->echo_interval));
	if (p->echo_failure)
		printf(", given up after %u\n", p->echo_failure);
	else
		printf(", never given up\n");
	if (p->quality_period)
		printf("quality    reports every %s\n", text_time(quality, p->quality_period));
}

static void print_multilink(const struct ppp_config *p)
{
	char endpoint[ENDPOINT_TEXT_SIZE], delay[TEXT_UNIT_SIZE];
	if (!p->multilink) {
		printf("multilink  no\n");
		return;
	}
	printf("multilink  MRRU %u, sequence numbers of %d bits, fragments of %s%s\n", p->mrru,
	       p->short_sequence ? 12 : 24, p->max_fragment_delay ? "at most " : "any length",
	       p->max_fragment_delay ? text_time(delay, p->max_fragment_delay) : "");
	printf("endpoint   %s\n", endpoint_text(endpoint, &p->endpoint));
}

/* Which of two are so, for people: "PAP or CHAP", "CHAP", "nothing". */
static const char *methods(bool pap, bool chap)
{
	return pap && chap ? "PAP or CHAP" : pap ? "PAP" : chap ? "CHAP" : "nothing";
}

static void print_proof(const struct ppp_config *p)
{
	printf("we         %s, proved by %s\n", p->name[0] ? p->name : "without a name",
	       methods(!p->refuse_pap, !p->refuse_chap));
	printf("peer       %s, proved by %s\n", p->remote_name[0] ? p->remote_name : "any",
	       methods(p->require_pap, p->require_chap));
}

static void ipv4_text(uint32_t address, char to[static INET_ADDRSTRLEN])
{
	struct in_addr a = {.s_addr = htonl(address)};
	inet_ntop(AF_INET, &a, to, INET_ADDRSTRLEN);
}

static void print_ipv4(const struct config *c)
{
	char local[INET_ADDRSTRLEN] = "asked for", remote[INET_ADDRSTRLEN] = "any";
	const struct ppp_config *p = &c->ppp;
	if (p->local)
		ipv4_text(p->local, local);
	if (p->remote)
		ipv4_text(p->remote, remote);
	printf("IPCP       %s to %s%s\n", local, c->answer && c->pool.count ? "the pool's" : remote,
	       p->ask_dns ? ", name servers asked for" : "");
	for (unsigned i = 0; i < 2 && p->give_dns[i]; i++) {
		ipv4_text(p->give_dns[i], local);
		printf("dns        %s for the peer\n", local);
	}
}

void config_print_answer(const struct config *c)
{
	char first[INET_ADDRSTRLEN], last[INET_ADDRSTRLEN];
	if (!c->answer)
		return;
	printf("answer     calls, each bundle with an interface of its own\n");
	if (!c->pool.count)
		return;
	ipv4_text(c->pool.first, first);
	ipv4_text(c->pool.first + c->pool.count - 1, last);
	printf("pool       %s to %s, %u\n", first, last, (unsigned)c->pool.count);
}

void config_print_ppp(const struct config *c)
{
	if (config_ppp_lines(c) == 0)
		return;
	print_link(&c->ppp);
	print_multilink(&c->ppp);
	print_proof(&c->ppp);
	print_ipv4(c);
	if (c->ppp.ipv6)
		printf("IPV6CP     yes\n");
}

void config_print_ppp_line(const struct config *c, double chars_per_sec)
{
	const struct ppp_config *p = &c->ppp;
	char delay[TEXT_UNIT_SIZE];
	unsigned overhead = ppp_overhead(p) + multilink_overhead(p);
	double room = chars_per_sec * (double)p->max_fragment_delay / (double)SB_SEC - overhead;
	if (!p->multilink || !p->max_fragment_delay || room < 1)
		return;
	printf("  fragment %s x %.0f B/s - %u = %.0f bytes, while sparse packets come\n",
	       text_time(delay, p->max_fragment_delay), chars_per_sec, overhead,
	       room < c->mtu ? room : c->mtu);
}
