#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What two serialbundles tell each other over the vendor protocol, and peers that have none."""

import os
import re
import struct
import subprocess

from alone import Alone, living
from rig import dissect, pppeer
from rig.ctl import OPTIONS, status, told
from rig.nullmodem import Line
from rig.pair import Pair
from rig.ping import Pinger
from rig.process import until
from rig.result import run_tests
from rig.tcp import transfer

FAST = 460800
VSNCP, VSNP = 0x805B, 0x005B
IDENTIFICATION = 12
PLAIN = ("--ppp", "--local", "10.9.0.1", "--remote", "10.9.0.2", "-v")


def said(host):
    with open(host.bundle.log, encoding="utf-8", errors="replace") as log:
        return log.read()


def count(host, pattern):
    return len(re.findall(pattern, said(host)))


async def says(host, pattern, what, times=1):
    await until(lambda: count(host, pattern) >= times, 10, what, process=host.bundle)


def vendor(host):
    return status(host)["bundles"][0]["vendor"]


async def knows(host, mode):
    """Until it knows how its peer spreads."""
    await until(lambda: vendor(host)["peer_mode"] == mode, 10, f"{host.side}: the peer's mode",
                process=host.bundle)


def two_lines(**more):
    arguments = {f"{side}_args": OPTIONS[side] + more.pop(side, ()) for side in "ab"}
    return Pair([Line(FAST), Line(FAST)], ppp=True, **arguments, **more)


# --- two of a kind ---

def packets_in(capture):
    """How many of VSNCP and VSNP tshark finds in a line's capture."""
    names = subprocess.run(["tshark", "-nr", capture, "-Y", "vsncp or vsnp", "-Tfields", "-e",
                            "frame.protocols"], check=True, capture_output=True, text=True).stdout
    return names.count("ppp:vsncp"), names.count("ppp:vsnp")


async def they_agree(tally):
    async with two_lines(capture="ab") as pair:
        for host in (pair.a, pair.b):
            await knows(host, "earliest")
        captures = {host: [f"{pair.directory}/{host.side}.{host.side}{i}.pcap" for i in range(2)]
                    for host in (pair.a, pair.b)}
        for host in captures:
            tally.check(vendor(host)["up"] and vendor(host)["bad"] == 0, f"{vendor(host)}")
            tally.check(not count(host, "spreads by"), f"{host.side}: nothing to warn of")
        for host in captures:
            await host.stop_bundle()
        for host, files in captures.items():
            found = dissect.judge_captures(files)
            tally.check(not found, f"{host.side}: no fault with any packet: {found[:5]}")
            control, messages = map(sum, zip(*map(packets_in, files)))
            # A request and an answer each way, some of which may have been said twice.
            tally.check(4 <= control <= 8, f"{host.side}: {control} packets of VSNCP")
            tally.check(messages >= 4, f"{host.side}: {messages} packets of messages")


async def modes_that_differ(tally):
    """Once at each end; and again when one of them changes."""
    async with two_lines(a=("--mode", "balance-rr"), b=("--mode", "balance-xor")) as pair:
        await says(pair.a, "the peer spreads by balance-xor, this end by balance-rr", "a warns")
        await says(pair.b, "the peer spreads by balance-rr, this end by balance-xor", "b warns")
        told(pair.a, "set", "mode", "active-backup")
        await says(pair.b, "the peer spreads by active-backup, this end by balance-xor", "b, again")
        await says(pair.a, "the peer spreads by balance-xor, this end by active-backup", "a, again")
        told(pair.b, "set", "mode", "active-backup")
        for host in (pair.a, pair.b):
            await says(host, "both ends spread by active-backup now", "they agree")
            await knows(host, "active-backup")
            tally.check(count(host, "the peer spreads by") == 2,
                        f"{host.side} warned once of each:\n{said(host)}")


