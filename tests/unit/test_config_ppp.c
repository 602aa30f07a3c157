/* SPDX-License-Identifier: MIT */
/* Options of PPP, multilink, proof and answering: what is understood, and what is refused. */
#include "tests/unit/config_testing.h"

#include <arpa/inet.h>

/* --- what lines speak ------------------------------------------------------------------------ */

START_TEST(lines_speak_slip_unless_told)
{
	ck_assert_int_eq(RUN("a:9600"), CONFIG_RUN);
	ck_assert_str_eq(config.lines[0].encap->name, "slip");
	ck_assert_uint_eq(config_ppp_lines(&config), 0);
	ck_assert_int_eq(RUN("a:9600", "b:9600", "--ppp"), CONFIG_RUN);
	ck_assert_str_eq(config.lines[1].encap->name, "ppp");
	ck_assert_uint_eq(config_ppp_lines(&config), 2);
}
END_TEST

START_TEST(a_lines_own_word_wins)
{
	ck_assert_int_eq(RUN("--ppp", "a:9600,slip", "b:9600"), CONFIG_RUN);
	ck_assert_str_eq(config.lines[0].encap->name, "slip");
	ck_assert_str_eq(config.lines[1].encap->name, "ppp");
	ck_assert_int_eq(RUN("a:9600", "b:9600,ppp"), CONFIG_RUN);
	ck_assert_str_eq(config.lines[0].encap->name, "slip");
	ck_assert_str_eq(config.lines[1].encap->name, "ppp");
}
END_TEST

START_TEST(who_answers_finds_out)
{
	ck_assert_int_eq(
		RUN("--answer", "--local=10.0.0.1", "a:9600", "b:9600,ppp", "c:9600,slip,bundle=x"),
		CONFIG_RUN);
	ck_assert(config.answer);
	ck_assert_ptr_null(config.lines[0].encap);
	ck_assert_str_eq(config.lines[1].encap->name, "ppp");
	ck_assert_str_eq(config.lines[2].encap->name, "slip");
	ck_assert_str_eq(config.lines[2].bundle, "x");
	ck_assert_uint_eq(config_ppp_lines(&config), 2);
	ck_assert_int_eq(RUN("--answer", "--ppp", "--local=10.0.0.1", "a:9600"), CONFIG_RUN);
	ck_assert_str_eq(config.lines[0].encap->name, "ppp");
}
END_TEST

/* --- values ------------------------------------------------------------------------------------
 */

START_TEST(options_have_defaults)
{
	const struct ppp_config *p = &config.ppp;
	char host[AUTH_NAME_SIZE] = "";
	gethostname(host, sizeof(host) - 1);
	ck_assert_int_eq(RUN("--ppp", "a:9600"), CONFIG_RUN);
	ck_assert_uint_eq(p->mru, 1500);
	ck_assert_uint_eq(p->mrru, 1500);
	ck_assert_uint_eq(p->accm, 0);
	ck_assert_uint_eq(p->fcs, 0);
	ck_assert(p->multilink && p->pfc && p->acfc);
	ck_assert(!p->short_sequence && !p->receive_all && !p->ipv6 && !p->ask_dns);
	ck_assert(!p->require_pap && !p->require_chap && !p->refuse_pap && !p->refuse_chap);
	ck_assert_uint_eq(p->endpoint.class, 4); /* one of its own for each process */
	ck_assert_uint_eq(p->endpoint.length, 8);
	ck_assert_str_eq(p->name, host);
	ck_assert_str_eq(p->remote_name, "");
	ck_assert_str_eq(p->pap_secrets, "/etc/ppp/pap-secrets");
	ck_assert_str_eq(p->chap_secrets, "/etc/ppp/chap-secrets");
	ck_assert_int_eq(p->echo_interval, 10 * SB_SEC);
	ck_assert_uint_eq(p->echo_failure, 6);
	ck_assert_int_eq(p->timers.restart, 3 * SB_SEC);
	ck_assert_uint_eq(p->timers.max_configure, 10);
	ck_assert_uint_eq(p->timers.max_failure, 5);
	ck_assert_uint_eq(p->timers.max_terminate, 2);
	ck_assert_int_eq(p->max_fragment_delay, 50 * SB_MS);
	ck_assert_int_eq(p->quality_period, 0);
	ck_assert_int_eq(p->rechallenge, 0);
	ck_assert_uint_eq(p->local, 0);
	ck_assert_uint_eq(p->remote, 0);
}
END_TEST

