/* SPDX-License-Identifier: MIT */
/* A dialler is made, with a dialogue for each of its scripts. */
#include "src/modem/dialler_internal.h"

#include <assert.h>
#include <stdlib.h>

struct chats {
	struct chat *init, *answer, *call[DIALLER_NUMBERS];
};

static bool make_chat(struct chat **to, const struct dialler_config *c,
		      const struct chat_script *script)
{
	*to = NULL;
	if (script)
		*to = chat_new(&(struct chat_config){
			.script = script,
			.timeout = 45 * SB_SEC,
			.stop_at_ppp = c->stop_at_ppp,
		});
	return *to || !script;
}

static bool make_chats(struct chats *to, const struct dialler_config *c)
{
	bool fine = make_chat(&to->init, c, c->init);

	fine &= make_chat(&to->answer, c, c->answer);
	for (unsigned i = 0; i < c->scripts; i++)
		fine &= make_chat(&to->call[i], c, c->script[i]);
	return fine;
}

static void free_chats(struct chat *init, struct chat *answer, struct chat *call[])
{
	chat_free(init);
	chat_free(answer);
	for (unsigned i = 0; i < DIALLER_NUMBERS; i++)
		chat_free(call[i]);
}

bool dialler_reconfigure(struct dialler *d, const struct dialler_config *config)
{
	struct chats chats = {0};

	assert(d->state == DIALLER_IDLE);
	assert(config->scripts <= DIALLER_NUMBERS && config->random);
	if (!make_chats(&chats, config)) {
		free_chats(chats.init, chats.answer, chats.call);
		return false;
	}
	free_chats(d->init, d->answer, d->call);
	d->config = *config;
	d->init = chats.init;
	d->answer = chats.answer;
	memcpy(d->call, chats.call, sizeof d->call);
	if (d->turn >= config->scripts)
		d->turn = 0;
	return true;
}

struct dialler *dialler_new(const struct dialler_config *config)
{
	struct dialler *d = calloc(1, sizeof *d);

	if (!d)
		return NULL;
	d->until = d->attempt_end = SB_NEVER;
	if (dialler_reconfigure(d, config))
		return d;
	free(d);
	return NULL;
}

void dialler_free(struct dialler *d)
{
	if (!d)
		return;
	free_chats(d->init, d->answer, d->call);
	free(d);
}
