/* SPDX-License-Identifier: MIT */
/* How the lines are used, as JSON: parts of a status document (src/status_json.h). */
#ifndef SRC_STATUS_JSON_MODE_H
#define SRC_STATUS_JSON_MODE_H

#include "src/report_mode.h"

#include <jansson.h>

/* NULL: out of memory, or a text that is not UTF-8. */
json_t *status_json_mode(const struct report_mode *);
json_t *status_json_member(const struct report_member *);

#endif
