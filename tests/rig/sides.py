# SPDX-License-Identifier: MIT
"""Two sides joined by nullmodem's cables, of three kinds: serialbundle on hosts, pppd in guests,
and one of each. `async with ours(lines, ...) as (a, b)`: sides as in move.py, ready for traffic.
"""

import asyncio
import contextlib
import re
import tempfile

from .move import GuestSide, HostSide
from .nullmodem import NullModem
from .pair import SYSCTLS, Host, Pair, program
from .peers import Pppd
from .process import until
from .vm import Machine

ADDRESSES = ("10.9.0.1", "10.9.0.2")


@contextlib.asynccontextmanager
async def cables(lines, sockets):
    with tempfile.TemporaryDirectory(prefix="sbrig-") as directory:
        nullmodem = NullModem(program("nullmodem"), directory, lines, sockets=sockets)
        try:
            await nullmodem.ready()
            yield nullmodem, directory
        finally:
            nullmodem.kill()


@contextlib.contextmanager
def host(directory, addresses=(ADDRESSES[0],), sysctls=()):
    """A host that is side a, without a program yet."""
    one = Host("a", list(addresses), directory)
    try:
        for name, value in {**SYSCTLS, **dict(sysctls)}.items():
            one.ns.sysctl(name, value)
        yield one
    finally:
        one.close()


def bundle_argv(nullmodem, lines, mtu, *args):
    """serialbundle at side a of the first cables."""
    return [program("serialbundle"), "--mtu", str(mtu), *args,
            *(f"{end}:{line.bps}" for end, line in zip(nullmodem.ends["a"], lines))]


async def all_up(one, n):
    """Until all lines of a host's bundle are up; it is ready with the first."""
    def are_up():
        with open(one.bundle.log, encoding="utf-8") as log:
            return len(set(re.findall(r"^(\w+): up,", log.read(), re.MULTILINE))) == n

    await until(are_up, 30, f"{n} lines are up", process=one.bundle)


@contextlib.asynccontextmanager
async def ours(lines, mtu):
    async with Pair(lines, mtu=mtu, ppp=True) as pair:
        await asyncio.gather(*(all_up(one, len(lines)) for one in (pair.a, pair.b)))
        yield HostSide(pair.a), HostSide(pair.b)


@contextlib.asynccontextmanager
async def kernels(lines, mtu):
    """pppd and pppd; a single line is without multilink, as one would have it."""
    async with (cables(lines, "ab") as (nullmodem, directory),
                Machine(nullmodem.ends["a"], directory, name="a") as vm_a,
                Machine(nullmodem.ends["b"], directory, name="b") as vm_b):
        multilink = len(lines) > 1
        a, b = Pppd(vm_a, multilink=multilink), Pppd(vm_b, multilink=multilink, passive=True)
        await b.start(lines, ADDRESSES[1], ADDRESSES[0], mtu)
        await a.start(lines, ADDRESSES[0], ADDRESSES[1], mtu)
        await asyncio.gather(a.connected(), b.connected())
        yield GuestSide(vm_a, ADDRESSES[0]), GuestSide(vm_b, ADDRESSES[1])


@contextlib.asynccontextmanager
async def mixed(lines, mtu, args=("--ppp",)):
    """serialbundle and pppd."""
    async with (cables(lines, "b") as (nullmodem, directory),
                Machine(nullmodem.ends["b"], directory) as vm):
        with host(directory) as one:
            pppd = Pppd(vm, multilink=len(lines) > 1, passive=True)
            await pppd.start(lines, ADDRESSES[1], ADDRESSES[0], mtu)
            argv = bundle_argv(nullmodem, lines, mtu, *args, "--local", ADDRESSES[0],
                               "--remote", ADDRESSES[1])
            await one.bundle_ready(one.start_bundle(argv))
            await asyncio.gather(pppd.connected(), all_up(one, len(lines)))
            yield HostSide(one), GuestSide(vm, ADDRESSES[1])