START_TEST(values_are_stored)
{
	const struct ppp_config *p = &config.ppp;
	ck_assert_int_eq(RUN("--ppp", "--mru=600", "--mrru=2048", "--asyncmap=A0000",
			     "--escape=0,ff", "--escape", "80", "--receive-all", "--no-pfc",
			     "--no-acfc", "--fcs=32", "--short-sequence",
			     "--max-fragment-delay=20ms", "--endpoint=local:0a",
			     "--echo-interval=1min", "--echo-failure=0", "--quality-reports=30s",
			     "--restart=500ms", "--max-configure=20", "--max-failure=1",
			     "--max-terminate=3", "a:9600"),
			 CONFIG_RUN);
	ck_assert_uint_eq(p->mru, 600);
	ck_assert_uint_eq(p->mrru, 2048);
	ck_assert_uint_eq(p->accm, 0xA0000);
	ck_assert(asyncmap_has(&p->escape, 0) && asyncmap_has(&p->escape, 0xFF) &&
		  asyncmap_has(&p->escape, 0x80) && !asyncmap_has(&p->escape, 0x81));
	ck_assert(p->receive_all && !p->pfc && !p->acfc && p->short_sequence);
	ck_assert_uint_eq(p->fcs, 4);
	ck_assert_int_eq(p->max_fragment_delay, 20 * SB_MS);
	ck_assert_uint_eq(p->endpoint.class, 1);
	ck_assert_int_eq(p->echo_interval, 60 * SB_SEC);
	ck_assert_uint_eq(p->echo_failure, 0); /* B121: 0 is 0 */
	ck_assert_int_eq(p->quality_period, 30 * SB_SEC);
	ck_assert_int_eq(p->timers.restart, 500 * SB_MS);
	ck_assert_uint_eq(p->timers.max_configure, 20);
	ck_assert_uint_eq(p->timers.max_failure, 1);
	ck_assert_uint_eq(p->timers.max_terminate, 3);
}
END_TEST

START_TEST(values_about_peers_are_stored)
{
	const struct ppp_config *p = &config.ppp;
	ck_assert_int_eq(RUN("--ppp", "--user=me", "--remote-name=you", "--require-pap",
			     "--require-chap", "--refuse-pap", "--refuse-chap",
			     "--pap-secrets=/dev/null", "--chap-secrets=/dev/zero",
			     "--rechallenge=90s", "--ask-dns", "--resolv=/tmp/r", "--dns=10.0.0.53",
			     "--dns=10.0.0.54", "--ipv6", "--interface-id=::1,::2:0:0:3", "a:9600"),
			 CONFIG_RUN);
	ck_assert_str_eq(p->name, "me");
	ck_assert_str_eq(p->remote_name, "you");
	ck_assert(p->require_pap && p->require_chap && p->refuse_pap && p->refuse_chap);
	ck_assert_str_eq(p->pap_secrets, "/dev/null");
	ck_assert_str_eq(p->chap_secrets, "/dev/zero");
	ck_assert_int_eq(p->rechallenge, 90 * SB_SEC);
	ck_assert(p->ask_dns && p->ipv6);
	ck_assert_str_eq(p->resolv, "/tmp/r");
	ck_assert_uint_eq(p->give_dns[0], 0x0A000035);
	ck_assert_uint_eq(p->give_dns[1], 0x0A000036);
	ck_assert_mem_eq(p->local_id, "\0\0\0\0\0\0\0\1", 8);
	ck_assert_mem_eq(p->remote_id, "\0\2\0\0\0\0\0\3", 8);
}
END_TEST

