"""Linear models about any motion against differences of the motions that constraints allow."""

import numpy as np
import pytest
from bicycle import bicycle
from zoo import constraints, mechanism, one_of_each, state, tree

import torseur as ts
from torseur.joints import EVERY_JOINT
from torseur.kernels import interpreted
from torseur.solve.constraint_system import assemble, constrained_system
from torseur.solve.operating_point import small_motions

STEP = 3e-4
HELD = [*{type(c): c for c in constraints()[0]}.values()]  # one of each, to be brief


class Motions:
    """The flow of a system: what is free is given, what follows is found; no derivative of it."""

    def __init__(self, system, at, t):
        self.system, self.t = system, t
        self.found = ts.linearize(self.system, at, t=t)
        moved, names = small_motions(self.system), self.found.states
        self.lead_q = [moved.index(n[2:-1]) for n in names if n.startswith("d(")]
        self.lead = [self.system.speeds.index(n) for n in names if not n.startswith("d(")]
        self.graphs = interpreted(system)
        self.held = constrained_system(self.system) if self.system.held else None

    def call(self, name, *arrays):
        return self.graphs(name, *arrays, p=list(self.system.parameters.values()))[0].ravel()

    def moved(self, q, d):
        return self.call("integrate", q, d)

    def allowed(self, q, v):
        """The state near by that meets the constraints, with the same leading values."""
        if self.held is None:
            return q, v
        rest, n = (np.setdiff1d(np.arange(self.system.nv), x) for x in (self.lead_q, self.lead))
        for _ in range(4):
            phi, J = self.held.position(q, self.t)
            step = np.zeros(len(v))
            step[rest] = -np.linalg.lstsq(J[:, rest], phi.ravel(), rcond=None)[0]
            q = self.moved(q, step)
        x, v = self.held.terms(q, v, self.t), v.copy()
        v[n] -= np.linalg.lstsq(x.J[:, n], x.psi.ravel(), rcond=None)[0]
        return q, v

    def acceleration(self, q, v):
        if self.held is None:
            return self.call("forward_dynamics", q, v, np.zeros(len(v)))
        x, n = self.held.terms(q, v, self.t), len(v)
        whole = np.block([[x.M, x.J.T], [x.J, np.zeros((len(x.J),) * 2)]])
        known = np.concatenate([-x.h.ravel(), x.gamma.ravel()])
        return np.linalg.lstsq(whole, known, rcond=None)[0][:n]

    def rates(self, q0, v0, x):
        """Rates of (small motions, speeds) that lead, `x` away from a motion."""
        d, dv = np.zeros(len(v0)), np.zeros(len(v0))
        d[self.lead_q], dv[self.lead] = x[: len(self.lead_q)], x[len(self.lead_q) :]
        q, v = self.allowed(self.moved(q0, d), v0 + dv)
        later, before = (
            self.call("difference", self.moved(q0, s * v0), self.moved(q, s * v))
            for s in (STEP, -STEP)
        )
        rate = (later - before) / (2 * STEP)
        return np.concatenate([rate[self.lead_q], self.acceleration(q, v)[self.lead]])


def check(s, q, v, t=0.0):
    at = dict(zip((*map(str, s.coordinates), *s.speeds), (*q, *v), strict=True))
    flow = Motions(s, at, t)
    A = flow.found.A
    columns = []
    for e in STEP * np.eye(len(A)):
        near, far = (flow.rates(q, v, k * e) - flow.rates(q, v, -k * e) for k in (1, 2))
        columns.append((8 * near - far) / (12 * STEP))
    scale = max(1.0, abs(A).max())
    np.testing.assert_allclose(A, np.array(columns).T, rtol=0, atol=1e-6 * scale)


TURNING = [j for j in EVERY_JOINT if not j.holonomic]


@pytest.mark.parametrize("joint", one_of_each(TURNING))
def test_joints_whose_speeds_are_no_rates(joint):
    """Their axes turn, and small motions with them."""
    system = tree((ts.Revolute((1, 2, 2)), joint), 4, parents=(-1, 0)).check()
    check(system, *state(system, np.random.default_rng(1))[:2])


def test_a_top_seen_from_itself():
    """Steady spin w about an axis of symmetry, no gravity: `th' = dw - w x th`, closed form."""
    body = ts.Body("b", 1.0, inertia=(1.0, 1.0, 1.6, 0, 0, 0))
    model = ts.Model(
        "top",
        gravity=(0, 0, 0),
        bodies=(body,),
        joints=(ts.Joint("s", "world", "b", ts.Spherical()),),
    )
    w = 3.0
    found = ts.linearize(model, {"s.rate3": w})
    turn = np.array([[0, w, 0], [-w, 0, 0], [0, 0, 0]])
    np.testing.assert_allclose(found.A[:3], np.hstack([turn, np.eye(3)]), atol=1e-14)
    want = [0, 0, 1j * w, -1j * w, 0.6j * w, -0.6j * w]
    for x in want:
        assert abs(found.eigenvalues - x).min() < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("constraint", HELD, ids=lambda c: type(c).__name__)
def test_every_constraint_in_motion(constraint):
    system, t = mechanism(constraints=(constraint,)).check(), 0.3
    q, v, _ = state(system, np.random.default_rng(2))
    c = constrained_system(system)
    q, v = c.project(c.assemble(q0=q, t=t).q, v, t)
    check(system, q, v, t)


@pytest.mark.slow
def test_a_bicycle_thrown_about():
    """Leaned, steered and turning: nothing is steady, two wheels roll."""
    near = {"fly.qx": 0.15, "fly.qz": 0.1, "steer.angle": 0.2, "fly.vx": 4.0, "fly.wx": 0.5}
    system = bicycle(free=True).check()
    check(system, *assemble(system, near | {"steer.rate": -0.7}, keep=("steer.angle", "fly.wx")))
