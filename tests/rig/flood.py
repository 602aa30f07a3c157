# SPDX-License-Identifier: MIT
"""UDP packets of one size, more than the lines carry, and when those that pass arrive.

Times are the kernel's at the receiver (SO_TIMESTAMPNS), so that a late Python does not blur them.
"""

import asyncio
import socket
import struct

HEADERS = 20 + 8  # IPv4 and UDP
SO_TIMESTAMPNS = 35
ROOM = 1 << 20  # for what waits while nobody looks


def udp_socket(host, port=0):
    """Of the host, bound; it does not block."""
    with host.ns:
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM)
    sock.bind((host.address, port))
    return sock


class Flood:
    """From one host to the other: `await Flood(a, b, ip_bytes, packets_per_second).run(seconds)`;
    `arrivals` are the seconds at which packets came. Payload is zeros, which nothing escapes."""

    def __init__(self, sender, receiver, ip_bytes, per_second):
        self._sender, self._receiver = sender, receiver
        self._payload, self._per_second = bytes(ip_bytes - HEADERS), per_second
        self.arrivals = []

    async def run(self, seconds):
        loop = asyncio.get_running_loop()
        source, sink = udp_socket(self._sender), udp_socket(self._receiver)
        try:
            sink.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            source.connect(sink.getsockname())
            loop.add_reader(sink, self._receive, sink)
            await self._send(source, seconds)
            loop.remove_reader(sink)
        finally:
            source.close()
            sink.close()

    async def _send(self, source, seconds):
        loop = asyncio.get_running_loop()
        start, sent = loop.time(), 0
        while (passed := loop.time() - start) < seconds:
            while sent < passed * self._per_second:
                source.send(self._payload)
                sent += 1
            await asyncio.sleep(0.01)

    def _receive(self, sink):
        while True:
            try:
                _, ancillary, _, _ = sink.recvmsg(0, 64)
            except BlockingIOError:
                return
            for level, kind, data in ancillary:
                if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                    seconds, ns = struct.unpack("qq", data[:16])
                    self.arrivals.append(seconds + ns / 1e9)

    def per_second(self, skip):
        """Of the packets, without those of the first `skip` seconds."""
        times = [at for at in self.arrivals if at >= self.arrivals[0] + skip]
        return (len(times) - 1) / (times[-1] - times[0])
