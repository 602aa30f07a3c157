# SPDX-License-Identifier: MIT
"""A terminal in which a program draws, by a tmux of its own."""

import itertools
import os
import shlex
import subprocess

from .process import until

_numbers = itertools.count()


class Terminal:
    """`async with Terminal(argv, 80, 24) as t`: t.screen() is what is to be seen."""

    def __init__(self, argv, width, height, *, lang="C.UTF-8", term="", env=None):
        self._server = f"sbrig-{os.getpid()}-{next(_numbers)}"
        words = {"LANG": lang, "LC_ALL": lang, **({"TERM": term} if term else {}), **(env or {})}
        settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in words.items())
        self._command = (f"{settings} {shlex.join(map(str, argv))}; printf 'ended: %d\\n' $?; "
                         "exec sleep 1000")
        self._size = ["-x", str(width), "-y", str(height)]

    def _tmux(self, *words):
        result = subprocess.run(["tmux", "-u", "-L", self._server, "-f", "/dev/null", *words],
                                capture_output=True, text=True, check=True, timeout=20,
                                env={**os.environ, "LC_ALL": "C.UTF-8"})
        return result.stdout

    async def __aenter__(self):
        self._tmux("new-session", "-d", *self._size, self._command)
        return self

    async def __aexit__(self, *_):
        self._tmux("kill-server")

    def screen(self):
        """Its rows, without blanks at their ends."""
        return [row.rstrip() for row in self._tmux("capture-pane", "-p").split("\n")[:-1]]

    def styled(self):
        """The same with escape sequences."""
        return self._tmux("capture-pane", "-p", "-e")

    def keys(self, *keys):
        self._tmux("send-keys", *keys)

    def wipe(self):
        """Behind the program's back."""
        self._tmux("send-keys", "-R")

    def resize(self, width, height):
        self._tmux("resize-window", "-x", str(width), "-y", str(height))

    async def shows(self, text, seconds=10):
        """Until the text is to be seen."""
        return await until(lambda: any(text in row for row in self.screen()), seconds,
                           f"'{text}' on the screen, which is\n" + "\n".join(self.screen()))
