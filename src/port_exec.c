/* SPDX-License-Identifier: MIT */
/*
 * A program as a port: `exec:COMMAND`, whose standard input and output are the line.
 *
 *      we ═══ data ═══ COMMAND, by /bin/sh -c, in a process group of its own
 *      └───── leash ── warden, its parent
 *
 * Both are pairs of sockets. The warden is a process of ours (port_child.h) that outlives the
 * port by as long as the command takes to end. When the leash is let go, because the port is
 * closed or because we died however that was, it asks the command to end (SIGHUP, SIGTERM), and
 * when that has not helped in LAST_SECONDS, makes it (SIGKILL). When the command ends by itself,
 * how goes into the leash first, and only then the data's end is shown to us: the warden keeps that
 * side open until then and shuts it down for everybody, so that nothing that the command left
 * running can keep the line looking alive.
 *
 * Standard error is inherited. What we wrote and the command has not read is all that waits
 * here: the least that a socket's buffer can be, some hundred characters.
 */
#define _GNU_SOURCE

#include "src/port_child.h"
#include "src/port_internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAST_SECONDS = 2 };

struct exec {
	int leash;
	char reason[64];
};

struct job {
	const char *command;
	int data, leash;
};

/* ---- the warden ---- */

static void become_command(const struct job *job)
{
	setsid();
	dup2(job->data, STDIN_FILENO);
	dup2(job->data, STDOUT_FILENO);
	execl("/bin/sh", "sh", "-c", job->command, (char *)NULL);
	_exit(127);
}

/* Until the command has ended (its pidfd is readable), or the leash was let go: false. */
static bool wait_for_end(int pidfd, int leash)
{
	struct pollfd fds[] = {{.fd = pidfd, .events = POLLIN}, {.fd = leash}};
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return fds[0].revents != 0;
}

static void ask_to_end(pid_t group, int pidfd)
{
	struct pollfd end = {.fd = pidfd, .events = POLLIN};
	kill(-group, SIGHUP);
	kill(-group, SIGTERM);
	kill(-group, SIGCONT); /* one that was stopped would not hear of it */
	poll(&end, 1, LAST_SECONDS * 1000);
}

static void guard(void *at)
{
	const struct job *job = at;
	int status = 0;
	pid_t pid = fork();
	if (pid == 0)
		become_command(job);
	int pidfd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return;
	if (!wait_for_end(pidfd, job->leash))
		ask_to_end(pid, pidfd);
	kill(-pid, SIGKILL); /* it is not reaped yet, so the number is still its own */
	waitpid(pid, &status, 0);
	send(job->leash, &status, sizeof status, MSG_NOSIGNAL);
	shutdown(job->data, SHUT_RDWR);
}

/* ---- the port ---- */

static struct exec *exec_of(const struct port *port)
{
	return port->state;
}

/* Of the words that a shell has for it. */
static void describe_end(char *text, size_t size, int status)
{
	if (WIFSIGNALED(status))
		snprintf(text, size, "the command was ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) == 127)
		snprintf(text, size, "the command was not found (exit status 127)");
	else
		snprintf(text, size, "the command ended with exit status %d", WEXITSTATUS(status));
}

static ssize_t gone(struct port *port)
{
	int status;
	struct exec *e = exec_of(port);
	if (recv(e->leash, &status, sizeof status, MSG_DONTWAIT) == sizeof status)
		describe_end(e->reason, sizeof e->reason, status);
	return -1;
}

static ssize_t exec_read(struct port *port, void *at, size_t capacity)
{
	ssize_t n = port_socket_read(port->fd, at, capacity);
	return n < 0 ? gone(port) : n;
}

static ssize_t exec_write(struct port *port, struct bytes out)
{
	ssize_t n = port_socket_write(port->fd, out);
	return n < 0 ? gone(port) : n;
}

/* SIOCOUTQ of a unix socket counts what buffers take of memory, not characters. */
static int exec_outq(struct port *port)
{
	(void)port;
	return -1;
}

static int exec_modem_lines(struct port *port)
{
	(void)port;
	return -1;
}

static bool exec_icounts(struct port *port, struct port_icounts *counts)
{
	(void)port, (void)counts;
	return false;
}

static const char *exec_reason(const struct port *port)
{
	return exec_of(port)->reason;
}

static void exec_close(struct port *port)
{
	close(port->fd);
	close(exec_of(port)->leash);
	free(exec_of(port));
}

static const struct port_ops port_exec_ops = {
	.name = "exec",
	.read = exec_read,
	.write = exec_write,
	.outq = exec_outq,
	.modem_lines = exec_modem_lines,
	.icounts = exec_icounts,
	.reason = exec_reason,
	.close = exec_close,
};

/* A pair of sockets, ours first; the other side is for the warden and what it starts. */
static bool make_pair(int pair[static 2])
{
	pair[0] = pair[1] = -1;
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0;
}

static bool start(struct port *port, const char *command)
{
	int data[2], leash[2] = {-1, -1};
	bool started = false;
	if (make_pair(data) && make_pair(leash)) {
		struct job job = {command, data[1], leash[1]};
		setsockopt(data[0], SOL_SOCKET, SO_SNDBUF, &(int){1}, sizeof(int));
		started = port_child_start(guard, &job, (int[]){data[1], leash[1]}, 2);
	}
	int why = errno;
	port->fd = data[0];
	exec_of(port)->leash = leash[0];
	if (data[1] >= 0)
		close(data[1]);
	if (leash[1] >= 0)
		close(leash[1]);
	errno = why;
	return started;
}

static bool is_blank(const char *command)
{
	return command[strspn(command, " \t\n")] == '\0';
}

static struct port *make(void)
{
	struct port *port = calloc(1, sizeof *port);
	struct exec *e = calloc(1, sizeof *e);
	if (!port || !e) {
		free(port);
		free(e);
		return NULL;
	}
	*e = (struct exec){.leash = -1, .reason = "the command closed its output"};
	*port = (struct port){.ops = &port_exec_ops, .fd = -1, .state = e};
	return port;
}

struct port *port_exec_open(const char *command, struct port_error *error)
{
	struct port *port = make();
	*error = (struct port_error){.status = PORT_OK};
	if (!port)
		port_refuse(error, PORT_FAILED, "out of memory");
	else if (is_blank(command))
		port_refuse(error, PORT_BAD_SETTING, "there is no command behind exec:");
	else if (!start(port, command))
		port_refuse(error, PORT_FAILED, "the command cannot be started: %s",
			    strerror(errno));
	if (!port || error->status == PORT_OK)
		return port;
	exec_close(port);
	free(port);
	return NULL;
}
