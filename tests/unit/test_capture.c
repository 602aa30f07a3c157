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

static const struct content *ppp_frame(bool sent, uint16_t protocol, struct bytes head,
				       struct bytes data)
{
	static struct content got;
	struct capture *c = open_or_fail("run.pcap", "ttyS0", CAPTURE_PPP);
	ck_assert(capture_frame(c, 0, sent, protocol, head, data));
	capture_close(c);
	got = content_of("run.ttyS0.pcap");
	ck_assert_uint_eq(field32(&got, 20), 204); /* LINKTYPE_PPP_WITH_DIR */
	memmove(got.at, got.at + FILE_HEADER + RECORD_HEADER, sizeof(got.at) - 64);
	got.length -= FILE_HEADER + RECORD_HEADER;
	return &got;
}

START_TEST(ppp_has_direction_and_a_whole_header)
{
	static const uint8_t fragment[] = {0xc0, 0, 0, 7}, sent[] = {1, 0xff, 3, 0, 0x3d},
			     received[] = {0, 0xff, 3, 0xc0, 0x21};
	struct bytes head = bytes_of(fragment, sizeof(fragment)),
		     data = bytes_of(ping, sizeof(ping)), none = bytes_of(NULL, 0);
	const struct content *got = ppp_frame(true, 0x003d, head, data);
	ck_assert_uint_eq(got->length, sizeof(sent) + sizeof(fragment) + sizeof(ping));
	ck_assert_mem_eq(got->at, sent, sizeof(sent));
	ck_assert_mem_eq(got->at + sizeof(sent), fragment, sizeof(fragment));
	ck_assert_mem_eq(got->at + sizeof(sent) + sizeof(fragment), ping, sizeof(ping));
	got = ppp_frame(false, 0xc021, none, none);
	ck_assert_uint_eq(got->length, sizeof(received));
	ck_assert_mem_eq(got->at, received, sizeof(received));
}
END_TEST

START_TEST(ppp_frame_is_cut_to_the_snap_length_and_says_so)
{
	static const uint8_t big[SNAP];
	struct capture *c = open_or_fail("run.pcap", "ttyS0", CAPTURE_PPP);
	ck_assert(capture_frame(c, 0, true, 0x3d, bytes_of(big, 4), bytes_of(big, sizeof(big))));
	ck_assert(capture_frame(c, 0, true, 0x3d, bytes_of(big, 0), bytes_of(big, sizeof(big))));
	capture_close(c);
	struct content got = content_of("run.ttyS0.pcap");
	ck_assert_uint_eq(field32(&got, 16), 5 + SNAP);
	ck_assert_uint_eq(field32(&got, FILE_HEADER + 8), 5 + SNAP);
	ck_assert_uint_eq(field32(&got, FILE_HEADER + 12), 5 + SNAP + 4);
	size_t next = FILE_HEADER + RECORD_HEADER + 5 + SNAP;
	ck_assert_uint_eq(field32(&got, next + 8), 5 + SNAP);
	ck_assert_uint_eq(field32(&got, next + 12), 5 + SNAP);
}
END_TEST

static const struct {
	const char *packet, *kept;
	size_t length;
} passwords[] = {
	{"\1\1\0\x11\5alice\6secret", "\1\1\0\x11\5alice\6******", 17},
	{"\1\1\0\x0a\0\4open", "\1\1\0\x0a\0\4****", 10},
	{"\1\1\0\x11\5alice\xffsecret", "\1\1\0\x11\5alice\xff******", 17}, /* bad length */
	{"\1\1\0\x11\377alice\6secret", "\1\1\0\x11\377************", 17},  /* where? */
	{"\1\1\0\x05\5alice\6secret", "\1\1\0\x05\5alice\6******", 17},
	{"\1\1\0\x04", "\1\1\0\x04", 4},
	{"\1", "\1", 1},
	{"\2\1\0\x0b\6secret", "\2\1\0\x0b\6secret", 11}, /* an Ack's message is none */
};

START_TEST(B056_no_password_in_a_capture)
{
	struct bytes packet = bytes_of(passwords[_i].packet, passwords[_i].length);
	for (size_t cut = 0; cut <= packet.length; cut++) {
		const struct content *got = ppp_frame(_i & 1, 0xc023, bytes_of(packet.at, cut),
						      bytes_skip(packet, cut));
		ck_assert_uint_eq(got->length, 5 + packet.length);
		ck_assert_mem_eq(got->at + 5, passwords[_i].kept, packet.length);
	}
}
END_TEST

/* Where there is one, as there is where all tests are run. */
START_TEST(tshark_reads_ppp)
{
	static const uint8_t echo[] = {9, 1, 0, 8, 0, 0, 0, 0};
	static const uint8_t whole[] = {0xc0, 0, 0, 0, 0x00, 0x21};
	const struct bytes none = bytes_of(NULL, 0), packet = bytes_of(ping, sizeof(ping));
	char got[128] = "";
	if (system("command -v tshark >/dev/null") != 0)
		return;
	struct capture *c = open_or_fail("run.pcap", "ttyS0", CAPTURE_PPP);
	ck_assert(capture_frame(c, 0, true, 0xc021, none, bytes_of(echo, sizeof(echo))));
	ck_assert(capture_frame(c, 0, false, 0x0021, none, packet));
	ck_assert(capture_frame(c, 0, true, 0x003d, bytes_of(whole, sizeof(whole)), packet));
	capture_close(c);
	FILE *tshark = popen("tshark -nr run.ttyS0.pcap -Tfields -e frame.p2p_dir "
			     "-e ppp.code -e icmp.type -e _ws.malformed 2>tshark.err",
			     "r");
	ck_assert_ptr_nonnull(tshark);
	size_t n = fread(got, 1, sizeof(got) - 1, tshark);
	ck_assert_int_eq(pclose(tshark), 0);
	ck_assert_str_eq(got, "0\t9\t\t\n1\t\t8\t\n0\t\t8\t\n");
	ck_assert_uint_gt(n, 0);
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
	limit.rlim_cur = two + 20; /* the third would fit in part */
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert(capture_packet(c, 0, true, packet));
	ck_assert(capture_packet(c, 0, true, packet));
	ck_assert(!capture_packet(c, 0, true, packet));
	ck_assert(capture_packet(c, 0, true, packet));
	capture_close(c);
	ck_assert_uint_eq(content_of("run.pcap").length, two);
}
END_TEST

