#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""serialbundlectl top in a terminal: its figures against the rig's, its verdict in situations that
are made here, and the screen as such."""

import asyncio
import contextlib
import os
import re
import signal
import socket
import sys

import common
from rig.ctl import OPTIONS, socket_of
from rig.nullmodem import Line
from rig.pair import Pair, program
from rig.ping import Pinger
from rig.process import until
from rig.result import run_tests
from rig.tcp import transfer
from rig.tmux import Terminal

TOLERANCE = 0.02
WATCHED_SECONDS = 10
VERDICT_WITHIN = 25  # seconds
SECONDS_RIGHT = 4  # of five in a row: a machine with more to do than this test has hiccups
UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}


def pair(lines, **more):
    """With real-time priority, for a busy machine is a limit too, and would be named."""
    return Pair(lines, a_args=OPTIONS["a"], args=("--realtime",), **more)


def top(host, width=80, height=24, **more):
    return Terminal([program("serialbundlectl"), "-s", socket_of(host), "top"], width, height,
                    **more)


def figure(text):
    """Bits or bytes, of "39.6Mb" or "4.95MB"."""
    number, unit = re.fullmatch(r"([\d.]+)([kMG]?)[bB]", text).groups()
    return float(number) * UNITS[unit]


def row(screen, start):
    """The words of the row that begins so."""
    return next(r.split() for r in screen if r.startswith(start))


def is_near(value, other):
    return abs(value - other) <= TOLERANCE * other


@contextlib.asynccontextmanager
async def endless(coroutine):
    task = asyncio.create_task(coroutine)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


# --- figures ---


class KernelCounters:
    """What the kernel counted at the bundle's interface, ten times a second.

    A screen shows what was so up to STALE seconds ago: a second until it is asked for again, and
    a quarter of one that the program's averages lag behind. So a figure is right that was
    right at any moment since then.
    """

    STALE = 1.6

    def __init__(self, host):
        with host.ns:
            self._file = open("/proc/thread-self/net/dev", encoding="ascii")
        self._name = host.interface()
        self._samples = []  # (time, sent, received)

    def _read(self):
        self._file.seek(0)
        words = next(r for r in self._file.read().split("\n") if f"{self._name}:" in r)
        words = words.split(":")[1].split()
        return int(words[8]), int(words[0])

    async def run(self):
        with self._file:
            while True:
                self._samples.append((asyncio.get_running_loop().time(), *self._read()))
                await asyncio.sleep(0.1)

    def _recent(self):
        newest = self._samples[-1][0]
        return [i for i, s in enumerate(self._samples) if s[0] >= newest - self.STALE]

    def totals(self, *which):
        """The least and the most of the sum of (1) sent and (2) received."""
        sums = [sum(self._samples[i][w] for w in which) for i in self._recent()]
        return min(sums), max(sums)

    def rates(self, seconds, *which):
        """The same of averages over so many seconds."""
        def average(i):
            end = self._samples[i]
            begin = min(self._samples, key=lambda s: abs(s[0] - (end[0] - seconds)))
            return sum(end[w] - begin[w] for w in which) / (end[0] - begin[0])

        values = [average(i) for i in self._recent()]
        return min(values), max(values)


def is_within(value, bounds):
    return bounds[0] * (1 - TOLERANCE) <= value <= bounds[1] * (1 + TOLERANCE)


async def watch(terminal, p):
    """Screens, one a second, and the characters per second that the rig's lines carried."""
    loop = asyncio.get_running_loop()
    start, carried = loop.time(), await p.nullmodem.carried()
    screens = []
    for second in range(1, WATCHED_SECONDS + 1):
        await asyncio.sleep(max(0, start + second - loop.time()))
        screens.append(terminal.screen())
    seconds = loop.time() - start
    return screens, [(b - a) / seconds for a, b in zip(carried, await p.nullmodem.carried())]


def check_lines(tally, lines, screens, per_line):
    for i, line in enumerate(lines):
        shown = [figure(row(s, f"a{i}")[3]) for s in screens[2:]]
        mean = sum(shown) / len(shown)
        tally.check(is_near(mean, per_line[i]),
                    f"a{i} shows {mean:.0f} B/s, and carried {per_line[i]:.0f}")
        busy = [float(row(s, f"a{i}")[6].rstrip("%")) / 100 for s in screens[2:]]
        carried = per_line[i] / line.chars_per_second
        tally.check(is_near(sum(busy) / len(busy), carried),
                    f"a{i} shows {busy} busy, and was so for {carried:.3f}")


