/* SPDX-License-Identifier: MIT */
/*
 * How fast the codecs are: MB/s of payload for encode, decode and length.
 *
 *	codec [--quick] [--json] [--check]
 *
 * Each figure is the best of several batches over a few hundred KB of packets. So
 * that figures from different machines can be compared, and --check can judge
 * them, the same packets are also copied by memcpy in the same run: what counts
 * is the ratio. --check also holds every announced length to the bytes appended,
 * and one-byte reads to the frames of one big read; it ends with 1 and the name
 * of the first figure that failed.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ppp/hdlc.h"
#include "slip/slip.h"

enum {
	PACKET = 1500,
	PACKETS = 128,
	PAYLOAD = PACKET * PACKETS,
	WIRE = PACKETS * (2 * PACKET + 16),
};

/* A framing under test; fields of hdlc_encoding count only if it is not SLIP. */
struct framing {
	const char *name;
	bool is_slip;
	enum hdlc_fcs fcs;
	uint32_t accm;
	struct asyncmap map;
	uint8_t worst; /* the octet that costs two */
};

struct figures {
	const struct framing *framing;
	const char *payload_name;
	double encode, decode, length; /* MB/s */
	double expansion;              /* octets on the wire per octet of payload */
	bool lengths_exact, chunks_alike;
};

struct run {
	const struct framing *framing;
	const uint8_t *payload;
	struct bytes wire;
	union {
		struct slip_decoder *slip;
		struct hdlc_decoder *hdlc;
	} decoder;
	uint64_t result; /* keeps the work from being optimised away */
};

static uint8_t random_payload[PAYLOAD], worst_payload[PAYLOAD], wire_memory[WIRE];

static struct framing framings[] = {
	{.name = "slip", .is_slip = true, .worst = SLIP_END},
	{.name = "hdlc fcs16 accm 0", .fcs = HDLC_FCS_16, .worst = HDLC_FLAG},
	{.name = "hdlc fcs16 accm ffffffff", .fcs = HDLC_FCS_16, .accm = ACCM_DEFAULT},
	{.name = "hdlc fcs32 accm 0", .fcs = HDLC_FCS_32, .worst = HDLC_FLAG},
	{.name = "hdlc fcs32 accm ffffffff", .fcs = HDLC_FCS_32, .accm = ACCM_DEFAULT},
};

enum { FRAMINGS = sizeof framings / sizeof framings[0] };

/* --- the codecs behind one face --- */

static struct hdlc_encoding encoding_of(const struct framing *f)
{
	return (struct hdlc_encoding){.map = &f->map, .fcs = f->fcs, .opening_flag = true};
}

static void encode(const struct framing *f, struct buf *out, struct bytes packet)
{
	struct hdlc_encoding e = encoding_of(f);
	if (f->is_slip)
		slip_encode(out, packet);
	else
		hdlc_encode(out, &e, packet);
}

static size_t encoded_length(const struct framing *f, struct bytes packet)
{
	struct hdlc_encoding e = encoding_of(f);
	return f->is_slip ? slip_encoded_length(packet) : hdlc_encoded_length(&e, packet);
}

static void decoder_open(struct run *r)
{
	const struct framing *f = r->framing;
	struct hdlc_decoder_config config = {PACKET, f->fcs, f->accm};

	if (f->is_slip)
		r->decoder.slip = slip_decoder_new(PACKET);
	else
		r->decoder.hdlc = hdlc_decoder_new(&config);
	if (f->is_slip ? !r->decoder.slip : !r->decoder.hdlc)
		abort();
}

static void decoder_close(struct run *r)
{
	if (r->framing->is_slip)
		slip_decoder_free(r->decoder.slip);
	else
		hdlc_decoder_free(r->decoder.hdlc);
}

static bool decode_next(struct run *r, struct bytes *in, struct bytes *frame)
{
	return r->framing->is_slip ? slip_decoder_next(r->decoder.slip, in, frame)
				   : hdlc_decoder_next(r->decoder.hdlc, in, frame);
}

/* --- passes: each handles the whole payload once --- */

static struct bytes packet_at(const struct run *r, size_t i)
{
	return bytes_of(r->payload + i * PACKET, PACKET);
}

