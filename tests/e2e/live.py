#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines that are put in and taken out, and a configuration that changes, while traffic runs: what
does not change is not disturbed, and TCP notices nothing."""

import asyncio
import contextlib
import os
import random
import re
import signal
import time
import traceback

import common
from rig import ctl, tcp
from rig.nullmodem import Line
from rig.pair import Pair
from rig.process import until
from rig.result import run_tests

BPS = 57600
SETTLED = 2  # seconds of undisturbed transfer around each change
TRUE_WITHIN = 1  # second, in which the status must tell of a change


def linked(n, ppp, **more):
    return Pair([Line(BPS)] * n, ppp=ppp, ecn=True, a_args=ctl.OPTIONS["a"],
                b_args=ctl.OPTIONS["b"], **more)


def line_of(pair, host, i):
    return f"{pair.nullmodem.ends[host.side][i]}:{BPS}"


class Flood:
    """A TCP connection from a to b that is never short of data, and its socket's facts."""

    def __init__(self, pair):
        self.pair = pair
        self.received = bytearray()

    async def __aenter__(self):
        loop = asyncio.get_running_loop()
        listener, self.client = tcp.stream_socket(self.pair.b), tcp.stream_socket(self.pair.a)
        listener.bind((self.pair.b.address, 0))
        listener.listen(1)
        await loop.sock_connect(self.client, (self.pair.b.address, listener.getsockname()[1]))
        self.connection, _ = await loop.sock_accept(listener)
        listener.close()
        self.connection.setblocking(False)
        self.payload = random.Random(7).randbytes(1 << 20)
        self.tasks = [asyncio.create_task(task) for task in (self._send(), self._receive())]
        return self

    async def _send(self):
        await asyncio.get_running_loop().sock_sendall(self.client, self.payload)

    async def _receive(self):
        while chunk := await asyncio.get_running_loop().sock_recv(self.connection, 1 << 16):
            self.received += chunk

    def sent_again(self):
        return tcp.TcpInfo(self.client).total_retrans

    def intact(self):
        return self.received and self.payload.startswith(bytes(self.received))

    async def __aexit__(self, *_):
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.client.close()
        self.connection.close()


async def true_within(tally, what, condition):
    start = time.monotonic()
    try:
        await until(condition, 10, what)
        took = time.monotonic() - start
        tally.check(took <= TRUE_WITHIN, f"{what} after {took:.2f} s")
    except TimeoutError:
        tally.check(False, what)


def states(host):
    return {name: line["state"] for name, line in ctl.lines(host).items()}


async def put_in(tally, pair, host, i):
    """It is there at once; when a link comes up is for its peer to say, too."""
    name = f"{host.side}{i}"
    ctl.told(host, "enslave", line_of(pair, host, i))
    await true_within(tally, f"{name} is there", lambda: name in states(host))
    await until(lambda: states(host)[name] == "up", 5, f"{name} is up")


async def take_out(tally, host, i):
    """It may take the time of a frame until it is gone, but is up no more at once."""
    name = f"{host.side}{i}"
    ctl.told(host, "emancipate", name)
    await true_within(tally, f"{name} is up no more", lambda: states(host).get(name) != "up")
    await until(lambda: name not in states(host), 5, f"{name} is gone")


# --- a transfer does not notice ---

async def goes_on(tally, flood, what, change):
    before, had = flood.sent_again(), len(flood.received)
    await change
    await asyncio.sleep(SETTLED)  # the time in which TCP would have noticed
    again, moved = flood.sent_again() - before, len(flood.received) - had
    tally.check(again == 0, f"{what}: {again} segments sent again")
    tally.check(moved > SETTLED * BPS / 10 / 2, f"{what}: {moved} bytes in {SETTLED} s")


async def links_in_a_transfer(tally):
    async with linked(3, True) as pair, Flood(pair) as flood:
        await asyncio.sleep(SETTLED)  # slow start is over
        for i, host in ((1, pair.a), (2, pair.b)):
            await goes_on(tally, flood, f"{host.side}{i} taken out", take_out(tally, host, i))
            await goes_on(tally, flood, f"{host.side}{i} put in", put_in(tally, pair, host, i))
        tally.check(flood.intact(), "the stream is whole")


