/* SPDX-License-Identifier: MIT */
/* Configurations from memory: a file without a name, which is read as any other one. */
#ifndef TESTS_FUZZ_CONFIG_READER_H
#define TESTS_FUZZ_CONFIG_READER_H

#define _GNU_SOURCE
#include "src/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Other files are none of the fuzzer's business, and some of them never end. */
static inline bool reads_others(const uint8_t *data, size_t size)
{
	static const char *const words[] = {"include", "chat"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (memmem(data, size, words[i], strlen(words[i])))
			return true;
	}
	return false;
}

static inline bool read_config(const void *text, size_t length, struct config *to,
			       config_listener *listener, void *context)
{
	char path[64], program[] = "fuzz", option[] = "-c";
	char *argv[] = {program, option, path, NULL};
	int fd = memfd_create("config", MFD_CLOEXEC);
	if (fd < 0 || write(fd, text, length) != (ssize_t)length)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	bool fine = config_read_again(NULL, 3, argv, to, listener, context);
	close(fd);
	return fine;
}

#endif
