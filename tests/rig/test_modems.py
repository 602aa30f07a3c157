#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nullmodem's modems as their users see them: typed at, dialled by chat(8), cut off.

The engine's own tests have a clock of their own and go through commands and times one by one; here
is what it takes to make a modem out of it: ports that are opened and closed, speeds that are set,
characters that cross or do not."""

import asyncio
import contextlib
import os
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from rig.ends import NOISE, Rig  # noqa: E402
from rig.modem import Terminal, set_speed  # noqa: E402
from rig.process import until  # noqa: E402
from rig.result import run_tests  # noqa: E402

QUICK = "train=100ms,answers-after=50ms,ring-every=200ms,init=E0S10=2S11=50"
SERVER = f"{{d}}/a,{{d}}/b,bps=28800,a.modem=yes,{QUICK}"
MODEMS = f"{{d}}/a,{{d}}/b,bps=28800,modem=yes,{QUICK}"


@contextlib.asynccontextmanager
async def terminals(cable, **options):
    """A rig and somebody at each end of its cable."""
    async with Rig(cable, **options) as rig:
        a, b = Terminal(f"{rig.d}/a"), Terminal(f"{rig.d}/b")
        try:
            yield rig, a, b
        finally:
            for end in (a, b):
                with contextlib.suppress(OSError):
                    end.close()


async def in_phase(rig, phase):
    await until(lambda: rig.report()[0]["call"] == phase, 10, f"the call is {phase}",
                process=rig.process)


async def talk(tally, a, b, why):
    a.types("from a")
    tally.check(b.hears("from a") == b"from a", f"{why}: a to b")
    b.types("from b")
    tally.check(a.hears("from b") == b"from b", f"{why}: b to a")


async def chat_dials_a_server(tally):
    """What follows CONNECT is the server's banner, whole."""
    async with terminals(SERVER + ",connect-text=28800/ARQ/V34/LAPM/V42BIS") as (rig, a, b):
        end = os.open(f"{rig.d}/a", os.O_RDWR | os.O_NOCTTY)
        chat = await asyncio.create_subprocess_exec(
            "chat", "-s", "-S", "ABORT", "BUSY", "TIMEOUT", "10", "REPORT", "CONNECT", "", "ATZ",
            "OK", "ATDT5551234", "CONNECT", "\\c", "ogin:", "joe\\c",
            stdin=end, stdout=end, stderr=subprocess.PIPE)
        await in_phase(rig, "through")
        b.types("Welcome\r\nlogin:")
        _, said = await asyncio.wait_for(chat.communicate(), 20)
        tally.check(chat.returncode == 0, f"chat: {chat.returncode}, {said!r}")
        tally.check(b"CONNECT 28800/ARQ/V34/LAPM/V42BIS" in said, f"chat reports {said!r}")
        tally.check(b.hears("joe") == b"joe", "the server hears the name, and nothing else")
        os.close(end)
        await talk(tally, a, b, "after chat has left")


async def two_modems(tally):
    async with terminals(MODEMS) as (rig, a, b):
        a.types("ATDT5551234\r")
        tally.check(b.hears("\r\nRING\r\n") == b"\r\nRING\r\n", "it rings")
        tally.check(b.hears("\r\nRING\r\n") == b"\r\nRING\r\n", "it rings again")
        b.types("ATA\r")
        for end in (a, b):
            tally.check(end.hears("CONNECT 28800\r\n") is not None, "CONNECT")
        tally.check(a.heard == b"", "and nothing more")
        await talk(tally, a, b, "in the call")
        call = rig.report()[0]
        tally.check((call["call"], call["dialled"], call["connected"], call["dropped_calls"]) ==
                    ("through", 1, 1, 0), f"the report: {call['call']}")
        tally.check(call["ab"]["accepted"] == 6, "no character but those of the call was carried")


async def answers_by_itself(tally):
    async with terminals(MODEMS) as (_, a, b):
        tally.check(b.asks("ATS0=2") is not None, "S0=2")
        tally.check(a.dials(), "CONNECT at a")
        said = b.hears("CONNECT 28800\r\n")
        tally.check(said is not None and said.count(b"RING") == 2, f"two rings: {said!r}")
        await talk(tally, a, b, "in the call")


