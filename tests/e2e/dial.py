#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines that dial: the EQL HOWTO's runslip.conf as it stands, a modem that keeps losing its call,
and sixteen slow ones that lose theirs at random.

    dial.py [--quick | --full]      --full: sixteen modems as well, ten minutes

What a line can carry and has carried is nullmodem's to say, whose telephone it is that connects and
drops.
"""

import argparse
import asyncio
import contextlib
import os

import common
from rig import limit, modem
from rig.dialling import MTU, OURS, THEIRS, Called, modems
from rig.pair import program
from rig.process import until
from rig.result import Tally, run
from rig.tcp import transfer


async def dials_as_the_howto_says(tally):
    """E15, E16, E17."""
    lines = modems("", "connect-text=28800/ARQ/V34/LAPM/V42BIS")
    async with Called(lines) as pair:
        await until(lambda: len(pair.enslaved()) == 2, 30, "eql_enslave ran twice",
                    process=pair.a.bundle)
        interface = pair.a.interface()
        tally.check(pair.enslaved() == [f"eql {interface} 28800"] * 2, f"{pair.enslaved()}")
        for cable in (await pair.calls())["cables"]:
            tally.check((cable["call"], cable["connected"]) == ("through", 1),
                        f"{cable['name']}: {cable['call']}, {cable['connected']} calls")
        for end in pair.nullmodem.ends["a"]:
            tally.check(modem.speed(end) == 38400, f"{end}: the port is at 38400")
        tally.check(pair.a.link()["mtu"] == MTU, "the MTU is the file's")
        await moves_a_file(tally, pair)


async def moves_a_file(tally, pair):
    payload = os.urandom(100_000)
    least = limit.seconds(payload, MTU, pair.lines)
    before = await pair.nullmodem.carried()
    moved = await transfer(pair.a, pair.b, payload)
    carried = [now - then for now, then in zip(await pair.nullmodem.carried(), before)]
    share = least / moved.seconds
    print(f"a file over two modems of 28800: {share:.3f} of the limit; {carried} characters")
    tally.check(moved.intact, "the file is intact")
    tally.check(share >= 0.9, f"{share:.3f} of what two lines of 28800 can carry")
    tally.check(min(carried) >= 0.45 * sum(carried), f"both carried their half: {carried}")


# ---- a modem that loses its call ----

CALL_SECONDS = 10


class Watch:
    """What each call of a line carried, as nullmodem tells."""

    def __init__(self, line):
        self._line = line
        self.calls = []  # characters of each call
        self.waits = []  # seconds from a drop to the next call
        self._before = self._lost_at = None

    def look(self, report):
        cable, now = report["cables"][self._line], report["elapsed_ns"] / 1e9
        delivered, through = cable["ab"]["delivered"], cable["call"] == "through"
        if through and self._before is None:
            self._before = delivered
            if self._lost_at is not None:
                self.waits.append(now - self._lost_at)
        elif not through and self._before is not None:
            self.calls.append(delivered - self._before)
            self._before, self._lost_at = None, now


async def keep_busy(pair, flows=4):
    """Transfers without an end, and datagrams that do not slow down for those that were lost: while
    a line is dead and nobody knows yet, the transfers alone could leave the other idle."""
    async def stream():
        while True:
            await transfer(pair.a, pair.b, os.urandom(1 << 20), stall=120)

    async def datagrams():
        with (contextlib.closing(common.udp_socket(pair.a)) as source,
              contextlib.closing(common.udp_socket(pair.b)) as sink):
            while True:
                with contextlib.suppress(OSError):
                    source.sendto(os.urandom(MTU - common.IP_HEADERS), sink.getsockname())
                await asyncio.sleep(MTU / limit.chars_per_second(pair.lines))

    async with asyncio.TaskGroup() as group:
        group.create_task(datagrams())
        for _ in range(flows):
            group.create_task(stream())


async def one_keeps_losing_its_call(tally, seconds):
    """E14: the other's throughput stays, and the dropper rejoins every time."""
    lines = modems("", f"drop-call=after:{CALL_SECONDS}s")
    async with Called(lines, ecn=1) as pair:
        busy = asyncio.create_task(keep_busy(pair))
        try:
            await until_carrying(pair, 20000)
            seen = await watch_for(pair, seconds, busy)
        finally:
            busy.cancel()
            await asyncio.gather(busy, return_exceptions=True)
        judge(tally, *seen)


