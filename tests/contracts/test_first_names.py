"""Every public name, and every file of the package, may be the first that is asked for.

Names are loaded when first used, so an order in which files need each other may be missed by every
test that used another name before.  Each is used in a process that has seen nothing of ours.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import torseur as ts
from torseur.constraints import constraint
from torseur.forces import law, line
from torseur.joints import joint

ROOT = Path(ts.__file__).parent
CHILD = """
import os, sys
import numpy, scipy.linalg, casadi  # heavy, and not ours
assert not any(x.partition(".")[0] == "torseur" for x in sys.modules)
for asked in sys.stdin.read().splitlines():
    pid = os.fork()
    if not pid:
        try:
            exec(asked)
        except BaseException as e:
            print(asked, repr(e).replace(chr(10), " "), flush=True)
        os._exit(0)
    os.waitpid(pid, 0)
print("asked", flush=True)
"""


def fallen(asked: list[str]) -> str:
    """What is told of the statements that fail as the first of a process."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD], input="\n".join(asked), capture_output=True, text=True
    )
    *told, last = done.stdout.splitlines() or [done.stderr]
    assert last == "asked", last
    return "\n".join(told)


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@needs_fork
def test_elements_may_be_the_first():
    names = {n for held in (law, line, joint, constraint) for n in held} & {*dir(ts)}
    assert len(names) > 60
    some = sorted(names)[::3]  # every one, and every file, with the slow tests
    assert not fallen([f"import torseur; torseur.{n}" for n in some])


@needs_fork
def test_a_name_that_is_not_there_is_told():
    assert "Paralel" in fallen(["import torseur; torseur.Paralel"])


@needs_fork
@pytest.mark.slow
def test_every_name_and_every_file_may_be_the_first():
    loaded = {f.stem for f in ROOT.glob("*.py")} | {"cli"}  # ours where something imports them
    public = sorted({n for n in dir(ts) if not n.startswith("__")} - loaded)
    names = [f"import torseur; torseur.{n}" for n in public]
    files = sorted(ROOT.rglob("*.py"))
    dotted = [".".join(("torseur", *f.relative_to(ROOT).with_suffix("").parts)) for f in files]
    assert not fallen(names + [f"import {x.removesuffix('.__init__')}" for x in dotted])
