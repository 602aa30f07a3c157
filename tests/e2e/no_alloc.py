#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The packet path does not allocate: under traffic, the count of allocations stands still.

malloc_count.so is preloaded and counts into a file. For a release build: sanitizers bring an
allocator of their own.
"""

import os

import common
from rig.nullmodem import Line
from rig.pair import Pair, build_directory
from rig.process import Process
from rig.result import run_tests
from rig.tcp import transfer

LIBRARY = os.path.join(build_directory(), "tests", "e2e", "malloc_count.so")
LINES = [Line(115200), Line(57600)]


class Counter:
    """The file that a preloaded program counts in."""

    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.write(bytes(8))
        self.env = {"LD_PRELOAD": LIBRARY, "MALLOC_COUNT_FILE": path}

    def value(self):
        with open(self.path, "rb") as file:
            return int.from_bytes(file.read(8), "little")


async def counting_works(tally, directory):
    counter = Counter(os.path.join(directory, "ip.count"))
    program = Process(["ip", "-j", "link"], log=os.path.join(directory, "ip.log"), env=counter.env)
    await program.wait(10)
    tally.check(counter.value() > 0, "the allocations of another program are counted")


async def transfer_without_malloc(tally):
    payload = os.urandom(200_000)
    async with Pair(LINES) as pair:
        await counting_works(tally, pair.directory)
        counters = []
        for host in (pair.a, pair.b):
            await host.stop_bundle()
            counters.append(Counter(os.path.join(pair.directory, host.side + ".count")))
            await pair.start(host, counters[-1].env)
        tally.check(all(c.value() > 0 for c in counters), "setting up allocates, and is counted")
        marks = {}

        def progress(received):
            # The first tenth warms up what grows once: the loop's tables, stdio.
            for mark in (0.1, 0.95):
                if received >= mark * len(payload) and mark not in marks:
                    marks[mark] = [counter.value() for counter in counters]

        result = await transfer(pair.a, pair.b, payload, progress=progress)
    tally.check(result.intact, "what arrived is what was sent")
    tally.check(marks[0.1] == marks[0.95], f"allocations under traffic: {marks}")


run_tests(transfer_without_malloc)
