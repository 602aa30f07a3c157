#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rate of a line is found out (bps=auto): from four times too high or too low, and when the
line becomes another one, while the cable is a modem that takes 300 KB more than it sends."""

import asyncio
import time

import common
from rig import ctl
from rig.load import Flow
from rig.nullmodem import Line
from rig.pair import Pair
from rig.ping import Pinger
from rig.result import run_tests, side_by_side

NEAR = 0.05  # of the rate: the engine's 3 %, and what a busy machine adds
SETTLES = 10  # seconds
FOLLOWS = 5
LATE = 2  # seconds of a busy machine
STEADY = 3  # seconds of being near, to be called settled
WATCH = 0.1
MTU = 576
BUFFER = 300_000


class AutoLine(Line):
    """One whose rate neither program is told, but for the speed of a port."""

    def argument(self, end, side):
        return f"{end}:auto@{self.port}"


def auto(bps, guess):
    return AutoLine(bps, extra=f"buffer={BUFFER}", port=guess)


def linked(lines):
    return Pair(lines, mtu=MTU, ppp=True, a_args=ctl.OPTIONS["a"], b_args=ctl.OPTIONS["b"])


def rate(pair):
    """What a's line carries, as it says."""
    return ctl.lines(pair.a)["a0"]["bps"]["measured"] or 0


async def settles(pair, bps, seconds):
    """Seconds until the rate was near and stayed so; None: it did not within these."""
    begun, near_from = time.monotonic(), None
    while time.monotonic() - begun < seconds + STEADY:
        found, now = rate(pair), time.monotonic()
        if abs(found / bps - 1) > NEAR:
            near_from = None
        elif near_from is None:
            near_from = now
        elif now - near_from >= STEADY:
            return near_from - begun
        await asyncio.sleep(WATCH)
    return None


async def found_in_time(tally, pair, what, bps, seconds):
    took = await settles(pair, bps, seconds + LATE)
    print(f"{what}: {rate(pair):.0f} of {bps} bit/s after "
          f"{'-' if took is None else f'{took:.1f}'} s", flush=True)
    tally.check(took is not None, f"{what}: {rate(pair)} bit/s, not {bps}")


def queue_limit(bps, probe):
    """Seconds that a ping may take: two frames, the clock's lead twice, a probe, its own way."""
    characters = 2 * (MTU + 16) + 2 * 64 + 100
    return characters * 10 / bps + probe


async def wrong_guess(tally, bps, guess, then):
    """Settles, and then follows the line."""
    async with linked([auto(bps, guess)]) as pair:
        flow = await Flow(pair.a, pair.b).open()
        try:
            await found_in_time(tally, pair, f"{bps}, guessed {guess}", bps, SETTLES)
            await pair.nullmodem.command(f"set c0 bps={then}")
            await found_in_time(tally, pair, f"{bps} becomes {then}", then, FOLLOWS)
            pinger = Pinger(pair.a, pair.b.address)
            await asyncio.sleep(5 if common.QUICK else 20)
            ping = await pinger.stop()
            limit = queue_limit(then, 0.3)
            print(f"ping at {then}: median {ping.percentile(50):.0f} ms, limit {1000 * limit:.0f}")
            tally.check(ping.percentile(50) <= 1000 * limit, f"loaded ping: {ping.percentile(50)} ms")
        finally:
            flow.close()


async def guessed_four_times_too_high(tally):
    await wrong_guess(tally, 57600, 230400, 28800)


async def guessed_four_times_too_low(tally):
    await wrong_guess(tally, 57600, 14400, 115200)


run_tests(side_by_side(guessed_four_times_too_high, guessed_four_times_too_low))
