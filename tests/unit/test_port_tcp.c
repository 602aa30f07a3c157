/* SPDX-License-Identifier: MIT */
/* Connections as ports, to servers in this program over the loopback interface. */
#define _GNU_SOURCE

#include "src/port.h"

#include "pty_testing.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { PATIENCE_MS = 20000 };

static struct port_error error;

struct server {
	int fd;
	unsigned port;
};

static struct server server_new(int family)
{
	struct sockaddr_in6 at6 = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
	struct sockaddr_in at4 = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	bool six = family == AF_INET6;
	struct sockaddr *at = six ? (struct sockaddr *)&at6 : (struct sockaddr *)&at4;
	socklen_t size = six ? sizeof at6 : sizeof at4;
	struct server s = {.fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
	ck_assert_int_ge(s.fd, 0);
	ck_assert_int_eq(bind(s.fd, at, size), 0);
	ck_assert_int_eq(listen(s.fd, 1), 0);
	ck_assert_int_eq(getsockname(s.fd, at, &size), 0);
	s.port = ntohs(six ? at6.sin6_port : at4.sin_port);
	return s;
}

/* A port on which nobody listens: bound, so that nobody else gets it meanwhile. */
static struct server nobody(void)
{
	struct server s = server_new(AF_INET);
	close(s.fd);
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)s.port),
				 .sin_addr = {htonl(INADDR_LOOPBACK)}};
	s.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(s.fd, (struct sockaddr *)&at, sizeof at), 0);
	return s;
}

static struct port *try_open(const char *host, unsigned number)
{
	char device[128];
	snprintf(device, sizeof device, "tcp:%s:%u", host, number);
	struct port_config config = {.device = device, .baud = 9600, .stop_bits = 1};
	return port_open(&config, &error);
}

static struct port *open_to(const char *host, unsigned number)
{
	struct port *port = try_open(host, number);
	ck_assert_msg(port != NULL, "%s: %s", host, error.text);
	ck_assert_str_eq(port_backend(port), "tcp");
	return port;
}

static void wait_for(int fd, short events)
{
	struct pollfd ready = {.fd = fd, .events = events};
	ck_assert_int_eq(poll(&ready, 1, PATIENCE_MS), 1);
}

/* As the line does: watched both ways until it is ready. False: it is gone. */
static bool becomes_ready(struct port *port)
{
	char c;
	while (!port_ready(port)) {
		if (port_read(port, &c, 1) < 0)
			return false;
		wait_for(port_fd(port), POLLIN | POLLOUT);
	}
	return true;
}

static int accept_from(const struct server *s)
{
	wait_for(s->fd, POLLIN);
	int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static const struct {
	const char *host;
	int family;
} hosts[] = {{"127.0.0.1", AF_INET},
	     {"[::1]", AF_INET6},
	     {"localhost", AF_INET},
	     {"[127.0.0.1]", AF_INET}};

START_TEST(it_connects_and_bytes_pass)
{
	uint8_t out[256], in[256];
	struct server s = server_new(hosts[_i].family);
	struct port *port = open_to(hosts[_i].host, s.port);
	ck_assert(becomes_ready(port));
	int peer = accept_from(&s);
	fill_random(out, sizeof out);

	ck_assert_int_eq(port_write(port, bytes_of(out, sizeof out)), sizeof out);
	ck_assert_int_eq(recv(peer, in, sizeof in, MSG_WAITALL), sizeof in);
	ck_assert_mem_eq(in, out, sizeof out);

	ck_assert_int_eq(port_read(port, in, sizeof in), 0);
	ck_assert_int_eq(write(peer, out, 100), 100);
	wait_for(port_fd(port), POLLIN);
	ck_assert_int_eq(port_read(port, in, sizeof in), 100);
	ck_assert_mem_eq(in, out, 100);
	ck_assert_int_ne(fcntl(port_fd(port), F_GETFD) & FD_CLOEXEC, 0);
	port_close(port);
	ck_assert_int_eq(recv(peer, in, 1, 0), 0); /* it was told */
	close(peer);
	close(s.fd);
}
END_TEST

START_TEST(it_has_no_modem_lines)
{
	struct port_icounts counts;
	struct server s = server_new(AF_INET);
	struct port *port = open_to("127.0.0.1", s.port);
	ck_assert_int_eq(port_modem_lines(port), -1);
	ck_assert(!port_icounts(port, &counts));
	ck_assert(!port_set_dtr(port, false));
	ck_assert(!port_set_break(port, true));
	port_close(port);
	close(s.fd);
}
END_TEST

START_TEST(the_peers_end_is_the_ports)
{
	char c;
	struct server s = server_new(AF_INET);
	struct port *port = open_to("127.0.0.1", s.port);
	ck_assert(becomes_ready(port));
	int peer = accept_from(&s);
	ck_assert_int_eq(write(peer, "x", 1), 1);
	if (_i) /* a reset, not an end */
		setsockopt(peer, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0},
			   sizeof(struct linger));
	wait_for(port_fd(port), POLLIN);
	ck_assert_int_eq(port_read(port, &c, 1), 1);
	close(peer);
	wait_for(port_fd(port), POLLIN);
	ck_assert_int_eq(port_read(port, &c, 1), -1);
	ck_assert_str_eq(port_reason(port),
			 _i ? "Connection reset by peer" : "the peer closed the connection");
	ck_assert_int_eq(port_read(port, &c, 1), -1);
	ck_assert_int_eq(port_write(port, bytes_of("x", 1)), -1);
	port_close(port);
	close(s.fd);
}
END_TEST