START_TEST(xon_and_xoff_are_escaped_where_they_control_the_flow)
{
	ck_assert_int_eq(RUN("--ppp", "--asyncmap=1", "a:9600", "b:9600,flow=xonxoff"), CONFIG_RUN);
	ck_assert_uint_eq(config.ppp.accm, 0xA0001);
	ck_assert(asyncmap_has(&config.ppp.escape, 0x11) && asyncmap_has(&config.ppp.escape, 0x13));
	ck_assert_int_eq(RUN("--ppp", "a:9600", "b:9600,slip,flow=xonxoff"), CONFIG_RUN);
	ck_assert_uint_eq(config.ppp.accm, 0);
	ck_assert(!asyncmap_has(&config.ppp.escape, 0x11));
}
END_TEST

START_TEST(null_endpoint_is_none)
{
	ck_assert_int_eq(RUN("--ppp", "--endpoint=null", "a:9600"), CONFIG_RUN);
	ck_assert_uint_eq(config.ppp.endpoint.class, 0);
	ck_assert_uint_eq(config.ppp.endpoint.length, 0);
}
END_TEST

static const struct {
	const char *text;
	uint32_t first, count;
} pools[] = {
	{"10.0.0.2-10.0.0.9", 0x0A000002, 8}, {"10.0.0.2-10.0.0.2", 0x0A000002, 1},
	{"10.0.0.0/24", 0x0A000001, 254},     {"10.0.0.2/24", 0x0A000002, 253},
	{"10.0.0.4/31", 0x0A000004, 2},       {"10.0.0.4/32", 0x0A000004, 1},
	{"10.0.0.254/24", 0x0A0000FE, 1},     {"10.1.0.0/16", 0x0A010001, 65534},
};

START_TEST(pools_are_ranges_or_networks)
{
	ck_assert_int_eq(RUN("--answer", "--local=192.168.0.1", "--pool", pools[_i].text, "a:9600"),
			 CONFIG_RUN);
	ck_assert_uint_eq(config.pool.first, pools[_i].first);
	ck_assert_uint_eq(config.pool.count, pools[_i].count);
	ck_assert_uint_eq(config.pool.own, 0xC0A80001);
}
END_TEST

/* --- addresses and MTU --------------------------------------------------------------------------
 */

START_TEST(the_first_ipv4_address_is_negotiated)
{
	ck_assert_int_eq(RUN("--ppp", "--local=10.0.0.1", "--remote=10.0.0.2",
			     "--local=10.1.0.1/24", "--local=fd00::1/64", "--default-route",
			     "a:9600"),
			 CONFIG_RUN);
	ck_assert_uint_eq(config.ppp.local, 0x0A000001);
	ck_assert_uint_eq(config.ppp.remote, 0x0A000002);
	ck_assert_uint_eq(config.address_count, 2); /* the others are there from the start */
	ck_assert_uint_eq(ntohl(config.addresses[0].local.v4.s_addr), 0x0A010001);
	ck_assert_int_eq(config.addresses[1].family, AF_INET6);
	ck_assert(config.ppp.ipv6); /* it would be of no use without IPV6CP */
}
END_TEST

START_TEST(ours_is_asked_for_where_the_peers_alone_is_given)
{
	ck_assert_int_eq(RUN("--ppp", "--remote=10.0.0.2", "a:9600"), CONFIG_RUN);
	ck_assert_uint_eq(config.ppp.local, 0);
	ck_assert_uint_eq(config.ppp.remote, 0x0A000002);
	ck_assert_int_eq(RUN("--ppp", "--default-route", "a:9600"), CONFIG_RUN);
}
END_TEST

START_TEST(with_a_slip_line_addresses_are_there_from_the_start)
{
	ck_assert_int_eq(RUN("--local=10.0.0.1", "--remote=10.0.0.2", "a:9600", "b:9600,ppp"),
			 CONFIG_RUN);
	ck_assert_uint_eq(config.ppp.local, 0x0A000001);
	ck_assert_uint_eq(config.ppp.remote, 0x0A000002);
	ck_assert_uint_eq(config.address_count, 1);
	ck_assert(config.addresses[0].has_peer);
}
END_TEST

