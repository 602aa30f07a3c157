#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One serialbundle answers many callers on many lines, all at once. For a release build.

    answer.py [--quick] [--check] [--json FILE]

Each caller is a serialbundle in a namespace of its own that asks for its address. The answering one
has an interface for each; all of them are sent something at the same time.
"""

import asyncio
import contextlib
import os
import sys
import tempfile
import time

import common
from rig import limit
from rig.bench import Row, bench, options, payload
from rig.nullmodem import Line, NullModem
from rig.pair import SYSCTLS, Host, program
from rig.tcp import transfer

BPS = 115200
MTU = 1500
ANSWERER = "10.9.0.254"
LEAST_OF_LIMIT = 0.95
MOST_MEMORY_KB = 48 * 1024


class Exchange:
    """n callers with so many lines each, and who answers them; `async with`: all are up."""

    def __init__(self, callers, lines_each):
        self.count, self.lines_each = callers, lines_each
        self.lines = [Line(BPS)] * (callers * lines_each)

    async def __aenter__(self):
        async with contextlib.AsyncExitStack() as stack:
            self.directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="sbrig-"))
            self.nullmodem = NullModem(program("nullmodem"), self.directory, self.lines)
            stack.callback(self.nullmodem.kill)
            self.b = self._host(stack, "b")
            self.callers = [self._host(stack, f"a{i}") for i in range(self.count)]
            await self.nullmodem.ready()
            start = time.monotonic()
            await self._answer()
            await asyncio.gather(*(self._call(i) for i in range(self.count)))
            self.up_seconds = time.monotonic() - start
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *error):
        await self._stack.__aexit__(*error)

    def _host(self, stack, side):
        host = Host(side, [ANSWERER], self.directory)
        stack.callback(host.close)
        for name, value in SYSCTLS.items():
            host.ns.sysctl(name, value)
        return host

    async def _answer(self):
        argv = [program("serialbundle"), "--realtime", "--answer", "--ppp", "--local", ANSWERER, "--pool",
                "10.9.1.1-10.9.1.64", "--mtu", MTU, *self._ends("b", range(len(self.lines)))]
        await self.b.bundle_ready(self.b.start_bundle(argv), 60)

    async def _call(self, number):
        caller = self.callers[number]
        first = number * self.lines_each
        argv = [program("serialbundle"), "--realtime", "--ppp", "--mtu", MTU,
                *self._ends("a", range(first, first + self.lines_each))]
        await caller.bundle_ready(caller.start_bundle(argv), 60)
        local, remote = await caller.has_address(60)
        if remote != ANSWERER:
            raise ValueError(f"the peer of {local} is {remote}")
        caller.addresses = [local]

    def _ends(self, side, numbers):
        return [f"{self.nullmodem.ends[side][i]}:{BPS}" for i in numbers]

    def interfaces(self):
        """Of the answering host: {peer's address: name}."""
        return {address.get("address"): entry["ifname"]
                for entry in self.b.ip("address") if entry["ifname"] != "lo"
                for address in entry["addr_info"] if address["family"] == "inet"}


class Answering(Row):
    def __init__(self, callers, lines_each, size):
        self.callers, self.lines_each = callers, lines_each
        self.name = f"{callers} callers, {lines_each} lines each"
        self.lines = [Line(BPS)] * (callers * lines_each)
        self.size = size
        self.result = {}

    async def measure(self):
        async with Exchange(self.callers, self.lines_each) as exchange:
            addresses = [caller.address for caller in exchange.callers]
            interfaces = exchange.interfaces()
            data = payload(self.name, self.size)
            before = cpu_seconds(exchange)
            start = time.monotonic()
            moved = await asyncio.gather(*(transfer(exchange.b, caller, data)
                                           for caller in exchange.callers))
            seconds = time.monotonic() - start
            cpu = {name: round((now - then) / seconds, 2) for (name, now), then
                   in zip(cpu_seconds(exchange).items(), before.values())}
            carried = await exchange.nullmodem.carried("ba")
            least = limit.seconds(data, MTU, self.lines[:self.lines_each], length=limit.mp_length)
            self.result = {
                "up_seconds": round(exchange.up_seconds, 1),
                "of_limit": self.callers * least / sum(one.seconds for one in moved),
                "slowest_of_limit": least / max(one.seconds for one in moved),
                "intact": all(one.intact for one in moved),
                "memory_kb": common.status_field(exchange.b.bundle.pid, "RssAnon"),
                "threads": common.status_field(exchange.b.bundle.pid, "Threads"),
                "children": children(exchange.b.bundle.pid),
                "addresses": len(set(addresses)),
                "interfaces": len({interfaces.get(address) for address in addresses} - {None}),
                "least_carried": min(carried), "most_carried": max(carried),
                "cpu": cpu,
            }
            await exchange.b.stop_bundle()

    def figures(self):
        return self.result

    def check(self, tally):
        r = self.result
        tally.check(r["of_limit"] >= LEAST_OF_LIMIT,
                    f"{self.name}: {r['of_limit']:.1%} of the limit")
        tally.check(r["intact"], f"{self.name}: what arrived is what was sent")
        tally.check(r["memory_kb"] <= MOST_MEMORY_KB, f"{self.name}: {r['memory_kb']} kB")
        tally.check(r["threads"] == 1 and r["children"] == 0, f"{self.name}: one process")
        tally.check(r["addresses"] == self.callers, f"{self.name}: each caller an address")
        tally.check(r["interfaces"] == self.callers, f"{self.name}: and an interface")
        tally.check(r["least_carried"] > r["most_carried"] / 2, f"{self.name}: all lines carried")


def cpu_seconds(exchange):
    """Who took how much so far: on few processors the limit is the machine's, not the program's."""
    of = common.cpu_seconds
    return {"answering": of(exchange.b.bundle.pid),
            "callers": sum(of(caller.bundle.pid) for caller in exchange.callers),
            "nullmodem": of(exchange.nullmodem.pid),
            "this bench": of(os.getpid())}


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return len(file.read().split())


def rows(quick):
    """The quick form is what any machine can do beside other work."""
    if quick:
        return [Answering(4, 4, 400_000)]
    return [Answering(1, 4, 1_000_000), Answering(4, 4, 1_000_000), Answering(16, 4, 1_000_000)]


def show(measured):
    for row in measured:
        r = row.result
        print(f"{row.name}: {r['of_limit']:.1%} of the limit, slowest {r['slowest_of_limit']:.1%}; "
              f"up after {r['up_seconds']} s; {r['memory_kb']} kB; processors: {r['cpu']}")


if __name__ == "__main__":
    arguments = options(__doc__.split("\n", maxsplit=1)[0]).parse_args()
    sys.exit(bench(rows(arguments.quick), arguments, show, budget_bps=1))
