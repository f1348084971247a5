"""Every benchmark beside its peers, in one run: pages written, ratios compared with those kept.

    python benchmarks/bench.py [--only kernels motion] [--quick] [--add | --keep] [--busy 4]

A page is replaced, whole or between its marks, as soon as its program has ended well; a program
that fails or takes too long leaves its page as it was, and the others go on; README's tables of
ratios are those of a run of them all.  Ends with a failure if a program failed or a
ratio fell by more than a third (see `gate.py`).  `--quick` takes small cases and writes no page.
Ratios are kept on purpose only: `--add` keeps those that are new, `--keep` all that were found.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import gate
import readme
import timing

from torseur.files import write

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs"
README = HERE.parent / "README.md"
OUT = "{out}"  # in a command: the page, which the program writes itself
PROGRAMS = {  # name of the page and of the kept table: program and its arguments
    "kernels": ("run.py", "--generated", "--rounds", "8", "--turns", "3", "--out", OUT),
    "motion": ("motion.py",),
    "loops": ("loops.py",),
    "studies": ("studies.py", "arm", "crash", "cores", "pendulum", "first", "cluster"),
    "calls": ("calls.py",),
    "first": ("first.py",),
    "scaling": ("scaling.py", "--out", OUT),
    "formalisms": ("formalisms.py", "--out", OUT),
}
SMALL = {  # what takes a few minutes at most; the others are left out of a quick run
    "kernels": ("run.py", "--rounds", "5", "--turns", "2", "--out", OUT),
    "motion": ("motion.py", "--quick"),
    "loops": ("loops.py", "0", "1", "2"),
    "studies": ("studies.py", "arm", "first", "--quick"),
    "calls": ("calls.py",),
    "first": ("first.py",),
    "scaling": ("scaling.py", "100"),
}
PLACES = {"formalisms": DOCS / "theory" / "comparison.md"}  # the others: docs/benchmarks
MINUTES = {"kernels": 15, "motion": 10, "scaling": 10}  # that a program takes at most; the others:
USUAL = 6
BEGIN, END = "<!-- measured by make bench -->", "<!-- end -->"


def page(name: str) -> Path:
    return PLACES.get(name, DOCS / "benchmarks" / f"{name}.md")


def filled(before: str, text: str, when: str) -> str:
    """A page with what was measured between its marks, warnings of peers left out."""
    text = re.sub(r"^WARNING: .*\n\n?", "", text, flags=re.MULTILINE).strip()
    head, _, rest = before.partition(BEGIN)
    old, _, tail = rest.partition(END)
    if not old:
        raise Failed(f"a page has no {BEGIN} and {END}, between which its tables stand")
    return f"{head}{BEGIN}\n\n{when}\n\n{text}\n\n{END}{tail}"


def when() -> str:
    """The line above a table."""
    load, cores = os.getloadavg()[0], os.cpu_count()
    return f"{time.strftime('%d %B %Y')}, load {load:.1f} on {cores} cores at the end."


def calls(text: str) -> dict[str, float]:
    """How large a part of a call on a `System` are its steps, from the table of `calls.py`."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {f"{r[0]}: steps in a call": float(r[1]) / float(r[2]) for r in rows[1:]}


def run(name: str, command: list[str], busy: float) -> str:
    """What a program prints (shown while it runs); `Failed` where it fails or takes too long."""
    lines, late = [], threading.Event()
    limit = 60 * MINUTES.get(name, USUAL) * busy
    own = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=own) as process:
        clock = threading.Timer(limit, lambda: (late.set(), timing.end(process.pid)))
        clock.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                print(line, end="", flush=True)
                lines.append(line)
            process.wait()
        except BaseException:  # Ctrl-C: nothing is left running
            timing.end(process.pid)
            raise
        finally:
            clock.cancel()
    if process.returncode:
        why = f"was ended after {limit / 60:g} minutes" if late.is_set() else "failed"
        raise Failed(f"{name}: the program {why}; its page is as it was")
    return "".join(lines)


class Failed(Exception):
    """A program did not do its work."""


def measured(name: str, quick: bool, busy: float) -> dict[str, float | None]:
    """Run a program, and replace its page by what it wrote or printed; answers its ratios."""
    program, *more = (SMALL if quick else PROGRAMS)[name]
    part, kept = gate.FOUND / f"{name}.md", page(name)
    gate.FOUND.mkdir(parents=True, exist_ok=True)
    for old in (part, gate.FOUND / f"{name}.json"):
        old.unlink(missing_ok=True)
    own = OUT in more
    more = [str(part) if x == OUT else x for x in more]
    text = run(name, [sys.executable, "-W", "ignore", str(HERE / program), *more], busy)
    if own and not part.exists():
        raise Failed(f"{name}: the program ended without writing its page, which is as it was")
    if not quick:
        old = kept.read_text(encoding="utf-8")
        write(kept, part.read_text(encoding="utf-8") if own else filled(old, text, when()))
    if name == "calls":
        gate.record(name, calls(text))
    return gate.read(gate.FOUND / f"{name}.json")


def judged(name: str, quick: bool, busy: float) -> tuple[dict[str, float | None], bool, str]:
    """Ratios of a program, whether none fell, and what to say; a fall must be found twice."""
    found = measured(name, quick, busy)
    good, words = gate.judged(name, found)
    if not good:
        print(f"{words}\n==== {name} again: a fall counts if it is found twice", flush=True)
        found = gate.better(found, measured(name, quick, busy))
        good, words = gate.judged(name, found)
    return found, good, words


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=[*PROGRAMS])
    parser.add_argument("--quick", action="store_true", help="small cases only, no pages")
    keep = parser.add_mutually_exclusive_group()
    keep.add_argument("--add", action="store_true", help="keep ratios that were not kept so far")
    keep.add_argument("--keep", action="store_true", help="keep all the ratios found from now on")
    text = "times as long a program may take where others keep the machine busy"
    parser.add_argument("--busy", type=float, default=4.0, help=text)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended as by Ctrl-C
    wrong, told, ratios = [], [], {}
    names = [n for n in options.only if n in SMALL or not options.quick]
    for k, name in enumerate(names, 1):
        began = time.monotonic()
        print(f"\n==== {k} of {len(names)}: {name} ({time.strftime('%H:%M:%S')})", flush=True)
        try:
            found, good, words = judged(name, options.quick, options.busy)
        except Failed as e:
            found, good, words = {}, False, str(e)
        except KeyboardInterrupt:
            left = ", ".join(names[k - 1 :])
            print(f"\nended by hand; not measured: {left}; pages before are new", file=sys.stderr)
            return 130
        ratios |= {name: found} if found else {}
        told.append(f"{(time.monotonic() - began) / 60:5.1f} minutes, {words}")
        print(told[-1], flush=True)
        if not good:
            wrong.append(words)
        if options.keep or options.add:
            gate.keep(name, found, only_new=options.add)
    if not options.quick and all(name in ratios for name in readme.NEEDED):
        old = README.read_text(encoding="utf-8")
        write(README, filled(old, readme.tables(ratios), when()))
    print("\n==== the run\n" + "\n".join(told), flush=True)
    if wrong:
        print("\n==== not as it was\n" + "\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
