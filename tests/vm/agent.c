/* SPDX-License-Identifier: MIT */
/*
 * The guest's end of the control channel: runs commands for the host, many at
 * once, and tells what they print and how they end.
 *
 * The channel is a byte stream (a virtio serial port) of frames in either
 * direction, a header of 8 bytes and its data:
 *
 *      job (u32)   number of a command, chosen by the host
 *      kind (u8)   see enum kind
 *      size (u24)  of the data
 *
 * all in the byte order of the one machine that both ends run on. A command
 * runs in a process group and session of its own, so that a signal reaches all
 * of it. Its input waits here until it is read, so that a command which does not read holds
 * up no other. Its end is told when its process has ended and what it printed has been
 * read; what children that it left behind print is lost.
 *
 * It is also what never ends in the guest: started as process 1's last act, it
 * reaps what others leave.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind {
	RUN = 'r',    /* host: a shell command */
	INPUT = 'i',  /* host: for its standard input; none: the end of it */
	SIGNAL = 's', /* host: one byte, the signal's number */
	HELLO = 'h',  /* guest: is there; no job */
	OUTPUT = 'o', /* guest: from its standard output */
	ERRORS = 'e', /* guest: from its standard error */
	ENDED = 'x',  /* guest: one byte, the exit status as a shell has it */
};

enum { MAX_JOBS = 64, MAX_FRAME = 65536 };

struct header {
	uint32_t job;
	uint32_t kind_and_size; /* kind in the low byte */
};

/* What the host sent for a command's standard input and it has not read yet. */
struct backlog {
	uint8_t *data;
	size_t size, written;
	bool last; /* nothing more comes */
};

struct job {
	uint32_t id;
	pid_t pid; /* 0: this place is free */
	int input; /* -1 when closed, as the other two */
	int output, errors;
	struct backlog backlog;
};

