#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shaped lines on real cables: what passes in a time is what the shape allows, and nothing waits
but in our own queue, whatever the cable would hold."""

import asyncio
import contextlib
import json
import time

import common
from rig import ctl
from rig.nullmodem import Line
from rig.pair import Pair
from rig.process import until
from rig.result import run_tests, side_by_side

RATE_ERROR = 0.01  # of a shaped rate, over SECONDS
SECONDS = 4 if common.QUICK else 20
SETTLING = 1  # second, before anything is measured
ROUNDS = 3  # a busy machine can make a line too slow, never too fast
PACKET = 800
LEAD_CHARACTERS, LEAD_SECONDS = 64, 0.003  # what is handed over ahead of the wire,
BURST_SECONDS = 0.010  # and what is made good by who was late
FRAGMENT = 4 + 1 + PACKET  # RFC 1990: header, the packet's protocol, and all of it
PPP_LENGTH = 1 + 1 + FRAGMENT + 2  # flag, protocol, FCS
LOOKS = 31
LATE_SECONDS = 0.1  # of the cable on a busy machine: what was written meanwhile it finds at once
BUFFER = 300_000  # characters that a modem may keep


def linked(lines, **more):
    return Pair(lines, a_args=(*ctl.OPTIONS["a"], *more.pop("a_args", ())),
                b_args=ctl.OPTIONS["b"], **more)


@contextlib.asynccontextmanager
async def flood(sender, receiver, bps):
    """Datagrams from one host to the other, a tenth more than could pass at that rate."""
    sock, sink = common.udp_socket(sender), common.udp_socket(receiver)
    per_second = 1.1 * bps / 8 / PACKET

    async def send():
        begun, sent = time.monotonic(), 0
        while True:
            while sent < (time.monotonic() - begun) * per_second + 20:
                with contextlib.suppress(BlockingIOError):
                    sock.sendto(b"x" * (PACKET - common.IP_HEADERS), sink.getsockname())
                sent += 1
            await asyncio.sleep(0.02)

    task = asyncio.create_task(send())
    try:
        await asyncio.sleep(SETTLING)
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        sock.close()
        sink.close()


async def carried(pair, direction):
    """Characters on all cables so far, and the instant."""
    return sum(await pair.nullmodem.carried(direction)), time.monotonic()


async def rate(pair, direction="ab", seconds=SECONDS):
    """Characters per second on all cables together."""
    before, start = await carried(pair, direction)
    await asyncio.sleep(seconds)
    after, end = await carried(pair, direction)
    return (after - before) / (end - start)


async def passes(tally, pair, what, want, direction="ab"):
    """So many characters per second."""
    for _ in range(ROUNDS):
        got = await rate(pair, direction)
        if got >= (1 - RATE_ERROR) * want:
            break
    print(f"{what}: {got:.1f} of {want:.1f} characters/s, {100 * (got / want - 1):+.2f} %",
          flush=True)
    tally.check(abs(got / want - 1) <= RATE_ERROR, f"{what}: {got:.1f} characters/s, not {want:.1f}")


async def short_queue(tally, pair, what, bps):
    """The cable has no more than is written ahead of the wire. What came while it was late itself
    waits for a moment: so one look of ten may see more, and once more may have waited by that."""
    ahead = max(LEAD_CHARACTERS, LEAD_SECONDS * bps / 10) + BURST_SECONDS * bps / 10
    looks = []
    for _ in range(LOOKS):
        looks.append(max(wire["queued"] for wire in await pair.nullmodem.wires("ab")))
        await asyncio.sleep(0.03)
    usual = sorted(looks)[LOOKS * 9 // 10]
    most = max(wire["peak_queued"] for wire in await pair.nullmodem.wires("ab"))
    tally.check(usual <= ahead, f"{what}: {usual} characters wait in the cable, not {ahead:.0f}")
    limit = ahead + LATE_SECONDS * bps / 10
    tally.check(most <= limit, f"{what}: {most} characters waited in the cable, not {limit:.0f}")


# --- one line ---

async def a_line_at_57600(tally):
    line = Line(115200, extra=f"buffer={BUFFER}", words="shape=57600", words_b="")
    async with linked([line]) as pair, flood(pair.a, pair.b, 57600):
        await passes(tally, pair, "57600 of 115200", 5760)
        await short_queue(tally, pair, "57600 of 115200", 57600)


async def a_line_at_a_megabit(tally):
    line = Line(4_000_000, extra=f"buffer={BUFFER}", words="shape=1000000", words_b="")
    async with linked([line]) as pair, flood(pair.a, pair.b, 1_000_000):
        await passes(tally, pair, "1 Mbit/s of 4", 100_000)
        await short_queue(tally, pair, "1 Mbit/s of 4", 1_000_000)


async def a_shape_just_below_the_line(tally):
    """95 %: the buffer of the modem, of which the program cannot know, stays empty."""
    line = Line(57600, extra=f"buffer={BUFFER}", words="shape=95%", words_b="")
    async with linked([line]) as pair, flood(pair.a, pair.b, 57600):
        await passes(tally, pair, "95 % of 57600", 0.95 * 5760)
        await short_queue(tally, pair, "95 % of 57600", 57600)


async def cells_behind_a_line(tally):
    """Of the rate of a hop behind it: 800 bytes and 40 of overhead are 18 cells."""
    line = Line(1_000_000, extra=f"buffer={BUFFER}",
                words="shape=256000,linklayer=atm,overhead=40", words_b="")
    packets = 256_000 / 8 / (18 * 53)
    async with linked([line]) as pair, flood(pair.a, pair.b, 256_000):
        await passes(tally, pair, "256 kbit/s of cells", packets * (PACKET + 2))


async def openings(pair):
    return {name: line["openings"] for name, line in ctl.lines(pair.a).items()}


async def changes_are_followed(tally):
    """At once, and without the port being closed or a link ended."""
    async with linked([Line(57600, extra=f"buffer={BUFFER}")], ppp=True) as pair, \
            flood(pair.a, pair.b, 57600):
        before = await openings(pair)
        for what, value, share in (("shape", "25%", 0.25), ("shape", "43200", 0.75)):
            ctl.told(pair.a, "set", "a0", what, value)
            await asyncio.sleep(SETTLING)
            await passes(tally, pair, f"set shape {value}", share * 5760)
        ctl.told(pair.a, "set", "a0", "linklayer", "ethernet")
        await asyncio.sleep(SETTLING)
        frames = 43200 / 8 / (FRAGMENT + 38)
        await passes(tally, pair, "set linklayer ethernet", frames * PPP_LENGTH)
        line = ctl.lines(pair.a)["a0"]
        tally.check(await openings(pair) == before and line["downs"] == 0, f"it stayed up: {line}")


# --- a bundle ---

async def half_of_two_lines(tally):
    lines = [Line(57600, extra=f"buffer={BUFFER}"), Line(28800, extra=f"buffer={BUFFER}")]
    async with linked(lines, a_args=("--shape", "50%")) as pair, flood(pair.a, pair.b, 86400):
        await passes(tally, pair, "50 % of 57600 and 28800", 0.5 * 8640)
        ctl.told(pair.a, "set", "a1", "bps", "14400")
        await asyncio.sleep(SETTLING)
        await passes(tally, pair, "50 % of 57600 and 14400", 0.5 * 7200)
        await short_queue(tally, pair, "two lines", 57600)


def assumed(host):
    return json.loads(ctl.told(host, "show", "shaper", "-j"))


def wishes(host):
    return [line["bps"]["peer"] for line in assumed(host)["lines"]]


async def what_is_sent_to_us(tally):
    """Between two of our kind each shapes what it sends, as the other wishes."""
    lines = [Line(57600, extra=f"buffer={BUFFER}")] * 2
    async with linked(lines, ppp=True, a_args=("--shape-in", "50%")) as pair:
        await until(lambda: wishes(pair.b) == [28800, 28800], 10, "the peer knows the wishes")
        async with flood(pair.b, pair.a, 115200):
            await passes(tally, pair, "the peer, at 50 % of 2 x 57600", 0.5 * 11520, "ba")


async def received(host, seconds=SECONDS):
    """Bytes of packets per second that it gave its kernel."""
    def read():
        return ctl.status(host)["bundles"][0]["in"]["bytes"], time.monotonic()

    before, start = read()
    await asyncio.sleep(seconds)
    after, end = read()
    return (after - before) / (end - start)


async def what_cannot_be_asked_for(tally):
    """Over SLIP, what comes is held back: a host behind the peer has its bottleneck here."""
    want = 0.5 * 5760 * PACKET / (PACKET + 2)
    async with linked([Line(57600, words="shape-in=50%", words_b="")]) as pair, \
            flood(pair.b, pair.a, 57600):
        got = await received(pair.a)
        print(f"held back to 50 %: {got:.1f} of {want:.1f} bytes/s", flush=True)
        # A packet more or less may be counted.
        tally.check(abs(got - want) <= 2 * RATE_ERROR * want + PACKET / SECONDS,
                    f"held back: {got:.1f} bytes/s, not {want:.1f}")


# --- what is told ---

async def assumptions_are_told(tally):
    words = "shape=50%,linklayer=pppoe-llcsnap"
    lines = [Line(57600, words=words, words_b=""), Line(28800)]
    async with linked(lines) as pair:
        told = assumed(pair.a)
        shaped, plain = told["lines"]
        tally.check(shaped["bps"]["shaped"] == 28800 and shaped["bps"]["carrier"] == 57600,
                    f"rates: {shaped['bps']}")
        tally.check(shaped["linklayer"]["overhead"] == 40 and shaped["linklayer"]["cells"] == "atm",
                    f"link layer: {shaped['linklayer']}")
        tally.check([size["units"] for size in shaped["sizes"]] == [106, 13 * 53, 33 * 53],
                    f"sizes behind: {shaped['sizes']}")
        tally.check([size["units"] for size in plain["sizes"]] == [42, 578, 1502],
                    f"sizes: {plain['sizes']}")
        tally.check(len(told["bundles"][0]["tiers"]) == 3, "three tiers")
        one = json.loads(ctl.told(pair.a, "show", "shaper", "a1", "-j"))
        tally.check([line["name"] for line in one["lines"]] == ["a1"], "one line is shown alone")
        text = ctl.told(pair.a, "show", "shaper")
        tally.check("28800 bps: it carries 57600, its shape is 50 %" in text, text)
        wrong = ctl.ctl(pair.a, "show", "shaper", "a7")
        tally.check(wrong.returncode == 1 and "a7: there is no line" in wrong.stderr, wrong.stderr)
        wrong = ctl.ctl(pair.a, "show", "shapes")
        tally.check(wrong.returncode == 2 and "usage" in wrong.stderr, wrong.stderr)


run_tests(a_line_at_a_megabit,
          side_by_side(a_line_at_57600, a_shape_just_below_the_line, cells_behind_a_line),
          side_by_side(half_of_two_lines, what_is_sent_to_us, changes_are_followed,
                       what_cannot_be_asked_for), assumptions_are_told)