/* Three packets fit; of three files the oldest is the first to go. */
START_TEST(rotated_by_size)
{
	struct bytes packet = bytes_of(ping, sizeof(ping));
	size_t three = FILE_HEADER + 3 * (RECORD_HEADER + sizeof(ping));
	struct capture *c = open_or_fail("run.pcap", NULL, CAPTURE_RAW_IP);
	capture_set_rotation(c, three, 3);
	for (int i = 0; i < 11; i++)
		ck_assert(capture_packet(c, i * INT64_C(1000000000), true, packet));
	capture_close(c);
	ck_assert_uint_eq(content_of("run.pcap").length, three - RECORD_HEADER - sizeof(ping));
	ck_assert_uint_eq(content_of("run.pcap.1").length, three);
	ck_assert_uint_eq(content_of("run.pcap.2").length, three);
	ck_assert_int_eq(access("run.pcap.3", F_OK), -1);
	struct content got = content_of("run.pcap.2");
	ck_assert_uint_eq(field32(&got, FILE_HEADER), 3);
}
END_TEST

START_TEST(rotated_with_one_file_begins_anew)
{
	struct bytes packet = bytes_of(ping, sizeof(ping));
	struct capture *c = open_or_fail("run.pcap", NULL, CAPTURE_RAW_IP);
	capture_set_rotation(c, 1, 1);
	for (int i = 0; i < 3; i++)
		ck_assert(capture_packet(c, 0, true, packet));
	capture_close(c);
	ck_assert_uint_eq(content_of("run.pcap").length,
			  FILE_HEADER + RECORD_HEADER + sizeof(ping));
	ck_assert_int_eq(access("run.pcap.1", F_OK), -1);
}
END_TEST

static struct {
	size_t sizes[8];
	unsigned count, wanted, ends;
} sunk;

static bool sink(void *context, struct bytes b)
{
	ck_assert_ptr_eq(context, &sunk);
	sunk.sizes[sunk.count++] = b.length;
	return sunk.count < sunk.wanted;
}

static void sink_ends(void *context)
{
	ck_assert_ptr_eq(context, &sunk);
	sunk.ends++;
}

/* Whole ones only, the largest too, so that a reader that is slow may miss some of them. */
START_TEST(sink_gets_one_packet_at_a_time)
{
	static const uint8_t big[9216] = {0x45};
	const struct capture_sink to = {sink, sink_ends, &sunk};
	sunk.wanted = 4;
	struct capture *c = capture_open_sink(&to, "stream", CAPTURE_SLIP, sizeof(big));
	ck_assert_ptr_nonnull(c);
	ck_assert_str_eq(capture_path(c), "stream");
	ck_assert(capture_packet(c, 0, true, bytes_of(ping, sizeof(ping))));
	ck_assert(capture_packet(c, 0, true, bytes_of(big, sizeof(big))));
	ck_assert(!capture_packet(c, 0, true, bytes_of(ping, sizeof(ping)))); /* had enough */
	ck_assert(capture_packet(c, 0, true, bytes_of(ping, sizeof(ping))));
	ck_assert_uint_eq(sunk.ends, 0);
	capture_close(c);
	ck_assert_uint_eq(sunk.ends, 1);
	ck_assert_uint_eq(sunk.sizes[0], FILE_HEADER);
	ck_assert_uint_eq(sunk.sizes[1], RECORD_HEADER + COOKED + sizeof(ping));
	ck_assert_uint_eq(sunk.sizes[2], RECORD_HEADER + COOKED + sizeof(big));
	ck_assert_uint_eq(sunk.sizes[3], sunk.sizes[1]);
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
	tcase_add_test(format, ppp_has_direction_and_a_whole_header);
	tcase_add_test(format, ppp_frame_is_cut_to_the_snap_length_and_says_so);
	tcase_add_test(format, tshark_reads_ppp);
	tcase_set_timeout(format, 60);
	tcase_add_loop_test(format, B056_no_password_in_a_capture, 0,
			    sizeof(passwords) / sizeof(passwords[0]));
	tcase_add_test(format, packet_is_cut_to_the_snap_length_and_says_so);
	tcase_add_loop_test(format, line_name_goes_before_the_extension, 0,
			    sizeof(names) / sizeof(names[0]));
	suite_add_tcase(s, format);
	TCase *failure = tcase_create("what cannot be written");
	tcase_add_checked_fixture(failure, set_up, tear_down);
	tcase_add_test(failure, file_that_cannot_be_opened_says_why);
	tcase_add_test(failure, file_of_another_capture_is_left_alone);
	tcase_add_test(failure, full_disk_ends_the_capture_once);
	tcase_add_test(failure, rotated_by_size);
	tcase_add_test(failure, rotated_with_one_file_begins_anew);
	tcase_add_test(failure, sink_gets_one_packet_at_a_time);
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
