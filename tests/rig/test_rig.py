#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rig judges the program, so who judges the rig: its arithmetic against figures worked out by
hand, its reading of captures against packets made here, its cleaning up by being killed."""

import asyncio
import contextlib
import io
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

from rig import limit, load, pcap, pppeer  # noqa: E402
from rig.bench import Budget  # noqa: E402
from rig.netns import Namespace  # noqa: E402
from rig.nullmodem import Line  # noqa: E402
from rig.pair import Pair  # noqa: E402
from rig.ping import Ping, Pinger  # noqa: E402
from rig.process import readable, until  # noqa: E402
from rig.result import Tally, run_tests, side_by_side  # noqa: E402
from rig.tcp import transfer  # noqa: E402


async def limits(tally):
    tally.check(limit.slip_length(b"") == 2, "two ENDs")
    tally.check(limit.slip_length(b"\xc0\xdb\xdc\xdd\xbd") == 9, "END and ESC take two, others one")
    tally.check(limit.slip_length(bytes(range(256))) == 260, "all bytes once")
    tally.check([len(s) for s in limit.segments(bytes(2000), 900)] == [860, 860, 280], "segments")
    # 860 + 40 + 2, twice, and 280 + 40 + 2
    tally.check(limit.wire_characters(bytes(2000), 900) == 2126, "characters of three segments")
    lines = [Line(28800), Line(14400)]
    tally.check(limit.chars_per_second(lines) == 4320, "8N1: ten bits a character")
    tally.check(limit.chars_per_second([Line(28800, 8), Line(14400, 8)]) == 5400, "8 bits")
    tally.check(abs(limit.seconds(bytes(860), 900, lines, 86) - 988 / 4320) < 1e-12, "seconds")


async def lines_as_arguments(tally):
    for line, a, b in (
            (Line(28800), "x:28800,bits=10", "x:28800,bits=10"),
            (Line(0), "x", "x"),
            (Line(2544, 8, back=16309), "x:2544,bits=8", "x:16309,bits=8"),
            (Line(2544, 8, back=16309, port=100000), "x:100000,bits=8", "x:100000,bits=8"),
            (Line(300, words="ppp"), "x:300,bits=10,ppp", "x:300,bits=10,ppp"),
            (Line(300, words="ppp", words_b=""), "x:300,bits=10,ppp", "x:300,bits=10")):
        tally.check((line.argument("x", "a"), line.argument("x", "b")) == (a, b), f"{line}")


async def one_that_breaks(tally):
    """Is one failure, and what runs beside it still counts."""
    inner, said = Tally(), io.StringIO()

    async def breaks(_):
        raise ValueError("as it should")

    async def goes_on(tally):
        await asyncio.sleep(0.05)
        tally.check(True, "")

    with contextlib.redirect_stdout(said):
        await side_by_side(goes_on, breaks, goes_on)(inner)
    tally.check((inner.passed, inner.failed) == (2, 1), f"{inner.summary()}")
    tally.check("breaks" in said.getvalue() and "as it should" in said.getvalue(), said.getvalue())


async def loads(tally):
    """Flows in both directions."""
    tally.check(abs(load.slip_characters(8600, 900) - (8600 * load.ESCAPED + 420)) < 1e-6,
                "characters of ten segments")
    async with Pair([Line(1000000)]) as pair:
        async with load.Load([(pair.a, pair.b), (pair.b, pair.a)]) as flows:
            looks = await flows.sample(1, 0.25)
        tally.check(len(looks) == 5, f"{len(looks)} looks")
        for first, last in zip(looks[0], looks[-1]):
            did = last - first
            tally.check(did.received > 0 and did.acks > 0 and did.segments > 0, f"{did}")
            tally.check(did.time > 0.9 and last.received < 100000 * (did.time + 1), f"{did}")


async def ppp_framing(tally):
    frame = bytes.fromhex("ff03c02101010004")
    wire = bytes.fromhex("7eff7d23c0217d217d217d207d24d1b57e")
    tally.check(pppeer.encode(frame) == wire, "escaped, with its FCS (RFC 1662)")
    tally.check(pppeer.encode(b"\x21\x7e\x11", controls=False)[:5] == b"\x7e\x21\x7d\x5e\x11",
                "with a map of no controls")
    for cut in range(len(wire)):
        decoder = pppeer.Decoder()
        got = [f for part in (wire[:cut], wire[cut:]) for f in decoder.frames(part)]
        tally.check(got == [frame] and decoder.bad == 0, f"cut at {cut}: {got}")
    damaged = pppeer.Decoder()
    tally.check(list(damaged.frames(wire.replace(b"\x24", b"\x25"))) == [], "a bad FCS")
    tally.check(damaged.bad == 1, "is counted")
    tally.check(pppeer.parse(b"\x21\x45") == pppeer.parse(b"\xff\x03\x00\x21\x45")
                == (0x21, b"\x45"), "compressed headers")


def segment(ident, sequence, length, port=80):
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + length, ident & 0xFFFF, 0x4000, 64, 6, 0,
                     b"\x0a\x09\x00\x01", b"\x0a\x09\x00\x02")
    tcp = struct.pack(">HHIIBBHHH", 40000, port, sequence & 0xFFFFFFFF, 0, 0x50, 0x10, 0, 0, 0)
    return ip + tcp + bytes(length)


def capture(*packets):
    file = tempfile.NamedTemporaryFile(suffix=".pcap")
    file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, pcap.LINKTYPE_RAW))
    for packet in packets:
        file.write(struct.pack("<IIII", 1, 500000, len(packet), len(packet)) + packet)
    file.flush()
    return file


async def arrivals(tally):
    with capture(segment(1, 0, 100), segment(2, 100, 100), segment(3, 200, 0)) as file:
        tally.check([at for at, _ in pcap.packets(file.name)] == [1.5] * 3, "time stamps")
        got = pcap.arrival(file.name, 80)
        tally.check(got == pcap.Arrival(packets=2, payload=200), f"in order: {got}")
        tally.check(pcap.arrival(file.name, 81) == pcap.Arrival(), "another port")
    with capture(segment(1, 0, 100), segment(2, 100, 100), segment(2, 100, 100),
                 segment(3, 100, 100)) as file:
        got = pcap.arrival(file.name, 80)
        tally.check((got.copies, got.twice) == (1, 200), f"a packet twice, and one sent again: {got}")
        tally.check(pcap.arrival(file.name, 80, until=1.5) == pcap.Arrival(), "nothing before")
        tally.check(pcap.arrival(file.name, 80, since=1.6) == pcap.Arrival(), "nor after")
    with capture(segment(1, 0, 100), segment(3, 200, 100), segment(2, 100, 100)) as file:
        got = pcap.arrival(file.name, 80)
        tally.check((got.late, got.twice) == (1, 0), f"overtaken: {got}")
    with capture(segment(1, 0, 100), segment(3, 200, 100), segment(4, 100, 100)) as file:
        got = pcap.arrival(file.name, 80)
        tally.check((got.late, got.twice) == (0, 0), f"a gap filled by sending again: {got}")
    with capture(segment(1, 0, 100), segment(2, 50, 100), segment(3, 0, 150)) as file:
        got = pcap.arrival(file.name, 80)
        tally.check((got.payload, got.twice) == (350, 200), f"partly and wholly twice: {got}")
    with capture(segment(65535, -50, 100), segment(65536, 50, 100), segment(65537, -50, 100)) as file:
        got = pcap.arrival(file.name, 80)
        tally.check((got.late, got.twice) == (0, 100), f"numbers that wrap around: {got}")


async def percentiles(tally):
    ten = Ping(10, 0, list(range(1, 11)))
    tally.check([ten.percentile(p) for p in (50, 90, 95, 100)] == [5, 9, 10, 10], "nearest rank")
    lossy = Ping(10, 1, list(range(1, 10)))
    tally.check(lossy.percentile(90) == 9 and lossy.percentile(95) == float("inf"), "a lost one counts")


async def budget(tally):
    shared, log = Budget(10), []

    async def job(name, amount):
        await shared.take(amount)
        log.append(name)
        await asyncio.sleep(0)
        await shared.give(amount)

    await asyncio.gather(job("big", 8), job("bigger", 25), job("small", 2))
    tally.check(log == ["big", "small", "bigger"], f"what fits goes, what never fits alone: {log}")


async def namespaces(tally):
    here = os.readlink("/proc/thread-self/ns/net")
    one, other = Namespace(), Namespace()
    try:
        with one:
            inside = os.readlink("/proc/thread-self/ns/net")
            tally.check(socket.if_nameindex() == [(1, "lo")], "a new namespace has lo alone")
        with other:
            tally.check(os.readlink("/proc/thread-self/ns/net") not in (inside, here), "two of them")
        tally.check(os.readlink("/proc/thread-self/ns/net") == here, "home again")
        one.sysctl("ipv4.tcp_ecn", 1)
        with other, open("/proc/sys/net/ipv4/tcp_ecn", encoding="ascii") as file:
            tally.check(file.read().strip() != "1", "settings stay inside")
    finally:
        one.close()
        other.close()


async def children_die_with_the_rig(tally):
    with tempfile.TemporaryDirectory() as directory:
        script = (f"import sys; sys.path.insert(0, {TESTS!r})\n"
                  "from rig.process import Process\n"
                  f"print(Process(['sleep', '60'], log='{directory}/log').pid, flush=True)\n"
                  "sys.stdin.read()")
        rig = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
        pid = int(rig.stdout.readline())
        pidfd = os.pidfd_open(pid)
        try:
            await until(lambda: command_name(pid) == "sleep", 10, "setpriv has become sleep")
            rig.kill()
            await readable(pidfd, 5)
            tally.check(True, "sleep ended when the rig was killed")
        finally:
            os.close(pidfd)
            rig.kill()
            rig.communicate()


def command_name(pid):
    with open(f"/proc/{pid}/comm", encoding="ascii") as file:
        return file.read().strip()


async def interrupted(tally):
    """SIGINT in the middle leaves no directory and no program."""
    script = (f"import sys, asyncio; sys.path.insert(0, {TESTS!r})\n"
              "from rig.pair import Pair\nfrom rig.nullmodem import Line\n"
              "from rig.result import run\n"
              "async def main():\n"
              "    async with Pair([Line(57600)]) as pair:\n"
              "        print(pair.directory, pair.a.bundle.pid, pair.b.bundle.pid, flush=True)\n"
              "        await asyncio.Event().wait()\n"
              "run(main())\n")
    rig = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL)
    directory, *pids = rig.stdout.readline().split()
    rig.send_signal(signal.SIGINT)
    rig.wait(30)
    rig.stdout.close()
    tally.check(rig.returncode == 1, f"exit status {rig.returncode}")
    tally.check(not os.path.exists(directory), "the directory is gone")
    tally.check(not any(os.path.exists(b"/proc/" + pid) for pid in pids), "the programs are gone")


async def pair(tally):
    """A transfer and a ping through the real programs; figures agree with each other."""
    lines, payload = [Line(115200), Line(57600)], os.urandom(30000)
    async with Pair(lines, capture="b") as pair:
        ping = await Pinger(pair.a, pair.b.address, count=3).finished(30)
        seen = []
        result = await transfer(pair.a, pair.b, payload, progress=seen.append)
        carried = await pair.nullmodem.carried()
        await pair.b.stop_bundle()
        arrived = pcap.arrival(pair.b.capture, result.port)
    tally.check(ping.sent == 3 and ping.lost == 0, f"ping: {ping}")
    tally.check(result.intact and result.bytes == len(payload), f"transfer: {result}")
    tally.check(seen[-1] == len(payload), "progress")
    tally.check(arrived.payload - arrived.twice == len(payload), f"capture: {arrived}")
    least = limit.wire_characters(payload, 900)
    tally.check(least <= sum(carried) < 1.25 * least, f"{carried} characters, at least {least}")
    tally.check(result.seconds >= limit.seconds(payload, 900, lines), "not faster than the lines")


run_tests(one_that_breaks, limits, lines_as_arguments, loads, ppp_framing, arrivals, percentiles,
          budget, namespaces, children_die_with_the_rig, interrupted, pair)
