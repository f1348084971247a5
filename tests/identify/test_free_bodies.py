"""Identification of a tool on a known arm: `free` bodies alone are unknown."""

from dataclasses import replace

import numpy as np
import pytest
from test_robot_identification import branches, puma560, random_states

import torseur as ts
from torseur.cli import main
from torseur.identify import base, linear, robot
from torseur.identify.robots.regressor import INERTIAL_NAMES
from torseur.spatial import Inertia

TOOL = (0.9, (0.03, -0.02, 0.08), (0.004, 0.005, 0.003, 2e-4, -3e-4, 1e-4))
WANT = np.array(Inertia.about_com(*TOOL).parameters(), float)
NAMES = [f"tool.{n}" for n in INERTIAL_NAMES]


def loaded(make=puma560, on="link6", rotor=0.3, damping=0.2):
    """A robot with motors and a tool bolted to it; the same with a tool that nobody weighed."""
    arm = make()
    joints = tuple(replace(j, armature=rotor, damping=damping) for j in arm.joints)
    flange = ts.Joint("flange", on, "tool", ts.Weld(), at=(0, 0, 0.1), rpy=(0.2, 0, 0.7))
    true, guess = (
        replace(arm, bodies=(*arm.bodies, tool), joints=(*joints, flange))
        for tool in (ts.Body("tool", *TOOL), ts.Body("tool"))
    )
    return true, guess


def motion(nv, seconds=6.0, step=0.004, seed=4):
    rng = np.random.default_rng(seed)
    t, w = np.arange(0, seconds, step), rng.uniform(1, 6, (3, nv))
    turn, size = w * t[:, None, None] + rng.uniform(0, 6, (3, nv)), rng.uniform(0.1, 0.4, (3, nv))
    shapes = (np.sin(turn), w * np.cos(turn), -(w**2) * np.sin(turn))
    return t, *((size * x).sum(axis=1) for x in shapes)


def efforts(model, q, v, a):
    return ts.compile(model).inverse_dynamics(q, v, a, forces=True)


@pytest.mark.parametrize(
    "make, on, friction, rotors",
    [
        (puma560, "link6", ("coulomb", "viscous", "offset"), None),
        (puma560, "link4", (), None),
        (branches, "c", (), True),
        (branches, "e", ("viscous",), True),
    ],
)
def test_exact_data_give_the_parameters_of_a_tool(make, on, friction, rotors):
    """Rotors and damping as the model has them, unless they are looked for."""
    true, guess = loaded(make, on)
    q, v, a = random_states(true.check(), 300)
    data = (q, v, a, efforts(true, q, v, a))
    options = {"free": "tool", "friction": friction, "rotors": rotors}
    found = robot(guess, data, consistent=False, **options)
    own = {n: 0.3 if n.endswith("rotor") else 0.2 for n in found.lin.names[10:]}
    own |= {n: 0.0 for n in own if n.endswith(("coulomb", "offset"))}
    want = found.groups.values([*WANT, *own.values()])
    assert found.estimate.beta == pytest.approx(want, abs=1e-9)
    physical = robot(guess, data, **options)
    assert ts.simulate(physical.model, 0.02).completed
    said = efforts(physical.model, q, v, a)
    assert said == pytest.approx(data[3], abs=1e-6 * abs(data[3]).max())


def test_friction_that_goes_with_the_load_feels_the_known_arm():
    true, guess = loaded(rotor=0, damping=0)
    q, v, a = random_states(true.check(), 300)
    tau = efforts(true, q, v, a)
    rubbed = tau + 0.05 * abs(tau) * np.sign(v)
    found = robot(guess, (q, v, a, rubbed), free="tool", friction="load", consistent=False)
    assert [found.base[n] for n in NAMES] == pytest.approx(WANT, abs=1e-5)
    assert found.predict(q, v, a) == pytest.approx(rubbed, abs=1e-5 * abs(tau).max())


@pytest.mark.parametrize("more", [pytest.param((), marks=pytest.mark.slow), ("coulomb",)])
def test_friction_that_goes_with_the_load_from_coordinates_alone(more):
    """Through the low pass; loads that rotors hide are refused by name."""
    model = branches()
    t, q, v, a = motion(5, 8.0, seed=1)
    tau = efforts(model, q, v, a)
    tau = tau + (0.05 * abs(tau) + 0.5 * len(more)) * np.tanh(v / 0.04) + 0.3 * v
    found = robot(model, (t, q, tau), friction=("load", "viscous", *more), consistent=False)
    own = [
        (n, 0.05 if n.endswith("load") else 0.5 if n.endswith("coulomb") else 0.3)
        for n in found.lin.names[50:]
    ]
    assert [found.base[n] for n, _ in own] == pytest.approx([x for _, x in own], rel=0.02)
    assert (found.errors() < 2e-3).all()
    with pytest.raises(ts.TorseurError, match=r"cannot be separated from 'rail\.rotor'"):
        robot(model, (t, q, tau), friction="load", rotors=True)


