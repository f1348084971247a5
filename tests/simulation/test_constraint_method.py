"""One motion by four solutions of its constraints: `simulate(..., solution=...)`."""

import json
import re

import numpy as np
import pytest

import torseur as ts
from torseur.cli import main
from torseur.errors import TorseurError
from torseur.results import Trajectory
from torseur.scalars import Floats

OTHERS = [s for s in ts.solve.SOLUTIONS if s != "multipliers"]
PIN = ts.Revolute("z")


def bar(name, L, **more):
    return ts.Body(name, mass=1.0, com=(L / 2, 0, 0), inertia=(0.001, 0.1, 0.1, 0, 0, 0), **more)


def four_bar(rpy=(0, 0, 0), at=(0.9, 0, 0), gravity=(0, -9.81, 0), extra=(), **more):
    return ts.Model(
        "four-bar",
        gravity=gravity,
        bodies=(bar("crank", 0.3), bar("coupler", 0.8), bar("rocker", 0.6)),
        joints=(
            ts.Joint("A", "world", "crank", PIN, rpy=rpy),
            ts.Joint("B", "crank", "coupler", PIN, at=(0.3, 0, 0)),
            ts.Joint("D", "world", "rocker", PIN, at=at, rpy=rpy),
        ),
        loops=(
            ts.Loop("C", "rocker", "coupler", PIN, at=(0.6, 0, 0), child_at=(0.8, 0, 0)),
            *extra,
        ),
        **more,
    )


FOUR = {"A.angle": 1.0, "A.rate": 4.0, "B.angle": -0.6, "D.angle": 1.6}


def redundant():
    """A four-bar tilted in space, closed twice: ten rows of rank two."""
    R = np.array(ts.spatial.angles_to_matrix(Floats(), "zyx", (0.7, -0.4, 0.3)), dtype=float)
    again = ts.Loop("again", "rocker", "coupler", PIN, at=(0.6, 0, 0.2), child_at=(0.8, 0, 0.2))
    return four_bar((0.3, -0.4, 0.7), tuple(R @ [0.9, 0, 0]), (0, -9.81, 0), (again,))


def slider_crank():
    return ts.Model(
        "slider-crank",
        gravity=(0, -9.81, 0),
        bodies=(bar("crank", 0.3), bar("rod", 0.8), ts.Body("slider", mass=20)),
        joints=(
            ts.Joint("A", "world", "crank", PIN),
            ts.Joint("B", "crank", "rod", PIN, at=(0.3, 0, 0)),
            ts.Joint("slide", "world", "slider", ts.Prismatic("x")),
        ),
        loops=(ts.Loop("C", "rod", "slider", PIN, at=(0.8, 0, 0)),),
    )


SLIDER = {"A.angle": 1.0, "A.rate": 6.0, "B.angle": -1.3, "slide.displacement": 0.9}


def spatial():
    """Haug's spatial slider-crank."""
    B, C = np.array([0, 0.1, 0.2]), np.array([0.2, 0, 0])
    u = (B - C) / 0.3
    J = 4e-3 * (np.eye(3) - np.outer(u, u)) + 4e-4 * np.outer(u, u)
    return ts.Model(
        "spatial slider-crank",
        gravity=(0, 0, -9.81),
        bodies=(
            ts.Body("crank", mass=0.12, com=(0, 0, 0.04), inertia=(1e-4, 1e-4, 1e-5, 0, 0, 0)),
            ts.Body("slider", mass=2.0),
            ts.Body("rod", mass=0.5, com=tuple((B - C) / 2), inertia=J),
        ),
        joints=(
            ts.Joint("crank", "world", "crank", ts.Revolute("x"), at=(0, 0.1, 0.12)),
            ts.Joint("slide", "world", "slider", ts.Prismatic("x"), at=(0.2, 0, 0)),
            ts.Joint("knee", "slider", "rod", ts.Universal("x", (0, -2, 1))),
        ),
        loops=(
            ts.Loop("ball", "crank", "rod", ts.Spherical(), at=(0, 0, 0.08), child_at=tuple(B - C)),
        ),
    )


