# SPDX-License-Identifier: MIT
"""A serialbundle whose lines end here, on bare pseudo-terminals: for far ends made up in Python."""

import asyncio
import contextlib
import os
import pty
import re
import signal
import time
import tty

import common
from rig.pair import Host, program


class Alone:
    """`async with`: it runs; fds are the far ends of its lines."""

    def __init__(self, *args, lines=1, bps=115200):
        self._args, self._count, self._bps = args, lines, bps

    async def __aenter__(self):
        async with contextlib.AsyncExitStack() as stack:
            self.directory = stack.enter_context(common.directory())
            pairs = [self._pty(stack) for _ in range(self._count)]
            self.fds = [fd for fd, _ in pairs]
            self.host = Host("a", ["10.9.0.1"], self.directory)
            stack.callback(self.host.close)
            lines = [f"{os.ttyname(slave)}:{self._bps}" for _, slave in pairs]
            argv = [program("serialbundle"), *self._args, *lines]
            await self.host.bundle_ready(self.host.start_bundle(argv))
            self._stack = stack.pop_all()
        return self

    @staticmethod
    def _pty(stack):
        """Both sides stay open here, so that no hang-up comes before its time."""
        fd, slave = pty.openpty()
        stack.callback(os.close, fd)
        stack.callback(os.close, slave)
        tty.setraw(slave)
        os.set_blocking(fd, False)
        return fd, slave

    async def __aexit__(self, *error):
        await self._stack.__aexit__(*error)

    @property
    def fd(self):
        return self.fds[0]

    def said(self):
        with open(self.host.bundle.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def says(self, pattern):
        return re.search(pattern, self.said(), re.IGNORECASE)

    async def ends_at_once(self, tally, what):
        start = time.monotonic()
        status = await self.host.bundle.stop(signal.SIGTERM)
        took = time.monotonic() - start
        tally.check(status == 0 and took < 2, f"{what}: SIGTERM: {status} after {took:.1f} s")


@contextlib.asynccontextmanager
async def living(peer, seconds=10):
    """The pppeer.Peer lives, and is up."""
    running = asyncio.create_task(peer.run())
    try:
        async with asyncio.timeout(seconds):
            await peer.up.wait()
        yield peer
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@contextlib.contextmanager
def echoing(fd):
    """All that comes goes back."""
    def echo():
        with contextlib.suppress(OSError):
            os.write(fd, os.read(fd, 4096))

    loop = asyncio.get_running_loop()
    loop.add_reader(fd, echo)
    try:
        yield
    finally:
        loop.remove_reader(fd)
