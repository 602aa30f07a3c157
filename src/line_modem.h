/* SPDX-License-Identifier: MIT */
/*
 * The modem of a line: its dialler with what that needs of the world, the port, script files, and
 * words for people. For line*.c alone.
 *
 * A line has it between opening the port and the call, and from the end of the call until the
 * port is closed; during the call it watches.
 */
#ifndef SRC_LINE_MODEM_H
#define SRC_LINE_MODEM_H

#include "src/line.h"
#include "src/modem/dialler.h"

struct line_modem;

struct line_modem *line_modem_new(void); /* NULL: out of memory */
void line_modem_free(struct line_modem *);

/* Reads the scripts, as they are now. False: they cannot be used, see the line's refusal. */
bool line_modem_prepare(struct line *);
/* The port is open: DIALLING or WAITING. */
void line_modem_start(struct line *, sb_time now);
/* What was read. The line has the call's characters as `unread`, once there is a call. */
void line_modem_input(struct line *, sb_time now, struct bytes in);
/* What it has to send; nothing during a call. */
bool line_modem_output(struct line *, sb_time now, struct buf *out);
void line_modem_look(struct line *, sb_time now);
void line_modem_tick(struct line *, sb_time now);
sb_time line_modem_deadline(const struct line *);
/* Ends the call, or the attempt: HANGING_UP, and the line is shut at the end of it. */
void line_modem_hang_up(struct line *, sb_time now, const char *reason);
/* The port has gone. */
void line_modem_port_is_gone(struct line *, sb_time now);
/* The instant to try again after the end, or SB_NEVER: when packets wait. */
sb_time line_modem_retry_at(const struct line_modem *);
/* In a call, but the modem may have said that it is over: nothing is sent now. */
bool line_modem_holds_back(const struct line_modem *);
const char *line_modem_said(struct line_modem *, bool *important);
/* Nothing counts that was before. */
void line_modem_forget_failures(struct line_modem *);

#endif
