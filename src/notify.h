/* SPDX-License-Identifier: MIT */
/*
 * Telling the service manager how it goes (sd_notify(3)'s protocol, without its
 * library). Nothing happens when NOTIFY_SOCKET is not set.
 */
#ifndef SRC_NOTIFY_H
#define SRC_NOTIFY_H

enum notify_result {
	NOTIFY_SENT = 0,
	NOTIFY_NOBODY, /* nobody asked: NOTIFY_SOCKET is not set */
	NOTIFY_FAILED, /* it is set, but wrong, or nobody listens there */
};

/* state: "READY=1", "STOPPING=1" or NULL; status: a line for people, or NULL. Never waits. */
enum notify_result notify_send(const char *state, const char *status);

#endif
