#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""slirp at the other end: a SLIP and PPP server of 1995 that needs no kernel and no privileges.

    host a (own namespace)                            host s (own namespace, only lo)
    TCP ── TUN ── serialbundle ══ pty ═ nullmodem ═ pty ══ slirp ── TCP to a server on lo

To those behind it slirp's host is 10.0.2.2. As after a login, slirp's terminal is the line itself,
so its greeting comes over the line, and a hang-up ends it.

    slirp.py [--quick] [--check] [slip] [ppp]     runs the rows, one for each encapsulation
    rows(...)                                     the same rows, for other tables
"""

import asyncio
import contextlib
import hashlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

import common  # noqa: F401
from rig.bench import Row, bench, options, payload
from rig.nullmodem import Line, NullModem
from rig.pair import SYSCTLS, Host, program
from rig.ping import Pinger
from rig.process import Process, until

BYTES = 289284  # of the file that the multilink HOWTO's figures are for
LOCAL, REMOTE = "10.0.2.15", "10.0.2.2"  # slirp's names for us and for its host
ECHOES = ("--echo-interval", "1s", "--echo-failure", "3")
NOBODY = 65534
# Opening the line makes it the controlling terminal, which brings SIGHUP when it hangs up.
LOGIN = ('exec setpriv --reuid %d --clear-groups -- slirp-fullbolt "$@" <>"$0" >&0 2>&0' % NOBODY)


class Server:
    """What slirp is to reach: a TCP port on lo of its namespace, one connection at a time."""

    def __init__(self, ns):
        with ns:
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
            self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]

    async def accept(self):
        connection, _ = await asyncio.get_running_loop().sock_accept(self._listener)
        connection.setblocking(False)
        return connection

    def close(self):
        self._listener.close()


async def connect(host, port, seconds=30):
    with host.ns:
        client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    client.setblocking(False)
    async with asyncio.timeout(seconds):
        await asyncio.get_running_loop().sock_connect(client, (REMOTE, port))
    return client


async def send_all(sock, data):
    await asyncio.get_running_loop().sock_sendall(sock, data)
    sock.shutdown(socket.SHUT_WR)


async def receive_all(sock, stall):
    digest, count = hashlib.sha256(), 0
    while True:
        async with asyncio.timeout(stall):
            chunk = await asyncio.get_running_loop().sock_recv(sock, 1 << 16)
        if not chunk:
            return digest.digest(), count
        digest.update(chunk)
        count += len(chunk)


async def move(host, server, data, *, up, stall=60):
    """The bytes through slirp, from our host or to it: whether they came whole, and the seconds."""
    client = connection = None
    start = time.monotonic()
    try:
        client, connection = await asyncio.gather(connect(host, server.port), server.accept())
        source, sink = (client, connection) if up else (connection, client)
        sending = asyncio.create_task(send_all(source, data))
        try:
            digest, count = await receive_all(sink, stall)
            await sending
        finally:
            sending.cancel()
        intact = count == len(data) and digest == hashlib.sha256(data).digest()
        return intact, time.monotonic() - start
    finally:
        for sock in (client, connection):
            if sock:
                sock.close()


class Peer:
    """A serialbundle on host a, slirp on host s, one line between."""

    def __init__(self, line, ppp):
        self.line, self.ppp = line, ppp

    async def __aenter__(self):
        async with contextlib.AsyncExitStack() as stack:
            self.directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="sbslirp-"))
            self.nullmodem = NullModem(program("nullmodem"), self.directory, [self.line])
            stack.callback(self.nullmodem.kill)
            self.a = self._host(stack, "a", LOCAL)
            self.s = self._host(stack, "s", REMOTE)
            self.server = Server(self.s.ns)
            stack.callback(self.server.close)
            self.slirp = None
            stack.callback(lambda: self.slirp and self.slirp.kill())
            await self.nullmodem.ready()
            await self.login()
            await self.dial()
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *error):
        await self._stack.__aexit__(*error)

    def _host(self, stack, side, address):
        host = Host(side, [address], self.directory)
        stack.callback(host.close)
        for name, value in SYSCTLS.items():
            host.ns.sysctl(name, value)
        return host

    async def login(self):
        """slirp begins on the line, and has said so."""
        log = os.path.join(self.directory, "slirp.log")
        before = await self._spoken()
        arguments = ["nozeros", "mtu 900"]
        if self.ppp:
            arguments = ["-P", *arguments, "mru 900"]
        self.slirp = Process(["sh", "-c", LOGIN, self.nullmodem.ends["b"][0], *arguments], log=log,
                             ns=self.s.ns, env={"HOME": self.directory, "TERM": "dumb"})

        async def greeted():
            return await self._spoken() > before

        await until(greeted, 10, "slirp speaks", process=self.slirp)

    async def _spoken(self):
        """Characters that came from slirp's end, whether anybody had the other open or not."""
        wire = (await self.nullmodem.report())[0]["ba"]
        return wire["delivered"] + wire["dropped"]

    def argv(self):
        argv = [program("serialbundle"), "--mtu", "900"]
        # slirp that is killed says nothing: only the lack of echoes tells
        argv += ["--ppp", *ECHOES] if self.ppp else ["--local", LOCAL]
        argv += ["--remote", REMOTE]
        return argv + [f"{self.nullmodem.ends['a'][0]}:{self.line.bps}"]

    async def dial(self):
        """With PPP slirp tells us our address, and is told its own."""
        await self.a.bundle_ready(self.a.start_bundle(self.argv()))
        await self.a.has_address()

    async def pings(self, seconds=20):
        """Seconds until a ping is answered, and how many of the three after it are lost."""
        start = time.monotonic()
        while (await Pinger(self.a, REMOTE, count=1, wait=1).finished(10)).lost:
            if time.monotonic() - start > seconds:
                raise TimeoutError(f"no ping answered in {seconds} s\n{self.a.bundle.said()}")
        took = time.monotonic() - start
        return took, (await Pinger(self.a, REMOTE, count=3).finished(30)).lost

    async def cable(self, verb):
        await self.nullmodem.command(f"{verb} c0")


