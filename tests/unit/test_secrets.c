/* SPDX-License-Identifier: MIT */
/*
 * Secrets files: words, rows, what is refused and how that is said.
 */
#define _POSIX_C_SOURCE 200809L
#include "src/secrets.h"
#include "tests/unit/codec_testing.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 32 };

static char directory[PATH_ROOM], main_path[PATH_ROOM], other_path[PATH_ROOM];
static char why[256];
static struct secrets_file *file;

static void make_directory(void)
{
	strcpy(directory, "/tmp/test_secrets.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	strcat(strcpy(main_path, directory), "/main");
	strcat(strcpy(other_path, directory), "/other");
}

static void remove_directory(void)
{
	secrets_free(file);
	file = NULL;
	unlink(main_path);
	unlink(other_path);
	ck_assert_int_eq(rmdir(directory), 0);
}

static void write_bytes(const char *path, const char *content, size_t length, mode_t mode)
{
	FILE *to = fopen(path, "w");
	ck_assert_ptr_nonnull(to);
	ck_assert_uint_eq(fwrite(content, 1, length, to), length);
	ck_assert_int_eq(fclose(to), 0);
	ck_assert_int_eq(chmod(path, mode), 0);
}

static void write_text(const char *path, const char *content)
{
	write_bytes(path, content, strlen(content), S_IRUSR | S_IWUSR);
}

static bool read_text(const char *content)
{
	write_text(main_path, content);
	secrets_free(file);
	why[0] = '\0';
	file = secrets_read(main_path, why, sizeof(why));
	return file != NULL;
}

static const struct secret *row(size_t i)
{
	ck_assert_uint_lt(i, secrets_rows(file)->count);
	return &secrets_rows(file)->rows[i];
}

static void assert_row(size_t i, const char *client, const char *server, const char *secret)
{
	ck_assert_str_eq(row(i)->client, client);
	ck_assert_str_eq(row(i)->server, server);
	ck_assert_str_eq(row(i)->secret, secret);
}

/* The secret that a row with this word for it has. */
static const char *word(const char *written)
{
	char content[4096];
	snprintf(content, sizeof(content), "a b %s\n", written);
	ck_assert_msg(read_text(content), "%s: %s", written, why);
	ck_assert_uint_eq(secrets_rows(file)->count, 1);
	return row(0)->secret;
}

/* --- rows and words --- */

START_TEST(rows_and_addresses)
{
	ck_assert(read_text("# Secrets for authentication using CHAP\n"
			    "# client\tserver\tsecret\tIP addresses\n"
			    "\n"
			    "alice\tbob\tsecret\t10.0.0.1 !10.0.0.2\t10.0.1.0/24\n"
			    "  * \t * \"any body\" # nowhere\n"
			    "bob alice 'other' *"));
	ck_assert_uint_eq(secrets_rows(file)->count, 3);
	assert_row(0, "alice", "bob", "secret");
	ck_assert_str_eq(row(0)->addresses[0], "10.0.0.1");
	ck_assert_str_eq(row(0)->addresses[1], "!10.0.0.2");
	ck_assert_str_eq(row(0)->addresses[2], "10.0.1.0/24");
	ck_assert_ptr_null(row(0)->addresses[3]);
	assert_row(1, "*", "*", "any body");
	ck_assert_ptr_null(row(1)->addresses);
	assert_row(2, "bob", "alice", "other");
	ck_assert_str_eq(row(2)->addresses[0], "*");
	ck_assert_ptr_null(row(2)->addresses[1]);
}
END_TEST

START_TEST(rows_are_found_by_name)
{
	ck_assert(read_text("* * any\nalice bob theirs\n"));
	ck_assert_str_eq(secret_find(secrets_rows(file), "alice", "bob")->secret, "theirs");
	ck_assert_str_eq(secret_find(secrets_rows(file), "alice", "eve")->secret, "any");
}
END_TEST

START_TEST(a_file_may_be_empty)
{
	static const char *const texts[] = {"", "\n", "# nothing", " \t\r\n \n", "\\\n"};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert(read_text(texts[i]));
		ck_assert_uint_eq(secrets_rows(file)->count, 0);
	}
}
END_TEST

