"""Loops of several kinds, shuffled, side by side and in rows, are the same computed abreast."""

from dataclasses import replace

import numpy as np
import pytest
from zoo import few, state

import torseur as ts
from torseur.kernels import GraphInterpreter, thresholds
from torseur.kernels.motion import MotionKernels
from torseur.kernels.repeated_blocks import structure

HINGE = ts.Revolute("y")


class Shop:
    """Parts of mechanisms, with numbers drawn; at zero their loops are closed."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.bodies, self.joints, self.loops, self.forces = [], [], [], []
        self.count = 0

    def rod(self, name, parent, joint, at=(0, 0, 0)):
        rng = self.rng
        com, J = rng.normal(size=3) * 0.1, np.diag(rng.uniform(0.1, 0.2, 3))
        self.bodies.append(ts.Body(name, rng.uniform(0.5, 2), tuple(com), J.tolist()))
        self.joints.append(ts.Joint(f"j{name}", parent, name, joint, at=at))
        return name

    def loop(self, parent, child, joint, at, child_at=(0, 0, 0)):
        self.loops.append(
            ts.Loop(f"l{parent}_{child}", parent, child, joint, at, child_at=child_at)
        )

    def number(self):
        self.count += 1
        return self.count, *self.rng.uniform(0.8, 1.2, 3)

    def four_bar(self):
        n, a, b, c = self.number()
        crank = self.rod(f"fa{n}", "world", HINGE, (0, n, 0))  # planes apart
        bar = self.rod(f"fb{n}", crank, HINGE, (0, 0, a))
        other = self.rod(f"fc{n}", "world", HINGE, (c, n, 0))
        self.loop(bar, other, HINGE, (b, 0, 0), (b - c, 0, a))
        self.forces.append(ts.JointForce(f"s{n}", f"jfa{n}", ts.Spring(5.0 + n)))

    def slider_crank(self):
        n, a, b, _ = self.number()
        crank = self.rod(f"ca{n}", "world", HINGE)
        bar = self.rod(f"cb{n}", crank, HINGE, (a, 0, 0.4))
        slide = self.rod(f"cs{n}", "world", ts.Prismatic("x"))
        self.loop(bar, slide, HINGE, (b, 0, -0.6), (a + b, 0, -0.2))

    def parallelogram(self):
        n, a, b, c = self.number()
        legs = [
            self.rod(f"p{i}_{n}", "world", HINGE, (x, 0, 0)) for i, x in enumerate((0, b, b + c))
        ]
        bar = self.rod(f"pb{n}", legs[0], HINGE, (0, 0, a))
        for leg, x in zip(legs[1:], (b, b + c), strict=True):  # one row too many
            self.loop(bar, leg, HINGE, (x, 0, 0), (0, 0, a))

    def rssr(self):
        n, a, b, c = self.number()
        crank = self.rod(f"ra{n}", "world", ts.Revolute("x"))
        bar = self.rod(f"rb{n}", crank, ts.Spherical(), (0, 0, a))
        other = self.rod(f"rc{n}", "world", HINGE, (c, 0.2, 0))
        self.loop(bar, other, ts.Spherical(), (b, 0.5, 0), (b - c, 0.3, a))

    def row(self, n, length=1.0):
        k, *_ = self.number()
        up = [self.rod(f"w{i}_{k}", "world", HINGE, (length * i, 0, 0)) for i in range(n + 1)]
        for i in range(n):
            bar = self.rod(f"x{i}_{k}", up[i], HINGE, (0, 0, 1))
            self.loop(bar, up[i + 1], HINGE, (length, 0, 0), (0, 0, 1))

    def model(self) -> ts.Model:
        parts = {}
        for x in ("bodies", "joints", "loops", "forces"):
            own = getattr(self, x)
            parts[x] = [own[i] for i in self.rng.permutation(len(own))]
        return ts.Model("shop", **parts)


def shop(seed: int, **counts) -> ts.Model:
    made = Shop(seed)
    for name, n in counts.items():
        if name == "row":
            made.row(n)
            continue
        for _ in range(n):
            getattr(made, name)()
    return made.model()


KINDS = (
    (1, {"four_bar": 9, "slider_crank": 8, "parallelogram": 3, "rssr": 2}, 2),
    (2, {"row": 19, "four_bar": 3}, 1),
    (3, {"parallelogram": 9, "rssr": 9}, 2),
)


@pytest.mark.parametrize(
    ("seed", "counts", "abreast"),
    few(KINDS, KINDS[0]),
)
def test_loops_of_several_kinds(seed, counts, abreast, monkeypatch):
    monkeypatch.setattr(thresholds, "MIN_REPEATED_BLOCK_UNKNOWNS", 1)
    monkeypatch.setattr(thresholds, "MIN_MEMBERS_PER_CLASS", 1)
    system = shop(seed, **counts).check()
    kernels, whole = MotionKernels(system), GraphInterpreter(system)
    whole._block_terms = lambda _: None
    s = structure.analyze_structure(system)
    assert kernels.has_repeated_blocks and len(s.strands) == abreast
    rng, z = np.random.default_rng(seed), np.zeros(len(system.layout.z))
    v = rng.normal(size=system.nv)
    with np.errstate(all="raise"):  # at rest no warning of what is not taken
        kernels["project"](0.0, system.neutral(), 0 * v, z, [], [], [])
    (q,) = whole("integrate", system.neutral(), 0.05 * v, p=[])
    for _ in range(8):  # rows that repeat others ask for a state that meets them
        q, v = kernels["project"](0.0, q, v, z, [], [], [])
    assert max(abs(x).max() for x in whole("openness", 0.0, q, v, p=[])) < 1e-12
    given = (0.0, q, v, z, [], [])
    M, h, *_, J, gamma = whole("constrained_terms", *given[:3], p=[])
    found, tau = kernels["flow"](*given, []), whole("applied", *given, p=[])[0]
    L = np.linalg.cholesky(M)
    force = np.linalg.solve(M, tau - h)
    pushed = np.linalg.lstsq(np.linalg.solve(L, J.T).T, gamma - J @ force, rcond=1e-9)[0]
    a = force + np.linalg.solve(L.T, pushed)  # Gauss: the least change by mass
    scale = 1 + abs(a).max()
    np.testing.assert_allclose(found[1], a, rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(M @ found[1] + h - tau, J.T @ found[3], atol=1e-9 * scale)
    np.testing.assert_allclose(found[0], whole("rates", q, v, p=[])[0], atol=1e-13)


@pytest.mark.slow
def test_derivatives_abreast(monkeypatch):
    monkeypatch.setattr(thresholds, "MIN_REPEATED_BLOCK_UNKNOWNS", 1)
    system = shop(5, row=18).check()
    kernels, whole = MotionKernels(system), GraphInterpreter(system)
    assert structure.analyze_structure(system).strands
    q, v, _ = state(system, np.random.default_rng(4))
    given = (0.0, 0.3 * q, v, np.zeros(len(system.layout.z)), [], [])
    found = kernels["flow_jacobian"](*given, [])
    for a, b in zip(found, whole("flow_jacobian", *given, p=[]), strict=True):
        np.testing.assert_allclose(a.ravel(), b.ravel(), rtol=0, atol=1e-9 * (1 + abs(b).max()))


@pytest.mark.slow
def test_a_run_abreast_is_that_of_straight_line_code(monkeypatch):
    options = {"initial": {"jw0_1.rate": 1.0}, "t_end": 0.3, "rtol": 1e-10}
    plain = ts.simulate(shop(6, row=17), **options)
    monkeypatch.setattr(thresholds, "MIN_REPEATED_BLOCK_UNKNOWNS", 1)
    system = replace(shop(6, row=17), name="another").check()
    run = ts.simulate(system, **options)
    assert run.completed and structure.analyze_structure(system).strands
    for name in ("jw17_1.angle", "jx3_1.rate", "energy.kinetic"):
        a, b = run[name][-1], plain[name][-1]
        assert abs(a - b) < 1e-7 * (1 + abs(b)), name
    assert run.energy_audit.relative < 1e-8
