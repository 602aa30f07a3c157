#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: dissect.py [OPTION...] RECORD...
       dissect.py [OPTION...] --sent RAW [--received RAW]

    --slip             the lines spoke SLIP
    --fcs16, --fcs32   check sequences of this length alone
    --short-sequence   multilink headers of two bytes (RFC 1990 section 3)
    --pcap FILE        write what tshark is given there: whole packets, fragments put together

What went over a line, judged by others than the program under test: frames are taken apart and
their check sequences reckoned here, and what is in them is for tshark to judge.

RECORD is what nullmodem's `record` key writes (pppd's format); RAW are the plain characters of one
direction. Several RECORDs are lines of one bundle. Counts are printed as JSON, for each line and
direction:

    frames      whole ones with a good FCS (or, with SLIP, all)
    bad_fcs     with a bad one, too short for one, or with an escape that is none
    aborted     ended by 7D 7E, as their sender meant it (RFC 1662 section 4.3)
    cut         in progress when the line hung up or the record ended
    noise       characters outside of frames: before the first flag after each beginning
    malformed   that tshark cannot take apart, or finds at fault; multilink numbers or bits that
                cannot be
    protocols   frames by protocol number (PPP) or IP version (SLIP)

The exit status is 1 when anything was bad_fcs or malformed.
"""

import argparse
import collections
import dataclasses
import heapq
import json
import struct
import subprocess
import sys
import tempfile
import zlib

if __package__:
    from .pcap import packets
else:
    from pcap import packets

SENT, RECEIVED = "sent", "received"
FLAG, ESCAPE, XOR = 0x7E, 0x7D, 0x20
SLIP_END, SLIP_ESC, SLIP_MEANS = 0xC0, 0xDB, {0xDC: 0xC0, 0xDD: 0xDB}
LINKTYPE_PPP_WITH_DIR, LINKTYPE_RAW = 204, 101
FCS16_GOOD = 0xF0B8
FCS16_LENGTH, FCS32_LENGTH = 2, 4
BOTH_FCS = (FCS16_LENGTH, FCS32_LENGTH)


@dataclasses.dataclass
class Counts:
    frames: int = 0
    bad_fcs: int = 0
    aborted: int = 0
    cut: int = 0
    noise: int = 0
    malformed: int = 0
    protocols: dict = dataclasses.field(default_factory=collections.Counter)


# --- records ---

def read_record(path):
    """(seconds, direction, characters) in their order; characters are None where it hung up."""
    with open(path, "rb") as file:
        data = file.read()
    at, time = 0, 0.0
    while at < len(data):
        kind, at = data[at], at + 1
        size = {1: 2, 2: 2, 3: 0, 4: 0, 5: 4, 6: 1, 7: 4}.get(kind)
        if size is None:
            raise ValueError(f"{path}: no record: item {kind} at {at - 1}")
        number, at = int.from_bytes(data[at:at + size], "big"), at + size
        if kind in (1, 2):
            yield time, SENT if kind == 1 else RECEIVED, data[at:at + number]
            at += number
        elif kind in (3, 4):
            yield time, SENT if kind == 3 else RECEIVED, None
        else:
            time = number if kind == 7 else time + number / 10


def raw_pieces(sent, received):
    """The same of two strings of characters; `received` may be None."""
    yield 0.0, SENT, sent
    if received is not None:
        yield 0.0, RECEIVED, received


# --- frames ---

def _fcs16_of(value):
    for _ in range(8):
        value = value >> 1 ^ (0x8408 if value & 1 else 0)
    return value


FCS16_TABLE = [_fcs16_of(value) for value in range(256)]


def fcs16(data):
    fcs = 0xFFFF
    for byte in data:
        fcs = fcs >> 8 ^ FCS16_TABLE[(fcs ^ byte) & 0xFF]
    return fcs


def fcs32_holds(frame):
    return len(frame) > FCS32_LENGTH and \
        zlib.crc32(frame[:-4]) == int.from_bytes(frame[-4:], "little")


class PppFramer:
    """Of one direction. Frames without their FCS, which may be of either length: link control has
    16 bits, what was agreed on comes later (RFC 1570 section 2.3)."""

    def __init__(self, counts, fcs=BOTH_FCS):
        self.counts, self._fcs = counts, fcs
        self._piece, self._in_frame = bytearray(), False

    def feed(self, data):
        for byte in data:
            if byte != FLAG:
                self._piece.append(byte)
                continue
            frame = self._end_piece()
            self._piece, self._in_frame = bytearray(), True
            if frame is not None:
                yield frame

    def cut(self):
        """The line hung up: what is in progress never ends, and what comes next may be anything."""
        if self._in_frame and self._piece:
            self.counts.cut += 1
        elif self._piece:
            self.counts.noise += len(self._piece)
        self._piece, self._in_frame = bytearray(), False

    def _end_piece(self):
        if not self._in_frame:
            self.counts.noise += len(self._piece)
            return None
        if not self._piece:
            return None
        if self._piece[-1] == ESCAPE:
            self.counts.aborted += 1
            return None
        frame = self._checked(unescape(self._piece))
        if frame is None:
            self.counts.bad_fcs += 1
        else:
            self.counts.frames += 1
        return frame

    def _checked(self, frame):
        if FCS16_LENGTH in self._fcs and len(frame) > FCS16_LENGTH and fcs16(frame) == FCS16_GOOD:
            return frame[:-FCS16_LENGTH]
        if FCS32_LENGTH in self._fcs and fcs32_holds(frame):
            return frame[:-FCS32_LENGTH]
        return None


def unescape(piece):
    frame, escaped = bytearray(), False
    for byte in piece:
        if byte == ESCAPE and not escaped:
            escaped = True
            continue
        frame.append(byte ^ XOR if escaped else byte)
        escaped = False
    return bytes(frame)


class SlipFramer:
    """Of one direction. Frames are what stands between ENDs; before the first there may be one."""

    def __init__(self, counts):
        self.counts = counts
        self._piece = bytearray()

    def feed(self, data):
        for byte in data:
            if byte != SLIP_END:
                self._piece.append(byte)
                continue
            piece, self._piece = self._piece, bytearray()
            if piece and (frame := self._unescaped(piece)) is not None:
                yield frame

    def cut(self):
        self.counts.cut += bool(self._piece)
        self._piece = bytearray()

    def _unescaped(self, piece):
        frame, rest = bytearray(), iter(piece)
        for byte in rest:
            if byte == SLIP_ESC:
                byte = SLIP_MEANS.get(next(rest, None))
            if byte is None:
                self.counts.bad_fcs += 1
                return None
            frame.append(byte)
        self.counts.frames += 1
        return bytes(frame)


# --- frames to packets ---

def whole_header(frame):
    """(protocol, information); protocol None: there is none."""
    rest = frame[2:] if frame[:2] == b"\xff\x03" else frame
    size = 1 if rest[:1] and rest[0] & 1 else 2
    if len(rest) < size:
        return None, rest
    return f"{int.from_bytes(rest[:size], 'big'):04x}", rest[size:]


class Fragments:
    """Of one direction of a bundle (RFC 1990 section 3), put together when all are there: what is
    missing by then is lost. tshark's own reassembly mixes the two directions up."""

    def __init__(self, short):
        self._bits = 12 if short else 24
        self._newest = 0
        self._fragments = {}  # by number, counted on
        self.faults = []      # (origin, words)

    def add(self, origin, time, info):
        size = 2 if self._bits == 12 else 4
        if len(info) < size:
            self.faults.append((origin, "multilink: no whole header"))
            return
        header = int.from_bytes(info[:size], "big")
        half = 1 << self._bits - 1
        step = ((header - self._newest + half) & (2 * half - 1)) - half
        number = self._newest + step
        self._newest = max(self._newest, number)
        if number in self._fragments:
            self.faults.append((origin, f"multilink: number {number} for the second time"))
        begin, end = (header >> 8 * size - 1 & 1, header >> 8 * size - 2 & 1)
        self._fragments[number] = origin, time, begin, end, info[size:]

    def packets(self):
        """(origin, time, packet from its protocol on) of each whole one."""
        packet = last = None
        ended = True
        for number, (origin, time, begin, end, data) in sorted(self._fragments.items()):
            in_line = last is not None and number == last + 1
            if in_line and bool(begin) != ended:
                self.faults.append((origin, f"multilink: {'' if begin else 'no '}B at {number}"))
            packet = data if begin else packet + data if in_line and packet is not None else None
            if end and packet:
                yield origin, time, packet
            packet, ended, last = None if end else packet, bool(end), number


