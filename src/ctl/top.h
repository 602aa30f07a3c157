/* SPDX-License-Identifier: MIT */
/* serialbundlectl top: the status once a second, on a screen, until the user has seen enough. */
#ifndef SRC_CTL_TOP_H
#define SRC_CTL_TOP_H

#include "src/ctl/client.h"

/* Of the serialbundle that listens there. What went wrong was said on standard error. */
enum ctl_exit ctl_top(const char *path, bool colour);

#endif
