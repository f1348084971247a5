"""Efforts linear in the inertial parameters, and the parameters that can be told apart."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
import zoo

from torseur.joints import Free, Prismatic, Revolute
from torseur.model import Joint, Model
from torseur.symbolic import equations

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
ROBOTS = importlib.import_module("equations_robots")


def branching() -> Model:
    """A free body with a slider and a hinge on it."""
    rng = np.random.default_rng(5)
    return Model(
        "branching",
        gravity=(0.3, 0, -9.81),
        bodies=[zoo.body(n, rng) for n in "abc"],
        joints=[
            Joint("float", "world", "a", Free()),
            Joint("slide", "a", "b", Prismatic("y"), at=(0.1, 0.2, 0)),
            Joint("hinge", "a", "c", Revolute("x"), at=(0, 0, 0.3)),
        ],
    )


@pytest.mark.parametrize("make", [zoo.puma_generic, branching])
def test_regressor_times_parameters_is_the_effort(make):
    rng = np.random.default_rng(2)
    eq = equations(make())
    r = eq.regressor
    q, v, a = zoo.state(eq.system, rng)
    p = np.array([float(x) for x in r.values])
    zoo.close(r.evaluate(q, v, a) @ p, eq.evaluate(q, v, a), 1000)
    assert r.Y.shape == (eq.system.nv, 10 * len(eq.system.links))
    assert r.parameters[:2] == (f"{eq.system.links[0].body}.m", f"{eq.system.links[0].body}.mx")


def test_the_puma_has_fifteen_base_parameters():
    """Oracle O-X4: rank 15, eleven columns without effect."""
    r = equations(ROBOTS.puma3()).regressor
    assert r.rank == 15 and len(r.zero) == 11
    assert r.base_parameters["link1.Izz"] == ("link1.Izz + link2.Iyy + d3^2 link3.m + link3.Iyy")
    assert r.base_parameters["link2.Ixx"] == "link2.Ixx - link2.Iyy - d3^2 link3.m"
    assert r.base_parameters["link3.Ixx"] == "link3.Ixx - link3.Iyy"


def test_published_numbers_of_base_parameters():
    """36 for the PUMA 560 (known from the literature on its identification)."""
    assert equations(ROBOTS.puma560()).regressor.rank == 36


@pytest.mark.parametrize("make", [ROBOTS.puma3, ROBOTS.scara])
def test_exact_rank_is_the_rank_of_samples(make):
    rng = np.random.default_rng(6)
    eq = equations(make())
    r = eq.regressor
    p = {n: 0.6 for n in eq.parameters if n in r.equations.parameters}
    q, v, a = rng.normal(size=(3, 60, eq.system.nv))
    Y = r.evaluate(q, v, a, p).reshape(-1, r.Y.shape[1])
    assert np.linalg.matrix_rank(Y) == r.rank == np.linalg.matrix_rank(Y[:, r.kept])
    zeros = [r.parameters.index(n) for n in r.zero]
    assert abs(Y[:, zeros]).max() == 0


def test_moving_a_parameter_along_its_group_changes_nothing():
    """Take link2.Iyy away and give it back through the combinations: the efforts are the same."""
    rng = np.random.default_rng(7)
    eq = equations(ROBOTS.puma3())
    q, v, a = zoo.state(eq.system, rng)
    p = {n: float(x) for n, x in zip(eq.parameters, rng.uniform(0.5, 2, 99), strict=False)}
    moved = p | {"Iyy2": 0.0, "Izz1": p["Izz1"] + p["Iyy2"], "Ixx2": p["Ixx2"] - p["Iyy2"]}
    zoo.close(eq.evaluate(q, v, a, moved), eq.evaluate(q, v, a, p), 400)
