#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bash completes the command lines of both programs; lines and bundles are those that run."""

import os
import re
import shutil
import subprocess

import common  # noqa: F401: makes the rig importable
from rig.ctl import OPTIONS, Connection, socket_of, told
from rig.nullmodem import Line
from rig.pair import Pair, program
from rig.result import run_tests

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# As readline does it: words split at blanks and, for what is behind them, at colons and equals.
SCRIPT = r"""
. "$1"
name=$2
PATH=$3:$PATH
COMP_LINE=$4
COMP_POINT=${#COMP_LINE}
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
shift 4
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
function="$(complete -p "$name" | grep -oE -- '-F [^ ]+' | cut -d ' ' -f 2)"
"$function" "$name" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""


def complete(line, words=None):
    """What bash offers at the end of the line."""
    words = line.split(" ") if words is None else words
    name = words[0]
    result = subprocess.run(
        ["bash", "-c", SCRIPT, "-", f"{TREE}/src/completion/{name}.bash", name,
         os.path.dirname(program(name)), line, *words], capture_output=True, text=True,
        check=True, timeout=30)
    return [word for word in result.stdout.split("\n") if word], result.stderr


def help_of(name):
    return subprocess.run([program(name), "--help"], capture_output=True, text=True,
                          check=True).stdout


def names_of_options():
    return re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)", help_of("serialbundle"), re.MULTILINE)


def names_of_keys():
    return re.findall(r"([a-z-]+)=", re.search(r"keys:.*?words:", help_of("serialbundle"),
                                               re.DOTALL)[0])


async def settable(host, what, names):
    """Those that take the value again that they have."""
    found = set()
    async with Connection(host) as c:
        for name in names:
            has = await c.ask("get", name=what, what=name)
            if has["ok"] and (await c.ask("set", name=what, what=name,
                                          value=has["value"]))["ok"]:
                found.add(name)
    return found


def zsh_words():
    with open(f"{TREE}/src/completion/_serialbundlectl", encoding="utf-8") as file:
        return set(re.search(r"compadd bps [^;]*?\n\t\tfi", file.read())[0].split())


async def of_values(tally, pair, ctl):
    """What is offered as a value is one."""
    async with Connection(pair.a) as c:
        for what in ("mode", "xmit-hash-policy", "primary", "primary-reselect", "ad-select",
                     "probe-validate", "tiers", "tlb-dynamic-lb", "wash", "mtu", "shape",
                     "a0 linklayer", "a0 bps", "a0 shape-in"):
            values, _ = complete(f"{ctl} set {what} ")
            name, key = what.split() if " " in what else ("", what)
            for value in values:
                answer = await c.ask("set", name=name, what=key, value=value)
                tally.check(answer["ok"], f"set {what} {value}: {answer}")
            tally.check(values, f"values of {what}")


async def of_serialbundlectl(tally):
    async with Pair([Line(57600), Line(57600)], a_args=OPTIONS["a"]) as pair:
        ctl = f"serialbundlectl -s {socket_of(pair.a)}"
        name = pair.a.interface()
        for line, wanted in (
                ("serialbundlectl st", {"status"}), ("serialbundlectl e", {"enslave", "emancipate"}),
                ("serialbundlectl --js", {"--json"}), ("serialbundlectl --col", {"--color="}),
                (f"{ctl} emancipate ", {"a0", "a1"}), (f"{ctl} down ", {"a0", "a1", name}),
                (f"{ctl} -j hangup a1", {"a1"}),
                (f"{ctl} set {name} m", {"mode", "miimon", "mtu", "min-lines", "min-links",
                                         "max-lines"}),
                (f"{ctl} set mo", {"mode"}), (f"{ctl} set mode balance-t", {"balance-tlb"}),
                (f"{ctl} set {name} tiers d", {"diffserv3"}), (f"{ctl} set a0 li", {"linklayer"}),
                (f"{ctl} set a0 linklayer do", {"docsis"}), (f"{ctl} get a", {"a0", "a1", "ad-select"}),
                (f"{ctl} show c", {"config"}), (f"{ctl} show shaper a", {"a0", "a1"}),
                (f"{ctl} set a0 b", {"bps"}), (f"{ctl} log level d", {"debug"}),
                (f"{ctl} log w", {"warning"}), (f"{ctl} capture s", {"start", "stop"}),
                (f"{ctl} capture - {name}", {name}), (f"{ctl} capture start x.pcap a", {"a0", "a1"}),
                (f"{ctl} enslave /dev/nul", {"/dev/null"}),
                ("serialbundlectl -s /none/such emancipate ", set())):
            words, errors = complete(line)
            tally.check(set(words) == wanted and not errors,
                        f"'{line}' completes to {words}, not {wanted}; {errors}")
        told(pair.a, "set", "a0", "linklayer", "raw")  # so that there is an overhead
        for what, every in (name, names_of_options()), ("a0", names_of_keys()):
            words, _ = complete(f"{ctl} set {what} ")
            may = await settable(pair.a, what, every)
            tally.check(set(words) == may, f"set {what} completes to {words}, not {may}")
            tally.check(may <= zsh_words(), f"zsh lacks {may - zsh_words()}")
        await of_values(tally, pair, ctl)
        told(pair.a, "emancipate", "a1")
        words, _ = complete(f"{ctl} down a")
        tally.check("a0" in words, "what is there now")


async def of_serialbundle(tally):
    for line, words, wanted in (
            ("serialbundle --answ", None, {"--answer"}),
            ("serialbundle --no-ec", None, {"--no-ecn"}),
            ("serialbundle --import ", None, {"runslip", "ifupdown", "sqm"}),
            ("serialbundle --mode balance-a", None, {"balance-alb"}),
            ("serialbundle --fcs ", None, {"16", "32"}),
            ("serialbundle --config /etc/host", None, {"/etc/hosts", "/etc/hostname",
                                                        "/etc/host.conf"}),
            ("serialbundle --control-group dialo", None, {"dialout"}),
            ("serialbundle /dev/nul", None, {"/dev/null"}),
            ("serialbundle /dev/ttyS0:28800,ba",
             ["serialbundle", "/dev/ttyS0", ":", "28800,ba"], {"28800,baud="}),
            ("serialbundle /dev/ttyS0:28800,baud=57600,pp",
             ["serialbundle", "/dev/ttyS0", ":", "28800,baud", "=", "57600,pp"], {"57600,ppp"})):
        found, errors = complete(line, words)
        found = {word for word in found if os.path.exists(word) or not word.startswith("/")}
        if line.endswith("/etc/host"):
            wanted = {path for path in wanted if os.path.exists(path)}
            found &= wanted
        tally.check(found == wanted and not errors,
                    f"'{line}' completes to {found}, not {wanted}; {errors}")


async def of_zsh(tally):
    """That they can be read; what they offer is that of --help."""
    if not shutil.which("zsh"):
        return
    for name in ("_serialbundle", "_serialbundlectl"):
        result = subprocess.run(["zsh", "-n", f"{TREE}/src/completion/{name}"],
                                capture_output=True, text=True, check=False)
        tally.check(result.returncode == 0, f"{name}: {result.stderr}")


if __name__ == "__main__":
    run_tests(of_serialbundlectl, of_serialbundle, of_zsh)
