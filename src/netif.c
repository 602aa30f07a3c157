/* SPDX-License-Identifier: MIT */
/*
 * Addresses and routes, through rtnetlink.
 *
 * Each request is one message answered by one NLMSG_ERROR, waited for: the
 * kernel answers these before send() returns. For whatever was added,
 * the request that takes it away is kept, ready to send; closing sends them in
 * reverse. What was there before (EEXIST) is not ours and leaves no such request.
 *
 * The kernel itself would send on a new interface: router solicitations and
 * multicast reports for the link-local address that it invents. On a 9600 bps
 * line each costs a tenth of a second, and neither has an answer, so
 * IPv6 is told to invent none (IN6_ADDR_GEN_MODE_NONE), and our own addresses
 * skip duplicate address detection: there is only one other host on the link.
 */
#define _DEFAULT_SOURCE

#include "src/netif.h"

#include <assert.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	REQUEST_SIZE = 256, /* the longest here is below 100 bytes */
	UNDO_MAX = 32,
	ROUTE6_METRIC = 256,      /* as the kernel gives it to such routes */
	ROUTE6_PEER_METRIC = 128, /* the kernel adds one to a peer at all events: go before it */
};

/* A request being written; aligned as netlink wants it. */
union request {
	struct nlmsghdr header;
	uint8_t bytes[REQUEST_SIZE];
};

struct netif {
	struct mnl_socket *nl;
	unsigned index;
	char name[IF_NAMESIZE];
	unsigned sequence;
	union request undo[UNDO_MAX];
	unsigned undo_count;
};

__attribute__((format(printf, 4, 5))) static enum netif_status
refuse(enum netif_status status, char *text, size_t text_size, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, text_size, format, arguments);
	va_end(arguments);
	return status;
}

static enum netif_status refuse_errno(int why, char *text, size_t text_size, const char *what)
{
	if (why == EPERM)
		return refuse(NETIF_NO_PERMISSION, text, text_size,
			      "no permission to set %s (CAP_NET_ADMIN is needed)", what);
	if (why == EAFNOSUPPORT || why == EOPNOTSUPP || why == EACCES) /* disable_ipv6 */
		return refuse(NETIF_FAILED, text, text_size,
			      "%s: this kernel does not support it, or it is switched off", what);
	return refuse(NETIF_FAILED, text, text_size, "%s: %s", what, strerror(why));
}

/* Sends a request and takes the answers; 0, or an errno. */
static int transact(struct netif *netif, union request *request, mnl_cb_t each, void *context)
{
	uint8_t answer[8192]; /* as iproute2: a dump fills no more at once */
	unsigned port = mnl_socket_get_portid(netif->nl);
	request->header.nlmsg_seq = ++netif->sequence;
	if (mnl_socket_sendto(netif->nl, request, request->header.nlmsg_len) < 0)
		return errno;
	for (;;) {
		ssize_t n = mnl_socket_recvfrom(netif->nl, answer, sizeof answer);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		int more = mnl_cb_run(answer, (size_t)n, netif->sequence, port, each, context);
		if (more != MNL_CB_OK)
			return more == MNL_CB_ERROR ? errno : 0;
	}
}

/* Sends a request that only succeeds or fails. */
static int request_ack(struct netif *netif, union request *request)
{
	request->header.nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	return transact(netif, request, NULL, NULL);
}

/* Starts a request: the kernel's fixed header of `size` bytes after netlink's. */
static void *start(union request *request, uint16_t type, uint16_t flags, size_t size)
{
	memset(request, 0, sizeof *request);
	struct nlmsghdr *header = mnl_nlmsg_put_header(request);
	header->nlmsg_type = type;
	header->nlmsg_flags = flags;
	return mnl_nlmsg_put_extra_header(header, size);
}

static struct ifinfomsg *start_link(const struct netif *netif, union request *request)
{
	struct ifinfomsg *link = start(request, RTM_NEWLINK, 0, sizeof *link);
	link->ifi_family = AF_UNSPEC;
	link->ifi_index = (int)netif->index;
	return link;
}

/* Adds, and keeps what takes it away again. */
static int add(struct netif *netif, union request *request, uint16_t opposite)
{
	assert(netif->undo_count < UNDO_MAX);
	int why = request_ack(netif, request);
	if (why == 0) {
		union request *undo = &netif->undo[netif->undo_count++];
		*undo = *request;
		undo->header.nlmsg_type = opposite;
		undo->header.nlmsg_flags = 0;
	}
	return why;
}

