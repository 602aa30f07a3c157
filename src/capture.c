/* SPDX-License-Identifier: MIT */
/*
 * Captures through libpcap.
 *
 * libpcap writes the file. The link types are those of the tcpdump group's list:
 * LINKTYPE_RAW for the bundle, bare IPv4 or IPv6 packets. A line's frames have a
 * direction, so they are written as Linux's "cooked" packets, LINKTYPE_LINUX_SLL
 * with ARPHRD_SLIP. There is a LINKTYPE_SLIP, too, with a direction; but of the
 * two common readers only tcpdump takes its packets apart, Wireshark does not.
 * Frames of a PPP line are LINKTYPE_PPP_WITH_DIR: a direction, then address, control
 * and protocol in full, whatever was compressed on the line, and no FCS.
 *
 * A capture is shown around. The one secret that goes over a line in the clear, the
 * password of a PAP Authenticate-Request, is written as asterisks.
 *
 * The descriptor is opened here and not by libpcap, so that a capture into a
 * FIFO neither waits for its reader nor stops with it, and so that only the
 * owner can read what passed over the lines. Each packet is flushed: a capture
 * is read most when the program did not end well.
 */
#define _GNU_SOURCE /* fopencookie */
#include "src/capture.h"

#include "ppp/pap.h"
#include "ppp/protocol.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PATH_SIZE = 512,
	COOKED_SIZE = 16,
	PPP_SIZE = 1 + 2 + 2, /* direction; address and control; protocol */
	RECORD_HEADER = 16,   /* pcap-savefile(5) */
	FILE_HEADER = 24,
};

struct capture {
	pcap_t *pcap;
	pcap_dumper_t *dumper;
	enum capture_kind kind;
	unsigned snap_length;
	bool failed;
	uint64_t length;       /* of what was written whole */
	uint64_t rotate_bytes; /* 0: never */
	unsigned rotate_files;
	struct capture_sink sink; /* write NULL: a file */
	char path[PATH_SIZE], file[PATH_SIZE];
	uint8_t frame[]; /* the link type's header and the packet: COOKED_SIZE + snap_length, and a
			    sink's buffer */
};

/* run.pcap and ttyS0: run.ttyS0.pcap; without an extension: run.ttyS0. */
static bool make_path(char *to, size_t size, const char *file, const char *line_name)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	const char *dot = strrchr(base, '.');
	int stem = dot && dot > base ? (int)(dot - file) : (int)strlen(file);
	int n = line_name ? snprintf(to, size, "%.*s.%s%s", stem, file, line_name, file + stem)
			  : snprintf(to, size, "%s", file);
	return n >= 0 && (size_t)n < size;
}

/* NULL: see errno. Not before it is ours alone is the file emptied. */
static FILE *open_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
		      S_IRUSR | S_IWUSR);
	FILE *file;
	if (fd < 0)
		return NULL;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || (ftruncate(fd, 0) != 0 && errno != EINVAL)) {
		close(fd);
		return NULL;
	}
	file = fdopen(fd, "wb");
	if (!file)
		close(fd);
	return file;
}

static const struct {
	int link_type;
	unsigned header; /* bytes before the packet */
} kinds[] = {
	[CAPTURE_RAW_IP] = {DLT_RAW, 0},
	[CAPTURE_SLIP] = {DLT_LINUX_SLL, COOKED_SIZE},
	[CAPTURE_PPP] = {DLT_PPP_WITH_DIR, PPP_SIZE},
};

/* Takes the file over, also when it fails. */
static bool start(struct capture *c, FILE *file, char *text, size_t text_size)
{
	c->pcap = pcap_open_dead(kinds[c->kind].link_type,
				 (int)(kinds[c->kind].header + c->snap_length));
	c->dumper = c->pcap ? pcap_dump_fopen(c->pcap, file) : NULL;
	if (!c->dumper) {
		snprintf(text, text_size, "%s", c->pcap ? pcap_geterr(c->pcap) : "out of memory");
		fclose(file);
		return false;
	}
	if (pcap_dump_flush(c->dumper) != 0) {
		snprintf(text, text_size, "%s", strerror(errno));
		return false;
	}
	c->length = FILE_HEADER;
	return true;
}

