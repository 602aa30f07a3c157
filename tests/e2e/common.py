# SPDX-License-Identifier: MIT
"""What the end-to-end tests share. Importing it makes the rig importable."""

import asyncio
import itertools
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from rig.flood import HEADERS as IP_HEADERS, udp_socket  # noqa: E402, F401
from rig.process import cpu_seconds, status_field  # noqa: E402, F401

QUICK = "--quick" in sys.argv  # less of what takes long


def directory():
    """For `with`: gone afterwards."""
    return tempfile.TemporaryDirectory(prefix="sbrig-")


async def datagram(sock, seconds):
    """The next datagram, or None when none comes in time."""
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.get_running_loop().sock_recv(sock, 1 << 16)
    except TimeoutError:
        return None


def special_bytes(random, size):
    """Content of a packet: usually any bytes, sometimes those that SLIP has to escape."""
    if random.random() < 0.75:
        return random.randbytes(size)
    return bytes(random.choices((0xC0, 0xDB, 0xDC, 0xDD, 0x00, 0x11, 0x13), k=size))


class Volley:
    """Sends packets of random size and content and checks that each comes once and unchanged.

    Every source port is a flow of its own with one packet under way; its next one leaves when
    that one has arrived. So no queue builds up and nothing may be lost, while the flows together
    keep all lines busy. A packet that has not come after `patience` seconds is missing.
    """

    def __init__(self, sender, receiver, mtu, count, random, *, flows=96, patience=5):
        self.receiver = receiver
        self.left = count
        self.mtu, self.random, self.patience = mtu, random, patience
        self.sockets = [udp_socket(sender) for _ in range(min(flows, count))]
        self.sink = udp_socket(receiver)
        self.number = itertools.count()
        self.under_way = {}
        self.arrived = self.strangers = 0

    async def run(self):
        """The number of packets that never came."""
        try:
            for flow in range(len(self.sockets)):
                self._send(flow)
            while self.under_way:
                data = await datagram(self.sink, self.patience)
                if data is None:
                    break
                self._arrived(data)
            return len(self.under_way)
        finally:
            for sock in (*self.sockets, self.sink):
                sock.close()

    def _send(self, flow):
        if self.left == 0:
            return
        self.left -= 1
        number = next(self.number)
        head = number.to_bytes(4, "big") + flow.to_bytes(4, "big")
        size = self.random.randrange(self.mtu - IP_HEADERS - len(head) + 1)
        data = head + special_bytes(self.random, size)
        self.under_way[number] = data
        self.sockets[flow].sendto(data, self.sink.getsockname())

    def _arrived(self, data):
        """One that is not under way, or not as it was sent, is a stranger."""
        number = int.from_bytes(data[:4], "big")
        if self.under_way.get(number) != data:
            self.strangers += 1
            return
        del self.under_way[number]
        self.arrived += 1
        self._send(int.from_bytes(data[4:8], "big"))
