"""Graphs as lists of operations in the cache: CasADi's own numbers, without CasADi."""

import itertools
import subprocess
import sys
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.compiler import KeptGraph, read, remembered
from torseur.compiler.program.casadi_reader import operation_names
from torseur.compiler.runtime import cache
from torseur.constraints import constraint
from torseur.kernels import interpreted
from torseur.quantities.register import find

KEY = b"a graph"
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 3.0, 1e-9, 710.0, 1e300, np.inf, -np.inf, np.nan)
BINARY = "add sub mul div pow constpow fmin fmax lt le eq ne and or atan2 hypot fmod copysign"
BINARY = {*BINARY.split(), "remainder", "if_else_zero"}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("TORSEUR_CACHE", str(tmp_path / "here"))
    return tmp_path / "here" / "kernels"


def one_operation(code, word):
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    made = ca.SX.binary(code, x, y) if word in BINARY else ca.SX.unary(code, x)
    return ca.Function("f", [x, y], [made])


@pytest.mark.parametrize(
    "word", sorted({*operation_names().values()} - {"const", "input", "output"})
)
def test_every_operation_gives_the_bits_of_casadi(word):
    code = next(k for k, v in operation_names().items() if v == word)
    f = one_operation(code, word)
    rng = np.random.default_rng(3)
    drawn = zip(rng.normal(0, 2, 40).tolist(), rng.normal(0, 2, 40).tolist(), strict=True)
    pairs = [*itertools.product(SPECIAL, SPECIAL), *drawn, *((x, 2.0) for x in rng.random(9))]
    x, y = np.array(pairs).T[:, :, None]
    if word == "constpow":
        y = np.full_like(y, 3.0)
        a = ca.SX.sym("x")
        f = ca.Function("f", [a, ca.SX.sym("y")], [a**3 * a**2.5])
    kept = KeptGraph.of(f)
    assert kept is not None
    (got,) = kept([x, y])
    want = np.array([float(f(*pair)) for pair in zip(x.ravel(), y.ravel(), strict=True)])
    same = (got[0] == want) & (np.signbit(got[0]) == np.signbit(want))
    same |= np.isnan(got[0]) & np.isnan(want)
    assert same.all(), (word, x[~same], y[~same], got[0][~same], want[~same])


def test_the_compiler_reads_the_same_of_what_was_kept(place):
    """So that a second run compiles what the first one interpreted, without a graph."""
    model = zoo.mechanism(constraints=(ts.Distance("rod", "tip"),))
    first, again = (interpreted(replace(model).check()) for _ in range(2))
    for name in ("audit", "openness", "constrained_terms"):
        made, kept = (g._function(find(name)) for g in (first, again))
        want = read(made.program(), {"t": ()})
        assert kept.program() == want and kept.program().stamp == want.stamp
    assert "scene" in first.__dict__ and "scene" not in again.__dict__


def test_a_graph_with_an_unknown_operation_has_no_tape():
    x = ca.SX.sym("x")
    assert KeptGraph.of(ca.Function("f", [x], [ca.erfinv(x)])) is None


def test_rows_in_blocks_and_one_by_one_are_the_same():
    x = ca.SX.sym("x", 3)
    kept = KeptGraph.of(ca.Function("f", [x], [ca.sin(x) * x[0] + 2, ca.vertcat(5, x[1])]))
    rows = np.random.default_rng(1).normal(size=(2500, 3))
    whole = kept([rows])
    assert [y.shape for y in whole] == [(3, 2500), (2, 2500)]
    for i in (0, 1023, 1024, 2499):
        for all_rows, alone in zip(whole, kept([rows[i : i + 1]]), strict=True):
            np.testing.assert_array_equal(all_rows[:, i], alone[:, 0])


def test_a_tape_of_other_sources_is_not_taken(place, monkeypatch):
    x = ca.SX.sym("x")
    KeptGraph.of(ca.Function("f", [x], [2 * x])).keep(KEY, {"shapes": [[1]]})
    assert remembered(KEY, lambda: [1]) == remembered(KEY, lambda: [2]) == [1]
    found, facts = KeptGraph.kept(KEY)
    assert facts == {"shapes": [[1]]} and found([np.array([[4.0]])])[0][0, 0] == 8.0
    assert KeptGraph.kept(b"another graph") is None and remembered(b"another", lambda: [3]) == [3]
    monkeypatch.setattr(cache, "digest_sources", lambda: "a source was edited")
    assert KeptGraph.kept(KEY) is None and remembered(KEY, lambda: [4]) == [4]
    monkeypatch.undo()


@pytest.mark.parametrize("harm", ("cut", "bit", "swap"))
def test_a_damaged_tape_is_not_taken(place, harm):
    x = ca.SX.sym("x")
    KeptGraph.of(ca.Function("f", [x], [2 * x])).keep(KEY, {"shapes": [[1]]})
    file = place / cache.entry_name(KEY, "graph")
    data = file.read_bytes()
    if harm == "swap":
        KeptGraph.of(ca.Function("f", [x], [3 * x])).keep(b"another", {"shapes": [[1]]})
        data = (place / cache.entry_name(b"another", "graph")).read_bytes()
    file.write_bytes({"cut": data[:-3], "bit": data[:-1] + bytes([data[-1] ^ 1])}.get(harm, data))
    assert KeptGraph.kept(KEY) is None


