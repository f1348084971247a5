"""Reactions do not depend on the cut: what does is NaN with its name, wherever the loop is opened.

Closed chains of four joints, each opened at B and at C; the motion is one, and so must be what is
said of the reactions.
"""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur.dynamics.constraints import self_stress
from torseur.solve.constraint_system import constrained_system

PIN, BALL = ts.Revolute("z"), ts.Spherical("zyx")
CHAINS = {  # kinds of B and C, degree of hyperstaticity
    "pins": (PIN, PIN, 3),
    "ball": (BALL, PIN, 1),
    "balls": (BALL, BALL, 0),
    "sleeve": (ts.Cylindrical("z"), PIN, 2),
    "cardan": (ts.Universal("z", "x"), PIN, 2),
    "two sleeves": (ts.Cylindrical("z"), ts.Cylindrical("z"), 2),
}
PARTS = [f"{kind}.{c}" for kind in ("moment", "force") for c in "xyz"]


def rod(name, length):
    J = 2 * length**3 / 12
    return ts.Body(name, 2 * length, (length / 2, 0, 0.05), (1e-3, J, J, 0, 0, 0))


def four_bar(B, C, cut):
    bodies = (rod("crank", 0.3), rod("coupler", 0.8), rod("rocker", 0.6))
    joints = {
        "A": ts.Joint("A", "world", "crank", PIN),
        "D": ts.Joint("D", "world", "rocker", PIN, at=(0.9, 0, 0)),
        "B": ts.Joint("B", "crank", "coupler", B, at=(0.3, 0, 0)),
        "C": ts.Joint("C", "rocker", "coupler", C, at=(0.6, 0, 0), child_at=(0.8, 0, 0)),
    }
    j = joints.pop(cut)
    loop = ts.Loop(cut, j.parent, j.child, j.kind, at=j.at, child_at=j.child_at)
    return ts.Model(
        "ring", gravity=(0, -9.81, -3), bodies=bodies, joints=(*joints.values(),), loops=(loop,)
    )


def reactions(model, cut, least_norm):
    """Of A, B, C, D at one position and motion in the plane, shape (4, 6)."""
    c = constrained_system(model)
    near = {"A.angle": np.pi / 3, "A.rate": 2.0, "D.angle": 1.6}
    guess = {"B": ("C", -1.17), "C": ("B", -0.6)}[cut]
    near |= {
        n: guess[1]
        for n in c.system.coordinates
        if n in (f"{guess[0]}.angle", f"{guess[0]}.angle1")
    }
    q, v = c.assemble(near, keep=("A.angle", "A.rate"))
    a, lam = c.acceleration(q, v)
    own = c.reactions(q, v, a, lam, least_norm=least_norm)
    return np.array([own[n] for n in "ABCD"]), c.mobility(q)


@pytest.mark.parametrize("chain", CHAINS)
def test_reactions_and_what_is_unknown_do_not_depend_on_the_cut(chain):
    B, C, degree = CHAINS[chain]
    cuts = [reactions(four_bar(B, C, cut), cut, False) for cut in "BC"]
    (one, said), (two, other) = cuts
    np.testing.assert_array_equal(np.isnan(one), np.isnan(two))
    np.testing.assert_allclose(one, two, rtol=1e-8, atol=1e-8)
    assert np.isnan(one).any() == (degree > 0)
    assert said.redundancy == other.redundancy == degree
    assert sorted(said.undetermined) == sorted(other.undetermined)
    least = [reactions(four_bar(B, C, cut), cut, True)[0] for cut in "BC"]
    np.testing.assert_allclose(*least, rtol=1e-7, atol=1e-8)
    known = ~np.isnan(one)
    np.testing.assert_allclose(least[0][known], one[known], rtol=1e-8, atol=1e-8)


COAXIAL = ((ts.Revolute, 0.0), (ts.Helical, 0.3), (ts.Cylindrical, 0.6))  # kinds, heights


def several(kinds):
    """Rings of several kinds side by side, cut at C; a number after each name."""
    bodies, joints, loops, near = [], [], [], {}
    B, D = 0.3 * np.exp(1j * np.pi / 3), 0.9
    far = abs(D - B)
    along = (far**2 + 0.8**2 - 0.6**2) / (2 * far)
    C = B + (D - B) / far * (along + 1j * np.sqrt(0.8**2 - along**2))
    coupler, rocker = np.angle(C - B), np.angle(C - D)
    for i, kind in enumerate(kinds):
        one = four_bar(*CHAINS[kind][:2], "C")
        bodies += [replace(b, name=f"{b.name}{i}") for b in one.bodies]
        for e in (*one.joints, *one.loops):
            parent = e.parent if e.parent == "world" else f"{e.parent}{i}"
            own = replace(e, name=f"{e.name}{i}", parent=parent, child=f"{e.child}{i}")
            (joints if isinstance(e, ts.Joint) else loops).append(own)
        turn = "angle" if CHAINS[kind][0] is not BALL else "angle1"
        turn = "angle1" if kind == "cardan" else turn
        near |= {
            f"A{i}.angle": np.pi / 3,
            f"D{i}.angle": rocker,
            f"B{i}.{turn}": coupler - np.pi / 3,
        }
    model = ts.Model("rings", bodies=bodies, joints=joints, loops=loops, gravity=(0, -9.81, -3))
    return model, near