async def nothing_crosses_without_a_call(tally):
    async with terminals(SERVER) as (rig, a, b):
        b.types("lost")
        await until(lambda: rig.report()[0]["ba"]["dropped"] == 4, 10, "what the server says is lost")
        tally.check(a.asks("AT") == b"\r\nOK\r\n", "the modem speaks, and the server is not heard")
        tally.check(rig.report()[0]["ab"]["accepted"] == 0, "commands are not carried")
        tally.check(a.dials(), "CONNECT")
        await talk(tally, a, b, "in the call")


async def keeps_the_carriers_rate(tally):
    """Written at once, at a terminal that is faster; timed by what has arrived when."""
    async with terminals(SERVER + ",bps=9600,bits=8") as (_, a, b):
        tally.check(a.dials(), "CONNECT")
        start = time.monotonic()
        a.types(NOISE[:3000])
        received, early, full = b"", 0, 0
        while len(received) < 3000 and time.monotonic() < start + 20:
            received += b.listens(0.05)
            took = time.monotonic() - start
            early = max(early, len(received) - 1200 * took)
            full = max(full, len(received) / (1200 * took))
        tally.check(received == NOISE[:3000], f"{len(received)} characters, unchanged")
        tally.check(early <= 0, f"{early:.1f} characters too early")
        tally.check(full > 0.97, f"{full:.3f} of the carrier's rate")


async def words_come_at_the_terminals_speed(tally):
    async with terminals(SERVER) as (_, a, _b):
        set_speed(a.fd, 300)
        start = time.monotonic()
        said = a.asks("ATIS7?")
        took = time.monotonic() - start
        exact = len(said) * 10 / 300
        tally.check(exact <= took < exact + 1, f"{len(said)} characters took {took:.3f} s")


async def connect_tells_the_terminals_rate(tally):
    async with terminals(SERVER) as (_, a, b):
        attributes = termios.tcgetattr(a.fd)
        attributes[4] = attributes[5] = termios.B38400
        termios.tcsetattr(a.fd, termios.TCSANOW, attributes)
        tally.check(a.asks("ATW0") is not None, "ATW0")
        tally.check(a.dials(answer="CONNECT 38400"), "CONNECT 38400")
        await talk(tally, a, b, "in the call")


async def connect_tells_any_rate(tally):
    """Speeds that POSIX has no name for are set another way."""
    async with terminals(SERVER + ",a.init=E0W0S11=50") as (_, a, _b):
        set_speed(a.fd, 31250)
        tally.check(a.dials(answer="CONNECT 31250"), "CONNECT 31250")


async def B074_escapes_with_guard_times(tally):
    async with terminals(MODEMS + ",b.init=E0S0=1S10=2,b.ath=no-carrier") as (_, a, b):
        tally.check(a.dials() and b.hears("CONNECT 28800\r\n") is not None, "CONNECT")
        a.types("data+++")
        tally.check(a.listens(1.2) == b"", "data before it: no escape")
        start = time.monotonic()
        a.types("+++")
        tally.check(a.hears("\r\nOK\r\n") == b"\r\nOK\r\n", "OK")
        tally.check(time.monotonic() - start >= 0.99, "after a second of silence")
        b.listens(0.1)
        a.types("AT\r")
        tally.check(a.hears("OK\r\n") is not None, "commands")
        b.types("lost")
        tally.check(b.listens(0.2) == b"" and a.listens(0) == b"", "nothing crosses")
        tally.check(a.asks("ATO", "CONNECT 28800") is not None, "ATO")
        await talk(tally, a, b, "online again")
        b.listens(1.05)
        b.types("+++")
        tally.check(b.hears("OK\r\n") is not None, "the other escapes")
        tally.check(b.asks("ATH", "NO CARRIER") is not None, "and hangs up")
        tally.check(a.hears("NO CARRIER\r\n") is not None, "this one notices")
        tally.check(a.asks("AT") is not None and b.asks("AT") is not None, "both obey")


