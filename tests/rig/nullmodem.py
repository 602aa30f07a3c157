# SPDX-License-Identifier: MIT
"""The cables between the two hosts: the nullmodem program, its control socket and its report."""

import asyncio
import dataclasses
import json
import os
import signal

from .process import Process, ProcessFailed, readable


@dataclasses.dataclass(frozen=True)
class Line:
    """One cable. `extra` holds more of nullmodem's keys ("buffer=64K"), `words` of serialbundle's
    for the line ("ppp"). `back` is the rate from b to a where it is another, `port` what both
    programs are told where that is neither: the speed of a port with a slower modem behind it;
    `words_b` are the words for b's program where they are others."""

    bps: int
    bits: int = 10
    extra: str = ""
    words: str = ""
    back: int = 0
    port: int = 0
    words_b: str | None = None

    @property
    def chars_per_second(self):
        return self.bps / self.bits

    def rate(self, direction):
        """Bits per second of "ab" or "ba"."""
        return self.back if direction == "ba" and self.back else self.bps

    def argument(self, end, side):
        """This cable's end as a LINE of that side's serialbundle."""
        bps = self.port or self.rate("ab" if side == "a" else "ba")
        argument = f"{end}:{bps},bits={self.bits}" if bps else end
        words = self.words if side == "a" or self.words_b is None else self.words_b
        return argument + (f",{words}" if words else "")


class NullModem:
    """Cables c0, c1, ... with the ends DIR/a0, DIR/b0, DIR/a1, ...; those of the sides named in
    `sockets` are unix sockets, for virtual machines.

    A wire does not wait for a processor, so nullmodem runs before other programs where it may.
    """

    def __init__(self, program, directory, lines, seed=1, sockets=""):
        self.lines = lines
        self.ends = {side: [os.path.join(directory, f"{side}{i}") for i in range(len(lines))]
                     for side in "ab"}
        self._control = os.path.join(directory, "nullmodem.control")
        cables = [self._cable(i, line, sockets) for i, line in enumerate(lines)]
        self._process = Process(
            [program, "--realtime", "--seed", seed, "--control", self._control,
             "--report", os.path.join(directory, "nullmodem.report"), *cables],
            log=os.path.join(directory, "nullmodem.log"), pipe_stdout=True)

    def _cable(self, i, line, sockets):
        a, b = (("unix:" if side in sockets else "") + self.ends[side][i] for side in "ab")
        cable = f"{a},{b},name=c{i},bps={line.bps},bits={line.bits}"
        cable += f",ba.bps={line.back}" if line.back else ""
        return cable + (f",{line.extra}" if line.extra else "")

    async def ready(self, seconds=10):
        await readable(self._process.stdout.fileno(), seconds)
        line = self._process.stdout.readline()
        if b"ready" not in line:
            raise ProcessFailed(f"nullmodem did not start: {line!r}\n{self._process.said()}")

    @property
    def pid(self):
        return self._process.pid

    async def command(self, text):
        """One line to the control socket, one line back."""
        reader, writer = await asyncio.open_unix_connection(self._control, limit=1 << 20)
        try:
            writer.write(text.encode() + b"\n")
            async with asyncio.timeout(10):
                answer = (await reader.readline()).decode().strip()
        finally:
            writer.close()
        if answer.startswith("error") or not answer:
            raise ProcessFailed(f"nullmodem: {text}: {answer or 'no answer'}")
        return answer

    async def report(self):
        """The cables' counters, in the order of the lines."""
        return json.loads(await self.command("report"))["cables"]

    async def wires(self, direction):
        """The same of one direction."""
        return [cable[direction] for cable in await self.report()]

    async def carried(self, direction="ab"):
        """Characters that have arrived on each line so far."""
        return [wire["delivered"] for wire in await self.wires(direction)]

    async def stop(self):
        status = await self._process.stop(signal.SIGINT)
        if status != 0:
            raise ProcessFailed(f"nullmodem: exit status {status}\n{self._process.said()}")

    def kill(self):
        self._process.kill()
