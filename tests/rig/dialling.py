# SPDX-License-Identifier: MIT
"""Two hosts, of which one dials the other with modems.

The one that dials is a machine of 1995 in a mount namespace of its own: its modems are at /dev/cua2
and /dev/cua3, its dial scripts under /etc/slip/dialout, and its configuration is imported from the
EQL HOWTO's runslip.conf.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import tempfile

from .nullmodem import Line, NullModem
from .pair import SYSCTLS, Host, program

RUNSLIP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "runslip.conf")
OURS, THEIRS = "198.67.33.239", "198.67.33.240"
MTU = 576
NUMBERS = ("5550282", "5550283")

# In a mount namespace of its own: DIRECTORY, then the command.
MACHINE_OF_1995 = r"""
set -e
top=$1
shift
mkdir "$top/machine"
mount -t tmpfs tmpfs "$top/machine"
cd "$top/machine"
mkdir -p etc dev/pts dev/net
cp -a /etc/. etc
mkdir -p etc/slip
cp -a "$top/dialout" etc/slip
for node in null zero full random urandom tty net/tun; do
	: >dev/$node
	mount --bind /dev/$node dev/$node
done
mount --rbind /dev/pts dev/pts
number=2 # /dev/cua2 is another name of /dev/ttyS2
for end in a0 a1; do
	: >dev/ttyS$number
	mount --bind "$(readlink "$top/$end")" dev/ttyS$number
	number=$((number + 1))
done
[ ! -d /sys/class/tty ] || mount -t tmpfs tmpfs /sys/class/tty # the real ones of that name
mount -t tmpfs tmpfs /run # locks, control sockets
mkdir /run/lock
mount --rbind etc /etc
mount --bind "$top/bin" /usr/local/sbin # on the PATH that commands get
mount --rbind dev /dev
cd /
exec "$@"
"""

DIAL_SCRIPT = """\
TIMEOUT 30
ABORT BUSY
ABORT 'NO CARRIER'
ABORT 'NO DIALTONE'
ABORT 'NO ANSWER'
'' ATZ
OK ATE0
OK ATDT{number}
CONNECT \\c
"""

EQL_ENSLAVE = """\
#!/bin/sh
echo "$*" >>{directory}/enslaved
"""


def write(path, text, mode=0o644):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, mode)


def furnish(directory):
    """What the configuration speaks of: dial scripts, and eql_enslave."""
    os.mkdir(f"{directory}/dialout")
    for device, number in zip(("cua2", "cua3"), NUMBERS):
        write(f"{directory}/dialout/{device}-288.xp", DIAL_SCRIPT.format(number=number))
    os.mkdir(f"{directory}/bin")
    write(f"{directory}/bin/eql_enslave", EQL_ENSLAVE.format(directory=directory), 0o755)


def imported(directory):
    """The configuration that runslip.conf is made into; its path."""
    said = subprocess.run([program("serialbundle"), "--import", "runslip", RUNSLIP],
                          capture_output=True, text=True, check=True)
    path = f"{directory}/serialbundle.conf"
    write(path, said.stdout)
    return path


def modems(*extras, bps=28800, numbers=NUMBERS, **words):
    """Cables with a modem at each end, of which the far one answers at the first ring."""
    common_keys = "modem=yes,b.init=E0S0=1,ring-every=1s,train=1s"
    return [Line(bps, extra=f"{common_keys},b.number={number}" + (f",{extra}" if extra else ""),
                 **words) for number, extra in zip(numbers, extras)]


class Called:
    """Host a dials host b: `async with Called(lines) as pair`, when a's bundle is ready."""

    def __init__(self, lines, ecn=0):
        self.lines = lines
        self._sysctls = {**SYSCTLS, "ipv4.tcp_ecn": ecn}

    async def __aenter__(self):
        async with contextlib.AsyncExitStack() as stack:
            self.directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="sbrig-"))
            self.nullmodem = NullModem(program("nullmodem"), self.directory, self.lines)
            stack.callback(self.nullmodem.kill)
            self.a = self._host(stack, "a", OURS)
            self.b = self._host(stack, "b", THEIRS)
            await self.nullmodem.ready()
            answering = self.b.start_bundle(self.answering_argv())
            dialling = self.a.start_bundle(self.dialling())
            await self.a.bundle_ready(dialling, 60)
            await self.b.bundle_ready(answering, 60)
            self._stack = stack.pop_all()
        return self

    def _host(self, stack, side, address):
        host = Host(side, [address], self.directory)
        stack.callback(host.close)
        for name, value in self._sysctls.items():
            host.ns.sysctl(name, value)
        return host

    def answering_argv(self):
        return [program("serialbundle"), "--realtime", "--mtu", MTU, "--local", THEIRS,
                "--remote", OURS, *(f"{end}:{line.bps}@38400,answer=auto"
                                    for end, line in zip(self.nullmodem.ends["b"], self.lines))]

    def dialling(self):
        """argv of the dialling side."""
        furnish(self.directory)
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", MACHINE_OF_1995,
                "machine", self.directory, program("serialbundle"), "--realtime", "--config",
                imported(self.directory), "--remote", THEIRS]

    def enslaved(self):
        """The arguments of each eql_enslave so far."""
        with contextlib.suppress(FileNotFoundError), \
                open(f"{self.directory}/enslaved", encoding="ascii") as file:
            return file.read().splitlines()
        return []

    async def calls(self):
        """nullmodem's report, its time included."""
        return json.loads(await self.nullmodem.command("report"))

    async def __aexit__(self, kind, error, trace):
        async with self._stack:
            if kind is not None:
                return
            await asyncio.gather(self.a.stop_bundle(), self.b.stop_bundle())
            await self.nullmodem.stop()
