/* SPDX-License-Identifier: MIT */
/*
 * UUCP lock files, LCK..name with a process id in it, and who holds what.
 *
 * The form is that of the FHS (section 5.9, /var/lock): HDB, ten characters of
 * decimal pid and a line feed. Read is whatever is found: that form, a pid in
 * other blanks, or a binary int.
 */
#ifndef SRC_PORT_LOCK_H
#define SRC_PORT_LOCK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { /* in place of a process id */
       LOCK_FREE = 0,
       LOCK_UNKNOWN = -1, /* held, but one cannot see by whom */
};

struct port_lock {
	char path[PATH_MAX]; /* "" when no file is ours */
};

/*
 * The lock file of a device: /dev/pts/5 is LCK..pts_5. False when it does not
 * fit.
 */
bool port_lock_path(char path[static PATH_MAX], const char *lock_dir, const char *device);

/* The pid of the live process, other than this one, that a lock file names. */
pid_t port_lock_file_holder(const char *path);

/*
 * Takes the lock file at path; a stale one is replaced. LOCK_FREE: done, or not
 * possible here (no such directory, no permission), which is no reason not to
 * go on; else who holds it.
 *
 * Call it with flock() on the device held: then a file with our own pid can
 * only be left over from another life.
 */
pid_t port_lock_take(struct port_lock *, const char *path);
void port_lock_release(struct port_lock *);

/* Who holds flock() on this file, as far as /proc/locks tells. */
pid_t port_flock_holder(const struct stat *file);

/* "held by pid 123 (pppd)", "held by another process". */
void port_lock_describe(pid_t holder, char *text, size_t text_size);

#endif