/* extra: bytes behind the frame. */
static struct capture *new_capture(enum capture_kind kind, unsigned snap_length, size_t extra)
{
	struct capture *c = calloc(1, sizeof(*c) + COOKED_SIZE + snap_length + extra);
	if (!c)
		return NULL;
	c->kind = kind;
	c->snap_length = snap_length;
	return c;
}

struct capture *capture_open(const char *file, const char *line_name, enum capture_kind kind,
			     unsigned snap_length, char *text, size_t text_size)
{
	struct capture *c = new_capture(kind, snap_length, 0);
	if (!c) {
		snprintf(text, text_size, "out of memory");
		return NULL;
	}
	if (!make_path(c->path, sizeof(c->path), file, line_name)) {
		snprintf(text, text_size, "the file's name is too long");
		errno = ENAMETOOLONG;
		goto fail;
	}
	snprintf(c->file, sizeof(c->file), "%s", file);
	FILE *to = open_file(c->path);
	if (!to) {
		snprintf(text, text_size, "%s",
			 errno == EWOULDBLOCK ? "another program writes to it" : strerror(errno));
		goto fail;
	}
	if (start(c, to, text, text_size))
		return c;
fail:;
	int error = errno;
	capture_close(c);
	errno = error;
	return NULL;
}

/* Whatever stdio collected since the last flush, which is one packet. */
static ssize_t write_to_sink(void *cookie, const char *at, size_t n)
{
	struct capture *c = cookie;
	if (c->sink.write(c->sink.context, bytes_of((const uint8_t *)at, n)))
		return (ssize_t)n;
	errno = EPIPE;
	return 0;
}

/* stdio's buffer, in which a packet is put together, has to hold a whole one. */
struct capture *capture_open_sink(const struct capture_sink *sink, const char *name,
				  enum capture_kind kind, unsigned snap_length)
{
	size_t whole = FILE_HEADER + RECORD_HEADER + COOKED_SIZE + snap_length;
	struct capture *c = new_capture(kind, snap_length, whole);
	char text[PCAP_ERRBUF_SIZE];
	if (!c)
		return NULL;
	c->sink = *sink;
	snprintf(c->path, sizeof(c->path), "%s", name);
	memcpy(c->file, c->path, sizeof(c->file));
	FILE *to = fopencookie(c, "w", (cookie_io_functions_t){.write = write_to_sink});
	if (to)
		setvbuf(to, (char *)c->frame + COOKED_SIZE + snap_length, _IOFBF, whole);
	if (to && start(c, to, text, sizeof(text)))
		return c;
	capture_close(c);
	return NULL;
}

void capture_set_rotation(struct capture *c, uint64_t bytes, unsigned files)
{
	assert(!c->sink.write);
	c->rotate_bytes = bytes;
	c->rotate_files = files;
}

void capture_close(struct capture *c)
{
	if (!c)
		return;
	if (c->dumper)
		pcap_dump_close(c->dumper);
	if (c->pcap)
		pcap_close(c->pcap);
	if (c->sink.end)
		c->sink.end(c->sink.context);
	free(c);
}

const char *capture_path(const struct capture *c)
{
	return c->path;
}

const char *capture_file(const struct capture *c)
{
	return c->file;
}

/* By the IP version, since SLIP has no type field; 0 for what is no IP packet. */
static unsigned ethertype(struct bytes packet)
{
	unsigned version = packet.length ? packet.at[0] >> 4 : 0;
	return version == 4 ? ETH_P_IP : version == 6 ? ETH_P_IPV6 : 0;
}

static void put16(struct buf *b, unsigned value)
{
	buf_put(b, (uint8_t)(value >> 8));
	buf_put(b, (uint8_t)value);
}

/* Packet type, ARPHRD, length of the address (none) and 8 bytes for it, Ethernet type. */
static void put_cooked(struct buf *b, bool sent, struct bytes packet)
{
	static const uint8_t no_address[8];
	put16(b, sent ? PACKET_OUTGOING : PACKET_HOST);
	put16(b, ARPHRD_SLIP);
	put16(b, 0);
	buf_append(b, bytes_of(no_address, sizeof(no_address)));
	put16(b, ethertype(packet));
}