async def slip_in_a_transfer(tally):
    """The other end of a SLIP line is not told, so there both take it out, the sender first."""
    async with linked(2, False) as pair, Flood(pair) as flood:
        await asyncio.sleep(SETTLED)
        for host in (pair.a, pair.b):
            await take_out(tally, host, 1)
        had = len(flood.received)
        await asyncio.sleep(SETTLED)
        tally.check(len(flood.received) > had, "goes on over one line")
        for host in (pair.b, pair.a):
            await put_in(tally, pair, host, 1)
        before = await pair.nullmodem.carried()
        await asyncio.sleep(SETTLED)
        after = await pair.nullmodem.carried()
        tally.check(after[1] - before[1] > BPS / 10, f"the line carries again: {before} {after}")
        tally.check(flood.intact(), "the stream is whole")


async def no_packet_is_lost(tally, ppp, hosts):
    """Datagrams are not sent again: each must come."""
    async with linked(2, ppp, mtu=600) as pair:
        sink = random.Random(3)
        # What waits is less than --queue-time has room for when one line is left.
        volley = common.Volley(pair.a, pair.b, 600, 400, sink, flows=48)
        task = asyncio.create_task(volley.run())
        for host in hosts(pair):
            await until(lambda: volley.arrived > 100, 10, "packets pass")
            await take_out(tally, host, 0)
            await put_in(tally, pair, host, 0)
        missing = await task
        what = f"{'PPP' if ppp else 'SLIP'}: {missing} missing, {volley.strangers} strangers"
        tally.check(missing == 0 and volley.strangers == 0, what)


async def no_packet_is_lost_over_links(tally):
    await no_packet_is_lost(tally, True, lambda pair: (pair.a, pair.b))


async def no_packet_is_lost_over_slip(tally):
    await no_packet_is_lost(tally, False, lambda pair: (pair.a,))


# --- the configuration ---

class Configured:
    """b as always, and a by a file, which changes."""

    def __init__(self, pair):
        self.pair = pair
        self.file = os.path.join(pair.directory, "a.conf")
        self.keys = [{"device": end, "bps": BPS, "baud": BPS}
                     for end in pair.nullmodem.ends["a"]]
        self.options = ""

    def write(self, more=""):
        sections = [f"[line a{i}]\n" + "".join(f"{k} = {v}\n" for k, v in keys.items())
                    for i, keys in enumerate(self.keys)]
        with open(self.file, "w", encoding="utf-8") as out:
            out.write("[bundle]\nppp = yes\nmtu = 900\nlocal = 10.9.0.1\nremote = 10.9.0.2\n"
                      f"control = {ctl.socket_of(self.pair.a)}\n{self.options}"
                      + "".join(sections) + more)

    async def start(self):
        await self.pair.a.stop_bundle()
        self.write()
        argv = [self.pair.bundle_argv(self.pair.a)[0], "--config", self.file]
        await self.pair.a.bundle_ready(self.pair.a.start_bundle(argv))
        await self.up()

    async def up(self):
        await until(lambda: set(states(self.pair.a).values()) == {"up"}, 10, "all lines are up",
                    process=self.pair.a.bundle)

    async def reload(self):
        """SIGHUP, and until it has been heeded."""
        before = self.said()
        self.pair.a.bundle.send(signal.SIGHUP)
        await until(lambda: self.said() > before, 5, "reloads", process=self.pair.a.bundle)
        return self.pair.a.bundle.said(4)

    def said(self):
        with open(self.pair.a.bundle.log, encoding="utf-8", errors="replace") as log:
            return log.read().count("reload: ")

    def openings(self):
        return {name: line["openings"] for name, line in ctl.lines(self.pair.a).items()}


@contextlib.asynccontextmanager
async def configured(n):
    async with linked(n, True) as pair:
        setup = Configured(pair)
        await setup.start()
        yield setup


async def only_what_changed_bounces(tally):
    async with configured(3) as c:
        first = c.openings()
        await c.reload()
        tally.check(c.openings() == first, f"nothing changed: {first}, {c.openings()}")
        c.keys[1]["stop"] = 2
        c.write()
        said = await c.reload()
        tally.check("1 changed, 2 as before" in said, said)
        await until(lambda: c.openings()["a1"] == first["a1"] + 1, 5, "a1 is opened again")
        await c.up()
        now = c.openings()
        tally.check(all(now[name] == first[name] for name in ("a0", "a2")), f"{first}, {now}")
        downs = {name: line["downs"] for name, line in ctl.lines(c.pair.a).items()}
        tally.check(downs["a0"] == downs["a2"] == 0, f"{downs}")
        c.keys[1]["bps"] = 9600
        c.write()
        await c.reload()
        tally.check(c.openings() == now, f"a rate changes in use: {now}, {c.openings()}")
        tally.check(ctl.lines(c.pair.a)["a1"]["bps"]["given"] == 9600, f"{ctl.lines(c.pair.a)['a1']}")
        gone = c.keys.pop()
        c.write()
        await c.reload()
        await until(lambda: "a2" not in states(c.pair.a), 5, "a2 is gone")
        c.keys.append(gone)
        c.write()
        await c.reload()
        await c.up()
        tally.check(c.openings()["a0"] == first["a0"], f"{first}, {c.openings()}")