async def loses_the_carrier(tally):
    """Both modems say so and take commands; no terminal is hung up; what was under way is lost."""
    async with terminals(MODEMS + ",b.init=E0S0=1S10=2,delay=5s") as (rig, a, b):
        tally.check(a.dials() and b.hears("CONNECT 28800\r\n") is not None, "CONNECT")
        a.types("under way")
        await until(lambda: rig.report()[0]["ab"]["in_flight"] == 9, 10, "under way")
        tally.check(rig.command("set cable0 delay=0") == "ok", "set delay")
        tally.check(rig.command("drop cable0") == "ok", "drop")
        for end in (a, b):
            tally.check(end.hears("\r\nNO CARRIER\r\n") == b"\r\nNO CARRIER\r\n", "NO CARRIER")
            tally.check(end.asks("AT") == b"\r\nOK\r\n", "and takes commands")
        call = rig.report()[0]
        tally.check((call["call"], call["dropped_calls"], call["hangups"]) == ("idle", 1, 0), "told")
        tally.check(call["ab"]["dropped"] == 9, "what was under way is lost")
        tally.check(a.dials() and b.hears("CONNECT 28800\r\n") is not None, "connects again")
        await talk(tally, a, b, "the next call")


async def drops_by_itself(tally):
    async with terminals(SERVER + ",drop-call=after:500ms") as (rig, a, _):
        for call in range(1, 3):
            tally.check(a.dials(), f"call {call} connects")
            start = time.monotonic()
            tally.check(a.hears("NO CARRIER\r\n") is not None, f"call {call} is lost")
            took = time.monotonic() - start
            # half a second, and S10
            tally.check(0.65 <= took < 1.7, f"call {call}: after {took:.2f} s")
            tally.check(rig.report()[0]["dropped_calls"] == call, "counted")
        tally.check(rig.command("set cable0 drop-call=no") == "ok", "no more")
        tally.check(a.dials() and a.listens(1) == b"", "and the next call stays")


async def closing_the_port_hangs_up(tally):
    async with terminals(MODEMS + ",b.init=E0S0=1S10=2") as (rig, a, b):
        tally.check(a.dials() and b.hears("CONNECT 28800\r\n") is not None, "CONNECT")
        b.close()
        tally.check(a.hears("NO CARRIER\r\n") is not None, "the other loses the carrier")
        a.types("ATS7=2DT1\r")
        tally.check(a.hears("NO ANSWER\r\n") is not None, "a modem with DTR low does not answer")
        b.open(f"{rig.d}/b")
        tally.check(b.asks("AT&D0") is not None, "&D0")
        tally.check(a.dials() and b.hears("CONNECT 28800\r\n") is not None, "CONNECT again")
        b.close()
        rig.settle()
        b.open(f"{rig.d}/b")
        await talk(tally, a, b, "a call that does not mind DTR")


async def a_server_is_there_while_somebody_listens(tally):
    async with terminals(SERVER) as (rig, a, b):
        tally.check(a.dials(), "CONNECT")
        b.close()
        tally.check(a.hears("NO CARRIER\r\n") is not None, "it leaves, and that hangs up")
        tally.check(a.asks("ATS7=1DT1", "NO ANSWER") is not None, "nobody there, no answer")
        a.types("ATS7=50DT1\r")
        await in_phase(rig, "ringing")
        b.open(f"{rig.d}/b")
        tally.check(a.hears("CONNECT 28800\r\n") is not None, "it comes while the phone rings")
        await talk(tally, a, b, "in the call")


