# SPDX-License-Identifier: MIT
"""Checks, tables, and the frame that every bench and test here runs in."""

import asyncio
import signal
import sys
import traceback


class Tally:
    """Counts checks; each failed one is named with its figure."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, what):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {what}", flush=True)
        return bool(good)

    def summary(self):
        return f"{self.passed} passed, {self.failed} failed"


def table(rows, header):
    """Right-aligned columns, as wide as they must be."""
    cells = [header, *rows]
    widths = [max(len(str(row[i])) for row in cells) for i in range(len(header))]
    for row in cells:
        print("  ".join(str(cell).rjust(width) for cell, width in zip(row, widths)).rstrip())


def run(main):
    """Runs the coroutine, ending it in order on SIGINT and SIGTERM; its result is the status."""
    async def framed():
        task = asyncio.current_task()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        return await main

    try:
        sys.exit(asyncio.run(framed()))
    except asyncio.CancelledError:
        sys.exit("interrupted")


async def attempt(tally, job):
    """Awaits a coroutine. One that breaks is one failure, and the others still run."""
    try:
        await job
    except Exception:
        tally.check(False, f"{job.__name__}\n{traceback.format_exc()}")


async def at_once(tally, jobs, most):
    """The same of coroutines that take real time, so many of them at once."""
    turns = asyncio.Semaphore(most)

    async def one(job):
        async with turns:
            await attempt(tally, job)

    await asyncio.gather(*map(one, jobs))


def side_by_side(*tests):
    """One test for run_tests, that is all of these at once."""
    async def together(tally):
        await at_once(tally, [test(tally) for test in tests], len(tests))

    return together


def run_tests(*tests):
    """Each test is a coroutine function taking a Tally."""
    async def main():
        tally = Tally()
        for test in tests:
            await attempt(tally, test(tally))
        print(tally.summary(), flush=True)
        return 1 if tally.failed else 0

    run(main())
