#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packets over three unequal lines arrive once and unchanged; what noise made of them does not.

    integrity.py [--quick]
"""

import asyncio
import contextlib
import random
import socket
import struct

import common
from rig.nullmodem import Line
from rig.pair import Pair
from rig.result import run_tests

MTU = 900
PACKETS = 30_000 if common.QUICK else 100_000
ETH_P_ALL = 3
PACKET_OUTGOING = 4


async def clean_lines(tally):
    # At such speeds a modem that is ahead by 64 characters would be waited for, not the wire.
    lines = [Line(bps, extra="buffer=16K") for bps in (4_000_000, 2_000_000, 1_000_000)]
    async with Pair(lines, mtu=MTU) as pair:
        volley = common.Volley(pair.a, pair.b, MTU, PACKETS, random.Random(1))
        missing = await volley.run()
        carried = await pair.nullmodem.carried()
    tally.check(missing == 0, f"{missing} of {PACKETS} packets did not arrive")
    tally.check(volley.arrived == PACKETS, f"{volley.arrived} arrived")
    tally.check(volley.strangers == 0, f"{volley.strangers} arrived twice or changed")
    tally.check(min(carried) > 0.05 * sum(carried), f"all lines took part: {carried}")


class Watch:
    """Looks at every packet that comes out of the TUN, as the kernel got it."""

    def __init__(self, host):
        with host.ns:
            self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK,
                                         socket.htons(ETH_P_ALL))
        self._socket.bind((host.interface(), ETH_P_ALL))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.good, self.bad = 0, []
        asyncio.get_running_loop().add_reader(self._socket, self._look)

    def _look(self):
        with contextlib.suppress(BlockingIOError):
            while True:
                packet, (_, _, kind, *_) = self._socket.recvfrom(1 << 16)
                if kind == PACKET_OUTGOING:
                    continue
                if is_ip(packet):
                    self.good += 1
                else:
                    self.bad.append(packet)

    def close(self):
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()


def is_ip(packet):
    """Exactly one IPv4 packet with a valid header checksum, or exactly one IPv6 packet."""
    if len(packet) >= 40 and packet[0] >> 4 == 6:
        return int.from_bytes(packet[4:6], "big") == len(packet) - 40
    header = (packet[0] & 15) * 4 if packet else 0
    if len(packet) < 20 or packet[0] >> 4 != 4 or not 20 <= header <= len(packet):
        return False
    words = sum(struct.unpack_from(f">{header // 2}H", packet))
    while words >> 16:
        words = (words & 0xFFFF) + (words >> 16)
    return words == 0xFFFF and int.from_bytes(packet[2:4], "big") == len(packet)


async def noisy_lines(tally):
    """One character in a hundred is another one; then the lines are clean again."""
    lines = [Line(1_000_000), Line(500_000), Line(250_000)]
    async with Pair(lines, mtu=MTU) as pair:
        watch = Watch(pair.b)
        try:
            await set_noise(pair, 0.01)
            await spray(pair, 4000, 1.1 * sum(line.chars_per_second for line in lines))
            await set_noise(pair, 0)
            damaged = [cable["ab"]["damaged"] for cable in await pair.nullmodem.report()]
            tally.check(min(damaged) > 100, f"there was noise on each line: {damaged}")
            noisy = watch.good
            tally.check(0 < noisy < 4000, f"some packets came through ({noisy}), and not all")
            before = await pair.nullmodem.carried()
            volley = common.Volley(pair.a, pair.b, MTU, 3000, random.Random(2))
            missing = await volley.run()
            after = await pair.nullmodem.carried()
        finally:
            watch.close()
    tally.check(not watch.bad, f"{len(watch.bad)} that are no IP packets reached the TUN, "
                f"the first: {watch.bad[:1]}")
    tally.check((missing, volley.strangers) == (0, 0),
                f"after the noise {missing} missing, {volley.strangers} strange")
    gained = [now - then for then, now in zip(before, after)]
    tally.check(min(gained) > 0.05 * sum(gained), f"all lines carry again: {gained}")


async def set_noise(pair, share):
    for i in range(len(pair.lines)):
        await pair.nullmodem.command(f"set c{i} byte-errors={share}")


async def spray(pair, count, bytes_per_second):
    """Packets that may get lost, of sizes that give each a chance, faster than the lines."""
    generator = random.Random(3)
    sockets = [common.udp_socket(pair.a) for _ in range(16)]
    sink = common.udp_socket(pair.b)
    loop = asyncio.get_running_loop()
    due = loop.time()
    try:
        for i in range(count):
            data = common.special_bytes(generator, generator.randrange(120))
            sockets[i % len(sockets)].sendto(data, sink.getsockname())
            due += (len(data) + common.IP_HEADERS) / bytes_per_second
            if due > loop.time():
                await asyncio.sleep(due - loop.time())
    finally:
        for sock in (*sockets, sink):
            sock.close()


run_tests(clean_lines, noisy_lines)