START_TEST(ppp_needs_no_small_mtu)
{
	ck_assert_int_eq(RUN("--ppp", "a:9600", "b:9600"), CONFIG_RUN);
	ck_assert_uint_eq(config.mtu, 1500);
	ck_assert_int_eq(RUN("--ppp", "a:9600", "b:9600,slip"), CONFIG_RUN);
	ck_assert_uint_eq(config.mtu, 503);
	ck_assert_int_eq(RUN("--answer", "--local=10.0.0.1", "a:9600", "b:9600"), CONFIG_RUN);
	ck_assert_uint_eq(config.mtu, 1500);
	ck_assert_int_eq(RUN("--ppp", "--mtu=900", "a:9600", "b:9600"), CONFIG_RUN);
	ck_assert_uint_eq(config.mtu, 900);
	ck_assert_uint_eq(config.ppp.mrru, 1500);
}
END_TEST

START_TEST(what_we_take_is_what_we_would_send)
{
	ck_assert_int_eq(RUN("--ppp", "--mtu=4000", "a:9600"), CONFIG_RUN);
	ck_assert_uint_eq(config.ppp.mru, 4000);
	ck_assert_uint_eq(config.ppp.mrru, 4000);
	ck_assert_int_eq(RUN("--ppp", "--mtu=4000", "--mru=600", "--mrru=1500", "a:9600"),
			 CONFIG_RUN);
	ck_assert_uint_eq(config.ppp.mru, 600);
	ck_assert_uint_eq(config.ppp.mrru, 1500);
}
END_TEST

/* --- what is refused -----------------------------------------------------------------------------
 */

#define A_UNIT "expected a number from 128 to 9216"

