/* SPDX-License-Identifier: MIT */
/*
 * CONNECT and its kin.
 */
#include "src/modem/connect.h"

void connect_init(struct connect *c)
{
	*c = (struct connect){0};
}

bool connect_heed(struct connect *c, struct bytes line, uint32_t dte_bps)
{
	(void)c;
	(void)dte_bps;
	return line.length >= 7 && memcmp(line.at, "CONNECT", 7) == 0;
}
