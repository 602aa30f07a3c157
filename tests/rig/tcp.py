# SPDX-License-Identifier: MIT
"""TCP transfers between the hosts, timed from connect() to the last byte received."""

import asyncio
import dataclasses
import socket
import struct
import time

TCP_CONGESTION = 13
CONNECT_SECONDS = 60


@dataclasses.dataclass
class Transfer:
    """One finished transfer, as both sockets saw it."""

    bytes: int
    seconds: float
    intact: bool
    port: int
    segments: int
    retransmitted: int  # segments
    bytes_retransmitted: int

    @property
    def retransmitted_share(self):
        return self.retransmitted / self.segments if self.segments else 0.0


class TcpInfo:
    """The fields of struct tcp_info (linux/tcp.h) that are looked at."""

    def __init__(self, sock):
        raw = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        (self.total_retrans,) = struct.unpack_from("=I", raw, 100)
        (self.segs_out,) = struct.unpack_from("=I", raw, 136)
        (self.data_segs_out,) = struct.unpack_from("=I", raw, 156)
        # Microseconds with something to send, and those of them in which the receiver's window
        # or the socket's own buffer kept it; in the others it was the congestion window.
        self.busy, self.by_receiver, self.by_buffer = struct.unpack_from("=3Q", raw, 168)
        (self.bytes_retrans,) = struct.unpack_from("=Q", raw, 208)
        (self.dsack_dups,) = struct.unpack_from("=I", raw, 216)  # sent again, and had arrived


def stream_socket(host, congestion="cubic"):
    """A TCP socket of the host, that does not block."""
    with host.ns:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, congestion.encode())
    return sock


async def transfer(sender, receiver, payload, *, congestion="cubic", progress=None, stall=60):
    """Moves payload from host to host. `progress` is called with the bytes received so far;
    `stall` seconds without a byte end the wait with TimeoutError."""
    loop = asyncio.get_running_loop()
    listener, client = stream_socket(receiver, congestion), stream_socket(sender, congestion)
    connection = None
    try:
        listener.bind((receiver.address, 0))
        listener.listen(1)
        port = listener.getsockname()[1]
        start = time.monotonic()
        async with asyncio.timeout(CONNECT_SECONDS):
            await loop.sock_connect(client, (receiver.address, port))
            connection, _ = await loop.sock_accept(listener)
        connection.setblocking(False)
        sending = asyncio.create_task(_send(client, payload))
        try:
            received, end = await receive(connection, len(payload), progress, stall)
            await sending
        finally:
            sending.cancel()
        info = TcpInfo(client)
        return Transfer(len(received), end - start, received == payload, port,
                        info.data_segs_out, info.total_retrans, info.bytes_retrans)
    finally:
        for sock in (listener, client, connection):
            if sock:
                sock.close()


async def _send(client, payload):
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(client, payload)
    client.shutdown(socket.SHUT_WR)


async def receive(connection, expected, progress, stall):
    """All bytes up to the end of the stream, and when the last one came."""
    loop = asyncio.get_running_loop()
    received, end = bytearray(), time.monotonic()
    while True:
        async with asyncio.timeout(stall):
            chunk = await loop.sock_recv(connection, 1 << 16)
        if not chunk:
            return received, end
        received += chunk
        if len(received) <= expected:
            end = time.monotonic()
        if progress:
            progress(len(received))
