/* SPDX-License-Identifier: MIT */
/*
 * Configuration files in a directory of the test's own, which is the working directory
 * meanwhile, so that messages have short names.
 */
#ifndef TESTS_UNIT_CONFIG_FILE_TESTING_H
#define TESTS_UNIT_CONFIG_FILE_TESTING_H

#include "tests/unit/config_testing.h"

#include "src/config_write.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/test_config_file.XXXXXX";

static inline int remove_entry(const char *path, const struct stat *s, int flag, struct FTW *ftw)
{
	(void)s, (void)flag, (void)ftw;
	return remove(path);
}

static inline void enter_directory(void)
{
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chdir(directory), 0);
}

static inline void leave_directory(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void put_bytes(const char *name, const char *text, size_t length)
{
	FILE *f = fopen(name, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, length, f), length);
	ck_assert_int_eq(fclose(f), 0);
}

static inline void put_file(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

/* What was read last, as a file. */
static inline void write_config(const struct config *c, char to[static TEXT_SIZE])
{
	FILE *f = fmemopen(to, TEXT_SIZE, "w");
	ck_assert_ptr_nonnull(f);
	config_write(c, f);
	fclose(f);
}

#endif
