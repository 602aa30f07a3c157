# SPDX-License-Identifier: MIT
"""What a transfer can reach at most, computed from its own bytes.

A TCP segment without options takes 40 bytes of IP and TCP header, so MTU m carries m - 40 bytes of
payload. On the wire the packet stands between two ENDs, and each byte that is END or ESC takes two
characters (RFC 1055; written again here, so that the program under test does not check itself).
A character takes `bits` bit times (10 for 8N1). So the lines together need at least

    (sum over segments of the encoded length) / (sum over lines of bps / bits)   seconds.

Not counted, so the limit is a little too high and never too low: escapes in the headers (a third
of a character per packet), the three-way handshake, and that whole packets over n lines do not
end together.
"""

HEADERS = 20 + 20  # IPv4 and TCP, no options (tcp_timestamps = 0)


def slip_length(data):
    """Characters that SLIP makes of one packet, with an END before and after."""
    return 2 + len(data) + data.count(0xC0) + data.count(0xDB)


def mp_length(data):
    """Characters of one packet that goes whole in a multilink fragment (RFC 1990) with an empty
    character map and both header compressions: flag, protocol, long sequence number, the packet's
    own protocol, FCS, and a second character for each flag and escape (RFC 1662)."""
    return 1 + 1 + 4 + 1 + 2 + len(data) + data.count(0x7E) + data.count(0x7D)


def segments(payload, mtu):
    size = mtu - HEADERS
    return [payload[at:at + size] for at in range(0, len(payload), size)]


def wire_characters(payload, mtu, length=slip_length):
    """Characters on the wire for the payload in full segments, headers taken as escape-free;
    `length` is what the encapsulation makes of one."""
    return sum(HEADERS + length(segment) for segment in segments(payload, mtu))


def chars_per_second(lines):
    return sum(line.chars_per_second for line in lines)


def seconds(payload, mtu, lines, other_characters=0, length=slip_length):
    """The least time, with other_characters (pings) sharing the lines."""
    return (wire_characters(payload, mtu, length) + other_characters) / chars_per_second(lines)