/* A peer that does not read: little waits here, and how much is told. */
START_TEST(a_full_peer_holds_it_back)
{
	static uint8_t out[1024], in[65536];
	struct server s = server_new(AF_INET);
	setsockopt(s.fd, SOL_SOCKET, SO_RCVBUF, &(int){1}, sizeof(int));
	struct port *port = open_to("127.0.0.1", s.port);
	ck_assert(becomes_ready(port));
	int peer = accept_from(&s);
	size_t sent = 0, refusals = 0;
	while (refusals < 2) {
		ssize_t n = port_write(port, bytes_of(out, sizeof out));
		ck_assert_int_ge(n, 0);
		sent += (size_t)n;
		struct pollfd ready = {.fd = port_fd(port), .events = POLLOUT};
		refusals = n > 0 ? 0 : refusals + 1;
		if (n == 0)
			poll(&ready, 1, 200); /* what is on its way through the kernel arrives */
	}
	ck_assert_int_gt(port_outq(port), 0);
	ck_assert_int_le(port_outq(port), 4096);
	ck_assert_uint_lt(sent, 65536);
	while (port_outq(port) > 0)
		ck_assert_int_gt(read(peer, in, sizeof in), 0);
	wait_for(port_fd(port), POLLOUT);
	ck_assert_int_gt(port_write(port, bytes_of(out, 1)), 0);
	port_close(port);
	close(peer);
	close(s.fd);
}
END_TEST

START_TEST(small_pieces_are_not_held_together)
{
	int on = 0;
	socklen_t size = sizeof on;
	struct server s = server_new(AF_INET);
	struct port *port = open_to("127.0.0.1", s.port);
	ck_assert_int_eq(getsockopt(port_fd(port), IPPROTO_TCP, TCP_NODELAY, &on, &size), 0);
	ck_assert_int_ne(on, 0);
	ck_assert_int_eq(getsockopt(port_fd(port), SOL_SOCKET, SO_KEEPALIVE, &on, &size), 0);
	ck_assert_int_ne(on, 0);
	port_close(port);
	close(s.fd);
}
END_TEST

/* At once or a moment later, as the kernel has it. */
START_TEST(a_refusal_is_told)
{
	struct server s = nobody();
	struct port *port = try_open("127.0.0.1", s.port);
	if (!port) {
		ck_assert_int_eq(error.status, PORT_NO_DEVICE);
		ck_assert_str_eq(error.text, "connection refused");
	} else {
		ck_assert(!becomes_ready(port));
		ck_assert_str_eq(port_reason(port), "connection refused");
	}
	port_close(port);
	close(s.fd);
}
END_TEST

/* "localhost" has two addresses, and the server listens on the one that comes second. */
START_TEST(a_name_that_is_refused_is_told_too)
{
	struct server s = nobody();
	struct port *port = open_to("localhost", s.port);
	ck_assert(!becomes_ready(port));
	ck_assert_str_eq(port_reason(port), "connection refused");
	ck_assert_int_eq(port_write(port, bytes_of("x", 1)), -1);
	port_close(port);
	close(s.fd);
}
END_TEST

START_TEST(a_host_that_is_not_found_is_told)
{
	static const char prefix[] = "host not found: ";
	struct port *port = open_to("no-such-host.invalid", 9);
	ck_assert_int_le(port_write(port, bytes_of("x", 1)), 0); /* while it is being looked up */
	ck_assert_int_eq(port_outq(port), 0);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* by none of our children */
	ck_assert(!becomes_ready(port));
	ck_assert_msg(strncmp(port_reason(port), prefix, sizeof prefix - 1) == 0, "%s",
		      port_reason(port));
	port_close(port);
}
END_TEST

START_TEST(one_can_close_it_while_it_is_made)
{
	port_close(open_to("no-such-host.invalid", 9));
	struct server s = server_new(AF_INET);
	port_close(open_to("127.0.0.1", s.port));
	close(s.fd);
}
END_TEST

static const char *const wrong[] = {
	"tcp:",         "tcp:host",       "tcp::23",         "tcp:host:",
	"tcp:host:0",   "tcp:host:65536", "tcp:host:telnet", "tcp:::1:3001",
	"tcp:host:23x", "tcp:host:-1",    "tcp:[]:23",       "tcp:host: 23",
};

START_TEST(what_is_no_address_is_refused)
{
	struct port_config config = {.device = wrong[_i], .stop_bits = 1};
	ck_assert_msg(port_open(&config, &error) == NULL, "%s", wrong[_i]);
	ck_assert_int_eq(error.status, PORT_BAD_SETTING);
	ck_assert_ptr_nonnull(strstr(error.text, "tcp:HOST:PORT"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("port_tcp");
	TCase *tcase = tcase_create("tcp");
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, it_connects_and_bytes_pass, 0, sizeof hosts / sizeof *hosts);
	tcase_add_test(tcase, it_has_no_modem_lines);
	tcase_add_loop_test(tcase, the_peers_end_is_the_ports, 0, 2);
	tcase_add_test(tcase, a_full_peer_holds_it_back);
	tcase_add_test(tcase, small_pieces_are_not_held_together);
	tcase_add_test(tcase, a_refusal_is_told);
	tcase_add_test(tcase, a_name_that_is_refused_is_told_too);
	tcase_add_test(tcase, a_host_that_is_not_found_is_told);
	tcase_add_test(tcase, one_can_close_it_while_it_is_made);
	tcase_add_loop_test(tcase, what_is_no_address_is_refused, 0, sizeof wrong / sizeof *wrong);
	suite_add_tcase(suite, tcase);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
