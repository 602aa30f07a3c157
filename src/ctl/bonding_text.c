/* SPDX-License-Identifier: MIT */
/*
 * The labels, their order and their blank lines are those of Linux bonding, as far as there is
 * something to say: lines have no MAC addresses, and their speed is told in bps. What stands behind
 * a label that is ours has a label of ours.
 */
#define _DEFAULT_SOURCE
#include "src/ctl/bonding_text.h"

#include "src/ctl/document.h"

#include <string.h>

static bool is_mode(const json_t *mode, const char *name)
{
	return strcmp(word(mode, "name"), name) == 0;
}

/* "fault-tolerance (active-backup)" */
static const char *long_name(const json_t *mode)
{
	static const char *const names[][2] = {
		{"balance-rr", "load balancing (round-robin)"},
		{"active-backup", "fault-tolerance (active-backup)"},
		{"balance-xor", "load balancing (xor)"},
		{"broadcast", "fault-tolerance (broadcast)"},
		{"802.3ad", "IEEE 802.3ad Dynamic link aggregation"},
		{"balance-tlb", "transmit load balancing"},
		{"balance-alb", "adaptive load balancing"},
		{"earliest", "load balancing (earliest)"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_mode(mode, names[i][0]))
			return names[i][1];
	return "unknown";
}

/* The number that bonding gives a policy. */
static int hash_number(const char *hash)
{
	static const char *const numbers[] = {"layer2",   "layer3+4", "layer2+3",
					      "encap2+3", "encap3+4", "vlan+srcmac"};
	int n = 0;

	while (n < 6 && strcmp(numbers[n], hash) != 0)
		n++;
	return n;
}

static void put_primary(FILE *to, const json_t *mode)
{
	const char *primary = word(mode, "primary");

	if (*primary)
		fprintf(to, "Primary Slave: %s (primary_reselect %s)\n", primary,
			word(mode, "primary_reselect"));
	else
		fputs("Primary Slave: None\n", to);
	fprintf(to, "Currently Active Slave: %s\n", word_or(mode, "active", "None"));
}

static void put_delays(FILE *to, const json_t *mode)
{
	fprintf(to, "MII Polling Interval (ms): %.0f\n", figure(mode, "miimon_ms"));
	fprintf(to, "Up Delay (ms): %.0f\n", figure(mode, "updelay_ms"));
	fprintf(to, "Down Delay (ms): %.0f\n", figure(mode, "downdelay_ms"));
	fprintf(to, "Peer Notification Delay (ms): %.0f\n", figure(mode, "notice_delay_ms"));
}

static void put_probes(FILE *to, const json_t *mode)
{
	const json_t *probes = json_object_get(mode, "probes");

	if (!json_is_object(probes))
		return;
	fprintf(to, "ARP Polling Interval (ms): %.0f\n", figure(probes, "interval_ms"));
	fprintf(to, "ARP Missed Max: %.0f\n", figure(probes, "missed_max"));
	fprintf(to, "ARP IP target/s (n.n.n.n form): %s\n", word_or(probes, "target", "peer"));
	fprintf(to, "ARP Validate: %s\n", word(probes, "validate"));
}

static void put_aggregators(FILE *to, const json_t *mode)
{
	fputs("\n802.3ad info\n", to);
	fprintf(to, "Min links: %.0f\n", figure(mode, "min_links"));
	fprintf(to, "Aggregator selection policy (ad_select): %s\n", word(mode, "ad_select"));
	if (!json_is_integer(json_object_get(mode, "aggregator"))) {
		fputs("No active aggregator\n", to);
		return;
	}
	fputs("Active Aggregator Info:\n", to);
	fprintf(to, "\tAggregator ID: %.0f\n", figure(mode, "aggregator"));
	fprintf(to, "\tNumber of ports: %.0f\n", figure(mode, "aggregator_lines"));
}

static void put_head(FILE *to, const json_t *bundle, const json_t *mode)
{
	const char *hash = word(mode, "hash");
	bool has_primary = is_mode(mode, "active-backup") || is_mode(mode, "balance-tlb") ||
			   is_mode(mode, "balance-alb");

	fprintf(to, "Bonding Mode: %s\n", long_name(mode));
	if (*hash)
		fprintf(to, "Transmit Hash Policy: %s (%d)\n", hash, hash_number(hash));
	if (has_primary)
		put_primary(to, mode);
	fprintf(to, "MII Status: %s\n", truth(bundle, "up") ? "up" : "down");
	put_delays(to, mode);
	put_probes(to, mode);
	if (is_mode(mode, "802.3ad"))
		put_aggregators(to, mode);
}

static void put_line(FILE *to, const json_t *line, bool has_groups)
{
	const json_t *member = json_object_get(line, "member");
	const json_t *group = json_object_get(member, "aggregator");

	fprintf(to, "\nSlave Interface: %s\n", word(line, "name"));
	fprintf(to, "MII Status: %s\n", word_or(member, "state", "down"));
	fprintf(to, "Speed: %.0f bps\n", figure(json_object_get(line, "bps"), "given"));
	fputs("Duplex: full\n", to);
	fprintf(to, "Link Failure Count: %.0f\n",
		figure(json_is_object(member) ? member : line,
		       json_is_object(member) ? "failures" : "downs"));
	if (!has_groups)
		return;
	if (json_is_integer(group))
		fprintf(to, "Aggregator ID: %.0f\n", json_number_value(group));
	else
		fputs("Aggregator ID: N/A\n", to);
}

static void put_bundle(FILE *to, const json_t *bundle, const json_t *lines)
{
	const json_t *mode = json_object_get(bundle, "mode");
	size_t i;
	json_t *line;

	put_head(to, bundle, mode);
	json_array_foreach(lines, i, line)
	{
		if (strcmp(word(line, "bundle"), word(bundle, "name")) == 0)
			put_line(to, line, is_mode(mode, "802.3ad"));
	}
}

void bonding_text(const json_t *status, FILE *to)
{
	const json_t *bundles = json_object_get(status, "bundles");
	size_t i;
	json_t *bundle;

	json_array_foreach(bundles, i, bundle)
	{
		fputs(i ? "\n" : "", to);
		if (json_array_size(bundles) > 1)
			fprintf(to, "Bundle: %s\n", word(bundle, "name"));
		put_bundle(to, bundle, json_object_get(status, "lines"));
	}
}
