"""Generated programs run as they are, and agree with the equations."""

import ctypes
import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import zoo

from torseur.errors import TorseurError
from torseur.formalisms import composite_body
from torseur.joints import Free
from torseur.symbolic import equations

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
ROBOTS = importlib.import_module("equations_robots")
LIE = importlib.import_module("equations_lie_group")

CASES = {
    "puma": ROBOTS.puma3,
    "stanford": ROBOTS.stanford,
    "sliders": LIE.sliders,
    "chain": lambda: ROBOTS.chain(7),
    "numbers": zoo.puma_generic,
    "free": lambda: zoo.free_body(Free()),
}


def sample(eq, rng):
    q, v, a = zoo.state(eq.system, rng)
    return q, v, a, rng.uniform(0.5, 2, len(eq.parameters))


def call_compiled(library, name, eq, q, v, a, p, size):
    f = getattr(ctypes.CDLL(str(library)), name)
    out = np.zeros(size)
    arrays = [np.ascontiguousarray(x, dtype=float) for x in (q, v, a, p)]
    f(*(x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for x in (*arrays, out)))
    return out


def expected(eq, quantity, q, v, a, p):
    given = dict(zip(eq.parameters, p, strict=True))
    zero = np.zeros(eq.system.nv)
    match quantity:
        case "tau":
            return eq.evaluate(q, v, a, given)
        case "bias":
            return eq.evaluate(q, v, zero, given)
        case "gravity":
            return eq.evaluate(q, zero, zero, given)
    tree = eq.system.floats(given)
    return composite_body.mass_matrix(tree, q).astype(float)


@pytest.mark.parametrize("quantity", ["tau", "mass_matrix", "bias", "gravity"])
@pytest.mark.parametrize("case", CASES)
def test_python(case, quantity):
    rng = np.random.default_rng(3)
    eq = equations(CASES[case](), forces=quantity in ("tau", "bias"))
    space: dict = {}
    exec(eq.code("python", quantity, name="f"), space)
    q, v, a, p = sample(eq, rng)
    want = expected(eq, quantity, q, v, a, p)
    zoo.close(space["f"](q, v, a, p), want, 3000)
    batch = space["f"](np.stack([q, q]), np.stack([v, v]), np.stack([a, a]), p)
    zoo.close(batch, np.stack([want, want]), 3000)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not on this machine")
@pytest.mark.parametrize("case", ["puma", "stanford", "sliders"])
def test_c(case, tmp_path):
    rng = np.random.default_rng(4)
    eq = equations(CASES[case](), forces=True)
    q, v, a, p = sample(eq, rng)
    for quantity in ("tau", "mass_matrix"):
        (tmp_path / "f.c").write_text(eq.code("c", quantity, name="f"))
        library = tmp_path / f"{quantity}.so"
        subprocess.run(
            [
                "gcc",
                "-std=c99",
                "-Wall",
                "-Werror",
                "-Wno-unused",
                "-O1",
                "-shared",
                "-fPIC",
                tmp_path / "f.c",
                "-o",
                library,
                "-lm",
            ],
            check=True,
        )
        want = expected(eq, quantity, q, v, a, p)
        got = call_compiled(library, "f", eq, q, v, a, p, want.size)
        zoo.close(got.reshape(want.shape), want, 3000)


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="gfortran is not on this machine")
@pytest.mark.parametrize("case", ["puma", "stanford", "sliders"])
def test_fortran(case, tmp_path):
    rng = np.random.default_rng(5)
    eq = equations(CASES[case](), forces=True)
    q, v, a, p = sample(eq, rng)
    (tmp_path / "f.f90").write_text(eq.code("fortran", name="f"))
    library = tmp_path / "f.so"
    subprocess.run(
        ["gfortran", "-std=f2008", "-shared", "-fPIC", tmp_path / "f.f90", "-o", library],
        check=True,
    )
    want = expected(eq, "tau", q, v, a, p)
    zoo.close(call_compiled(library, "f", eq, q, v, a, p, want.size), want, 3000)


