#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The interface as ip(8) sees it: address, peer, MTU, route while it runs; nothing after it (E9)."""

import json
import signal
import subprocess

from common import udp_socket  # noqa: F401  (makes the rig importable)
from rig.netns import Namespace
from rig.nullmodem import Line
from rig.pair import Pair
from rig.ping import Pinger
from rig.process import until
from rig.result import run_tests

LINES = [Line(115200), Line(57600)]


def ip(ns, *arguments):
    with ns:
        return json.loads(subprocess.check_output(["ip", "-j", *arguments]) or b"[]")


def state(ns):
    """All addresses and routes, without what counts up by itself."""
    links = [(link["ifname"], link["mtu"], [a["local"] for a in link["addr_info"]])
             for link in ip(ns, "addr")]
    return links, ip(ns, "route"), ip(ns, "-6", "route")


def untouched():
    ns = Namespace()
    try:
        return state(ns)
    finally:
        ns.close()


async def address_peer_mtu_route(tally):
    async with Pair(LINES, mtu=1006, args=("--default-route", "--name", "slip7")) as pair:
        links = {link["ifname"]: link for link in ip(pair.a.ns, "addr")}
        tally.check(set(links) == {"lo", "slip7"}, f"interfaces {set(links)}")
        link = links["slip7"]
        tally.check(link["mtu"] == 1006, f"MTU {link['mtu']}")
        tally.check("UP" in link["flags"] and "LOWER_UP" in link["flags"], f"{link['flags']}")
        inet = [a for a in link["addr_info"] if a["family"] == "inet"]
        tally.check([(a["local"], a.get("address"), a["prefixlen"]) for a in inet]
                    == [("10.9.0.1", "10.9.0.2", 32)], f"addresses {inet}")
        tally.check(not any(a["family"] == "inet6" for a in link["addr_info"]), "no IPv6 address")
        default = [r for r in ip(pair.a.ns, "route") if r["dst"] == "default"]
        tally.check([r["dev"] for r in default] == ["slip7"], f"default route {default}")
        await pair.a.stop_bundle()
        tally.check(state(pair.a.ns) == untouched(), f"nothing is left: {state(pair.a.ns)}")


async def ipv6(tally):
    async with Pair(LINES, mtu=1280, ipv6=True) as pair:
        ping = await Pinger(pair.a, "fd09::2", count=5).finished(30)
        tally.check(ping.lost == 0, f"IPv6: {ping}")
        ping = await Pinger(pair.a, pair.b.address, count=5).finished(30)
        tally.check(ping.lost == 0, f"IPv4 beside it: {ping}")


async def killed(tally):
    """Even SIGKILL leaves no interface, and the next start finds all it needs."""
    async with Pair(LINES) as pair:
        pair.a.bundle.send(signal.SIGKILL)
        await pair.a.bundle.wait(5)
        tally.check(state(pair.a.ns) == untouched(), f"nothing is left: {state(pair.a.ns)}")
        await pair.start(pair.a)
        ping = await Pinger(pair.a, pair.b.address, count=3).finished(30)
        tally.check(ping.lost == 0, f"started again: {ping}")


def routes(ns):
    return {r["dst"]: r.get("metric") for r in ip(ns, "route")}


async def negotiated(tally):
    """Over PPP b is told everything by a, has it while it runs, and nothing is left."""
    async with Pair(LINES, ppp=True, told="a", a_args=("--dns", "10.9.0.53"),
                    b_args=("--default-route=7", "--ask-dns", "--resolv", "{d}/resolv")) as pair:
        tally.check(pair.b.negotiated() == ("10.9.0.2", "10.9.0.1"), f"{pair.b.negotiated()}")
        found = routes(pair.b.ns)
        tally.check(found.get("default") == 7 and "10.9.0.1" in found, f"routes {found}")
        with open(f"{pair.directory}/resolv", encoding="ascii") as file:
            tally.check(file.read() == "nameserver 10.9.0.53\n", "name server")
        await pair.b.stop_bundle()
        tally.check(state(pair.b.ns) == untouched(), f"nothing is left: {state(pair.b.ns)}")


async def mtu_of_the_peer(tally):
    """B091: what the other end takes is the MTU, and what is longer is told to the sender."""
    async with Pair(LINES, ppp=True, mtu=None, a_args=("--mrru", "700")) as pair:
        tally.check(pair.b.link()["mtu"] == 700, f"MTU {pair.b.link()['mtu']}")
        tally.check(pair.a.link()["mtu"] == 1500, f"MTU {pair.a.link()['mtu']}")


async def no_carrier_without_a_peer(tally):
    """B093: up, but without carrier while no line is; B092: the route is there again after it."""
    async with Pair(LINES, ppp=True, args=("--hold", "1s"), a_args=("--default-route",)) as pair:
        tally.check("LOWER_UP" in pair.a.link()["flags"], f"{pair.a.link()}")
        await pair.b.stop_bundle()
        await until(lambda: "NO-CARRIER" in pair.a.link()["flags"], 10, "a has no carrier",
                    process=pair.a.bundle)
        tally.check("UP" in pair.a.link()["flags"], f"{pair.a.link()}")
        await pair.start(pair.b)
        await until(lambda: "LOWER_UP" in pair.a.link()["flags"], 20, "a has carrier",
                    process=pair.a.bundle)
        await pair.a.has_address()
        tally.check("default" in routes(pair.a.ns), f"routes {routes(pair.a.ns)}")
        ping = await Pinger(pair.a, pair.b.address, count=3).finished(30)
        tally.check(ping.lost == 0, f"after it: {ping}")


run_tests(address_peer_mtu_route, ipv6, killed, negotiated, mtu_of_the_peer,
          no_carrier_without_a_peer)
