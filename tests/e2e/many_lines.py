#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""32 lines at once, and two that do nothing: speed, memory, wake-ups. For a release build."""

import asyncio
import os
import time

import common
from rig import limit
from rig.nullmodem import Line
from rig.pair import Pair
from rig.result import run_tests
from rig.tcp import transfer

MB_IN_KB = 1024
FLOWS = 4
LEAST_OF_LIMIT = 0.97
MOST_BUSY_KB = 16 * MB_IN_KB
MOST_IDLE_KB = 4 * MB_IN_KB
MOST_WAKEUPS_PER_SECOND = 10
IDLE_SECONDS = 5


async def thirty_two(tally):
    """Several flows, since one alone spends seconds on finding out how fast so many lines are."""
    lines = [Line(115200)] * 32
    payloads = [os.urandom(2_500_000) for _ in range(FLOWS)]
    async with Pair(lines) as pair:
        start = time.monotonic()
        results = await asyncio.gather(*(transfer(pair.a, pair.b, one) for one in payloads))
        seconds = time.monotonic() - start
        carried = await pair.nullmodem.carried()
        memory = [common.status_field(host.bundle.pid, "RssAnon") for host in (pair.a, pair.b)]
    of_limit = sum(limit.seconds(one, pair.mtu, lines) for one in payloads) / seconds
    tally.check(all(result.intact for result in results), "what arrived is what was sent")
    tally.check(of_limit >= LEAST_OF_LIMIT, f"32 lines: {100 * of_limit:.1f} % of the limit, "
                f"not {100 * LEAST_OF_LIMIT:.0f} %")
    even = sum(carried) / len(carried)
    tally.check(all(abs(count / even - 1) <= 0.1 for count in carried),
                f"each line its part: {carried}")
    tally.check(max(memory) <= MOST_BUSY_KB, f"32 lines: {memory} kB of memory")


async def idle(tally):
    async with Pair([Line(57600), Line(57600)]) as pair:
        pids = [host.bundle.pid for host in (pair.a, pair.b)]
        before = [common.status_field(pid, "voluntary_ctxt_switches") for pid in pids]
        await asyncio.sleep(IDLE_SECONDS)
        after = [common.status_field(pid, "voluntary_ctxt_switches") for pid in pids]
        memory = [common.status_field(pid, "RssAnon") for pid in pids]
    wakeups = [(now - then) / IDLE_SECONDS for then, now in zip(before, after)]
    tally.check(max(memory) <= MOST_IDLE_KB, f"two idle lines: {memory} kB of memory")
    tally.check(max(wakeups) < MOST_WAKEUPS_PER_SECOND, f"idle wake-ups per second: {wakeups}")


run_tests(thirty_two, idle)