LOOPED = """
import sys, hashlib
import numpy as np
import torseur as ts
sys.path.insert(0, sys.argv[1])
import bricks
run = ts.simulate(bricks.model(), 0.2, {"a.angle": 0.4})
names = [n for n in sorted(run.units) if n != "time"]
print(hashlib.sha256(np.array([run[n] for n in names]).tobytes()).hexdigest(), run.outcome)
print("casadi" in sys.modules, "torseur.dynamics.flow" in sys.modules)
"""
BRICKS = '''
from dataclasses import dataclass
import torseur as ts
from torseur.forces import Law, law
import numpy as np

@law
@dataclass(frozen=True, slots=True)
class Soft(Law):
    """Somebody's own law."""
    k: float = 3.0
    units = {"k": "N/m"}
    def force(self, K, seen):
        return self.k * seen.x * FACTOR
    def potential(self, K, seen):
        return self.k * seen.x * seen.x * FACTOR / 2
    @classmethod
    def examples(cls):
        return (cls(),)

def model():
    rods = [ts.Body(n, 1.0, (0, 0, -0.5), (0.1, 0.1, 0.01, 0, 0, 0)) for n in "abc"]
    joints = [ts.Joint("a", "world", "a", ts.Revolute("y")),
              ts.Joint("b", "a", "b", ts.Revolute("y"), at=(0, 0, -1.0)),
              ts.Joint("c", "world", "c", ts.Revolute("y"), at=(1.7, 0, 0))]
    rod = ts.Distance("rod", "b", ("c", (0, 0, -1.0)), length=1.7)
    push = ts.JointForce("s", "a", Soft())
    return ts.Model(bodies=rods, joints=joints, constraints=[rod], forces=[push])
'''


def test_a_run_from_the_cache_opens_no_graph_and_has_the_same_bits(tmp_path, monkeypatch):
    """And a law that was edited is another law, also in what is not compiled."""
    monkeypatch.setenv("TORSEUR_CACHE", str(tmp_path / "cache"))

    def run(factor):
        (tmp_path / "bricks.py").write_text(BRICKS.replace("FACTOR", factor))
        done = subprocess.run(
            [sys.executable, "-B", "-c", LOOPED, str(tmp_path)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    first, again, other = run("1.0"), run("1.0"), run("1.5")
    assert first[0] == again[0] and first[0] != other[0]
    assert "reached" in first[0] and "audit" not in first[0] + other[0]
    assert first[1] == "True True" == other[1]


@pytest.mark.parametrize("kind", [k.__name__ for k in constraint.values()])
def test_labels_of_rows_from_the_cache_are_those_of_the_graph(place, kind):
    for example in constraint[kind].examples():
        model = zoo.mechanism(constraints=(example,))
        for which in ("rows", "held_rows", "every_row"):
            made, kept = (interpreted(replace(model).check()) for _ in range(2))
            rows = getattr(made.scene, which)
            found = made.labels(which), kept.labels(which)
            assert found[0] == found[1] and "scene" not in kept.__dict__
            assert (rows.names, rows.owners, rows.places) == found[0]


def test_what_stands_twice_is_computed_once_to_the_same_bits():
    """Graphs with many equal parts, drawn; places are used again when nobody reads them."""
    rng = np.random.default_rng(8)
    for _ in range(5):
        x = ca.SX.sym("x", 3)
        parts = [x[0], x[1], x[2], ca.SX(0.5), ca.SX(-0.0)]
        for _ in range(150):
            a, b = (parts[i] for i in rng.integers(0, len(parts), 2))
            parts.append((ca.sin(a), a + b, a * b, a - b, -a)[rng.integers(5)])
        outs = [parts[i] for i in rng.integers(20, len(parts), 12)]
        f = ca.Function("f", [x], [ca.vertcat(*outs[:7]), ca.vertcat(*outs[7:])])
        rows = rng.normal(size=(9, 3))
        kept = KeptGraph.of(f)
        got = [y.T.tobytes() for y in kept([rows])]
        each = [f(row) for row in rows]
        want = [np.array([y[k].toarray().ravel() for y in each]).tobytes() for k in (0, 1)]
        assert got == want
    twice = ca.Function("f", [x], [ca.vertcat(*(ca.sin(x[0]) * k for k in range(2, 40)))])
    kept = KeptGraph.of(twice)
    sines = [s for s in kept.steps if kept.words[s[0]] == "sin"]
    assert len(sines) == 1 < twice.n_instructions() and kept.sizes[2] < 10


def test_the_longest_step_of_a_systems_first_run_is_kept(place, monkeypatch):
    """By all that it depends on: another start asks again; a second run keeps nothing more."""
    from torseur.simulation.run import run as runs

    block = ts.Model(
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("f", "x", ts.Expression("exp(-((t - 0.6)/0.01)**2)")),),
    )
    asked, look = [], runs.find_max_step
    monkeypatch.setattr(runs, "find_max_step", lambda *given: asked.append(1) or look(*given))
    first, again = (ts.simulate(replace(block, name=n), 1.0) for n in ("one", "the same"))
    assert len(asked) == 1 and (first["x.speed"] == again["x.speed"]).all()
    assert first["x.speed"][-1] == pytest.approx(-0.01 * np.sqrt(np.pi), rel=1e-5)  # a tension
    ts.simulate(replace(block, name="other start"), 1.0, {"x.displacement": 0.5})
    assert len(asked) == 2
    system = replace(block, name="two runs").check()
    before = {*place.iterdir()}
    for end in (1.0, 1.5, 1.6):
        ts.simulate(system, end)
    kept = [p for p in {*place.iterdir()} - before if b'"facts"' in p.read_bytes()]
    assert len(asked) == 4 and not kept
