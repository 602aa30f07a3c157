#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A peer that means harm calls, while another one is served: memory and processor stay bounded, the
other one notices nothing, and SIGTERM ends all at once.

    hostile.py [--quick]      for a release build; one with sanitizers shows other faults, and needs
                              more memory: --sanitized leaves that bound out
"""

import argparse
import asyncio
import contextlib
import random
import struct

import common
from alone import Alone, living
from rig import pppeer
from rig.pppeer import IPCP, LCP, MP, NAK, REJECT, REQUEST, packet
from rig.ping import Pinger
from rig.result import Tally, run

BYTES_PER_SECOND = 92160  # a line of 921600 bps
LEAST_SHARE = 0.8
GROWTH_KB = 1024
MOST_CPU = 0.5
ANSWER = ("--answer", "--local", "10.9.0.1", "--pool", "10.9.0.2-10.9.0.9", "--ppp")
random_bytes = random.Random(8).randbytes


class Hostile(pppeer.Peer):
    """Comes up with multilink as others do, then attacks as fast as its line."""

    tactic = None  # of answering Configure-Requests: NAK, REJECT, or decently

    def judge(self, protocol, identifier, data):
        if self.tactic == NAK:
            self.send(protocol, packet(NAK, identifier, b"".join(
                o[:2] + random_bytes(len(o) - 2) for _, o in pppeer.options(data))))
            self.request(protocol)
        elif self.tactic == REJECT:
            self.send(protocol, packet(REJECT, identifier, data))
        else:
            super().judge(protocol, identifier, data)

    async def attack(self, frames, seconds):
        """What the line carries in that time, of frames without end; how much that was."""
        loop = asyncio.get_running_loop()
        end, sent, start = loop.time() + seconds, 0, loop.time()
        for data in frames:
            while sent > (loop.time() - start) * BYTES_PER_SECOND:
                await asyncio.sleep(0.005)  # the line's pace
            if loop.time() > end:
                break
            sent += self.write(data)
        return sent


def frame(protocol, information):
    return pppeer.encode(struct.pack(">BBH", 0xFF, 3, protocol) + information, controls=False)


def control_frame(protocol, code, options):
    return frame(protocol, packet(code, random.randrange(256), options))


# --- attacks: frames without end ---

def short_lengths():
    """Options of length 0 and 1, packets that say less or more than they are (B030, B031)."""
    while True:
        for protocol in (LCP, IPCP, 0x8057, 0xC223, 0xC023, 0xC025):
            for length in (0, 1, 2, 3, 0xFF, 0xFFFF):
                yield frame(protocol, struct.pack(">BBH", random.randrange(16), 1, length)
                            + random_bytes(random.randrange(12)))
            for length in (0, 1, 3, 255):
                yield control_frame(protocol, REQUEST, bytes((5, length)) + random_bytes(4))
                yield control_frame(protocol, random.choice((NAK, REJECT)), bytes((3, length)))


DNS = b"\x81\x06\0\0\0\0"


def option_flood():
    """As many options as fit, of kinds nobody knows, or the same one."""
    while True:
        yield control_frame(LCP, REQUEST, b"".join(bytes((t, 2)) for t in range(40, 256)) * 3)
        yield control_frame(IPCP, REQUEST, b"\x03\x06" + random_bytes(4) + DNS * 200)
        yield control_frame(LCP, REQUEST, b"\x05\x06\0\0\0\0" * 240)


def sequence_jumps():
    """Fragments out of nowhere: beginnings without ends and ends without beginnings."""
    while True:
        flags = random.choice((0x80, 0x40, 0xC0, 0x00, 0x3F))
        sequence = random.choice((random.randrange(1 << 24), random.randrange(64)))
        yield frame(MP, struct.pack(">I", flags << 24 | sequence)
                    + random_bytes(random.randrange(1400)))


def endless_packet():
    """One packet of ever more fragments: never an end (B062)."""
    sequence = 0
    while True:
        begin = 0x80 if sequence == 0 else 0
        yield frame(MP, struct.pack(">I", begin << 24 | sequence & 0xFFFFFF) + random_bytes(1400))
        sequence += 1


def long_frames():
    while True:
        yield b"\x7e" + random_bytes(65536).replace(b"\x7e", b"\x7f") + b"\x7e"
        yield frame(LCP, packet(REQUEST, 1, random_bytes(60000)))


def commands():
    """Every code to every protocol: rejects of LCP, terminations, echoes, of all lengths."""
    while True:
        for protocol in (LCP, IPCP, 0x8057, 0x80FD, 0xC223, 0xC023, 0xC025, 0x0021, 0x0057):
            for code in range(16):
                yield control_frame(protocol, code, random_bytes(random.randrange(80)))


def noise():
    while True:
        yield random_bytes(1000)


ATTACKS = (short_lengths, option_flood, sequence_jumps, endless_packet, long_frames, commands,
           noise)


# --- measuring ---

class Measured:
    """What the program took in the time of a `with`."""

    def __init__(self, pid):
        self._pid, self._loop = pid, asyncio.get_running_loop()

    def __enter__(self):
        self._rss = common.status_field(self._pid, "RssAnon")
        self._cpu, self._start = common.cpu_seconds(self._pid), self._loop.time()
        return self

    def __exit__(self, *_):
        self.grown_kb = common.status_field(self._pid, "RssAnon") - self._rss
        self.cpu = ((common.cpu_seconds(self._pid) - self._cpu) / (self._loop.time() - self._start))


async def suffers(alone, tally, name, seconds, attack, sanitized):
    """One attack, measured, with pings of the decent peer meanwhile."""
    pinger = Pinger(alone.host, alone.decent_address, interval=0.2)
    with Measured(alone.host.bundle.pid) as took:
        sent = await attack
    tally.check(sent is None or sent >= LEAST_SHARE * BYTES_PER_SECOND * seconds,
                f"{name}: the port took all of it, {sent} bytes")
    ping = await pinger.stop()
    print(f"{name}: {took.cpu:.0%} of a processor, memory {took.grown_kb:+} kB, ping "
          f"{ping.percentile(95):.0f} ms p95")
    tally.check(len(ping.times) > 2.5 * seconds and ping.lost == 0,
                f"{name}: the other peer's pings: {ping}")
    tally.check(took.cpu <= MOST_CPU, f"{name}: {took.cpu:.0%} of a processor")
    tally.check(sanitized or took.grown_kb <= GROWTH_KB, f"{name}: grew by {took.grown_kb} kB")
    tally.check(alone.host.bundle.running, f"{name}: it runs\n{alone.host.bundle.said()}")


async def main(arguments):
    tally, seconds = Tally(), 1 if arguments.quick else 3
    async with Alone(*ANSWER, lines=2, bps=921600) as alone:
        decent = pppeer.Peer(alone.fds[1], address="0.0.0.0", remote="10.9.0.1")
        async with living(decent):
            alone.decent_address = ".".join(map(str, decent.address))
            for attack in ATTACKS:
                hostile = Hostile(alone.fds[0], "0.0.0.0", "10.9.0.1", multilink=True)
                async with living(hostile, 30):
                    await suffers(alone, tally, attack.__name__, seconds,
                                  hostile.attack(attack(), seconds), arguments.sanitized)
            for tactic in (NAK, REJECT):
                hostile = Hostile(alone.fds[0], multilink=True)
                hostile.tactic = tactic
                running = asyncio.create_task(hostile.run())
                hostile.request(LCP)
                await suffers(alone, tally, {NAK: "Nak loop", REJECT: "Reject loop"}[tactic],
                              2 * seconds, asyncio.sleep(2 * seconds), arguments.sanitized)
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
            size = len(alone.said())
            tally.check(size < 100_000, f"its log has {size} characters")
            await under_fire(alone, tally)
    print(tally.summary(), flush=True)
    return 1 if tally.failed else 0


async def under_fire(alone, tally):
    hostile = Hostile(alone.fds[0])
    firing = asyncio.create_task(hostile.attack(commands(), 60))
    try:
        await asyncio.sleep(0.5)  # in the midst of it
        await alone.ends_at_once(tally, "under fire")
    finally:
        firing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await firing


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="a second for each attack")
    parser.add_argument("--sanitized", action="store_true", help="no bound on memory")
    run(main(parser.parse_args()))