def driven():
    """A four-bar whose crank turns unevenly by a motor, and whose rocker is damped."""
    return four_bar(
        constraints=(ts.Driven("motor", "A.angle", "1 + 4*t + sin(3*t)/5"),),
        forces=(ts.JointForce("damper", "D", law=ts.Viscous(0.3)),),
    )


def sleigh():
    """A blade and a free body with quaternions: rows of speeds, qdot is not v."""
    return ts.Model(
        "sleigh",
        bodies=(ts.Body("b", mass=2.0, com=(0.2, 0, 0), inertia=(0.1, 0.2, 0.3, 0, 0, 0)),),
        joints=(ts.Joint("fly", "world", "b", ts.Free()),),
        constraints=(ts.KnifeEdge("blade", "b"), ts.PointOnPlane("ice", "b")),
    )


def stick_slip():
    """A four-bar with dry friction in a joint: a row that is switched."""
    return four_bar(constraints=(ts.DryFriction("rub", "D.angle", force=1.5, static=2.0),))


CASES = {
    "four-bar": (four_bar, FOUR, 2.0, ("A.angle", "A.rate")),
    "slider-crank": (slider_crank, SLIDER, 1.5, ("A.angle", "A.rate")),
    "spatial": (spatial, {"crank.angle": 0.0, "crank.rate": 6.0}, 1.5, None),
    "redundant": (redundant, FOUR, 1.0, ("A.angle", "A.rate")),
    "driven": (driven, FOUR, 1.5, ()),
    "sleigh": (sleigh, {"fly.vx": 1.0, "fly.wz": 2.0}, 1.0, None),
    "stick-slip": (stick_slip, FOUR, 2.0, ("A.angle", "A.rate")),
}


def run(name, solution, **more):
    make, start, end, keep = CASES[name]
    out = ts.simulate(
        make(), end, start, keep=keep, rtol=1e-11, atol=1e-12, output=21, solution=solution, **more
    )
    assert out.completed, out.outcome
    return out


@pytest.fixture(scope="module")
def reference():
    found = {}

    def of(name):
        if name not in found:
            found[name] = run(name, "multipliers")
        return found[name]

    return of


def pairs():
    """Three mechanisms by every solution, each other one by one; the rest with the slow tests."""
    whole = ("four-bar", "sleigh", "stick-slip")  # a loop, rows of speeds, a row that switches
    for i, name in enumerate(CASES):
        for j, solution in enumerate(OTHERS):
            kept = name in whole or i % len(OTHERS) == j
            yield pytest.param(name, solution, marks=[pytest.mark.slow] * (not kept))


@pytest.mark.parametrize(("name", "solution"), [*pairs()])
def test_every_solution_gives_the_same_motion(name, solution, reference):
    """State, multipliers, reactions, energies and events; and no drift."""
    want, out = reference(name), run(name, solution)
    assert set(out.signals) == set(want.signals)
    assert [e.name for e in out.events] == [e.name for e in want.events]
    for signal in want.signals:
        if any(x in signal for x in ("margin", "residual", "orientation")):
            continue
        # which of the redundant rows carries what is known to 1e-10 over rounding: CK.3
        limit = 2e-4 if name == "redundant" and re.search("reaction|multiplier", signal) else 2e-7
        size = max(1.0, abs(want[signal]).max())
        if signal.endswith("reaction.power"):  # a sum that vanishes, of terms as large as forces
            own = (s for s in want.signals if s.startswith(signal.removesuffix("power")))
            size = max(size, *(abs(want[s]).max() for s in own))
        np.testing.assert_allclose(
            out[signal], want[signal], err_msg=signal, rtol=0, atol=limit * size
        )
    assert out["constraints.residual"].max() < 2e-14
    assert abs(out["energy.residual"]).max() < 1e-8
    assert f"constraints by {solution}" in out.outcome
    assert out.provenance["solution"] == solution
    assert want.provenance["solution"] == "multipliers"


