/* SPDX-License-Identifier: MIT */
/*
 * Counts allocations of a program that it is preloaded into, where a test can
 * watch: in the file named by MALLOC_COUNT_FILE, as one uint64_t in host order.
 *
 * The calls go on to glibc under the names that it exports for interposers;
 * looking them up with dlsym() would itself allocate.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static _Atomic uint64_t *counter; /* NULL until the file is mapped */

__attribute__((constructor)) static void map_counter(void)
{
	const char *path = getenv("MALLOC_COUNT_FILE");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	void *at = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at != MAP_FAILED)
		counter = at;
}

static void count(void)
{
	if (counter)
		atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

void *malloc(size_t size)
{
	count();
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	count();
	return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	count();
	return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	count();
	return __libc_memalign(alignment, size);
}
