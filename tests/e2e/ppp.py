#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two serialbundles that speak PPP: links come up, prove themselves, get addresses and carry; and
what a line can do to them in the meantime."""

import asyncio
import os
import random
import re
import signal
import time

import common
from alone import Alone, echoing, living
from rig import pppeer
from rig.nullmodem import Line
from rig.pair import Pair
from rig.ping import Pinger
from rig.process import until
from rig.result import run_tests
from rig.tcp import transfer

FAST = 460800
SECRET = "Xy4zzy-plugh"
# name  server  secret  addresses, as pppd(8) has it
A_SECRETS = f"alice bob {SECRET}\n"
B_SECRETS = f"alice bob {SECRET} *\n"


def lines(n, **more):
    return [Line(FAST, **more) for _ in range(n)]


def said(host):
    with open(host.bundle.log, encoding="utf-8", errors="replace") as log:
        return log.read()


def says(host, pattern):
    return re.search(pattern, said(host), re.IGNORECASE)


async def all_up(pair):
    """Until every line is, on both sides: the address may be there with the first."""
    for host in (pair.a, pair.b):
        await until(lambda host=host: lines_up(host) >= len(pair.lines), 10, "all lines are up",
                    process=host.bundle)


def lines_up(host):
    """As the log has it: each line's last word is that it is up."""
    last = {}
    for name, word in re.findall(r"^(?:warning: )?(\w+): (up|\w+)", said(host), re.MULTILINE):
        last[name] = word
    return sum(word == "up" for name, word in last.items())


async def pings(pair, tally, what, address=None):
    ping = await Pinger(pair.a, address or pair.b.address, count=3).finished(30)
    return tally.check(ping.sent == 3 and ping.lost == 0, f"{what}: {ping}\n{pair.a.bundle.said()}")


async def carries(pair, tally, what, size=60_000):
    result = await transfer(pair.a, pair.b, os.urandom(size))
    tally.check(result.intact, f"{what}: {result}")


# --- links ---

async def comes_up(tally, n, *args):
    start = time.monotonic()
    async with Pair(lines(n), ppp=True, args=args) as pair:
        took = time.monotonic() - start
        what = f"{n} lines {' '.join(args)}"
        tally.check(took < 5, f"{what}: up after {took:.1f} s")
        tally.check(pair.a.negotiated() == ("10.9.0.1", "10.9.0.2"), f"{pair.a.negotiated()}")
        tally.check(pair.b.negotiated() == ("10.9.0.2", "10.9.0.1"), f"{pair.b.negotiated()}")
        await all_up(pair)
        await pings(pair, tally, what)
        before = await pair.nullmodem.carried()
        await carries(pair, tally, what)
        for line, (old, new) in enumerate(zip(before, await pair.nullmodem.carried())):
            tally.check(new - old > 30_000 / n, f"{what}: c{line} carried {new - old}")


async def one_line(tally):
    await comes_up(tally, 1)
    await comes_up(tally, 1, "--no-multilink")


async def two_lines(tally):
    await comes_up(tally, 2)
    await comes_up(tally, 2, "--short-sequence")


async def four_lines(tally):
    await comes_up(tally, 4)


async def as_plain_as_can_be(tally):
    await comes_up(tally, 2, "--no-pfc", "--no-acfc", "--asyncmap", "ffffffff")
    await comes_up(tally, 2, "--fcs", "32", "--escape", "11,13,ff")


async def ends_for_both(tally):
    """One side ends: Terminate-Request tells the other, which goes on trying until it is back."""
    async with Pair(lines(2), ppp=True) as pair:
        start = time.monotonic()
        await pair.a.stop_bundle()
        tally.check(time.monotonic() - start < 3, f"ends in {time.monotonic() - start:.1f} s")
        await until(lambda: says(pair.b, "0 of 2 lines up"), 5, "b knows", process=pair.b.bundle)
        await pair.start(pair.a)
        await all_up(pair)
        await pings(pair, tally, "after a new start")


