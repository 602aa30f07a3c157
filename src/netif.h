/* SPDX-License-Identifier: MIT */
/*
 * Addresses and routes of the interface, through rtnetlink (libmnl).
 *
 * What is set is remembered and only that is taken away again: a route of
 * another's is never touched.
 */
#ifndef SRC_NETIF_H
#define SRC_NETIF_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct netif_address {
	int family; /* AF_INET or AF_INET6 */
	union {
		struct in_addr v4;
		struct in6_addr v6;
	} local, peer;
	bool has_peer;
	bool shared;    /* though another interface here has it, too */
	uint8_t prefix; /* bits; 32 or 128 with a peer */
};

enum netif_status {
	NETIF_OK = 0,
	NETIF_NO_PERMISSION,
	NETIF_IN_USE, /* the address is on another interface here */
	NETIF_EXISTS, /* the route exists already, with this metric */
	NETIF_FAILED,
};

struct netif;

/*
 * For the interface of this name, which from now on makes no IPv6 link-local
 * address; NULL with text when there is none such, or no rtnetlink.
 */
struct netif *netif_open(const char *ifname, char *text, size_t text_size);
/* Removes what was added through this object (routes, addresses). */
void netif_close(struct netif *);

/* Each: NETIF_OK, or why not, with text as a sentence without full stop. */
enum netif_status netif_set_mtu(struct netif *, unsigned mtu, char *text, size_t text_size);
enum netif_status netif_set_up(struct netif *, bool up, char *text, size_t text_size);
/* Without a route: see netif_add_peer_route. */
enum netif_status netif_add_address(struct netif *, const struct netif_address *, char *text,
				    size_t text_size);
/*
 * A route to the address's peer (or its network), with the least retransmission
 * timeout that TCP may use over it; the interface must be up. A lone address without
 * either gets none.
 */
enum netif_status netif_add_peer_route(struct netif *, const struct netif_address *,
				       unsigned rto_ms, char *text, size_t text_size);
/* metric 0 is the kernel's default for the family; rto_ms as above. */
enum netif_status netif_add_default_route(struct netif *, int family, uint32_t metric,
					  unsigned rto_ms, char *text, size_t text_size);

#endif
