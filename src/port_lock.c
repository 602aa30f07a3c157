/* SPDX-License-Identifier: MIT */
/*
 * UUCP lock files.
 *
 * A lock file comes into being whole: written under another name, then link()ed
 * to its own, which fails if that exists. One that names a dead process is
 * taken away by rename(), and what was taken is compared with what was judged:
 * if another program was quicker and it is already that one's fresh lock, it
 * is put back. Among programs that hold flock() on the device first, as ours
 * does, there is no such race at all.
 *
 * A file without a pid is stale too, but not at once: older programs create
 * first and write later. It gets GRACE_SECONDS.
 */
#define _GNU_SOURCE

#include "src/port_lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum {
	HDB_LENGTH = 11, /* "%10d\n" */
	GRACE_SECONDS = 10,
	TAKE_ATTEMPTS = 5, /* each lost to another program that was quicker */
};

bool port_lock_path(char path[static PATH_MAX], const char *lock_dir, const char *device)
{
	const char *slash = strrchr(device, '/');
	const char *name = slash ? slash + 1 : device;
	if (strncmp(device, "/dev/", 5) == 0)
		name = device + 5;
	int length = snprintf(path, PATH_MAX, "%s/LCK..%s", lock_dir, name);
	if (length < 0 || length >= PATH_MAX)
		return false;
	for (char *p = path + length - strlen(name); *p; p++)
		if (*p == '/')
			*p = '_';
	return true;
}

/* The pid in a lock file's text; 0: there is none. Four bytes with a NUL are an int. */
static pid_t parse_pid(const char *text, size_t length)
{
	int32_t binary;
	if (length == sizeof binary && memchr(text, '\0', length)) {
		memcpy(&binary, text, sizeof binary);
		return binary > 0 ? binary : 0;
	}
	char *end;
	long pid = strtol(text, &end, 10);
	while (isspace((unsigned char)*end))
		end++;
	return end != text && *end == '\0' && pid > 0 && pid <= INT_MAX ? (pid_t)pid : 0;
}

/* One that has ended and was not waited for; its line in /proc is "123 (name) Z ...". */
static bool is_zombie(pid_t pid)
{
	char path[64], text[256] = "";
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *stat = fopen(path, "re");
	if (!stat)
		return false;
	text[fread(text, 1, sizeof text - 1, stat)] = '\0';
	fclose(stat);
	const char *name_end = strrchr(text, ')'); /* the name may have one of its own */
	return name_end && strncmp(name_end, ") Z", 3) == 0;
}

static bool is_alive(pid_t pid)
{
	return (kill(pid, 0) == 0 || errno == EPERM) && !is_zombie(pid);
}

/*
 * Judges what stands at path and says in *seen which file that was. A symbolic
 * link is followed (LCK..modem -> LCK..ttyS0) to read, never to write; one
 * that leads nowhere is stale.
 */
static pid_t judge(const char *path, struct stat *seen)
{
	if (lstat(path, seen) < 0)
		return LOCK_FREE;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? LOCK_FREE : LOCK_UNKNOWN;

	char text[32] = "";
	ssize_t length = read(fd, text, sizeof text - 1);
	close(fd);
	if (length < 0)
		return LOCK_UNKNOWN;

	pid_t pid = parse_pid(text, (size_t)length);
	if (pid == 0)
		return time(NULL) - seen->st_mtime < GRACE_SECONDS ? LOCK_UNKNOWN : LOCK_FREE;
	return pid != getpid() && is_alive(pid) ? pid : LOCK_FREE;
}

pid_t port_lock_file_holder(const char *path)
{
	struct stat seen;
	return judge(path, &seen);
}

/* Removes the file at path if it is the one that was judged stale. */
static void remove_stale(const char *path, const char *aside, const struct stat *stale)
{
	struct stat taken;
	if (rename(path, aside) < 0)
		return;
	bool same = lstat(aside, &taken) == 0 && taken.st_ino == stale->st_ino &&
		    taken.st_dev == stale->st_dev;
	if (!same && link(aside, path) < 0)
		return; /* no longer stale, and another is there already: leave it for people */
	unlink(aside);
}

