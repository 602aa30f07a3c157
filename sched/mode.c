/* SPDX-License-Identifier: MIT */
#include "sched/mode.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const char *const modes[] = {
	[MODE_BALANCE_RR] = "balance-rr",   [MODE_ACTIVE_BACKUP] = "active-backup",
	[MODE_BALANCE_XOR] = "balance-xor", [MODE_BROADCAST] = "broadcast",
	[MODE_8023AD] = "802.3ad",          [MODE_BALANCE_TLB] = "balance-tlb",
	[MODE_BALANCE_ALB] = "balance-alb", [MODE_EARLIEST] = "earliest",
};
static const char *const hashes[] = {
	[XMIT_LAYER2] = "layer2",    [XMIT_LAYER23] = "layer2+3",
	[XMIT_LAYER34] = "layer3+4", [XMIT_ENCAP23] = "encap2+3",
	[XMIT_ENCAP34] = "encap3+4", [XMIT_VLAN_SRCMAC] = "vlan+srcmac",
};
static_assert(sizeof(modes) / sizeof(*modes) == MODES, "a name for each");
static_assert(sizeof(hashes) / sizeof(*hashes) == XMIT_HASHES, "a name for each");

/* A word's index among `count` names, or `count`. */
static unsigned find(const char *const *names, unsigned count, const char *word)
{
	unsigned i = 0;

	while (i < count && strcmp(names[i], word) != 0)
		i++;
	return i;
}

/* Bonding's number for a mode, which has none for `earliest`; or MODES. */
static unsigned bonding_number(const char *word)
{
	bool is_number = word[0] >= '0' && word[0] <= '0' + MODE_BALANCE_ALB && !word[1];

	return is_number ? (unsigned)(word[0] - '0') : MODES;
}

const char *mode_name(enum mode m)
{
	assert(m < MODES);
	return modes[m];
}

bool mode_named(const char *word, enum mode *to)
{
	unsigned i = find(modes, MODES, word);

	if (i == MODES)
		i = bonding_number(word);
	if (i == MODES)
		return false;
	*to = (enum mode)i;
	return true;
}

const char *xmit_hash_name(enum xmit_hash h)
{
	assert(h < XMIT_HASHES);
	return hashes[h];
}

bool xmit_hash_named(const char *word, enum xmit_hash *to)
{
	unsigned i = find(hashes, XMIT_HASHES, word);

	if (i == XMIT_HASHES)
		return false;
	*to = (enum xmit_hash)i;
	return true;
}
