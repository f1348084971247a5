"""Every benchmark beside its peers, in one run: pages written, ratios compared with those kept.

    python benchmarks/bench.py [--only kernels motion] [--quick] [--keep]

Ends with a failure if a program fails, takes longer than it may, or a ratio fell by more than a
third (see `gate.py`).  `--quick` takes the small cases only and writes no page.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import gate

HERE = Path(__file__).resolve().parent
PAGES = HERE.parent / "docs" / "benchmarks"
PROGRAMS = {  # name of the page and of the kept table: program and its arguments
    "kernels": ("run.py", "--generated"),
    "motion": ("motion.py",),
    "loops": ("loops.py",),
    "studies": ("studies.py", "arm", "crash", "cores", "pendulum", "first", "cluster"),
    "calls": ("calls.py",),
    "first": ("first.py",),
    "scaling": ("scaling.py",),
    "formalisms": ("formalisms.py",),
}
SMALL = {  # what takes a few minutes at most; the others are left out of a quick run
    "kernels": ("run.py", "--rounds", "5", "--turns", "2", "--out", os.devnull),
    "motion": ("motion.py", "--quick"),
    "loops": ("loops.py", "0", "1", "2"),
    "studies": ("studies.py", "arm", "first", "--quick"),
    "calls": ("calls.py",),
    "first": ("first.py",),
    "scaling": ("scaling.py", "100"),
}
MINUTES = {"kernels": 15, "motion": 12, "scaling": 12}  # that a program takes at most; the others:
USUAL = 8
SHARE = 4  # times as long it may take where others keep the machine busy
WHOLE = ("kernels", "formalisms", "scaling")  # these write their page themselves
HEAD = "## The last run of `make bench`"


def section(page: str, text: str, when: str) -> str:
    """A page whose last section is what a program printed, warnings of peers left out."""
    before = page.split(HEAD)[0].rstrip()
    text = re.sub(r"^WARNING: .*\n\n?", "", text, flags=re.MULTILINE)
    return f"{before}\n\n{HEAD}\n\n{when}\n\n```text\n{text.rstrip()}\n```\n"


def calls(text: str) -> dict[str, float]:
    """How large a part of a call on a `System` are its steps, from the table of `calls.py`."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {f"{r[0]}: steps in a call": float(r[1]) / float(r[2]) for r in rows[1:]}


def run(name: str, quick: bool = False) -> str:
    """What a program prints (shown while it runs); `Failed` where it fails or takes too long."""
    program, *more = (SMALL if quick else PROGRAMS)[name]
    command = [sys.executable, "-W", "ignore", str(HERE / program), *more]
    (gate.FOUND / f"{name}.json").unlink(missing_ok=True)
    lines, late = [], threading.Event()
    minutes = MINUTES.get(name, USUAL)
    limit = 60 * minutes * SHARE
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        clock = threading.Timer(limit, lambda: (late.set(), process.kill()))
        clock.start()
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
        clock.cancel()
    if process.returncode:
        why = f"was ended after {limit / 60:g} minutes" if late.is_set() else "failed"
        raise Failed(f"{name}: the program {why}")
    return "".join(lines)


class Failed(Exception):
    """A program did not do its work."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=[*PROGRAMS])
    parser.add_argument("--quick", action="store_true", help="small cases only, no pages")
    parser.add_argument("--keep", action="store_true", help="keep the ratios found from now on")
    options = parser.parse_args()
    wrong = []
    for name in [n for n in options.only if n in SMALL or not options.quick]:
        began = time.monotonic()
        print(f"\n==== {name}", flush=True)
        try:
            text = run(name, options.quick)
        except Failed as e:
            wrong.append(str(e))
            continue
        print(f"{name}: {(time.monotonic() - began) / 60:.1f} minutes", flush=True)
        if name not in WHOLE and not options.quick:
            page = PAGES / f"{name}.md"
            load, cores = os.getloadavg()[0], os.cpu_count()
            when = f"{time.strftime('%d %B %Y')}, load {load:.1f} on {cores} cores at its end."
            page.write_text(section(page.read_text(encoding="utf-8"), text, when), encoding="utf-8")
        if name == "calls":
            gate.record(name, calls(text))
        found = gate.read(gate.FOUND / f"{name}.json")
        good, words = gate.judged(name, found)
        print(words, flush=True)
        if not good:
            wrong.append(words)
        if options.keep:
            gate.keep(name, found)
    if wrong:
        print("\n==== not as it was\n" + "\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
