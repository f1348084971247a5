"""A rigid stop that strikes beside closed contacts and stuck frictions, against NumPy.

The speeds after it are those of impulses that obey Newton's law at the stop, let no contact pull or
go in, and keep to Coulomb's cone, found by trying every combination.  Theory: FL.7.
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur import kinematics

FEET = (-0.3, 0.3)


def table(friction, restitution, *more, com=0.2):
    """A table on two feet in a plane, and an arm on it between rigid stops."""
    feet = [
        ts.Contact(name, ("b", (x, 0, 0)), friction=friction)
        for name, x in zip(("left", "right"), FEET, strict=True)
    ]
    return ts.Model(
        "table",
        bodies=(
            ts.Body("b", 2.0, (0, 0, com), (0.1, 0.1, 0.1, 0, 0, 0)),
            ts.Body("arm", 0.7, (0.25, 0, 0.05), (0.02, 0.02, 0.02, 0, 0, 0)),
        ),
        joints=(
            ts.Joint("p", "world", "b", ts.Planar("y")),
            ts.Joint("pin", "b", "arm", ts.Revolute("y"), at=(0, 0, 0.3)),
        ),
        forces=(ts.JointForce("stop", "pin", ts.Limits(-0.3, 0.3, restitution=restitution)),),
        constraints=(*feet, *more),
    )


def jumps(run, system):
    """Coordinates, speeds before and after, of every jump of speeds."""
    q, v = (
        np.stack([run[n] for n in names], axis=1) for names in (system.coordinates, system.speeds)
    )
    at = np.flatnonzero((np.diff(run.time) == 0) & (abs(np.diff(v, axis=0)).max(axis=1) > 5e-3))
    return [(q[i], v[i], v[i + 1], i) for i in at]


def rows(system, q):
    """Of each foot the direction up and along, in the space of speeds, by differences."""

    def place(q, x):
        X = kinematics.pose(system.floats(), "b", q)
        return np.asarray(X.p, float) + np.asarray(X.R, float) @ [x, 0, 0]

    h = 1e-5 * np.eye(len(q))
    J = [np.array([place(q + d, x) - place(q - d, x) for d in h]).T / 2e-5 for x in FEET]
    return [(j[2], j[0]) for j in J], [place(q, x)[2] for x in FEET]


def consistent(M, v, J, near, mu, after):
    """Every answer that obeys all laws: to a stop on the last speed, or of feet that land."""
    stop, found = np.eye(len(v))[-1] if after is not None else 0 * v, []
    every = (s for n in range(len(near) + 1) for s in itertools.combinations(near, n))
    for feet in every:
        for ways in itertools.product((-1, 0, 1), repeat=len(feet)):
            D = np.array([stop, *(row for f in feet for row in J[f])])
            G, u = D @ np.linalg.solve(M, D.T), D @ v
            A, b = G.copy(), -u
            b[0] += after or 0.0
            for k, way in enumerate(ways):
                if way:  # slides: the cone in place of rest
                    A[2 + 2 * k] = np.eye(len(D))[2 + 2 * k] + way * mu * np.eye(len(D))[1 + 2 * k]
                    b[2 + 2 * k] = 0.0
            p = np.linalg.lstsq(A, b, rcond=1e-12)[0]
            new = v + np.linalg.solve(M, D.T @ p)
            w, normal, across = D @ new, p[1::2], p[2::2]
            fine = abs(A @ p - b).max() < 1e-8 and (normal > -1e-9).all()
            fine &= all(J[f][0] @ new > -1e-9 for f in near)
            for k, way in enumerate(ways):
                inside = abs(across[k]) <= mu * normal[k] + 1e-9
                fine &= inside if not way else way * w[2 + 2 * k] > -1e-9
            found += [new] if fine else []
    return found


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("rate", [6.0, -6.0])
def test_the_feet_of_a_table_answer_a_stop(friction, rate):
    model = table(friction, 0.5)
    system, dyn = model.check(), ts.compile(model)
    run = ts.simulate(model, 0.07, {"pin.rate": rate, "p.speed_y": 0.3}, rtol=1e-10, atol=1e-12)
    assert run.completed and sum("stop:" in e.name for e in run.events) == 1, run.outcome
    ((q, v, new, i),) = jumps(run, system)
    J, gaps = rows(system, q)
    near = [f for f, gap in enumerate(gaps) if gap < 1e-9]
    assert near == [0, 1]
    wanted = consistent(dyn.mass_matrix(q), v, J, near, friction, -0.5 * v[-1])
    assert wanted
    np.testing.assert_allclose(new, min(wanted, key=lambda x: abs(x - new).max()), atol=1e-7)
    M = dyn.mass_matrix(q)
    lost = run["energy.dissipated"][i + 1] - run["energy.dissipated"][i]
    assert lost == pytest.approx((v @ M @ v - new @ M @ new) / 2, rel=1e-9)


def test_what_a_stop_loses_is_booked_as_its_own():
    """Pressed on the ground without friction nothing else moves: the stop lost it all."""
    run = ts.simulate(table(0.0, 0.5), 0.07, {"pin.rate": 6.0}, rtol=1e-10, atol=1e-12)
    own, all_ = run["stop.energy.dissipated"][-1], run["energy.dissipated"][-1]
    assert all_ > 0.1 and own == pytest.approx(all_, rel=1e-9)


def cart():
    """A pendulum between rigid stops on a cart that friction holds."""
    return ts.Model(
        "cart",
        bodies=(
            ts.Body("cart", 2.0),
            ts.Body("bob", 1.0, (0, 0, -0.5), (0.01, 0.01, 0.01, 0, 0, 0)),
        ),
        joints=(
            ts.Joint("rail", "world", "cart", ts.Prismatic("x")),
            ts.Joint("pin", "cart", "bob", ts.Revolute("y")),
        ),
        forces=(ts.JointForce("stop", "pin", ts.Limits(-0.2, 2.0, restitution=0.5)),),
        constraints=(ts.DryFriction("dry", "rail.displacement", force=100.0),),
    )


@pytest.mark.parametrize("options", [{}, {"method": "rodas5p"}, {"method": "rk4", "step": 1e-3}])
def test_a_friction_that_is_stuck_lets_go(options):
    """A constant force gives no impulse: the cart is thrown as if free, and slides to rest."""
    model = cart()
    run = ts.simulate(model, 0.6, {"pin.angle": 0.6}, **options)
    assert run.completed and [e.name for e in run.events] == ["stop: low stop", "dry: stops"], (
        run.outcome
    )
    ((q, v, new, _),) = jumps(run, model.check())
    M = ts.compile(model).mass_matrix(q)
    way = np.linalg.solve(M, [0.0, 1.0])
    np.testing.assert_allclose(new, v - 1.5 * v[1] / way[1] * way, rtol=1e-9)
    assert abs(new[0]) > 0.1 and abs(run["rail.speed"][-1]) < 1e-12
    assert run.energy_audit.relative < 1e-6


def test_lanes_answer_as_single_runs_do():
    model, angles = cart(), [0.5, 0.6, 0.9]
    many = ts.batch(model, 0.6, {"pin.angle": angles}).check()
    for i, angle in enumerate(angles):
        one = ts.simulate(model, 0.6, {"pin.angle": angle}).check()
        for name in ("rail.displacement", "pin.angle", "pin.rate"):
            assert many[name][i, -1] == pytest.approx(one[name][-1], abs=1e-5)


def test_a_friction_that_let_go_under_a_contact_which_opens_is_tried_anew():
    """A table tips over a foot: the other lands, the first leaves, and nothing slides."""
    body = ts.Body("b", 1.8, (-0.0987, 0, 0.2426), (0.1, 0.1, 0.1, 0, 0, 0))
    arm = ts.Body("arm", 0.975, (-0.0612, 0, 0.15), (0.02, 0.02, 0.02, 0, 0, 0))
    model = replace(table(1.0, 0.5), bodies=(body, arm), forces=())
    system, dyn = model.check(), ts.compile(model)
    start = {"p.rate": 0.2675, "p.speed_y": -1.706, "pin.rate": 3.468, "p.x": 0.3}
    run = ts.simulate(model, 0.6, start, rtol=1e-10, atol=1e-12)
    assert run.completed and len(jumps(run, system)) > 2, run.outcome
    for q, v, new, _ in jumps(run, system):
        J, gaps = rows(system, q)
        near = [f for f, gap in enumerate(gaps) if gap < 1e-9]
        wanted = consistent(dyn.mass_matrix(q), v, J, near, 1.0, None)
        np.testing.assert_allclose(new, min(wanted, key=lambda x: abs(x - new).max()), atol=1e-6)
