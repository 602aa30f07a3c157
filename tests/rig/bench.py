# SPDX-License-Identifier: MIT
"""What the benches share: their options, running many rows at once, and the verdict."""

import argparse
import asyncio
import json
import random
import sys

from .result import Tally, run

# Bits per second that may be under way at once, over all lines of all rows: pacing is in real
# time, so more rows at once end sooner, up to where two cores would no longer keep time.
BUDGET_BPS = 800_000


class Budget:
    """So much may be in use at once; waiters are served first come, first fit."""

    def __init__(self, amount):
        self._free = self._whole = amount
        self._changed = asyncio.Condition()

    async def take(self, amount):
        async with self._changed:
            await self._changed.wait_for(lambda: min(amount, self._whole) <= self._free)
            self._free -= min(amount, self._whole)

    async def give(self, amount):
        async with self._changed:
            self._free += min(amount, self._whole)
            self._changed.notify_all()


class Row:
    """One measurement. A bench's rows derive from this.

    lines       the cables
    measure()   does it, and keeps the figures in the row
    spoilt()    whether something that only chance explains may have had a part in it, so that it is
                measured again, ROUNDS times in all at the most: nothing makes such figures better
                than they should be. How often it was, `rounds` tells
    figures()   them, for --json
    check(t)    judges them
    """

    ROUNDS = 3

    name = ""
    lines = ()
    error = None
    rounds = 0

    @property
    def bps(self):
        return sum(line.bps for line in self.lines)

    def spoilt(self):
        return False

    async def run(self, budget, done):
        await budget.take(self.bps)
        try:
            while self.rounds < self.ROUNDS and (self.rounds == 0 or self.spoilt()):
                self.rounds += 1
                await self.measure()
        except Exception as error:  # from the rig: the row has failed, the others go on
            self.error = error
        finally:
            await budget.give(self.bps)
        done(self)

    def judge(self, tally):
        if self.error:
            tally.check(False, f"{self.name}: {type(self.error).__name__}: {self.error}")
        else:
            self.check(tally)


async def measure(rows, budget_bps=BUDGET_BPS):
    """Runs all rows, in the order given as the budget allows; says on stderr how far it is."""
    budget, left = Budget(budget_bps), len(rows)

    def done(row):
        nonlocal left
        left -= 1
        state = "failed" if row.error else "done"
        if row.rounds > 1:
            state += f" after {row.rounds} rounds"
        print(f"{row.name}: {state}, {left} left", file=sys.stderr, flush=True)

    async with asyncio.TaskGroup() as group:
        for row in rows:
            group.create_task(row.run(budget, done))


def options(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a shorter form, some 100 s")
    parser.add_argument("--check", action="store_true",
                        help="exit 1 naming each figure out of its bounds")
    parser.add_argument("--json", metavar="FILE", help="write the figures there as well")
    return parser


def bench(rows, arguments, show, budget_bps=BUDGET_BPS):
    """Measures the rows, calls show(rows that were measured), and ends the program."""
    async def main():
        await measure(rows, budget_bps)
        show([row for row in rows if not row.error])
        if arguments.json:
            with open(arguments.json, "w", encoding="ascii") as file:
                json.dump([{"name": row.name, "rounds": row.rounds, **row.figures()}
                           for row in rows if not row.error], file, indent=1)
        tally = Tally()
        for row in rows:
            row.judge(tally)
        if arguments.check:
            print(tally.summary())
        return 1 if tally.failed and (arguments.check or any(row.error for row in rows)) else 0

    run(main())


def payload(name, size):
    """The same random bytes each time for the same name: binary data, as the HOWTO's file was."""
    return random.Random(name).randbytes(size)