def test_rings_that_nothing_joins_know_as_much_together_as_alone(monkeypatch):
    """States of self-stress of all rings are looked at three at a time, not eleven: RE.5."""
    kinds = ("pins", "ball", "two sleeves", "pins", "sleeve")
    made, counts = self_stress.together, []

    def counted(*args):
        found = made(*args)
        counts.append(len(found))
        return found

    monkeypatch.setattr(self_stress, "together", counted)
    model, near = several(kinds)
    run = ts.simulate(model, 0.2, initial=near, output=5)
    assert np.isfinite(run["A1.reaction.force.x"]).all() and counts == [3]
    for i, kind in enumerate(kinds):
        model, near = several((kind,))
        alone = ts.simulate(model, 0.2, initial=near, output=5)
        for joint in "ABCD":
            for part in PARTS:
                got = run[f"{joint}{i}.reaction.{part}"]
                want = alone[f"{joint}0.reaction.{part}"]
                assert (np.isnan(got) == np.isnan(want)).all(), (kind, joint, part)
                np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)


def ladder(n):
    """n four-bars in a row, neighbors share a bar."""
    inertia, hinge = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}, ts.Revolute("y")
    pins = [ts.Joint(f"p{i}", "world", f"r{i}", hinge, at=(i, 0, 0)) for i in range(n + 1)]
    return ts.Model(
        "ladder",
        bodies=[ts.Body(f"r{i}", com=(0, 0, 0.5), **inertia) for i in range(n + 1)]
        + [ts.Body(f"c{i}", com=(0.5, 0, 0), **inertia) for i in range(n)],
        joints=pins + [ts.Joint(f"a{i}", f"r{i}", f"c{i}", hinge, at=(0, 0, 1)) for i in range(n)],
        loops=[
            ts.Loop(f"l{i}", f"c{i}", f"r{i + 1}", hinge, at=(1, 0, 0), child_at=(0, 0, 1))
            for i in range(n)
        ],
    )


def test_a_row_of_loops_costs_as_many_looks_as_two_neighbors(monkeypatch):
    """Rows across the plane say nothing and are alone; the others need no singular values: RE.5."""
    svd, made, sizes, counts = np.linalg.svd, self_stress.together, [], []

    def decomposed(J, *args, **options):
        sizes.append(J.shape[1:])
        return svd(J, *args, **options)

    def counted(*args):
        found = made(*args)
        counts.append(len(found))
        return found

    run = ts.simulate(ladder(5), 0.1, {"p0.rate": -1.0}, output=3)
    monkeypatch.setattr(np.linalg, "svd", decomposed)
    monkeypatch.setattr(self_stress, "together", counted)
    known = {x: np.isfinite(run[f"l2.reaction.{x}"]).all() for x in PARTS}
    assert [x for x in PARTS if known[x]] == ["moment.y", "force.x", "force.z"]
    assert counts == [6], "three of a loop and three of its neighbors, whatever their number"
    assert set(sizes) == {(1, 0)} and len(sizes) == 15


def test_only_rows_that_are_surely_independent_are_left_without_singular_values():
    rng = np.random.default_rng(5)
    J = rng.normal(size=(60, 4, 6))
    J[:, 3] = J[:, 0] - 2 * J[:, 2] + np.geomspace(1e-14, 1, 60)[:, None] * J[:, 3]
    J[20:40, :2, 3:] = J[20:40, 2:, :3] = 0  # two pairs that do not meet
    J /= np.linalg.norm(J, axis=2, keepdims=True)
    sure, least = self_stress.independent(J), np.linalg.svd(J)[1][:, -1]
    assert (least[sure] > 1e-5).all() and sure[least > 1e-3].all() and 0 < sure.sum() < 60
    assert (self_stress.states(J).any(axis=(1, 2)) == (least <= self_stress.RANK)).all()
    assert not self_stress.independent(J[:, :, :3]).any(), "more rows than speeds"


def coaxial(cut):
    """World, two bodies, world: joints of one axis; where the last is cut, no row says a thing."""
    ends, loops, joints = ("world", "a", "b", "world"), (), ()
    for i, (kind, z) in enumerate(COAXIAL):
        own = kind("z", 0.05) if kind is ts.Helical else kind("z")
        pair = (ends[i], ends[i + 1]) if i <= cut else (ends[i + 1], ends[i])
        made = (ts.Loop if i == cut else ts.Joint)(
            f"j{i}", *pair, own, at=(0, 0, z), child_at=(0, 0, z)
        )
        loops, joints = ((*loops, made), joints) if i == cut else (loops, (*joints, made))
    J = (0.1, 0.1, 0.2, 0, 0, 0)
    bodies = ts.Body("a", 1.0, (0.1, 0.02, 0), J), ts.Body("b", 1.5, (0, 0.1, 0.1), J)
    return ts.Model("shaft", gravity=(1, -9, -3), bodies=bodies, joints=joints, loops=loops)