async def the_phone_book(tally):
    options = ("--phone", "1=busy", "--phone", "2=no-dialtone", "--phone", "3=no-answer",
               "--phone", "4=no-carrier")
    async with terminals(SERVER + ",b.number=5551234", options=options) as (rig, a, _):
        tally.check(a.asks("ATS7=1") is not None, "S7")
        for number, answer in ((1, "BUSY"), (2, "NO DIALTONE"), (3, "NO ANSWER"), (4, "NO CARRIER"),
                               (5, "NO CARRIER")):
            tally.check(a.dials(number, answer), f"{number}: {answer}")
        tally.check(rig.command("phone 1=answers") == "ok", "phone")
        tally.check(a.dials(1, "NO CARRIER"), "a number that is not the server's")
        tally.check(rig.command("set cable0 b.number=1") == "ok", "set the server's")
        tally.check(a.asks("ATS7=10") is not None and a.dials(1), "and now it is")
        tally.check(rig.report()[0]["dialled"] == 7, "seven were dialled")


async def noise_and_slow_answers(tally):
    async with terminals(SERVER + ",a.noise=30,a.slow=300ms") as (rig, a, _):
        start = time.monotonic()
        tally.check(a.asks("AT") is not None, "OK")
        tally.check(time.monotonic() - start >= 0.3, "it thinks before it answers")
        a.types("ATDT1\r")
        said = a.hears("CONNECT 28800\r\n")
        tally.check(len(said) == 30 + len("\r\nCONNECT 28800\r\n"), f"noise before CONNECT: {said!r}")
        rig.command("drop cable0")
        tally.check(a.hears("NO CARRIER\r\n") is not None, "NO CARRIER")
        noise = b""
        while len(noise) < 30 and (more := a.hears_any()):
            noise += more
        tally.check(len(noise) == 30, f"noise after it: {noise!r}")


async def survives_what_is_no_command(tally):
    """As from a link that has not noticed the end of its call."""
    async with terminals(SERVER) as (_, a, b):
        sent = 0
        while sent < 100000:
            a.types(NOISE[sent:sent + 4000].replace(b"AT", b""))
            sent += 4000
            a.listens(0)
        a.types("\rAT&F\r")
        tally.check(a.hears("\r\nOK\r\n", 20) is not None, "it obeys after all that")
        tally.check(a.asks("ATE0") is not None and a.dials(), "and dials")
        await talk(tally, a, b, "in the call")


async def a_cable_that_is_pulled_out(tally):
    async with terminals(MODEMS + ",b.init=E0S0=1S10=2") as (rig, a, b):
        tally.check(a.dials(), "CONNECT")
        rig.command("hangup cable0 100ms")
        a.close()
        b.close()
        await until(lambda: rig.report()[0]["up"], 10, "it is back")
        a.open(f"{rig.d}/a")
        b.open(f"{rig.d}/b")
        tally.check(rig.report()[0]["call"] == "idle", "the call is over")
        tally.check(a.asks("AT") == b"\r\nOK\r\n", "the modem is on the hook, as its profile says")
        tally.check(a.dials() and b.hears("CONNECT 28800\r\n") is not None, "and connects again")
        await talk(tally, a, b, "in the call")


async def control_answers(tally):
    async with Rig("{d}/a,{d}/b,name=plain", "{d}/c,{d}/d,name=m,modem=yes") as rig:
        for text, answer in (("drop plain", "no modem"), ("drop", "wrong number of words"),
                             ("drop nobody", "no such cable"), ("phone", "wrong number of words"),
                             ("phone 1=free", "not one of"), ("set m a.modem=no", "stay where"),
                             ("set m a.init=E9", "not a row of settings")):
            said = rig.command(text)
            tally.check(said.startswith("error: ") and answer in said, f"{text}: {said!r}")
        plain, modems = rig.report()
        tally.check("call" not in plain and modems["call"] == "idle", "only modems have calls")


if __name__ == "__main__":
    run_tests(chat_dials_a_server, two_modems, answers_by_itself, nothing_crosses_without_a_call,
              keeps_the_carriers_rate, words_come_at_the_terminals_speed,
              connect_tells_the_terminals_rate, connect_tells_any_rate,
              B074_escapes_with_guard_times, loses_the_carrier,
              drops_by_itself, closing_the_port_hangs_up,
              a_server_is_there_while_somebody_listens, the_phone_book, noise_and_slow_answers,
              survives_what_is_no_command, a_cable_that_is_pulled_out, control_answers)