def check_totals(tally, screen, kernel):
    for name, which in (("TX:", [1]), ("RX:", [2]), ("TOTAL:", [1, 2])):
        words = row(screen, name)
        total = figure(next(w for w in words[1:] if w[0].isdigit()))
        for shown, bounds, what in ((total, kernel.totals(*which), "all"),
                                    (figure(words[-3]), kernel.rates(2, *which), "2 s"),
                                    (figure(words[-2]), kernel.rates(10, *which), "10 s")):
            tally.check(is_within(shown, bounds), f"{name} {shown:.0f}, the kernel says "
                        f"{bounds[0]:.0f} to {bounds[1]:.0f}: {what}")


async def figures_are_the_rigs(tally):
    """E24, E26: of lines and of the interface, under a load that is steady."""
    lines = [Line(115200), Line(57600)]
    async with pair(lines) as p, top(p.a) as terminal:
        kernel = KernelCounters(p.a)
        async with endless(kernel.run()), endless(transfer(p.a, p.b, os.urandom(1_500_000))):
            await terminal.shows("limit  line", VERDICT_WITHIN)
            await asyncio.sleep(3)  # the start is in no average over 2 s any more
            terminal.keys("b")
            screens, per_line = await watch(terminal, p)
            check_lines(tally, lines, screens, per_line)
            check_totals(tally, screens[-1], kernel)
            flow = row(screens[-1], p.a.address)
            tally.check(flow[1:3] == ["=>", p.b.address] and
                        is_within(figure(flow[-2]), kernel.rates(10, 1)),
                        f"the flow is all there is: {flow}")


# --- the verdict ---


async def verdict_is(tally, terminal, word, why, situation):
    """It comes, and stays: of five seconds in a row it is so in four."""
    rows = []
    for _ in range(VERDICT_WITHIN):
        await asyncio.sleep(1)
        rows.append(terminal.screen()[1])
        right = [r.startswith(f"limit  {word}:") and why in r for r in rows[-5:]]
        if sum(right) >= SECONDS_RIGHT:
            break
    tally.check(sum(right) >= SECONDS_RIGHT, f"{situation}: {word}, since \"{why}\": {rows}")


LINES = [Line(28800), Line(14400)]


async def nothing(tally):
    async with pair(LINES) as p, top(p.a) as terminal:
        pinger = Pinger(p.a, p.b.address, interval=0.5)
        await verdict_is(tally, terminal, "nothing", "% busy out", "a ping")
        await pinger.stop()


async def line(tally):
    async with pair(LINES) as p, top(p.a) as terminal, \
            endless(transfer(p.a, p.b, os.urandom(500_000))):
        await verdict_is(tally, terminal, "line", "the lines are", "a transfer")


async def stumble(process):
    """Stops it for 150 ms of every 300, as a machine does that has no time for it."""
    try:
        while True:
            process.send(signal.SIGSTOP)
            await asyncio.sleep(0.15)
            process.send(signal.SIGCONT)
            await asyncio.sleep(0.15)
    finally:
        process.send(signal.SIGCONT)


async def host(tally):
    """E24, B13: the loop is held up, while there is enough to send."""
    async with pair(LINES) as p, top(p.a) as terminal, \
            endless(transfer(p.a, p.b, os.urandom(500_000))), endless(stumble(p.a.bundle)):
        await verdict_is(tally, terminal, "host", "dry in mid-frame", "a loop that is held up")


async def peer(tally):
    """N20: the receiver accepts a connection, and reads nothing of it."""
    loop = asyncio.get_running_loop()
    async with pair(LINES) as p, top(p.a) as terminal:
        with p.b.ns:
            listener = socket.socket()
        with p.a.ns:
            client = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for sock in (listener, client):
            sock.setblocking(False)
        listener.bind((p.b.address, 0))
        listener.listen(1)
        with listener, client:
            await loop.sock_connect(client, listener.getsockname())
            async with endless(loop.sock_sendall(client, bytes(500_000))):
                await verdict_is(tally, terminal, "peer", "TCP window", "who does not read")


