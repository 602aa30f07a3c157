/* SPDX-License-Identifier: MIT */
/*
 * Async control character maps: 256 bits, of which LCP negotiates the first 32.
 */
#include "ppp/asyncmap.h"

#include "ppp/hdlc.h"

static void set(struct asyncmap *map, uint8_t character)
{
	map->bits[character >> 5] |= UINT32_C(1) << (character & 31);
}

struct asyncmap asyncmap_from_accm(uint32_t accm)
{
	struct asyncmap map = {.bits = {accm}};

	set(&map, HDLC_ESCAPE);
	set(&map, HDLC_FLAG);
	return map;
}

/*
 * Escaping adds 0x20 to what has bit 5 clear and takes it from what has it set.
 * So 0x5E would be sent as 7D 7E, an abort; and 0x20-0x3F as 7D and a control
 * character, which the peer's receive map may remove.
 */
bool asyncmap_add(struct asyncmap *map, uint8_t character)
{
	uint8_t sent = character ^ HDLC_XOR;

	if (sent == HDLC_FLAG || sent < 0x20)
		return false;
	set(map, character);
	return true;
}
