/* SPDX-License-Identifier: MIT */
/*
 * The chat engine behind chat(8)'s command line: on standard input and output, with
 * the real clock. tests/interop/chat runs it beside Debian's chat.
 *
 * It reads a character at a time, as chat does, so that what belongs to the next program
 * stays unread; one that the engine did not want goes to the file that CHAT_REST names.
 */
#define _DEFAULT_SOURCE

#include "src/modem/chat.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static struct options {
	const char *file, *phone, *phone2, *report_name;
	FILE *report;
	sb_time timeout;
	bool echo, environment, verbose, raw_verbose, to_stderr;
} options = {.timeout = 45 * SB_SEC};

static volatile sig_atomic_t signalled;
static bool heeds_hangup = true;
static struct termios saved;
static bool is_tty;

/* The character that the engine does not want yet. */
static struct bytes kept;

static sb_time now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SB_SEC + t.tv_nsec;
}

static _Noreturn void leave(int status)
{
	if (is_tty)
		tcsetattr(0, TCSANOW, &saved);
	exit(status);
}

static void on_signal(int number)
{
	signalled = number;
}

static const char *variable(void *context, const char *name)
{
	(void)context;
	return getenv(name);
}

/* --- the command line --- */

static void open_report(const char *name)
{
	options.report_name = name;
	options.report = fopen(name, "a");
	if (options.report && options.verbose)
		fprintf(options.report, "Opening \"%s\"...\n", name);
}

static void read_options(int argc, char *argv[])
{
	int option;

	while ((option = getopt(argc, argv, "+eEvVsSf:t:r:T:U:")) >= 0)
		switch (option) {
		case 'e':
			options.echo = true;
			break;
		case 'E':
			options.environment = true;
			break;
		case 'v':
			options.verbose = true;
			break;
		case 'V':
			options.raw_verbose = true;
			break;
		case 's':
			options.to_stderr = true;
			break;
		case 'S': /* there is no syslog here */
			break;
		case 'f':
			options.file = optarg;
			break;
		case 't':
			options.timeout = atoi(optarg) > 0 ? atoi(optarg) * SB_SEC : SB_NEVER;
			break;
		case 'r':
			open_report(optarg);
			break;
		case 'T':
			options.phone = optarg;
			break;
		case 'U':
			options.phone2 = optarg;
			break;
		default:
			exit(CHAT_BAD_SCRIPT);
		}
}

/* A file's beginning, as far as it fits; at NULL: it cannot be read. */
static struct bytes read_file(const char *name, uint8_t *to, size_t size)
{
	FILE *f = fopen(name, "r");

	if (!f)
		return bytes_of(NULL, 0);
	size_t length = fread(to, 1, size, f);
	fclose(f);
	return bytes_of(to, length);
}

static struct chat_script *read_script(int argc, char *argv[], struct chat_script_error *error)
{
	static uint8_t text[65536];
	const struct chat_script_options of_script = {
		.phone = options.phone,
		.phone2 = options.phone2,
		.variable = options.environment ? variable : NULL,
	};

	if (!options.file)
		return chat_script_from_words((const char *const *)argv + optind,
					      (size_t)(argc - optind), &of_script, error);
	struct bytes read = read_file(options.file, text, sizeof text);
	if (!read.at || optind < argc) {
		fprintf(stderr, "%s: cannot be read\n", options.file);
		exit(CHAT_BAD_SCRIPT);
	}
	return chat_script_parse(read, &of_script, error);
}

/* --- what the engine says --- */

static bool is(const char *text, const char *other)
{
	return strcmp(text, other) == 0;
}

/* With the line ends that chat has: one more behind " -- got it", and "Failed" without -v. */
static void show_log(const char *text)
{
	if (options.to_stderr && (options.verbose || strncmp(text, "Failed", 6) == 0))
		fprintf(stderr, "%s\n%s", text, is(text, " -- got it") ? "\n" : "");
}

static void show_report(const char *text)
{
	char stamp[32];
	time_t seconds = time(NULL);

	strftime(stamp, sizeof stamp, "%b %d %H:%M:%S", localtime(&seconds));
	fprintf(options.report ? options.report : stderr, "chat:  %s %s\n", stamp, text);
}

static void send_file(struct chat *chat, const char *name)
{
	uint8_t text[1023];

	chat_file(chat, now(), read_file(name, text, sizeof text));
}

