#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What goes over the lines, octet by octet, as judged by others (rig.dissect): every frame has its
check sequence, and tshark finds no fault in any packet, from the first Configure-Request to the
last Terminate-Ack. Captures have the same packets as the wire, except for the password."""

import os
import random
import subprocess

import common
from rig import dissect
from rig.nullmodem import Line
from rig.pair import Pair
from rig.ping import Pinger
from rig.result import run_tests
from rig.tcp import transfer

MTU = 1400
SIZE = 60_000
LATE = 150  # characters: the rest of a frame that was under way when its receiver came
PASSWORD = "Sesame-7f3a"
SECRETS = f'alice bob "{PASSWORD}" *\nbob alice "{PASSWORD}2" *\n'
CREDENTIALS = ("--pap-secrets", "{d}/secrets", "--chap-secrets", "{d}/secrets")


class Recorded(Pair):
    """Two lines whose records outlive them; a is alice, b is bob."""

    def __init__(self, directory, *, ppp=True, a_args=(), b_args=()):
        self.records = [f"{directory}/line{i}" for i in range(2)]
        lines = [Line(bps, extra=f"buffer=4K,record={record}")
                 for bps, record in zip((115200, 57600), self.records)]
        if ppp:
            a_args = ("--user", "alice", "--remote-name", "bob", *CREDENTIALS, *a_args)
            b_args = ("--user", "bob", *CREDENTIALS, *b_args)
        super().__init__(lines, mtu=MTU, ppp=ppp, capture="ab", a_args=a_args, b_args=b_args)

    def bundle_argv(self, host):
        path = f"{self.directory}/secrets"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write(SECRETS)
        return super().bundle_argv(host)

    def line_captures(self, host):
        return [f"{self.directory}/{host.side}.{host.side}{i}.pcap"
                for i in range(len(self.lines))]


async def both_ways(pair, tally):
    """Random bytes, so that all that can be escaped is."""
    for sender, receiver in ((pair.a, pair.b), (pair.b, pair.a)):
        result = await transfer(sender, receiver, random.Random(1).randbytes(SIZE))
        tally.check(result.intact, f"from {sender.side}: {result}")
    # The last acknowledgements, too, should be over when the lines end.
    ping = await Pinger(pair.a, pair.b.address, count=3).finished(30)
    tally.check(ping.lost == 0, f"ping: {ping}")


def judge(tally, records, least, but=(), **options):
    """The counts of each line and direction, of which none may be at fault, `but` for protocols
    that tshark does not understand."""
    counts, found = dissect.dissect(map(dissect.read_record, records), **options)
    found = [(origin, words) for origin, words in found if origin.protocol not in but]
    tally.check(not found, f"nothing is at fault: {found[:5]}")
    for i, line in enumerate(counts):
        for direction, c in line.items():
            tally.check(c.frames >= least, f"line {i}, {direction}: frames were seen: {c}")
            tally.check((c.bad_fcs, c.aborted, c.cut) == (0, 0, 0) and c.noise < LATE,
                        f"line {i}, {direction}: nothing else: {c}")
    return counts


def judge_captures(tally, pair):
    for host in (pair.a, pair.b):
        captures = pair.line_captures(host)
        found = dissect.judge_captures(captures)
        tally.check(not found, f"{host.side}: fault with captures: {found[:5]}")
        for capture in captures:
            with open(capture, "rb") as file:
                tally.check(PASSWORD.encode() not in file.read(), f"{capture}: no password in it")


def passwords_in(capture):
    return subprocess.run(["tshark", "-nr", capture, "-Y", "pap.code == 1", "-Tfields", "-e",
                           "pap.password"], check=True, capture_output=True, text=True).stdout


def characters(record):
    return b"".join(data or b"" for _, _, data in dissect.read_record(record))


async def PPP_with_PAP(tally):
    with common.directory() as directory:
        async with Recorded(directory, b_args=("--require-pap",)) as pair:
            await both_ways(pair, tally)
            judge_captures(tally, pair)
            for capture in pair.line_captures(pair.a):
                words = set(passwords_in(capture).split())
                tally.check(words == {"*" * len(PASSWORD)}, f"what stands for it: {words}")
        counts = judge(tally, pair.records, 10)
        for line in counts:
            for direction, c in line.items():
                tally.check({"c021", "c023", "003d"} <= set(c.protocols), f"{direction}: {c}")
        tally.check(all(PASSWORD.encode() in characters(record) for record in pair.records),
                    "the wire has the password, as PAP has it")


async def PPP_with_CHAP(tally):
    with common.directory() as directory:
        chap = ("--require-chap",)
        async with Recorded(directory, a_args=chap, b_args=chap) as pair:
            await both_ways(pair, tally)
            judge_captures(tally, pair)
        counts = judge(tally, pair.records, 10)
        for line in counts:
            for direction, c in line.items():
                tally.check({"c021", "c223", "003d"} <= set(c.protocols), f"{direction}: {c}")
        tally.check(not any(PASSWORD.encode() in characters(record) for record in pair.records),
                    "no secret goes over the wire")


async def PPP_with_all_options(tally):
    more = ("--fcs", "32", "--asyncmap", "a0000", "--short-sequence")
    with common.directory() as directory:
        async with Recorded(directory, a_args=more, b_args=more) as pair:
            await both_ways(pair, tally)
        counts = judge(tally, pair.records, 10, short_sequence=True)
        frames = sum(c.frames for line in counts for c in line.values())
        only_16, _ = dissect.dissect(map(dissect.read_record, pair.records),
                                     fcs=(dissect.FCS16_LENGTH,), short_sequence=True)
        bad = sum(c.bad_fcs for line in only_16 for c in line.values())
        tally.check(bad > frames / 2, f"most frames have an FCS of 32 bits: {bad} of {frames}")


async def PPP_with_quality_reports(tally):
    """tshark 4.0 takes the reporting period of Quality-Protocol (RFC 1989 section 2.5) amiss."""
    more = ("--quality-reports", "1s")
    with common.directory() as directory:
        async with Recorded(directory, a_args=more, b_args=more) as pair:
            await both_ways(pair, tally)
        counts = judge(tally, pair.records, 10, but=("c021",))
        for line in counts:
            for direction, c in line.items():
                tally.check("c025" in c.protocols, f"{direction}: reports: {c}")


async def SLIP(tally):
    with common.directory() as directory:
        async with Recorded(directory, ppp=False) as pair:
            await both_ways(pair, tally)
        counts = judge(tally, pair.records, 10, slip=True)
        for line in counts:
            for direction, c in line.items():
                tally.check(set(c.protocols) == {"ipv4"}, f"{direction}: IP and nothing else: {c}")


if __name__ == "__main__":
    run_tests(PPP_with_PAP, PPP_with_CHAP, PPP_with_all_options, PPP_with_quality_reports, SLIP)