@pytest.mark.parametrize("solution", ["null_space", "elimination"])
def test_independent_speeds_are_reported_and_switched(solution, tmp_path):
    """No slider leads through the dead points, and the run says when it stopped leading."""
    out = run("slider-crank", solution)
    told = out.provenance["independent"]
    assert len(told) >= 2 and told[0] == (0.0, ("slide.speed",))
    assert told[1][1] == ("A.rate",) and 0.0 < told[1][0] < 1.0
    assert f"independent speeds: slide.speed; from {told[1][0]:.4g} s A.rate" in out.outcome
    kept = Trajectory.load(out.save(tmp_path / "run.nc")).provenance["independent"]
    assert json.dumps(kept) == json.dumps(told)


def test_steps_look_at_the_speeds_that_lead_themselves(monkeypatch):
    """Python is asked where those that follow do so less firmly, not every few steps."""
    from torseur.simulation.run.constraint_method import ConstraintMethod

    asked, look = [], ConstraintMethod.update_partition
    monkeypatch.setattr(
        ConstraintMethod, "update_partition", lambda *x: asked.append(look(*x)) or asked[-1]
    )
    for solution in ("null_space", "elimination"):
        asked.clear()
        out = run("slider-crank", solution)
        changes = len(out.provenance["independent"]) - 1
        assert changes >= 1 and sum(asked) == changes
        assert len(asked) < out.statistics["steps"] / 12


def test_how_firmly_speeds_follow_is_their_least_singular_value():
    """The kernel's estimate beside singular values, along a motion and for any speeds that lead."""
    from torseur.dynamics import SolutionMethod
    from torseur.dynamics.constraints.coordinate_partitioning import least
    from torseur.simulation.run.constraint_method import kernels_for

    system, none = four_bar().check(), np.zeros(0)
    c = ts.solve.constrained_system(system)
    for angle in np.linspace(0.2, 2.8, 7):
        q, v = ts.assemble(system, {**FOUR, "A.angle": angle}, keep=("A.angle",))
        here = c.terms(q, v)
        for dependent in ((1, 2), (0, 2), (0, 1)):
            kernel = kernels_for(system, SolutionMethod("null_space", dependent))["leads"]
            sigma = least(here.J, here.M, dependent)
            assert (
                sigma**2 * (1 - 1e-9) <= float(kernel(0.0, q, v, *[none] * 4)[0]) < 1.5 * sigma**2
            )


def test_elimination_never_touches_the_independent_ones():
    """Its projection moves dependent coordinates only; the others move everything by mass."""
    from torseur.dynamics import SolutionMethod
    from torseur.simulation.run.constraint_method import kernels_for

    system, none = four_bar().check(), np.zeros(0)
    q, v = ts.assemble(system, FOUR, keep=("A.angle", "A.rate"))
    off = q + [0.0, 1e-4, -1e-4], v + [0.0, 1e-3, 1e-3]
    for solution, still in (("elimination", True), ("null_space", False)):
        way = SolutionMethod(solution, (1, 2))
        q1, v1 = kernels_for(system, way)["project"](0.0, *off, *[none] * 4)
        assert (q1[0] == q[0] and v1[0] == v[0]) == still
        assert abs(ts.solve.constrained_system(system).position(q1)[0]).max() < 1e-11
    solved = kernels_for(system, SolutionMethod())["flow"](0.0, q, v, *[none] * 4)
    implicit = kernels_for(system, SolutionMethod("elimination", (1, 2)))["flow"](
        0.0, *off, *[none] * 4
    )
    for x, want in zip(implicit[:2], solved[:2], strict=True):  # a function of crank alone
        np.testing.assert_allclose(x, want, atol=1e-8)
    assert (
        abs(
            kernels_for(system, SolutionMethod("null_space", (1, 2)))["flow"](
                0.0, *off, *[none] * 4
            )[1]
            - solved[1]
        ).max()
        > 1e-3
    )


