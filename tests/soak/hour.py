"""An hour of everything: fuzzed files, random mechanisms, Ctrl-C, kill -9, memory, long runs.

    python tests/soak/hour.py --minutes 60 --seed 3

Rounds of all of them, each with seeds of its own, until the time is over; then a line for each with
what was tried, and every fault with what repeats it.  Exit 1 when there is one.
"""

import argparse
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from soak import fuzz, interrupts, kills, long_runs, memory, models


def files(seed: int) -> tuple[int, list[str]]:
    bad, times = fuzz.run(1500, seed)
    return len(times), [f"fuzz.py --seed {seed} --first {k}: {said}" for k, _, said, _ in bad]


def mechanisms(way: str, count: int):
    def work(seed: int) -> tuple[int, list[str]]:
        faults, tried, _ = models.run(way, count, seed)
        return sum(tried.values()), [f"models.py --seed {seed}: {x}" for x in faults]

    return work


def presses(seed: int) -> tuple[int, list[str]]:
    faults, waits = interrupts.run(60, seed)
    return sum(map(len, waits.values())), [f"interrupts.py --seed {seed}: {x}" for x in faults]


def killed(seed: int) -> tuple[int, list[str]]:
    faults, _ = kills.run(40, seed)
    return 40, [f"kills.py --seed {seed}: {x}" for x in faults]


def calls(seed: int) -> tuple[int, list[str]]:
    name = list(memory.CALLS)[seed % len(memory.CALLS)]
    bytes_ = memory.left(name, 500)
    return 1000, [f"memory.py: {name} leaves {bytes_:.0f} bytes a call"] * (bytes_ > memory.MOST)


def long(seed: int) -> tuple[int, list[str]]:
    name = list(long_runs.CASES)[seed % len(long_runs.CASES)]
    rtol = list(long_runs.MOST)[seed // len(long_runs.CASES) % 2]
    said, _ = long_runs.one(name, 1000.0, rtol)
    return 1, [f"long_runs.py --rtol {rtol:g}: {name}: {said}"] * bool(said)


PARTS = {
    "files": files,
    "mechanisms in floats": mechanisms("floats", 300),
    "mechanisms compiled": mechanisms("compiled", 20),
    "presses of Ctrl-C": presses,
    "kills": killed,
    "calls": calls,
    "long runs": long,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    end = time.monotonic() + 60 * args.minutes
    signal.signal(signal.SIGINT, signal.default_int_handler)
    done: Counter = Counter()
    found: dict[str, list[str]] = {name: [] for name in PARTS}
    seed = 1000 * args.seed
    while time.monotonic() < end:
        for name, part in PARTS.items():
            os.environ["TORSEUR_CACHE"] = "off" if name == "presses of Ctrl-C" else ""
            if time.monotonic() < end:
                count, faults = part(seed)
                done[name] += count
                found[name] += faults
        seed += 1
    for name in PARTS:
        print(f"{done[name]:7d} {name}: {len(found[name])} faults")
        for text in found[name][:20]:
            print(f"        {text[:300]}")
    return any(found.values())


if __name__ == "__main__":
    raise SystemExit(main())
