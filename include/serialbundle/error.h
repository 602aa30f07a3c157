/* SPDX-License-Identifier: MIT */
/*
 * Why an engine said no to its caller.
 *
 * What the peer does wrong is never an error value: it is dropped and counted.
 * What the caller does wrong against a stated contract is an assertion. These
 * are the answers to requests that may properly be refused.
 */
#ifndef SERIALBUNDLE_ERROR_H
#define SERIALBUNDLE_ERROR_H

enum sb_error {
	SB_OK = 0,
	SB_EINVAL = -1, /* the value is outside what the field allows */
	SB_EFULL = -2,  /* the set-up size is used up */
	SB_EEXIST = -3, /* already a member */
	SB_ENOENT = -4, /* not a member */
	SB_ENOMEM = -5, /* only from x_new style set-up */
};

#endif
