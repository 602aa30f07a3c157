#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""serialbundle as a service: what its manager hears of it, and the programs it runs.

The unit and the user that `meson install` puts in place are looked at by systemd's own tools.
"""

import asyncio
import os
import re
import signal
import socket
import subprocess
import tempfile

from common import udp_socket  # noqa: F401  (makes the rig importable)
from rig.nullmodem import Line
from rig.pair import Pair, build_directory
from rig.process import readable, until
from rig.result import run_tests

LINES = [Line(57600), Line(28800)]
WATCHDOG_US = 600_000


class Manager:
    """The service manager's end of sd_notify(3)."""

    def __init__(self, directory):
        self.path = os.path.join(directory, "manager")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self._socket.bind(self.path)
        self.heard = []

    async def hears(self, what, seconds=10):
        """Until a message has a line that matches from its beginning; that message's lines."""
        async with asyncio.timeout(seconds):
            while True:
                await readable(self._socket.fileno())
                lines = self._socket.recv(4096).decode().split("\n")
                self.heard += lines
                if any(re.match(what, line) for line in lines):
                    return lines

    def close(self):
        self._socket.close()


CONFIG = """[bundle]
ppp = yes
local = 10.9.0.1
remote = 10.9.0.2

[line one]
device = {a0}
bps = 57600

[line two]
device = {a1}
bps = {bps}
"""


async def manager_is_told(tally):
    async with Pair(LINES, ppp=True) as pair:
        await pair.a.stop_bundle()
        a0, a1 = pair.nullmodem.ends["a"]
        file = os.path.join(pair.directory, "a.conf")

        def configure(bps):
            with open(file, "w", encoding="utf-8") as to:
                to.write(CONFIG.format(a0=a0, a1=a1, bps=bps))

        configure(28800)
        manager = Manager(pair.directory)
        argv = [*pair.bundle_argv(pair.a)[:1], "--config", file]
        pair.a.start_bundle(argv, {"NOTIFY_SOCKET": manager.path,
                                   "WATCHDOG_USEC": str(WATCHDOG_US)}).close()
        await manager.hears("READY=1")
        await manager.hears("STATUS=2 of 2 lines up")
        for _ in range(3):  # at half of the time it has
            await manager.hears("WATCHDOG=1", WATCHDOG_US / 1e6)
        tally.check(True, "the watchdog is fed")
        await pair.nullmodem.command("hangup c1")
        await manager.hears("STATUS=1 of 2 lines up")
        tally.check(True, "a line that hung up is told")
        await pair.nullmodem.command("return c1")
        await manager.hears("STATUS=2 of 2 lines up")
        configure(14400)
        pair.a.bundle.send(signal.SIGHUP)
        reloading = await manager.hears("RELOADING=1")
        tally.check(any(re.match(r"MONOTONIC_USEC=\d+$", line) for line in reloading),
                    f"reloading since when: {reloading}")
        await manager.hears("READY=1")
        with open(file, "a", encoding="utf-8") as to:
            to.write("bauds = 9600\n")
        pair.a.bundle.send(signal.SIGHUP)
        await manager.hears("READY=1")
        said = pair.a.bundle.said()
        tally.check("unknown key 'bauds'" in said and pair.a.bundle.running,
                    f"a wrong file is told, and nothing ends:\n{said}")
        manager.heard.clear()
        pair.a.bundle.send(signal.SIGINT)
        await manager.hears("STOPPING=1")
        tally.check(await pair.a.bundle.wait(10) == 0, "exit status")
        manager.close()


HOOK = """#!/bin/sh
{{ echo "$SERIALBUNDLE_EVENT $*"; env; echo; }} >>{to}
"""


def hook(directory, name):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as to:
        to.write(HOOK.format(to=os.path.join(directory, f"{name}.out")))
    os.chmod(path, 0o755)
    return path


def told(directory, name):
    """Each time the hook was run: its first line, and its environment."""
    try:
        with open(os.path.join(directory, f"{name}.out"), encoding="utf-8") as text:
            runs = text.read().split("\n\n")[:-1]
    except FileNotFoundError:
        return []
    return [(run.split("\n")[0], dict(line.split("=", 1) for line in run.split("\n")[1:]))
            for run in runs]


async def programs_are_run(tally):
    names = ("ip-up", "ip-down", "line-up", "line-down")
    with tempfile.TemporaryDirectory(prefix="sbhook-") as directory:
        options = [word for name in names for word in (f"--{name}", hook(directory, name))]
        async with Pair(LINES, ppp=True, told="b", a_args=options) as pair:
            device = pair.nullmodem.ends["a"][0]
            await until(lambda: told(directory, "ip-up"), 10, "ip-up is run")
            await until(lambda: len(told(directory, "line-up")) == 2, 10, "line-up for each")
            name = pair.a.interface()
            await pair.nullmodem.command("hangup c1")
            await until(lambda: told(directory, "line-down"), 10, "line-down is run")
            await pair.a.stop_bundle()
        words, variables = told(directory, "ip-up")[0]
        tally.check(words.split() == ["ip-up", name, device, "57600", "10.9.0.1", "10.9.0.2"],
                    f"arguments as pppd's: {words}")
        tally.check(variables.get("IPREMOTE") == "10.9.0.2" and variables.get("DEVICE") == device,
                    f"its variables: {variables}")
        words, variables = told(directory, "line-down")[0]
        tally.check(variables["REASON"] == "hung up" and int(variables["BYTES_SENT"]) > 0,
                    f"a line that left: {variables}")
        runs = told(directory, "ip-down")
        tally.check(len(runs) == 1 and int(runs[0][1]["CONNECT_TIME"]) < 60,
                    f"ip-down, once, before the program ended: {runs}")
        tally.check(len(told(directory, "line-down")) == 2, "line-down for each")


def said_by(*argv):
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


async def systemd_takes_them(tally):
    with tempfile.TemporaryDirectory(prefix="sbunit-") as directory:
        subprocess.run(["meson", "install", "-C", build_directory(), "--no-rebuild"],
                       env={**os.environ, "DESTDIR": directory}, capture_output=True, check=True)
        found = {name: os.path.join(where, name) for where, _, names in os.walk(directory)
                 for name in names}
        unit = os.path.join(directory, "serialbundle@x.service")
        with open(found["serialbundle@.service"], encoding="utf-8") as text:
            source = text.read()
        program = re.search(r"^ExecStart=(\S+)", source, re.M)[1]
        tally.check(directory + program == found["serialbundle"], f"the unit starts {program}")
        with open(unit, "w", encoding="utf-8") as to:
            to.write(source.replace(program, directory + program))
        status, said = said_by("systemd-analyze", "verify", "--man=no", unit)
        tally.check(status == 0 and "serialbundle" not in said, f"systemd-analyze: {said}")
        status, said = said_by("systemd-sysusers", "--dry-run", found["serialbundle.conf"])
        tally.check(status == 0, f"systemd-sysusers: {said}")


if __name__ == "__main__":
    run_tests(manager_is_told, programs_are_run, systemd_takes_them)
