#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""PPP multilink loses lines in every way and gets them back, while a stream goes on.

    ppp_failover.py [--quick]

Each way is measured from outside: the longest time in which the receiver of a TCP transfer got
nothing, and how long after a line's return it carried characters again. The transfer uses ECN: else
the queue has to drop packets now and then, and a stream that waits for one of those to be sent again
stands still as it does when a line lost it. And it uses timestamps: what is sent again over another
line comes late, and without them Linux then takes all that is under way for lost.
"""

import argparse
import asyncio
import os
import time

import common  # noqa: F401
from rig.nullmodem import Line
from rig.pair import Pair
from rig.process import until
from rig.result import Tally, at_once, run
from rig.tcp import transfer

CUT_GAP = 1.0  # seconds without a byte when a line hangs up
FAIL_GAP = 1.5  # when it fails in a way that has to be noticed first
BACK_WITHIN = 2.0  # from a line's return to characters on it
BPS = 38400
STREAM = {"ppp": True, "mtu": 900, "ecn": True, "timestamps": True, "args": ("--realtime",)}


class Stream:
    """A transfer from a to b, and its gaps. `async with`: it is under way, and ends intact."""

    def __init__(self, pair, tally, name, size):
        self._pair, self._tally, self.name = pair, tally, name
        self._payload = os.urandom(size)
        self._at = None
        self._gap = 0.0

    async def __aenter__(self):
        self._moving = asyncio.create_task(
            transfer(self._pair.a, self._pair.b, self._payload, progress=self._progress))
        await until(lambda: self._received > 40_000, 30, f"{self.name}: the stream begins")
        return self

    _received = 0

    def _progress(self, received):
        now = time.monotonic()
        if self._at:
            self._gap = max(self._gap, now - self._at)
        self._at, self._received = now, received

    def forget_gaps(self):
        self._gap = 0.0

    @property
    def gap(self):
        """The longest since forget_gaps, one that goes on included."""
        return max(self._gap, time.monotonic() - self._at)

    async def more(self, count, seconds):
        """Until so many bytes more were received."""
        goal = self._received + count
        await until(lambda: self._received >= goal or self._moving.done(), seconds,
                    f"{self.name}: {count} bytes more")

    async def __aexit__(self, kind, *_):
        if kind:
            self._moving.cancel()
            return
        self._tally.check(not self._moving.done(), f"{self.name}: all this while it moved")
        self._moving.cancel()
        await asyncio.gather(self._moving, return_exceptions=True)


async def back(pair, line, tally, what):
    """Until the line carries data again, measured from now."""
    start = time.monotonic()
    before = (await pair.nullmodem.carried())[line]

    async def carries():
        return (await pair.nullmodem.carried())[line] > before + 1500  # more than LCP's packets

    await until(carries, 15, f"{what}: c{line} carries again", process=pair.a.bundle)
    took = time.monotonic() - start
    tally.check(took <= BACK_WITHIN, f"{what}: c{line} carried {took:.1f} s after its return")
    return took


async def interface_stays(pair, before, tally, what):
    now = (pair.a.link()["ifindex"], pair.b.link()["ifindex"])
    tally.check(now == before, f"{what}: the interfaces stay")
    tally.check(all(h.negotiated() for h in (pair.a, pair.b)), f"{what}: the addresses too")


async def lines_are_cut_in_turn(tally, rounds, bps):
    """Line 1 of 2, then line 2, over and over: whichever was first has no privilege."""
    async with Pair([Line(bps), Line(bps)], **STREAM) as pair:
        before = (pair.a.link()["ifindex"], pair.b.link()["ifindex"])
        async with Stream(pair, tally, "cut in turn", 40 * bps) as stream:
            for number in range(2 * rounds):
                line, what = number % 2, f"cut {number + 1}"
                stream.forget_gaps()
                await pair.nullmodem.command(f"hangup c{line}")
                await stream.more(bps // 20, 15)
                tally.check(stream.gap <= CUT_GAP, f"{what}: nothing came for {stream.gap:.2f} s")
                await interface_stays(pair, before, tally, what)
                await pair.nullmodem.command(f"return c{line}")
                took = await back(pair, line, tally, what)
                print(f"{what} of c{line}: gap {stream.gap:.2f} s, back after {took:.2f} s")
                await stream.more(bps // 20, 15)


# How a line fails, and what nullmodem is told for it.
FAILURES = {
    "carrier drops": (["hangup c1"], ["return c1"]),
    "silent": (["set c1 drop=1"], ["set c1 drop=0"]),
    "silent one way": (["set c1 ab.drop=1"], ["set c1 ab.drop=0"]),
    "takes no characters": (["set c1 stop=1"], ["set c1 stop=0"]),
}


async def fails(tally, name, bps, outage):
    """Mid-transfer one of two lines fails for `outage` seconds; None: for ever."""
    fail, mend = FAILURES[name]
    what = f"{name} for {f'{outage} s' if outage else 'ever'}"
    async with Pair([Line(bps), Line(bps)], **STREAM) as pair:
        async with Stream(pair, tally, what, 60 * bps) as stream:
            await stream.more(bps // 4, 20)
            stream.forget_gaps()
            for command in fail:
                await pair.nullmodem.command(command)
            await watch(stream, outage or 10)
            gap = stream.gap
            tally.check(gap <= FAIL_GAP, f"{what}: nothing came for {gap:.2f} s")
            if outage:
                for command in mend:
                    await pair.nullmodem.command(command)
                took = await back(pair, 1, tally, what)
                print(f"{what}: gap {gap:.2f} s, back after {took:.2f} s")
                stream.forget_gaps()
                await stream.more(bps // 4, 20)
                tally.check(stream.gap <= FAIL_GAP, f"{what}: on its return {stream.gap:.2f} s")
            else:
                print(f"{what}: gap {gap:.2f} s")


async def watch(stream, seconds):
    """The stream for that time: this is a measurement, and its length is part of it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        await asyncio.sleep(0.1)
    return stream.gap


async def main(arguments):
    tally = Tally()
    runs = [lines_are_cut_in_turn(tally, 1 if arguments.quick else 3, 57600)]
    for name in FAILURES:
        runs.append(fails(tally, name, BPS, 10 if name.startswith("silent") else 4))
    runs.append(fails(tally, "silent", BPS, None))
    await at_once(tally, runs, 3)
    print(tally.summary(), flush=True)
    return 1 if tally.failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="each line is cut once")
    run(main(parser.parse_args()))
