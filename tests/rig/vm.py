# SPDX-License-Identifier: MIT
"""A stock kernel as a peer: a virtual machine whose UARTs are nullmodem's ends.

    this process ── control channel ── agent          guest (tests/vm/init)
    nullmodem ═══ unix sockets ═══ UART ── 8250 driver ── /dev/ttyS0.. ── pppd, slattach, ...

    async with Machine(nullmodem.sockets, directory) as vm:
        await vm.run("ip address show")
        job = await vm.start("pppd ...")

The processor is emulated (QEMU's TCG): slow, but serial lines are slower, and it runs anywhere.
The control channel is tests/vm/agent.c.

A UART of QEMU has no rate of its own. It writes each character to its socket at once and waits when
that takes no more, so the rate is nullmodem's. What stands between the driver and the line is the
UART's FIFO (16), the socket's send buffer and nullmodem's buffer (64). QEMU leaves the socket's
buffer at its default, 277 characters; here it is the least that Linux allows, 7. A real
16550A with a line behind it has 16; the difference is less than one packet.
"""

import asyncio
import contextlib
import os
import shlex
import socket
import struct
import subprocess

from .pair import build_directory
from .process import Process, ProcessFailed

MEMORY_MB = 192
BOOT_SECONDS = 120
MAX_LINES = 4  # ISA serial ports
IRQS = (4, 3, 5, 7)  # one each; the driver learns them from ACPI
HEADER = struct.Struct("=IB3s")
MAX_FRAME = 65536
HERE = os.path.dirname(os.path.abspath(__file__))


class CommandFailed(ProcessFailed):
    """A command in the guest ended with another status than 0."""


class Job:
    """A command that runs in the guest; its output so far, and when its last piece came."""

    def __init__(self, machine, number, command):
        self._machine, self._number, self._command = machine, number, command
        self.output, self.errors = bytearray(), bytearray()
        self.status = None
        self.last_output = None  # time of the loop's clock
        self._changed = asyncio.Event()

    def arrived(self, kind, data, now):
        if kind == b"o":
            self.output += data
            self.last_output = now
        elif kind == b"e":
            self.errors += data
        elif kind == b"x":
            self.status = data[0]
        self._changed.set()

    async def _until(self, condition, seconds, what):
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise TimeoutError(f"guest: not within {seconds} s: {what}\n{self.said()}") from None

    async def says(self, *texts, seconds=10):
        """Until it has printed one of the texts, on either output; the loop's time then."""
        def said():
            return any(text.encode() in out for text in texts for out in (self.output, self.errors))

        await self._until(lambda: said() or self.status is not None, seconds, f"{texts}")
        if not said():
            raise CommandFailed(f"guest: ended without {texts}\n{self.said()}")
        return asyncio.get_running_loop().time()

    async def more(self, seconds):
        """Until something happens, or that time has passed."""
        self._changed.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    async def ended(self, seconds):
        """Its exit status."""
        await self._until(lambda: self.status is not None, seconds, "end")
        return self.status

    async def stop(self, number=15, seconds=20):
        """Signals all of its session's processes that kept its group; its exit status."""
        if self.status is None:
            self._machine.send(self._number, b"s", bytes([number]))
        return await self.ended(seconds)

    def said(self, size=4000):
        text = (self.output[-size:] + self.errors[-size:]).decode("ascii", "backslashreplace")
        return f"$ {self._command}\n" + "".join(f"  | {line}\n" for line in text.splitlines())


