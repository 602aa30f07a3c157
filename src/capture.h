/* SPDX-License-Identifier: MIT */
/*
 * Captures through libpcap: one file per interface, since the classic format
 * has one link type a file. FILE is the bundle as raw IP; FILE with the line's
 * name before the extension (run.pcap -> run.ttyS0.pcap) is that line's frames,
 * decoded, with their direction. A password of PAP is not among what is kept.
 *
 * A write that fails (full disk) ends the capture with one warning, behind the last
 * packet that was written whole; it never disturbs the traffic. The owner of the process has to
 * ignore SIGPIPE and SIGXFSZ.
 */
#ifndef SRC_CAPTURE_H
#define SRC_CAPTURE_H

#include "serialbundle/bytes.h"

struct capture;

enum capture_kind { CAPTURE_RAW_IP, CAPTURE_SLIP, CAPTURE_PPP };

/* `line_name` NULL for the bundle. NULL on failure, with text and errno. */
struct capture *capture_open(const char *file, const char *line_name, enum capture_kind,
			     unsigned snap_length, char *text, size_t text_size);
/*
 * The same into a function: it gets the file's header, then one packet with its header at a
 * time, each whole, and answers whether it wants more. name: what capture_path and
 * capture_file answer.
 */
struct capture_sink {
	bool (*write)(void *context, struct bytes);
	void (*end)(void *context); /* the capture was closed, by whomever; may be NULL */
	void *context;
};
struct capture *capture_open_sink(const struct capture_sink *, const char *name, enum capture_kind,
				  unsigned snap_length);
/*
 * From `bytes` on, the file is put aside as FILE.1, those before it as FILE.2 and so on up to
 * `files` in all, and begun anew. 0: never. Of files only.
 */
void capture_set_rotation(struct capture *, uint64_t bytes, unsigned files);
void capture_close(struct capture *);
/* False once, when a write failed: say so and close it. `wall_ns` is CLOCK_REALTIME. */
bool capture_packet(struct capture *, int64_t wall_ns, bool sent, struct bytes packet);
/* The same for a frame of a PPP line: `head` and `data` are its information field. */
bool capture_frame(struct capture *, int64_t wall_ns, bool sent, uint16_t protocol,
		   struct bytes head, struct bytes data);
const char *capture_path(const struct capture *); /* where it goes */
const char *capture_file(const struct capture *); /* as given when it was opened */

#endif
