/* SPDX-License-Identifier: MIT */
/*
 * The octets of fragments that wait for earlier ones: in blocks of one size, so
 * that they may leave in another order than they came in, and no room is lost
 * between them.
 */
#ifndef PPP_FRAGMENT_STORE_H
#define PPP_FRAGMENT_STORE_H

#include "serialbundle/bytes.h"

enum { FRAGMENT_BLOCK_OCTETS = 120 };

struct fragment_block;
struct fragment_store;

/* Room for so many bytes, in whole blocks; NULL: out of memory. */
struct fragment_store *fragment_store_new(size_t bytes);
void fragment_store_free(struct fragment_store *);

bool fragment_store_fits(const struct fragment_store *, size_t length);
/* Copies a fragment that fits. What it is to be taken by; NULL for an empty one. */
struct fragment_block *fragment_store_put(struct fragment_store *, struct bytes fragment);
/* Appends it to `to` and forgets it. */
void fragment_store_take(struct fragment_store *, struct fragment_block *, size_t length,
			 struct buf *to);
void fragment_store_drop(struct fragment_store *, struct fragment_block *);

#endif
