/* SPDX-License-Identifier: MIT */
/*
 * What depends on several options at once, where lines speak PPP or peers call.
 */
#define _DEFAULT_SOURCE
#include "src/config_checks.h"

#include "src/config_line.h"
#include "src/endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct rule {
	const char *option;
	enum { NEEDS, EXCLUDES } how;
	const char *other;
} rules[] = {
	{"ppp", EXCLUDES, "slip"},
	{"short-sequence", EXCLUDES, "no-multilink"},
	{"mrru", EXCLUDES, "no-multilink"},
	{"max-fragment-delay", EXCLUDES, "no-multilink"},
	{"interface-id", NEEDS, "ipv6"},
	{"resolv", NEEDS, "ask-dns"},
	{"accept-local", NEEDS, "local"},
	{"accept-remote", NEEDS, "remote"},
	{"rechallenge", NEEDS, "require-chap"},
	{"pool", NEEDS, "answer"},
	{"remote", EXCLUDES, "answer"},
	{"default-route", EXCLUDES, "answer"},
	{"accept-local", EXCLUDES, "answer"},
	{"ask-dns", EXCLUDES, "answer"},
};

bool settle_rules(struct settling *s)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct rule *r = &rules[i];
		bool wanted = r->how == NEEDS;
		if (settle_is_given(s, r->option) && settle_is_given(s, r->other) != wanted)
			return settle_refuse(s, r->option, ": %s --%s",
					     wanted ? "needs" : "not together with", r->other);
	}
	return true;
}

static bool check_bundle_word(struct settling *s, const struct line_config *line)
{
	if (!line->bundle[0])
		return true;
	if (!s->config->answer)
		return settle_refuse_line(s, line, ": bundle=%s: only with --answer", line->bundle);
	if (line->encap && line->encap != &encap_slip)
		return settle_refuse_line(
			s, line, ": bundle=%s: only for SLIP; PPP tells by itself", line->bundle);
	return true;
}

bool settle_encapsulations(struct settling *s)
{
	struct config *c = s->config;
	const struct encap_kind *other = c->answer ? NULL : &encap_slip;
	for (unsigned i = 0; i < c->line_count; i++) {
		struct line_config *line = &c->lines[i];
		if (!line->encap)
			line->encap = s->loose->encap ? s->loose->encap : other;
		if (!check_bundle_word(s, line))
			return false;
	}
	if (s->loose->given_ppp && config_ppp_lines(c) == 0)
		return settle_refuse(s, s->loose->given_ppp,
				     ": no line speaks PPP (--ppp, or the word ppp on one)");
	return true;
}

bool settle_answering(struct settling *s)
{
	const struct config *c = s->config;
	if (!c->answer)
		return true;
	if (!strchr(c->ifname, '%'))
		return settle_refuse(s, "name", " %s: with --answer there are many: put %%d in it",
				     c->ifname);
	if (c->address_count == 0 && !c->ppp.ipv6)
		return settle_refuse(s, "answer", ": needs --local, our address to those who call");
	for (unsigned i = 0; i < c->address_count; i++) {
		char text[INET6_ADDRSTRLEN];
		settle_address_text(&c->addresses[i], text);
		if (i > 0 || c->addresses[i].family != AF_INET)
			return settle_refuse(s, "local",
					     " %s: with --answer there is one address, of IPv4",
					     text);
	}
	return true;
}

/* Once the address is known. */
static bool pool_has_more(struct settling *s)
{
	const struct pool_config *p = &s->config->pool;
	return p->count != 1 || p->first != p->own ||
	       settle_refuse(s, "pool", ": has no address but the --local one");
}

bool settle_multilink(struct settling *s)
{
	const struct config *c = s->config;
	unsigned lines = config_ppp_lines(c);
	return c->ppp.multilink || c->answer || lines < 2 ||
	       settle_refuse(s, "no-multilink", ": %u PPP lines are one bundle only with it",
			     lines);
}

