#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines leave and come back; the bundle and its interface stay.

    failover.py [--quick]
"""

import asyncio
import os
import re
import signal
import socket

import common
from rig.nullmodem import Line
from rig.pair import Pair
from rig.ping import Pinger
from rig.process import until
from rig.result import run_tests
from rig.tcp import transfer

LINES = [Line(115200), Line(57600), Line(57600)]
HANGUPS = 4 if common.QUICK else 10
BACK_WITHIN = 2.0  # seconds


def interface(host):
    """(index, name) of the bundle's interface; a new one would have a new index."""
    with host.ns:
        return [entry for entry in socket.if_nameindex() if entry[1] != "lo"]


async def carries(pair, line, more_than, seconds, what):
    """Until the line has carried more characters than that, toward b."""
    async def has():
        return (await pair.nullmodem.carried())[line] > more_than

    await until(has, seconds, what)


async def lines_come_and_go(tally):
    """Again and again in a transfer a line is lost and returns, each in turn."""
    loop = asyncio.get_running_loop()
    async with Pair(LINES) as pair:
        payload = os.urandom(HANGUPS * 120_000)  # lasts longer than they take
        before = [interface(host) for host in (pair.a, pair.b)]
        moving = asyncio.create_task(transfer(pair.a, pair.b, payload))
        try:
            await carries(pair, 0, 20_000, 20, "the transfer begins")
            for i in range(HANGUPS):
                line = i % len(LINES)
                await pair.nullmodem.command(f"hangup c{line}")
                other = (line + 1) % len(LINES)
                carried = await pair.nullmodem.carried()
                await carries(pair, other, carried[other] + 2000, 5, f"c{other} goes on alone")
                await pair.nullmodem.command(f"return c{line}")
                start = loop.time()
                await carries(pair, line, carried[line], 10, f"c{line} carries again")
                took = loop.time() - start
                tally.check(took <= BACK_WITHIN, f"c{line} carried {took:.1f} s after its return")
                tally.check([interface(host) for host in (pair.a, pair.b)] == before,
                            "the interfaces are still the same")
            tally.check(not moving.done(), "all this while the transfer was under way")
            result = await moving
        finally:
            moving.cancel()
        hangups = [cable["hangups"] for cable in await pair.nullmodem.report()]
    tally.check(result.intact, "what arrived is what was sent")
    tally.check(sum(hangups) == HANGUPS, f"nullmodem counts {hangups} hang-ups")


async def every_line(pair, verb):
    for i in range(len(pair.lines)):
        await pair.nullmodem.command(f"{verb} c{i}")


def downs(host):
    with open(host.bundle.log, encoding="utf-8") as log:
        return log.read().count(": down")


async def all_hang_up(pair):
    """Until the sender knows: what it gives a line before that is lost."""
    await every_line(pair, "hangup")
    await until(lambda: downs(pair.a) == len(pair.lines), 10, "all lines are down",
                process=pair.a.bundle)


async def packets_wait_for_a_line(tally):
    """E12: without any line packets wait, and go when there is one within the hold time. With PPP,
    since a line of SLIP is up as soon as its port is open, whether anybody is at the other end or
    not yet."""
    async with Pair([Line(57600), Line(57600)], ppp=True, args=("--hold", "20s")) as pair:
        source, sink = common.udp_socket(pair.a), common.udp_socket(pair.b)
        await all_hang_up(pair)
        for i in range(10):
            source.sendto(b"waited %d" % i, sink.getsockname())
        tally.check(await common.datagram(sink, 0.5) is None, "there was no line")
        await every_line(pair, "return")
        got = [await common.datagram(sink, 5) for _ in range(10)]
        tally.check(sorted(filter(None, got)) == [b"waited %d" % i for i in range(10)],
                    f"all ten came after the lines' return: {got}")
        source.close()
        sink.close()


async def packets_do_not_wait_for_ever(tally):
    """E12: after the hold time they are dropped and counted, and the program goes on."""
    async with Pair([Line(57600), Line(57600)], args=("--hold", "1s")) as pair:
        source, sink = common.udp_socket(pair.a), common.udp_socket(pair.b)
        await all_hang_up(pair)
        for _ in range(10):
            source.sendto(b"in vain", sink.getsockname())
        await until(lambda: no_line_drops(pair.a) >= 10, 10, "ten drops are counted",
                    process=pair.a.bundle)
        dropped = no_line_drops(pair.a)
        tally.check(dropped == 10, f"{dropped} of 10 counted as dropped for want of a line")
        await every_line(pair, "return")
        await carries_pings(pair, tally)
        tally.check(await common.datagram(sink, 0.2) is None, "the old packets did not come late")
        source.close()
        sink.close()


def no_line_drops(host):
    """What the summary in the log says; asks for a new one for the next time."""
    host.bundle.send(signal.SIGUSR1)
    with open(host.bundle.log, encoding="utf-8") as log:
        counts = re.findall(r"no line in time (\d+)", log.read())
    return int(counts[-1]) if counts else 0


async def carries_pings(pair, tally):
    """Some ping is answered within BACK_WITHIN seconds and the next ones are too."""
    start = asyncio.get_running_loop().time()
    while (await Pinger(pair.a, pair.b.address, count=1, wait=1).finished(10)).lost:
        if asyncio.get_running_loop().time() - start > 10:
            break
    took = asyncio.get_running_loop().time() - start
    tally.check(took <= BACK_WITHIN, f"a ping was answered {took:.1f} s after the lines' return")
    ping = await Pinger(pair.a, pair.b.address, count=5).finished(30)
    tally.check(ping.lost == 0, f"and so were the next: {ping}")


run_tests(lines_come_and_go, packets_wait_for_a_line, packets_do_not_wait_for_ever)
