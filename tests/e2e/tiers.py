#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The queue's tiers, by what arrives at the other end of a line that three floods of datagrams fill:
shares, what is done with what one leaves, a ceiling, a ping that goes first, and washed marks.

What is compared is parts of the packets that arrived in the same time, so that no rate of a busy
machine has a part in it; the line counts as full when it carries 97 % of its characters.
"""

import asyncio
import contextlib
import socket
import time

import common
from rig import ctl, ping
from rig.nullmodem import Line
from rig.pair import Pair
from rig.result import run_tests, side_by_side

BPS = 230400
MTU = 576
DSCP = {"interactive": 46, "best effort": 0, "bulk": 8}
SECONDS = 4 if common.QUICK else 30  # some 160 packets a second
SHARE_ERROR = 0.02
FULL = 0.97
ROUNDS = 3  # a busy machine can leave a line idle for a moment
AHEAD = 40  # datagrams of a flood in the queue at first; then as many as could go, and a half


class Flood:
    """Datagrams of one code point, more than the line takes; what arrives of them is counted."""

    def __init__(self, sender, receiver, dscp):
        self.received = 0
        self.marks = set()
        self._sock, self._sink = common.udp_socket(sender), common.udp_socket(receiver)
        self._sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)
        self._sink.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        asyncio.get_running_loop().add_reader(self._sink, self._receive)
        self._task = asyncio.create_task(self._send())

    def _receive(self):
        with contextlib.suppress(BlockingIOError):
            while True:
                data, ancillary, _, _ = self._sink.recvmsg(MTU, 64)
                self.received += len(data) + common.IP_HEADERS
                self.marks.update(value[0] >> 2 for _, _, value in ancillary)

    async def _send(self):
        begun, sent = time.monotonic(), 0
        while True:
            while sent < AHEAD + (time.monotonic() - begun) * 1.5 * BPS / 10 / MTU:
                with contextlib.suppress(BlockingIOError):
                    self._sock.sendto(bytes(MTU - common.IP_HEADERS), self._sink.getsockname())
                sent += 1
            await asyncio.sleep(0.02)

    async def stop(self):
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        asyncio.get_running_loop().remove_reader(self._sink)
        self._sock.close()
        self._sink.close()


@contextlib.asynccontextmanager
async def floods(pair, *names):
    running = {name: Flood(pair.a, pair.b, DSCP[name]) for name in names}
    try:
        await asyncio.sleep(1)  # then all have a backlog
        yield running
    finally:
        await asyncio.gather(*(flood.stop() for flood in running.values()))


def one_line(*options, words=""):
    return Pair([Line(BPS, words=words)], mtu=MTU, a_args=(*ctl.OPTIONS["a"], *options))


async def parts(running):
    """Of what arrives in some seconds: each flood's part, and bytes per second of all."""
    before, begun = {name: flood.received for name, flood in running.items()}, time.monotonic()
    await asyncio.sleep(SECONDS)
    got = {name: flood.received - before[name] for name, flood in running.items()}
    total = sum(got.values())
    return {name: n / total for name, n in got.items()}, total / (time.monotonic() - begun)


async def divided(tally, running, what, want, most=1):
    """Into these parts; and all of them together are what the line carries."""
    for _ in range(ROUNDS):
        got, rate = await parts(running)
        of_line = rate / (BPS / 10 * MTU / (MTU + 2))
        if of_line >= FULL * most:
            break
    print(what + ":", ", ".join(f"{name} {part:.3f}" for name, part in got.items()),
          f"of {of_line:.3f} of the line", flush=True)
    for name, part in want.items():
        tally.check(abs(got[name] - part) <= SHARE_ERROR, f"{what}: {name} {got[name]:.3f}")
    edges = 2 * MTU / (SECONDS * BPS / 10)  # packets that came late, and those just before
    tally.check(FULL * most - edges <= of_line <= 1.01 * most + edges,
                f"{what}: {of_line:.3f} of the line")


# --- tests ---

async def shares(tally):
    async with one_line() as pair:
        async with floods(pair, *DSCP) as running:
            await divided(tally, running, "all three",
                          {"interactive": 0.333, "best effort": 0.5, "bulk": 0.167})
            tiers = ctl.status(pair.a)["bundles"][0]["tiers"]
        sent = sum(tier["bytes"] for tier in tiers)
        for tier in tiers:
            tally.check(tier["name"] in DSCP and tier["packets"] > 20, f"counted: {tier}")
            tally.check(tier["max_packet"] == MTU and tier["queue"]["bytes"] > 0, f"waits: {tier}")
            tally.check(tier["drops"]["codel"] + tier["drops"]["queue_full"] > 0, f"drops: {tier}")
        tally.check(abs(tiers[1]["bytes"] / sent - 0.5) <= 3 * SHARE_ERROR, f"bytes: {tiers}")


async def what_one_leaves(tally):
    async with one_line() as pair, floods(pair, "best effort", "bulk") as running:
        await divided(tally, running, "without interactive", {"best effort": 500 / 667})


async def a_ceiling(tally):
    """Set while it runs. The line is idle most of the time, and the packets wait all the same."""
    async with one_line("--tier-bulk", "10%/50%") as pair:
        async with floods(pair, "bulk") as running:
            for ceiling in (0.5, 0.25):
                ctl.told(pair.a, "set", "tier-bulk", f"10%/{ceiling:.0%}")
                await asyncio.sleep(1)
                # Of the characters that a line carries; packets have two less.
                await divided(tally, running, f"a ceiling of {ceiling:.0%}", {},
                              ceiling * (MTU + 2) / MTU)


async def a_ping_goes_first(tally):
    """A1: it waits for what the driver has, for the frame on the wire, and takes its own time."""
    bound = 1000 * (128 + MTU + 2 * ping.CHARACTERS) / (BPS / 10) + 15
    async with one_line() as pair, floods(pair, "best effort", "bulk"):
        for _ in range(ROUNDS):
            pinger = ping.Pinger(pair.a, pair.b.address, interval=0.1, count=10 * SECONDS,
                                 tos=DSCP["interactive"] << 2)
            try:
                result = await pinger.finished(SECONDS + 20)
            finally:
                pinger.kill()
            if result.percentile(95) <= bound:
                break
    print(f"ping: {result.percentile(50):.1f}, 95 % {result.percentile(95):.1f} ms,"
          f" bound {bound:.1f}", flush=True)
    tally.check(result.percentile(95) <= bound, f"95 % of pings in {result.percentile(95):.1f} ms")
    tally.check(result.lost == 0, f"{result.lost} pings lost")


async def washed(tally):
    for options, want in (((), {46}), (("--wash",), {0})):
        async with one_line(*options) as pair, floods(pair, "interactive") as running:
            tally.check(running["interactive"].marks == want,
                        f"{options}: {running['interactive'].marks}")
            tiers = ctl.status(pair.a)["bundles"][0]["tiers"]
            tally.check(tiers[0]["packets"] > 0, f"{options}: {tiers[0]}")


run_tests(side_by_side(shares, what_one_leaves, a_ceiling, a_ping_goes_first, washed))
