#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The mode changes again and again while traffic runs: nothing is lost.

    mode_changes.py

Three flows of numbered datagrams, less than the slowest mode carries, through two lines, with PPP and
with SLIP. One end is told another mode every second. All datagrams arrive; over PPP each once and in
order, over SLIP those of broadcast once per line, as documented.
"""

import asyncio

import common  # noqa: F401
from modes import Bundle
from rig import ctl
from rig.result import Tally, run

BPS = 230400
FLOWS, COUNT, SIZE, STEP = 3, 220, 400, 0.06
MODES = ["balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb",
         "balance-alb", "earliest", "broadcast", "balance-rr", "earliest"]
ROUNDS = 3  # at most, while a line falls silent: on a busy machine that is no fault of the mode's


class Figures:
    """What became of the datagrams, and how often lines were down meanwhile."""

    def __init__(self, datagrams, downs):
        self.downs = downs
        firsts = [[n for _, n in sorted((times[0], n) for n, times in flow.items())]
                  for flow in datagrams.arrived]
        self.lost = sum(datagrams.sent) - sum(len(flow) for flow in firsts)
        self.twice = sum(len(times) > 1 for flow in datagrams.arrived for times in flow.values())
        self.overtaken = sum(b < a for flow in firsts for a, b in zip(flow, flow[1:]))

    def __str__(self):
        return f"{self.lost} lost, {self.twice} came twice, {self.overtaken} overtaken, lines were " \
            f"down {self.downs} times"


async def change(ppp):
    async with Bundle([BPS] * 2, "earliest", flows=FLOWS, ppp=ppp) as bundle:
        going = asyncio.create_task(bundle.datagrams.send(COUNT, size=SIZE, step=STEP))
        for mode in MODES:
            await asyncio.sleep(COUNT * STEP / (len(MODES) + 1))
            ctl.told(bundle.a, "set", "mode", mode)
            if bundle.mode(bundle.a)["name"] != mode:
                raise AssertionError(f"the mode is {bundle.mode(bundle.a)}, not {mode}")
        await bundle.carried_while(going)
        downs = sum(line["downs"] for host in (bundle.a, bundle.b)
                    for line in ctl.lines(host).values())
        return Figures(bundle.datagrams, downs)


async def row(tally, what, ppp, is_fine):
    for _ in range(ROUNDS):
        figures = await change(ppp)
        print(f"{what}: of {FLOWS * COUNT} datagrams {figures}")
        if is_fine(figures) or figures.downs == 0:
            break
    tally.check(is_fine(figures), f"{what}: {figures}")


async def main():
    tally = Tally()
    await asyncio.gather(
        row(tally, "PPP", True, lambda f: (f.lost, f.twice, f.overtaken) == (0, 0, 0)),
        row(tally, "SLIP", False, lambda f: f.lost == 0 and f.twice > 0))
    print(tally.summary(), flush=True)
    return 1 if tally.failed else 0


if __name__ == "__main__":
    run(main())
