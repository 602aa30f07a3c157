# SPDX-License-Identifier: MIT
"""TCP transfers and pings where either side may be a host (a namespace here) or a guest.

Times are those of this process's clock, whichever side says so: a guest's "connecting" and the
last piece that it received come over the control channel within a few milliseconds.
"""

import asyncio
import dataclasses
import itertools
import socket

from . import ping, tcp

_ports = itertools.count(5001)  # of guests; a new one each time, so that nothing old is met
CONNECT_SECONDS = 90


@dataclasses.dataclass
class Moved:
    seconds: float
    intact: bool
    retransmitted: int


class HostSide:
    """A rig.pair.Host."""

    def __init__(self, host, address=None):
        self.host, self.address = host, address or host.address
        self._family = socket.AF_INET6 if ":" in self.address else socket.AF_INET

    def _socket(self):
        with self.host.ns:
            sock = socket.socket(self._family, socket.SOCK_STREAM)
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, tcp.TCP_CONGESTION, b"cubic")
        return sock

    async def receiver(self, expected, stall):
        """Listens; (port, task of (bytes, time of the last one))."""
        loop, listener = asyncio.get_running_loop(), self._socket()
        listener.bind((self.address, 0))
        listener.listen(1)

        async def receive():
            connection = None
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    connection, _ = await loop.sock_accept(listener)
                connection.setblocking(False)
                return await tcp.receive(connection, expected, None, stall)
            finally:
                listener.close()
                if connection:
                    connection.close()

        return listener.getsockname()[1], asyncio.create_task(receive())

    async def send(self, address, port, payload, stall):
        """(time when it began, segments sent again) when all is sent."""
        loop, client = asyncio.get_running_loop(), self._socket()
        try:
            start = loop.time()
            async with asyncio.timeout(CONNECT_SECONDS):
                await loop.sock_connect(client, (address, port))
            await loop.sock_sendall(client, payload)
            client.shutdown(socket.SHUT_WR)
            async with asyncio.timeout(stall):
                await loop.sock_recv(client, 1)  # its end: the receiver has it all
            return start, tcp.TcpInfo(client).total_retrans
        finally:
            client.close()

    async def ping(self, address, *, count, size=ping.SIZE, interval=0.2):
        pinger = ping.Pinger(self.host, address, count=count, size=size, interval=interval)
        return await pinger.finished(count * interval + 30)

    async def pinger(self, address, interval=0.2):
        """One that runs until stop()."""
        return ping.Pinger(self.host, address, interval=interval)


class GuestSide:
    """A rig.vm.Machine, with the address that it has on the lines."""

    def __init__(self, vm, address):
        self.vm, self.address = vm, address

    async def receiver(self, expected, stall):
        port = next(_ports)
        job = await self.vm.start(f"exec tcp receive {self.address} {port}", b"")
        await job.says("listening")

        async def receive():
            try:
                have = -1
                while job.status is None:
                    if have == len(job.output) and have:
                        raise TimeoutError(f"guest: nothing for {stall} s\n{job.said()}")
                    have = len(job.output)
                    await job.more(stall)
                return job.output, job.last_output
            finally:
                await job.stop(9)

        return port, asyncio.create_task(receive())

    async def send(self, address, port, payload, stall):
        await self.vm.write("/tmp/payload", payload)
        job = await self.vm.start(f"exec tcp send {address} {port} </tmp/payload", b"")
        try:
            start = await job.says("connecting")
            await job.says("retransmitted", seconds=None)  # the receiver tells when nothing moves
            return start, int(job.errors.split()[-1])
        finally:
            await job.stop(9)

    async def ping(self, address, *, count, size=ping.SIZE, interval=0.2):
        job = await self.vm.start(_ping(address, interval, size) + f" -c {count} -W 5", b"")
        await job.ended(count * interval + 30)
        return ping.parse(job.output.decode(), stopped=False)

    async def pinger(self, address, interval=0.2):
        return _GuestPinger(await self.vm.start(_ping(address, interval, ping.SIZE), b""))


def _ping(address, interval, size):
    # By its path: a bare "ping" would be busybox's own.
    return f"exec /bin/ping -n -i {interval} -s {size} {address}"


class _GuestPinger:
    def __init__(self, job):
        self._job = job

    async def stop(self):
        await self._job.stop(2)
        return ping.parse(self._job.output.decode(), stopped=True)


async def move(sender, receiver, payload, *, stall=60):
    """Moves the payload; `stall` seconds without a byte at the receiver are a TimeoutError."""
    port, receiving = await receiver.receiver(len(payload), stall)
    sending = asyncio.create_task(sender.send(receiver.address, port, payload, stall))
    try:
        await asyncio.wait([sending, receiving], return_when=asyncio.FIRST_EXCEPTION)
        for task in (sending, receiving):
            if task.done():
                task.result()  # raises what ended it
        (received, end), (start, retransmitted) = receiving.result(), sending.result()
        return Moved(end - start, received == payload, retransmitted)
    finally:
        for task in (sending, receiving):
            task.cancel()
        await asyncio.gather(sending, receiving, return_exceptions=True)
