#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each bonding mode between two serialbundles: which lines carry what, and how soon another does.

    modes.py [--quick]

What the lines carried is nullmodem's count, never the program's own. What keeps links alive is in
it, too, so a line that should carry nothing may have carried as much as IDLE allows. A fail-over is
measured by datagrams that come every STEP: the longest time without one of a flow may be miimon +
downdelay + 100 ms, and a STEP, since that is how finely it is measured.
"""

import argparse
import asyncio
import time

import common
from rig import ctl
from rig.nullmodem import Line
from rig.pair import Pair
from rig.process import until
from rig.result import Tally, at_once, run

MTU = 900
BPS = 230400
STEP = 0.02
ALLOWED = 0.1  # besides miimon and downdelay
IDLE = 60  # characters a second: Echo-Requests, what two of our kind tell each other
MOST = 0.8  # of the bytes of packets, which is less than what they take on the wire
CUT_FLOWS = 4
ROUNDS = 3  # a busy machine makes a gap longer, never shorter: the best counts


class Datagrams:
    """Numbered datagrams of some flows from one host to the other."""

    def __init__(self, sender, receiver, flows=1):
        # Ports of their own, so that hashes are the same in each run.
        self._sockets = [common.udp_socket(receiver, 5000 + n) for n in range(flows)]
        self._senders = [common.udp_socket(sender, 6000 + 2 * n) for n in range(flows)]
        self.sent = [0] * flows
        self._first = 0
        self.arrived = [{} for _ in range(flows)]  # of each flow: number -> times
        for n, (there, here) in enumerate(zip(self._sockets, self._senders)):
            here.connect(there.getsockname())
            asyncio.get_running_loop().add_reader(there, self._take, n)

    def _take(self, n):
        number = int.from_bytes(self._sockets[n].recv(2000)[:4], "big")
        self.arrived[n].setdefault(number, []).append(time.monotonic())

    async def send(self, count, size=60, flows=None, step=STEP):
        """That many of each flow (of all), a step apart."""
        at = time.monotonic()
        for _ in range(count):
            for n in range(len(self.sent)) if flows is None else flows:
                payload = self.sent[n].to_bytes(4, "big").ljust(size - common.IP_HEADERS, b"x")
                self._senders[n].send(payload)
                self.sent[n] += 1
            at += step
            await asyncio.sleep(max(0, at - time.monotonic()))

    async def all_arrived(self, seconds, flow=0):
        await until(lambda: len(self.arrived[flow]) == self.sent[flow], seconds,
                    "all datagrams have arrived")

    def begin_anew(self):
        """What is sent from now on counts."""
        self._first = self.sent[0]

    def new_ones(self):
        """Of the first flow."""
        return {n: times for n, times in self.arrived[0].items() if n >= self._first}

    def gap(self, since, flows):
        """The longest time, from then on, in which nothing of one of these flows came."""
        longest = 0
        for flow in flows:
            times = sorted(t for each in self.arrived[flow].values() for t in each if t >= since)
            longest = max([longest] + [b - a for a, b in zip([since] + times, times)])
        return longest

    def close(self):
        for there, here in zip(self._sockets, self._senders):
            asyncio.get_running_loop().remove_reader(there)
            there.close()
            here.close()


class Bundle:
    """`async with Bundle(lines, mode, ...) as bundle`: two hosts in that mode, all lines up."""

    def __init__(self, bps, mode, *args, flows=1, ppp=True, side_args=None):
        options = ("--realtime", "--mode", mode, *args)
        more = side_args or {"a": (), "b": ()}
        self._pair = Pair([Line(n) for n in bps], mtu=MTU, ppp=ppp, args=options,
                          a_args=(*ctl.OPTIONS["a"], *more["a"]),
                          b_args=(*ctl.OPTIONS["b"], *more["b"]))
        self._flows = flows

    async def __aenter__(self):
        self.pair = await self._pair.__aenter__()
        self.a, self.b, self.nullmodem = self.pair.a, self.pair.b, self.pair.nullmodem
        try:
            for host in (self.a, self.b):
                await until(lambda host=host: all(line["member"]
                            and line["member"]["state"] == "up"
                            for line in ctl.lines(host).values()), 20, "all lines are up",
                            process=host.bundle)
            self.datagrams = Datagrams(self.a, self.b, self._flows)
        except BaseException as error:
            await self._pair.__aexit__(type(error), error, None)
            raise
        return self

    async def __aexit__(self, *error):
        self.datagrams.close()
        return await self._pair.__aexit__(*error)

    def mode(self, host):
        return ctl.status(host)["bundles"][0]["mode"]

    async def carried_while(self, doing):
        """What each line carried meanwhile, beyond what an idle one may have."""
        before, start = await self.nullmodem.carried(), time.monotonic()
        await doing
        await until(self._is_quiet, 10, "nothing is under way", process=self.a.bundle)
        after, idle = await self.nullmodem.carried(), IDLE * (1 + time.monotonic() - start)
        return [max(0, now - then - idle) for then, now in zip(before, after)]

    async def _is_quiet(self):
        return all(cable["ab"]["queued"] + cable["ab"]["in_flight"] == 0
                   for cable in await self.nullmodem.report()) and \
            ctl.status(self.a)["bundles"][0]["queue"]["packets"] == 0

    async def cut(self, line, what):
        """Hangs the line up while datagrams go on; the longest time without one of a flow. There
        are no more flows than the other line can carry."""
        flows = range(min(self._flows, CUT_FLOWS))
        going = asyncio.create_task(self.datagrams.send(100, flows=flows))
        await asyncio.sleep(0.5)
        at = time.monotonic()
        await self.nullmodem.command(f"hangup c{line}")
        await going
        gap = self.datagrams.gap(at, flows)
        print(f"{what}: {1000 * gap:.0f} ms without a datagram at the cut of c{line}")
        return gap

    async def back(self, line):
        await self.nullmodem.command(f"return c{line}")
        name = f"a{line}"
        await until(lambda: ctl.lines(self.a)[name]["member"]
                    and ctl.lines(self.a)[name]["member"]["state"] == "up", 20, f"{name} is back",
                    process=self.a.bundle)


async def fails_over(bundle, tally, what, line=0, delays=0.0):
    """The best of some rounds; the last one leaves the line away."""
    limit = delays + ALLOWED + STEP
    best = None
    for number in range(ROUNDS):
        if number:
            await bundle.back(line)
        gap = await bundle.cut(line, what)
        best = gap if best is None else min(best, gap)
        if best <= limit:
            break
    tally.check(best <= limit, f"{what}: {1000 * best:.0f} ms without a datagram at the cut of "
                f"c{line}, not {1000 * limit:.0f} ms")


async def balance_rr(tally):
    """Packet by packet: of equal packets each line carries as many; one that leaves is left out."""
    async with Bundle([BPS] * 3, "balance-rr", "--packets-per-line", "1") as bundle:
        d = bundle.datagrams
        carried = await bundle.carried_while(d.send(300, size=400))
        await d.all_arrived(10)
        tally.check(max(carried) - min(carried) <= 3 * 420,
                    f"balance-rr: the lines carried {carried}, not the same")
        tally.check(min(carried) >= MOST * 100 * 400,
                    f"balance-rr: the lines carried {carried}, not a share each")
        numbers = [n for _, n in sorted((t[0], n) for n, t in d.arrived[0].items())]
        tally.check(numbers == sorted(numbers), "balance-rr: the sequence is restored")
        await fails_over(bundle, tally, "balance-rr")


async def active_backup(tally):
    """One line carries all, the primary if it can; the peer is told of another."""
    delays = ("--miimon", "100", "--updelay", "300", "--downdelay", "200", "--num-peer-notif", "3")
    primary = {side: ("--primary", f"{side}0") for side in "ab"}
    async with Bundle([BPS] * 2, "active-backup", *delays, side_args=primary) as bundle:
        await until(lambda: bundle.mode(bundle.a)["active"] == "a0", 5, "the primary is active")
        carried = await bundle.carried_while(bundle.datagrams.send(100, size=400))
        tally.check(carried[1] == 0 and carried[0] >= MOST * 100 * 400,
                    f"active-backup: the lines carried {carried}, not all over the first")
        await fails_over(bundle, tally, "active-backup", delays=0.3)
        tally.check(bundle.mode(bundle.a)["active"] == "a1", "active-backup: a1 is active")
        notices = lambda: ctl.status(bundle.b)["bundles"][0]["vendor"]["notices_in"]  # noqa: E731
        await until(lambda: notices() >= 3, 5, "the peer has been told three times")
        with open(bundle.a.bundle.log, encoding="utf-8") as file:
            tally.check("a1 is the active line now: a0 " in file.read(),
                        "active-backup: it says so")
        text = ctl.told(bundle.a, "status", "--bonding")
        tally.check("Primary Slave: a0 (primary_reselect always)\nCurrently Active Slave: a1\n"
                    in text and text.startswith("Bonding Mode: fault-tolerance (active-backup)\n"),
                    f"active-backup: the text of /proc/net/bonding\n{text}")
        await bundle.back(0)
        await until(lambda: bundle.mode(bundle.a)["active"] == "a0", 5, "the primary is back")
        carried = await bundle.carried_while(bundle.datagrams.send(50, size=400))
        tally.check(carried[1] == 0 and carried[0] >= MOST * 50 * 400,
                    f"active-backup: the lines carried {carried}, the primary being back")
        counts = [n["member"]["failures"] for n in ctl.lines(bundle.a).values()]
        tally.check(counts[0] >= 1 and counts[1] == 0, f"active-backup: failures {counts}")


async def balance_xor(tally):
    """A flow stays on its line."""
    flows = 8
    async with Bundle([BPS] * 2, "balance-xor", "--xmit-hash-policy", "layer3+4",
                      flows=flows) as bundle:
        used = set()
        for flow in range(flows):
            carried = await bundle.carried_while(
                bundle.datagrams.send(25, size=500, flows=[flow], step=0.01))
            tally.check(min(carried) == 0 and max(carried) >= MOST * 25 * 500,
                        f"balance-xor: flow {flow} is on one line: {carried}")
            used.add(carried.index(max(carried)))
        tally.check(used == {0, 1}, f"balance-xor: {flows} flows are on both lines")
        await fails_over(bundle, tally, "balance-xor")


async def broadcast(tally):
    """Each packet over both lines, once to the host: 20 % lost on each are 4 % in the end."""
    count, size, lost = 1500, 200, 0.2
    async with Bundle([BPS] * 2, "broadcast") as bundle:
        d = bundle.datagrams
        await fails_over(bundle, tally, "broadcast")
        await bundle.back(0)
        d.begin_anew()
        before = ctl.lines(bundle.a), ctl.lines(bundle.b)
        p = 1 - (1 - lost) ** (1 / (size + 10))
        for line in (0, 1):
            await bundle.nullmodem.command(f"set c{line} ab.drop={p}")
        await bundle.carried_while(d.send(count, size=size, step=0.02))
        after = ctl.lines(bundle.a), ctl.lines(bundle.b)
        arrived = [(after[1][f"b{i}"]["in"]["packets"] - before[1][f"b{i}"]["in"]["packets"])
                   / (after[0][f"a{i}"]["out"]["packets"] - before[0][f"a{i}"]["out"]["packets"])
                   for i in (0, 1)]
        end = 1 - len(d.new_ones()) / count
        expected = (1 - arrived[0]) * (1 - arrived[1])
        print(f"broadcast: lost {[round(100 * (1 - a), 1) for a in arrived]} % of each line, "
              f"{100 * end:.1f} % in the end")
        tally.check(all(abs(1 - a - lost) <= 0.05 for a in arrived),
                    f"broadcast: the lines brought {arrived} of the packets")
        tally.check(abs(end - expected) <= 0.02, f"broadcast: {100 * end:.1f} % are lost in the "
                    f"end, not {100 * expected:.1f} %")
        twice = sum(len(times) > 1 for times in d.new_ones().values())
        tally.check(twice == 0, f"broadcast: {twice} datagrams came twice")


async def aggregation(tally, select, group):
    """802.3ad: 2 x 28800 and 1 x 115200 are two aggregators; which is active, ad_select says."""
    async with Bundle([28800, 28800, 115200], "802.3ad", "--ad-select", select,
                      "--xmit-hash-policy", "layer3+4", flows=8) as bundle:
        carried = await bundle.carried_while(bundle.datagrams.send(15, size=200, step=0.5))
        used = {i for i, count in enumerate(carried) if count}
        tally.check(used == group, f"802.3ad {select}: the lines carried {carried}, not {group}")
        mode = bundle.mode(bundle.a)
        tally.check(mode["aggregator_lines"] == mode["aggregator_up"] == len(group),
                    f"802.3ad {select}: {mode}")
        text = ctl.told(bundle.a, "status", "--bonding")
        tally.check(f"(ad_select): {select}\n" in text and text.count("\nAggregator ID: ") == 3,
                    f"802.3ad {select}: the text of /proc/net/bonding\n{text}")


async def aggregation_fails(tally):
    """802.3ad: within the group, and then to the other group."""
    async with Bundle([BPS, BPS, 115200], "802.3ad", "--xmit-hash-policy", "layer3+4",
                      flows=4) as bundle:
        await fails_over(bundle, tally, "802.3ad")
        await fails_over(bundle, tally, "802.3ad, the last of its group", line=1)
        carried = await bundle.carried_while(bundle.datagrams.send(20))
        tally.check(carried[2] > 0, f"802.3ad: the other group carries now: {carried}")


async def balance_tlb(tally, mode):
    """Load follows speed: a line of twice the rate gets about twice as much."""
    async with Bundle([2 * BPS, BPS], mode, flows=32) as bundle:
        carried = await bundle.carried_while(bundle.datagrams.send(30, size=180, step=1 / 2.2))
        ratio = carried[0] / max(1, carried[1])
        print(f"{mode}: the lines carried {[round(c) for c in carried]}, {ratio:.2f} : 1")
        tally.check(1.3 <= ratio <= 3, f"{mode}: {ratio:.2f} : 1 is not about 2 : 1")
        await fails_over(bundle, tally, mode)


async def probes(tally):
    """SLIP: a cable that falls silent one way is left, and used again when it is heard again."""
    interval, missed = 0.3, 2
    words = ("--probe-interval", "300", "--probe-missed-max", str(missed), "--probe-validate",
             "filter")
    async with Bundle([BPS] * 2, "earliest", *words, ppp=False) as bundle:
        d = bundle.datagrams
        member = lambda: ctl.lines(bundle.a)["a1"]  # noqa: E731
        await until(lambda: member()["member"]["probe_replies"] >= 2, 10, "probes are answered")
        at = time.monotonic()
        await bundle.nullmodem.command("set c1 ab.drop=1")
        await until(lambda: member()["state"] == "silent", 10, "a1 is silent",
                    process=bundle.a.bundle)
        took, limit = time.monotonic() - at, (missed + 1) * interval + 0.5
        tally.check(took <= limit, f"probes: silent after {took:.2f} s, not {limit:.2f} s")
        d.begin_anew()
        await d.send(50)
        await until(lambda: len(d.new_ones()) == 50, 5, "nothing more is sent into the silence")
        tally.check(not member()["member"]["used"], "probes: the line is not used")
        at = time.monotonic()
        await bundle.nullmodem.command("set c1 ab.drop=0")
        await until(lambda: member()["state"] == "up", 10, "a1 is back", process=bundle.a.bundle)
        took, limit = time.monotonic() - at, interval + 0.5
        tally.check(took <= limit, f"probes: back after {took:.2f} s, not {limit:.2f} s")
        tally.check(not any(line["errors"]["not_ip"] for line in ctl.lines(bundle.a).values()),
                    "probes: they are packets like others")


async def main(arguments):
    tally = Tally()
    rows = [broadcast(tally), balance_tlb(tally, "balance-tlb"), active_backup(tally),
            balance_xor(tally), aggregation_fails(tally), balance_rr(tally), probes(tally),
            aggregation(tally, "stable", {2}), aggregation(tally, "bandwidth", {2}),
            aggregation(tally, "count", {0, 1})]
    if not arguments.quick:
        rows.append(balance_tlb(tally, "balance-alb"))
    await at_once(tally, rows, 6)
    print(tally.summary(), flush=True)
    return 1 if tally.failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="without balance-alb")
    run(main(parser.parse_args()))
