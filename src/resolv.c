/* SPDX-License-Identifier: MIT */
/*
 * Name servers that a peer told.
 *
 * The file is written beside its place and renamed: a resolver that reads it finds
 * the old ones or the new, never half a file. It stays when the link goes, as pppd's
 * does: what it names is as good a guess as any, and an empty one sends resolvers
 * to this host.
 */
#define _DEFAULT_SOURCE
#include "src/resolv.h"

#include "src/config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *ipv4_text(uint32_t address, char to[static INET_ADDRSTRLEN])
{
	struct in_addr a = {.s_addr = htonl(address)};

	return inet_ntop(AF_INET, &a, to, INET_ADDRSTRLEN);
}

const char *resolv_text(const uint32_t dns[static 2], char *to, size_t size)
{
	char first[INET_ADDRSTRLEN] = "", second[INET_ADDRSTRLEN] = "";

	if (dns[0])
		ipv4_text(dns[0], first);
	if (dns[1])
		ipv4_text(dns[1], second);
	snprintf(to, size, "%s%s%s", first, dns[0] && dns[1] ? " " : "", second);
	return to;
}

static bool write_servers(const char *path, const uint32_t dns[static 2])
{
	char text[INET_ADDRSTRLEN];
	FILE *file = fopen(path, "we");

	if (!file)
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (dns[i])
			fprintf(file, "nameserver %s\n", ipv4_text(dns[i], text));
	bool written = !ferror(file);
	return fclose(file) == 0 && written;
}

bool resolv_write(const char *path, const uint32_t dns[static 2], char *why, size_t why_size)
{
	char beside[CONFIG_DEVICE_SIZE + sizeof(".new")];

	snprintf(beside, sizeof(beside), "%s.new", path);
	if (write_servers(beside, dns) && rename(beside, path) == 0)
		return true;
	snprintf(why, why_size, "%s: %s", path, strerror(errno));
	unlink(beside);
	return false;
}