class Machine:
    """A guest whose /dev/ttyS0.. are joined to unix-socket ends of a nullmodem that runs.

    usb: more such ends, each of a USB adapter (FTDI's ids, serial numbers SB0, SB1, ...). An adapter
    is plugged in while its end takes the connection: unplugged when its cable is hung up, and
    plugged in again within a second of its return.

    reconnect: the lines come back within a second after their cables were hung up and returned;
    the buffers of their sockets are QEMU's own then, 277 characters.
    """

    def __init__(self, sockets, directory, *, name="vm", usb=(), reconnect=False):
        if len(sockets) > MAX_LINES:
            raise ValueError(f"a machine has {MAX_LINES} lines at most")
        self.sockets, self.directory, self.name, self._usb = sockets, directory, name, usb
        self.console = os.path.join(directory, f"{name}.console")
        self.ttys = [f"/dev/ttyS{i}" for i in range(len(sockets))]
        self._reconnect = reconnect
        self._jobs, self._numbers = {}, 0
        self._stack = None

    async def __aenter__(self):
        loop = asyncio.get_running_loop()
        async with contextlib.AsyncExitStack() as stack:
            ours, theirs = socket.socketpair()
            lines = [] if self._reconnect else [
                stack.enter_context(_connected(path)) for path in self.sockets]
            argv = self._argv(await loop.run_in_executor(None, kernel_and_initramfs),
                              theirs.fileno(), [line.fileno() for line in lines])
            self.process = Process(argv, log=os.path.join(self.directory, f"{self.name}.qemu"),
                                   pass_fds=[theirs.fileno(), *(line.fileno() for line in lines)])
            stack.callback(self.process.kill)
            theirs.close()
            reader, self._writer = await asyncio.open_unix_connection(sock=ours)
            stack.callback(self._writer.close)
            self._hello = loop.create_future()
            self._dispatcher = asyncio.create_task(self._dispatch(reader))
            stack.callback(self._dispatcher.cancel)
            try:
                async with asyncio.timeout(BOOT_SECONDS):
                    await self._hello
            except TimeoutError:
                raise ProcessFailed(f"{self.name} does not boot\n{self._console_end()}") from None
            self._stack = stack.pop_all()
        for line in lines:
            line.close()  # they are QEMU's now
        return self

    async def __aexit__(self, *_):
        await self._stack.aclose()

    def _argv(self, images, control, lines):
        kernel, initramfs = images
        # Before other programs: a machine of its own would not wait for them.
        argv = ["nice", "-n", "-15", "qemu-system-x86_64", "-accel", "tcg", "-machine", "pc",
                "-cpu", "max", "-m", MEMORY_MB, "-nodefaults", "-no-user-config", "-no-reboot",
                "-display", "none", "-kernel", kernel, "-initrd", initramfs,
                "-append", "console=hvc0 quiet panic=-1 random.trust_cpu=on",
                "-device", "virtio-serial-pci",
                "-chardev", f"socket,id=control,fd={control}",
                "-device", "virtserialport,chardev=control,nr=1",
                "-chardev", f"file,id=console,path={self.console}",
                "-device", "virtconsole,chardev=console,nr=2"]
        ways = ([f"path={path},reconnect=1" for path in self.sockets] if self._reconnect
                else [f"fd={fd}" for fd in lines])
        for i, way in enumerate(ways):
            argv += ["-chardev", f"socket,id=line{i},{way}",
                     "-device", f"isa-serial,chardev=line{i},index={i},irq={IRQS[i]}"]
        for i, path in enumerate(self._usb):
            argv += ["-device", f"qemu-xhci,id=bus{i}",
                     "-chardev", f"socket,id=usb{i},path={path},reconnect=1",
                     "-device", f"usb-serial,bus=bus{i}.0,chardev=usb{i},serial=SB{i}"]
        return argv

    def _console_end(self):
        with contextlib.suppress(FileNotFoundError), open(self.console, "rb") as file:
            return file.read()[-4000:].decode("utf-8", "replace") + self.process.said()
        return self.process.said()

    async def _dispatch(self, reader):
        loop = asyncio.get_running_loop()
        try:
            while True:
                number, kind, size = HEADER.unpack(await reader.readexactly(HEADER.size))
                data = await reader.readexactly(int.from_bytes(size, "little"))
                if kind == ord("h"):
                    self._hello.set_result(None)
                elif number in self._jobs:
                    job = self._jobs[number]
                    job.arrived(bytes([kind]), data, loop.time())
                    if job.status is not None:
                        del self._jobs[number]
        except (asyncio.IncompleteReadError, ConnectionError):
            if not self._hello.done():
                self._hello.set_exception(ProcessFailed(
                    f"{self.name} ended while booting\n{self._console_end()}"))

    def send(self, number, kind, data):
        self._writer.write(HEADER.pack(number, kind[0], len(data).to_bytes(3, "little")) + data)

    async def start(self, command, data=None):
        """Starts a shell command; its standard input is the data, or stays open without any."""
        self._numbers += 1
        job = self._jobs[self._numbers] = Job(self, self._numbers, command)
        self.send(self._numbers, b"r", command.encode())
        if data is not None:
            for at in range(0, len(data), MAX_FRAME):
                self.send(self._numbers, b"i", data[at:at + MAX_FRAME])
            self.send(self._numbers, b"i", b"")
        await self._writer.drain()
        return job

    async def run(self, command, *, data=b"", seconds=30, check=True):
        """Runs a shell command to its end; the job, which has failed unless its status is 0."""
        job = await self.start(command, data)
        if await job.ended(seconds) != 0 and check:
            raise CommandFailed(f"guest: exit status {job.status}\n{job.said()}")
        return job

    async def write(self, path, data, mode=0o644):
        await self.run(f"mkdir -p {shlex.quote(os.path.dirname(path))} && cat >{shlex.quote(path)} "
                       f"&& chmod {mode:o} {shlex.quote(path)}", data=data)

    async def install(self, program, path):
        """A program of the host and its shared libraries."""
        listing = subprocess.run(["ldd", program], check=True, capture_output=True, text=True)
        for word in listing.stdout.split():
            if word.startswith("/") and (await self.run(f"[ -e {word} ]", check=False)).status:
                with open(word, "rb") as file:
                    await self.write(word, file.read(), 0o755)
        with open(program, "rb") as file:
            await self.write(path, file.read(), 0o755)


def _connected(path):
    """A client of nullmodem's socket with the least buffer that there is."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    client.connect(path)
    return client


def kernel_and_initramfs():
    """Their paths; the script makes the archive when it is not there yet."""
    made = subprocess.run([os.path.join(HERE, "..", "vm", "initramfs"),
                           os.path.join(build_directory(), "vm")],
                          check=True, stdout=subprocess.PIPE, text=True)
    return made.stdout.split()
