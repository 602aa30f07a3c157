/* SPDX-License-Identifier: MIT */
/* Opens and closes of devices, counted from inotify's events. */
#include "src/nullmodem/presence.h"

#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { WATCHES_MAX = 512 };

struct presence {
	int fd;
	struct source source;
	struct watch *watches[WATCHES_MAX];
	unsigned count;
};

static void on_ready(void *owner, uint32_t events)
{
	(void)events;
	presence_poll(owner);
}

struct presence *presence_new(struct loop *loop)
{
	struct presence *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->source = (struct source){on_ready, p};
	p->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (p->fd < 0 || !loop_add(loop, p->fd, EPOLLIN, &p->source)) {
		presence_free(p);
		return NULL;
	}
	return p;
}

void presence_free(struct presence *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	free(p);
}

bool presence_add(struct presence *p, const char *path, struct watch *w)
{
	if (p->count == WATCHES_MAX)
		return false;
	w->id = inotify_add_watch(p->fd, path, IN_OPEN | IN_CLOSE);
	if (w->id < 0)
		return false;
	w->openers = 0;
	p->watches[p->count++] = w;
	return true;
}

void presence_remove(struct presence *p, struct watch *w)
{
	for (unsigned i = 0; i < p->count; i++) {
		if (p->watches[i] != w)
			continue;
		p->watches[i] = p->watches[--p->count];
		inotify_rm_watch(p->fd, w->id);
		return;
	}
}

static struct watch *find(const struct presence *p, int id)
{
	for (unsigned i = 0; i < p->count; i++)
		if (p->watches[i]->id == id)
			return p->watches[i];
	return NULL; /* of a watch that was removed since */
}

static void handle(struct presence *p, const struct inotify_event *e)
{
	struct watch *w = find(p, e->wd);
	if (!w)
		return;
	if (e->mask & IN_OPEN)
		w->openers++;
	if (e->mask & IN_CLOSE && w->openers > 0 && --w->openers == 0)
		w->left(w->owner);
}

void presence_poll(struct presence *p)
{
	_Alignas(struct inotify_event) char events[4096];
	ssize_t n;
	while ((n = read(p->fd, events, sizeof events)) > 0) {
		for (const char *at = events; at < events + n;) {
			const struct inotify_event *e = (const void *)at;
			handle(p, e);
			at += sizeof *e + e->len;
		}
	}
}
