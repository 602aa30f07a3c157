# SPDX-License-Identifier: MIT
"""A PPP peer in Python: framing written again here, so that the program under test does not check
itself, and as much of LCP and IPCP as it takes to bring a plain link up and answer pings.

It is for what a decent peer never sends: derive from it, or send() frames of one's own.
"""

import asyncio
import os
import struct

FLAG, ESCAPE, XOR = 0x7E, 0x7D, 0x20
LCP, IPCP, CCP, IP, MP = 0xC021, 0x8021, 0x80FD, 0x0021, 0x003D
REQUEST, ACK, NAK, REJECT, TERMINATE, TERMINATE_ACK = 1, 2, 3, 4, 5, 6
PROTOCOL_REJECT, ECHO, ECHO_REPLY = 8, 9, 10
MULTILINK_OPTIONS = (17, 18)  # MRRU, short sequence numbers: RFC 1990 section 5.1
ADDRESS_OPTION = 3  # of IPCP


def fcs16(data):
    fcs = 0xFFFF
    for byte in data:
        fcs ^= byte
        for _ in range(8):
            fcs = fcs >> 1 ^ (0x8408 if fcs & 1 else 0)
    return fcs ^ 0xFFFF


def encode(frame, controls=True):
    """A frame as it goes over the line; `controls`: with the default map, all of them escaped."""
    out = bytearray([FLAG])
    for byte in frame + struct.pack("<H", fcs16(frame)):
        if byte in (FLAG, ESCAPE) or (controls and byte < 0x20):
            out += bytes((ESCAPE, byte ^ XOR))
        else:
            out.append(byte)
    return bytes(out + bytes([FLAG]))


class Decoder:
    """Good frames out of a stream."""

    def __init__(self):
        self._rest = b""
        self.bad = 0

    def frames(self, data):
        *pieces, self._rest = (self._rest + data).split(bytes([FLAG]))
        for piece in pieces:
            frame, escaped = bytearray(), False
            for byte in piece:
                if escaped:
                    frame.append(byte ^ XOR)
                elif byte != ESCAPE:
                    frame.append(byte)
                escaped = byte == ESCAPE and not escaped
            if len(frame) < 4:
                continue
            if struct.pack("<H", fcs16(frame[:-2])) == frame[-2:]:
                yield bytes(frame[:-2])
            else:
                self.bad += 1


def parse(frame):
    """(protocol, information), whether compressed or not (RFC 1661 sections 6.5 and 6.6)."""
    if frame[:2] == b"\xff\x03":
        frame = frame[2:]
    if frame[0] & 1:
        return frame[0], frame[1:]
    return struct.unpack(">H", frame[:2])[0], frame[2:]


def options(data):
    """Every (type, whole option)."""
    while len(data) >= 2 and 2 <= data[1] <= len(data):
        yield data[0], data[:data[1]]
        data = data[data[1]:]


def packet(code, identifier, data=b""):
    return struct.pack(">BBH", code, identifier, len(data) + 4) + data


class Peer:
    """On a file descriptor, whose owner the caller stays. run() is the peer's life."""

    def __init__(self, fd, address="10.9.0.2", remote="10.9.0.1", multilink=False):
        self.fd = fd
        self.address, self.remote = (bytes(map(int, a.split("."))) for a in (address, remote))
        self.multilink = multilink
        self.decoder = Decoder()
        self.received = []  # (protocol, information) of all that came
        self.up = asyncio.Event()  # IPCP, in both directions
        self.terminated = asyncio.Event()
        self._identifier = 0
        self._agreed = set()
        self._news = asyncio.Event()

    def write(self, data):
        """How much of it the port takes; the rest is lost, as on a line."""
        try:
            return os.write(self.fd, data)
        except OSError:
            return 0

    def send(self, protocol, information):
        self.write(encode(struct.pack(">BBH", 0xFF, 3, protocol) + information))

    def request(self, protocol):
        """Our Configure-Request."""
        self._identifier = self._identifier % 255 + 1
        wishes = b"\x05\x06" + os.urandom(4) if protocol == LCP else b"\x03\x06" + self.address
        if protocol == LCP and self.multilink:
            wishes += b"\x11\x04\x05\xdc"
        self.send(protocol, packet(REQUEST, self._identifier, wishes))

    async def run(self):
        loop = asyncio.get_running_loop()
        loop.add_reader(self.fd, self._readable)
        try:
            while True:
                if LCP not in self._agreed:
                    self.request(LCP)
                elif not self.up.is_set():
                    self.request(IPCP)
                await asyncio.sleep(1)  # the restart timer
        finally:
            loop.remove_reader(self.fd)

    def _readable(self):
        try:
            data = os.read(self.fd, 65536)
        except (BlockingIOError, OSError):
            return
        for frame in self.decoder.frames(data):
            protocol, information = parse(frame)
            self.received.append((protocol, information))
            self.input(protocol, information)
            self._news.set()

    async def until(self, condition, seconds):
        """Until condition() holds, looked at after every frame; False: not in that time."""
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return False
        return True

    def count(self, protocol, code):
        return sum(p == protocol and i[:1] == bytes([code]) for p, i in self.received)

    def input(self, protocol, information):
        if protocol == IP:
            self.answer_ping(information)
        elif protocol in (LCP, IPCP) and len(information) >= 4:
            self.control(protocol, information[0], information[1], information[4:])
        elif protocol not in (LCP, IPCP, MP):
            self.send(LCP, packet(PROTOCOL_REJECT, 1, struct.pack(">H", protocol) + information))

    def control(self, protocol, code, identifier, data):
        if code == REQUEST:
            self.judge(protocol, identifier, data)
        elif code == ACK:
            self._agree(protocol)
        elif code == NAK and protocol == IPCP:
            self.address = data[2:6]  # as it was told
            self.request(IPCP)
        elif code == TERMINATE:
            self.send(protocol, packet(TERMINATE_ACK, identifier))
            self.terminated.set()
        elif code == ECHO:
            self.send(protocol, packet(ECHO_REPLY, identifier, bytes(4) + data[4:]))

    def judge(self, protocol, identifier, data):
        """Multilink is rejected unless wanted, an address that is not ours to give corrected."""
        refused = b"".join(o for t, o in options(data)
                           if protocol == LCP and t in MULTILINK_OPTIONS and not self.multilink
                           or protocol == IPCP and t != ADDRESS_OPTION)
        wrong = protocol == IPCP and any(o[2:] != self.remote for t, o in options(data))
        if refused:
            self.send(protocol, packet(REJECT, identifier, refused))
        elif wrong:
            self.send(protocol, packet(NAK, identifier, b"\x03\x06" + self.remote))
        else:
            self.send(protocol, packet(ACK, identifier, data))
            self._agree(-protocol)

    def _agree(self, what):
        self._agreed.add(what)
        if what == LCP:
            self.request(IPCP)
        if {IPCP, -IPCP} <= self._agreed:
            self.up.set()

    def answer_ping(self, datagram):
        """Echo-Request to -Reply: the ICMP checksum grows by what the type shrinks."""
        header = (datagram[0] & 15) * 4
        if datagram[9:10] != b"\x01" or datagram[header:header + 1] != b"\x08":
            return
        check = struct.unpack(">H", datagram[header + 2:header + 4])[0] + 0x0800
        check = (check & 0xFFFF) + (check >> 16)
        self.send(IP, datagram[:12] + datagram[16:20] + datagram[12:16] + datagram[20:header]
                  + struct.pack(">BBH", 0, 0, check) + datagram[header + 4:])
