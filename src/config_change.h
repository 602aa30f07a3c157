/* SPDX-License-Identifier: MIT */
/*
 * One value of a configuration that is in use: changed by the table that files are read by, and
 * told again.
 */
#ifndef SRC_CONFIG_CHANGE_H
#define SRC_CONFIG_CHANGE_H

#include "src/config_voice.h"

#include <errno.h>

/*
 * 0, and the configuration is consistent; EINVAL: why says what is wrong, and the configuration is
 * of no use any more. Of remarks the last one is in why.
 */
int config_change_option(struct config *, const char *key, const char *value,
			 char why[static CONFIG_WHY_SIZE]);
int config_change_line(struct config *, unsigned line, const char *key, const char *value,
		       char why[static CONFIG_WHY_SIZE]);
/* Whether it is for root to change the option: it runs programs, or says where files are made. */
bool config_change_is_for_root(const char *key);

/* What the option is called here, whichever name it was called by. */
const char *config_change_name(const char *key);

/* As text, as files have it; false: there is no such option, or key. */
bool config_tell_option(const struct config *, const char *key, char to[static CONFIG_TEXT_SIZE]);
bool config_tell_line(const struct line_config *, const char *key,
		      char to[static CONFIG_TEXT_SIZE]);
/* Whether a line's key may have a number, a PIN or a command in it, which is not for everybody. */
bool config_tells_secrets(const char *key);

#endif
