/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/config_import.h"

#include "src/text.h"

#include <errno.h>
#include <string.h>

static const struct importer {
	const char *kind;
	bool (*import)(FILE *from, const char *name, struct config_voice *, FILE *to);
} importers[] = {
	{"runslip", import_runslip},
	{"ifupdown", import_ifupdown},
	{"sqm", import_sqm},
};

static const struct importer *find_importer(const char *kind)
{
	for (size_t i = 0; i < OPTION_COUNT(importers); i++) {
		if (strcmp(importers[i].kind, kind) == 0)
			return &importers[i];
	}
	return NULL;
}

char *import_split(char *line, char **value)
{
	char *word = line + strspn(line, " \t"), *end = line + strlen(line);
	while (end > word && strchr(" \t\r\n", end[-1]))
		*--end = '\0';
	size_t length = strcspn(word, " \t");
	*value = word + length + strspn(word + length, " \t");
	word[length] = '\0';
	return *word && *word != '#' ? word : NULL;
}

void config_write_origin(FILE *to, const char *name, const char *kind)
{
	char clean[CONFIG_DEVICE_SIZE];
	snprintf(clean, sizeof(clean), "%s", name);
	text_clean(clean);
	fprintf(to, "# What %s says, by serialbundle --import %s.\n", clean, kind);
}

bool config_import_knows(const char *kind)
{
	return find_importer(kind) != NULL;
}

/* A directory can be opened, but not read. */
static bool can_be_read(FILE *from)
{
	int first = getc(from);
	bool fine = first != EOF || !ferror(from);
	if (first != EOF)
		ungetc(first, from);
	return fine;
}

bool config_import(const struct config_args *args, FILE *to)
{
	const struct importer *importer = find_importer(args->import);
	if (!args->source)
		return config_complain(args->voice, args->place, "--import %s: which FILE?",
				       args->import);
	FILE *from = fopen(args->source, "re");
	if (!from)
		return config_complain(args->voice, args->place, "%s: %s", args->source,
				       strerror(errno));
	bool fine = can_be_read(from) ? importer->import(from, args->source, args->voice, to)
				      : config_complain(args->voice, args->place, "%s: %s",
							args->source, strerror(errno));
	fclose(from);
	return fine;
}
