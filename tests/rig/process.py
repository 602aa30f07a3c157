# SPDX-License-Identifier: MIT
"""Child processes: started in a namespace, awaited without polling, never left behind."""

import asyncio
import contextlib
import os
import signal
import subprocess


KILL_AFTER_SECONDS = 2


class ProcessFailed(Exception):
    """A program ended in a way it should not; the text holds the end of what it said."""


class Process:
    """A program whose standard error goes to `log`; its standard output too, unless piped."""

    def __init__(self, argv, *, log, ns=None, env=None, pipe_stdout=False, pass_fds=()):
        self.name = os.path.basename(argv[0])
        self.log = log
        # The child gets SIGTERM when this process dies, however it dies.
        argv = ["setpriv", "--pdeathsig", "TERM", "--", *map(str, argv)]
        with ns or contextlib.nullcontext(), open(log, "ab") as sink:
            self._popen = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stderr=sink, env={**os.environ, **(env or {})},
                stdout=subprocess.PIPE if pipe_stdout else sink, start_new_session=True,
                pass_fds=pass_fds)
        self.pid = self._popen.pid
        self.stdout = self._popen.stdout

    @property
    def running(self):
        return self._popen.poll() is None

    def send(self, number):
        if self.running:
            self._popen.send_signal(number)

    async def wait(self, seconds=None):
        """The exit status; TimeoutError when it does not end in time."""
        if self._popen.poll() is None:
            pidfd = os.pidfd_open(self.pid)
            try:
                await readable(pidfd, seconds)
            finally:
                os.close(pidfd)
        return self._popen.wait()

    async def stop(self, number=signal.SIGINT, seconds=10):
        """Asks it to end and returns its status; one that does not obey is killed: a failure."""
        self.send(number)
        try:
            return await self.wait(seconds)
        except TimeoutError:
            raise ProcessFailed(f"{self.name} did not end in {seconds} s\n{self.said()}") from None
        finally:
            self.kill()

    def kill(self):
        """Asks first, so that it can put its house in order."""
        if self.running:
            self._popen.terminate()
            try:
                self._popen.wait(KILL_AFTER_SECONDS)
            except subprocess.TimeoutExpired:
                self._popen.kill()
                self._popen.wait()
        if self.stdout:
            self.stdout.close()

    def said(self, lines=25):
        """The end of its log, for messages."""
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return "".join(f"  | {line}" for line in file.readlines()[-lines:])


async def readable(fd, seconds=None):
    """Until fd can be read (a pidfd: until the process has ended)."""
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    loop.add_reader(fd, lambda: future.done() or future.set_result(None))
    try:
        async with asyncio.timeout(seconds):
            await future
    finally:
        loop.remove_reader(fd)


async def until(condition, seconds, what, *, process=None):
    """Polls a condition that nothing announces; TimeoutError says what did not come about."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while True:
        result = condition()
        if asyncio.iscoroutine(result):
            result = await result
        if result:
            return result
        if process and not process.running:
            raise ProcessFailed(f"{process.name} ended while waiting: {what}\n{process.said()}")
        if loop.time() > deadline:
            said = f"\n{process.said()}" if process else ""
            raise TimeoutError(f"not within {seconds} s: {what}{said}")
        await asyncio.sleep(0.02)


def status_field(pid, field):
    """A number from /proc/PID/status, e.g. RssAnon (kB) or voluntary_ctxt_switches."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field + ":"))


def cpu_seconds(pid):
    """Of processor time so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # utime, stime