class Pcap:
    def __init__(self, file, linktype):
        self._file = file
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, linktype))

    def add(self, time, packet):
        self._file.write(struct.pack("<IIII", int(time), int(time % 1 * 1e6), len(packet),
                                     len(packet)) + packet)


@dataclasses.dataclass
class Origin:
    line: int
    direction: str
    protocol: str


class Evidence:
    """Packets for tshark to judge."""

    def __init__(self, slip, short_sequence):
        self._slip = slip
        self._packets = []  # (time, origin, bytes for the capture)
        self._fragments = {d: Fragments(short_sequence) for d in (SENT, RECEIVED)}

    def add(self, line, time, direction, frame):
        """Its protocol."""
        if self._slip:
            protocol = f"ipv{frame[0] >> 4}"
            self._packets.append((time, Origin(line, direction, protocol), frame))
            return protocol
        protocol, info = whole_header(frame)
        origin = Origin(line, direction, protocol)
        if protocol == "003d":
            self._fragments[direction].add(origin, time, info)
        elif protocol is not None:
            self._add_ppp(origin, time, bytes.fromhex(protocol) + info)
        return protocol

    def _add_ppp(self, origin, time, packet):
        self._packets.append((time, origin,
                              bytes([origin.direction == SENT]) + b"\xff\x03" + packet))

    def judged(self, path=None):
        """[(origin, words)] of what is at fault; `path` is for what tshark was given."""
        found = []
        for fragments in self._fragments.values():
            for origin, time, packet in fragments.packets():
                protocol, info = whole_header(packet)
                if protocol is not None:
                    self._add_ppp(origin, time, bytes.fromhex(protocol) + info)
            found += fragments.faults
        self._packets.sort(key=lambda packet: packet[0])
        with tempfile.NamedTemporaryFile() if path is None else open(path, "wb") as file:
            pcap = Pcap(file, LINKTYPE_RAW if self._slip else LINKTYPE_PPP_WITH_DIR)
            for time, _, packet in self._packets:
                pcap.add(time, packet)
            file.flush()
            return found + [(self._packets[i][1], words) for i, words in faults(file.name)]