async def damaged_while_coming_up(tally):
    """1 % of the characters are damaged, so half of LCP's packets are."""
    noisy = [Line(FAST, extra="byte-errors=0.01")] * 2
    start = time.monotonic()
    async with Pair(noisy, ppp=True, args=("--restart", "500ms")) as pair:
        print(f"up on noisy lines after {time.monotonic() - start:.1f} s")
        for i in range(2):
            await pair.nullmodem.command(f"set c{i} byte-errors=0")
        await pings(pair, tally, "once the noise is over")
        await carries(pair, tally, "once the noise is over")


# --- proof ---

def write_secrets(pair_directory, name, text):
    path = os.path.join(pair_directory, name)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
        file.write(text)
    return path


class Proving(Pair):
    """a is alice, b is bob; files of secrets are there before they start."""

    def __init__(self, kind, a_more=(), b_more=(), a_secrets=A_SECRETS, b_secrets=B_SECRETS,
                 **more):
        super().__init__(
            lines(2), ppp=True,
            a_args=("--user", "alice", f"--{kind}-secrets", "{d}/a.secrets", *a_more),
            b_args=("--user", "bob", f"--{kind}-secrets", "{d}/b.secrets", *b_more), **more)
        self._texts = {"a": a_secrets, "b": b_secrets}

    def bundle_argv(self, host):
        write_secrets(self.directory, f"{host.side}.secrets", self._texts[host.side])
        return super().bundle_argv(host)


async def proof_by_pap(tally):
    more = {"a_more": ("--remote-name", "bob"), "b_more": ("--require-pap",)}
    async with Proving("pap", **more) as pair:
        tally.check(says(pair.b, "alice"), "b says who it is")
        await pings(pair, tally, "PAP")


async def proof_by_chap(tally):
    for a_more, b_more, what in (((), ("--require-chap",), "a proves itself"),
                                 (("--require-chap",), (), "b proves itself"),
                                 (("--require-chap",), ("--require-chap",), "both do")):
        both = A_SECRETS + f"bob alice {SECRET}2 *\n"
        async with Proving("chap", a_more, b_more, a_secrets=both,
                           b_secrets=both.replace(f"{SECRET}\n", f"{SECRET} *\n")) as pair:
            await pings(pair, tally, f"CHAP: {what}")
            await carries(pair, tally, f"CHAP: {what}")


async def challenges_again(tally):
    async with Proving("chap", b_more=("--require-chap", "--rechallenge", "500ms")) as pair:
        before = (await pair.nullmodem.carried("ba"))[0]

        async def more_came():
            return (await pair.nullmodem.carried("ba"))[0] > before + 200

        await until(more_came, 20, "challenges come again")
        await pings(pair, tally, "after some more challenges")


class Refused(Proving):
    """Never comes up, so is ready at once."""

    async def start(self, host, env=None):
        await host.bundle_ready(host.start_bundle(self.bundle_argv(host), env))


async def a_wrong_secret(tally):
    for kind in ("pap", "chap"):
        more = {"a_more": ("--remote-name", "bob"), "b_more": (f"--require-{kind}",)}
        async with Refused(kind, a_secrets=f"alice bob {SECRET}-not\n", **more) as pair:
            await until(lambda: says(pair.a, "refused|rejected|secret|name"), 20, "a is told why",
                        process=pair.a.bundle)
            await until(lambda: says(pair.b, "did not prove"), 20, "b says so",
                        process=pair.b.bundle)
            tally.check(pair.a.negotiated() is None, f"{kind}: no address on a")
            tally.check(pair.b.negotiated() is None, f"{kind}: no address on b")
            print(f"{kind}, a: {pair.a.bundle.said(4)}{kind}, b: {pair.b.bundle.said(4)}", end="")


async def no_proof_without_a_secret(tally):
    async with Refused("chap", b_more=("--require-chap",), a_secrets="eve bob x\n") as pair:
        await until(lambda: says(pair.b, "prove|authenticat"), 20, "b says why not",
                    process=pair.b.bundle)
        tally.check(pair.b.negotiated() is None, "no address")