async def a_wish_is_kept(tally):
    """b is asked to send no faster than a seventh of what the lines carry."""
    wish, size = 131072, 40_000
    async with two_lines(a=("--shape-in", str(wish),)) as pair:
        await until(lambda: status(pair.b)["bundles"][0]["bps"] <= wish * 1.01, 10,
                    "b's lines are bounded", process=pair.b.bundle)
        before = sum(await pair.nullmodem.carried("ba"))
        result = await transfer(pair.b, pair.a, os.urandom(size))
        bps = (sum(await pair.nullmodem.carried("ba")) - before) * 10 / result.seconds
        tally.check(result.intact, f"{result}")
        # What the line lead had in hand at the end, and the first packets, are a twentieth.
        tally.check(0.8 * wish <= bps <= 1.05 * wish, f"b sent {bps:.0f} bps, {wish} wished")
        result = await transfer(pair.a, pair.b, os.urandom(size))
        tally.check(result.seconds < size * 10 / wish / 2, f"a sends as it likes: {result}")


# --- others ---

class Kin(pppeer.Peer):
    """Says that it is of our kind, as an earlier version might; `answers`: with a reject."""

    def __init__(self, fd, answers=True):
        super().__init__(fd)
        self.answers = answers

    def identify(self):
        words = bytes(4) + b"serialbundle 0.0"
        self.send(pppeer.LCP, pppeer.packet(IDENTIFICATION, 1, words))

    def input(self, protocol, information):
        if self.answers or protocol != VSNCP:
            super().input(protocol, information)

    def asked(self):
        return self.count(VSNCP, pppeer.REQUEST)


async def goes_on(alone, tally, what):
    ping = await Pinger(alone.host, "10.9.0.2", count=3).finished(10)
    tally.check(ping.lost == 0, f"{what}: {ping}")


async def a_peer_of_another_kind_sees_nothing_of_it(tally):
    async with Alone(*PLAIN, "--mode", "balance-alb") as alone, \
            living(pppeer.Peer(alone.fd)) as peer:
        await until(lambda: alone.says("cannot be asked for shares"), 10, "it is said of alb",
                    process=alone.host.bundle)
        await goes_on(alone, tally, "another kind")
        tally.check(not any(p in (VSNCP, VSNP) for p, _ in peer.received), "nothing is sent")
        tally.check(len(re.findall("cannot be asked", alone.said())) == 1, "it is said once")


async def a_peer_that_rejects_it(tally):
    async with Alone(*PLAIN, "--restart", "200ms") as alone, living(Kin(alone.fd)) as peer:
        peer.identify()
        tally.check(await peer.until(lambda: peer.asked() == 1, 5), "it is asked")
        await goes_on(alone, tally, "rejected")  # for longer than the restart timer
        tally.check(peer.asked() == 1, f"it is not asked again: {peer.asked()}")
        tally.check(not any(p == VSNP for p, _ in peer.received), "no messages are sent")


async def a_peer_that_does_not_answer(tally):
    async with Alone(*PLAIN, "--restart", "200ms", "--max-configure", "3") as alone, \
            living(Kin(alone.fd, answers=False)) as peer:
        peer.identify()
        tally.check(await peer.until(lambda: peer.asked() == 3, 5), "it is asked three times")
        await goes_on(alone, tally, "no answer")
        tally.check(peer.asked() == 3, f"and no more: {peer.asked()}")


async def anothers_vendor_protocol_is_rejected(tally):
    """Not taken for ours, whoever the peer is."""
    async with Alone(*PLAIN) as alone, living(Kin(alone.fd)) as peer:
        peer.identify()
        request = pppeer.packet(pppeer.REQUEST, 1, bytes.fromhex("00000c010301"))
        peer.send(VSNCP, request)

        def rejected():
            return any(p == pppeer.LCP and i[:1] == bytes([pppeer.PROTOCOL_REJECT])
                       and i[4:] == struct.pack(">H", VSNCP) + request for p, i in peer.received)

        tally.check(await peer.until(rejected, 5), "Protocol-Reject, with what was sent")
        await goes_on(alone, tally, "another vendor's")


run_tests(they_agree, modes_that_differ, a_wish_is_kept,
          a_peer_of_another_kind_sees_nothing_of_it, a_peer_that_rejects_it,
          a_peer_that_does_not_answer, anothers_vendor_protocol_is_rejected)
