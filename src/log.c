/* SPDX-License-Identifier: MIT */
/*
 * Messages for people.
 *
 * A message is made ready in memory and handed over in one write, so that lines
 * of several programs on one terminal do not mix. poll() is asked before: a
 * terminal stopped by ^S and a pipe that nobody reads have no room, and then
 * the message is left out instead of waiting with all lines standing still.
 * (stderr is not made non-blocking: that would be so for the shell, too.)
 *
 * On a terminal a message first wipes the status line and then draws it again
 * below. CR and "erase to end of line" (ECMA-48 EL) are all that is used of a
 * terminal; no colour, so NO_COLOR has nothing to turn off.
 */
#define _DEFAULT_SOURCE
#include "src/log.h"

#include "src/output.h"
#include "src/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	MESSAGE_SIZE = 1024,
	STATUS_SIZE = 512,
	/* A pipe with room for PIPE_BUF (4096) takes that at once: stay below. */
	OUTPUT_SIZE = MESSAGE_SIZE + STATUS_SIZE + 256,
	COLUMNS_UNKNOWN = 80,
};

#define WIPE "\r\033[K"

struct log {
	enum log_level most;
	bool terminal;
	unsigned long left_out;   /* messages since the last that got through */
	char status[STATUS_SIZE]; /* "" = none */
};

static bool is_terminal(void)
{
	const char *term = getenv("TERM");
	return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

struct log *log_new(enum log_level most)
{
	struct log *log = calloc(1, sizeof(*log));
	if (log) {
		log->most = most;
		log->terminal = is_terminal();
	}
	return log;
}

void log_free(struct log *log)
{
	if (log)
		log_status(log, NULL);
	free(log);
}

void log_set_level(struct log *log, enum log_level most)
{
	log->most = most;
}

int log_is_terminal(const struct log *log)
{
	return log->terminal;
}

/* False when there is no room now. */
static bool put(const char *text, size_t length)
{
	return output_put(STDERR_FILENO, text, length, 0);
}

/* The last column stays free: a terminal that wraps there would scroll. */
static size_t columns(void)
{
	struct winsize size;
	bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
	return (known ? size.ws_col : COLUMNS_UNKNOWN) - 1u;
}

static const char *label(enum log_level level)
{
	static const char *const labels[] = {
		[LOG_ERROR] = "serialbundle: ",
		[LOG_WARN] = "warning: ",
		[LOG_INFO] = "",
		[LOG_DEBUG] = "",
	};
	return labels[level];
}

/* Wipe, message, status: as one text. */
static bool put_message(const struct log *log, const char *message)
{
	char out[OUTPUT_SIZE], gap[64] = "";
	bool status = log->terminal && log->status[0];
	if (log->left_out)
		snprintf(gap, sizeof(gap), "(messages left out: %lu)\n", log->left_out);
	int n = snprintf(out, sizeof(out), "%s%s%s\n%.*s", status ? WIPE : "", gap, message,
			 status ? (int)text_cut(log->status, columns()) : 0, log->status);
	return put(out, (size_t)n);
}

void log_say(struct log *log, enum log_level level, const char *format, ...)
{
	char message[MESSAGE_SIZE];
	if (level > log->most)
		return;
	int n = snprintf(message, sizeof(message), "%s", label(level));
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message + n, sizeof(message) - (size_t)n, format, arguments);
	va_end(arguments);
	text_clean(message);
	if (put_message(log, message))
		log->left_out = 0;
	else
		log->left_out++;
}

void log_status(struct log *log, const char *text)
{
	char out[STATUS_SIZE + sizeof(WIPE)];
	bool was_shown = log->status[0];
	snprintf(log->status, sizeof(log->status), "%s", text ? text : "");
	text_clean(log->status);
	if (!log->terminal || (!was_shown && !log->status[0]))
		return;
	int n = snprintf(out, sizeof(out), WIPE "%.*s", (int)text_cut(log->status, columns()),
			 log->status);
	put(out, (size_t)n);
}