async def lines_swap_their_devices(tally):
    """One reload is enough; and whoever asks for it is told what it comes to."""
    async with configured(2) as c:
        c.keys.reverse()
        c.options = "min-lines = 3\n"
        c.write()
        answer = ctl.ctl(c.pair.a, "reload")
        tally.check(answer.returncode == 0 and "2 changed, 0 as before" in answer.stdout
                    and "only 2 lines" in answer.stdout, f"{answer}")
        await until(lambda: c.openings() == {"a0": 2, "a1": 2}, 10, "both are opened again")
        await c.up()
        devices = {name: line["device"] for name, line in ctl.lines(c.pair.a).items()}
        ends = c.pair.nullmodem.ends["a"]
        tally.check(devices == {"a0": ends[1], "a1": ends[0]}, f"{devices}, {ends}")
        c.options = "require-chap = yes\ndefault-route = yes\n"
        c.write()
        answer = ctl.ctl(c.pair.a, "reload")
        tally.check(answer.returncode == 0 and "--default-route has changed" in answer.stdout
                    and "PPP have changed" in answer.stdout
                    and "--local" not in answer.stdout, f"{answer}")


async def a_wrong_file_changes_nothing(tally):
    async with configured(2) as c:
        first = c.openings()
        c.write("[line a0]\nbauds = 9600\n")
        said = await c.reload()
        tally.check(re.search(rf"reload: nothing has changed: {c.file}:\d+: line a0 is", said)
                    and "unknown key 'bauds'" in said, said)
        answer = ctl.ctl(c.pair.a, "reload")
        tally.check(answer.returncode == 1 and f"{c.file}:" in answer.stderr,
                    f"whoever asks is told what is wrong: {answer}")
        c.options = "mode = balance-rrr\n"
        c.write()
        answer = ctl.ctl(c.pair.a, "reload")
        tally.check(answer.returncode == 1 and answer.stderr.endswith("balance-alb 6\n"),
                    f"to its end: {answer}")
        c.options = ""
        tally.check(c.openings() == first and set(states(c.pair.a).values()) == {"up"},
                    f"{first}, {c.openings()}, {states(c.pair.a)}")
        c.write()
        said = await c.reload()
        tally.check("2 as before" in said, said)


# --- figures ---

async def E5_the_split_follows_a_rate(tally):
    """Both wires carry the same; what each is given is what it is said to carry."""
    async with linked(2, True) as pair, Flood(pair) as flood:
        await asyncio.sleep(SETTLED)
        for given, share in ((BPS, 1 / 2), (BPS // 3, 1 / 4), (BPS, 1 / 2)):
            ctl.told(pair.a, "set", "a1", "bps", given)
            await asyncio.sleep(TRUE_WITHIN)  # from when on it must be so
            before = await pair.nullmodem.carried()
            await asyncio.sleep(SETTLED)
            carried = [b - a for a, b in zip(before, await pair.nullmodem.carried())]
            got = carried[1] / sum(carried)
            tally.check(abs(got - share) < 0.05, f"{given} bps: {got:.3f} of {sum(carried)}")
        tally.check(flood.intact(), "the stream is whole")


def together(*tests):
    """As one: wires are slow, and each pair has its own."""
    async def all_of_them(tally):
        results = await asyncio.gather(*(test(tally) for test in tests), return_exceptions=True)
        for test, result in zip(tests, results):
            if isinstance(result, BaseException):
                trace = "".join(traceback.format_exception(result))
                tally.check(False, f"{test.__name__}\n{trace}")
    return all_of_them


if __name__ == "__main__":
    run_tests(together(links_in_a_transfer, slip_in_a_transfer, E5_the_split_follows_a_rate),
              together(no_packet_is_lost_over_links, no_packet_is_lost_over_slip,
                       only_what_changed_bounces, lines_swap_their_devices,
                       a_wrong_file_changes_nothing))