static const struct {
	const char *written, *meant;
} words[] = {
	{"plain", "plain"},
	{"\"\"", ""},
	{"''", ""},
	{"\"two words\"", "two words"},
	{"'say \"no\"'", "say \"no\""},
	{"\"it's\"", "it's"},
	{"in\"side\"", "in\"side\""},
	{"before#comment", "before"},
	{"\"not#comment\"", "not#comment"},
	{"not\\#comment", "not#comment"},
	{"\\#", "#"},
	{"a\\ b", "a b"},
	{"\\\"a", "\"a"},
	{"\"a\\\"b\"", "a\"b"},
	{"a\\\\b", "a\\b"},
	{"a\\sb\\tc", "a b\tc"},
	{"\\n\\r", "\n\r"},
	{"\\101\\x42\\x4a\\q", "ABJq"},
	{"\\1011", "A1"},
	{"\\x424", "B4"},
	{"\\xg", "xg"},
	{"joi\\\nned", "joined"},
	{"\\\njoined", "joined"},
	{"\"joi\\\nned\"", "joined"},
	{"\"two\nlines\"", "two\nlines"},
	{"\xC3\xA4\xFF", "\xC3\xA4\xFF"},
	{"@", "@"},
	{"@home", "@home"}, /* no path */
};

START_TEST(words_are_as_pppd_has_them)
{
	ck_assert_str_eq(word(words[_i].written), words[_i].meant);
}
END_TEST

START_TEST(a_word_has_up_to_1023_bytes)
{
	char longest[1026];
	memset(longest, 'x', sizeof(longest));
	longest[1023] = '\0';
	ck_assert_str_eq(word(longest), longest);
	longest[1023] = 'x';
	longest[1024] = '\0';
	char content[2048];
	snprintf(content, sizeof(content), "a b %s\n", longest);
	ck_assert(!read_text(content));
}
END_TEST

/* --- secrets in files of their own --- */

START_TEST(a_secret_of_another_file)
{
	char content[256];
	write_text(other_path, "# the secret\n\n'of another' file\n");
	snprintf(content, sizeof(content), "a b @%s 10.0.0.1\nc d @%s\n", other_path, other_path);
	ck_assert(read_text(content));
	assert_row(0, "a", "b", "of another");
	ck_assert_str_eq(row(0)->addresses[0], "10.0.0.1");
	assert_row(1, "c", "d", "of another");
}
END_TEST

START_TEST(a_secret_of_another_file_may_be_longer_than_this_one)
{
	char content[256], longest[1024];
	memset(longest, 'x', sizeof(longest));
	longest[1023] = '\0';
	write_text(other_path, longest);
	snprintf(content, sizeof(content), "a b @%s\na b @%s", other_path, other_path);
	ck_assert(read_text(content));
	assert_row(0, "a", "b", longest);
	assert_row(1, "a", "b", longest);
}
END_TEST

START_TEST(another_file_that_is_missing_empty_or_public)
{
	char content[256], said[256];
	snprintf(content, sizeof(content), "a b @%s\n", other_path);
	ck_assert(!read_text(content));
	snprintf(said, sizeof(said), "%s: No such file or directory", other_path);
	ck_assert_str_eq(why, said);
	write_text(other_path, "# empty\n");
	ck_assert(!read_text(content));
	snprintf(said, sizeof(said), "%s: there is no secret in it", other_path);
	ck_assert_str_eq(why, said);
	write_bytes(other_path, "word", 4, 0604);
	ck_assert(!read_text(content));
	ck_assert_ptr_nonnull(strstr(why, "mode 0604"));
}
END_TEST

/* --- what is refused --- */

static const struct {
	const char *content, *said;
} bad[] = {
	{"a b\n", ":1: a row has a client, a server and a secret"},
	{"# one\na b c\n\nalice\n", ":4: a row has a client, a server and a secret"},
	{"a b \\\n# no\n", ":2: a row has a client, a server and a secret"},
	{"a b c\na b \"hunter2", ":2: a quote is not closed"},
	{"a b c d\\0\n", ":1: a NUL in a word"},
	{"a b '\n\\0'\n", ":2: a NUL in a word"},
};

START_TEST(mistakes_are_told_by_line_and_without_the_secret)
{
	char said[256];
	ck_assert(!read_text(bad[_i].content));
	snprintf(said, sizeof(said), "%s%s", main_path, bad[_i].said);
	ck_assert_str_eq(why, said);
}
END_TEST

START_TEST(B056_others_may_have_no_access)
{
	static const mode_t refused[] = {0640, 0604, 0620, 0602, 0644, 0666, 0601, 0777};
	char said[32];
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		write_bytes(main_path, "a b c\n", 6, refused[i]);
		ck_assert_ptr_null(secrets_read(main_path, why, sizeof(why)));
		snprintf(said, sizeof(said), "(mode %04o)", (unsigned)refused[i]);
		ck_assert_ptr_nonnull(strstr(why, said));
		ck_assert_ptr_nonnull(strstr(why, main_path));
	}
	static const mode_t taken[] = {0600, 0400, 0700};
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		ck_assert_int_eq(chmod(main_path, taken[i]), 0);
		struct secrets_file *f = secrets_read(main_path, why, sizeof(why));
		ck_assert_msg(f != NULL, "%s", why);
		secrets_free(f);
	}
}
END_TEST