async def until_carrying(pair, characters):
    async def carries():
        return (await pair.nullmodem.carried())[0] > characters

    await until(carries, 60, "the transfers are under way", process=pair.a.bundle)


async def watch_for(pair, seconds, busy):
    """The steady line's share of what it can carry, and how the other fared."""
    watch = Watch(1)
    first = report = await pair.calls()
    while report["elapsed_ns"] < first["elapsed_ns"] + seconds * 1e9:
        await asyncio.sleep(0.2)
        if busy.done():
            busy.result()
        report = await pair.calls()
        watch.look(report)
    took = (report["elapsed_ns"] - first["elapsed_ns"]) / 1e9
    carried = (report["cables"][0]["ab"]["delivered"] - first["cables"][0]["ab"]["delivered"])
    return carried / (took * pair.lines[0].chars_per_second), watch, report["cables"], took


def judge(tally, share, watch, cables, took):
    steady, dropper = cables
    print(f"{took:.0f} s: the steady line carried {share:.4f} of what it can; the other lost "
          f"{dropper['dropped_calls']} calls and was back after "
          f"{', '.join(f'{wait:.1f}' for wait in watch.waits)} s, carrying {watch.calls}")
    tally.check(share >= 0.98, f"the steady line carried {share:.4f} of what it can")
    tally.check((steady["connected"], steady["dropped_calls"]) == (1, 0), "in one call")
    tally.check(dropper["dropped_calls"] >= took // (CALL_SECONDS + 15), "the other lost its calls")
    tally.check(dropper["connected"] - dropper["dropped_calls"] in (0, 1), "and came back each time")
    tally.check(dropper["dialled"] - dropper["connected"] in (0, 1), "at the first attempt")
    half = CALL_SECONDS * 2880 / 2
    # The first may have begun before we looked.
    tally.check(all(call >= half for call in watch.calls[1:]), f"to carry its share: {watch.calls}")


# ---- many slow ones ----

MODEMS = 16
ROUND_TRIP = 1.5
PROBE_SECONDS = 1
LATE = 15  # seconds after which a probe counts as lost


class CalledByMany(Called):
    """Sixteen modems of 2400 bps behind a satellite, PPP multilink on them all."""

    def __init__(self):
        drops = f"delay={ROUND_TRIP / 2}s,drop-call=random:60s,init=E0"
        numbers = [f"5550{i:03}" for i in range(MODEMS)]
        super().__init__(modems(*[drops + ",b.init=E0S0=1"] * MODEMS, bps=2400, numbers=numbers))
        self._numbers = numbers

    def answering_argv(self):
        return self._argv("b", THEIRS, OURS, ["answer=auto"] * MODEMS)

    def dialling(self):
        words = [f"dial={number},redial=2s,redial-longest=10s" for number in self._numbers]
        return self._argv("a", OURS, THEIRS, words)

    def _argv(self, side, local, remote, words):
        ends = self.nullmodem.ends[side]
        return [program("serialbundle"), "--realtime", "--ppp", "--local", local, "--remote",
                remote, *(f"{end}:2400@9600,{word}" for end, word in zip(ends, words))]


class Probes:
    """A datagram every second from a to b, and how many arrive before they are LATE."""

    def __init__(self, pair):
        self._source, self._sink = common.udp_socket(pair.a), common.udp_socket(pair.b)
        self.sent = self.arrived = 0

    async def run(self, seconds):
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        receiving = asyncio.create_task(self._receive())
        while loop.time() < end:
            with contextlib.suppress(OSError):  # no carrier: it is lost
                self._source.sendto(f"{loop.time()}".encode(), self._sink.getsockname())
            self.sent += 1
            await asyncio.sleep(PROBE_SECONDS)
        await asyncio.sleep(LATE)
        receiving.cancel()

    async def _receive(self):
        loop = asyncio.get_running_loop()
        while True:
            data = await loop.sock_recv(self._sink, 1500)
            self.arrived += loop.time() - float(data) <= LATE

    def close(self):
        self._source.close()
        self._sink.close()


class Observer:
    """Memory and carrier of both hosts' bundles, once a second."""

    def __init__(self, pair):
        self._hosts = (pair.a, pair.b)
        self.looks = self.down = 0
        self.memory = []  # kB of both

    async def run(self):
        while True:
            self.memory.append([common.status_field(host.bundle.pid, "RssAnon")
                                for host in self._hosts])
            self.looks += 1
            self.down += any("LOWER_UP" not in host.link()["flags"] for host in self._hosts)
            await asyncio.sleep(1)


async def sixteen_drop_at_random(tally, seconds):
    async with CalledByMany() as pair:
        await until(lambda: "LOWER_UP" in pair.b.link()["flags"], 60, "the bundle is up",
                    process=pair.a.bundle)
        observer, probes = Observer(pair), Probes(pair)
        watching = asyncio.create_task(observer.run())
        payload = os.urandom(500 * seconds)  # the other way, an eighth of what they can carry
        moving = asyncio.create_task(transfer(pair.b, pair.a, payload, stall=120))
        try:
            await probes.run(seconds)
            moved = await moving
        finally:
            for task in (watching, moving):
                task.cancel()
            await asyncio.gather(watching, moving, return_exceptions=True)
            probes.close()
        judge_many(tally, (await pair.calls())["cables"], probes, observer, moved)


def judge_many(tally, cables, probes, observer, moved):
    dropped, dialled, connected = (sum(cable[key] for cable in cables)
                                   for key in ("dropped_calls", "dialled", "connected"))
    arrived = probes.arrived / probes.sent
    quarter = len(observer.memory) // 4
    early, late = (max(sum(both) for both in part)
                   for part in (observer.memory[quarter:2 * quarter], observer.memory[-quarter:]))
    print(f"sixteen modems: {dropped} calls dropped, {dialled} dialled, {connected} connected; "
          f"{arrived:.3f} of {probes.sent} probes arrived; no carrier in {observer.down} of "
          f"{observer.looks} looks; {late - early:+} kB; {moved.bytes} bytes in {moved.seconds:.0f} s")
    tally.check(moved.intact, "a stream went through it all")
    tally.check(arrived >= 0.9, f"{arrived:.3f} of the probes arrived")
    tally.check(observer.down == 0, f"the bundle had no carrier in {observer.down} looks")
    tally.check(all(cable["connected"] > 1 for cable in cables), "each modem came back")
    tally.check(connected >= dropped, f"{connected} connected, {dropped} dropped")
    tally.check(dialled <= 1.2 * connected + MODEMS, f"{dialled} dialled for {connected} calls")
    tally.check(late - early <= 64, f"memory grew by {late - early} kB")


async def main(arguments):
    tally = Tally()
    runs = [dials_as_the_howto_says(tally),
            one_keeps_losing_its_call(tally, 40 if arguments.quick else 300)]
    if arguments.full:
        runs.append(sixteen_drop_at_random(tally, 600))
    for name, outcome in zip(("howto", "dropper", "sixteen"),
                             await asyncio.gather(*runs, return_exceptions=True)):
        if isinstance(outcome, Exception):
            tally.check(False, f"{name}: {type(outcome).__name__}: {outcome}")
    print(tally.summary(), flush=True)
    return 1 if tally.failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="the drops go on for 40 seconds")
    length.add_argument("--full", action="store_true", help="sixteen modems too, ten minutes")
    run(main(parser.parse_args()))
