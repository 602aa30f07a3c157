#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every way to start the program wrongly: what it says, on one line, and its exit status.

    bad_input.py path/to/serialbundle

As root, for it makes TUN interfaces; all in a network namespace of its own.
"""

import fcntl
import os
import re
import subprocess
import sys
import tempfile

import common  # noqa: F401  (makes the rig importable)
from rig.netns import Namespace
from rig.result import Tally

USAGE, NO_DEVICE, IN_USE, PERMISSION, NO_TUN, FAILED = 2, 3, 4, 5, 6, 7
PROGRAM = os.path.abspath(sys.argv[1])
PAGE = os.path.join(os.path.dirname(__file__), "../../src/man/serialbundle.8")
FILE_PAGE = os.path.join(os.path.dirname(__file__), "../../src/man/serialbundle.conf.5")
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
# A name space without /dev/net/tun, and one with something else in its place.
NO_DRIVER = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /dev/net && exec "$@"', "sh"]
OTHER_FILE = ["unshare", "--mount", "sh", "-c", 'mount --bind /dev/null /dev/net/tun && exec "$@"',
              "sh"]
LINE = "/dev/ttyS0:9600"
ANY_FILE = "/dev/null:9600"  # would be refused, too, but later

# arguments, exit status, message behind "serialbundle: " as a regular expression
COMMAND_LINES = [
    ([], r"no line given: name one, such as /dev/ttyS0:28800 \(see --help\)"),
    (["--quiet"], r"no line given.*"),
    (["--frobnicate", LINE], r"unknown option '--frobnicate' \(see --help\)"),
    (["--captures=x", LINE], r"unknown option '--captures' \(did you mean '--capture'\?\)"),
    (["-z", LINE], r"unknown option '-z' \(see --help\)"),
    ([LINE, "--mtu"], r"--mtu needs a value: .*"),
    (["--mtu", "67", LINE], r"--mtu 67: expected a number from 68 to 9216, or auto"),
    (["--mtu", "9217", LINE], r"--mtu 9217: expected .*"),
    (["--mtu", "large", LINE], r"--mtu large: expected .*"),
    (["--mtu=576", "--local=fd00::1", LINE], r"--mtu 576: IPv6 \(--local fd00::1\) needs 1280 .*"),
    (["--hold", "10", LINE], r"--hold 10: expected a time from 0 to 1h .*"),
    (["--name", "much_too_long_a_name", LINE], r"--name much_too_long_a_name: expected 1 to 15 .*"),
    (["--name", "../x", LINE], r"--name \.\./x: expected .*"),
    (["--local", "10.0.0", LINE], r"--local 10\.0\.0: expected an IPv4 or IPv6 address.*"),
    (["--local", "10.0.0.1/40", LINE], r"--local 10\.0\.0\.1/40: expected .*"),
    (["--local", "224.0.0.1", LINE], r"--local 224\.0\.0\.1: not an address for an interface"),
    (["--remote", "10.0.0.2", LINE], r"--remote 10\.0\.0\.2: no IPv4 --local address .*"),
    (["--local=10.0.0.1", "--remote=10.0.0.1", LINE], r"--remote 10\.0\.0\.1: is also .*"),
    (["--local=10.0.0.1/24", "--remote=10.0.0.2", LINE], r"--remote 10\.0\.0\.2: its --local .*"),
    (["--default-route", LINE], r"--default-route: needs a --local address to send from"),
    (["--default-route=low", LINE], r"--default-route low: expected a metric, .*"),
    (["--capture", "-", LINE], r"--capture -: expected a file name .*"),
    (["--dry-run=maybe", LINE], r"--dry-run maybe: expected yes or no"),
    (["--version=1", LINE], r"--version takes no value"),
    (["--mode", "7", LINE], r"--mode 7: expected earliest, or one of bonding's .*"),
    (["--mode=4", "/dev/ttyS0:auto"], r"/dev/ttyS0: with mode 802.3ad, .* bps is given, not auto"),
    (["--primary", "ttyS9", LINE], r"--primary ttyS9: there is no such line"),
    (["--fail_over_mac", "1", LINE], r"--fail_over_mac: a TUN interface has no MAC address"),
    (["--lacp-rate", "fast", LINE], r"--lacp-rate: LACP is not spoken: .*"),
    (["--arp_ip_target", "10.0.0.1,10.0.0.2", LINE], r"--probe-target 10\.0\.0\.1,.*: one address .*"),
    (["--shape", "101%", LINE], r"--shape 101%: expected a rate .*"),
    (["--tier-bulk", "60%", LINE], r"--tier-bulk: the three shares are 143\.3% together"),
    (["/dev/ttyS0:9600,shape=10k"], r"/dev/ttyS0: shape is more than the line carries"),
    (["/dev/ttyS0:9600,overhead=4"], r"/dev/ttyS0: overhead and mpu are of a hop behind .*"),
    (["/dev/ttyS0"], r"/dev/ttyS0: what does this line carry\? write it as /dev/ttyS0:28800"),
    (["/dev/ttyS1:0"], r"/dev/ttyS1: bps 0: a rate is between 50 and 1000000000 .*"),
    (["/dev/ttyS1:fast"], r"/dev/ttyS1: bps fast: a rate .*"),
    (["/dev/ttyS1:9600@0"], r"/dev/ttyS1: baud 0: a rate .*"),
    (["/dev/ttyS1:57600@9600"], r"/dev/ttyS1: bps 57600 is more than baud 9600: .*"),
    (["/dev/ttyS1:9600,bauds=9600"], r"/dev/ttyS1: unknown key 'bauds' \(did you mean 'baud'\?.*"),
    (["/dev/ttyS1:9600,cslip"], r"/dev/ttyS1: unknown word 'cslip' \(.*: slip ppp\)"),
    (["/dev/ttyS1:9600,slip,ppp"], r"/dev/ttyS1: both slip and ppp"),
    (["/dev/ttyS1:9600,bundle=x"], r"/dev/ttyS1: bundle=x: only with --answer"),
    (["/dev/ttyS1:9600,bits=5"], r"/dev/ttyS1: bits 5: a character takes 8 to 12 bits.*"),
    ([":9600"], r": no device: a line is DEVICE:BPS.*"),
    ([LINE, LINE], r"/dev/ttyS0: given twice"),
    ([LINE, "/dev/cua0:9600"], r"/dev/cua0: the same device as /dev/ttyS0"),
    (["/a/tty:9600", "/b/tty:9600"], r"/b/tty: the name 'tty' is that of /a/tty; .*"),
    ([f"/dev/ttyS{i}:9600" for i in range(65)], r"/dev/ttyS64:9600: more than 64 lines"),
    (["--hook-timeout=0", LINE], r"--hook-timeout 0: expected a time from 1s to 1h .*"),
    (["--ip-up=/nowhere/x", LINE], r"--ip-up /nowhere/x: No such file or directory"),
    (["--ip-down=/nowhere/x", LINE], r"--ip-down /nowhere/x: No such file or directory"),
    (["--line-up=/nowhere/x", LINE], r"--line-up /nowhere/x: No such file or directory"),
    (["--line-down=/etc/passwd", LINE], r"--line-down /etc/passwd: Permission denied"),
    (["--control-group=", LINE], r"--control-group '': expected the name of a group, .*"),
    (["--control=" + "x" * 256, LINE], r"--control x{256}: expected a file name .*"),
    (["--max-lines=65", LINE], r"--max-lines 65: expected a number from 1 to 64"),
    (["--max-lines=1", LINE, "/dev/ttyS1:9600"], r"--max-lines 1: there are 2"),
    (["--min-lines=0", LINE], r"--min-lines 0: expected a number from 1 to 64"),
    (["--min-lines=3", "--max-lines=2", LINE], r"--min-lines 3: more than --max-lines 2"),
    (["--capture-bytes=100", LINE], r"--capture-bytes 100: expected a number of bytes, .*"),
    (["--capture-files=0", LINE], r"--capture-files 0: expected a number from 1 to 1000"),
    (["--lines=x", LINE], r"--lines x: there is no such line"),
    (["--config=/nowhere/x.conf"], r"/nowhere/x\.conf: No such file or directory"),
    (["--config="], r"--config '': expected a file name .*"),
    (["--check=/nowhere/x.conf"], r"/nowhere/x\.conf: No such file or directory"),
    (["--print-config=1", LINE], r"--print-config takes no value"),
    (["--import=wvdial", "x"], r"--import wvdial: expected runslip, ifupdown or sqm"),
    (["--import=runslip"], r"--import runslip: which FILE\?"),
    (["--import=runslip", "/nowhere/x"], r"/nowhere/x: No such file or directory"),
    ([LINE + ",dial="], r"/dev/ttyS0: dial '': 1 to 8 numbers, .*"),
    ([LINE + ",chat=/nowhere/x"], r"/dev/ttyS0: /nowhere/x: No such file or directory"),
    ([LINE + ",init=ATZ"], r"/dev/ttyS0: a modem needs dial=NUMBER, .*"),
    ([LINE + ",dial-command=ATDP,answer=1"], r"/dev/ttyS0: dial-command= needs dial=NUMBER"),
    ([LINE + ",dial-timeout=5,dial=1"], r"/dev/ttyS0: dial-timeout 5: a time from 0 to 1h .*"),
    ([LINE + ",redial=0,dial=1"], r"/dev/ttyS0: redial 0: a time from 100ms to 24h .*"),
    ([LINE + ",redial=1h,dial=1"], r"/dev/ttyS0: redial= is longer than redial-longest=, .*"),
    ([LINE + ",redial-longest=0,dial=1"], r"/dev/ttyS0: redial-longest 0: a time from .*"),
    ([LINE + ",attempts=x,dial=1"], r"/dev/ttyS0: attempts x: a number from 0 to 1000; .*"),
    ([LINE + ",hold-off=25h,dial=1"], r"/dev/ttyS0: hold-off 25h: a time from 0 to 24h .*"),
    ([LINE + ",idle=x,dial=1"], r"/dev/ttyS0: idle x: a time from 0 to 24h .*"),
    ([LINE + ",max-connect=x,dial=1"], r"/dev/ttyS0: max-connect x: a time from 0 to 720h .*"),
    ([LINE + ",answer=0"], r"/dev/ttyS0: answer 0: a number of rings from 1 to 20, or auto"),
    ([LINE + ",answer=2,dial=1"], r"/dev/ttyS0: a line dials \(dial=\) or waits .*, not both"),
    ([LINE + ",connect-rate=1"], r"/dev/ttyS0: connect-rate 1: yes or no"),
    ([LINE + ",enabled=1"], r"/dev/ttyS0: enabled 1: yes or no"),
    ([LINE + ",command="], r"/dev/ttyS0: command '': a command has 1 to 511 .*"),
    (["tcp:host,bps=9600"], r"tcp:host: such a device is tcp:HOST:PORT, .*"),
    (["usb:1:2,bps=9600"], r"usb:1:2: such a device is usb:VVVV:PPPP.*"),
    (["exec:,bps=9600"], r"exec:: such a device is exec:COMMAND"),
    (["device=/dev/ttyS0"], r"/dev/ttyS0: what does this line carry\? .*"),
    (["/dev/\033[2J:0"], r"/dev/\?\[2J: a device has only printable characters"),
]

# The same with --ppp before it.
PPP_COMMAND_LINES = [
    (["--slip"], r"--ppp: not together with --slip"),
    (["--mru=127"], r"--mru 127: expected a number from 128 to 9216"),
    (["--mrru=9217"], r"--mrru 9217: expected a number from 128 to 9216"),
    (["--asyncmap=xon"], r"--asyncmap xon: expected 1 to 8 hexadecimal digits .*"),
    (["--escape=3f"], r"--escape 3f: 20 to 3f and 5e cannot be escaped"),
    (["--fcs=8"], r"--fcs 8: expected 16 or 32"),
    (["--receive-all=1"], r"--receive-all 1: expected yes or no"),
    (["--no-pfc=1"], r"--no-pfc 1: expected yes or no"),
    (["--no-acfc=1"], r"--no-acfc 1: expected yes or no"),
    (["--echo-interval=9"], r"--echo-interval 9: expected a time from 0 to 1h .*"),
    (["--echo-failure=many"], r"--echo-failure many: expected a number from 0 to 100"),
    (["--quality-reports=2h"], r"--quality-reports 2h: expected a time from 0 to 1h .*"),
    (["--restart=99ms"], r"--restart 99ms: expected a time from 100ms to 60s"),
    (["--max-configure=0"], r"--max-configure 0: expected a number from 1 to 100"),
    (["--max-failure=0"], r"--max-failure 0: expected a number from 1 to 100"),
    (["--max-terminate=0"], r"--max-terminate 0: expected a number from 1 to 100"),
    (["--no-multilink", "/dev/ttyS1:9600"], r"--no-multilink: 2 PPP lines .* only with it"),
    (["--short-sequence", "--no-multilink"], r"--short-sequence: not together with .*"),
    (["--max-fragment-delay=11s"], r"--max-fragment-delay 11s: expected a time from 0 to 10s .*"),
    (["--endpoint=eth0"], r"--endpoint eth0: expected null, local:HEX, .*"),
    (["--user="], r"--user '': expected a name of 1 to 255 bytes"),
    (["--remote-name", "x" * 256], r"--remote-name x{256}: expected a name of 1 to 255 bytes"),
    (["--require-pap", "--pap-secrets=/nowhere/x"], r"--pap-secrets /nowhere/x: No such file .*"),
    (["--require-chap", "--chap-secrets=/nowhere/x"], r"--chap-secrets /nowhere/x: No such .*"),
    (["--refuse-pap=1"], r"--refuse-pap 1: expected yes or no"),
    (["--refuse-chap=1"], r"--refuse-chap 1: expected yes or no"),
    (["--rechallenge=9s"], r"--rechallenge: needs --require-chap"),
    (["--password=sesame"], r"unknown option '--password' .*"),
    (["--accept-local"], r"--accept-local: needs --local"),
    (["--accept-remote"], r"--accept-remote: needs --remote"),
    (["--ask-dns=1"], r"--ask-dns 1: expected yes or no"),
    (["--resolv=/etc/x"], r"--resolv: needs --ask-dns"),
    (["--dns=name"], r"--dns name: expected an IPv4 address"),
    (["--ipv6", "--mtu=600"], r"--mtu 600: IPv6 \(--ipv6\) needs 1280 or more"),
    (["--interface-id=1", "--ipv6"], r"--interface-id 1: expected the low half of .*"),
    (["--local=10.0.0.1/24"], r"--local 10\.0\.0\.1/24: no prefix where all lines speak PPP, .*"),
    (["--answer"], r"--answer: needs --local, .*"),
    (["--answer", "--local=10.0.0.1", "--default-route"], r"--default-route: not together .*"),
    (["--pool=10.0.0.2/24"], r"--pool: needs --answer"),
    (["--pool=10.0.0.9-10.0.0.2"], r"--pool 10\.0\.0\.9-10\.0\.0\.2: no address in it"),
]


class Failures:
    """Runs the program and checks how it fails."""

    def __init__(self, tally):
        self.tally = tally

    def expect(self, arguments, status, pattern, prefix=()):
        ran = subprocess.run([*prefix, PROGRAM, *arguments], stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, timeout=30, check=False)
        what = f"{arguments}: status {ran.returncode}, {ran.stdout!r}, {ran.stderr!r}"
        good = ran.returncode == status and ran.stdout == ""
        self.tally.check(good and re.fullmatch(f"serialbundle: {pattern}\n", ran.stderr), what)


def command_lines(failures):
    for arguments, pattern in COMMAND_LINES:
        failures.expect(arguments, USAGE, pattern)
    for arguments, pattern in PPP_COMMAND_LINES:
        failures.expect(["--ppp", LINE, *arguments], USAGE, pattern)
    failures.expect([LINE, "--mru=600"], USAGE, r"--mru: no line speaks PPP .*")


# A configuration file, and what is said of it: more of that in tests/unit/test_config_file.c.
FILES = [
    ("mtu = 576\n", [r"1: mtu stands before any \[section\]"]),
    ("[bundle]\nmtuu = 1\nmtu = x\n", [r"2: unknown key 'mtuu' \(did you mean 'mtu'\?\)",
                                      r"3: mtu x: expected a number from 68 to 9216, or auto"]),
    ("[line a]\nbauds = 1\n[line b\n", [r"2: unknown key 'bauds' \(did you mean 'baud'\?\)",
                                        r"3: a section is .*: the \] is missing"]),
    ("[bundle]\ndry-run = yes\n", [r"2: dry-run: only on the command line"]),
    ("[bundle]\ninclude = /nowhere/x\n", [r"2: include /nowhere/x: No such file or directory"]),
    ("[line a]\ndevice = /dev/ttyS0\n", [r"1: what does this line carry\? write bps = 28800"]),
    ("[line a]\nchat = /nowhere/x\ndevice = /dev/ttyS0\nbps = 9600\n",
     [r"2: chat /nowhere/x: No such file or directory"]),
    ("\0", [r"1: a NUL character: this is no text"]),
]


def files(tally, directory):
    path = f"{directory}/x.conf"
    for text, patterns in FILES:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        for option in ("--check", "--config"):
            ran = subprocess.run([PROGRAM, option, path], capture_output=True, text=True,
                                 timeout=30, check=False)
            wanted = "".join(f"{re.escape(path)}:{pattern}\n" for pattern in patterns)
            good = ran.returncode == USAGE and ran.stdout == ""
            tally.check(good and re.fullmatch(wanted, ran.stderr), f"{option} {text!r}: {ran}")
    os.chmod(path, 0o600)
    os.chmod(directory, 0o755)
    ran = subprocess.run([*NOBODY, PROGRAM, "--check", path], capture_output=True, text=True,
                         timeout=30, check=False)
    tally.check(ran.returncode == USAGE and ran.stderr.endswith(": Permission denied\n"),
                f"unreadable: {ran}")


def devices(failures, directory):
    failures.expect(["/dev/ttyNONE:9600"], NO_DEVICE, r"/dev/ttyNONE: no such device")
    failures.expect(["/dev/null:9600"], NO_DEVICE, r"/dev/null: not a serial port or other tty")
    failures.expect([f"{directory}:9600"], NO_DEVICE, re.escape(directory) + r": .*")
    failures.expect([f"{__file__}:9600"], NO_DEVICE, r".*: not a serial port or other tty")
    os.symlink("nowhere", f"{directory}/dangling")
    failures.expect([f"{directory}/dangling:9600"], NO_DEVICE, r".*/dangling: no such device")


def held_ports(failures, directory):
    """B089: by a lock file of a live process, and by flock()."""
    master, slave = os.openpty()
    tty = os.ttyname(slave)
    lock = f"{directory}/LCK..{os.path.basename(tty)}"
    try:
        for name in (lock, f"{directory}/LCK..pts_{os.path.basename(tty)}"):
            with open(name, "w", encoding="ascii") as file:
                file.write(f"{os.getpid():10}\n")
        failures.expect(["--lock-dir", directory, f"{tty}:9600"], IN_USE,
                        rf"{tty}: in use, held by pid {os.getpid()} .*")
        fcntl.flock(slave, fcntl.LOCK_EX)
        failures.expect(["--lock-dir", "", f"{tty}:9600"], IN_USE, rf"{tty}: in use, .*")
    finally:
        os.close(slave)
        os.close(master)


def interfaces(failures):
    def ip(*words):
        subprocess.run(["ip", *words], check=True)

    ip("link", "set", "lo", "up")
    ip("address", "add", "10.9.0.1/24", "dev", "lo")
    ip("route", "add", "default", "dev", "lo", "metric", "7")
    failures.expect(["--name", "lo", ANY_FILE], IN_USE, r"interface lo exists already.*")
    failures.expect(["--local=10.9.0.1", "--remote=10.9.0.2", ANY_FILE], IN_USE,
                    r"sb\d+: the address is on lo already")
    failures.expect(["--local=10.8.0.1", "--remote=10.8.0.2", "--default-route=7", ANY_FILE],
                    IN_USE, r"sb\d+: there is a default route with this metric already")


def system(failures):
    failures.expect([ANY_FILE], PERMISSION, r"no permission .*", prefix=NOBODY)
    failures.expect([ANY_FILE], NO_TUN, r"the kernel has no TUN driver .*", prefix=NO_DRIVER)
    failures.expect([ANY_FILE], FAILED, r"interface .* cannot be made: .*", prefix=OTHER_FILE)
    failures.expect(["--capture=/nowhere/x", ANY_FILE], FAILED, r"/nowhere/x: No such file .*")
    failures.expect(["--capture=/dev/full", ANY_FILE], FAILED, r"/dev/full: No space left .*")


def needs_nothing(tally):
    """--help, --version and --dry-run work for anybody, without devices and TUN."""
    for option in ("--help", "--version", "--dry-run"):
        ran = subprocess.run([*NOBODY, PROGRAM, option, "/dev/ttyNONE:9600"], capture_output=True,
                             text=True, timeout=30, check=False)
        good = ran.returncode == 0 and ran.stderr == "" and ran.stdout.endswith("\n")
        tally.check(good and len(ran.stdout) > 40, f"{option}: {ran}")


def man_page(tally):
    """The manual names every option of --help and every key, and mandoc finds no fault."""
    text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
    page, file_page = rendered(PAGE), rendered(FILE_PAGE)
    options = re.findall(r"^ +(?:-(\w), )?--([\w-]+)", text, re.MULTILINE)
    tally.check(len(options) >= 50, f"options in --help: {options}")
    for letter, name in options:
        tag = rf"^     (--.*, )?{f'-{letter}, ' if letter else ''}--{name}\b"
        tally.check(re.search(tag, page, re.MULTILINE), f"--{name} is not in the manual")
    wrong = subprocess.run([PROGRAM, f"{LINE},colour=x"], capture_output=True, text=True,
                           check=False)
    keys = re.search(r"\(keys are (.*)\)$", wrong.stderr).group(1).split(", ")
    tally.check(len(keys) >= 25, f"keys: {keys}")
    for key in keys:
        tally.check(re.search(rf"^     .*\b{key}=", page, re.MULTILINE),
                    f"{key}= is not in the manual")
        tally.check(re.search(rf"^     .*\b{key}\b", file_page, re.MULTILINE),
                    f"{key} is not in serialbundle.conf(5)")
    for name in (PAGE, FILE_PAGE):
        lint = subprocess.run(["mandoc", "-Tlint", "-Wwarning", name], capture_output=True,
                              text=True, check=False)
        tally.check(lint.returncode == 0 and lint.stdout == "", f"mandoc: {lint.stdout}")


def rendered(page):
    text = subprocess.run(["mandoc", "-Tascii", page], capture_output=True, text=True,
                          check=True).stdout
    return re.sub(".\b", "", text)  # bold is each letter twice, underlined one behind a bar


def main():
    tally = Tally()
    failures = Failures(tally)
    ns = Namespace()
    with tempfile.TemporaryDirectory() as directory, ns:
        command_lines(failures)
        files(tally, directory)
        devices(failures, directory)
        held_ports(failures, directory)
        interfaces(failures)
        system(failures)
        needs_nothing(tally)
        man_page(tally)
    ns.close()
    print(tally.summary())
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
