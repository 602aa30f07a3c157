# SPDX-License-Identifier: MIT
"""A running serialbundle asked and told, by serialbundlectl and by hand."""

import asyncio
import contextlib
import json
import os
import subprocess

from .pair import program

ANSWER_SECONDS = 10
LINE_LIMIT = 1 << 22  # of an answer


def socket_of(host):
    """Where its serialbundle listens, started with OPTIONS."""
    return os.path.join(host.directory, f"{host.side}.sock")


# For Pair's a_args and b_args.
OPTIONS = {side: ("--control", f"{{d}}/{side}.sock") for side in "ab"}


def ctl(host, *words, **more):
    """serialbundlectl's result: returncode, stdout, stderr."""
    return subprocess.run([program("serialbundlectl"), "-s", socket_of(host), *map(str, words)],
                          **{"capture_output": True, "text": True, "timeout": 30, **more})


def told(host, *words):
    """The same, for what must succeed; its output."""
    result = ctl(host, *words)
    if result.returncode != 0:
        raise AssertionError(f"serialbundlectl {words}: {result.returncode}, {result.stderr}")
    return result.stdout


def status(host):
    return json.loads(told(host, "status", "-j"))


def lines(host):
    """Its lines by name."""
    return {line["name"]: line for line in status(host)["lines"]}


class Connection:
    """One to the control socket: `async with Connection(host) as c`."""

    def __init__(self, host):
        self._path = socket_of(host)

    async def __aenter__(self):
        self.reader, self.writer = await asyncio.open_unix_connection(self._path, limit=LINE_LIMIT)
        return self

    async def __aexit__(self, *_):
        self.writer.close()

    def send(self, text):
        self.writer.write(text.encode() if isinstance(text, str) else text)

    async def line(self, seconds=ANSWER_SECONDS):
        """The next object, or None at the end."""
        line = None
        async with asyncio.timeout(seconds):
            with contextlib.suppress(ConnectionResetError):
                line = await self.reader.readline()
        return json.loads(line) if line else None

    async def ask(self, command, **members):
        self.send(json.dumps({"command": command, **members}) + "\n")
        return await self.line()
