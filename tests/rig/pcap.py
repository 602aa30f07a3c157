# SPDX-License-Identifier: MIT
"""Reads classic pcap files of raw IP and tells how a TCP flow's segments arrived.

Order is judged by the IP identification, which Linux counts up by one for each packet that a
connected TCP socket sends, retransmissions too: a packet is late when one that was sent after it
has arrived before it. A gap that a retransmission fills is thus no reordering.
"""

import dataclasses
import struct

LINKTYPE_RAW = 101
DLT_RAW = 12  # what libpcap writes into files on some systems


def packets(path, linktypes=frozenset((LINKTYPE_RAW, DLT_RAW))):
    """(seconds, bytes) of each packet; the file must be of one of these link types."""
    with open(path, "rb") as file:
        header = file.read(24)
        magic = header[:4]
        order = "<" if magic in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
        fraction = {0xA1B2C3D4: 1e-6, 0xA1B23C4D: 1e-9}[struct.unpack(order + "I", magic)[0]]
        linktype = struct.unpack(order + "I", header[20:])[0] & 0xFFFF
        if linktype not in linktypes:
            raise ValueError(f"{path}: link type {linktype} is none of {sorted(linktypes)}")
        while len(record := file.read(16)) == 16:
            whole, part, length, _ = struct.unpack(order + "IIII", record)
            yield whole + part * fraction, file.read(length)


@dataclasses.dataclass
class Arrival:
    """How the payload of one direction of a connection came in; all in bytes but packets/late."""

    packets: int = 0
    late: int = 0  # packets that one sent later has overtaken
    payload: int = 0
    twice: int = 0  # payload that had arrived before
    copies: int = 0  # packets that had themselves: same identification, same payload

    @property
    def late_share(self):
        return self.late / self.packets if self.packets else 0.0

    @property
    def twice_share(self):
        return self.twice / self.payload if self.payload else 0.0


def arrival(path, port, since=0.0, until=float("inf")):
    """Of the segments with payload to TCP port `port` that came in that time; what came before it
    had arrived before."""
    result = Arrival()
    seen, idents = Ranges(), set()
    newest = first = None
    for at, packet in packets(path):
        segment = _tcp_to(packet, port)
        if not segment or at >= until:
            continue
        ident, sequence, length = segment
        first = sequence if first is None else first
        if at < since:
            seen.add(*_span(sequence, first, length))
            continue
        result.copies += (ident, sequence) in idents
        idents.add((ident, sequence))
        if newest is not None and (ident - newest) & 0xFFFF >= 0x8000:
            result.late += 1
        else:
            newest = ident
        result.packets += 1
        result.payload += length
        result.twice += length - seen.add(*_span(sequence, first, length))
    return result


def _span(sequence, first, length):
    """Of a segment's payload, counted from the connection's first."""
    start = (sequence - first + 0x80000000) % (1 << 32) - 0x80000000
    return start, start + length


def _tcp_to(packet, port):
    if len(packet) < 40 or packet[0] >> 4 != 4 or packet[9] != 6:
        return None
    total, ident = struct.unpack_from(">HH", packet, 2)
    header = (packet[0] & 15) * 4
    to, sequence = struct.unpack_from(">HI", packet, header + 2)
    length = total - header - (packet[header + 12] >> 4) * 4
    return (ident, sequence, length) if to == port and length > 0 else None


class Ranges:
    """A set of integers as sorted disjoint ranges; few, as arrivals are nearly in order."""

    def __init__(self):
        self._ranges = []

    def add(self, start, end):
        """Adds [start, end) and returns how many were not yet in the set."""
        new, kept, (low, high) = end - start, [], (start, end)
        for one in self._ranges:
            if one[1] < start or one[0] > end:
                kept.append(one)
                continue
            new -= min(one[1], end) - max(one[0], start)
            low, high = min(one[0], low), max(one[1], high)
        self._ranges = sorted([*kept, (low, high)])
        return new