/* Writes our pid to a new file at path. */
static bool write_pid(const char *path)
{
	char text[HDB_LENGTH + 1];
	snprintf(text, sizeof text, "%10d\n", (int)getpid());
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return false;
	bool written = write(fd, text, HDB_LENGTH) == HDB_LENGTH;
	if (close(fd) < 0 || !written) {
		unlink(path);
		return false;
	}
	return true;
}

/* link() until it is ours or another's. */
static pid_t link_into_place(struct port_lock *lock, const char *path, const char *own,
			     const char *aside)
{
	for (int i = 0; i < TAKE_ATTEMPTS; i++) {
		if (link(own, path) == 0) {
			strcpy(lock->path, path);
			return LOCK_FREE;
		}
		if (errno != EEXIST)
			return LOCK_FREE;
		struct stat seen;
		pid_t holder = judge(path, &seen);
		if (holder != LOCK_FREE)
			return holder;
		remove_stale(path, aside, &seen);
	}
	return LOCK_UNKNOWN;
}

pid_t port_lock_take(struct port_lock *lock, const char *path)
{
	char own[PATH_MAX + 32], aside[PATH_MAX + 32];
	snprintf(own, sizeof own, "%s.new.%d", path, (int)getpid());
	snprintf(aside, sizeof aside, "%s.old.%d", path, (int)getpid());

	lock->path[0] = '\0';
	unlink(own); /* from another life with our pid */
	if (!write_pid(own))
		return port_lock_file_holder(path);
	pid_t holder = link_into_place(lock, path, own, aside);
	unlink(own);
	return holder;
}

/* Only what is still ours: another may have thought it stale, or we are a forked child. */
void port_lock_release(struct port_lock *lock)
{
	char text[HDB_LENGTH + 1] = "";
	if (!lock->path[0])
		return;
	int fd = open(lock->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t length = read(fd, text, HDB_LENGTH);
		close(fd);
		if (length > 0 && parse_pid(text, (size_t)length) == getpid())
			unlink(lock->path);
	}
	lock->path[0] = '\0';
}

/* A line of /proc/locks: "1: FLOCK  ADVISORY  WRITE 708 00:17:8 0 EOF". */
static pid_t flock_line_pid(const char *line, const struct stat *file)
{
	int pid;
	unsigned major_number, minor_number;
	unsigned long inode;
	if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%lu", &pid, &major_number, &minor_number,
		   &inode) != 4)
		return LOCK_FREE;
	if (makedev(major_number, minor_number) != file->st_dev || inode != file->st_ino)
		return LOCK_FREE;
	return pid > 0 ? pid : LOCK_UNKNOWN; /* 0: in a process-id namespace we cannot see */
}

pid_t port_flock_holder(const struct stat *file)
{
	FILE *locks = fopen("/proc/locks", "re");
	if (!locks)
		return LOCK_FREE;
	char line[256];
	pid_t holder = LOCK_FREE;
	while (holder == LOCK_FREE && fgets(line, sizeof line, locks))
		holder = flock_line_pid(line, file);
	fclose(locks);
	return holder;
}

void port_lock_describe(pid_t holder, char *text, size_t text_size)
{
	char path[64], name[32] = "";
	if (holder <= 0) {
		snprintf(text, text_size, "held by another process");
		return;
	}
	if (holder == getpid()) {
		snprintf(text, text_size, "held by this process already");
		return;
	}
	snprintf(path, sizeof path, "/proc/%d/comm", (int)holder);
	FILE *comm = fopen(path, "re");
	if (comm) {
		if (fgets(name, sizeof name, comm))
			name[strcspn(name, "\n")] = '\0';
		fclose(comm);
	}
	snprintf(text, text_size, name[0] ? "held by pid %d (%s)" : "held by pid %d", (int)holder,
		 name);
}
