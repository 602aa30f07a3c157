# SPDX-License-Identifier: MIT
"""ping, and what its answers say together."""

import dataclasses
import itertools
import os
import re
import signal

from .process import Process

_TIME = re.compile(r"icmp_seq=(\d+) .*time=([\d.]+) ms")
_numbers = itertools.count()
_SENT = re.compile(r"(\d+) packets transmitted")

# ping -s 56: 84 bytes of IP; with its two ENDs 86 characters of SLIP (escapes come on top).
SIZE = 56
CHARACTERS = 86


@dataclasses.dataclass
class Ping:
    sent: int
    lost: int
    times: list  # ms, sorted
    said: str = dataclasses.field(default="", repr=False)  # by ping itself

    def percentile(self, percent):
        """The smallest time that so many percent of the answers do not exceed; a lost one counts
        as an answer that took for ever."""
        rank = max(1, -(-(len(self.times) + self.lost) * percent // 100))
        return self.times[rank - 1] if rank <= len(self.times) else float("inf")

    def series(self):
        """(sequence number from 1, ms) of each answer, in order."""
        return sorted((int(seq), float(ms)) for seq, ms in _TIME.findall(self.said))


class Pinger:
    """A running ping from a host."""

    def __init__(self, host, address, *, interval=0.2, count=None, size=SIZE, wait=5,
                 tos=0):
        self._log = os.path.join(host.directory, f"{host.side}.ping{next(_numbers)}")
        limit = ["-c", count, "-W", wait] if count else []
        self._process = Process(["ping", "-n", "-i", interval, "-s", size, "-Q", tos, *limit,
                                 address],
                                log=self._log, ns=host.ns, env={"LC_ALL": "C"})

    def kill(self):
        self._process.kill()

    async def stop(self):
        """Ends it; the result so far."""
        await self._process.stop(signal.SIGINT)
        return self._result(stopped=True)

    async def finished(self, seconds):
        """The result, when all asked for are sent and answered (or not)."""
        try:
            await self._process.wait(seconds)
        finally:
            self._process.kill()
        return self._result(stopped=False)

    def _result(self, stopped):
        with open(self._log, encoding="ascii", errors="replace") as file:
            return parse(file.read(), stopped)


def parse(text, stopped):
    """What ping printed; if it was stopped, what it sent after the last answer is still under way,
    not lost."""
    sent = _SENT.search(text)
    if not sent:
        raise OSError(f"ping: {text.strip() or 'said nothing'}")
    times = {int(seq): float(ms) for seq, ms in _TIME.findall(text)}  # a duplicate counts once
    asked = max(times, default=0) if stopped else int(sent[1])
    return Ping(int(sent[1]), asked - len(times), sorted(times.values()), text)
