# SPDX-License-Identifier: MIT
"""The measuring half of loopback.sh; run that."""

import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests"))

from rig import limit, ping  # noqa: E402
from rig.nullmodem import Line  # noqa: E402
from rig.pair import Pair  # noqa: E402
from rig.process import ProcessFailed  # noqa: E402
from rig.result import run, table  # noqa: E402
from rig.tcp import transfer  # noqa: E402

MTU = 900
SECONDS = 25  # that a transfer takes, about
FILE = os.path.realpath(sys.executable)  # some real file of several megabytes
IDLE_PINGS = 10
LENGTHS = {False: limit.slip_length, True: limit.mp_length}
LEAST_BPS, MOST_BPS = 300, 10_000_000


def file_content(lines):
    """As much of the file as the lines move in the time (twice over, if it is too short)."""
    size = int(SECONDS * limit.chars_per_second(lines) * (MTU - limit.HEADERS) / MTU)
    with open(FILE, "rb") as file:
        content = file.read(size)
    return (content * (size // len(content) + 1))[:size]


class Progress:
    """One line that is written over on a terminal; elsewhere a line every few seconds."""

    def __init__(self, what, total):
        self._what, self._total = what, total
        self._terminal = sys.stdout.isatty()
        self._start = time.monotonic()
        self._next = 0.0

    def __call__(self, received):
        passed = time.monotonic() - self._start
        if passed < self._next and received < self._total:
            return
        self._next = passed + (0.2 if self._terminal else 5)
        text = (f"{self._what}: {100 * received // self._total:3} %  {passed:4.0f} s  "
                f"{received / max(passed, 1e-3):7.0f} bytes/s")
        print(f"\r{text}\033[K" if self._terminal else text, end="" if self._terminal else "\n",
              flush=True)

    def done(self):
        if self._terminal:
            print("\r\033[K", end="", flush=True)


class Direction:
    """One transfer from host to host and what came of it."""

    def __init__(self, pair, sender, receiver):
        self.pair, self.sender, self.receiver = pair, sender, receiver
        self.way = sender.side + receiver.side
        self.title = f"{sender.side} to {receiver.side}"

    async def measure(self, content):
        idle = ping.Pinger(self.sender, self.receiver.address, count=IDLE_PINGS)
        self.idle = await idle.finished(60)
        before = await self.pair.nullmodem.carried(self.way)
        loaded = ping.Pinger(self.sender, self.receiver.address)
        progress = Progress(self.title, len(content))
        try:
            self.result = await transfer(self.sender, self.receiver, content, progress=progress)
            self.loaded = await loaded.stop()
        finally:
            loaded.kill()
            progress.done()
        after = await self.pair.nullmodem.carried(self.way)
        self.carried = [now - then for then, now in zip(before, after)]
        pings = self.loaded.sent * ping.CHARACTERS
        self.limit = limit.seconds(content, MTU, self.pair.lines, pings, LENGTHS[self.pair.ppp])

    def show(self):
        result, lines, total = self.result, self.pair.lines, sum(self.carried)
        can = [line.chars_per_second * result.seconds for line in lines]
        rows = [(f"line {i + 1}", line.bps, *self._row(count, total, can[i]))
                for i, (line, count) in enumerate(zip(lines, self.carried))]
        rows.append(("total", sum(line.bps for line in lines), *self._row(total, total, sum(can))))
        state = "unchanged" if result.intact else "DAMAGED"
        print(f"\n{self.title}: {result.bytes} bytes in {result.seconds:.1f} s, {state}: "
              f"{100 * self.limit / result.seconds:.1f} % of what these lines can do")
        table(rows, (self.title, "bps", "bytes", "share", "bytes/s", "busy"))
        print(f"ping: {self.idle.percentile(50):.0f} ms idle; while the file moves "
              f"{self.loaded.percentile(50):.0f} ms, 95 % within "
              f"{self.loaded.percentile(95):.0f} ms")

    def _row(self, count, total, can):
        return (count, f"{100 * count / total:.1f} %", f"{count / self.result.seconds:.0f}",
                f"{100 * count / can:.1f} %")


def rates(words):
    """Bits per second, as serialbundle takes them; None, and a word why, when one is none."""
    for word in words:
        if not word.isdecimal() or not LEAST_BPS <= int(word) <= MOST_BPS:
            print(f"loopback: {word}: a rate is a number from {LEAST_BPS} to {MOST_BPS}",
                  file=sys.stderr)
            return None
    return [int(word) for word in words]


async def main():
    ppp = "--ppp" in sys.argv[1:]
    words = [word for word in sys.argv[1:] if word != "--ppp"]
    given = rates(words or ["28800", "14400"])
    if given is None:
        return 2
    lines = [Line(bps) for bps in given]
    content = file_content(lines)
    print(f"{len(lines)} null-modem line{'s' * (len(lines) > 1)} of "
          f"{' + '.join(str(line.bps) for line in lines)} bps, {'PPP multilink' if ppp else 'SLIP'}, "
          f"MTU {MTU}; "
          f"{len(content)} bytes of {os.path.basename(FILE)} each way", flush=True)
    try:
        async with Pair(lines, mtu=MTU, ppp=ppp) as pair:
            ways = [Direction(pair, pair.a, pair.b), Direction(pair, pair.b, pair.a)]
            for way in ways:
                await way.measure(content)
    except (OSError, ProcessFailed) as error:
        print(f"loopback: {error}", file=sys.stderr)
        return 1
    for way in ways:
        way.show()
    return 0 if all(way.result.intact for way in ways) else 1


run(main())
