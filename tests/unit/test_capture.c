/* SPDX-License-Identifier: MIT */
/*
 * Capture files, byte by byte, and what happens when one cannot be written.
 * The bytes were read back with tcpdump and tshark when they were written down.
 */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "src/capture.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SNAP = 1006, TEXT_SIZE = 200, FILE_HEADER = 24, RECORD_HEADER = 16, COOKED = 16 };

static char directory[] = "/tmp/test_capture.XXXXXX";
static char text[TEXT_SIZE];

static const uint8_t ping[] = {
	0x45, 0x00, 0x00, 0x1c, 0x00, 0x01, 0x00, 0x00, 0x40, 0x01, 0x66, 0xde, 0x0a, 0x00,
	0x00, 0x01, 0x0a, 0x00, 0x00, 0x02, 0x08, 0x00, 0xf7, 0xff, 0x00, 0x00, 0x00, 0x00,
};

static void set_up(void)
{
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chdir(directory), 0);
}

static void tear_down(void)
{
	char command[64];
	ck_assert_int_eq(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	ck_assert_int_eq(system(command), 0);
}

struct content {
	uint8_t at[4096];
	size_t length;
};

static struct content content_of(const char *path)
{
	static struct content c;
	FILE *file = fopen(path, "rb");
	ck_assert_msg(file != NULL, "%s is not there", path);
	c.length = fread(c.at, 1, sizeof(c.at), file);
	fclose(file);
	return c;
}

/* Fields of the file are in the host's order (pcap-savefile(5)). */
static uint32_t field32(const struct content *c, size_t at)
{
	uint32_t value;
	ck_assert_uint_le(at + sizeof(value), c->length);
	memcpy(&value, c->at + at, sizeof(value));
	return value;
}

static struct capture *open_or_fail(const char *file, const char *line, enum capture_kind kind)
{
	struct capture *c = capture_open(file, line, kind, SNAP, text, sizeof(text));
	ck_assert_msg(c != NULL, "%s: %s", file, text);
	return c;
}

START_TEST(bundle_is_raw_ip)
{
	struct capture *c = open_or_fail("run.pcap", NULL, CAPTURE_RAW_IP);
	ck_assert_str_eq(capture_path(c), "run.pcap");
	ck_assert(capture_packet(c, 1700000000123456789, true, bytes_of(ping, sizeof(ping))));
	/* flushed: it can be read while the capture goes on */
	struct content got = content_of("run.pcap");
	ck_assert_uint_eq(got.length, FILE_HEADER + RECORD_HEADER + sizeof(ping));
	ck_assert_uint_eq(field32(&got, 0), 0xa1b2c3d4);
	ck_assert_uint_eq(field32(&got, 20), 101); /* LINKTYPE_RAW */
	ck_assert_uint_eq(field32(&got, FILE_HEADER), 1700000000);
	ck_assert_uint_eq(field32(&got, FILE_HEADER + 4), 123456);
	ck_assert_uint_eq(field32(&got, FILE_HEADER + 8), sizeof(ping));
	ck_assert_uint_eq(field32(&got, FILE_HEADER + 12), sizeof(ping));
	ck_assert_mem_eq(got.at + FILE_HEADER + RECORD_HEADER, ping, sizeof(ping));
	capture_close(c);
}
END_TEST

static const struct {
	bool sent;
	uint8_t first_byte;
	uint8_t header[COOKED];
} frames[] = {
	{true, 0x45, {0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x08, 0x00}},
	{false, 0x45, {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x08, 0x00}},
	{false, 0x60, {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x86, 0xdd}},
	{false, 0x0d, {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x00}}, /* noise */
};

START_TEST(line_has_direction_and_type)
{
	const uint8_t frame[] = {frames[_i].first_byte, 1, 2, 3};
	struct capture *c = open_or_fail("run.pcap", "ttyS0", CAPTURE_SLIP);
	ck_assert_str_eq(capture_path(c), "run.ttyS0.pcap");
	ck_assert(capture_packet(c, 0, frames[_i].sent, bytes_of(frame, sizeof(frame))));
	capture_close(c);
	struct content got = content_of("run.ttyS0.pcap");
	ck_assert_uint_eq(field32(&got, 20), 113); /* LINKTYPE_LINUX_SLL */
	ck_assert_uint_eq(field32(&got, FILE_HEADER + 8), COOKED + sizeof(frame));
	ck_assert_mem_eq(got.at + FILE_HEADER + RECORD_HEADER, frames[_i].header, COOKED);
	ck_assert_mem_eq(got.at + FILE_HEADER + RECORD_HEADER + COOKED, frame, sizeof(frame));
}
END_TEST

START_TEST(packet_is_cut_to_the_snap_length_and_says_so)
{
	static const uint8_t big[SNAP + 500] = {0x45};
	struct capture *c = open_or_fail("run.pcap", "ttyS0", CAPTURE_SLIP);
	ck_assert(capture_packet(c, 0, true, bytes_of(big, sizeof(big))));
	ck_assert(capture_packet(c, 0, true, bytes_of(NULL, 0)));
	capture_close(c);
	struct content got = content_of("run.ttyS0.pcap");
	ck_assert_uint_eq(field32(&got, 16), COOKED + SNAP);
	ck_assert_uint_eq(field32(&got, FILE_HEADER + 8), COOKED + SNAP);
	ck_assert_uint_eq(field32(&got, FILE_HEADER + 12), COOKED + sizeof(big));
	size_t next = FILE_HEADER + RECORD_HEADER + COOKED + SNAP;
	ck_assert_uint_eq(field32(&got, next + 8), COOKED);
	ck_assert_uint_eq(got.length, next + RECORD_HEADER + COOKED);
}
END_TEST

static const struct {
	const char *file, *line, *path;
} names[] = {
	{"run.pcap", NULL, "run.pcap"},        {"run.pcap", "ttyS0", "run.ttyS0.pcap"},
	{"run", "ttyS0", "run.ttyS0"},         {"a.b.pcap", "x", "a.b.x.pcap"},
	{"./run.d/run", "x", "./run.d/run.x"}, {".hidden", "x", ".hidden.x"},
	{"./.hidden", "x", "./.hidden.x"},     {"run.", "x", "run.x."},
};

START_TEST(line_name_goes_before_the_extension)
{
	ck_assert_int_eq(mkdir("run.d", 0700), 0);
	struct capture *c = open_or_fail(names[_i].file, names[_i].line, CAPTURE_SLIP);
	ck_assert_str_eq(capture_path(c), names[_i].path);
	struct stat status;
	ck_assert_int_eq(stat(names[_i].path, &status), 0);
	ck_assert_int_eq(status.st_mode & 0777, 0600); /* only for who ran it */
	capture_close(c);
}
END_TEST

START_TEST(file_that_cannot_be_opened_says_why)
{
	char name[1000] = "";
	ck_assert_ptr_null(
		capture_open("no/such/dir", NULL, CAPTURE_RAW_IP, SNAP, text, sizeof(text)));
	ck_assert_str_eq(text, "No such file or directory");
	ck_assert_ptr_null(
		capture_open("/dev/full", NULL, CAPTURE_RAW_IP, SNAP, text, sizeof(text)));
	ck_assert_str_eq(text, "No space left on device");
	memset(name, 'x', sizeof(name) - 1);
	ck_assert_ptr_null(capture_open(name, "l", CAPTURE_SLIP, SNAP, text, sizeof(text)));
	ck_assert_str_eq(text, "the file's name is too long");
	/* a FIFO that nobody reads: no wait for a reader */
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	alarm(10);
	ck_assert_ptr_null(capture_open("fifo", NULL, CAPTURE_RAW_IP, SNAP, text, sizeof(text)));
	ck_assert_str_ne(text, "");
}
END_TEST

/* A second program that fails to start must not have emptied the first one's capture. */
START_TEST(file_of_another_capture_is_left_alone)
{
	struct capture *first =
		capture_open("one.pcap", NULL, CAPTURE_RAW_IP, SNAP, text, sizeof(text));
	struct stat before, after;
	ck_assert_ptr_nonnull(first);
	ck_assert(capture_packet(first, 0, true, bytes_of(ping, sizeof(ping))));
	ck_assert_int_eq(stat("one.pcap", &before), 0);
	ck_assert_ptr_null(
		capture_open("one.pcap", NULL, CAPTURE_RAW_IP, SNAP, text, sizeof(text)));
	ck_assert_str_eq(text, "another program writes to it");
	ck_assert_int_eq(stat("one.pcap", &after), 0);
	ck_assert_int_eq(before.st_size, after.st_size);
	capture_close(first);
}
END_TEST

/* The file may not grow beyond two packets: the third says no, once; what was written stays. */
START_TEST(full_disk_ends_the_capture_once)
{
	struct rlimit limit;
	struct bytes packet = bytes_of(ping, sizeof(ping));
	size_t two = FILE_HEADER + 2 * (RECORD_HEADER + sizeof(ping));
	struct capture *c = open_or_fail("run.pcap", NULL, CAPTURE_RAW_IP);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = two;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert(capture_packet(c, 0, true, packet));
	ck_assert(capture_packet(c, 0, true, packet));
	ck_assert(!capture_packet(c, 0, true, packet));
	ck_assert(capture_packet(c, 0, true, packet));
	capture_close(c);
	ck_assert_uint_eq(content_of("run.pcap").length, two);
}
END_TEST

START_TEST(fifo_whose_reader_stalls_or_leaves_holds_nobody_up)
{
	struct bytes packet = bytes_of(ping, sizeof(ping));
	signal(SIGPIPE, SIG_IGN);
	alarm(10);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	for (int leaves = 0; leaves < 2; leaves++) {
		int reader = open("fifo", O_RDONLY | O_NONBLOCK);
		struct capture *c = open_or_fail("fifo", NULL, CAPTURE_RAW_IP);
		if (leaves)
			close(reader);
		int taken = 0;
		while (taken < 100000 && capture_packet(c, 0, true, packet))
			taken++;
		ck_assert_int_lt(taken, 100000);
		ck_assert(leaves ? taken == 0 : taken > 100);
		capture_close(c);
		if (!leaves)
			close(reader);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("capture");
	TCase *format = tcase_create("what is in a file");
	tcase_add_checked_fixture(format, set_up, tear_down);
	tcase_add_test(format, bundle_is_raw_ip);
	tcase_add_loop_test(format, line_has_direction_and_type, 0,
			    sizeof(frames) / sizeof(frames[0]));
	tcase_add_test(format, packet_is_cut_to_the_snap_length_and_says_so);
	tcase_add_loop_test(format, line_name_goes_before_the_extension, 0,
			    sizeof(names) / sizeof(names[0]));
	suite_add_tcase(s, format);
	TCase *failure = tcase_create("what cannot be written");
	tcase_add_checked_fixture(failure, set_up, tear_down);
	tcase_add_test(failure, file_that_cannot_be_opened_says_why);
	tcase_add_test(failure, file_of_another_capture_is_left_alone);
	tcase_add_test(failure, full_disk_ends_the_capture_once);
	tcase_add_test(failure, fifo_whose_reader_stalls_or_leaves_holds_nobody_up);
	suite_add_tcase(s, failure);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
