/* SPDX-License-Identifier: MIT */
/*
 * Messages for people: one line per event on stderr; which line, what
 * happened, what follows. On a terminal the live status line is kept below.
 */
#ifndef SRC_LOG_H
#define SRC_LOG_H

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

struct log;

/*
 * Never waits: a line for which a stopped terminal or a full pipe has no room is
 * left out, and the next one that gets through says how many were. What is not
 * printable in a message is shown as '?' (text_clean), so a modem's or a peer's
 * words may stand in it.
 */

/* To stderr; levels above `most` are silent. NULL: out of memory. */
struct log *log_new(enum log_level most);
void log_free(struct log *);
void log_set_level(struct log *, enum log_level most);
__attribute__((format(printf, 3, 4))) void log_say(struct log *, enum log_level, const char *format,
						   ...);
/*
 * Shows (or with NULL removes) a one-line status that stays at the bottom while
 * messages scroll above it. Nothing happens unless stderr is a terminal.
 * Cut to the terminal's width.
 */
void log_status(struct log *, const char *text);
int log_is_terminal(const struct log *);

#endif