async def B056_no_secret_is_shown(tally):
    """Neither in `ps`, nor in what -v says, nor in the captures; PAP sends it over the line."""
    for kind in ("pap", "chap"):
        more = {"a_more": ("--remote-name", "bob", "-v"), "b_more": (f"--require-{kind}", "-v")}
        async with Proving(kind, capture="ab", **more) as pair:
            await pings(pair, tally, kind)
            for host in (pair.a, pair.b):
                with open(f"/proc/{host.bundle.pid}/cmdline", "rb") as file:
                    tally.check(SECRET.encode() not in file.read(), f"{kind}: {host.side} in ps")
                host.bundle.send(signal.SIGUSR1)
                await until(lambda host=host: says(host, "packets"), 10, "the summary")
                tally.check(SECRET not in said(host), f"{kind}: {host.side}'s log")
            for host in (pair.a, pair.b):
                await host.stop_bundle()
            files = [name for name in os.listdir(pair.directory) if name.endswith(".pcap")]
            tally.check(len(files) >= 6, f"captures: {files}")
            for name in files:
                with open(os.path.join(pair.directory, name), "rb") as file:
                    tally.check(SECRET.encode() not in file.read(), f"{kind}: {name}")


# --- addresses ---

async def addresses_from_the_other_end(tally):
    async with Pair(lines(1), ppp=True, told="b",
                    a_args=("--ask-dns", "--resolv", "{d}/resolv"),
                    b_args=("--dns", "10.9.0.53", "--dns", "10.9.0.54")) as pair:
        tally.check(pair.a.negotiated() == ("10.9.0.1", "10.9.0.2"), f"{pair.a.negotiated()}")
        await pings(pair, tally, "with a given address")
        with open(f"{pair.directory}/resolv", encoding="ascii") as file:
            servers = re.findall(r"nameserver (\S+)", file.read())
        tally.check(servers == ["10.9.0.53", "10.9.0.54"], f"name servers: {servers}")


async def IPv6_too(tally):
    async with Pair(lines(2), ppp=True, mtu=1280, ipv6=True, args=("--ipv6",)) as pair:
        own = {}
        for host in (pair.a, pair.b):
            await until(lambda host=host: link_local(host), 10, "a link-local address")
            own[host.side] = link_local(host)
        tally.check(own["a"] != own["b"], f"link-local: {own}")
        await pings(pair, tally, "IPv6, link-local", f"{own['b']}%{pair.a.interface()}")
        await pings(pair, tally, "IPv6", "fd09::2")


def link_local(host):
    return next((a for a, _ in host.addresses_now("inet6") if a.startswith("fe80:")), None)


async def the_peers_MRRU_is_the_MTU(tally):
    async with Pair(lines(2), ppp=True, mtu=None, b_args=("--mrru", "1000")) as pair:
        mtu = pair.a.link()["mtu"]
        tally.check(mtu == 1000, f"a's MTU is {mtu}")
        ping = await Pinger(pair.a, pair.b.address, count=2, size=972).finished(20)
        tally.check(ping.lost == 0, f"a packet of 1000: {ping}")


# --- lines of both kinds ---

async def SLIP_and_PPP_in_one_bundle(tally):
    """Sequence numbers on some lines only: a flow keeps its order all the same, or nearly: lines
    without them keep it by timing alone."""
    mixed = [Line(115200, words="slip"), Line(57600, words="ppp"), Line(115200, words="ppp")]
    async with Pair(mixed, ppp=True) as pair:
        await all_up(pair)
        before = await pair.nullmodem.carried()
        await carries(pair, tally, "mixed lines", 150_000)
        for line, (old, new) in enumerate(zip(before, await pair.nullmodem.carried())):
            tally.check(new - old > 10_000, f"mixed lines: c{line} carried {new - old}")
        order = await numbered(pair, 400)
        late = sum(b < a for a, b in zip(order, order[1:]))
        tally.check(len(order) == 400, f"mixed lines: {len(order)} of 400 arrived")
        tally.check(late <= 20, f"mixed lines: {late} of 400 datagrams of one flow came late")


