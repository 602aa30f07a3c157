#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rig's own judge of what went over a line: does it see what is wrong, and only that? And
nullmodem's records, which it reads, against tshark's own reader of that format."""

import json
import os
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from rig import dissect as d  # noqa: E402
from rig.ends import NOISE, Rig, receive, write_some  # noqa: E402
from rig.result import run_tests  # noqa: E402

LCP_REQUEST = bytes.fromhex("ff03c021 0101000e 020600000000 0304c023")
LCP_ECHO = bytes.fromhex("ff03c021 0901000812345678")
PING = bytes.fromhex("4500001c0001000040 0166de0a0000010a0000020800f7ff00000000")


def escaped(data):
    out = bytearray()
    for byte in data:
        out += bytes((0x7D, byte ^ 0x20)) if byte in (0x7E, 0x7D) or byte < 0x20 else bytes([byte])
    return bytes(out)


def framed(frame, fcs=16):
    """With its flags; the FCS by another way than the one under test."""
    if fcs == 32:
        check = zlib.crc32(frame).to_bytes(4, "little")
    else:
        check = crc_by_bits(frame).to_bytes(2, "little")
    return b"\x7e" + escaped(frame + check) + b"\x7e"


def crc_by_bits(data):
    crc = 0xFFFF
    for byte in data:
        for bit in range(8):
            odd = (crc ^ byte >> bit) & 1
            crc = crc >> 1 ^ (0x8408 if odd else 0)
    return crc ^ 0xFFFF


def judged(sent, received=None, **options):
    counts, found = d.dissect([d.raw_pieces(sent, received)], **options)
    return counts[0][d.SENT], counts[0][d.RECEIVED], found


async def good_frames(tally):
    sent, received, found = judged(framed(LCP_REQUEST) + framed(LCP_ECHO)[1:], framed(LCP_ECHO))
    tally.check(sent.frames == 2 and received.frames == 1, f"three frames: {sent}, {received}")
    tally.check(sent.protocols == {"c021": 2}, f"by protocol: {sent.protocols}")
    tally.check(not found, f"tshark is content: {found}")
    tally.check((sent.bad_fcs, sent.cut, sent.noise) == (0, 0, 0), f"nothing else: {sent}")


async def compressed_headers(tally):
    wire = framed(b"\x21" + PING) + framed(b"\xff\x03\x21" + PING) + framed(b"\x00\x21" + PING) + \
        framed(b"\x3d\xc0\x00\x00\x00\x21" + PING)
    sent, _, found = judged(wire)
    tally.check(sent.protocols == {"0021": 3, "003d": 1}, f"protocols: {sent.protocols}")
    tally.check(not found, f"tshark is content: {found}")


async def both_check_sequences(tally):
    wire = framed(LCP_ECHO) + framed(b"\x21" + PING, 32)
    tally.check(judged(wire)[0].frames == 2, "of 16 and 32 bits in one stream")
    tally.check(judged(wire, fcs=(d.FCS16_LENGTH,))[0].bad_fcs == 1, "or of one kind alone")


async def damage(tally):
    wire = bytearray(framed(LCP_REQUEST) + framed(LCP_ECHO))
    wire[6] ^= 0x10
    sent, _, _ = judged(bytes(wire))
    tally.check((sent.frames, sent.bad_fcs) == (1, 1), f"one bit: {sent}")
    sent, _, _ = judged(b"\x7e\xff\x03\x7d\x7e" + framed(LCP_ECHO))
    tally.check((sent.frames, sent.aborted, sent.bad_fcs) == (1, 1, 0), f"an abort: {sent}")
    sent, _, _ = judged(b"CONNECT 28800\r\n" + framed(LCP_ECHO))
    tally.check((sent.frames, sent.noise, sent.bad_fcs) == (1, 15, 0), f"words: {sent}")
    sent, _, _ = judged(b"\x7e\x21\x7e")
    tally.check(sent.bad_fcs == 1, f"too short for an FCS: {sent}")


async def hang_ups(tally):
    half = framed(LCP_ECHO)[:-4]
    counts, _ = d.dissect([[(0, d.SENT, half), (1, d.SENT, None), (2, d.SENT, b"no"),
                            (3, d.SENT, framed(LCP_ECHO) + half)]])
    sent = counts[0][d.SENT]
    tally.check((sent.cut, sent.bad_fcs, sent.noise, sent.frames) == (2, 0, 2, 1),
                f"cut frames are no bad ones: {sent}")


async def malformed(tally):
    overlong = bytes.fromhex("ff03c021 01010020 02060000")
    sent, _, found = judged(framed(overlong) + framed(LCP_ECHO))
    tally.check(sent.malformed == 1 and found[0][0].direction == d.SENT,
                f"a length beyond the packet: {sent} {found}")
    wrong_sum = bytearray(PING)
    wrong_sum[10] ^= 1
    _, received, found = judged(b"", framed(b"\x21" + bytes(wrong_sum)))
    tally.check(received.malformed == 1 and found[0][0].direction == d.RECEIVED,
                f"a wrong checksum: {received} {found}")


def fragment(begin, end, number, data, short=False):
    size, bits = (2, 12) if short else (4, 24)
    header = begin << 8 * size - 1 | end << 8 * size - 2 | number & (1 << bits) - 1
    return framed(b"\x3d" + header.to_bytes(size, "big") + data)


WHOLE = b"\x00\x21" + PING


async def a_bundle_is_put_together(tally):
    """Fragments of one packet over two lines, the numbers beginning anew on the way."""
    for short, first in ((False, 0), (False, (1 << 24) - 2), (True, (1 << 12) - 1)):
        lines = [[(0, d.SENT, fragment(1, 0, first, WHOLE[:10], short) +
                   fragment(0, 1, first + 2, WHOLE[20:], short)),
                  (0, d.RECEIVED, fragment(1, 1, first, WHOLE, short))],
                 [(0, d.SENT, fragment(0, 0, first + 1, WHOLE[10:20], short))]]
        with tempfile.TemporaryDirectory() as directory:
            pcap = f"{directory}/x.pcap"
            counts, found = d.dissect(lines, short_sequence=short, pcap=pcap)
            tally.check(not found, f"no fault: {found}")
            tally.check([c[d.SENT].frames for c in counts] == [2, 1], f"by line: {counts}")
            said = subprocess.run(["tshark", "-nr", pcap, "-Tfields", "-e", "frame.p2p_dir", "-e",
                                   "icmp.type"], check=True, capture_output=True, text=True).stdout
            tally.check(sorted(said.splitlines()) == ["0\t8", "1\t8"], f"a ping each way: {said!r}")


async def bad_numbers(tally):
    piece = WHOLE[:10]
    for wire, words in (
            (fragment(1, 1, 5, WHOLE) + fragment(1, 1, 5, WHOLE), "number 5 for the second"),
            (fragment(1, 0, 0, piece) + fragment(1, 1, 1, WHOLE), "B at 1"),
            (fragment(1, 1, 0, WHOLE) + fragment(0, 1, 1, piece), "no B at 1"),
            (framed(b"\x3d\xc0\x00\x00"), "no whole header")):
        sent, _, found = judged(wire)
        tally.check(sent.malformed == 1 and words in found[0][1], f"{words}: {found}")
    sent, _, found = judged(fragment(1, 0, 0, piece) + fragment(0, 1, 2, piece) +
                            fragment(1, 1, 3, b""))
    tally.check(not found, f"one that is lost, and an empty one, are no faults: {found}")


async def slip(tally):
    wire = b"\xc0" + PING + b"\xc0"
    sent, _, found = judged(wire, slip=True)
    tally.check((sent.frames, sent.protocols) == (1, {"ipv4": 1}), f"a packet: {sent}")
    tally.check(not found, f"tshark is content: {found}")
    sent, _, _ = judged(b"\xc0\x45\xdb\x01\xc0\x45\xdb\xc0\x45", slip=True)
    tally.check((sent.frames, sent.bad_fcs, sent.cut) == (0, 2, 1), f"bad escapes: {sent}")
    escapes = d.SlipFramer(d.Counts())
    tally.check(list(escapes.feed(b"\x45\xdb\xdc\xdb\xdd\xc0")) == [b"\x45\xc0\xdb"], "good ones")


async def command_line(tally):
    program = [sys.executable, d.__file__]
    with tempfile.TemporaryDirectory() as directory:
        with open(f"{directory}/raw", "wb") as file:
            file.write(framed(LCP_ECHO) + framed(LCP_ECHO)[:-2] + b"\x7e")
        ended = subprocess.run([*program, "--sent", f"{directory}/raw"], capture_output=True,
                               text=True, check=False)
        counts = json.loads(ended.stdout)[0]["sent"]
        tally.check(counts["frames"] == 1 and counts["bad_fcs"] == 1, f"counts: {counts}")
        tally.check(ended.returncode == 1, f"status: {ended.returncode}, {ended.stderr}")
        ended = subprocess.run(program, capture_output=True, text=True, check=False)
        tally.check(ended.returncode == 2 and "RECORD" in ended.stderr, "nothing to do")
        with open(f"{directory}/no.record", "wb") as file:
            file.write(b"\x09")
        ended = subprocess.run([*program, f"{directory}/no.record"], capture_output=True, text=True,
                               check=False)
        tally.check("no record" in ended.stderr, f"what is none: {ended.stderr!r}")


# --- nullmodem's records ---

def directions(path):
    """{direction: characters}, pieces between hang-ups apart."""
    got = {d.SENT: [b""], d.RECEIVED: [b""]}
    for _, direction, data in d.read_record(path):
        if data is None:
            got[direction].append(b"")
        else:
            got[direction][-1] += data
    return got


async def record_has_what_was_delivered(tally):
    async with Rig("{d}/a,{d}/b,bps=2000000,byte-errors=0.01,record={d}/rec") as rig:
        a, b = rig.open("a"), rig.open("b")
        write_some(a, NOISE[:3000])
        write_some(b, NOISE[3000:5000])
        at_b, at_a = receive(b, 3000), receive(a, 2000)
        tally.check(rig.command("hangup cable0") == "ok", "hangs up")
        got = directions(f"{rig.d}/rec")
        tally.check(got[d.SENT] == [at_b, b""], "from a to b, damage included")
        tally.check(got[d.RECEIVED] == [at_a, b""], "from b to a")
        tally.check(at_b != NOISE[:3000], "there was damage")
        tally.check(rig.command("return cable0") == "ok", "returns")
        a, b = rig.open("a"), rig.open("b")
        write_some(a, b"again")
        receive(b, 5)
        await rig.stop()
        got = directions(f"{rig.d}/rec")
        tally.check(got[d.SENT][0] == at_b, "what was recorded stays")


async def record_is_read_by_tshark(tally):
    async with Rig("{d}/a,{d}/b,bps=115200,record={d}/rec") as rig:
        a, b = rig.open("a"), rig.open("b")
        for here, there, wire in ((a, b, framed(LCP_REQUEST)), (b, a, framed(LCP_ECHO))):
            write_some(here, wire)
            receive(there, len(wire))
        await rig.stop()
        said = subprocess.run(["tshark", "-nr", f"{rig.d}/rec", "-Tfields", "-e", "frame.p2p_dir",
                               "-e", "ppp.code", "-e", "ppp.protocol"], check=True,
                              capture_output=True, text=True).stdout
        tally.check(said.splitlines() == ["0\t1\t0xc021", "1\t9\t0xc021"], f"tshark: {said!r}")
        counts, found = d.dissect([d.read_record(f"{rig.d}/rec")])
        tally.check(counts[0][d.SENT].frames == counts[0][d.RECEIVED].frames == 1 and not found,
                    f"and by us: {counts} {found}")


async def record_that_cannot_be_written(tally):
    async with Rig("{d}/a,{d}/b,bps=115200,record=/dev/full") as rig:
        a, b = rig.open("a"), rig.open("b")
        write_some(a, b"on it goes")
        tally.check(receive(b, 10) == b"on it goes", "the cable goes on")
        await rig.stop()
        tally.check("a record cannot be written" in rig.process.said(), "and it is said")


if __name__ == "__main__":
    run_tests(good_frames, compressed_headers, both_check_sequences, damage, hang_ups, malformed,
              a_bundle_is_put_together, bad_numbers, slip, command_line,
              record_has_what_was_delivered, record_is_read_by_tshark,
              record_that_cannot_be_written)
