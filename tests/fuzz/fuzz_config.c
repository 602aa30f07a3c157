/* SPDX-License-Identifier: MIT */
/*
 * Any text as a configuration file.
 *
 * What is refused is refused with a message, each of one printable line. What is
 * accepted can be written as a file, and that file is accepted and says the same.
 */
#include "tests/fuzz/config_reader.h"

#include "src/config_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *context, const struct config_message *m)
{
	for (const char *c = m->text; *c; c++) {
		if ((unsigned char)*c < ' ')
			abort();
	}
	*(unsigned *)context += !m->is_note;
}

static char *write_config(const struct config *c, size_t *length)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, length);
	if (!f)
		abort();
	config_write(c, f);
	fclose(f);
	return text;
}

static void check_round_trip(const struct config *c)
{
	static struct config again;
	size_t first_length, second_length;
	unsigned errors = 0;
	char *first = write_config(c, &first_length);
	if (!read_config(first, first_length, &again, count, &errors) || errors)
		abort();
	/* A file has a control socket unless it says that there is none. */
	memcpy(again.control, c->control, sizeof(again.control));
	char *second = write_config(&again, &second_length);
	if (first_length != second_length || memcmp(first, second, first_length) != 0)
		abort();
	for (unsigned i = 0; i < c->line_count; i++) {
		if (!config_lines_equal(&c->lines[i], &again.lines[i]))
			abort();
	}
	free(first);
	free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct config config;
	unsigned errors = 0;
	if (reads_others(data, size))
		return 0;
	bool fine = read_config(data, size, &config, count, &errors);
	if (fine != (errors == 0))
		abort();
	if (fine)
		check_round_trip(&config);
	return 0;
}
