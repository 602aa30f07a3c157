/* SPDX-License-Identifier: MIT */
/* What of answered lines is in the files of a capture: each frame and packet once. */
#define _DEFAULT_SOURCE
#include "tests/unit/pair_world.h"

#include <errno.h>

/* So fast that the first frame arrives whole, by which the peer is known. */
enum { BPS = 1000000 };
enum { CALLER = 0, ANSWERS = 2, FILE_SIZE = 1 << 16, RECORDS = 64 };
enum { FILE_HEADER = 24, RECORD_HEADER = 16 };

/* A record of LINKTYPE_PPP_WITH_DIR: 0 received, 1 sent; then FF 03, protocol and data. */
struct record {
	bool sent;
	unsigned protocol;
	struct bytes data;
};

static char directory[] = "/tmp/test_exchange_capture.XXXXXX";
static uint8_t file[FILE_SIZE];
static struct record records[RECORDS];

static void path_of(char *to, size_t size, const char *name)
{
	snprintf(to, size, "%s/%s", directory, name);
}

static size_t read_file(const char *name)
{
	char path[128];
	FILE *f;
	size_t n;

	path_of(path, sizeof path, name);
	f = fopen(path, "rb");
	ck_assert_ptr_nonnull(f);
	n = fread(file, 1, sizeof file, f);
	fclose(f);
	ck_assert_uint_ge(n, FILE_HEADER);
	return n;
}

static unsigned read_records(const char *name)
{
	size_t size = read_file(name);
	unsigned count = 0;

	for (size_t at = FILE_HEADER; at < size; count++) {
		const uint8_t *frame = file + at + RECORD_HEADER;
		uint32_t length;

		memcpy(&length, file + at + 8, sizeof length);
		ck_assert_uint_ge(length, 5);
		ck_assert_uint_lt(count, RECORDS);
		ck_assert(frame[1] == 0xff && frame[2] == 0x03);
		records[count] = (struct record){
			.sent = frame[0],
			.protocol = (unsigned)(frame[3] << 8 | frame[4]),
			.data = bytes_of(frame + 5, length - 5),
		};
		at += RECORD_HEADER + length;
	}
	return count;
}

static void remove_file(const char *name)
{
	char path[128];

	path_of(path, sizeof path, name);
	ck_assert_int_eq(unlink(path), 0);
}

static void start(const struct encap_kind *kind)
{
	struct config *c = &w.side[ANSWERS].config;

	world_clear();
	ck_assert_ptr_nonnull(mkdtemp(directory));
	w.side[CALLER].config = config_of_side(CALLER);
	*c = config_of_side(ANSWERS);
	c->answer = true;
	c->ppp.local = ADDRESS_A;
	c->pool = (struct pool_config){.first = ADDRESS_B, .count = 1};
	path_of(c->capture, sizeof c->capture, "run.pcap");
	add_cable(CALLER, ANSWERS, BPS, 5 * SB_MS, kind, NULL);
	side_start(CALLER);
	side_start(ANSWERS);
}

static void end(void)
{
	world_end();
	remove_file("run.tty1.pcap");
	remove_file("run.sb1.pcap");
	ck_assert_int_eq(rmdir(directory), 0);
}

static unsigned lcp_packets(unsigned count, bool sent, uint8_t code)
{
	unsigned n = 0;

	for (unsigned i = 0; i < count; i++)
		n += records[i].sent == sent && records[i].protocol == PPP_LCP &&
		     records[i].data.at[0] == code;
	return n;
}

/* The first request told what the peer speaks, and was then received by the link. */
START_TEST(each_request_is_there_once)
{
	enum { REQUEST = 1, ACK = 2 };
	unsigned count;

	start(&encap_ppp);
	world_run(2 * SB_SEC);
	ck_assert_uint_eq(lines_up(CALLER), 1);
	side_end(ANSWERS);
	count = read_records("run.tty1.pcap");
	ck_assert_uint_gt(lcp_packets(count, false, REQUEST), 0);
	ck_assert_uint_eq(lcp_packets(count, false, REQUEST), lcp_packets(count, true, ACK));
	end();
}
END_TEST

/* It might have been PPP, so the file is one for that. */
START_TEST(packets_of_a_slip_caller_are_there)
{
	start(&encap_slip);
	side_sends(CALLER, 3);
	world_run(SB_SEC);
	host_sends_bytes(host_of(ANSWERS), packet_of(5));
	world_run(SB_SEC);
	side_end(ANSWERS);
	ck_assert_uint_eq(read_records("run.tty1.pcap"), 4);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert(records[i].sent == (i == 3));
		ck_assert_uint_eq(records[i].protocol, PPP_IP);
		assert_octets(records[i].data, packet_of(i == 3 ? 5 : i));
	}
	end();
}
END_TEST

START_TEST(answer_tells_why_none_was_started)
{
	struct exchange_answer a = {0};
	char path[128];

	start(&encap_ppp);
	world_run(2 * SB_SEC);
	path_of(path, sizeof path, "nowhere/more.pcap");
	exchange_capture_start(w.side[ANSWERS].exchange, path, EXCHANGE_NO_LINE, &a);
	ck_assert_int_eq(a.error, ENOENT);
	ck_assert_msg(strstr(a.text, "/nowhere/more.pcap: No such file or directory"), "%s",
		      a.text);
	exchange_capture_start(w.side[ANSWERS].exchange, path, 0, &a);
	ck_assert_int_eq(a.error, ENOENT);
	exchange_capture_start(w.side[ANSWERS].exchange, directory, 0, &a);
	ck_assert_int_eq(a.error, EISDIR);
	side_end(ANSWERS);
	end();
}
END_TEST

/* The one that runs is not disturbed, whichever way it was started. */
START_TEST(capture_of_a_file_that_is_being_captured_is_refused)
{
	struct exchange_answer a = {0};
	char path[2][128];
	size_t before;

	start(&encap_slip);
	side_sends(CALLER, 1);
	world_run(2 * SB_SEC);
	path_of(path[0], sizeof path[0], "run.pcap");
	path_of(path[1], sizeof path[1], "more.pcap");
	exchange_capture_start(w.side[ANSWERS].exchange, path[1], 0, &a);
	ck_assert_int_eq(a.error, 0);
	before = read_file("more.pcap");
	for (unsigned i = 0; i < 2; i++) {
		exchange_capture_start(w.side[ANSWERS].exchange, path[i], EXCHANGE_NO_LINE, &a);
		ck_assert_int_eq(a.error, EBUSY);
		ck_assert_msg(strstr(a.text, ".pcap: is being captured already"), "%s", a.text);
		exchange_capture_start(w.side[ANSWERS].exchange, path[i], 0, &a);
		ck_assert_int_eq(a.error, EBUSY);
	}
	side_sends(CALLER, 3);
	world_run(SB_SEC);
	ck_assert_uint_eq(read_records("run.tty1.pcap"), 4);
	ck_assert_uint_gt(read_file("more.pcap"), before);
	exchange_capture_stop(w.side[ANSWERS].exchange, path[1], &a);
	ck_assert_int_eq(a.error, 0);
	side_end(ANSWERS);
	remove_file("more.pcap");
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exchange_capture");
	TCase *tcase = tcase_create("answered");

	tcase_add_test(tcase, each_request_is_there_once);
	tcase_add_test(tcase, packets_of_a_slip_caller_are_there);
	tcase_add_test(tcase, answer_tells_why_none_was_started);
	tcase_add_test(tcase, capture_of_a_file_that_is_being_captured_is_refused);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
