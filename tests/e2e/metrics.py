#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""serialbundlectl metrics, read by Prometheus's own parser: every figure of the status, in it once,
with lines that are up, kept down, without a peer, dialling, and without a bundle.

Debian's own Python runs it, since that parser is Debian's package.
"""

import contextlib
import json
import math
import os
import socket
import subprocess
import threading

import common  # noqa: F401: makes the rig importable
from prometheus_client.parser import text_string_to_metric_families
from rig.ctl import OPTIONS, lines, socket_of, status, told
from rig.nullmodem import Line
from rig.pair import Pair, program
from rig.process import until
from rig.result import run_tests
from rig.tcp import transfer

SOON = 10  # seconds
PREFIX = "serialbundle_"
LIMITS = ("nothing", "line", "host", "peer", "shaper", "queue")
LINE_STATES = ("down", "disabled", "dialling", "waiting", "opening", "up", "parked", "stalled",
               "silent", "no carrier", "leaving", "ending", "hanging up")
MODEM_STATES = ("idle", "dialling", "waiting", "online", "hanging up")


class Relay:
    """Stands between serialbundlectl and the program for one request, and keeps the answer: so it
    is known what the figures were when they were asked for."""

    def __init__(self, host):
        self._host = host
        self.path = os.path.join(host.directory, "relay.sock")
        self.document = None

    def __enter__(self):
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.settimeout(SOON)
        self._listener.bind(self.path)
        self._listener.listen()
        self._thread = threading.Thread(target=self._relay)
        self._thread.start()
        return self

    def _relay(self):
        with contextlib.suppress(TimeoutError), self._listener.accept()[0] as client, \
                socket.socket(socket.AF_UNIX) as server:
            client.settimeout(SOON)
            server.settimeout(SOON)
            server.connect(socket_of(self._host))
            server.sendall(client.makefile("rb").readline())
            answer = server.makefile("rb").readline()
            self.document = json.loads(answer)
            client.sendall(answer)

    def __exit__(self, *_):
        self._thread.join()
        self._listener.close()
        os.unlink(self.path)


def measured(host):
    """The metrics as text, and the status that they were made of."""
    with Relay(host) as relay:
        result = subprocess.run([program("serialbundlectl"), "-s", relay.path, "metrics"],
                                capture_output=True, text=True, timeout=SOON * 2, check=True)
    return result.stdout, relay.document


class Expected:
    """The samples that a status should give: {(name, labels): figure}."""

    def __init__(self, document):
        self.samples = {}
        program_ = document["program"]
        self._of("", pid=str(program_["pid"]))
        self._put("info", 1, version=program_["version"])
        self._put("uptime_seconds", program_["uptime_s"])
        for bundle in document["bundles"]:
            self._bundle(bundle)
        for line in document["lines"]:
            self._line(line)

    def _of(self, kind, **labels):
        self._kind, self._labels = kind, labels

    def _put(self, name, value, **labels):
        if value is not None:
            key = (f"{PREFIX}{self._kind}{name}", frozenset({**self._labels, **labels}.items()))
            assert key not in self.samples, key
            self.samples[key] = float(value)

    def _each(self, name, label, values):
        for word, value in (values or {}).items():
            self._put(name, value, **{label: word})

    def _one_of(self, name, label, words, word):
        self._each(name, label, {one: one == word for one in words})

    def _both(self, name, member, thing):
        self._each(name, "direction", {way: thing[way][member] for way in ("out", "in")})

    def _bundle(self, b):
        self._of("bundle_", bundle=b["name"])
        self._put("info", 1, peer=b["peer"] or "")
        for name, value in (("up", b["up"]), ("uptime_seconds", b["uptime_s"]),
                            ("mtu_bytes", b["mtu"]), ("lines", b["lines"]),
                            ("lines_up", b["lines_up"]), ("bits_per_second", b["bps"]),
                            ("queue_bytes", b["queue"]["bytes"]),
                            ("queue_packets", b["queue"]["packets"]),
                            ("queue_age_seconds", b["queue"]["age_ms"] / 1000),
                            ("ecn_marks_total", b["ecn_marks"])):
            self._put(name, value)
        self._both("bytes_total", "bytes", b)
        self._both("packets_total", "packets", b)
        self._each("dropped_packets_total", "reason", b["drops"])
        self._one_of("limit", "by", LIMITS, b["limit"]["by"])
        for name, value in (b["reassembly"] or {}).items():
            if name == "longest_wait_ms":
                self._put("reassembly_longest_wait_seconds", value / 1000)
            else:
                self._put(f"reassembly_{name}_total", value)

    def _line(self, line):
        self._of("line_", bundle=line["bundle"] or "", line=line["name"], device=line["device"])
        self._put("info", 1, encapsulation=line["encapsulation"], connect=line["connect"] or "")
        for name, value in (("up", line["up"]), ("enabled", line["enabled"]),
                            ("state_seconds", line["since_s"]),
                            ("given_bits_per_second", line["bps"]["given"]),
                            ("bits_per_second", line["bps"]["now"]),
                            ("measured_bits_per_second", line["bps"]["measured"]),
                            ("port_bits_per_second", line["baud"]),
                            ("heard_age_seconds", line["heard_s"]),
                            ("queue_bytes", line["queue"]["bytes"]),
                            ("queue_seconds", line["queue"]["time_ms"] / 1000),
                            ("cut_frames_total", line["cut_frames"]),
                            ("sent_again_packets_total", line["sent_again"]),
                            ("downs_total", line["downs"]), ("openings_total", line["openings"]),
                            ("redials_total", line["redials"])):
            self._put(name, value)
        self._one_of("state", "state", LINE_STATES, line["state"])
        for name, member in (("bytes_total", "bytes"), ("packets_total", "packets"),
                             ("call_bytes", "call_bytes")):
            self._both(name, member, line)
        self._each("busy_ratio", "direction", {"out": line["busy"], "in": line["busy_in"]})
        self._each("loss_ratio", "direction", line["loss"])
        self._each("signal", "signal", line["modem_lines"])
        self._each("errors_total", "kind", line["errors"])
        for name, member in (("rtt_seconds", "smoothed"), ("rtt_min_seconds", "least"),
                             ("rtt_max_seconds", "most")):
            self._put(name, line["rtt_ms"] and line["rtt_ms"][member] / 1000)
        if line["modem"]:
            self._one_of("modem_state", "state", MODEM_STATES, line["modem"]["state"])
            self._put("modem_failures", line["modem"]["failures"])
            self._put("calls_total", line["modem"]["calls"])


def well_formed(tally, text, what):
    """No family twice, each with HELP and TYPE, counters by name; its samples."""
    headings, helped = ([line.split()[2] for line in text.splitlines() if line.startswith(start)]
                        for start in ("# TYPE ", "# HELP "))
    tally.check(len(set(headings)) == len(headings) and helped == headings,
                f"{what}: a family is there once, with both: {headings}")
    families = list(text_string_to_metric_families(text))
    samples = [one for family in families for one in family.samples]
    wrong = [family for family in families for one in family.samples
             if family.type != ("counter" if one.name.endswith("_total") else "gauge")]
    tally.check(not wrong and all(family.documentation for family in families),
                f"{what}: what they are: {wrong}")
    tally.check({one.name for one in samples} == set(headings),
                f"{what}: a heading has samples, and they have one")
    found = {(one.name, frozenset(one.labels.items())): one.value for one in samples}
    tally.check(len(found) == len(samples), f"{what}: a sample is there twice")
    return found


def check_metrics(tally, host, what):
    """The metrics of now; the status that they are of."""
    text, document = measured(host)
    found, wanted = well_formed(tally, text, what), Expected(document).samples
    tally.check(found.keys() == wanted.keys(),
                f"{what}: missing {wanted.keys() - found.keys()}, "
                f"too many {found.keys() - wanted.keys()}")
    wrong = [(key, found[key], wanted[key]) for key in found.keys() & wanted.keys()
             if not math.isclose(found[key], wanted[key], rel_tol=1e-12)]
    tally.check(not wrong, f"{what}: figures differ: {wrong}")
    return document


async def check_state(tally, host, line, state):
    """Once the line is in that state."""
    await until(lambda: line in lines(host) and lines(host)[line]["state"] == state, SOON * 2,
                f"{line} is {state}", process=host.bundle)
    document = check_metrics(tally, host, f"{line} is {state}")
    return next(one for one in document["lines"] if one["name"] == line)


async def of_lines(tally):
    """Up with traffic and all that can be known, kept down, without a peer."""
    async with Pair([Line(57600), Line(57600)], ppp=True, a_args=OPTIONS["a"],
                    args=("--quality-reports", "1s", "--echo-interval", "1s")) as pair:
        await until(lambda: all(one["up"] for one in lines(pair.a).values()), SOON, "both are up")
        await transfer(pair.a, pair.b, os.urandom(20000))
        await until(lambda: all(one["loss"] and one["rtt_ms"] for one in lines(pair.a).values()),
                    SOON, "losses and round trips are known")
        document = check_metrics(tally, pair.a, "up")
        tally.check(document["bundles"][0]["reassembly"]["packets"] > 0,
                    f"fragments are counted: {document['bundles'][0]['reassembly']}")
        tally.check(document["bundles"][0]["out"]["bytes"] > 20000
                    and all(one["out"]["bytes"] for one in document["lines"]),
                    "there is something to count")
        told(pair.a, "down", "a1")
        one = await check_state(tally, pair.a, "a1", "disabled")
        tally.check(not one["up"] and one["downs"] == 1, f"it left: {one}")
        told(pair.a, "down", pair.a.interface())
        await until(lambda: not status(pair.a)["bundles"][0]["up"], SOON, "the bundle is down")
        check_metrics(tally, pair.a, "the bundle is down")
        told(pair.a, "up")
        await pair.b.stop_bundle()
        await check_state(tally, pair.a, "a0", "opening")


async def of_a_modem(tally):
    async with Pair([Line(57600), Line(57600, extra="modem=yes,b.number=5551234")], ppp=True,
                    a_args=OPTIONS["a"]) as pair:
        end = pair.nullmodem.ends["a"][1]
        told(pair.a, "emancipate", "a1")
        await until(lambda: "a1" not in lines(pair.a), SOON, "a1 has left")
        told(pair.a, "enslave", f"{end}:57600,dial=5551234,redial=1s")
        one = await check_state(tally, pair.a, "a1", "dialling")
        tally.check(one["modem"] and one["modem"]["calls"] >= 1, f"it calls: {one['modem']}")


async def of_callers(tally):
    """A line without a bundle; and no bundle at all."""
    async with Pair([Line(57600)], told="a", a_args=(*OPTIONS["a"], "--ppp"),
                    b_args=(*OPTIONS["b"], "--answer", "--local", "10.9.0.2", "--pool",
                            "10.9.0.1-10.9.0.9")) as pair:
        await until(lambda: status(pair.b)["bundles"], SOON, "a caller is there")
        check_metrics(tally, pair.b, "a caller")
        await pair.a.stop_bundle()
        await until(lambda: not status(pair.b)["bundles"], SOON, "the caller has left")
        document = check_metrics(tally, pair.b, "no caller")
        tally.check(document["lines"][0]["bundle"] is None, "the line is in none")
        await pair.start(pair.a)


async def of_nobody(tally):
    """Half a page of metrics would be worse than none."""
    with common.directory() as directory:
        path = os.path.join(directory, "none.sock")
        result = subprocess.run([program("serialbundlectl"), "-s", path, "metrics"],
                                capture_output=True, text=True, check=False)
    tally.check(result.returncode == 3 and not result.stdout and path in result.stderr,
                f"nobody is there: {result}")


if __name__ == "__main__":
    run_tests(of_lines, of_a_modem, of_callers, of_nobody)
