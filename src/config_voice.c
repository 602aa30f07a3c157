/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/config_voice.h"

#include "src/text.h"

#include <stdarg.h>
#include <stdio.h>

enum { PLACE_SIZE = 512 };

static void put_place(char to[static PLACE_SIZE], struct config_place place)
{
	*to = '\0';
	if (place.file && place.line)
		snprintf(to, PLACE_SIZE, "%s:%u: ", place.file, place.line);
	else if (place.file)
		snprintf(to, PLACE_SIZE, "%s: ", place.file);
}

bool config_complain_of(struct config_voice *voice, struct config_place place, const char *name,
			const char *format, va_list arguments)
{
	char where[PLACE_SIZE], what[CONFIG_WHY_SIZE], text[PLACE_SIZE + 2 * CONFIG_WHY_SIZE];
	put_place(where, place);
	vsnprintf(what, sizeof(what), format, arguments);
	snprintf(text, sizeof(text), "%s%s%s", where, name, what);
	text_clean(text);
	voice->errors++;
	voice->listener(voice->context,
			&(struct config_message){.has_place = place.file != NULL, .text = text});
	return false;
}

bool config_complain(struct config_voice *voice, struct config_place place, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	config_complain_of(voice, place, "", format, arguments);
	va_end(arguments);
	return false;
}

void config_remark(struct config_voice *voice, const char *format, ...)
{
	char text[CONFIG_WHY_SIZE];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	text_clean(text);
	voice->listener(voice->context, &(struct config_message){.is_note = true, .text = text});
}
