#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nullmodem as its users see it: through its ends, its sockets, its signals and its reports.

What depends on time is judged so that a late test cannot fail it: no byte may come before it can
have been sent, and of many moments one must show the full rate."""

import errno
import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from rig.ends import NOISE, Rig, is_writable, read_all, receive, write_some  # noqa: E402
from rig.pair import program  # noqa: E402
from rig.process import until  # noqa: E402
from rig.result import run_tests  # noqa: E402

PTY_HIDDEN = 20480  # what a pseudo-terminal swallows before its writer notices


class Flow:
    """NOISE from one end to another, in chunks of this size; notes how much came when."""

    def __init__(self, rig, source, sink, chunk):
        self.source, self.sink, self.chunk = rig.open(source), rig.open(sink), chunk
        self.sent, self.received, self.points = 0, b"", []
        self.start = time.monotonic()

    def write(self):
        self.sent += write_some(self.source, NOISE[self.sent:self.sent + self.chunk])

    def read(self):
        self.received += read_all(self.sink)
        self.points.append((time.monotonic() - self.start, len(self.received)))

    def judge(self, tally, rate, name):
        early = max(n - rate * t for t, n in self.points)
        tally.check(early <= 0, f"{name}: {early:.1f} characters too early")
        last = self.points[-1][0]
        share = max(n / (rate * t) for t, n in self.points if t > last - 1)
        tally.check(share > 0.995, f"{name}: {share:.4f} of the rate in {last:.2f} s")
        tally.check(self.received == NOISE[:len(self.received)], f"{name}: bytes unchanged")


def run_flows(flows, seconds):
    poll = select.poll()
    handlers = {}
    for flow in flows:
        for fd, event, handler in ((flow.source, select.POLLOUT, flow.write),
                                   (flow.sink, select.POLLIN, flow.read)):
            poll.register(fd, event)
            handlers[fd] = handler
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        for fd, _ in poll.poll(left * 1000):
            handlers[fd]()


RATES = ((9600, 10, 64), (28800, 8, 1024), (57600, 11, 1024), (115200, 10, 1024))


async def keeps_the_rate(tally):
    """Four cables side by side: a greedy writer one way, one with small chunks the other. A buffer
    of 1024 characters outlasts what a busy machine keeps a process waiting."""
    cables = [f"{{d}}/a{i},{{d}}/b{i},bps={bps},bits={bits},buffer={buffer}"
              for i, (bps, bits, buffer) in enumerate(RATES)]
    async with Rig(*cables) as rig:
        flows = []
        for i in range(len(RATES)):
            flows += [Flow(rig, f"a{i}", f"b{i}", 65536), Flow(rig, f"b{i}", f"a{i}", 16)]
        run_flows(flows, 4)
        for flow, (bps, bits, _) in zip(flows, (r for r in RATES for _ in range(2))):
            flow.judge(tally, bps / bits, f"{bps} bps, {bits} bits, chunks of {flow.chunk}")
        judge_report(tally, flows, (await rig.stop())[1])


def judge_report(tally, flows, cables):
    """The report agrees with what was seen, and with itself."""
    wires = [cable[way] for cable in cables for way in ("ab", "ba")]
    for flow, wire in zip(flows, wires):
        name = f"report, {wire['bps']} bps"
        flow.read()
        sums = wire["delivered"] + wire["dropped"] + wire["queued"] + wire["in_flight"]
        tally.check(wire["accepted"] == sums, f"{name}: accepted {wire['accepted']}, found {sums}")
        tally.check(wire["delivered"] >= len(flow.received), f"{name}: delivered what came")
        tally.check(wire["accepted"] <= flow.sent, f"{name}: accepted no more than was sent")
        carried = (wire["last_ns"] - wire["first_ns"]) / 1e9 * wire["bps"] / wire["bits_per_char"]
        done = wire["accepted"] - wire["queued"]
        tally.check(0.995 * carried < done <= carried + 2, f"{name}: {done} of {carried:.0f}")
        tally.check(wire["busy_ns"] <= wire["last_ns"] - wire["first_ns"], f"{name}: busy")


async def delays(tally):
    async with Rig("{d}/a,{d}/b,bps=115200,delay=250ms") as rig:
        a, b = rig.open("a"), rig.open("b")
        times = []
        for _ in range(4):
            start = time.monotonic()
            os.write(a, b"x")
            tally.check(receive(b, 1) == b"x", "arrives")
            times.append((time.monotonic() - start) * 1000)
        exact = 250 + 10 / 115.2
        tally.check(exact <= min(times) < exact + 3, f"{min(times):.2f} ms for {exact:.2f} ms")


async def write_until_stopped(rig, fd, chunk):
    """Chunks, each only after nullmodem has taken the one before; how many bytes until it lets no
    more be written."""
    sent = 0
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if is_writable(fd):
            sent += write_some(fd, NOISE[sent:sent + chunk])
        accepted = 0
        while is_writable(fd) and accepted < sent:
            accepted = rig.report()[0]["ab"]["accepted"]
        if not is_writable(fd):
            return sent
    raise TimeoutError(f"never stopped, {sent} bytes")


async def holds_the_sender_at_the_buffer(tally):
    for size, buffer, chunk in (("64", 64, 16), ("64K", 65536, 1024)):
        async with Rig(f"{{d}}/a,{{d}}/b,bps=300,buffer={size}") as rig:
            a, b = rig.open("a"), rig.open("b")
            sent = await write_until_stopped(rig, a, chunk)
            carried = len(read_all(b)) + 1
            ahead = sent - carried
            tally.check(buffer - carried <= ahead <= buffer + 2 * chunk,
                        f"buffer={size}: stopped {ahead} characters ahead")
            tally.check(write_some(a, b"x") == 0, f"buffer={size}: takes no more")


async def flush_while_stopped(rig, fd):
    """Whether it stays stopped; judged only when no character has left meanwhile."""
    def full():
        return rig.report()[0]["ab"]["queued"] == 64

    for _ in range(100):
        write_some(fd, NOISE[:100])
        await until(lambda: not is_writable(fd), 10, "the stop", process=rig.process)
        full_before = full()
        termios.tcflush(fd, termios.TCIOFLUSH)
        stopped = not is_writable(fd)
        if full_before and full():
            return stopped
    return False


async def bounds_a_greedy_sender(tally):
    async with Rig("{d}/a,{d}/b,bps=300") as rig:
        a, _ = rig.open("a"), rig.open("b")
        sent = write_some(a, NOISE)
        while more := write_some(a, NOISE[sent:]):
            sent += more
        tally.check(sent <= 64 + 1 + PTY_HIDDEN, f"a greedy writer got {sent} bytes in")
        tally.check(await flush_while_stopped(rig, a), "a flush does not open it again")
        wire = rig.report()[0]["ab"]
        tally.check(wire["peak_queued"] <= 64, f"{wire['peak_queued']} in a buffer of 64")


CELL_MS = 1  # at 424 kbit/s
FRAME = b"\xc0" + bytes(1500) + b"\xc0"  # (1500 + 40) / 48: 33 cells


async def frames_go_in_cells(tally):
    """A DSL modem with 300 ms of buffer, given a second's worth at once: it takes what 300 ms hold
    and the frame beyond, loses the rest, and each leaves whole when its last cell does."""
    async with Rig("{d}/a,{d}/b,bps=424000,cells=atm,overhead=40,buffer=300ms,"
                   "buffer-full=drop") as rig:
        a, b = rig.open("a"), rig.open("b")
        start, at, received, early = time.monotonic(), 0, b"", 0
        while at < 30 * len(FRAME):
            select.select([], [a], [], 10)
            at += write_some(a, (30 * FRAME)[at:])
        await until(lambda: rig.report()[0]["ab"]["frames_dropped"] > 0, 10, "drops")
        while more := receive(b, len(FRAME), 2):
            received += more
            cells = 33 * (len(received) // len(FRAME))
            early = max(early, cells * CELL_MS - 1000 * (time.monotonic() - start))
        wire = rig.report()[0]["ab"]
        taken = wire["frames"]
        tally.check(received == taken * FRAME, f"{len(received)} characters of {taken} frames")
        # It may have been late in reading what was sent, and room have come meanwhile.
        tally.check(10 <= taken < 20, f"{taken} frames of 33 ms taken at once, not 10")
        tally.check(early <= 0, f"a frame came {early:.2f} ms before its last cell")
        tally.check(wire["cells"] == 33 * taken, f"{wire['cells']} cells")
        tally.check(wire["frames_dropped"] == 30 - taken, f"{wire['frames_dropped']} were dropped")
        tally.check(wire["accepted"] == wire["delivered"] + wire["dropped"], "all is accounted for")
        tally.check(wire["busy_ns"] == taken * 33 * CELL_MS * 1000000, f"busy {wire['busy_ns']} ns")


async def drops_when_the_buffer_is_full(tally):
    async with Rig("{d}/a,{d}/b,bps=300,buffer=1s,buffer-full=drop") as rig:
        a = rig.open("a")
        sent = 0
        while sent < 2 * PTY_HIDDEN:
            sent += write_some(a, NOISE[:1024])
            rig.settle()
        wire = rig.report()[0]["ab"]
        tally.check(wire["peak_queued"] <= 30, f"{wire['peak_queued']} in a buffer of a second")
        tally.check(wire["dropped"] > PTY_HIDDEN, f"{wire['dropped']} of {sent} dropped")


async def unpaced_is_a_pipe(tally):
    """Without a rate the sender waits for the receiver and nothing is lost."""
    async with Rig("{d}/a,{d}/b") as rig:
        a, b = rig.open("a"), rig.open("b")
        sent, received = 0, bytearray()
        while len(received) < len(NOISE):
            readable, writable, _ = select.select([b], [a] if sent < len(NOISE) else [], [], 10)
            if not readable and not writable:
                break
            if writable:
                sent += write_some(a, NOISE[sent:sent + 65536])
            if readable and (sent == len(NOISE) or not writable):
                received += os.read(b, 4096)
        tally.check(received == NOISE, f"{len(received)} bytes of {len(NOISE)} came, unchanged")


async def starts_raw(tally):
    async with Rig("{d}/a,{d}/b") as rig:
        a, b = rig.open("a"), rig.open("b")
        tally.check(os.readlink(f"{rig.d}/a").startswith("/dev/pts/"), "a link to a pty")
        every = bytes(range(256))
        os.write(a, every)
        tally.check(receive(b, 256) == every, "all values as they are")
        os.write(b, every)
        tally.check(receive(a, 256) == every, "and back, without an echo")
        tally.check(rig.report()[0]["ab"]["accepted"] == 256, "nothing else on the wire")


async def nobody_at_the_far_end(tally):
    async with Rig("{d}/a,{d}/b,bps=115200") as rig:
        a = rig.open("a")
        os.write(a, NOISE[:500])
        await until(lambda: rig.report()[0]["ab"]["dropped"] == 500, 10, "all dropped")
        b = rig.open("b")
        os.write(a, b"now")
        tally.check(receive(b, 3) == b"now", "what came before somebody was there is not seen")

        os.write(a, b"unread")
        await until(lambda: rig.report()[0]["ab"]["delivered"] == 9, 10, "delivered")
        os.close(b)
        rig.settle()
        b = rig.open("b")
        os.write(a, b"fresh")
        tally.check(receive(b, 5) == b"fresh", "what the last user had not read is gone")


async def one_that_does_not_read(tally):
    """Its own direction drops; the other and the neighbour go on."""
    async with Rig("{d}/a,{d}/b,bps=1000000", "{d}/c,{d}/d,bps=1000000") as rig:
        a, b, c, d = (rig.open(end) for end in "abcd")

        def overrun():
            write_some(a, NOISE[:4096])
            return rig.report()[0]["ab"]["dropped"] > 0

        await until(overrun, 10, "drops", process=rig.process)
        for source, sink in ((b, a), (c, d), (d, c)):
            os.write(source, b"hello")
            tally.check(receive(sink, 5) == b"hello", "another direction works")
        tally.check(rig.report()[0]["ab"]["delivered"] >= PTY_HIDDEN, "a receiver's buffer full")


def is_hung_up(fd):
    poll = select.poll()
    poll.register(fd, 0)
    if not poll.poll(0):
        return False
    try:
        return os.write(fd, b"x") == 0
    except OSError as e:
        return e.errno == errno.EIO


async def goes_down(tally, rig, fds, why):
    await until(lambda: all(map(is_hung_up, fds)), 10, f"{why}: hang-up seen", process=rig.process)
    tally.check(not any(os.path.lexists(f"{rig.d}/{end}") for end in "ab"), f"{why}: links gone")
    tally.check(not rig.report()[0]["up"], f"{why}: report says down")


async def comes_back(tally, rig, why):
    await until(lambda: os.path.exists(f"{rig.d}/a") and os.path.exists(f"{rig.d}/b"), 10,
                f"{why}: links are back", process=rig.process)
    a, b = rig.open("a"), rig.open("b")
    os.write(a, b"again")
    tally.check(receive(b, 5) == b"again", f"{why}: works again")
    return a, b


async def silent_or_stopped(tally):
    """A line that loses all it is given, and one that takes nothing (CTS low)."""
    async with Rig("{d}/a,{d}/b,bps=115200") as rig:
        a, b = rig.open("a"), rig.open("b")
        rig.command("set cable0 drop=1")
        os.write(a, b"lost")
        await until(lambda: rig.report()[0]["ab"]["dropped"] == 4, 10, "all is dropped")
        rig.command("set cable0 drop=0")
        rig.command("set cable0 ab.stop=1")
        rig.settle()
        tally.check(write_some(a, b"in vain") == 0, "nothing is taken while stopped")
        os.write(b, b"passes")
        tally.check(receive(a, 6) == b"passes", "the other way is open")
        rig.command("set cable0 ab.stop=0")
        await until(lambda: is_writable(a), 10, "it takes characters again")
        os.write(a, b"on")
        tally.check(receive(b, 2) == b"on", "it goes on")


async def hangs_up_by_timetable(tally):
    async with Rig("{d}/a,{d}/b,bps=9600,hangup=1s+1s") as rig:
        a, b = rig.open("a"), rig.open("b")
        os.write(a, b"before")
        tally.check(receive(b, 6) == b"before", "works before")
        await goes_down(tally, rig, (a, b), "timetable")
        await comes_back(tally, rig, "timetable")
        tally.check(rig.report()[0]["hangups"] == 1, "one hang-up counted")


async def hangs_up_by_command_and_signal(tally):
    async with Rig("{d}/a,{d}/b,bps=9600,name=x,delay=10s") as rig:
        a, b = rig.open("a"), rig.open("b")
        os.write(a, b"lost")
        await until(lambda: rig.report()[0]["ab"]["in_flight"] == 4, 10, "under way")
        tally.check(rig.command("set x delay=0") == "ok", "set")
        tally.check(rig.command("hangup x") == "ok", "hangup")
        await goes_down(tally, rig, (a, b), "command")
        tally.check(rig.report()[0]["ab"]["dropped"] == 4, "what was under way is lost")
        tally.check(rig.command("return x") == "ok", "return")
        a, b = await comes_back(tally, rig, "command")
        tally.check(rig.command("hangup x 300ms") == "ok", "hangup for a time")
        await goes_down_for_a_while(tally, rig, (a, b))
        a, b = await comes_back(tally, rig, "command with a time")
        rig.process.send(signal.SIGUSR2)
        await goes_down(tally, rig, (a, b), "signal")
        rig.process.send(signal.SIGUSR2)
        await comes_back(tally, rig, "signal")
        tally.check(rig.report()[0]["hangups"] == 3, "three hang-ups counted")


async def goes_down_for_a_while(tally, rig, fds):
    """It may be over before we look; the old ends stay dead."""
    await until(lambda: all(map(is_hung_up, fds)), 10, "hang-up seen", process=rig.process)
    tally.check(rig.report()[0]["hangups"] == 2, "counted")


async def control_answers(tally):
    async with Rig("{d}/a,{d}/b,bps=300", "{d}/c,{d}/d,name=second") as rig:
        for text, answer in (("hangup", "wrong number of words"), ("dance cable0", "no such command"),
                             ("hangup nobody", "no such cable"), ("hangup cable0 soon", "not a time"),
                             ("set cable0 bps=slow", "not a number"), ("", "empty line"),
                             ("set second name=third", "no such key"), ("x " * 900, "line too long")):
            said = rig.command(text)
            tally.check(said.startswith("error: ") and answer in said,
                        f"{text[:30]!r} is answered {said!r}")
        tally.check(rig.command("set cable0 ba.bps=1200") == "ok", "set one direction")
        first = rig.report()[0]
        tally.check((first["ab"]["bps"], first["ba"]["bps"]) == (300, 1200), "and only that")


async def B118_a_control_client_that_does_not_read(tally):
    async with Rig("{d}/a,{d}/b,bps=115200") as rig:
        a, b = rig.open("a"), rig.open("b")
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(rig.control)
            s.settimeout(10)
            try:
                while True:
                    s.sendall(b"report\n" * 50)
            except (BrokenPipeError, ConnectionResetError):
                tally.check(True, "is dropped")
            os.write(a, b"on")
            tally.check(receive(b, 2) == b"on", "the cable goes on")
            tally.check(rig.report()[0]["ab"]["accepted"] == 2, "and other clients are served")


async def sockets(tally):
    async with Rig("unix:{d}/a,{d}/b,bps=115200") as rig:
        b = rig.open("b")

        def connect():
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(10)
            s.connect(f"{rig.d}/a")
            return s

        with connect() as s:
            s.sendall(NOISE[:2000])
            tally.check(receive(b, 2000) == NOISE[:2000], "from a socket to a pty")
            os.write(b, b"back")
            tally.check(receive(s.fileno(), 4) == b"back", "and back to the socket")
            with connect() as second:
                tally.check(second.recv(1) == b"", "a second client is turned away")
            s.sendall(b"last words")
        tally.check(receive(b, 10) == b"last words", "what was sent before closing arrives")
        with connect() as s:
            s.sendall(b"next")
            tally.check(receive(b, 4) == b"next", "the next client is welcome")
            rig.command("hangup cable0")
            tally.check(s.recv(1) == b"", "a hang-up closes the connection")
        await rig.stop()
        tally.check(not os.path.lexists(f"{rig.d}/a"), "no socket is left")


async def faults_repeat_with_the_seed(tally):
    got = []
    for seed in (5, 5, 6):
        async with Rig("{d}/a,{d}/b,drop=0.1,byte-errors=0.1", options=("--seed", seed)) as rig:
            a, b = rig.open("a"), rig.open("b")
            os.write(a, NOISE[:4000])
            await until(lambda: rig.report()[0]["ab"]["in_flight"] == 0, 10, "arrived")
            wire = rig.report()[0]["ab"]
            got.append(receive(b, wire["delivered"]))
            tally.check(wire["accepted"] == 4000 == wire["delivered"] + wire["dropped"], "all told")
            tally.check(300 < wire["dropped"] < 500, f"{wire['dropped']} of 4000 dropped")
            tally.check(270 < wire["damaged"] < 450, f"{wire['damaged']} of 4000 damaged")
    tally.check(got[0] == got[1] != got[2], "the same seed, the same faults")


async def survives_vhangup(tally):
    """As getty does to its line: every open end is dead, but a new one works."""
    tiocvhangup = 0x5437
    async with Rig("{d}/a,{d}/b,bps=115200") as rig:
        a, b = rig.open("a"), rig.open("b")
        fcntl.ioctl(a, tiocvhangup)
        tally.check(is_hung_up(a), "hung up")
        a = rig.open("a")
        os.write(a, b"anew")
        tally.check(receive(b, 4) == b"anew", "opened again")
        sent = await write_until_stopped(rig, a, 4096)
        tally.check(sent > 0, "and is held as before")


async def leaves_nothing_behind(tally):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        async with Rig("{d}/a,{d}/b", "unix:{d}/c,{d}/d") as rig:
            pid = int(open(f"{rig.d}/ready", encoding="ascii").read())
            tally.check(pid == rig.process.pid, "the ready file has the pid")
            status, _ = await rig.stop(number)
            tally.check(status == 0, f"status {status}")
            left = sorted(os.listdir(rig.d))
            tally.check(left == ["log", "report.json"], f"{number.name} leaves {left}")


def run_to_end(*argv):
    return subprocess.run([program("nullmodem"), *argv], capture_output=True, text=True, timeout=30,
                          check=False)


async def command_line(tally):
    with tempfile.TemporaryDirectory() as d:
        cable = f"{d}/a,{d}/b"
        for argv, status, text in (
                ((), 2, "no CABLE"), (("--what",), 2, "--what"), ((f"{d}/a",), 2, "missing"),
                (("--seed", "x", cable), 2, "--seed x"), ((cable, cable), 2, "used twice"),
                ((f"{cable},bps=quick",), 2, f"{cable},bps=quick: bps=quick: not a number"),
                ((f"{cable},bsp=1",), 2, "bsp=1: no such key"),
                ((f"{d}/no/a,{d}/b",), 7, f"{d}/no/a: No such file"),
                ((f"{d}/b,{d}/file",), 7, f"{d}/file: File exists"),
                (("--control", f"{d}/file", cable), 7, "File exists")):
            open(f"{d}/file", "w", encoding="ascii").close()
            ended = run_to_end(*argv)
            tally.check(ended.returncode == status and text in ended.stderr,
                        f"{argv}: {ended.returncode}, {ended.stderr!r}")
            tally.check(os.listdir(d) == ["file"], f"{argv}: leaves {os.listdir(d)}")
        ended = run_to_end("--duration", "10ms", cable)
        tally.check(ended.returncode == 0 and ended.stdout.startswith("nullmodem: ready\ncable0: "),
                    f"--duration: {ended.returncode}, {ended.stdout!r}")
        tally.check("--control" in run_to_end("--help").stdout, "--help")
        tally.check(run_to_end("--version").stdout.startswith("nullmodem "), "--version")


async def reports_on_demand(tally):
    async with Rig("{d}/a,{d}/b,bps=9600") as rig:
        rig.process.send(signal.SIGUSR1)
        await until(lambda: os.path.exists(f"{rig.d}/report.json"), 10, "report")
        with open(f"{rig.d}/report.json", encoding="ascii") as file:
            tally.check(json.load(file)["cables"][0]["ab"]["bps"] == 9600, "is whole")
        tally.check(rig.process.running, "and it goes on")


async def spares_what_is_no_regular_file(tally):
    with tempfile.TemporaryDirectory() as d:
        link = f"{d}/link"
        os.symlink("/dev/null", link)
        ended = run_to_end("--duration", "10ms", "--report", link, "--json", link, "--ready", link,
                           f"{d}/a,{d}/b")
        tally.check(ended.returncode == 0, f"writes to a device: {ended.stderr!r}")
        tally.check(os.path.islink(link), "the link to a device stays")
        tally.check(not os.path.isfile("/dev/null"), "and the device too")


if __name__ == "__main__":
    run_tests(keeps_the_rate, delays, holds_the_sender_at_the_buffer, bounds_a_greedy_sender,
              frames_go_in_cells, drops_when_the_buffer_is_full, unpaced_is_a_pipe, starts_raw,
              nobody_at_the_far_end, one_that_does_not_read,
              silent_or_stopped, hangs_up_by_timetable, hangs_up_by_command_and_signal,
              control_answers, B118_a_control_client_that_does_not_read, sockets,
              faults_repeat_with_the_seed, survives_vhangup, leaves_nothing_behind, command_line,
              reports_on_demand, spares_what_is_no_regular_file)