@pytest.mark.parametrize("solution", OTHERS)
def test_singular_positions_are_passed(solution):
    """A parallelogram, flat twice a turn: every choice of speeds is bad there."""
    pin = ts.Revolute("z")

    def rod(name):
        return ts.Body(name, mass=1, com=(0.5, 0, 0), inertia=(0, "1/12", "1/12", 0, 0, 0))

    model = ts.Model(
        gravity=(0, -9.81, 0),
        bodies=[rod(n) for n in "abc"],
        joints=(
            ts.Joint("A", "world", "a", pin),
            ts.Joint("B", "a", "b", pin, at=(1, 0, 0)),
            ts.Joint("D", "world", "c", pin, at=(1, 0, 0)),
        ),
        loops=(ts.Loop("C", "c", "b", pin, at=(1, 0, 0), child_at=(1, 0, 0)),),
    )
    start = {
        "A.angle": np.pi / 2,
        "A.rate": -1,
        "B.angle": -np.pi / 2,
        "B.rate": 1,
        "D.angle": np.pi / 2,
        "D.rate": -1,
    }
    out = ts.simulate(
        model, 5.0, start, method="rk4", step=0.002, output=[0.0, 2.5, 5.0], solution=solution
    )
    want = [[0.8499327511974626, 0.5268911827331257], [-0.9449081860429539, -0.3273354853189835]]
    theta = out["A.angle"][1:]
    limit = 1e-5 if solution == "elimination" else 1e-7  # nothing leads well there
    np.testing.assert_allclose(np.array([np.cos(theta), np.sin(theta)]).T, want, atol=limit)


def test_parameters_reach_the_constraints():
    """The state is assembled with the parameters of the run, not with nominal ones."""
    model = ts.Model(
        bodies=(ts.Body("bob", mass=1.0, inertia=(1, 1, 1, 0, 0, 0)),),
        parameters={"L": 2.0},
        joints=(ts.Joint("bob", "world", "bob", ts.Planar("z")),),
        constraints=(ts.Distance("rod", "bob", length="L"),),
    )
    for solution in ts.solve.SOLUTIONS:
        out = ts.simulate(
            model,
            1.0,
            {"bob.x": -1.9, "bob.y": 0.4},
            keep=("bob.y",),
            output=5,
            parameters={"L": 3.0},
            solution=solution,
        )
        assert out.completed
        np.testing.assert_allclose(np.hypot(out["bob.x"], out["bob.y"]), 3.0, rtol=1e-14)


def test_messages_files_and_command_line(tmp_path, capsys, monkeypatch):
    with pytest.raises(TorseurError, match=r"no solution is named 'nullspace'.*'null_space'"):
        ts.simulate(four_bar(), 1.0, FOUR, keep=(), solution="nullspace")
    monkeypatch.chdir(tmp_path)
    four_bar().save("four.yaml")
    text = (tmp_path / "four.yaml").read_text()
    (tmp_path / "four.yaml").write_text(
        text + "initial: {A.angle: 1, B.angle: -0.6, D.angle: 1.6}"
        "\nsimulation: {t_end: 0.2, keep: [A.angle], "
        "solution: elimination}\n"
    )
    assert main(["simulate", "four.yaml", "--json"]) == 0
    assert "constraints by elimination" in json.loads(capsys.readouterr().out)["outcome"]
    assert main(["simulate", "four.yaml", "--json", "--solution", "penalty"]) == 0
    assert "constraints by penalty" in json.loads(capsys.readouterr().out)["outcome"]


def test_a_tree_takes_any_solution():
    """Nothing to solve: the word is accepted, and nothing is said of it."""
    rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    pendulum = ts.Model(bodies=(rod,), joints=(ts.Joint("p", "world", "rod", ts.Revolute("y")),))
    out = ts.simulate(pendulum, 0.1, {"p.angle": 0.1}, solution="null_space", output=3)
    assert "null_space" not in out.outcome and "solution" not in out.provenance
