/* SPDX-License-Identifier: MIT */
/*
 * Options on who the peers are: how they and we prove it, what addresses they
 * get and give, and whether they call us. Secrets are only in files: what stands
 * on a command line is shown by ps(1).
 */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_value.h"
#include "src/parse.h"

#include <arpa/inet.h>
#include <assert.h>
#include <string.h>

/* --- proof ---------------------------------------------------------------------------------- */

static bool take_user(struct config_args *args, const struct option_row *row, const char *value)
{
	(void)row;
	return value_take_text(args->config->ppp.name, AUTH_NAME_SIZE, value);
}

static bool take_remote_name(struct config_args *args, const struct option_row *row,
			     const char *value)
{
	(void)row;
	return value_take_text(args->config->ppp.remote_name, AUTH_NAME_SIZE, value);
}

#define A_NAME "a name of 1 to 255 bytes"
#define A_FILE "a file name of at most 255 characters"
static_assert(AUTH_NAME_SIZE == 256, "A_NAME says so");
static_assert(CONFIG_DEVICE_SIZE == 256, "A_FILE says so");

static const struct option_row auth_rows[] = {
	{.name = "user",
	 .value = " NAME",
	 .take = take_user,
	 .give = config_give_path,
	 OPTION_IN(ppp.name),
	 .help = "our name to the peer (the host's)",
	 .form = A_NAME},
	{.name = "remote-name",
	 .value = " NAME",
	 .take = take_remote_name,
	 .give = config_give_path,
	 OPTION_IN(ppp.remote_name),
	 .help = "the peer's, where it does not say",
	 .form = A_NAME},
	OPTION_ON("require-pap", ppp.require_pap, "the peer must prove itself by PAP"),
	OPTION_ON("require-chap", ppp.require_chap, "the peer must prove itself by CHAP"),
	OPTION_ON("refuse-pap", ppp.refuse_pap, "never tell our password"),
	OPTION_ON("refuse-chap", ppp.refuse_chap, "answer no challenges"),
	{.name = "pap-secrets",
	 .value = " FILE",
	 .take = config_take_file,
	 .give = config_give_path,
	 OPTION_IN(ppp.pap_secrets),
	 .help = "passwords (/etc/ppp/pap-secrets)",
	 .form = A_FILE},
	{.name = "chap-secrets",
	 .value = " FILE",
	 .take = config_take_file,
	 .give = config_give_path,
	 OPTION_IN(ppp.chap_secrets),
	 .help = "secrets (/etc/ppp/chap-secrets)",
	 .form = A_FILE},
	{.name = "rechallenge",
	 .value = " TIME",
	 OPTION_PLAIN(time, ppp.rechallenge),
	 .max = 24 * 3600 * (uint64_t)SB_SEC,
	 .help = "between CHAP challenges (only one)",
	 .form = "a time from 0 to 24h (90s, 10min)"},
};

/* --- network ---------------------------------------------------------------------------------- */

/* One IPv4 address for a host, in host order. */
static bool take_ipv4(const char *value, uint32_t *to)
{
	struct netif_address address;
	int prefix;
	if (!parse_address(value, &address, &prefix) || prefix != PARSE_NO_PREFIX ||
	    address.family != AF_INET || !parse_is_host(&address))
		return false;
	*to = ntohl(address.local.v4.s_addr);
	return true;
}

static bool take_dns(struct config_args *args, const struct option_row *row, const char *value)
{
	uint32_t *dns = args->config->ppp.give_dns;
	(void)row;
	if (dns[1])
		return config_refuse(args, "%s: more than 2 name servers", value);
	return take_ipv4(value, &dns[dns[0] != 0]);
}

static bool give_ipv4(uint32_t address, char to[static CONFIG_TEXT_SIZE])
{
	struct in_addr a = {.s_addr = htonl(address)};
	return inet_ntop(AF_INET, &a, to, INET_ADDRSTRLEN) != NULL;
}

static bool give_dns(const struct config *c, const struct option_row *row, unsigned n,
		     char to[static CONFIG_TEXT_SIZE])
{
	(void)row;
	return n < 2 && c->ppp.give_dns[n] && give_ipv4(c->ppp.give_dns[n], to);
}

/* As the low half of an IPv6 address: ::1, ::a00:27ff:fe00:1. */
static bool parse_id(const char *text, uint8_t id[static 8])
{
	static const uint8_t zero[8];
	struct in6_addr address;
	if (inet_pton(AF_INET6, text, &address) != 1)
		return false;
	memcpy(id, address.s6_addr + 8, 8);
	return memcmp(address.s6_addr, zero, 8) == 0 && memcmp(id, zero, 8) != 0;
}

static bool take_interface_id(struct config_args *args, const struct option_row *row,
			      const char *value)
{
	struct ppp_config *p = &args->config->ppp;
	char local[INET6_ADDRSTRLEN];
	size_t length = strcspn(value, ",");
	(void)row;
	if (length >= sizeof(local))
		return false;
	memcpy(local, value, length);
	local[length] = '\0';
	if (!parse_id(local, p->local_id))
		return false;
	if (value[length] == '\0')
		return true;
	return parse_id(value + length + 1, p->remote_id) &&
	       (memcmp(p->local_id, p->remote_id, sizeof(p->local_id)) != 0 ||
		config_refuse(args, "%s: both are the same", value));
}

