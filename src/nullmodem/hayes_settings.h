/* SPDX-License-Identifier: MIT */
/*
 * What a modem can be set to by AT commands: its S-registers and its switches.
 */
#ifndef NULLMODEM_HAYES_SETTINGS_H
#define NULLMODEM_HAYES_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

enum hayes_register {
	S_AUTO_ANSWER = 0,    /* rings; 0: does not */
	S_RINGS = 1,          /* of the call that is coming in */
	S_ESCAPE = 2,         /* the character of +++; none above 127 */
	S_END_OF_LINE = 3,    /* ends a command, and what the modem says */
	S_LINE_FEED = 4,      /* then this */
	S_BACKSPACE = 5,      /* removes the character before */
	S_DIAL_TONE_WAIT = 6, /* seconds before blind dialling */
	S_CARRIER_WAIT = 7,   /* seconds */
	S_COMMA = 8,          /* seconds that a comma in a number lasts */
	S_CARRIER_LOSS = 10,  /* tenths of a second without it are borne; 255: any time */
	S_TONE = 11,          /* milliseconds of a dialled tone, and of the pause after it */
	S_GUARD = 12,         /* fiftieths of a second of silence around +++ */
	S_COUNT = 100,
};

struct hayes_settings {
	uint8_t s[S_COUNT];
	uint8_t echo;     /* E: commands come back */
	uint8_t quiet;    /* Q: no result codes */
	uint8_t verbose;  /* V: they are words, not numbers */
	uint8_t extended; /* X: which there are, and whether tones on the line are heard */
	uint8_t rates;    /* W: CONNECT tells 0 the terminal's, 2 the carrier's; 1 both */
	uint8_t dcd;      /* &C: 1 as the carrier is, 0 always on */
	uint8_t dtr;      /* &D: what its loss does: 0 nothing 1 escape 2 hang up 3 reset too */
	bool pulse;       /* dials with clicks, not tones */
	uint8_t chosen;   /* the register that a bare ? or = means */
};

/* As it leaves the factory: E1 Q0 V1 X4 W2 &C1 &D2. */
void hayes_settings_factory(struct hayes_settings *);

enum hayes_parsed { HAYES_OTHER, HAYES_SET, HAYES_BAD };
/*
 * One command that does no more than to set something, at the front of *at, in capitals and
 * without blanks; *at is then behind it. HAYES_OTHER: it is no such command.
 */
enum hayes_parsed hayes_settings_obey(struct hayes_settings *, const char **at);
/* All of a text, as in a stored profile; false: something in it is no such command. */
bool hayes_settings_obey_all(struct hayes_settings *, const char *text);

/* Digits at *at, 0 when there are none; sticks at 999. */
unsigned hayes_number(const char **at);

#endif
