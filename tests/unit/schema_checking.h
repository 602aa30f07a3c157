/* SPDX-License-Identifier: MIT */
/*
 * Documents against status.schema.json, by as much of JSON Schema as that uses: type, const,
 * enum, required, properties, items, minimum, maximum, minLength, oneOf, allOf, $ref. Stricter in
 * one thing: every member of an object must be named in the schema, so that nothing is told that is
 * not described.
 */
#ifndef TESTS_UNIT_SCHEMA_CHECKING_H
#define TESTS_UNIT_SCHEMA_CHECKING_H

#include <check.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SCHEMA_WHY_SIZE = 400 };

struct schema {
	json_t *root;
	char why[SCHEMA_WHY_SIZE]; /* what was wrong last */
};

static inline struct schema schema_load(const char *path)
{
	json_error_t error;
	struct schema s = {.root = json_load_file(path, JSON_REJECT_DUPLICATES, &error)};

	ck_assert_msg(s.root != NULL, "%s:%d: %s", path, error.line, error.text);
	return s;
}

static inline bool schema_wrong(struct schema *s, const char *where, const char *what)
{
	snprintf(s->why, sizeof(s->why), "%s: %s", where, what);
	return false;
}

static inline const json_t *schema_follow(const struct schema *s, const json_t *rule)
{
	static const char defs[] = "#/$defs/";
	const char *ref = json_string_value(json_object_get(rule, "$ref"));

	if (!ref)
		return NULL;
	ck_assert_msg(strncmp(ref, defs, strlen(defs)) == 0, "%s", ref);
	const json_t *found =
		json_object_get(json_object_get(s->root, "$defs"), ref + strlen(defs));
	ck_assert_msg(found != NULL, "%s is nowhere", ref);
	return found;
}

static inline bool schema_is_type(const json_t *value, const char *type)
{
	if (strcmp(type, "object") == 0)
		return json_is_object(value);
	if (strcmp(type, "array") == 0)
		return json_is_array(value);
	if (strcmp(type, "string") == 0)
		return json_is_string(value);
	if (strcmp(type, "boolean") == 0)
		return json_is_boolean(value);
	if (strcmp(type, "null") == 0)
		return json_is_null(value);
	if (strcmp(type, "integer") == 0)
		return json_is_integer(value);
	ck_assert_str_eq(type, "number");
	return json_is_number(value);
}

static inline bool schema_has_type(const json_t *value, const json_t *types)
{
	size_t i;
	json_t *type;

	if (json_is_string(types))
		return schema_is_type(value, json_string_value(types));
	json_array_foreach(types, i, type)
	{
		if (schema_is_type(value, json_string_value(type)))
			return true;
	}
	return false;
}

static inline bool schema_is_among(const json_t *value, const json_t *values)
{
	size_t i;
	json_t *one;

	json_array_foreach(values, i, one)
	{
		if (json_equal(value, one))
			return true;
	}
	return false;
}

/* Whether the rule, or one that it is made of, describes the member; NULL: none does. */
static inline const json_t *schema_of_member(const struct schema *s, const json_t *rule,
					     const char *name)
{
	const json_t *found = json_object_get(json_object_get(rule, "properties"), name);
	const json_t *all = json_object_get(rule, "allOf");

	if (!found && json_object_get(rule, "$ref"))
		found = schema_of_member(s, schema_follow(s, rule), name);
	for (size_t i = 0; !found && i < json_array_size(all); i++)
		found = schema_of_member(s, json_array_get(all, i), name);
	return found ? found : json_object_get(rule, "additionalProperties");
}

static inline bool schema_holds(struct schema *, const json_t *rule, const json_t *value,
				const char *where);

