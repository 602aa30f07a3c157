/* SPDX-License-Identifier: MIT */
/*
 * The status and events as text for people. Pure: documents in, text to a stream out. What a
 * document lacks is left out: it may come from an older program.
 */
#ifndef SRC_CTL_STATUS_TEXT_H
#define SRC_CTL_STATUS_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

void status_text(const json_t *status, bool colour, FILE *);
/* One line: when, what, and the particulars. */
void event_text(const json_t *event, bool colour, FILE *);

#endif
