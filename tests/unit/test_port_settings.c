/* SPDX-License-Identifier: MIT */
/*
 * Speeds, by the kernel's own structure: apart from test_port.c for the same
 * reason as the code, <asm/termbits.h> and <termios.h> do not mix.
 */
#define _GNU_SOURCE

#include "src/port.h"
#include "src/port_settings.h"

#include "pty_testing.h"

#include <asm/termbits.h>
#include <sys/ioctl.h>

static struct port_error error;

static struct termios2 settings_of(const struct pty *pty)
{
	struct termios2 t;
	ck_assert_int_eq(ioctl(pty->master, TCGETS2, &t), 0);
	return t;
}

static void set_speed(const struct pty *pty, speed_t baud)
{
	struct termios2 t = settings_of(pty);
	t.c_cflag &= ~(tcflag_t)(CBAUD | CIBAUD);
	t.c_cflag |= baud ? BOTHER : B0;
	t.c_ospeed = t.c_ispeed = baud;
	ck_assert_int_eq(ioctl(pty->master, TCSETS2, &t), 0);
}

static struct port *open_at(const struct pty *pty, uint32_t baud)
{
	struct port_config config = {.device = pty->path, .baud = baud, .stop_bits = 1};
	return port_open(&config, &error);
}

static const uint32_t rates[] = {50,    110,    300,    9600,    12345,
				 31250, 115200, 250000, 1500000, 12500000};
enum { RATES = sizeof rates / sizeof *rates };

START_TEST(B087_any_rate_is_set)
{
	struct pty pty = pty_new();
	struct port *port = open_at(&pty, rates[_i]);
	ck_assert_msg(port != NULL, "%u: %s", rates[_i], error.text);
	struct termios2 t = settings_of(&pty);
	ck_assert_uint_eq(t.c_ospeed, rates[_i]);
	ck_assert_uint_eq(t.c_ispeed, rates[_i]);
	port_close(port);
}
END_TEST

START_TEST(B087_baud_0_leaves_the_speed)
{
	struct pty pty = pty_new();
	set_speed(&pty, rates[_i]);
	struct port *port = open_at(&pty, 0);
	ck_assert_msg(port != NULL, "%s", error.text);
	ck_assert_uint_eq(settings_of(&pty).c_ospeed, rates[_i]);
	port_close(port);
}
END_TEST

START_TEST(B081_an_odd_speed_comes_back)
{
	struct pty pty = pty_new();
	set_speed(&pty, 12345);
	struct termios2 before = settings_of(&pty);
	struct port *port = open_at(&pty, 57600);
	ck_assert_msg(port != NULL, "%s", error.text);
	port_close(port);
	struct termios2 after = settings_of(&pty);
	ck_assert_mem_eq(&before, &after, sizeof before);
}
END_TEST

START_TEST(B087_a_hung_up_tty_needs_a_speed)
{
	struct pty pty = pty_new();
	set_speed(&pty, 0);
	ck_assert_ptr_null(open_at(&pty, 0));
	ck_assert_int_eq(error.status, PORT_BAD_SETTING);
	ck_assert_ptr_nonnull(strstr(error.text, "speed is 0"));
}
END_TEST

START_TEST(B087_hang_up_speed_is_never_set)
{
	struct pty pty = pty_new();
	set_speed(&pty, 0);
	struct port *port = open_at(&pty, 9600);
	ck_assert_msg(port != NULL, "%s", error.text);
	port_close(port);
	struct termios2 t = settings_of(&pty);
	ck_assert_uint_ne(t.c_cflag & CBAUD, B0);
	ck_assert_uint_eq(t.c_ospeed, 9600);
}
END_TEST

/* A driver may set something else and say nothing: then so do we. */
START_TEST(B087_what_the_driver_made_of_it_is_compared)
{
	static const struct {
		uint32_t is, asked;
		bool agree;
	} cases[] = {
		{9600, 9600, true},      {9600, 12345, false}, {115200, 117000, true},
		{115200, 119000, false}, {9600, 0, true},      {1500000, 1450000, false},
	};
	char text[160];
	struct pty pty = pty_new();
	int fd = open(pty.path, O_RDWR | O_NOCTTY);
	ck_assert_int_ge(fd, 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct port_config config = {.baud = cases[i].asked, .stop_bits = 1};
		set_speed(&pty, cases[i].is);
		bool agree = tty_settings_agree(fd, &config, true, text, sizeof text);
		ck_assert_msg(agree == cases[i].agree, "%u for %u", cases[i].is, cases[i].asked);
	}
	close(fd);
}
END_TEST

START_TEST(a_format_that_was_not_set_is_noticed)
{
	char text[160];
	struct pty pty = pty_new();
	int fd = open(pty.path, O_RDWR | O_NOCTTY);
	ck_assert_int_ge(fd, 0);
	struct port_config config = {.stop_bits = 1, .parity = PORT_PARITY_EVEN};
	struct tty_settings *saved = tty_settings_save(fd);
	ck_assert_ptr_nonnull(saved);
	ck_assert(tty_settings_set_mode(fd, &config, saved)); /* a pty drops PARENB, says nothing */
	ck_assert(!tty_settings_agree(fd, &config, false, text, sizeof text));
	ck_assert(tty_settings_agree(fd, &config, true, text, sizeof text));
	config.stop_bits = 2;
	ck_assert(!tty_settings_agree(fd, &config, true, text, sizeof text));
	config.stop_bits = 1;
	config.flow = PORT_FLOW_RTSCTS;
	ck_assert(!tty_settings_agree(fd, &config, true, text, sizeof text));
	ck_assert(tty_settings_restore(fd, saved));
	free(saved);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("port_settings");
	TCase *speed = tcase_create("speed");
	tcase_add_loop_test(speed, B087_any_rate_is_set, 0, RATES);
	tcase_add_loop_test(speed, B087_baud_0_leaves_the_speed, 0, RATES);
	tcase_add_test(speed, B081_an_odd_speed_comes_back);
	tcase_add_test(speed, B087_a_hung_up_tty_needs_a_speed);
	tcase_add_test(speed, B087_hang_up_speed_is_never_set);
	suite_add_tcase(suite, speed);

	TCase *agree = tcase_create("agree");
	tcase_add_test(agree, B087_what_the_driver_made_of_it_is_compared);
	tcase_add_test(agree, a_format_that_was_not_set_is_noticed);
	suite_add_tcase(suite, agree);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}