static inline bool schema_object_holds(struct schema *s, const json_t *rule, const json_t *value,
				       const char *where)
{
	json_t *required = json_object_get(rule, "required"), *one;
	const char *name;
	char path[SCHEMA_WHY_SIZE / 2];
	size_t i;

	json_array_foreach(required, i, one)
	{
		if (!json_object_get(value, json_string_value(one)))
			return schema_wrong(s, where, json_string_value(one));
	}
	json_object_foreach(json_object_get(rule, "properties"), name, one)
	{
		snprintf(path, sizeof(path), "%s.%s", where, name);
		if (json_object_get(value, name) &&
		    !schema_holds(s, one, json_object_get(value, name), path))
			return false;
	}
	return true;
}

/* Every member is described somewhere. */
static inline bool schema_knows(struct schema *s, const json_t *rule, const json_t *value,
				const char *where)
{
	const char *name;
	json_t *member;

	json_object_foreach((json_t *)value, name, member)
	{
		if (!schema_of_member(s, rule, name))
			return schema_wrong(s, where, name);
	}
	return true;
}

static inline bool schema_number_holds(struct schema *s, const json_t *rule, const json_t *value,
				       const char *where)
{
	const json_t *least = json_object_get(rule, "minimum");
	const json_t *most = json_object_get(rule, "maximum");

	if (least && json_number_value(value) < json_number_value(least))
		return schema_wrong(s, where, "too small");
	if (most && json_number_value(value) > json_number_value(most))
		return schema_wrong(s, where, "too large");
	return true;
}

static inline bool schema_parts_hold(struct schema *s, const json_t *rule, const json_t *value,
				     const char *where)
{
	const json_t *all = json_object_get(rule, "allOf"), *one = json_object_get(rule, "oneOf");
	unsigned held = 0;

	for (size_t i = 0; i < json_array_size(all); i++)
		if (!schema_holds(s, json_array_get(all, i), value, where))
			return false;
	for (size_t i = 0; i < json_array_size(one); i++)
		held += schema_holds(s, json_array_get(one, i), value, where);
	return !one || held == 1 || schema_wrong(s, where, "not exactly one of its forms");
}

static inline bool schema_items_hold(struct schema *s, const json_t *rule, const json_t *value,
				     const char *where)
{
	const json_t *items = json_object_get(rule, "items");
	char path[SCHEMA_WHY_SIZE / 2];

	for (size_t i = 0; items && i < json_array_size(value); i++) {
		snprintf(path, sizeof(path), "%s[%zu]", where, i);
		if (!schema_holds(s, items, json_array_get(value, i), path) ||
		    (json_is_object(json_array_get(value, i)) &&
		     !schema_knows(s, items, json_array_get(value, i), path)))
			return false;
	}
	return true;
}

static inline bool schema_holds(struct schema *s, const json_t *rule, const json_t *value,
				const char *where)
{
	const json_t *type = json_object_get(rule, "type"), *is = json_object_get(rule, "const");
	const json_t *among = json_object_get(rule, "enum"), *other = schema_follow(s, rule);
	const json_t *length = json_object_get(rule, "minLength");

	if (other && !schema_holds(s, other, value, where))
		return false;
	if (type && !schema_has_type(value, type))
		return schema_wrong(s, where, "of another type");
	if (is && !json_equal(value, is))
		return schema_wrong(s, where, "another constant");
	if (among && !schema_is_among(value, among))
		return schema_wrong(s, where, "none of its words");
	if (length && json_string_length(value) < (size_t)json_integer_value(length))
		return schema_wrong(s, where, "too short");
	return schema_parts_hold(s, rule, value, where) &&
	       (!json_is_number(value) || schema_number_holds(s, rule, value, where)) &&
	       (!json_is_object(value) || schema_object_holds(s, rule, value, where)) &&
	       schema_items_hold(s, rule, value, where);
}

static inline void assert_document(struct schema *s, const json_t *document)
{
	ck_assert_msg(schema_holds(s, s->root, document, "status"), "%s", s->why);
	ck_assert_msg(schema_knows(s, s->root, document, "status"), "%s", s->why);
}

#endif
