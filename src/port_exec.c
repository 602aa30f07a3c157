/* SPDX-License-Identifier: MIT */
/*
 * A program as a port: `exec:COMMAND`, whose standard input and output are the line.
 *
 *      we ═══ data ═══ COMMAND, by /bin/sh -c, in a process group of its own
 *      └───── news ─── warden, its parent
 *
 * Data is a pair of sockets, news a pipe. The warden is a process of ours (port_child.h) that
 * outlives the port by as long as the command takes to end:
 *
 *  - A command that has run for SETTLE_MS makes the port ready. One that cannot do
 *    what it was meant to has ended before, and never was a line.
 *  - When our side of data is closed, by port_close() or because we died, however that was, the
 *    command is asked to end (SIGHUP, SIGTERM); when that has not helped in LAST_MS, it is made
 *    to (SIGKILL). It has ended when its whole group has: a shell that stands before a program
 *    is gone at once, and the program may have work left to do.
 *  - When the command ends by itself, how goes into the news first, and only then the end
 *    of data is shown to us: the warden keeps its side open until then and shuts it down for
 *    everybody, so that nothing that the command left running can keep the line looking alive.
 *
 * Standard error is inherited. What we wrote and the command has not read is all that waits
 * here: the least that a socket's buffer can be, some hundred characters.
 */
#define _GNU_SOURCE

#include "src/port_child.h"
#include "src/port_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SETTLE_MS = 500,
	LAST_MS = 2000,
	LOOK_MS = 20, /* between looks at a group that is to end: nothing tells of that */
	RUNNING = -1, /* among the news; else the status of the end, as waitpid() has it */
};

struct exec {
	int data, news; /* the port's descriptor is the latter until it is ready */
	bool ready, ended;
	char reason[64];
};

struct job {
	const char *command;
	int data, news;
};

/* ---- the warden ---- */

static void become_command(const struct job *job)
{
	int data = fcntl(job->data, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* if ours were closed */
	setpgid(0, 0);
	dup2(data, STDIN_FILENO);
	dup2(data, STDOUT_FILENO);
	execl("/bin/sh", "sh", "-c", job->command, (char *)NULL);
	_exit(127);
}

static void tell(const struct job *job, int news)
{
	(void)!write(job->news, &news, sizeof news);
}

/* Until the command has ended (its pidfd is readable), or we are gone: false. */
static bool wait_for_end(const struct job *job, int pidfd)
{
	struct pollfd fds[] = {{.fd = pidfd, .events = POLLIN}, {.fd = job->data}};
	if (poll(fds, 2, SETTLE_MS) == 0) {
		tell(job, RUNNING);
		poll(fds, 2, -1);
	}
	return fds[0].revents != 0;
}

static void ask_to_end(pid_t group)
{
	kill(-group, SIGHUP);
	kill(-group, SIGTERM);
	kill(-group, SIGCONT); /* one that was stopped would not hear of it */
}

/*
 * Reaps the leader, which would count as one of the group; how it ended is the status. The group's
 * number is not given away while it has members, nor, as numbers go round, soon after.
 */
static void let_end(pid_t group, int *status)
{
	for (int waited = 0; waited < LAST_MS; waited += LOOK_MS) {
		waitpid(group, status, WNOHANG); /* once it was reaped, changes nothing */
		if (kill(-group, 0) < 0)
			return;
		poll(NULL, 0, LOOK_MS);
	}
}

/*
 * Both parent and child put it into its group, since either may run first. Its session
 * stays the warden's, which has no terminal.
 */
static pid_t start_command(const struct job *job)
{
	pid_t pid = fork();
	if (pid == 0)
		become_command(job);
	if (pid > 0)
		setpgid(pid, pid);
	return pid;
}

static void guard(void *at)
{
	const struct job *job = at;
	int status = 0;
	pid_t pid = start_command(job);
	if (pid < 0)
		return;
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd >= 0 && !wait_for_end(job, pidfd)) {
		ask_to_end(pid);
		let_end(pid, &status);
	}
	kill(-pid, SIGKILL);
	waitpid(pid, &status, 0);
	tell(job, status);
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

/* Heeds one of the news, if there is any. */
static void heed_news(struct port *port)
{
	struct exec *e = exec_of(port);
	int news;
	ssize_t n = read(e->news, &news, sizeof news);
	if (n < 0)
		return;
	e->ready = n == sizeof news && news == RUNNING;
	e->ended = !e->ready; /* without news: the warden came to grief */
	if (e->ready)
		port->fd = e->data;
	else if (n == sizeof news)
		describe_end(e->reason, sizeof e->reason, news);
}

static bool exec_ready(struct port *port)
{
	struct exec *e = exec_of(port);
	if (!e->ready && !e->ended)
		heed_news(port);
	return e->ready;
}

static ssize_t gone(struct port *port)
{
	if (!exec_of(port)->ended)
		heed_news(port);
	exec_of(port)->ended = true;
	return -1;
}

/* What reading and writing answer when it is not ready. */
static ssize_t wait_or_gone(const struct port *port)
{
	return exec_of(port)->ended ? -1 : 0;
}

static ssize_t exec_read(struct port *port, void *at, size_t capacity)
{
	if (!exec_ready(port))
		return wait_or_gone(port);
	ssize_t n = port_socket_read(port->fd, at, capacity);
	return n < 0 ? gone(port) : n;
}

static ssize_t exec_write(struct port *port, struct bytes out)
{
	if (!exec_ready(port))
		return wait_or_gone(port);
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

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void exec_close(struct port *port)
{
	close_fd(exec_of(port)->data);
	close_fd(exec_of(port)->news);
	free(exec_of(port));
}

static const struct port_ops port_exec_ops = {
	.name = "exec",
	.read = exec_read,
	.write = exec_write,
	.outq = exec_outq,
	.modem_lines = exec_modem_lines,
	.icounts = exec_icounts,
	.ready = exec_ready,
	.reason = exec_reason,
	.close = exec_close,
};

/* Ours, with a little buffer, and the one for the warden and the command. */
static bool make_data(int pair[static 2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &(int){1}, sizeof(int));
	return true;
}

static bool start(struct port *port, const char *command)
{
	int data[2] = {-1, -1}, news[2] = {-1, -1};
	bool started = false;
	if (make_data(data) && pipe2(news, O_CLOEXEC | O_NONBLOCK) == 0) {
		struct job job = {command, data[1], news[1]};
		started = port_child_start(guard, &job, (int[]){data[1], news[1]}, 2);
	}
	int why = errno;
	exec_of(port)->data = data[0];
	exec_of(port)->news = port->fd = news[0];
	close_fd(data[1]);
	close_fd(news[1]);
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
	*e = (struct exec){.data = -1, .news = -1, .reason = "the command closed its output"};
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
