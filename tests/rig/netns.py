# SPDX-License-Identifier: MIT
"""Network namespaces without names: one lives as long as its file descriptor does.

A socket or a process belongs to the namespace in which it was made, so entering is needed only
for the moment of making it:

    with host.ns:
        sock = socket.socket(...)

Entering changes the calling thread alone and nothing may be awaited inside, so tasks of one loop
cannot meet in the wrong namespace.
"""

import ctypes
import os

CLONE_NEWNET = 0x40000000
_OWN = "/proc/thread-self/ns/net"
_libc = ctypes.CDLL(None, use_errno=True)


def _check(result, what):
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


class Namespace:
    def __init__(self):
        home = os.open(_OWN, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _check(_libc.unshare(CLONE_NEWNET), "cannot make a network namespace")
            self._fd = os.open(_OWN, os.O_RDONLY | os.O_CLOEXEC)
            _check(_libc.setns(home, CLONE_NEWNET), "setns")
        finally:
            os.close(home)
        self._came_from = []  # a stack, since one may enter again from inside

    def __enter__(self):
        self._came_from.append(os.open(_OWN, os.O_RDONLY | os.O_CLOEXEC))
        _check(_libc.setns(self._fd, CLONE_NEWNET), "setns")
        return self

    def __exit__(self, *_):
        back = self._came_from.pop()
        _check(_libc.setns(back, CLONE_NEWNET), "setns")
        os.close(back)

    def sysctl(self, name, value):
        """Sets net.<name>; what is under /proc/sys/net is the caller's namespace's."""
        with self, open("/proc/sys/net/" + name.replace(".", "/"), "w", encoding="ascii") as file:
            file.write(str(value))

    def close(self):
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