static void pass_memcpy(struct run *r)
{
	struct buf out = buf_over(wire_memory, sizeof wire_memory);
	for (size_t i = 0; i < PACKETS; i++)
		buf_append(&out, packet_at(r, i));
	r->result += wire_memory[out.length - 1];
}

static void pass_encode(struct run *r)
{
	struct buf out = buf_over(wire_memory, sizeof wire_memory);
	for (size_t i = 0; i < PACKETS; i++)
		encode(r->framing, &out, packet_at(r, i));
	r->wire = buf_bytes(&out);
}

static void pass_length(struct run *r)
{
	for (size_t i = 0; i < PACKETS; i++)
		r->result += encoded_length(r->framing, packet_at(r, i));
}

/* As a line reads: in pieces of 4 KB. */
static void pass_decode(struct run *r)
{
	struct bytes rest = r->wire, frame;

	while (rest.length) {
		size_t n = rest.length < 4096 ? rest.length : 4096;
		struct bytes in = bytes_of(rest.at, n);
		while (decode_next(r, &in, &frame))
			r->result += frame.length;
		rest = bytes_skip(rest, n);
	}
}

/* --- timing --- */

struct effort {
	int batches;
	double seconds; /* of one batch */
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double one_batch(struct run *r, void (*pass)(struct run *), double seconds)
{
	double start = now(), elapsed;
	int passes = 0;
	do {
		pass(r);
		passes++;
		elapsed = now() - start;
	} while (elapsed < seconds);
	return passes * (double)PAYLOAD / 1e6 / elapsed;
}

static double best_rate(struct run *r, void (*pass)(struct run *), struct effort effort)
{
	double best = 0;
	for (int i = 0; i < effort.batches; i++) {
		double rate = one_batch(r, pass, effort.seconds);
		best = rate > best ? rate : best;
	}
	return best;
}

/* --- what must hold besides speed --- */

static bool lengths_exact(const struct run *r)
{
	for (size_t i = 0; i < PACKETS; i++) {
		struct buf out = buf_over(wire_memory, sizeof wire_memory);
		encode(r->framing, &out, packet_at(r, i));
		if (out.overflow || out.length != encoded_length(r->framing, packet_at(r, i)))
			return false;
	}
	return true;
}

/* Every frame out of one-byte reads is the packet that went in. */
static bool chunks_alike(struct run *r)
{
	struct bytes rest = r->wire, frame;
	size_t frames = 0;

	for (; rest.length; rest = bytes_skip(rest, 1)) {
		struct bytes in = bytes_of(rest.at, 1);
		if (!decode_next(r, &in, &frame))
			continue;
		if (frame.length != PACKET || memcmp(frame.at, packet_at(r, frames).at, PACKET))
			return false;
		frames++;
	}
	return frames == PACKETS;
}

static struct figures measure(const struct framing *f, bool worst, struct effort effort)
{
	struct run r = {.framing = f, .payload = worst ? worst_payload : random_payload};
	struct figures figures = {.framing = f, .payload_name = worst ? "worst" : "random"};

