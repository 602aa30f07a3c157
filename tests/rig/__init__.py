# SPDX-License-Identifier: MIT
"""The rig: two hosts joined by serial lines that exist only in memory.

    host a (own network namespace)                      host b (own network namespace)
    TCP ── TUN ── serialbundle ══ pty ═ nullmodem ═ pty ══ serialbundle ── TUN ── TCP
                                     paces, counts

Everything that is measured is measured outside serialbundle: seconds and TCP_INFO at the sockets,
bytes per line in nullmodem's report, limits from the bytes themselves (limit.py). One process runs
any number of pairs side by side on one asyncio loop; real time is the only clock.

Nothing outlives the process: a namespace is held by a file descriptor and has no name, children
die with their parent (setpriv --pdeathsig), and files live in one temporary directory.
"""
