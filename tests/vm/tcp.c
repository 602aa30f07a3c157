/* SPDX-License-Identifier: MIT */
/*
 * One TCP transfer from or to a guest, which says when what happens:
 *
 *      tcp receive ADDRESS PORT >file    "listening" on standard error, then the data
 *      tcp send ADDRESS PORT <file       "connecting", and at the end "retransmitted N"
 */
#define _GNU_SOURCE
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Copies to the end of `from`. */
static void copy(int from, int to)
{
	char data[16384];
	for (ssize_t n; (n = read(from, data, sizeof data)) != 0;) {
		if (n < 0)
			die("read");
		for (ssize_t done = 0, more; done < n; done += more)
			if ((more = write(to, data + done, (size_t)(n - done))) < 0)
				die("write");
	}
}

static void receive(int fd, const struct addrinfo *at)
{
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	if (bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, 1))
		die("listen");
	fprintf(stderr, "listening\n");
	int connection = accept(fd, NULL, NULL);
	if (connection < 0)
		die("accept");
	copy(connection, STDOUT_FILENO);
}

static void send_all(int fd, const struct addrinfo *to)
{
	fprintf(stderr, "connecting\n");
	if (connect(fd, to->ai_addr, to->ai_addrlen))
		die("connect");
	copy(STDIN_FILENO, fd);
	shutdown(fd, SHUT_WR);
	char rest;
	(void)!read(fd, &rest, 1); /* the receiver has it all */
	struct tcp_info info;
	socklen_t size = sizeof info;
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		die("TCP_INFO");
	fprintf(stderr, "retransmitted %u\n", info.tcpi_total_retrans);
}

int main(int argc, char *argv[])
{
	bool sends = argc == 4 && strcmp(argv[1], "send") == 0;
	if (!sends && (argc != 4 || strcmp(argv[1], "receive") != 0)) {
		fprintf(stderr, "usage: tcp send|receive ADDRESS PORT\n");
		return 2;
	}
	struct addrinfo *address,
		hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	if (getaddrinfo(argv[2], argv[3], &hints, &address))
		die("address");
	int fd = socket(address->ai_family, SOCK_STREAM, 0);
	if (fd < 0)
		die("socket");
	if (sends)
		send_all(fd, address);
	else
		receive(fd, address);
	freeaddrinfo(address);
	return 0;
}