async def flood(sender, receiver, bytes_per_second):
    source, sink = common.udp_socket(sender), common.udp_socket(receiver)
    loop = asyncio.get_running_loop()
    start, sent = loop.time(), 0
    with source, sink:
        while True:
            with contextlib.suppress(BlockingIOError):
                source.sendto(bytes(800), sink.getsockname())
            sent += 828
            await asyncio.sleep(max(0, start + sent / bytes_per_second - loop.time()))


async def queue(tally):
    """Three times of what the lines carry, by a sender that does not mind losses."""
    async with pair(LINES) as p, top(p.a) as terminal, endless(flood(p.a, p.b, 3 * 4320)):
        await verdict_is(tally, terminal, "queue", "does not slow down", "a flood")


async def verdicts(tally):
    await asyncio.gather(*(stage(tally) for stage in (nothing, line, host, peer, queue)))


# --- the screen ---


async def is_redrawn_whole(tally, terminal, width, height):
    """Paused, so that only leftovers can differ from what is drawn anew."""
    terminal.resize(width, height)
    await until(lambda: len(terminal.screen()) == height and terminal.screen()[0].endswith("PAUSED")
                and len(terminal.screen()[0]) == width - 1, 5, f"a screen of {width}x{height}")
    await until(lambda: "quit" in terminal.screen()[-1], 5, f"keys in row {height}")
    before = terminal.screen()
    terminal.wipe()
    tally.check(not any(terminal.screen()), "the screen was wiped")
    terminal.keys("C-l")
    await until(lambda: "quit" in terminal.screen()[-1], 5, "the screen drawn anew")
    tally.check(terminal.screen() == before, f"nothing was left over at {width}x{height}")
    tally.check(max(map(len, before)) <= width, f"rows fit {width} columns")


async def the_screen_follows_the_terminal(tally):
    async with pair(LINES) as p, top(p.a) as terminal:
        await terminal.shows("a0 ")
        terminal.keys("p")
        await terminal.shows("PAUSED")
        for width, height in ((200, 60), (80, 24), (100, 30), (60, 15)):
            await is_redrawn_whole(tally, terminal, width, height)
        terminal.resize(80, 24)
        terminal.keys("?")
        await terminal.shows("logarithmic")
        terminal.keys("x", "l", "p")
        await until(lambda: not any("=>" in r or "TX:" in r for r in terminal.screen()), 5,
                    "lines alone")
        await is_followed(tally, p, terminal)
        terminal.keys("q")
        await terminal.shows("ended: 0")


async def is_followed(tally, p, terminal):
    """The program goes away, and comes back: so do the figures."""
    await p.a.stop_bundle()
    await terminal.shows("no answer from")
    await p.start(p.a)
    await terminal.shows("limit  ")
    tally.check(any(r.startswith("a0 ") for r in terminal.screen()), "lines are shown again")


async def plain_terminals_will_do(tally):
    """TERM=vt100, NO_COLOR, a locale without UTF-8; one that cannot move a cursor is refused."""
    async with pair(LINES) as p:
        async with top(p.a, lang="C", term="vt100", env={"NO_COLOR": "1"}) as terminal:
            await terminal.shows("a0 ")
            await terminal.shows("TOTAL:")
            styled = terminal.styled()
            tally.check(styled.isascii(), "ASCII alone")
            colours = re.findall(r"\x1b\[(?:\d+;)*(?:3[0-7]|4[0-7])m", styled)
            tally.check(not colours, f"no colours: {colours}")
        async with top(p.a, term="no-such") as terminal:
            await terminal.shows("the terminal type 'no-such' is not known")
            await terminal.shows("ended: 1")
        async with top(p.b) as terminal:
            await terminal.shows("b.sock")
            await terminal.shows("ended: 3")


if "--screens" in sys.argv:
    # To be looked at.
    async def look(tally):
        async with pair([Line(115200), Line(57600), Line(28800)]) as p, top(p.a) as small, \
                top(p.a, 200, 60) as large, endless(transfer(p.a, p.b, os.urandom(3_000_000))):
            await asyncio.sleep(30)
            for terminal in (small, large):
                print("\n".join(terminal.screen()))
            tally.check(True, "looked at")

    run_tests(look)

run_tests(figures_are_the_rigs, verdicts, the_screen_follows_the_terminal, plain_terminals_will_do)