static const struct {
	const char *words[6], *message;
} refusals[] = {
	{{"--ppp", "--slip", "x:9600"}, "--ppp: not together with --slip"},
	{{"--mru", "127", "x:9600"}, "--mru 127: " A_UNIT},
	{{"--mru", "9217", "x:9600"}, "--mru 9217: " A_UNIT},
	{{"--mrru=x", "x:9600"}, "--mrru x: " A_UNIT},
	{{"--asyncmap=100000000", "x:9600"},
	 "--asyncmap 100000000: expected 1 to 8 hexadecimal digits (a0000: XON and XOFF)"},
	{{"--asyncmap=", "x:9600"},
	 "--asyncmap '': expected 1 to 8 hexadecimal digits (a0000: XON and XOFF)"},
	{{"--escape=11,5e", "x:9600"}, "--escape 5e: 20 to 3f and 5e cannot be escaped"},
	{{"--escape=11,", "x:9600"},
	 "--escape 11,: expected characters as hexadecimal numbers (11,13,ff)"},
	{{"--escape=100", "x:9600"},
	 "--escape 100: expected characters as hexadecimal numbers (11,13,ff)"},
	{{"--fcs=24", "x:9600"}, "--fcs 24: expected 16 or 32"},
	{{"--endpoint=MAC:1", "x:9600"},
	 "--endpoint MAC:1: expected null, local:HEX, IP:ADDR, MAC:xx:xx:xx:xx:xx:xx, magic:HEX or "
	 "phone:DIGITS"},
	{{"--echo-interval=5", "x:9600"},
	 "--echo-interval 5: expected a time from 0 to 1h (250ms, 1.5s, 10s)"},
	{{"--echo-failure=101", "x:9600"}, "--echo-failure 101: expected a number from 0 to 100"},
	{{"--quality-reports=2h", "x:9600"},
	 "--quality-reports 2h: expected a time from 0 to 1h (250ms, 1.5s, 10s)"},
	{{"--restart=0", "x:9600"}, "--restart 0: expected a time from 100ms to 60s"},
	{{"--restart=61s", "x:9600"}, "--restart 61s: expected a time from 100ms to 60s"},
	{{"--max-configure=0", "x:9600"}, "--max-configure 0: expected a number from 1 to 100"},
	{{"--max-failure=101", "x:9600"}, "--max-failure 101: expected a number from 1 to 100"},
	{{"--max-terminate=-1", "x:9600"}, "--max-terminate -1: expected a number from 1 to 100"},
	{{"--max-fragment-delay=11s", "x:9600"},
	 "--max-fragment-delay 11s: expected a time from 0 to 10s (250ms, 1.5s, 10s)"},
	{{"--user=", "x:9600"}, "--user '': expected a name of 1 to 255 bytes"},
	{{"--remote-name=", "x:9600"}, "--remote-name '': expected a name of 1 to 255 bytes"},
	{{"--pap-secrets=", "x:9600"},
	 "--pap-secrets '': expected a file name of at most 255 characters"},
	{{"--rechallenge=25h", "x:9600"},
	 "--rechallenge 25h: expected a time from 0 to 24h (90s, 10min)"},
	{{"--dns=fd00::1", "x:9600"}, "--dns fd00::1: expected an IPv4 address"},
	{{"--dns=10.0.0.1/24", "x:9600"}, "--dns 10.0.0.1/24: expected an IPv4 address"},
	{{"--dns=10.0.0.1", "--dns=10.0.0.2", "--dns=10.0.0.3", "x:9600"},
	 "--dns 10.0.0.3: more than 2 name servers"},
	{{"--interface-id=::", "x:9600"},
	 "--interface-id ::: expected the low half of an IPv6 address, or two (::1,::2)"},
	{{"--interface-id=fe80::1", "x:9600"},
	 "--interface-id fe80::1: expected the low half of an IPv6 address, or two (::1,::2)"},
	{{"--interface-id=::1,::1", "x:9600"}, "--interface-id ::1,::1: both are the same"},
	{{"--pool=10.0.0.9-10.0.0.2", "x:9600"}, "--pool 10.0.0.9-10.0.0.2: no address in it"},
	{{"--pool=10.0.0.0/8", "x:9600"}, "--pool 10.0.0.0/8: more than 65536 addresses"},
	{{"--pool=10.0.0.1", "x:9600"},
	 "--pool 10.0.0.1: expected FIRST-LAST or FIRST/PREFIX (10.0.0.2-10.0.0.9, 10.0.0.2/24)"},
	{{"--pool=fd00::/64", "x:9600"},
	 "--pool fd00::/64: expected FIRST-LAST or FIRST/PREFIX (10.0.0.2-10.0.0.9, 10.0.0.2/24)"},
	/* several together */
	{{"--short-sequence", "--mru=1500", "x:9600"},
	 "--short-sequence: no line speaks PPP (--ppp, or the word ppp on one)"},
	{{"--ppp", "--short-sequence", "--no-multilink", "x:9600"},
	 "--short-sequence: not together with --no-multilink"},
	{{"--ppp", "--mrru=1500", "--no-multilink", "x:9600"},
	 "--mrru: not together with --no-multilink"},
	{{"--ppp", "--max-fragment-delay=0", "--no-multilink", "x:9600"},
	 "--max-fragment-delay: not together with --no-multilink"},
	{{"--ppp", "--no-multilink", "x:9600", "y:9600"},
	 "--no-multilink: 2 PPP lines are one bundle only with it"},
	{{"--ppp", "--interface-id=::1", "x:9600"}, "--interface-id: needs --ipv6"},
	{{"--ppp", "--resolv=/tmp/x", "x:9600"}, "--resolv: needs --ask-dns"},
	{{"--ppp", "--accept-local", "x:9600"}, "--accept-local: needs --local"},
	{{"--ppp", "--accept-remote", "x:9600"}, "--accept-remote: needs --remote"},
	{{"--ppp", "--rechallenge=9s", "x:9600"}, "--rechallenge: needs --require-chap"},
	{{"--ppp", "--require-pap", "--pap-secrets=/nowhere/x", "x:9600"},
	 "--pap-secrets /nowhere/x: No such file or directory"},
	{{"--ppp", "--chap-secrets=/nowhere/x", "x:9600"},
	 "--chap-secrets /nowhere/x: No such file or directory"},
	{{"--ppp", "--mtu=1000", "--ipv6", "x:9600"},
	 "--mtu 1000: IPv6 (--ipv6) needs 1280 or more"},
	{{"--ppp", "--mrru=1000", "--ipv6", "x:9600"}, "--mrru 1000: IPv6 needs 1280 or more"},
	{{"--ppp", "--no-multilink", "--mru=1000", "--ipv6", "x:9600"},
	 "--mru 1000: IPv6 needs 1280 or more"},
	{{"--ppp", "--local=10.0.0.1/24", "x:9600"},
	 "--local 10.0.0.1/24: no prefix where all lines speak PPP, which has two addresses on a "
	 "link"},
	{{"--ppp", "--remote=10.0.0.1", "--remote=10.0.0.2", "x:9600"},
	 "--remote 10.0.0.2: no IPv4 --local address to go with it"},
	{{"--remote=10.0.0.1", "x:9600", "y:9600,ppp"},
	 "--remote 10.0.0.1: no IPv4 --local address to go with it"},
	{{"x:9600,ppp,slip"}, "x: both ppp and slip"},
	{{"x:9600,bundle=a"}, "x: bundle=a: only with --answer"},
	/* answering */
	{{"--answer", "--local=10.0.0.1", "x:9600,ppp,bundle=a"},
	 "x: bundle=a: only for SLIP; PPP tells by itself"},
	{{"--answer", "x:9600"}, "--answer: needs --local, our address to those who call"},
	{{"--answer", "--local=10.0.0.1", "--remote=10.0.0.2", "x:9600"},
	 "--remote: not together with --answer"},
	{{"--answer", "--local=10.0.0.1", "--default-route", "x:9600"},
	 "--default-route: not together with --answer"},
	{{"--answer", "--local=10.0.0.1", "--name=sb7", "x:9600"},
	 "--name sb7: with --answer there are many: put %d in it"},
	{{"--answer", "--local=10.0.0.1", "--local=10.0.0.2", "x:9600"},
	 "--local 10.0.0.2: with --answer there is one address, of IPv4"},
	{{"--answer", "--local=fd00::1", "x:9600"},
	 "--local fd00::1: with --answer there is one address, of IPv4"},
	{{"--pool=10.0.0.2/24", "x:9600"}, "--pool: needs --answer"},
	{{"--answer", "--local=10.0.0.1", "--pool=10.0.0.1/32", "x:9600"},
	 "--pool: has no address but the --local one"},
};