async def numbered(pair, count):
    """The numbers of datagrams of one flow, as they came; at most 10 wait at a time."""
    source, sink = common.udp_socket(pair.a), common.udp_socket(pair.b)
    rng, got = random.Random(4), []
    for number in range(count):
        source.sendto(number.to_bytes(4, "big") + bytes(rng.randrange(20, 800)),
                      sink.getsockname())
        while number - len(got) >= 10:
            data = await common.datagram(sink, 5)
            if data is None:
                break
            got.append(int.from_bytes(data[:4], "big"))
    while len(got) < count and (data := await common.datagram(sink, 2)):
        got.append(int.from_bytes(data[:4], "big"))
    source.close()
    sink.close()
    return got


# --- other far ends, on a bare pseudo-terminal ---

PLAIN = ("--ppp", "--local", "10.9.0.1", "--remote", "10.9.0.2")


async def B038_a_looped_back_line(tally):
    """All comes back as it was sent: this is no peer."""
    async with Alone(*PLAIN) as alone:
        with echoing(alone.fd):
            await until(lambda: alone.says("looped back"), 30, "it says so",
                        process=alone.host.bundle)
            tally.check(alone.host.negotiated() is None, "it is not up")
            tally.check(len(alone.said()) < 10_000, f"it says {len(alone.said())} characters")
            await alone.ends_at_once(tally, "looped back")


async def nobody_there(tally):
    async with Alone(*PLAIN, "--restart", "200ms", "--max-configure", "3") as alone:
        await until(lambda: alone.says("no reply"), 20, "it says so", process=alone.host.bundle)
        tally.check(alone.host.bundle.running, "it goes on trying")
        await alone.ends_at_once(tally, "nobody there")


async def B046_a_protocol_nobody_knows(tally):
    """CCP is rejected, not at every request, and pings are not held up."""
    async with Alone(*PLAIN) as alone, living(pppeer.Peer(alone.fd)) as peer:
        for i in range(40):
            peer.send(pppeer.CCP, pppeer.packet(pppeer.REQUEST, i, b"\x12\x06\0\0\0\0"))
            await asyncio.sleep(0.05)  # the pace at which they come
        ping = await Pinger(alone.host, "10.9.0.2", count=3).finished(10)
        tally.check(ping.lost == 0, f"pings go on: {ping}")
        rejects = peer.count(pppeer.LCP, pppeer.PROTOCOL_REJECT)
        tally.check(1 <= rejects <= 20, f"{rejects} Protocol-Rejects for 40 packets")
        tally.check(peer.decoder.bad == 0, f"{peer.decoder.bad} bad frames from us")
        ending = asyncio.create_task(alone.ends_at_once(tally, "with a peer"))
        tally.check(await peer.until(peer.terminated.is_set, 5), "the peer is told of the end")
        await ending


async def B063_a_peer_without_multilink(tally):
    async with Alone(*PLAIN) as alone, living(pppeer.Peer(alone.fd)) as peer:
        ping = await Pinger(alone.host, "10.9.0.2", count=3).finished(10)
        tally.check(ping.lost == 0, f"a plain link carries: {ping}")
        tally.check(not any(p == pppeer.MP for p, _ in peer.received),
                    "without multilink headers")


run_tests(one_line, two_lines, four_lines, as_plain_as_can_be, ends_for_both,
          damaged_while_coming_up, proof_by_pap, proof_by_chap, challenges_again, a_wrong_secret,
          no_proof_without_a_secret, B056_no_secret_is_shown, addresses_from_the_other_end,
          IPv6_too, the_peers_MRRU_is_the_MTU, SLIP_and_PPP_in_one_bundle,
          B038_a_looped_back_line, nobody_there, B046_a_protocol_nobody_knows,
          B063_a_peer_without_multilink)