/* Where IPv6 is not there, there is nothing to silence: no error is looked at. */
static void silence_ipv6(struct netif *netif)
{
	union request request;
	start_link(netif, &request);
	struct nlattr *families = mnl_attr_nest_start(&request.header, IFLA_AF_SPEC);
	struct nlattr *inet6 = mnl_attr_nest_start(&request.header, AF_INET6);
	mnl_attr_put_u8(&request.header, IFLA_INET6_ADDR_GEN_MODE, IN6_ADDR_GEN_MODE_NONE);
	mnl_attr_nest_end(&request.header, inet6);
	mnl_attr_nest_end(&request.header, families);
	request_ack(netif, &request);
}

struct netif *netif_open(const char *ifname, char *text, size_t text_size)
{
	struct netif *netif = calloc(1, sizeof *netif);
	if (!netif) {
		refuse(NETIF_FAILED, text, text_size, "out of memory");
		return NULL;
	}
	netif->index = if_nametoindex(ifname);
	if (netif->index == 0) {
		refuse(NETIF_FAILED, text, text_size, "there is no interface %s", ifname);
		free(netif);
		return NULL;
	}
	snprintf(netif->name, sizeof netif->name, "%s", ifname);
	netif->nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (!netif->nl || mnl_socket_bind(netif->nl, 0, MNL_SOCKET_AUTOPID) < 0) {
		refuse(NETIF_FAILED, text, text_size, "rtnetlink: %s", strerror(errno));
		netif_close(netif);
		return NULL;
	}
	silence_ipv6(netif);
	return netif;
}

void netif_close(struct netif *netif)
{
	if (!netif)
		return;
	while (netif->undo_count > 0) /* what is gone already does not matter */
		request_ack(netif, &netif->undo[--netif->undo_count]);
	if (netif->nl)
		mnl_socket_close(netif->nl);
	free(netif);
}

enum netif_status netif_set_mtu(struct netif *netif, unsigned mtu, char *text, size_t text_size)
{
	union request request;
	start_link(netif, &request);
	mnl_attr_put_u32(&request.header, IFLA_MTU, mtu);
	int why = request_ack(netif, &request);
	return why == 0 ? NETIF_OK : refuse_errno(why, text, text_size, "the MTU");
}

enum netif_status netif_set_up(struct netif *netif, bool up, char *text, size_t text_size)
{
	union request request;
	struct ifinfomsg *link = start_link(netif, &request);
	link->ifi_change = IFF_UP;
	link->ifi_flags = up ? IFF_UP : 0;
	int why = request_ack(netif, &request);
	return why == 0 ? NETIF_OK : refuse_errno(why, text, text_size, "the interface up or down");
}

static size_t address_size(int family)
{
	assert(family == AF_INET || family == AF_INET6);
	return family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
}

/* Looking through all addresses for one. */
struct search {
	const struct netif_address *wanted;
	unsigned own_index;
	unsigned elsewhere; /* the other interface that has it; 0: none */
};

/* Of a pair, IFA_LOCAL is ours; IPv6 without a peer has only IFA_ADDRESS. */
static int look_at_address(const struct nlmsghdr *header, void *context)
{
	struct search *search = context;
	const struct ifaddrmsg *address = mnl_nlmsg_get_payload(header);
	const struct nlattr *attribute, *local = NULL, *plain = NULL;
	mnl_attr_for_each(attribute, header, sizeof *address)
	{
		if (mnl_attr_get_type(attribute) == IFA_LOCAL)
			local = attribute;
		if (mnl_attr_get_type(attribute) == IFA_ADDRESS)
			plain = attribute;
	}
	const struct nlattr *own = local ? local : plain;
	size_t size = address_size(search->wanted->family);
	if (address->ifa_family == search->wanted->family && own &&
	    mnl_attr_get_payload_len(own) == size &&
	    memcmp(mnl_attr_get_payload(own), &search->wanted->local, size) == 0 &&
	    address->ifa_index != search->own_index)
		search->elsewhere = address->ifa_index;
	return MNL_CB_OK;
}

/* The index of another interface that has the address, or 0. */
static unsigned find_elsewhere(struct netif *netif, const struct netif_address *wanted)
{
	union request request;
	struct search search = {.wanted = wanted, .own_index = netif->index};
	struct ifaddrmsg *all =
		start(&request, RTM_GETADDR, NLM_F_REQUEST | NLM_F_DUMP, sizeof *all);
	all->ifa_family = (uint8_t)wanted->family;
	transact(netif, &request, look_at_address, &search);
	return search.elsewhere;
}

static void write_address(const struct netif *netif, union request *request,
			  const struct netif_address *address)
{
	size_t size = address_size(address->family);
	struct ifaddrmsg *header =
		start(request, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, sizeof *header);
	header->ifa_family = (uint8_t)address->family;
	header->ifa_index = netif->index;
	header->ifa_prefixlen = address->prefix;
	header->ifa_scope = RT_SCOPE_UNIVERSE;
	/* Without the kernel's own route: netif_add_peer_route adds one that says more. */
	mnl_attr_put_u32(&request->header, IFA_FLAGS,
			 IFA_F_NOPREFIXROUTE | (address->family == AF_INET6 ? IFA_F_NODAD : 0));
	mnl_attr_put(&request->header, IFA_LOCAL, size, &address->local);
	mnl_attr_put(&request->header, IFA_ADDRESS, size,
		     address->has_peer ? &address->peer : &address->local);
}