# --- what tshark makes of them ---

# What counts of tshark's groups of expert notes; the others are about conversations, of which a
# line of a bundle, or a capture that begins late, has but a part.
GRAVE_GROUPS = {0x01000000: "checksum", 0x05000000: "undecoded", 0x06000000: "reassemble",
                0x07000000: "malformed", 0x09000000: "protocol"}
WARN = 0x600000  # and the severities above it
OPTIONS = ("ip.check_checksum:TRUE", "tcp.check_checksum:TRUE", "udp.check_checksum:TRUE",
           "tcp.analyze_sequence_numbers:FALSE")
# Payload is no matter here, and random bytes look like something now and then.
AS_DATA = ("tcp.port==1-65535,data", "udp.port==1-65535,data")
FIELDS = ("frame.number", "_ws.malformed", "_ws.expert.severity", "_ws.expert.group",
          "_ws.expert.message")


def faults(pcap):
    """(number from 0 on, tshark's words) of each packet that it finds malformed or at fault."""
    argv = ["tshark", "-n", "-r", pcap, "-T", "fields", "-E", "separator=/t", "-E", "aggregator=|"]
    argv += [word for option in OPTIONS for word in ("-o", option)]
    argv += [word for rule in AS_DATA for word in ("-d", rule)]
    argv += [word for field in FIELDS for word in ("-e", field)]
    said = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=600).stdout
    for line in said.splitlines():
        number, malformed, severities, groups, messages = line.split("\t")
        notes = zip(severities.split("|"), groups.split("|"))
        if malformed or any(is_grave(*note) for note in notes):
            yield int(number) - 1, messages or malformed