static void heed(struct chat *chat, const struct chat_event *event)
{
	switch (event->kind) {
	case CHAT_LOG:
		show_log(event->text);
		break;
	case CHAT_REPORT:
		show_report(event->text);
		break;
	case CHAT_SAY:
	case CHAT_ECHO:
		fputs(event->text, stderr);
		break;
	case CHAT_BREAK:
		tcsendbreak(0, 0);
		break;
	case CHAT_HANGUP:
		heeds_hangup = event->on;
		break;
	case CHAT_FILE:
		send_file(chat, event->text);
		break;
	case CHAT_PEER_SPEAKS_PPP:
	case CHAT_FINISHED:
		break;
	}
}

static void keep_rest(void)
{
	const char *name = getenv("CHAT_REST");
	FILE *f = name && kept.length ? fopen(name, "w") : NULL;

	if (f) {
		fwrite(kept.at, 1, kept.length, f);
		fclose(f);
	}
}

/* --- the pump --- */

static void write_all(struct bytes text)
{
	while (text.length) {
		ssize_t n = write(1, text.at, text.length);
		if (n < 0 && errno != EINTR)
			leave(CHAT_IO_ERROR);
		text = bytes_skip(text, n > 0 ? (size_t)n : 0);
	}
}

static void show_raw(uint8_t c)
{
	c &= 0x7F;
	if (c == '\n' || c >= ' ')
		fputc(c, stderr);
	else if (c != '\r')
		fprintf(stderr, "^%c", c ^ 0x40);
}

static void read_one(struct chat *chat)
{
	static uint8_t c;
	ssize_t n = read(0, &c, 1);

	if (n == 1)
		kept = bytes_of(&c, 1);
	else if (n == 0 || errno != EINTR)
		chat_stop(chat, now(), CHAT_IO_ERROR, "the line has gone");
	if (n == 1 && options.raw_verbose)
		show_raw(c);
}

static void wait_for_modem(struct chat *chat)
{
	sb_time deadline = chat_deadline(chat), left = deadline - now();
	int ms = deadline == SB_NEVER ? -1 : left <= 0 ? 0 : (int)((left + SB_MS - 1) / SB_MS);
	struct pollfd fd = {.fd = 0, .events = POLLIN};

	if (poll(&fd, kept.length == 0, ms) > 0)
		read_one(chat);
	chat_input(chat, now(), &kept);
	if (signalled && !(signalled == SIGHUP && !heeds_hangup))
		chat_stop(chat, now(), CHAT_IO_ERROR, "a signal");
	chat_tick(chat, now());
}

static bool send_some(struct chat *chat)
{
	uint8_t room[256];
	struct buf out = buf_over(room, sizeof room);
	bool some = chat_output(chat, now(), &out);

	write_all(buf_bytes(&out));
	return some;
}

static _Noreturn void finish(int result)
{
	keep_rest();
	if (options.report && options.verbose)
		fprintf(options.report, "Closing \"%s\".\n", options.report_name);
	leave(result);
}

static bool heed_some(struct chat *chat)
{
	struct chat_event event;

	if (!chat_event(chat, &event))
		return false;
	if (event.kind == CHAT_FINISHED)
		finish(event.result);
	heed(chat, &event);
	return true;
}

static void drain(struct chat *chat)
{
	while (send_some(chat) || heed_some(chat))
		;
}

static void take_terminal(void)
{
	struct termios t;

	is_tty = tcgetattr(0, &saved) == 0;
	if (!is_tty)
		return;
	t = saved;
	t.c_iflag |= IGNBRK | ISTRIP | IGNPAR;
	t.c_oflag = 0;
	t.c_lflag = 0;
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	tcsetattr(0, TCSANOW, &t);
}

int main(int argc, char *argv[])
{
	struct chat_script_error error;

	read_options(argc, argv);
	struct chat_script *script = read_script(argc, argv, &error);
	if (!script) {
		fprintf(stderr, "line %u: %s\n", error.line, error.text);
		return CHAT_BAD_SCRIPT;
	}
	struct chat *chat = chat_new(&(struct chat_config){
		.script = script, .timeout = options.timeout, .echo = options.echo});
	signal(SIGHUP, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	take_terminal();
	chat_start(chat, now());
	for (;;) {
		drain(chat);
		wait_for_modem(chat);
	}
}