static void give_id(const uint8_t id[static 8], char to[static INET6_ADDRSTRLEN])
{
	struct in6_addr address = {0};
	memcpy(address.s6_addr + 8, id, 8);
	inet_ntop(AF_INET6, &address, to, INET6_ADDRSTRLEN);
}

static bool give_interface_id(const struct config *c, const struct option_row *row, unsigned n,
			      char to[static CONFIG_TEXT_SIZE])
{
	static const uint8_t none[8];
	const struct ppp_config *p = &c->ppp;
	(void)row;
	*to = '\0';
	if (memcmp(p->local_id, none, sizeof(none)) != 0)
		give_id(p->local_id, to);
	if (memcmp(p->remote_id, none, sizeof(none)) != 0) {
		strcat(to, ",");
		give_id(p->remote_id, to + strlen(to));
	}
	return n == 0;
}

static const struct option_row network_rows[] = {
	OPTION_ON("accept-local", ppp.accept_local, "the peer may tell another address for us"),
	OPTION_ON("accept-remote", ppp.accept_remote, "the peer may have another address itself"),
	OPTION_ON("ask-dns", ppp.ask_dns, "ask the peer for name servers"),
	{.name = "resolv",
	 .value = " FILE",
	 .take = config_take_file,
	 .give = config_give_path,
	 OPTION_IN(ppp.resolv),
	 .help = "write those to FILE, as resolv.conf(5)",
	 .form = A_FILE},
	{.name = "dns",
	 .value = " ADDR",
	 .take = take_dns,
	 .give = give_dns,
	 .repeats = true,
	 .help = "name server for the peer; may be given twice",
	 .form = "an IPv4 address"},
	OPTION_ON("ipv6", ppp.ipv6, "IPv6 as well"),
	{.name = "interface-id",
	 .value = " ID[,ID]",
	 .take = take_interface_id,
	 .give = give_interface_id,
	 .help = "IPv6 identifiers, ours and the peer's (random)",
	 .form = "the low half of an IPv6 address, or two (::1,::2)"},
};

/* --- answering -------------------------------------------------------------------------------- */

enum { POOL_MAX = 65536 };

static uint32_t netmask(unsigned prefix)
{
	return prefix ? UINT32_MAX << (32 - prefix) : 0;
}

/* The hosts of a network from this address on: without the network's own and the broadcast one. */
static bool pool_of_network(const char *text, uint32_t *first, uint32_t *last)
{
	struct netif_address address;
	int prefix;
	if (!parse_address(text, &address, &prefix) || prefix == PARSE_NO_PREFIX ||
	    address.family != AF_INET || !parse_is_host(&address))
		return false;
	uint32_t mask = netmask((unsigned)prefix);
	*first = ntohl(address.local.v4.s_addr);
	*last = *first | ~mask;
	if (prefix < 31) {
		*first += (*first & ~mask) == 0;
		*last -= 1;
	}
	return true;
}

static bool pool_of_range(const char *text, uint32_t *first, uint32_t *last)
{
	char from[INET_ADDRSTRLEN];
	size_t length = strcspn(text, "-");
	if (text[length] == '\0' || length >= sizeof(from))
		return false;
	memcpy(from, text, length);
	from[length] = '\0';
	return take_ipv4(from, first) && take_ipv4(text + length + 1, last);
}

static bool take_pool(struct config_args *args, const struct option_row *row, const char *value)
{
	uint32_t first, last;
	(void)row;
	if (!pool_of_network(value, &first, &last) && !pool_of_range(value, &first, &last))
		return false;
	if (last < first)
		return config_refuse(args, "%s: no address in it", value);
	if (last - first >= POOL_MAX)
		return config_refuse(args, "%s: more than %d addresses", value, POOL_MAX);
	args->config->pool = (struct pool_config){.first = first, .count = last - first + 1};
	return true;
}

static bool give_pool(const struct config *c, const struct option_row *row, unsigned n,
		      char to[static CONFIG_TEXT_SIZE])
{
	const struct pool_config *p = &c->pool;
	(void)row;
	*to = '\0';
	if (!p->count)
		return n == 0;
	give_ipv4(p->first, to);
	strcat(to, "-");
	return give_ipv4(p->first + p->count - 1, to + strlen(to)) && n == 0;
}

static const struct option_row answer_rows[] = {
	OPTION_ON("answer", answer, "peers call in, each gets its interface"),
	{.name = "pool",
	 .value = " FIRST-LAST",
	 .take = take_pool,
	 .give = give_pool,
	 .help = "addresses for them; or FIRST/PREFIX",
	 .form = "FIRST-LAST or FIRST/PREFIX (10.0.0.2-10.0.0.9, 10.0.0.2/24)"},
};

const struct option_group config_auth_group = {.title = "Authentication (PPP)",
					       .rows = auth_rows,
					       .count = OPTION_COUNT(auth_rows),
					       .ppp = true};
const struct option_group config_network_group = {.title = "Addresses (PPP)",
						  .rows = network_rows,
						  .count = OPTION_COUNT(network_rows),
						  .ppp = true};
const struct option_group config_answer_group = {
	.title = "Answering", .rows = answer_rows, .count = OPTION_COUNT(answer_rows)};
