/* SPDX-License-Identifier: MIT */
/*
 * Any text as a file to be imported. Input: kind, then the text.
 *
 * What is accepted becomes a file of ours in which every line is one and every key is known;
 * two lines may still be the same, since that is for the one who reads it to find.
 */
#include "tests/fuzz/config_reader.h"

#include "src/config_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore(void *context, const struct config_message *m)
{
	(void)context, (void)m;
}

/* Behind the place: messages quote what they are about. */
static void insist(void *context, const struct config_message *m)
{
	static const char *const never[] = {"unknown ",
					    "neither ",
					    "a control character",
					    "a section is ",
					    "what stands behind ",
					    "a line needs a name",
					    "longer than "};
	const char *message = strstr(m->text, ": ");
	(void)context;
	for (size_t i = 0; message && i < sizeof(never) / sizeof(never[0]); i++) {
		if (strncmp(message + 2, never[i], strlen(never[i])) == 0)
			abort();
	}
}

static bool import(const uint8_t *data, size_t size, char **text, size_t *length)
{
	struct config_voice voice = {.listener = ignore};
	char empty = '\n';
	FILE *from = fmemopen(size > 1 ? (void *)(data + 1) : &empty, size > 1 ? size - 1 : 1, "r");
	FILE *to = open_memstream(text, length);
	if (!from || !to)
		abort();
	bool fine = *data & 2 ? import_sqm(from, "f", &voice, to)
		    : *data & 1  ? import_ifupdown(from, "f", &voice, to)
				 : import_runslip(from, "f", &voice, to);
	fclose(from);
	fclose(to);
	if (fine != (voice.errors == 0) || (!fine && *length))
		abort();
	return fine;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct config config;
	char *text = NULL;
	size_t length;
	if (size == 0)
		return 0;
	if (import(data, size, &text, &length) && !reads_others((const uint8_t *)text, length))
		read_config(text, length, &config, insist, NULL);
	free(text);
	return 0;
}
