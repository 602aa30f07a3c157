/* SPDX-License-Identifier: MIT */
/*
 * From what the user said to what the program does.
 *
 * Tables hold every option: its name, what it takes, what a right value looks like and what
 * --help says of it (config_options.h). The command line is read by them, and so is a
 * file. What is on the command line wins; so it is read first by itself, to know what it has and
 * whether there is a file at all, then the file, without what the command line has, and then the
 * command line on top. A row of checks settles what depends on several of them.
 */
#define _DEFAULT_SOURCE
#include "src/config_options.h"

#include "src/config_import.h"
#include "src/config_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct config config_defaults = {
	.ifname = "sb%d",
	.mtu_auto = true,
	.lock_dir = "/run/lock",
	.ppp =
		{
			.mru = PPP_DEFAULT_MRU,
			.multilink = true,
			.mrru = PPP_DEFAULT_MRU,
			.pfc = true,
			.acfc = true,
			.pap_secrets = "/etc/ppp/pap-secrets",
			.chap_secrets = "/etc/ppp/chap-secrets",
			.echo_interval = 10 * SB_SEC,
			.echo_failure = 6,
			.timers = {.restart = 3 * SB_SEC,
				   .max_configure = 10,
				   .max_terminate = 2,
				   .max_failure = 5},
			.max_fragment_delay = 50 * SB_MS,
		},
	.hold = 10 * SB_SEC,
	.max_lines = CONFIG_MAX_LINES,
	.min_lines = 1,
	.mode = {.mode = MODE_EARLIEST, .packets_per_line = 1, .tlb_dynamic_lb = true},
	.probe = {.missed_max = 2, .validate = PROBE_VALIDATE_ALL},
	.notices = 1,
	.scheme = TIERS_DIFFSERV3,
	.tiers = {[TIER_INTERACTIVE] = {.share = 333, .ceiling = 1000},
		  [TIER_BEST_EFFORT] = {.share = 500, .ceiling = 1000},
		  [TIER_BULK] = {.share = 167, .ceiling = 1000}},
	.queue_time = 5 * SB_SEC,
	.park = {.good_for = 30 * SB_SEC},
	.hook_timeout = 30 * SB_SEC,
	.capture_files = 4,
	.ecn = true,
	.verbosity = 1,
};

/* What is known while all is read; too large for a stack. */
struct reading {
	struct config alone; /* the command line without the file */
	struct config_args commanded, args;
};

/* What is wrong elsewhere is said of a file with errors, too: it can all be repaired at once. */
static bool read_file(struct reading *r, int argc, char *argv[])
{
	struct config_args *args = &r->args;
	*args->config = config_defaults;
	bool fine = config_file_read(args, &r->commanded, r->alone.file);
	if (config_args_read(args, argc, argv) && fine)
		return true;
	if (!fine)
		config_settle_broken(args->config, &args->loose, args->voice);
	return false;
}

/* Where a service of that name is looked for: /etc/serialbundle/office.conf is "office". */
static void default_control(struct config *c)
{
	const char *slash = strrchr(c->file, '/'), *name = slash ? slash + 1 : c->file;
	size_t length = strlen(name), cut = strlen(".conf");
	if (length > cut && strcmp(name + length - cut, ".conf") == 0)
		length -= cut;
	int n = snprintf(c->control, sizeof(c->control), "/run/serialbundle/%.*s.sock", (int)length,
			 name);
	if (n < 0 || (size_t)n >= sizeof(c->control))
		c->control[0] = '\0';
}

static bool read_and_settle(struct reading *r, int argc, char *argv[])
{
	struct config *c = r->args.config;
	if (r->alone.file[0]) {
		if (!read_file(r, argc, argv))
			return false;
	} else {
		*c = r->alone;
		r->args.loose = r->commanded.loose;
	}
	if (c->file[0] && !config_find_given(&r->args.loose, "control"))
		default_control(c);
	return config_settle(c, &r->args.loose, r->args.voice);
}

/* The endpoint that was made up stays the same, or peers would take us for another. */
static void keep_random(struct config *c, const struct config *old,
			const struct config_loose *given)
{
	if (old && !config_find_given(given, "endpoint"))
		c->ppp.endpoint = old->ppp.endpoint;
}

/* False: it was said why. */
static bool read_all(struct config *config, const struct config *old, struct reading *r, int argc,
		     char *argv[], struct config_voice *voice)
{
	r->alone = config_defaults;
	r->commanded = (struct config_args){.config = &r->alone, .voice = voice};
	r->args = (struct config_args){.config = config, .voice = voice};
	if (!config_args_read(&r->commanded, argc, argv))
		return false;
	if (r->commanded.task == TASK_DONE || r->commanded.task == TASK_IMPORT)
		return true;
	bool fine = read_and_settle(r, argc, argv);
	if (fine)
		keep_random(config, old, &r->args.loose);
	config_file_forget(&r->args);
	return fine;
}

static enum config_outcome carry_out(const struct config *config, const struct config_args *args)
{
	switch (args->task) {
	case TASK_RUN:
		break;
	case TASK_CHECK:
		printf("%s: %u line%s, no errors\n", config->file, config->line_count,
		       config->line_count == 1 ? "" : "s");
		return CONFIG_DONE;
	case TASK_PRINT:
		config_write(config, stdout);
		return CONFIG_DONE;
	case TASK_IMPORT:
		return config_import(args, stdout) ? CONFIG_DONE : CONFIG_WRONG;
	case TASK_DONE:
		return CONFIG_DONE;
	}
	return CONFIG_RUN;
}

static void say_on_stderr(void *context, const struct config_message *m)
{
	(void)context;
	fprintf(stderr, "%s%s%s\n",
		m->has_place ? "" : "serialbundle: ", m->is_note ? "note: " : "", m->text);
}

enum config_outcome config_from_args(struct config *config, int argc, char *argv[])
{
	struct config_voice voice = {.listener = say_on_stderr};
	struct reading *r = calloc(1, sizeof(*r));
	if (!r) {
		config_complain(&voice, (struct config_place){0}, "out of memory");
		return CONFIG_WRONG;
	}
	enum config_outcome outcome = CONFIG_WRONG;
	if (read_all(config, NULL, r, argc, argv, &voice))
		outcome = carry_out(config, &r->commanded);
	free(r);
	return outcome;
}

bool config_read_again(const struct config *old, int argc, char *argv[], struct config *config,
		       config_listener *listener, void *context)
{
	struct config_voice voice = {.listener = listener, .context = context};
	struct reading *r = calloc(1, sizeof(*r));
	if (!r)
		return config_complain(&voice, (struct config_place){0}, "out of memory");
	bool fine = read_all(config, old, r, argc, argv, &voice);
	free(r);
	return fine;
}