@pytest.mark.skipif(shutil.which("octave") is None, reason="octave is not on this machine")
def test_matlab(tmp_path):
    rng = np.random.default_rng(6)
    eq = equations(ROBOTS.puma3())
    q, v, a, p = sample(eq, rng)
    (tmp_path / "f.m").write_text(eq.code("matlab", name="f"))
    text = ", ".join("[" + " ".join(map(repr, map(float, x))) + "]" for x in (q, v, a, p))
    out = subprocess.run(
        ["octave", "--eval", f"printf('%.17g ', f({text}))"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    zoo.close([float(x) for x in out.split()], expected(eq, "tau", q, v, a, p), 3000)


def test_fortran_and_matlab_as_text():
    """Without their compilers here: declared names, balanced brackets, one-based indices, width."""
    eq = equations(ROBOTS.puma3())
    fortran = eq.code("fortran", name="f")
    assert "subroutine f(q, v, a, p, out) bind(c)" in fortran and "out(3) =" in fortran
    assert max(map(len, fortran[fortran.index("implicit none") :].splitlines())) <= 132
    declared = {
        n.strip()
        for line in fortran.splitlines()
        if line.startswith("  real(c_double) ::")
        for n in line.split("::")[1].split(",")
    }
    assigned = {
        line.split("=")[0].strip()
        for line in fortran.splitlines()
        if " = " in line and not line.strip().startswith(("!", "out", "use"))
    }
    assert {n for n in assigned if n.isidentifier()} == declared
    matlab = eq.code("octave", name="f")
    assert "out(3) =" in matlab and "out(0)" not in matlab and "q(2)" in matlab
    for text in (fortran, matlab):
        assert text.count("(") == text.count(")") and "**" not in text


@pytest.mark.parametrize("case", ["puma", "stanford", "sliders"])
@pytest.mark.parametrize("language", ["fortran", "matlab"])
def test_statements_of_fortran_and_matlab_mean_the_same(case, language):
    """Their assignments, read as arithmetic by Python: one-based entries, d0 exponents."""
    eq = equations(CASES[case](), forces=True)
    q, v, a, p = sample(eq, np.random.default_rng(8))
    text = re.sub(r" &\n\s*", " ", eq.code(language))
    out = np.zeros(eq.system.nv)
    space = {"q": q, "v": v, "a": a, "p": p, "out": out, "cos": np.cos, "sin": np.sin}
    for line in text.splitlines():
        line = line.strip().rstrip(";")
        if re.match(r"(\w+|out\(\d+\)) = ", line) and "zeros" not in line:
            line = re.sub(r"\b(q|v|a|p|out)\((\d+)\)", r"\1[\2 - 1]", line)
            line = re.sub(r"(\d\.?\d*(?:e[+-]?\d+)?)d([+-]?\d+)", r"\1e\2", line)
            exec(line, space)
    zoo.close(out, expected(eq, "tau", q, v, a, p), 3000)


def test_held_states_are_folded_in():
    eq = equations(ROBOTS.puma3()).substitute({"q2": "pi/2", "dq1": 0})
    space: dict = {}
    exec(eq.code("python", name="f"), space)
    rng = np.random.default_rng(1)
    q, v, a, p = sample(eq, rng)
    want = eq.evaluate(q, v, a, dict(zip(eq.parameters, p, strict=True)))
    zoo.close(space["f"](q, v, a, p), want, 3000)


def test_counts_of_operations():
    """Luh, Walker and Paul take 150 n - 48 multiplications and 131 n - 48 additions."""
    n = equations(ROBOTS.puma560()).count_operations()
    assert n["div"] == 0 and n["trig"] == 10
    assert n["mul"] <= 300 < 150 * 6 - 48 and n["add"] <= 300 < 131 * 6 - 48
    three = equations(ROBOTS.puma3()).count_operations()
    assert three["mul"] <= 100 and three["add"] <= 100
    assert equations(ROBOTS.puma3()).count_operations("gravity")["mul"] < 30


def test_messages():
    eq = equations(ROBOTS.puma3())
    with pytest.raises(TorseurError, match="no language is named 'rust'"):
        eq.code("rust")
    with pytest.raises(TorseurError, match="no quantity is named 'masses'"):
        eq.code("c", "masses")
