/* SPDX-License-Identifier: MIT */
/* The plan that --dry-run prints, and the queue's delays. */
#include "tests/unit/config_testing.h"

#include "src/plan.h"

/* --- the plan
 * ------------------------------------------------------------------------------------- */

START_TEST(E10_plan_shows_the_time_of_one_mtu)
{
	ck_assert_int_eq(RUN("--dry-run", "--local=10.9.0.1", "--remote=10.9.0.2",
			     "--default-route=9", "/dev/ttyS0:28800@38400",
			     "/dev/ttyS1:14400,parity=even,delay=30ms"),
			 CONFIG_RUN);
	print_plan();
	ck_assert_str_eq(out,
			 "interface  sb%d\n"
			 "MTU        503 = max(296, 1006 / 2)\n"
			 "address    10.9.0.1 to 10.9.0.2\n"
			 "route      default, metric 9\n"
			 "mode       earliest\n"
			 "queue      target 489 ms, interval 979 ms, ECN marks before drops\n"
			 "TCP        sends again after 739 ms at the earliest\n"
			 "hold       10.0 s while no line is up\n"
			 "shape      none, inwards none\n"
			 "tiers      diffserv3\n"
			 "locks      /run/lock\n"
			 "\n"
			 "line       ttyS0 = /dev/ttyS0, slip\n"
			 "  port     38400 baud, 8N1, no flow control\n"
			 "  carries  28800 bps / 10 bits per character = 2880 B/s, share 68.8 %\n"
			 "  one MTU  (503 + 2) x 10 / 28800 bps = 175.3 ms\n"
			 "\n"
			 "line       ttyS1 = /dev/ttyS1, slip\n"
			 "  port     14400 baud, 8E1, no flow control\n"
			 "  carries  14400 bps / 11 bits per character = 1309 B/s, share 31.2 %\n"
			 "  one MTU  (503 + 2) x 11 / 14400 bps = 385.8 ms\n"
			 "  delay    30.0 ms one way\n"
			 "\n"
			 "together   4189 B/s, one MTU in 120.6 ms\n");
}
END_TEST

START_TEST(plan_shows_every_choice)
{
	ck_assert_int_eq(RUN("--local=fd00::1/64", "--no-ecn", "--realtime", "--capture=x.pcap",
			     "--lock-dir=", "--default-route", "--hold=0",
			     "/dev/ttyS0:115200,flow=rtscts"),
			 CONFIG_RUN);
	print_plan();
	ck_assert_has(out, "MTU        1280 = max(296, 1006 / 1) = 1006, raised for IPv6\n");
	ck_assert_has(out, "address    fd00::1/64\n");
	ck_assert_has(out, "route      default\n");
	ck_assert_has(out, "drops, no ECN marks\n");
	ck_assert_has(out, "hold       0 ms while");
	ck_assert_has(out, "capture    x.pcap, and one file per line beside it\n");
	ck_assert_has(out, "locks      no lock files\n");
	ck_assert_has(out, "priority   real-time\n");
	ck_assert_has(out, "8N1, RTS/CTS\n");
	ck_assert_has(out, "share 100.0 %");
}
END_TEST

/* What they carry is the wire's; how it is split, and what comes of it all, the shapes'. */
START_TEST(shapes_count_in_what_is_split)
{
	ck_assert_int_eq(RUN("/dev/ttyS0:9600,shape=50%", "/dev/ttyS1:19200"), CONFIG_RUN);
	print_plan();
	ck_assert_has(out, "= 960 B/s, share 20.0 %\n");
	ck_assert_has(out, "= 1920 B/s, share 80.0 %\n");
	ck_assert_has(out, "  shape    50% = 4800 bps\n  one MTU  (503 + 2) x 10 / 4800 bps = ");
	ck_assert_has(out, "together   2400 B/s, ");
	ck_assert_int_eq(RUN("--shape=12k", "/dev/ttyS0:9600,shape=50%", "/dev/ttyS1:19200"),
			 CONFIG_RUN);
	print_plan();
	ck_assert_has(out, "= 1920 B/s, share 80.0 %\n");
	ck_assert_has(out, "  shape    50% = 4800 bps, its part of the bundle's 2400 bps\n");
	ck_assert_has(out, "  shape    its part of the bundle's 9600 bps\n");
	ck_assert_has(out, "together   1200 B/s, one MTU in 420.8 ms\n"); /* 505 / 1200 */
}
END_TEST

/* What is cut, and what a packet takes, goes by the shape as well. */
START_TEST(shapes_count_in_what_a_packet_takes)
{
	ck_assert_int_eq(RUN("--ppp", "--shape=50%", "/dev/ttyS0:28800",
			     "/dev/ttyS1:14400,linklayer=pppoe-llcsnap"),
			 CONFIG_RUN);
	print_plan();
	ck_assert_has(out, "  one MTU  (1500 + 9) x 10 / 14400 bps = 1047.9 ms\n");
	ck_assert_has(out, "  fragment 50.0 ms x 1440 B/s - 9 = 63 bytes");
	ck_assert_has(out,
		      "1500 = 1749 bytes, 1943.3 ms\n  one MTU  1749 x 8 / 7200 bps = 1943.3 ms\n");
	/* 1 / (1 / 1047.92 + 1 / 1943.33) */
	ck_assert_has(out, "together   2340 B/s, one MTU in 680.8 ms\n");
	ck_assert_ptr_null(strstr(strstr(out, "ttyS1 = "), "fragment"));
}
END_TEST

/* Computed by hand from the formula at the top of plan.c. */
START_TEST(queue_delays_follow_the_frame_time)
{
	struct plan_queue q = plan_queue(505, (const double[]){2880}, 1);
	/* T = 505/2880 = 175.35 ms, Q = 64/2880 = 22.22 ms: 526.04 + 11.11 */
	ck_assert_int_eq(q.target / SB_MS, 537);
	ck_assert_int_eq(q.interval, 2 * q.target);
	q = plan_queue(505, (const double[]){2880, 1440}, 2);
	/* T = 505/4320 = 116.90, H = 505/1440 - 505/2880 + 64/1440 = 219.79: 350.69 + 109.90 */
	ck_assert_int_eq(q.target / SB_MS, 460);
	ck_assert_int_eq(q.interval, 2 * q.target);
	q = plan_queue(900, (const double[]){960, 960, 960, 960}, 4);
	/* T = 900/3840 = 234.4, Q = 64/960 = 66.67: (2 + 4/2) T = 937.5, and 33.3 */
	ck_assert_int_eq(q.target / SB_MS, 970);
	q = plan_queue(1502, (const double[]){1e8}, 1);
	ck_assert_int_eq(q.target, 5 * SB_MS);
	ck_assert_int_eq(q.interval, 100 * SB_MS);
	q = plan_queue(1008, NULL, 0);
	ck_assert_int_ge(q.target, 600 * SB_SEC); /* 3 frames at 5 characters a second */
}
END_TEST

static TCase *plan_case(void)
{
	TCase *t = tcase_create("the plan");
	tcase_add_test(t, E10_plan_shows_the_time_of_one_mtu);
	tcase_add_test(t, plan_shows_every_choice);
	tcase_add_test(t, shapes_count_in_what_is_split);
	tcase_add_test(t, shapes_count_in_what_a_packet_takes);
	tcase_add_test(t, queue_delays_follow_the_frame_time);
	return t;
}

int main(void)
{
	Suite *suite = suite_create("plan");
	suite_add_tcase(suite, plan_case());
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
