# SPDX-License-Identifier: MIT
"""What the kernel's drivers and pppd do at the far end, in a guest (vm.Machine).

A peer is started on the first n of the guest's serial ports and has an address there:

    peer = Slip(vm)
    await peer.start(lines, local, remote, mtu)
    ...
    await peer.stop()
"""

import re

from .process import until

BAUD = 115200  # of the guest's UARTs: they have no pace of their own, the lines do


class Slip:
    """The kernel's SLIP on one line."""

    name = "slip"

    def __init__(self, vm):
        self.vm, self._jobs = vm, []

    async def start(self, lines, local, remote, mtu):
        for i, _ in enumerate(lines):
            await self._attach(i, mtu)
        await self.vm.run(f"ip address add {local} peer {remote} dev sl0")

    async def _attach(self, i, mtu):
        job = await self.vm.start(
            f"exec slattach -v -L -p slip -s {BAUD} {self.vm.ttys[i]}", b"")
        self._jobs.append(job)
        await job.says(f"interface sl{i}")
        await self.vm.run(f"ip link set sl{i} mtu {mtu} up")

    async def stop(self):
        """slattach gives the ports back as they were; the interfaces go with it."""
        for job in self._jobs:
            await job.stop()
        self._jobs.clear()


class Eql(Slip):
    """The kernel's EQL driver over SLIP lines."""

    name = "eql"

    async def start(self, lines, local, remote, mtu):
        await self.vm.run(f"ip address add {local} peer {remote} dev eql && "
                          f"ip link set eql mtu {mtu} up")
        for i, line in enumerate(lines):
            await self._attach(i, mtu)
            await self.vm.run(f"eql_enslave eql sl{i} {line.bps}")

    async def stop(self):
        await super().stop()
        await self.vm.run("ip link set eql down && ip address flush dev eql")


class Pppd:
    """pppd, one process for each line, as its manual has it for multilink.

    options   more of pppd's ("mpshortseq", "require-pap", ...)
    secrets   lines of /etc/ppp/pap-secrets and chap-secrets, both the same
    passive   it waits to be called
    """

    name = "pppd"
    # Neither this nor serialbundle compresses: what is compared is how lines are used.
    COMMON = ("nodetach local nocrtscts noccp novj noipv6 noipdefault nodefaultroute nolog debug "
              "logfd 2")

    def __init__(self, vm, *, multilink=True, options="", secrets="", passive=False, auth=False):
        self.vm, self.jobs, self.stopped = vm, [], []
        self._options = " ".join(filter(None, [
            self.COMMON, "silent" if passive else "", "" if auth else "noauth",
            f"multilink endpoint local:{vm.name.encode().hex()}" if multilink else "nomultilink",
            options]))
        self._secrets, self._multilink = secrets, multilink

    async def start(self, lines, local, remote, mtu):
        """Starts, with the ports open when it returns; `connected` waits for the other side."""
        for kind in ("pap", "chap"):
            await self.vm.write(f"/etc/ppp/{kind}-secrets", self._secrets.encode(), 0o600)
        size = f"mtu {mtu} mru {mtu}" + (f" mrru {mtu}" if self._multilink else "")
        addresses = f"{local}:{remote}" if local or remote else ""
        self._arguments = f"{BAUD} {self._options} {size} {addresses}"
        self.jobs = [await self._run(tty) for tty, _ in zip(self.vm.ttys, lines)]
        for job in self.jobs:
            await job.says("using channel")

    async def _run(self, tty):
        return await self.vm.start(f"exec pppd {tty} {self._arguments}", b"")

    async def again(self, i):
        """Another pppd for line i, whose own has lost it: pppd never takes its line back itself
        while the bundle lives, and the one that was first stays for the bundle without it."""
        await self.jobs[i].says("Connection terminated", "Link terminated", seconds=30)
        self.stopped.append(self.jobs[i])
        self.jobs[i] = await self._run(self.vm.ttys[i])

    async def connected(self, seconds=30):
        """Until all lines are in the bundle, and IP is up; the address that it has then."""
        if self._multilink:
            for job in self.jobs:
                await job.says("New bundle", "Link attached", seconds=seconds)
        try:
            return await until(self._address, seconds, "pppd has an address")
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{self.said()}") from None

    def _address(self):
        for job in self.jobs:
            if found := re.search(rb"local  IP address (\S+)\n", job.errors):
                return found[1].decode()
        return None

    async def stop(self):
        for job in self.jobs:
            await job.stop()
        self.jobs, self.stopped = [], self.jobs

    def said(self):
        return "".join(job.said() for job in self.jobs or self.stopped)
