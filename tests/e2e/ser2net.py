#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines that are programs and connections, to a terminal server (ser2net 4) and through TLS.

    a: serialbundle ── gensiot ── RFC 2217 ─┐
                    ── gensiot ── raw TCP ──┼─ ser2net ─┬═ nullmodem ═ b: serialbundle
                    ── tcp: ────────────────┘           │
                    ── socat ── TLS ──── socat ─────────┘

The servers run in a's namespace, on its loopback interface.
"""

import asyncio
import contextlib
import os
import signal
import subprocess

import common
from rig.nullmodem import Line
from rig.pair import Pair
from rig.ping import Pinger
from rig.process import Process, until
from rig.result import run_tests
from rig.tcp import transfer

RATE = 115200
LINES = [Line(RATE)] * 4
RFC2217, RAW, TCP, TLS = range(4)
NAMES = ("rfc2217", "raw", "tcp", "tls")
BEHIND_SER2NET = (RFC2217, RAW, TCP)
BACK_WITHIN = 5.0  # seconds after ser2net is there again
LEAST_OF_SHARE = 0.5
PORT = 3001  # the first; each namespace has its own

CONNECTIONS = """%YAML 1.1
---
connection: &rfc2217
  accepter: telnet(rfc2217),tcp,127.0.0.1,{ports[0]}
  connector: serialdev,{ends[0]},115200n81,local
connection: &raw
  accepter: tcp,127.0.0.1,{ports[1]}
  connector: serialdev,{ends[1]},115200n81,local
connection: &tcp
  accepter: tcp,127.0.0.1,{ports[2]}
  connector: serialdev,{ends[2]},115200n81,local
"""


class Served(Pair):
    """a reaches its ends of the cables through servers."""

    def __init__(self, **options):
        super().__init__(LINES, **options)
        self._ports = [PORT + i for i in range(len(LINES))]
        self.ser2net = self._tls = None

    async def __aexit__(self, *error):
        try:
            await super().__aexit__(*error)
        finally:
            for server in (self.ser2net, self._tls):
                if server:
                    server.kill()

    async def start(self, host, env=None):
        if host is self.a:
            with host.ns:
                subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
            self._start_tls()
            self.start_ser2net()
        await super().start(host, env)

    def bundle_argv(self, host):
        argv = super().bundle_argv(host)
        if host is self.a:
            argv[-len(LINES):] = self._lines()
        return argv

    def _lines(self):
        """On the command line a comma in a device stands behind a backslash."""
        devices = (f"exec:gensiot 'telnet(rfc2217),tcp,127.0.0.1,{self._ports[RFC2217]}'",
                   f"exec:exec gensiot tcp,127.0.0.1,{self._ports[RAW]}",
                   f"tcp:127.0.0.1:{self._ports[TCP]}",
                   f"exec:exec socat - OPENSSL:127.0.0.1:{self._ports[TLS]},"
                   f"commonname=localhost,cafile={self._file('certificate')}")
        return [device.replace(",", "\\,") + f":{RATE},name={name}"
                for device, name in zip(devices, NAMES)]

    def _file(self, name):
        return os.path.join(self.directory, name)

    def start_ser2net(self):
        with open(self._file("ser2net.yaml"), "w", encoding="ascii") as file:
            file.write(CONNECTIONS.format(ports=self._ports, ends=self.nullmodem.ends["a"]))
        self.ser2net = Process(["ser2net", "-d", "-u", "-c", self._file("ser2net.yaml")],
                               ns=self.a.ns, log=self._file("ser2net.log"))

    async def stop_ser2net(self):
        await self.ser2net.stop(signal.SIGTERM)

    def _start_tls(self):
        certificate = self._file("certificate")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj",
                        "/CN=localhost", "-keyout", self._file("key"), "-out", certificate],
                       check=True, capture_output=True)
        self._tls = Process(
            ["socat", f"OPENSSL-LISTEN:{self._ports[TLS]},bind=127.0.0.1,reuseaddr,fork,"
             f"cert={certificate},key={self._file('key')},verify=0",
             f"FILE:{self.nullmodem.ends['a'][TLS]},raw,echo=0"],
            ns=self.a.ns, log=self._file("tls.log"))

    def ups(self, host):
        """How often each of a's lines came up, by its log."""
        with open(host.bundle.log, encoding="utf-8") as log:
            text = log.read()
        return [text.count(f"{name}: up,") for name in NAMES]

    async def all_up(self, before=(0,) * len(LINES), lines=range(len(LINES)), seconds=20):
        await until(lambda: all(self.ups(self.a)[i] > before[i] for i in lines), seconds,
                    f"lines are up: {self.ups(self.a)}", process=self.a.bundle)


