/* SPDX-License-Identifier: MIT */
/* The wait. The clock is read once for each. */
#define _GNU_SOURCE
#include "src/nullmodem/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

struct loop {
	int epoll, timer;
	sb_time origin, now; /* origin is CLOCK_MONOTONIC's */
	sb_time armed;       /* what the timer is set to */
};

static sb_time clock_read(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SB_SEC + t.tv_nsec;
}

struct loop *loop_new(void)
{
	struct loop *l = calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	struct epoll_event e = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};
	if (l->epoll < 0 || l->timer < 0 || epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->timer, &e) < 0) {
		loop_free(l);
		return NULL;
	}
	loop_restart(l);
	return l;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	if (l->epoll >= 0)
		close(l->epoll);
	if (l->timer >= 0)
		close(l->timer);
	free(l);
}

bool loop_add(struct loop *l, int fd, uint32_t events, struct source *source)
{
	struct epoll_event e = {.events = events | EPOLLET, .data.ptr = source};
	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

sb_time loop_now(const struct loop *l)
{
	return l->now;
}

sb_time loop_read_clock(const struct loop *l)
{
	return clock_read() - l->origin;
}

void loop_restart(struct loop *l)
{
	l->origin = clock_read();
	l->now = 0;
	l->armed = SB_NEVER;
}

/* All zero disarms a timerfd, and an instant that has passed fires at once. */
static void arm(struct loop *l, sb_time deadline)
{
	if (deadline == l->armed && deadline > l->now)
		return;
	struct itimerspec t = {0};
	if (deadline != SB_NEVER) {
		t.it_value.tv_sec = (l->origin + deadline) / SB_SEC;
		t.it_value.tv_nsec = (l->origin + deadline) % SB_SEC;
	}
	timerfd_settime(l->timer, TFD_TIMER_ABSTIME, &t, NULL);
	l->armed = deadline;
}

bool loop_wait(struct loop *l, sb_time deadline)
{
	struct epoll_event events[64];
	bool at_once = deadline <= l->now;
	if (!at_once)
		arm(l, deadline);
	int n = epoll_wait(l->epoll, events, sizeof events / sizeof *events, at_once ? 0 : -1);
	if (n < 0 && errno != EINTR)
		return false;
	l->now = loop_read_clock(l);
	for (int i = 0; i < n; i++) {
		struct source *s = events[i].data.ptr;
		if (s)
			s->ready(s->owner, events[i].events);
	}
	return true;
}