/* As much of it as there is room for. */
static void put_cut(struct buf *b, struct bytes data)
{
	size_t room = b->capacity - b->length;
	buf_append(b, bytes_of(data.at, data.length < room ? data.length : room));
}

/* FILE.n is number n of those put aside, 0 the file itself. */
static void name_of(const struct capture *c, unsigned n, char to[static PATH_SIZE + 16])
{
	snprintf(to, PATH_SIZE + 16, n ? "%s.%u" : "%s", c->path, n);
}

static void put_aside(const struct capture *c)
{
	char from[PATH_SIZE + 16], to[PATH_SIZE + 16];
	for (unsigned n = c->rotate_files; n-- > 1;) {
		name_of(c, n - 1, from);
		name_of(c, n, to);
		rename(from, to);
	}
	if (c->rotate_files <= 1)
		unlink(c->path);
}

static bool begin_anew(struct capture *c)
{
	char text[PCAP_ERRBUF_SIZE];
	pcap_dump_close(c->dumper);
	pcap_close(c->pcap);
	c->dumper = NULL;
	c->pcap = NULL;
	put_aside(c);
	FILE *to = open_file(c->path);
	return to && start(c, to, text, sizeof(text));
}

/* What was written of a packet that did not get out whole is taken back. */
static void take_back(struct capture *c)
{
	FILE *file = c->dumper ? pcap_dump_file(c->dumper) : NULL;
	if (!file || c->sink.write)
		return;
	__fpurge(file);
	if (ftruncate(fileno(file), (off_t)c->length) != 0)
		return; /* a FIFO: what is gone is gone */
}

/* False once, when it fails. `length`: of all of it, were it not cut. */
static bool write_frame(struct capture *c, int64_t wall_ns, const struct buf *kept, size_t length)
{
	struct pcap_pkthdr header = {
		.ts = {.tv_sec = wall_ns / 1000000000, .tv_usec = wall_ns % 1000000000 / 1000},
		.caplen = (bpf_u_int32)kept->length,
		.len = (bpf_u_int32)length,
	};
	if (c->rotate_bytes && c->length > FILE_HEADER && c->length >= c->rotate_bytes)
		c->failed = !begin_anew(c);
	if (c->failed)
		return false;
	pcap_dump((u_char *)c->dumper, &header, kept->at);
	c->failed = pcap_dump_flush(c->dumper) != 0 || ferror(pcap_dump_file(c->dumper));
	if (c->failed)
		take_back(c);
	else
		c->length += RECORD_HEADER + kept->length;
	return !c->failed;
}

static struct buf new_frame(struct capture *c)
{
	return buf_over(c->frame, kinds[c->kind].header + c->snap_length);
}

bool capture_packet(struct capture *c, int64_t wall_ns, bool sent, struct bytes packet)
{
	assert(c->kind != CAPTURE_PPP);
	if (c->failed)
		return true; /* it was said */
	struct buf b = new_frame(c);
	if (c->kind == CAPTURE_SLIP)
		put_cooked(&b, sent, packet);
	put_cut(&b, packet);
	return write_frame(c, wall_ns, &b, kinds[c->kind].header + packet.length);
}

/* The password, or all behind the header when it is not clear where that stands. */
static void blank_password(uint8_t *packet, size_t length)
{
	size_t name = PPP_PACKET_HEADER;
	if (length <= name || packet[0] != PAP_REQUEST)
		return;
	size_t password = name + 1 + packet[name];
	size_t from = password < length ? password + 1 : name + 1;
	memset(packet + from, '*', length - from);
}

bool capture_frame(struct capture *c, int64_t wall_ns, bool sent, uint16_t protocol,
		   struct bytes head, struct bytes data)
{
	assert(c->kind == CAPTURE_PPP);
	if (c->failed)
		return true;
	struct buf b = new_frame(c);
	buf_put(&b, sent);
	put16(&b, 0xFF03);
	put16(&b, protocol);
	put_cut(&b, head);
	put_cut(&b, data);
	if (protocol == PPP_PAP)
		blank_password(b.at + PPP_SIZE, b.length - PPP_SIZE);
	return write_frame(c, wall_ns, &b, PPP_SIZE + head.length + data.length);
}