START_TEST(refused_by_name)
{
	const char *words[8] = {"serialbundle"};
	char message[512];
	memcpy(words + 1, refusals[_i].words, sizeof(refusals[_i].words));
	ck_assert_int_eq(run_words(words), CONFIG_WRONG);
	snprintf(message, sizeof(message), "serialbundle: %s\n", refusals[_i].message);
	ck_assert_str_eq(err, message);
	ck_assert_str_eq(out, "");
}
END_TEST

/* --- what is printed -----------------------------------------------------------------------------
 */

START_TEST(B121_version_names_the_features)
{
	ck_assert_int_eq(RUN("--version"), CONFIG_DONE);
	ck_assert_has(out, "\nencapsulations: slip ppp\n");
	ck_assert_has(out, " multilink pap chap ");
}
END_TEST

/* (1500 + 10) x 10 / 28800; 50 ms at 2880 B/s are 144, less flag, two protocols, header and FCS. */
START_TEST(plan_has_the_arithmetic)
{
	ck_assert_int_eq(RUN("--ppp", "--local=10.0.0.1", "--remote=10.0.0.2", "--require-chap",
			     "--chap-secrets=/dev/null", "--user=me", "--ask-dns", "a:28800",
			     "b:14400"),
			 CONFIG_RUN);
	print_plan();
	ck_assert_has(out, "MTU        1500\n");
	ck_assert_has(out, "PPP        MRU 1500, asyncmap 0, FCS of 16 bits\n");
	ck_assert_has(out,
		      "multilink  MRRU 1500, sequence numbers of 24 bits, fragments of at most "
		      "50.0 ms\n");
	ck_assert_has(out, "endpoint   magic:");
	ck_assert_has(out, "we         me, proved by PAP or CHAP\n");
	ck_assert_has(out, "peer       any, proved by CHAP\n");
	ck_assert_has(out, "IPCP       10.0.0.1 to 10.0.0.2, name servers asked for\n");
	ck_assert_has(out, "  one MTU  (1500 + 9) x 10 / 28800 bps = 524.0 ms\n");
	ck_assert_has(out, "  fragment 50.0 ms x 2880 B/s - 9 = 135 bytes");
	ck_assert_has(out, "  fragment 50.0 ms x 1440 B/s - 9 = 63 bytes");
}
END_TEST

