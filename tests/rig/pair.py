# SPDX-License-Identifier: MIT
"""Two hosts, each with a serialbundle, joined by nullmodem's cables."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile

from .netns import Namespace
from .nullmodem import NullModem
from .process import Process, ProcessFailed, readable, until

READY_SECONDS = 20

SYSCTLS = {
    "ipv4.tcp_timestamps": 0,  # so that a segment has 40 bytes of headers, as in 1995
    "ipv4.tcp_no_metrics_save": 1,  # a connection knows nothing of the one before
    "ipv4.tcp_ecn": 0,
    # Router solicitations and the like would be traffic that nobody asked for.
    "ipv6.conf.default.disable_ipv6": 1,
}


def build_directory():
    """Where the programs are: $SERIALBUNDLE_BUILD, else build/ of this tree."""
    tree = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return os.environ.get("SERIALBUNDLE_BUILD", os.path.join(tree, "build"))


def program(name):
    where = {"serialbundle": "src", "nullmodem": "src/nullmodem", "serialbundlectl": "src/ctl"}[name]
    path = os.path.join(build_directory(), where, name)
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"{path} is not built (meson setup build && ninja -C build)")
    return path


class Host:
    """A network namespace and what runs in it."""

    def __init__(self, side, addresses, directory):
        self.side = side
        self.addresses = addresses
        self.directory = directory
        self.ns = Namespace()
        self.bundle = None
        self.capture = os.path.join(directory, f"{side}.pcap")

    @property
    def address(self):
        return self.addresses[0]

    def start_bundle(self, argv, env=None):
        """Starts serialbundle; returns the socket on which it will say READY=1."""
        path = os.path.join(self.directory, f"{self.side}.notify")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        notify.bind(path)
        self.bundle = Process(argv, ns=self.ns, env={"NOTIFY_SOCKET": path, **(env or {})},
                              log=os.path.join(self.directory, f"{self.side}.log"))
        return notify

    async def bundle_ready(self, notify, seconds=READY_SECONDS):
        """Until READY=1; ProcessFailed when it ends or stays silent."""
        pidfd = os.pidfd_open(self.bundle.pid)
        try:
            async with asyncio.timeout(seconds):
                while self.bundle.running:
                    await _either_readable(notify.fileno(), pidfd)
                    with contextlib.suppress(BlockingIOError):
                        if b"READY=1" in notify.recv(4096).split(b"\n"):
                            return
        except TimeoutError:
            pass
        finally:
            os.close(pidfd)
            notify.close()
        raise ProcessFailed(f"serialbundle {self.side} is not ready\n{self.bundle.said()}")

    def interface(self):
        """The name of the bundle's interface; the namespace has no other but lo."""
        with self.ns:
            return next(name for _, name in socket.if_nameindex() if name != "lo")

    def link(self):
        """What `ip` knows of the bundle's interface: "mtu", "operstate", "flags" and so on."""
        return self.ip("link", "show", "dev", self.interface())[0]

    def addresses_now(self, family="inet"):
        """Every (address, peer's address or None) that the interface has."""
        entries = self.ip("address", "show", "dev", self.interface())[0]["addr_info"]
        return [(e["local"], e.get("address")) for e in entries if e["family"] == family]

    def negotiated(self, family="inet"):
        """The first of them, or None."""
        return next(iter(self.addresses_now(family)), None)

    def ip(self, *words):
        """What ip(8) says inside, as objects."""
        with self.ns:
            said = subprocess.run(["ip", "-json", *words], capture_output=True, check=True)
        return json.loads(said.stdout)

    async def has_address(self, seconds=READY_SECONDS, family="inet"):
        """Until the interface has one, given or negotiated."""
        return await until(lambda: self.negotiated(family), seconds,
                           f"{self.side} has an address", process=self.bundle)

    async def stop_bundle(self):
        status = await self.bundle.stop(signal.SIGINT)
        if status != 0:
            raise ProcessFailed(f"serialbundle {self.side}: exit status {status}\n"
                                f"{self.bundle.said()}")

    def close(self):
        if self.bundle:
            self.bundle.kill()
        self.ns.close()


async def _either_readable(one, other):
    tasks = [asyncio.create_task(readable(fd)) for fd in (one, other)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Pair:
    """`async with Pair(lines) as pair`: pair.a, pair.b, pair.nullmodem, ready for traffic.

    lines     the cables (nullmodem.Line)
    capture   the sides that write a capture, e.g. "b"
    ipv6      an IPv6 address as well; needs mtu >= 1280
    args      more options for both serialbundles
    ppp       lines speak PPP, unless their words say otherwise; ready when both have an address
    told      the sides that are told the addresses; the others have to ask
    timestamps  TCP's (RFC 7323), for those who mind its mistakes more than its headers
    a_args    more options for a's serialbundle, b_args for b's; "{d}" in them is the directory
    """

    def __init__(self, lines, *, mtu=900, ecn=False, ipv6=False, capture="", args=(), ppp=False,
                 told="ab", a_args=(), b_args=(), timestamps=False):
        self.lines = lines
        self.mtu = mtu
        self.ppp = ppp
        self._told = told
        self._side_args = {"a": a_args, "b": b_args}
        self._sysctls = {**SYSCTLS, "ipv4.tcp_ecn": int(ecn),
                         "ipv4.tcp_timestamps": int(timestamps),
                         "ipv6.conf.default.disable_ipv6": int(not ipv6)}
        self._capture = capture
        self._ipv6 = ipv6
        self._args = args
        self._stack = None

    async def __aenter__(self):
        async with contextlib.AsyncExitStack() as stack:
            self.directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="sbrig-"))
            self.nullmodem = NullModem(program("nullmodem"), self.directory, self.lines)
            stack.callback(self.nullmodem.kill)
            self.a = self._host(stack, "a", 1)
            self.b = self._host(stack, "b", 2)
            await self.nullmodem.ready()
            await asyncio.gather(self.start(self.a), self.start(self.b))
            self._stack = stack.pop_all()
        return self

    def _host(self, stack, side, number):
        addresses = [f"10.9.0.{number}"] + ([f"fd09::{number}"] if self._ipv6 else [])
        host = Host(side, addresses, self.directory)
        stack.callback(host.close)
        for name, value in self._sysctls.items():
            host.ns.sysctl(name, value)
        return host

    def other(self, host):
        return self.b if host is self.a else self.a

    def bundle_argv(self, host):
        argv = [program("serialbundle"), *(["--ppp"] if self.ppp else []), *self._args]
        argv += ["--mtu", str(self.mtu)] if self.mtu else []
        argv += [word.format(d=self.directory) for word in self._side_args[host.side]]
        if host.side in self._told:
            for local, remote in zip(host.addresses, self.other(host).addresses):
                argv += ["--local", local, "--remote", remote]
        if host.side in self._capture:
            argv += ["--capture", host.capture]
        ends = self.nullmodem.ends[host.side]
        return argv + [line.argument(end, host.side) for end, line in zip(ends, self.lines)]

    async def start(self, host, env=None):
        """Starts a host's serialbundle (again, after stop_bundle)."""
        await host.bundle_ready(host.start_bundle(self.bundle_argv(host), env))
        if self.ppp:
            await host.has_address()

    async def __aexit__(self, kind, error, trace):
        """Ends all; after a run without an error the programs' exit statuses count too."""
        async with self._stack:
            if kind is not None:
                return
            for host in (self.a, self.b):
                if host.bundle.running:
                    await host.stop_bundle()
            await self.nullmodem.stop()
