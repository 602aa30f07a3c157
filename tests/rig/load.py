# SPDX-License-Identifier: MIT
"""TCP connections that send as fast as they may until they are told to stop, and what came of them.

A flow's sender has always more to send, so what is counted is what the receiver read: over a window
of time between two looks, in which neither slow start nor the end of a transfer has a part.
"""

import asyncio
import dataclasses
import random
import socket
import struct
import time

from . import limit
from .tcp import TcpInfo, stream_socket

CONNECT_SECONDS = 60
PIECE = 1 << 18
# Sent again and again. Each byte that SLIP escapes takes two characters, as in random data.
DATA = random.Random("load").randbytes(1 << 20)
ESCAPED = limit.slip_length(DATA) / len(DATA)


class Flow:
    """A connection from one host to the other: `await Flow(a, b).open()`; close() it."""

    def __init__(self, sender, receiver, congestion="cubic"):
        self._hosts, self._congestion = (sender, receiver), congestion
        self._listener = self._client = self._connection = None
        self._sent_at = 0
        self._buffer = bytearray(PIECE)
        self.received = 0

    async def open(self):
        loop, (sender, receiver) = asyncio.get_running_loop(), self._hosts
        self._listener = stream_socket(receiver, self._congestion)
        self._client = stream_socket(sender, self._congestion)
        self._listener.bind((receiver.address, 0))
        self._listener.listen(1)
        async with asyncio.timeout(CONNECT_SECONDS):
            await loop.sock_connect(self._client, self._listener.getsockname())
            self._connection, _ = await loop.sock_accept(self._listener)
        self._connection.setblocking(False)
        loop.add_reader(self._connection, self._receive)
        loop.add_writer(self._client, self._send)
        return self

    def _send(self):
        try:
            with memoryview(DATA) as data:
                n = self._client.send(data[self._sent_at:self._sent_at + PIECE])
        except BlockingIOError:
            return
        self._sent_at = (self._sent_at + n) % len(DATA)

    def _receive(self):
        try:
            self.received += self._connection.recv_into(self._buffer)
        except BlockingIOError:
            return

    @property
    def port(self):
        """Of the receiver."""
        return self._listener.getsockname()[1]

    def look(self):
        """What has happened so far."""
        info = TcpInfo(self._client)
        return Look(time.monotonic(), self.received, TcpInfo(self._connection).segs_out,
                    info.total_retrans, info.dsack_dups, info.data_segs_out,
                    (info.by_receiver + info.by_buffer) / 1e6,
                    (info.busy - info.by_receiver - info.by_buffer) / 1e6)

    def close(self):
        """At once: nothing that waits is sent any more."""
        loop = asyncio.get_running_loop()
        for sock, remove in ((self._connection, loop.remove_reader),
                             (self._client, loop.remove_writer), (self._listener, None)):
            if not sock:
                continue
            if remove:
                remove(sock)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()


@dataclasses.dataclass(frozen=True)
class Look:
    """At one moment; the difference of two is what happened between them."""

    time: float
    received: int  # bytes of payload
    acks: int  # segments that the receiver sent
    resent: int  # segments
    needless: int  # of them had arrived: it was overtaken, not lost
    segments: int
    by_windows: float  # seconds for which the receiver, or the socket's buffer, kept it
    by_congestion: float  # and its congestion window, in the others that it had something to send

    def __sub__(self, other):
        return Look(*(a - b for a, b in zip(dataclasses.astuple(self),
                                            dataclasses.astuple(other))))

    @property
    def bps(self):
        return 8 * self.received / self.time


class Load:
    """Flows side by side. `async with Load([(a, b)] * 4 + [(b, a)] * 4) as load`."""

    def __init__(self, ways, congestion="cubic"):
        self.flows = [Flow(sender, receiver, congestion) for sender, receiver in ways]

    async def __aenter__(self):
        try:
            await asyncio.gather(*(flow.open() for flow in self.flows))
        except BaseException:
            self._close()
            raise
        return self

    async def __aexit__(self, *_):
        self._close()

    def _close(self):
        for flow in self.flows:
            flow.close()

    def look(self):
        return [flow.look() for flow in self.flows]

    async def sample(self, seconds, step):
        """Looks each `step` for so long: [[look of each flow] at each moment]."""
        loop = asyncio.get_running_loop()
        start, looks = loop.time(), [self.look()]
        for i in range(1, round(seconds / step) + 1):
            await asyncio.sleep(max(0, start + i * step - loop.time()))
            looks.append(self.look())
        return looks


def slip_characters(received, packets_of):
    """Characters of full segments of MTU packets_of that carry so much payload."""
    segments = received / (packets_of - limit.HEADERS)
    return received * ESCAPED + segments * (limit.HEADERS + 2)