class SlirpRow(Row):
    """ping, both transfers, and each way in which a connection ends and begins anew."""

    RECONNECT_SECONDS = 10

    def __init__(self, encapsulation, bps):
        self.name = f"slirp {encapsulation}"
        self.ppp = encapsulation == "ppp"
        self.lines = [Line(bps)]
        self.results = {}

    async def measure(self):
        async with Peer(self.lines[0], self.ppp) as peer:
            _, lost = await peer.pings()
            self.results["address"] = peer.a.negotiated() == (LOCAL, REMOTE)
            self.results["ping"] = lost == 0
            data = payload(self.name, BYTES)
            for up in (True, False):
                intact, took = await move(peer.a, peer.server, data, up=up)
                self.results["transfer " + ("up" if up else "down")] = intact
                self.results["seconds " + ("up" if up else "down")] = round(took, 1)
            await self._cable_hangs_up(peer)
            await self._slirp_ends(peer)
            await self._we_end(peer)

    async def _again(self, peer, what):
        took, lost = await peer.pings()
        self.results[f"again after {what}"] = lost == 0 and took <= self.RECONNECT_SECONDS

    async def _cable_hangs_up(self, peer):
        await peer.cable("hangup")
        await peer.slirp.wait(10)
        await peer.cable("return")
        await peer.login()
        await self._again(peer, "hang-up")
        self.results["bundle stayed"] = peer.a.bundle.running

    async def _slirp_ends(self, peer):
        await peer.slirp.stop(signal.SIGTERM)
        await peer.login()
        await self._again(peer, "their end")

    async def _we_end(self, peer):
        start = time.monotonic()
        await peer.a.stop_bundle()
        self.results["we end at once"] = time.monotonic() - start <= 2
        await peer.dial()  # the same slirp, which a Terminate-Request does not end
        await self._again(peer, "our end")
        await peer.a.stop_bundle()

    def figures(self):
        return self.results

    def check(self, tally):
        for what, good in self.results.items():
            if isinstance(good, bool):
                tally.check(good, f"{self.name}: {what}")


def rows(encapsulations=("slip", "ppp"), quick=False):
    return [SlirpRow(encapsulation, 460800 if quick else 115200)
            for encapsulation in encapsulations]


def show(measured):
    for row in measured:
        words = [f"{what} {value if not isinstance(value, bool) else 'yes' if value else 'NO'}"
                 for what, value in row.results.items()]
        print(f"{row.name}: " + ", ".join(words))


if __name__ == "__main__":
    parser = options(__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("encapsulation", nargs="*", default=["slip", "ppp"])
    arguments = parser.parse_args()
    sys.exit(bench(rows(arguments.encapsulation, arguments.quick), arguments, show))