async def all_carry(pair, tally, what):
    """Both ways, each line a good part of its share."""
    for sender, receiver, direction in ((pair.a, pair.b, "ab"), (pair.b, pair.a, "ba")):
        before = await pair.nullmodem.carried(direction)
        result = await transfer(sender, receiver, os.urandom(100_000))
        carried = [now - then for now, then in zip(await pair.nullmodem.carried(direction), before)]
        print(f"{what}, {direction}: {result.seconds:.1f} s, by line {carried}")
        tally.check(result.intact, f"{what}, {direction}: what arrived is what was sent")
        for name, count in zip(NAMES, carried):
            tally.check(count >= LEAST_OF_SHARE * sum(carried) / len(LINES),
                        f"{what}, {direction}: {name} carried {count} of {sum(carried)}")


async def slip(tally):
    """RFC 2217, raw TCP by a program and by ourselves, and TLS, as lines of one bundle."""
    async with Served() as pair:
        await pair.all_up()
        ping = await Pinger(pair.a, pair.b.address, count=5).finished(30)
        tally.check(ping.lost == 0, f"{ping}\n{pair.a.bundle.said()}")
        await all_carry(pair, tally, "SLIP")


async def restarted(tally):
    """ser2net goes in the middle of a transfer and comes back; the file is whole."""
    async with Served(ppp=True) as pair:
        await pair.all_up()
        await all_carry(pair, tally, "PPP")
        ups = pair.ups(pair.a)
        moving = asyncio.create_task(transfer(pair.a, pair.b, os.urandom(500_000)))
        try:
            await carried_more(pair, range(len(LINES)), 5000, "the transfer is under way")
            await pair.stop_ser2net()
            await carried_more(pair, (TLS,), 20_000, "TLS goes on alone")
            tally.check(pair.a.bundle.running, "serialbundle stays")
            pair.start_ser2net()
            start = asyncio.get_running_loop().time()
            await pair.all_up(ups, BEHIND_SER2NET)
            took = asyncio.get_running_loop().time() - start
            tally.check(took <= BACK_WITHIN, f"lines were back {took:.1f} s after ser2net")
            await carried_more(pair, range(len(LINES)), 5000, "all lines carry again")
            tally.check(not moving.done(), "all this while the transfer was under way")
            result = await moving
        finally:
            moving.cancel()
        tally.check(result.intact, "what arrived is what was sent")
        tally.check(pair.ups(pair.a)[TLS] == ups[TLS], "the line beside it never left")
        leaves_no_processes(pair, tally)


async def carried_more(pair, lines, characters, what):
    """Until each of those lines has carried so many more."""
    before = await pair.nullmodem.carried()

    async def have():
        now = await pair.nullmodem.carried()
        return all(now[i] >= before[i] + characters for i in lines)

    await until(have, 30, what)


def processes_of(host):
    """(parent, name) of every process in the host's namespace."""
    where, found = os.readlink(f"/proc/{host.bundle.pid}/ns/net"), []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # it has just ended
            if os.readlink(f"/proc/{pid}/ns/net") == where:
                with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                    name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
                found.append((int(rest.split()[1]), name))
    return found


def leaves_no_processes(pair, tally):
    """Of all the programs that were started for lines, as many are there as there are lines."""
    found = processes_of(pair.a)
    children = [name for parent, name in found if parent == pair.a.bundle.pid]
    clients = [name for _, name in found].count("gensiot")
    tally.check(not children, f"no children: {children}")
    tally.check(clients == 2, f"a client for each line, not {clients}: {found}")


run_tests(slip, restarted)
