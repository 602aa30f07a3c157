/* SPDX-License-Identifier: MIT */
/* What the shaper assumes, as JSON: the document of shaper.schema.json. Pure. */
#ifndef SRC_SHAPER_JSON_H
#define SRC_SHAPER_JSON_H

#include "src/report.h"
#include "src/shaper_report.h"

#include <jansson.h>

enum { SHAPER_JSON_VERSION = 1 };

/* Without bundles or lines yet. Out of memory somewhere makes the whole document NULL. */
json_t *shaper_json(void);
/* False: out of memory; the document is of no use any more. */
bool shaper_json_add_bundle(json_t *document, const struct report *, const struct config *);
bool shaper_json_add_line(json_t *document, const struct shaper_line *);

#endif