/* Whoever uses these for flow control takes them out of the data, at either end of the line. */
bool settle_flow(struct settling *s)
{
	enum { XON = 0x11, XOFF = 0x13 };
	struct config *c = s->config;
	for (unsigned i = 0; i < c->line_count; i++) {
		if (c->lines[i].flow != PORT_FLOW_XONXOFF || c->lines[i].encap == &encap_slip)
			continue;
		c->ppp.accm |= 1u << XON | 1u << XOFF;
		asyncmap_add(&c->ppp.escape, XON);
		asyncmap_add(&c->ppp.escape, XOFF);
	}
	return true;
}

static void remove_address(struct config *c, unsigned i)
{
	c->address_count--;
	memmove(&c->addresses[i], &c->addresses[i + 1],
		(c->address_count - i) * sizeof(c->addresses[0]));
}

/* The first IPv4 address is IPCP's. Where there is SLIP it is the interface's from the start, too.
 */
static bool settle_ipv4(struct settling *s, unsigned i)
{
	struct config *c = s->config;
	const struct netif_address *a = &c->addresses[i];
	char text[INET6_ADDRSTRLEN];
	c->ppp.local = c->pool.own = ntohl(a->local.v4.s_addr);
	c->ppp.remote = a->has_peer ? ntohl(a->peer.v4.s_addr) : 0;
	if (config_ppp_lines(c) < c->line_count)
		return true;
	if (s->loose->has_prefix[i])
		return settle_refuse(s, "local",
				     " %s/%u: no prefix where all lines speak PPP, which "
				     "has two addresses on a link",
				     settle_address_text(a, text), a->prefix);
	remove_address(c, i);
	return true;
}

bool settle_negotiated(struct settling *s)
{
	struct config *c = s->config;
	if (config_ppp_lines(c) == 0)
		return true;
	for (unsigned i = 0; i < c->address_count; i++)
		c->ppp.ipv6 |= c->addresses[i].family == AF_INET6;
	for (unsigned i = 0; i < c->address_count; i++) {
		if (c->addresses[i].family == AF_INET)
			return settle_ipv4(s, i) && pool_has_more(s);
	}
	return true;
}

/* What we take is at least what we send, unless it was said otherwise. */
bool settle_units(struct settling *s)
{
	struct config *c = s->config;
	if (!settle_is_given(s, "mru") && c->mtu > c->ppp.mru)
		c->ppp.mru = (uint16_t)c->mtu;
	if (!settle_is_given(s, "mrru") && c->mtu > c->ppp.mrru)
		c->ppp.mrru = (uint16_t)c->mtu;
	uint16_t most = c->ppp.multilink ? c->ppp.mrru : c->ppp.mru;
	if (config_ppp_lines(c) && c->ppp.ipv6 && most < CONFIG_MTU_MIN_IPV6)
		return settle_refuse(s, c->ppp.multilink ? "mrru" : "mru",
				     " %u: IPv6 needs %d or more", most, CONFIG_MTU_MIN_IPV6);
	return true;
}

static bool check_secrets(struct settling *s, const char *option, bool required,
			  const char *requirement, const char *path)
{
	bool given = settle_is_given(s, option);
	if (!(given || required) || access(path, F_OK) == 0 || errno == EACCES)
		return true;
	return given ? settle_refuse(s, option, " %s: %s", path, strerror(errno))
		     : settle_refuse(s, requirement, ": %s: %s", path, strerror(errno));
}

bool settle_secrets(struct settling *s)
{
	const struct ppp_config *p = &s->config->ppp;
	return check_secrets(s, "pap-secrets", p->require_pap, "require-pap", p->pap_secrets) &&
	       check_secrets(s, "chap-secrets", p->require_chap, "require-chap", p->chap_secrets);
}

/* By what the peer knows us when nothing else was said. */
bool settle_names(struct settling *s)
{
	struct ppp_config *p = &s->config->ppp;
	if (!p->name[0] && gethostname(p->name, sizeof(p->name) - 1) != 0)
		p->name[0] = '\0';
	if (!settle_is_given(s, "endpoint"))
		p->endpoint = endpoint_random();
	return true;
}