struct agent {
	int channel;
	int children; /* signalfd of SIGCHLD */
	struct job jobs[MAX_JOBS];
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void write_all(int fd, const void *at, size_t n)
{
	for (const uint8_t *p = at; n > 0;) {
		ssize_t done = write(fd, p, n);
		if (done < 0 && errno != EINTR)
			die("the host is gone");
		p += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
}

static void read_all(int fd, void *at, size_t n)
{
	for (uint8_t *p = at; n > 0;) {
		ssize_t done = read(fd, p, n);
		if (done == 0 || (done < 0 && errno != EINTR))
			die("the host is gone");
		p += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
}

static void send_frame(const struct agent *a, uint32_t job, enum kind kind, const void *data,
		       size_t size)
{
	struct header h = {job, (uint32_t)kind | (uint32_t)size << 8};
	write_all(a->channel, &h, sizeof h);
	write_all(a->channel, data, size);
}

static struct job *job_find(struct agent *a, uint32_t id)
{
	for (struct job *j = a->jobs; j < a->jobs + MAX_JOBS; j++)
		if (j->pid && j->id == id)
			return j;
	return NULL;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* One piece of what a command printed; false when there is no more for now. */
static bool forward(const struct agent *a, const struct job *j, int *fd, enum kind kind)
{
	uint8_t data[8192];
	ssize_t n = *fd < 0 ? -1 : read(*fd, data, sizeof data);
	if (n == 0)
		close_fd(fd);
	if (n <= 0)
		return false;
	send_frame(a, j->id, kind, data, (size_t)n);
	return true;
}

static bool has_input(const struct job *j)
{
	return j->input >= 0 && (j->backlog.written < j->backlog.size || j->backlog.last);
}

/* As much of the input as the command takes now. */
static void feed(struct job *j)
{
	struct backlog *b = &j->backlog;
	if (b->written < b->size) {
		ssize_t n = write(j->input, b->data + b->written, b->size - b->written);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			b->last = true; /* it does not want it */
		b->written = n < 0 ? b->size : b->written + (size_t)n;
	}
	if (b->written == b->size && b->last)
		close_fd(&j->input);
}

static void add_input(struct job *j, const void *data, size_t size)
{
	struct backlog *b = &j->backlog;
	if (b->written == b->size)
		b->written = b->size = 0;
	uint8_t *grown = realloc(b->data, b->size + size + 1);
	if (!grown)
		die("input");
	memcpy(grown + b->size, data, size);
	b->data = grown;
	b->size += size;
	b->last = size == 0;
}

static void child(const char *command, int in, int out, int err)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void start(struct job *j, uint32_t id, const char *command)
{
	int in[2], out[2], err[2];
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		die("pipe");
	pid_t pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0)
		child(command, in[0], out[1], err[1]);
	close(in[0]);
	close(out[1]);
	close(err[1]);
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	*j = (struct job){.id = id, .pid = pid, .input = in[1], .output = out[0], .errors = err[0]};
}

static void start_any(struct agent *a, uint32_t id, const char *command)
{
	for (struct job *j = a->jobs; j < a->jobs + MAX_JOBS; j++)
		if (!j->pid) {
			start(j, id, command);
			return;
		}
	send_frame(a, id, ENDED, &(uint8_t){126}, 1);
}

static void on_frame(struct agent *a)
{
	static char data[MAX_FRAME + 1];
	struct header h;
	read_all(a->channel, &h, sizeof h);
	size_t size = h.kind_and_size >> 8;
	if (size > MAX_FRAME)
		die("a frame is too large");
	read_all(a->channel, data, size);
	data[size] = '\0';

	struct job *j = job_find(a, h.job);
	enum kind kind = h.kind_and_size & 0xFF;
	if (kind == RUN)
		start_any(a, h.job, data);
	else if (j && kind == INPUT)
		add_input(j, data, size);
	else if (j && kind == SIGNAL && size == 1)
		kill(-j->pid, data[0]);
}

static void ended(const struct agent *a, struct job *j, int status)
{
	while (forward(a, j, &j->output, OUTPUT) || forward(a, j, &j->errors, ERRORS))
		;
	close_fd(&j->input);
	close_fd(&j->output);
	close_fd(&j->errors);
	uint8_t code = (uint8_t)(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	send_frame(a, j->id, ENDED, &code, 1);
	free(j->backlog.data);
	j->pid = 0;
}

static void reap(struct agent *a)
{
	struct signalfd_siginfo info;
	(void)!read(a->children, &info, sizeof info);
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
		for (struct job *j = a->jobs; j < a->jobs + MAX_JOBS; j++)
			if (j->pid == pid)
				ended(a, j, status);
}

enum { PIPES = 3 }; /* of a job: what it is waited for with poll() */

static void watch(const struct job *j, struct pollfd fds[static PIPES])
{
	bool is_job = j->pid != 0;
	fds[0] = (struct pollfd){is_job ? j->output : -1, POLLIN, 0};
	fds[1] = (struct pollfd){is_job ? j->errors : -1, POLLIN, 0};
	fds[2] = (struct pollfd){is_job && has_input(j) ? j->input : -1, POLLOUT, 0};
}

static void see_to(const struct agent *a, struct job *j, const struct pollfd fds[static PIPES])
{
	if (fds[0].revents)
		forward(a, j, &j->output, OUTPUT);
	if (fds[1].revents)
		forward(a, j, &j->errors, ERRORS);
	if (fds[2].revents)
		feed(j);
}

/* One round: waits for anything to happen and sees to it. */
static void serve(struct agent *a)
{
	struct pollfd fds[2 + PIPES * MAX_JOBS] = {{a->channel, POLLIN, 0},
						   {a->children, POLLIN, 0}};
	for (int i = 0; i < MAX_JOBS; i++)
		watch(&a->jobs[i], &fds[2 + PIPES * i]);
	if (poll(fds, 2 + PIPES * MAX_JOBS, -1) < 0 && errno != EINTR)
		die("poll");
	for (int i = 0; i < MAX_JOBS; i++)
		see_to(a, &a->jobs[i], &fds[2 + PIPES * i]);
	if (fds[1].revents)
		reap(a);
	if (fds[0].revents & (POLLIN | POLLHUP))
		on_frame(a);
}

int main(int argc, char *argv[])
{
	struct agent a = {.channel = argc == 2 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1};
	if (a.channel < 0)
		die("the channel");
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	a.children = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (a.children < 0)
		die("signalfd");
	send_frame(&a, 0, HELLO, NULL, 0);
	for (;;)
		serve(&a);
}
