/* SPDX-License-Identifier: MIT */
/*
 * A chat script as words.
 */
#include "src/modem/script.h"

#include <stdlib.h>

struct chat_script {
	size_t length;
	uint8_t text[];
};

struct chat_script *chat_script_parse(struct bytes text, const struct chat_script_options *options,
				      struct chat_script_error *error)
{
	struct chat_script *s = malloc(sizeof *s + text.length);

	(void)options;
	*error = (struct chat_script_error){0};
	if (!s)
		return NULL;
	s->length = text.length;
	if (text.length)
		memcpy(s->text, text.at, text.length);
	return s;
}

struct chat_script *chat_script_from_words(const char *const words[], size_t count,
					   const struct chat_script_options *options,
					   struct chat_script_error *error)
{
	return chat_script_parse(bytes_of(count ? words[0] : "", count ? strlen(words[0]) : 0),
				 options, error);
}

void chat_script_free(struct chat_script *s)
{
	free(s);
}