START_TEST(plan_of_a_plain_link)
{
	ck_assert_int_eq(
		RUN("--ppp", "--no-multilink", "--no-pfc", "--no-acfc", "--fcs=32", "a:9600"),
		CONFIG_RUN);
	print_plan();
	ck_assert_has(out, "multilink  no\n");
	ck_assert_has(out, "peer       any, proved by nothing\n");
	ck_assert_has(out, "IPCP       asked for to any\n");
	ck_assert_has(out, "  one MTU  (1500 + 9) x 10 / 9600 bps"); /* flag, FF 03 00 21, FCS */
	ck_assert_ptr_null(strstr(out, "fragment "));
}
END_TEST

START_TEST(plan_of_answering)
{
	ck_assert_int_eq(RUN("--answer", "--local=10.0.0.1", "--pool=10.0.0.2/24", "a:9600"),
			 CONFIG_RUN);
	print_plan();
	ck_assert_has(out, "answer     calls, each bundle with an interface of its own\n");
	ck_assert_has(out, "pool       10.0.0.2 to 10.0.0.254, 253\n");
	ck_assert_has(out, "IPCP       10.0.0.1 to the pool's\n");
	ck_assert_has(out, "line       a = a, told by what comes first\n");
}
END_TEST

/* B056: there is no option that takes one. */
START_TEST(B056_no_secret_on_the_command_line)
{
	ck_assert_int_eq(RUN("--ppp", "--password=x", "a:9600"), CONFIG_WRONG);
	ck_assert_has(err, "unknown option '--password'");
}
END_TEST

static TCase *line_case(void)
{
	TCase *t = tcase_create("lines");
	tcase_add_test(t, lines_speak_slip_unless_told);
	tcase_add_test(t, a_lines_own_word_wins);
	tcase_add_test(t, who_answers_finds_out);
	return t;
}

static TCase *value_case(void)
{
	TCase *t = tcase_create("values");
	tcase_add_test(t, options_have_defaults);
	tcase_add_test(t, values_are_stored);
	tcase_add_test(t, values_about_peers_are_stored);
	tcase_add_test(t, xon_and_xoff_are_escaped_where_they_control_the_flow);
	tcase_add_test(t, null_endpoint_is_none);
	tcase_add_loop_test(t, pools_are_ranges_or_networks, 0, COUNT(pools));
	tcase_add_loop_test(t, refused_by_name, 0, COUNT(refusals));
	tcase_add_test(t, B056_no_secret_on_the_command_line);
	return t;
}

static TCase *address_case(void)
{
	TCase *t = tcase_create("addresses and MTU");
	tcase_add_test(t, the_first_ipv4_address_is_negotiated);
	tcase_add_test(t, ours_is_asked_for_where_the_peers_alone_is_given);
	tcase_add_test(t, with_a_slip_line_addresses_are_there_from_the_start);
	tcase_add_test(t, ppp_needs_no_small_mtu);
	tcase_add_test(t, what_we_take_is_what_we_would_send);
	return t;
}

static TCase *print_case(void)
{
	TCase *t = tcase_create("print");
	tcase_add_test(t, B121_version_names_the_features);
	tcase_add_test(t, plan_has_the_arithmetic);
	tcase_add_test(t, plan_of_a_plain_link);
	tcase_add_test(t, plan_of_answering);
	return t;
}

int main(void)
{
	Suite *suite = suite_create("config_ppp");
	suite_add_tcase(suite, line_case());
	suite_add_tcase(suite, value_case());
	suite_add_tcase(suite, address_case());
	suite_add_tcase(suite, print_case());
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