START_TEST(what_is_no_file_or_not_there)
{
	char said[256];
	ck_assert_ptr_null(secrets_read(main_path, why, sizeof(why)));
	snprintf(said, sizeof(said), "%s: No such file or directory", main_path);
	ck_assert_str_eq(why, said);
	ck_assert_ptr_null(secrets_read(directory, why, sizeof(why)));
	snprintf(said, sizeof(said), "%s: not a regular file", directory);
	ck_assert_str_eq(why, said);
	ck_assert_int_eq(mkfifo(main_path, 0600), 0); /* and does not wait for a writer */
	ck_assert_ptr_null(secrets_read(main_path, why, sizeof(why)));
}
END_TEST

/* Root reads everything. */
START_TEST(file_of_another_user_tells_what_to_do)
{
	write_bytes(main_path, "a b c\n", 6, 0400);
	ck_assert_int_eq(chmod(directory, 0711), 0);
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
	else
		ck_assert_int_eq(chmod(main_path, 0), 0);
	ck_assert_ptr_null(secrets_read(main_path, why, sizeof(why)));
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
	ck_assert_ptr_nonnull(strstr(why, main_path));
	ck_assert_ptr_nonnull(
		strstr(why, ": Permission denied: it is another user's; --pap-secrets"));
}
END_TEST

START_TEST(too_large)
{
	static char content[(1 << 20) + 1];
	memset(content, '\n', sizeof(content));
	write_bytes(main_path, content, sizeof(content), 0600);
	ck_assert_ptr_null(secrets_read(main_path, why, sizeof(why)));
	write_bytes(main_path, content, sizeof(content) - 1, 0600);
	file = secrets_read(main_path, why, sizeof(why));
	ck_assert_ptr_nonnull(file);
}
END_TEST

/* Whatever it is: rows or a reason, within the memory that was reckoned for it. */
START_TEST(noise_fits_its_memory)
{
	static const char *const pieces[] = {"a b c\n", "a b ", "\"\"", "''", "c\n", "a",  " ",
					     "\n",      "\\\n", "\\",   "#",  "@/",  "\"", "'"};
	uint64_t state = 1;
	unsigned taken = 0;
	for (unsigned i = 0; i < 200; i++) {
		char content[256] = "";
		for (size_t n = random_below(&state, 12); n; n--)
			strcat(content,
			       pieces[random_below(&state, sizeof(pieces) / sizeof(pieces[0]))]);
		taken += read_text(content) && secrets_rows(file)->count > 0;
	}
	ck_assert_uint_gt(taken, 10);
	ck_assert_uint_lt(taken, 190);
}
END_TEST

START_TEST(rows_as_dense_as_can_be)
{
	char content[4096] = "";
	for (unsigned i = 0; i < 300; i++)
		strcat(content, i % 3 ? "a b c\n" : "\"\"\"\"\"\"\n");
	strcat(content, "a b c");
	ck_assert(read_text(content));
	ck_assert_uint_eq(secrets_rows(file)->count, 301);
	assert_row(300, "a", "b", "c");
	char addresses[1024] = "a b c ";
	for (unsigned i = 0; i < 200; i++)
		strcat(addresses, i % 2 ? "''" : "a ");
	ck_assert(read_text(addresses));
	ck_assert_ptr_nonnull(row(0)->addresses[199]);
	ck_assert_ptr_null(row(0)->addresses[200]);
}
END_TEST

static TCase *new_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);
	tcase_add_checked_fixture(tcase, make_directory, remove_directory);
	suite_add_tcase(suite, tcase);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("secrets");
	TCase *rows = new_case(suite, "rows");
	tcase_add_test(rows, rows_and_addresses);
	tcase_add_test(rows, rows_are_found_by_name);
	tcase_add_test(rows, a_file_may_be_empty);
	tcase_add_loop_test(rows, words_are_as_pppd_has_them, 0,
			    (int)(sizeof(words) / sizeof(words[0])));
	tcase_add_test(rows, a_word_has_up_to_1023_bytes);
	tcase_add_test(rows, rows_as_dense_as_can_be);
	tcase_add_test(rows, noise_fits_its_memory);
	TCase *other = new_case(suite, "secrets in files of their own");
	tcase_add_test(other, a_secret_of_another_file);
	tcase_add_test(other, a_secret_of_another_file_may_be_longer_than_this_one);
	tcase_add_test(other, another_file_that_is_missing_empty_or_public);
	TCase *refused = new_case(suite, "refused");
	tcase_add_loop_test(refused, mistakes_are_told_by_line_and_without_the_secret, 0,
			    (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(refused, B056_others_may_have_no_access);
	tcase_add_test(refused, what_is_no_file_or_not_there);
	tcase_add_test(refused, file_of_another_user_tells_what_to_do);
	tcase_add_test(refused, too_large);
	return run_suite(suite);
}
