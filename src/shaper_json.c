/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/shaper_json.h"

#include "src/status_json.h"

/* A bound that there may be. */
static json_t *bps_or_null(uint32_t bps)
{
	return bps ? json_integer(bps) : json_null();
}

static json_t *shape(const struct shape_config *s)
{
	if (!s->bps && !s->permille)
		return json_null();
	return json_pack("{s:o, s:o}", "bps", bps_or_null(s->bps), "percent",
			 s->permille ? json_real(s->permille / 10.0) : json_null());
}

static const char *cells_name(enum linklayer_cells cells)
{
	static const char *const names[] = {
		[CELLS_NONE] = "none",
		[CELLS_ATM] = "atm",
		[CELLS_PTM] = "ptm",
	};

	return names[cells];
}

/* --- a line --- */

static json_t *layer(const struct shaper_line *s)
{
	if (s->layer.exact)
		return json_pack("{s:b, s:s, s:i}", "exact", 1, "unit", "characters", "unit_bits",
				 (int)s->bits_per_unit);
	return json_pack("{s:b, s:s, s:i, s:i, s:i, s:s}", "exact", 0, "unit", "bytes", "unit_bits",
			 (int)s->bits_per_unit, "overhead", s->layer.overhead, "mpu",
			 (int)s->layer.mpu, "cells", cells_name(s->layer.cells));
}

static json_t *rates(const struct shaper_line *s)
{
	return json_pack("{s:I, s:o, s:o, s:I, s:f}", "carrier", (json_int_t)s->carrier_bps,
			 "bundle", bps_or_null(s->share_bps), "peer", bps_or_null(s->wish_bps),
			 "shaped", (json_int_t)s->shaped_bps, "now", status_json_rounded(s->bps));
}

static json_t *sizes(const struct shaper_line *s)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < SHAPER_SIZES; i++) {
		const struct shaper_size *z = &s->sizes[i];
		json_t *size = json_pack("{s:i, s:I, s:f}", "packet", (int)z->ip_bytes, "units",
					 (json_int_t)z->units, "time_ms", status_json_ms(z->takes));

		if (json_array_append_new(array, size) == 0)
			continue;
		json_decref(array);
		return NULL;
	}
	return array;
}

static json_t *line(const struct shaper_line *s)
{
	return json_pack("{s:o, s:o, s:b, s:s, s:i, s:o, s:o, s:o, s:o, s:{s:I, s:f}, s:I, s:o}",
			 "name", status_json_text(s->name), "bundle", status_json_text(s->bundle),
			 "up", s->up, "encapsulation", s->encapsulation, "bits_per_char",
			 (int)s->bits_per_char, "linklayer", layer(s), "shape", shape(&s->shape),
			 "shape_in", shape(&s->shape_in), "bps", rates(s), "lead", "units",
			 (json_int_t)s->lead_units, "time_ms", status_json_ms(s->lead),
			 "fragment_overhead", (json_int_t)s->fragment_overhead, "sizes", sizes(s));
}

bool shaper_json_add_line(json_t *document, const struct shaper_line *s)
{
	return json_array_append_new(json_object_get(document, "lines"), line(s)) == 0;
}

/* --- a bundle --- */

bool shaper_json_add_bundle(json_t *document, const struct report *r, const struct config *c)
{
	const struct tier_counters *usual = &r->tiers[TIER_BEST_EFFORT];
	json_t *bundle = json_pack("{s:o, s:o, s:o, s:f, s:f, s:f, s:o}", "name",
				   status_json_text(r->ifname), "shape", shape(&c->shape),
				   "shape_in", shape(&c->shape_in), "bps", status_json_bps(r),
				   "target_ms", status_json_ms(usual->target), "interval_ms",
				   status_json_ms(usual->interval), "tiers", status_json_tiers(r));

	return json_array_append_new(json_object_get(document, "bundles"), bundle) == 0;
}

json_t *shaper_json(void)
{
	return json_pack("{s:i, s:[], s:[]}", "version", SHAPER_JSON_VERSION, "bundles", "lines");
}