def test_a_run_whose_loop_tells_the_motion_nothing_knows_as_little_whatever_the_cut():
    runs = [ts.simulate(coaxial(cut), 0.1, output=2) for cut in range(3)]
    unknown = [{n for n in run.signals if np.isnan(run[n]).any()} for run in runs]
    assert unknown[0] == unknown[1] == unknown[2]
    assert {n for n in unknown[0] if "reaction" in n and "power" not in n} == {
        f"j{i}.reaction.{part}.{x}" for i in range(3) for part in ("force", "moment") for x in "xy"
    }
    assert sorted(runs[0].undetermined) == sorted(runs[2].undetermined) != []


def test_a_run_names_what_it_does_not_know():
    start = {"A.angle": np.pi / 3, "A.rate": 2.0, "B.angle": -0.6, "D.angle": 1.6}
    options = {"initial": start, "keep": ("A.angle", "A.rate"), "output": 3}
    run = ts.simulate(four_bar(PIN, PIN, "C"), 0.1, **options)
    said = [f"{n}: force z, moments x and y are undetermined" for n in "ABCD"]
    assert sorted(run.undetermined) == said
    assert (
        np.isnan(run["C.reaction.force.z"]).all() and np.isfinite(run["C.reaction.force.x"]).all()
    )
    least = ts.simulate(four_bar(PIN, PIN, "C"), 0.1, reactions="least_norm", **options)
    assert least.undetermined == ()
    np.testing.assert_allclose(least["C.reaction.force.z"][0], 1.943, atol=0.01)
    with pytest.raises(ts.ArgumentError, match="reactions = 'guess'"):
        ts.simulate(four_bar(PIN, PIN, "C"), 0.1, reactions="guess")


def test_legs_of_a_table_share_its_weight_as_nobody_knows():
    """Four contacts of a rigid table: normal forces unknown; of three they are known."""

    def table(feet):
        body = ts.Body("top", 3.0, inertia=(1, 1, 1, 0, 0, 0))
        legs = [ts.Contact(f"c{i}", ("top", (*p, 0))) for i, p in enumerate(feet)]
        joint = ts.Joint("fly", "world", "top", ts.Free())
        return ts.Model("t", bodies=(body,), joints=(joint,), constraints=tuple(legs))

    square = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    run = ts.simulate(table(square), 0.01, output=2)
    assert run.undetermined == tuple(f"c{i}: force z is undetermined" for i in range(4))
    run = ts.simulate(table([(1, 0), (-1, 1), (-1, -1)]), 0.01, output=2)
    assert run.undetermined == ()
    want = 3 * 9.81 * np.array([0.5, 0.25, 0.25])
    found = [run[f"c{i}.reaction.force.z"][-1] for i in range(3)]
    np.testing.assert_allclose(found, want, rtol=1e-9)


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.8])
@pytest.mark.parametrize("bounces", [(0.6, 0.0, 0.0), (0.6, 0.0, 0.2)])
def test_feet_of_other_restitutions_land_together(friction, bounces):
    """Two of three feet of a plank land at once; their wishes contradict each other (DF.10)."""
    places = (-0.257, 0.1164, -0.1377)
    feet = [
        ts.Contact(f"c{i}", ("plank", (x, 0, -0.1)), friction=friction, restitution=e)
        for i, (x, e) in enumerate(zip(places, bounces, strict=True))
    ]
    plank = ts.Body("plank", 2.0, (0.01, 0, 0.01), (0.02, 0.02, 0.02, 0, 0, 0))
    joint = ts.Joint("p", "world", "plank", ts.Planar("y"))
    system = ts.Model("plank", bodies=(plank,), joints=(joint,), constraints=tuple(feet)).check()
    lean = 0.02
    start = {"p.angle": lean, "p.x": 0.1 + places[1] * np.tan(lean) + 1e-4}
    start |= {"p.rate": -2.0, "p.speed_x": -0.3, "p.speed_y": -0.2}
    run = ts.simulate(system, 0.05, start, output=3, rtol=1e-10, atol=1e-12, method="dop853")
    i = np.flatnonzero((np.diff(run.time) == 0) & (abs(run["p.angle"][:-1]) < 1e-9))[0]
    rows = np.array([(-x - run["p.y"][i], 1, 0) for x in places])  # upwards, where it lies flat
    before, after = (rows @ [run[n][k] for n in system.speeds] for k in (i, i + 1))
    assert before[0] < before[2] < -0.5 and abs(before[1]) < 1e-9
    np.testing.assert_allclose(after[:2], (-0.6 * before[0], 0), atol=1e-9)
    assert after[2] > -bounces[2] * before[2]  # lifted off, faster than it would bounce
