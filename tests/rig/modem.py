# SPDX-License-Identifier: MIT
"""Somebody who types at one of nullmodem's modems."""

import fcntl
import os
import select
import struct
import time

TCGETS2, TCSETS2 = 0x802c542a, 0x402c542b  # of any speed, where struct termios knows a dozen
TERMIOS2 = "4I20s2I"  # flags; line and characters; speeds
BOTHER, CBAUD = 0o010000, 0o010017


def _termios2(fd):
    return list(struct.unpack(TERMIOS2, fcntl.ioctl(fd, TCGETS2, bytes(44))))


def speed(path):
    """What a terminal is set to send at, in baud."""
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        return _termios2(fd)[-1]
    finally:
        os.close(fd)


def set_speed(fd, baud):
    attributes = _termios2(fd)
    attributes[2] = attributes[2] & ~CBAUD | BOTHER
    attributes[-2:] = (baud, baud)
    fcntl.ioctl(fd, TCSETS2, struct.pack(TERMIOS2, *attributes))


class Terminal:
    """An end of a cable, opened; what it hears is kept until `hears` has found what it wants."""

    def __init__(self, path):
        self.open(path)

    def open(self, path):
        self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self.heard = b""

    def close(self):
        os.close(self.fd)

    def types(self, text):
        data = text.encode() if isinstance(text, str) else text
        while data:
            select.select([], [self.fd], [], 10)
            data = data[os.write(self.fd, data):]

    def hears_any(self, seconds=10):
        """The next that comes, or b""."""
        if not self.heard and select.select([self.fd], [], [], seconds)[0]:
            self.heard = os.read(self.fd, 4096)
        heard, self.heard = self.heard, b""
        return heard

    def listens(self, seconds):
        """What else comes within that time, or has come before."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                self.heard += os.read(self.fd, 4096)
        heard, self.heard = self.heard, b""
        return heard

    def hears(self, text, seconds=10):
        """Waits for it; all up to its end, or None when it does not come. The rest stays."""
        wanted = text.encode() if isinstance(text, str) else text
        end = time.monotonic() + seconds
        while (at := self.heard.find(wanted)) < 0:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                return None
            self.heard += os.read(self.fd, 4096)
        head, self.heard = self.heard[:at + len(wanted)], self.heard[at + len(wanted):]
        return head

    def asks(self, command, answer="OK", seconds=10):
        """Types a command; what was said up to the end of the answer's line, or None."""
        self.types(command + "\r")
        return self.hears(f"{answer}\r\n", seconds)

    def dials(self, number="5551234", answer="CONNECT", seconds=20):
        """True when that is the answer, whose line has been read to its end."""
        self.types(f"ATDT{number}\r")
        return self.hears(answer, seconds) is not None and self.hears("\r\n") is not None
