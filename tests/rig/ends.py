# SPDX-License-Identifier: MIT
"""A nullmodem by itself, and its ends as file descriptors."""

import contextlib
import json
import os
import random
import select
import signal
import socket
import tempfile
import time

from .pair import program
from .process import Process, until

NOISE = random.Random(1).randbytes(1 << 20)  # all byte values, nothing that repeats


class Rig:
    """A running nullmodem. "{d}" in a cable stands for the directory of this rig."""

    def __init__(self, *cables, options=()):
        self._directory = tempfile.TemporaryDirectory()
        self.d = self._directory.name
        self.control = f"{self.d}/control"
        self._json = f"{self.d}/report.json"
        argv = [program("nullmodem"), "--quiet", "--ready", f"{self.d}/ready", "--json", self._json,
                "--control", self.control, *options, *(c.format(d=self.d) for c in cables)]
        self.process = Process(argv, log=f"{self.d}/log")

    async def __aenter__(self):
        await until(lambda: os.path.exists(f"{self.d}/ready"), 10, "ready", process=self.process)
        return self

    async def __aexit__(self, *_):
        self.process.kill()
        self._directory.cleanup()

    def open(self, name):
        return os.open(f"{self.d}/{name}", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

    def command(self, text):
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(10)
            s.connect(self.control)
            s.sendall(text.encode() + b"\n")
            return s.makefile().readline().strip()

    def report(self):
        return json.loads(self.command("report"))["cables"]

    def settle(self):
        """Until nullmodem has seen all that happened by now: it answered, and came round again."""
        self.report()
        self.report()

    async def stop(self, number=signal.SIGTERM):
        status = await self.process.stop(number)
        with open(self._json, encoding="ascii") as file:
            return status, json.load(file)["cables"]


def read_all(fd):
    """What can be read now."""
    data = b""
    with contextlib.suppress(BlockingIOError):
        while more := os.read(fd, 65536):
            data += more
    return data


def receive(fd, n, seconds=10):
    """n bytes, or what came of them in time."""
    data = b""
    end = time.monotonic() + seconds
    while len(data) < n and select.select([fd], [], [], max(0, end - time.monotonic()))[0]:
        if not (more := os.read(fd, n - len(data))):
            break
        data += more
    return data


def write_some(fd, data):
    try:
        return os.write(fd, data)
    except BlockingIOError:
        return 0


def is_writable(fd):
    return bool(select.select([], [fd], [], 0)[1])