enum netif_status netif_add_address(struct netif *netif, const struct netif_address *address,
				    char *text, size_t text_size)
{
	union request request;
	char name[IF_NAMESIZE] = "another";
	unsigned elsewhere = address->shared ? 0 : find_elsewhere(netif, address);
	if (elsewhere) {
		if_indextoname(elsewhere, name);
		return refuse(NETIF_IN_USE, text, text_size, "the address is on %s already", name);
	}
	write_address(netif, &request, address);
	int why = add(netif, &request, RTM_DELADDR);
	if (why == 0 || why == EEXIST)
		return NETIF_OK;
	return refuse_errno(why, text, text_size, "the address");
}

/* RTAX_RTO_MIN counts only when it is locked. */
static void put_min_rto(union request *request, unsigned rto_ms)
{
	struct nlattr *metrics = mnl_attr_nest_start(&request->header, RTA_METRICS);
	mnl_attr_put_u32(&request->header, RTAX_LOCK, 1U << RTAX_RTO_MIN);
	mnl_attr_put_u32(&request->header, RTAX_RTO_MIN, rto_ms);
	mnl_attr_nest_end(&request->header, metrics);
}

static struct rtmsg *start_route(const struct netif *netif, union request *request, int family,
				 uint16_t flags, unsigned rto_ms)
{
	struct rtmsg *route = start(request, RTM_NEWROUTE, flags, sizeof *route);
	route->rtm_family = (uint8_t)family;
	route->rtm_table = RT_TABLE_MAIN;
	route->rtm_scope = family == AF_INET ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
	route->rtm_type = RTN_UNICAST;
	mnl_attr_put_u32(&request->header, RTA_OIF, netif->index);
	put_min_rto(request, rto_ms);
	return route;
}

/* The peer, or the network. */
static void write_destination(union request *request, const struct netif_address *address)
{
	size_t size = address_size(address->family);
	uint8_t network[sizeof(struct in6_addr)];
	memcpy(network, address->has_peer ? (const void *)&address->peer : &address->local, size);
	for (size_t bit = address->prefix; bit < 8 * size; bit++)
		network[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
	mnl_attr_put(&request->header, RTA_DST, size, network);
}

static bool is_lone(const struct netif_address *address)
{
	return !address->has_peer && address->prefix == 8 * address_size(address->family);
}

/*
 * As the kernel itself adds one with an address: beside those that others have to the
 * same place, not instead.
 */
enum netif_status netif_add_peer_route(struct netif *netif, const struct netif_address *address,
				       unsigned rto_ms, char *text, size_t text_size)
{
	union request request;
	if (is_lone(address))
		return NETIF_OK;
	struct rtmsg *route =
		start_route(netif, &request, address->family, NLM_F_CREATE | NLM_F_APPEND, rto_ms);
	route->rtm_protocol = RTPROT_STATIC;
	route->rtm_dst_len = address->prefix;
	write_destination(&request, address);
	if (address->family == AF_INET)
		mnl_attr_put(&request.header, RTA_PREFSRC, sizeof address->local.v4,
			     &address->local);
	else
		mnl_attr_put_u32(&request.header, RTA_PRIORITY,
				 address->has_peer ? ROUTE6_PEER_METRIC : ROUTE6_METRIC);
	int why = add(netif, &request, RTM_DELROUTE);
	if (why == 0 || why == EEXIST) /* two addresses in one network */
		return NETIF_OK;
	return refuse_errno(why, text, text_size, "the route to the peer");
}

/* The whole family's default, by the interface alone: a point-to-point link needs no gateway. */
enum netif_status netif_add_default_route(struct netif *netif, int family, uint32_t metric,
					  unsigned rto_ms, char *text, size_t text_size)
{
	union request request;
	struct rtmsg *route =
		start_route(netif, &request, family, NLM_F_CREATE | NLM_F_EXCL, rto_ms);
	route->rtm_protocol = RTPROT_STATIC;
	if (metric)
		mnl_attr_put_u32(&request.header, RTA_PRIORITY, metric);
	int why = add(netif, &request, RTM_DELROUTE);
	if (why == 0)
		return NETIF_OK;
	if (why == EEXIST)
		return refuse(NETIF_EXISTS, text, text_size,
			      "there is a default route with this metric already");
	return refuse_errno(why, text, text_size, "the default route");
}