	memset(worst_payload, f->worst, sizeof worst_payload);
	decoder_open(&r);
	figures.length = best_rate(&r, pass_length, effort);
	figures.lengths_exact = lengths_exact(&r);
	figures.encode = best_rate(&r, pass_encode, effort);
	figures.decode = best_rate(&r, pass_decode, effort);
	figures.expansion = (double)r.wire.length / PAYLOAD;
	figures.chunks_alike = chunks_alike(&r);
	decoder_close(&r);
	return figures;
}

/* --- reporting --- */

static void print_table(const struct figures *f, size_t n, double memcpy_rate)
{
	printf("%-26s %-7s %8s %8s %8s %10s\n", "framing", "payload", "encode", "decode", "length",
	       "expansion");
	for (size_t i = 0; i < n; i++)
		printf("%-26s %-7s %8.0f %8.0f %8.0f %10.4f\n", f[i].framing->name,
		       f[i].payload_name, f[i].encode, f[i].decode, f[i].length, f[i].expansion);
	printf("MB/s of payload; memcpy %.0f\n", memcpy_rate);
}

static void print_json(const struct figures *f, size_t n, double memcpy_rate)
{
	printf("{\"unit\": \"MB/s\", \"memcpy\": %.1f, \"framings\": [", memcpy_rate);
	for (size_t i = 0; i < n; i++)
		printf("%s\n  {\"framing\": \"%s\", \"payload\": \"%s\", \"encode\": %.1f, "
		       "\"decode\": %.1f, \"length\": %.1f, \"expansion\": %.4f}",
		       i ? "," : "", f[i].framing->name, f[i].payload_name, f[i].encode,
		       f[i].decode, f[i].length, f[i].expansion);
	printf("\n]}\n");
}

static bool failed(const struct figures *f, const char *figure, double ratio, double bound)
{
	fprintf(stderr, "codec: %s, %s payload: %s: ratio %.4f, wanted at least %.4f\n",
		f->framing->name, f->payload_name, figure, ratio, bound);
	return false;
}

/*
 * Bounds a quarter of what was seen, since other programs may share the machine.
 * A worst-case octet is two on the wire, so half the rate is the same work.
 */
static bool fast_enough(const struct figures *f, double memcpy_rate)
{
	double bound = strcmp(f->payload_name, "worst") ? 1.0 / 400 : 1.0 / 800;

	if (f->encode / memcpy_rate < bound)
		return failed(f, "encode to memcpy", f->encode / memcpy_rate, bound);
	if (f->decode / memcpy_rate < bound)
		return failed(f, "decode to memcpy", f->decode / memcpy_rate, bound);
	if (f->length / memcpy_rate < bound)
		return failed(f, "length to memcpy", f->length / memcpy_rate, bound);
	return true;
}

/* Escapes must not be paid for with mispredicted branches: the rates stay near. */
static bool indifferent_to_escapes(const struct figures *many, const struct figures *few)
{
	double ratio = many->decode / few->decode;
	return ratio >= 0.5 || failed(many, "decode to decode with ACCM 0", ratio, 0.5);
}

static bool check(const struct figures *f, double memcpy_rate)
{
	if (!f->lengths_exact || !f->chunks_alike) {
		fprintf(stderr, "codec: %s, %s payload: %s\n", f->framing->name, f->payload_name,
			f->lengths_exact ? "one-byte reads give other frames"
					 : "a length differs from what was appended");
		return false;
	}
	return fast_enough(f, memcpy_rate);
}

static bool check_all(const struct figures figures[2 * FRAMINGS], double memcpy_rate)
{
	for (size_t i = 0; i < 2 * FRAMINGS; i++)
		if (!check(&figures[i], memcpy_rate))
			return false;
	for (size_t i = 0; i < 2 * FRAMINGS; i += 2)
		if (figures[i].framing->accm &&
		    !indifferent_to_escapes(&figures[i], &figures[i - 2]))
			return false;
	return true;
}

static void fill_random(uint8_t *at, size_t n)
{
	uint64_t x = 1;
	for (size_t i = 0; i < n; i++) {
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		at[i] = (uint8_t)(x >> 56);
	}
}

struct options {
	bool quick, json, check;
};

static bool parse(struct options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--quick"))
			o->quick = true;
		else if (!strcmp(argv[i], "--json"))
			o->json = true;
		else if (!strcmp(argv[i], "--check"))
			o->check = true;
		else
			return false;
	return true;
}

int main(int argc, char **argv)
{
	struct options options = {0};
	struct figures figures[2 * FRAMINGS];
	struct run copy = {.payload = random_payload};

	if (!parse(&options, argc, argv)) {
		fprintf(stderr, "usage: codec [--quick] [--json] [--check]\n");
		return 2;
	}
	struct effort effort = {.batches = 5, .seconds = options.quick ? 0.005 : 0.05};
	fill_random(random_payload, sizeof random_payload);
	double memcpy_rate = best_rate(&copy, pass_memcpy, effort);
	for (size_t i = 0; i < 2 * FRAMINGS; i++) {
		struct framing *f = &framings[i / 2];
		f->map = asyncmap_from_accm(f->accm);
		figures[i] = measure(f, i % 2, effort);
	}

	(options.json ? print_json : print_table)(figures, 2 * FRAMINGS, memcpy_rate);
	return options.check && !check_all(figures, memcpy_rate);
}