def is_grave(severity, group):
    return bool(severity) and int(severity, 0) >= WARN and int(group, 0) in GRAVE_GROUPS


# --- all of it ---

def in_order(lines):
    """(line, time, direction, characters) of all lines by time."""
    return heapq.merge(*([(i, *piece) for piece in pieces] for i, pieces in enumerate(lines)),
                       key=lambda item: item[1])


def dissect(lines, slip=False, fcs=BOTH_FCS, short_sequence=False, pcap=None):
    """([{direction: Counts} of each line], [(Origin, words)]); a line is what read_record() or
    raw_pieces() give. Lines of one bundle belong together, for what was cut over them."""
    lines = list(lines)
    counts = [{SENT: Counts(), RECEIVED: Counts()} for _ in lines]
    framers = [{d: SlipFramer(c) if slip else PppFramer(c, fcs) for d, c in line.items()}
               for line in counts]
    evidence = Evidence(slip, short_sequence)
    for line, time, direction, data in in_order(lines):
        if data is None:
            framers[line][direction].cut()
            continue
        for frame in framers[line][direction].feed(data):
            protocol = evidence.add(line, time, direction, frame)
            counts[line][direction].protocols[protocol] += 1
    for framer in (f for line in framers for f in line.values()):
        framer.cut()
    found = evidence.judged(pcap)
    for origin, _ in found:
        counts[origin.line][origin.direction].malformed += 1
    return counts, found


def judge_captures(paths, short_sequence=False):
    """[(Origin, words)] of what is at fault in captures of the PPP lines of one bundle."""
    evidence = Evidence(False, short_sequence)
    for line, path in enumerate(paths):
        for time, packet in packets(path, {LINKTYPE_PPP_WITH_DIR}):
            evidence.add(line, time, SENT if packet[0] else RECEIVED, packet[1:])
    return evidence.judged()


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.removeprefix("usage: "))
    parser.add_argument("records", nargs="*")
    parser.add_argument("--sent")
    parser.add_argument("--received")
    parser.add_argument("--slip", action="store_true")
    parser.add_argument("--fcs16", dest="fcs", action="store_const", const=(FCS16_LENGTH,))
    parser.add_argument("--fcs32", dest="fcs", action="store_const", const=(FCS32_LENGTH,))
    parser.add_argument("--short-sequence", action="store_true")
    parser.add_argument("--pcap")
    given = parser.parse_args()
    if bool(given.records) == bool(given.sent):
        parser.error("either RECORDs or --sent")
    return given


def content(path):
    if path is None:
        return None
    with open(path, "rb") as file:
        return file.read()


def main():
    given = arguments()
    lines = [read_record(path) for path in given.records] or \
        [raw_pieces(content(given.sent), content(given.received))]
    counts, found = dissect(lines, given.slip, given.fcs or BOTH_FCS, given.short_sequence,
                            given.pcap)
    for origin, words in found:
        print(f"line {origin.line}, {origin.direction}, {origin.protocol}: {words}",
              file=sys.stderr)
    print(json.dumps([{d: vars(c) for d, c in line.items()} for line in counts], indent=2))
    return 1 if any(c.bad_fcs or c.malformed for line in counts for c in line.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
