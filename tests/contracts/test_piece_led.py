"""Independent speeds of many loops, in pieces: what plain NumPy says of the whole."""

from types import SimpleNamespace

import numpy as np
import pytest
from test_piece_strands import shop
from test_pieces import ladder

import torseur as ts
from torseur.dynamics import ConstraintSolver, SolutionWay
from torseur.dynamics.constraints import independent_speeds as many_speeds, mobility
from torseur.dynamics.constraints.reduced_solutions import firmness
from torseur.dynamics.constraints.reference_solutions import by_elimination
from torseur.kernels.motion import MotionKernels
from torseur.kernels.repeated_blocks import independent_speeds as piece_led, kernel, structure
from torseur.quantities import register
from torseur.scalars import Floats
from torseur.solve import constrained_system

COUNTS = {
    "side by side": {"four_bar": 9, "slider_crank": 2, "rssr": 2},
    "one row too many": {"parallelogram": 3, "four_bar": 2},
    "row": {"row": 18, "four_bar": 2},
}
LED = ("null_space", "elimination")


@pytest.fixture
def always(monkeypatch):
    """Kinds are used however few their members are."""
    monkeypatch.setattr(register, "FEWEST", 1)
    monkeypatch.setattr(structure, "MEMBERS", 1)


def prepared(name) -> SimpleNamespace:
    """A system on its constraints and beside them, and what leads there."""
    system = shop(7, **COUNTS[name]).check()
    c, rng = constrained_system(system), np.random.default_rng(2)
    z, blank = np.zeros(len(system.layout.z)), [[], [], []]
    q, v = (
        c.integrate(system.neutral(), 0.05 * rng.normal(size=system.nv)),
        rng.normal(size=system.nv),
    )
    kernels = MotionKernels(system)
    for _ in range(6):
        q, v = kernels["project"](0.0, q, v, z, *blank)
    off = c.integrate(q, 1e-3 * rng.normal(size=system.nv)), v + 1e-2 * rng.normal(size=system.nv)
    return SimpleNamespace(
        system=system, c=c, choice=c.independent(q), on=(0.0, q, v, z, *blank),
        off=(0.0, *off, z, *blank), plain=kernels,
    )  # fmt: skip


def led(x, solution) -> MotionKernels:
    way = SolutionWay(solution, x.choice.dependent)
    kernels = MotionKernels(x.system, ConstraintSolver.of(x.system, way))
    assert kernels.pieced
    return kernels


@pytest.mark.parametrize("solution", LED)
@pytest.mark.parametrize("name", COUNTS)
def test_accelerations_are_those_of_plain_numpy(name, solution, always):
    x = prepared(name)
    qdot, vdot, zdot, lam = led(x, solution)["flow"](*x.on)
    here = x.c.terms(*x.on[1:3])
    tau = x.c.graphs("applied", *x.on[:-1], p=[])[0]
    a, pushed = by_elimination(here, tau - here.h, x.choice)
    scale = 1 + abs(a).max()
    np.testing.assert_allclose(vdot, a, rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(here.J.T @ lam, here.J.T @ pushed, rtol=0, atol=1e-9 * scale)
    same = x.plain["flow"](*x.on)
    np.testing.assert_allclose(qdot, same[0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(zdot, same[2], rtol=0, atol=1e-8 * scale)


@pytest.mark.parametrize("name", ["side by side", "row"])
def test_projections(name, always):
    x = prepared(name)
    for a, b in zip(
        led(x, "null_space")["project"](*x.off), x.plain["project"](*x.off), strict=True
    ):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)  # the least change by mass
    q, v = led(x, "elimination")["project"](*x.off)
    leading = [*x.choice.independent]
    assert (v[leading] == x.off[2][leading]).all()
    phi, psi = x.c.graphs("openness", 0.0, q, v, p=[])
    assert max(abs(phi).max(), abs(psi).max()) < 1e-7  # from 1e-3, cubed


@pytest.mark.parametrize("name", COUNTS)
def test_firmness_is_that_of_the_formula(name, always):
    x = prepared(name)
    here = x.c.terms(*x.on[1:3])
    same = firmness(Floats(), here.M, here.J, x.choice.dependent)
    assert led(x, "null_space")["leads"](*x.on)[0] == pytest.approx(same, rel=1e-8)


@pytest.mark.parametrize("solution", LED)
def test_text_stays_and_work_is_linear(solution):
    found = []
    for n in (60, 120):
        system = ladder(n).check()
        way = SolutionWay(
            solution, constrained_system(system).independent(system.neutral()).dependent
        )
        assert kernel.serves(system, way) and piece_led.led(system, way.dependent).turns == 1
        program = kernel.flow(system, way)
        own = sum(program.operations.values()) / n
        lines = [x for x in program.module(8, True).splitlines() if not x.startswith("@")]
        found.append((own, len(lines)))
    (few, short), (many, long) = found
    assert many < 1.05 * few
    assert long < 1.2 * short


def test_many_independent_speeds_of_one_mechanism_stay_straight_line_code(always, monkeypatch):
    system = shop(3, rssr=2).check()
    follows = tuple(constrained_system(system).independent(system.neutral()).dependent)
    assert piece_led.LedSpeeds(structure.structure(system), follows).turns == 2
    assert piece_led.led(system, follows) is not None
    monkeypatch.setattr(piece_led, "MOST", 1)
    assert piece_led.led(shop(4, rssr=2).check(), follows) is None
    assert piece_led.led(system, ()) is None


def test_parts_choose_what_the_whole_does():
    x = prepared("side by side")
    here = x.c.terms(*x.on[1:3])
    A = mobility.scaled(here.J) / np.sqrt(mobility.inertias(here.M))
    assert len(many_speeds.parts(A)) == 13
    whole, by_parts = mobility.pivots(A), many_speeds.pivots_by_parts(A, 1e-9)
    assert sorted(whole[0]) == sorted(by_parts[0])
    assert sorted(whole[1]) == sorted(by_parts[1])
    D = A[:, by_parts[0]]
    assert many_speeds.least_by_parts(D) == pytest.approx(np.linalg.svd(D)[1][-1], rel=1e-9)


def test_a_long_part_chooses_as_well_as_pivots_do(monkeypatch):
    system = ladder(40).check()
    c = constrained_system(system)
    here = c.terms(c.assemble({"p0.angle": 0.4}).q, np.zeros(system.nv))
    A = mobility.scaled(here.J) / np.sqrt(mobility.inertias(here.M))
    whole = mobility.pivots(A)[0]
    monkeypatch.setattr(many_speeds, "WHOLE", 10)
    chosen = many_speeds.pivots_by_parts(A, 1e-9)[0]
    least = [np.linalg.svd(A[:, own])[1][-1] for own in (whole, chosen)]
    assert len(chosen) == len(whole) and least[1] > 0.5 * least[0]
    assert many_speeds.least_by_parts(A[:, chosen]) == pytest.approx(least[1], rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("solution", LED)
def test_a_run_is_that_of_multipliers(solution):
    options = {"initial": {"p0.rate": 1.0}, "t_end": 0.5, "rtol": 1e-10, "method": "dop853"}
    system = ladder(60).check()
    run, plain = (ts.simulate(system, solution=x, **options) for x in (solution, "multipliers"))
    assert run.completed
    for name in ("p60.angle", "a3.rate", "energy.kinetic"):
        assert run[name][-1] == pytest.approx(plain[name][-1], rel=1e-7, abs=1e-7), name