def test_a_measured_motion_gives_the_tool_within_its_intervals(tmp_path):
    """From coordinates and efforts with noise, through the low pass; by the command too."""
    true, guess = loaded(damping=0)
    t, q, v, a = motion(6)
    rng, F = np.random.default_rng(0), 0.4
    tau = efforts(true, q, v, a) + F * v + 0.05 * rng.normal(size=q.shape)
    how = {"free": ("tool",), "friction": ("viscous", "offset")}
    found = robot(guess, (t, q + 2e-5 * rng.normal(size=q.shape), tau), **how)
    off = [(found.base[n] - x) / found.sigma[n] for n, x in zip(NAMES, WANT, strict=True)]
    assert np.abs(off).max() < 3.5 and 0.3 < np.sqrt(np.mean(np.square(off))) < 1.5
    assert found.sigma["tool.m"] < 0.01 and {*found.gains.values()} == {1.0}
    assert found.body("tool").mass == pytest.approx(0.9, abs=0.02)
    kept = {b.name: b for b in found.model.bodies}
    assert all(kept[b.name] is b for b in guess.bodies if b.name != "tool")
    guess.save(tmp_path / "arm.yaml")
    heads = [
        "time [s]",
        *(f"q{i + 1} [rad]" for i in range(6)),
        *(f"tau{i + 1} [N m]" for i in range(6)),
    ]
    table = np.column_stack([t, q, tau])
    np.savetxt(tmp_path / "d.csv", table, delimiter=",", header=",".join(heads), comments="")
    out = tmp_path / "found.yaml"
    how = ["--free", "tool", "--friction", "viscous", "-o", str(out)]
    assert main(["identify", str(tmp_path / "arm.yaml"), str(tmp_path / "d.csv"), *how]) == 0
    assert float(ts.load(out).bodies[-1].mass) == pytest.approx(0.9, abs=0.02)


def test_no_end_of_a_filter_and_no_difference_weighs_a_tool():
    """Exact coordinates and efforts, 250 Hz: 8 g of 900 with ends continued by cubics and
    differences of order two, since the known arm has a hundred times the efforts."""
    true, guess = loaded()
    t, q, v, a = motion(6)
    data = (t, q, efforts(true, q, v, a))
    found = robot(guess, data, free="tool", friction=(), consistent=False)
    assert found.base["tool.m"] == pytest.approx(0.9, abs=3e-4)


def test_noise_of_coordinates_shakes_the_known_arm_too():
    """What noise is expected in the rows is the same whether masses are known or looked for."""
    from torseur.identify.robots.base_parameters import find_base_parameters
    from torseur.identify.robots.data import samples
    from torseur.identify.robots.errors_in_variables import ErrorsInVariables
    from torseur.identify.robots.least_squares import SampleProblem
    from torseur.identify.robots.noise_spectrum import SpectralProblem

    true, guess = loaded()
    t, q, v, a = motion(6, 2.0)
    q = q + 1e-4 * np.random.default_rng(1).normal(size=q.shape)
    seen, heard = samples(true.check(), (t, q, efforts(true, q, v, a))), []
    for model, free in ((true, ()), (guess, ("tool",))):
        lin = linear(model, (), False, free=free)
        problem = SampleProblem(lin, find_base_parameters(lin), seen)
        p = linear(true, (), False, free=free).values()
        blur = SpectralProblem(problem, p, 4.5, 0.75, with_gains=False).errors_in_variables
        assert isinstance(blur, ErrorsInVariables)
        heard.append(blur.row_variances(problem.base.values(p), np.ones(6)))
    assert heard[0].max() > 0
    np.testing.assert_allclose(heard[1], heard[0], rtol=1e-8)


def test_what_cannot_be_free_is_told():
    _, guess = loaded()
    data = (*random_states(guess.check(), 30), np.zeros((30, 6)))
    with pytest.raises(ts.TorseurError, match="free: no body is named 'tol'; did you mean 'tool'"):
        robot(guess, data, free="tol")
    unknown = replace(
        guess, bodies=(ts.Body("link1", "m1"), *guess.bodies[1:]), parameters={"m1": None}
    )
    with pytest.raises(
        ts.TorseurError, match="'m1': no value; lengths and angles, and masses that are not"
    ):
        robot(unknown, data, free="tool")
    post = ts.Joint("bolt", "world", "post", ts.Weld())
    still = replace(
        guess, bodies=(*guess.bodies, ts.Body("post", 1.0)), joints=(*guess.joints, post)
    )
    with pytest.raises(ts.TorseurError, match="no effort depends on the masses of 'post'"):
        robot(still, data, free=("post", "tool"))
    assert set(base(guess, free="tool", friction=()).names) == {*NAMES}
