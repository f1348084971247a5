"""What touches in one point stops with an event where that point is no longer one: EV.8, CO.19.

A ring that falls over, against the closed form of a body that turns about its contact or slides.
"""

import warnings

import numpy as np
import pytest
from scipy.integrate import quad
from zoo import mechanism

import torseur as ts
from torseur.constraints import constraint

M, R, J, G, LEAN, NEAR = 2.0, 0.3, 0.05, 9.81, 0.6, 1e-4
RING = ts.Body("ring", mass=M, inertia=(J, J, 0.1, 0, 0, 0))
FLY = ts.Joint("fly", "world", "ring", ts.Free())
TEXT, TUBE = "0.3*sqrt(x**2+y**2) + 0.05", "(sqrt(x**2+y**2)-0.3)**2 + z**2 - 0.05**2"
WAYS = {  # constraint, height of its tube, whether it slides
    "disc that rolls": (ts.Rolling("on", "ring", R, axis="z"), 0.0, False),
    "torus that rolls": (ts.RollingSurface("on", "ring", (R, 0.05)), 0.05, None),
    "torus that slides": (ts.RollingSurface("on", "ring", (R, 0.05), slips=True), 0.05, True),
    "support function": (ts.RollingSurface("on", "ring", TEXT, slips=True), 0.05, True),
    "implicit": (
        ts.RollingSurface("on", "ring", None, TUBE, (0, -0.32, -0.04), slips=True),
        0.05,
        True,
    ),
    "pair": (ts.RollingPair("on", "under", "ring", 0.2, (R, 0.05), slips=True), 0.05, None),
    "disc in contact": (ts.Contact("on", "ring", radius=R, axis="z"), 0.0, True),
    "torus in contact": (ts.Contact("on", "ring", shape=(R, 0.05)), 0.05, True),
    "rough disc": (ts.Contact("on", "ring", radius=R, axis="z", friction=5.0), 0.0, False),
}


def model(way):
    under = ts.Frame("under", "world", at=(0, 0, -0.2))
    return ts.Model(
        "m", bodies=(RING,), joints=(FLY,), frames=(under,), constraints=(WAYS[way][0],)
    )


def start(way, lean=LEAN):
    tube = WAYS[way][1]
    return {
        "fly.qw": np.cos(lean / 2),
        "fly.qx": np.sin(lean / 2),
        "fly.pz": R * np.sin(lean) + tube,
    }


def fallen(sliding):
    """Time to the angle NEAR: energy, from rest."""

    def slowness(a):
        I = J + M * (R * np.cos(a)) ** 2 if sliding else J + M * R**2
        return np.sqrt(I / (2 * M * G * R * (np.sin(LEAN) - np.sin(a))))

    return quad(lambda s: slowness(LEAN - s * s) * 2 * s, 0, np.sqrt(LEAN - NEAR))[0]


SAYS = "lies flat|is flat or hollow"
FAST = {"method": "rk4", "step": 0.003}


FEW = ("disc that rolls", "implicit", "disc in contact")
EACH = [pytest.param(x, marks=() if x in FEW else pytest.mark.slow) for x in WAYS]


@pytest.mark.parametrize("way", EACH)
def test_a_ring_that_falls_over_stops(way):
    keep = ["fly.qw", "fly.qx"]
    given = start(way) if way != "pair" else start(way) | {"fly.py": 0.25, "fly.pz": 0.2}
    run = ts.simulate(model(way), 0.6, given, keep=keep, rtol=1e-9)
    assert not run.completed and run.events[-1].time == run.time[-1] < 0.6
    assert (
        any(x in run.events[-1].name for x in SAYS.split("|"))
        and run.events[-1].name in run.outcome
    )
    assert "its contact is no single point any more" in run.outcome
    total = run["energy.kinetic"] + run["energy.potential"]
    if way != "rough disc":
        assert np.ptp(total) < 1e-7
    if (slides := WAYS[way][2]) is not None:
        assert run.time[-1] == pytest.approx(
            fallen(slides), rel=1e-4 if way in ("support function", "implicit") else 1e-7
        )


@pytest.mark.parametrize(
    "way", [pytest.param("disc that rolls", marks=pytest.mark.slow), "disc in contact"]
)
def test_also_with_fixed_steps_and_in_lanes(way):
    own, keep = start(way), ["fly.qw", "fly.qx"]
    run = ts.simulate(model(way), 0.6, own, keep=keep, **FAST)
    assert not run.completed and "lies flat" in run.outcome
    assert run.time[-1] == pytest.approx(fallen(WAYS[way][2]), abs=2e-3)
    many = ts.batch(model(way), 0.6, own | {"fly.wx": np.zeros(2)})
    for outcome, events in zip(many.outcomes, many.events, strict=True):
        assert "lies flat" in outcome and "no single point" in outcome
        assert events[-1].time == pytest.approx(fallen(WAYS[way][2]), rel=1e-6)
    assert not many.completed.any()


FLAT = ("disc that rolls", "torus that rolls", "disc in contact", "torus in contact", "implicit")


@pytest.mark.parametrize("way", FLAT)
def test_a_start_that_lies_flat_is_refused(way):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a sentence, and nothing from NumPy beside it
        with pytest.raises(ts.TorseurError, match="'on"):
            ts.simulate(model(way), 0.1, start(way, 0.0), keep=["fly.qw", "fly.qx"])
    with pytest.raises(ts.TorseurError, match=f"'on' ({SAYS})|has no value at the start"):
        ts.simulate(model(way), 0.1, start(way, 1e-6), keep=["fly.qw", "fly.qx"])


def test_a_disc_that_is_open_may_turn_over():
    """Thrown up it turns through the level position: no contact, no event."""
    given = start("disc in contact", 1.0) | {"fly.pz": 2.0, "fly.wx": -6.0}
    run = ts.simulate(model("disc in contact"), 0.4, given)
    assert run.completed and not run.events


def test_a_hollow_text_is_told():
    """A support function that is none: the point of contact would run backwards."""
    bad = ts.RollingSurface("on", "ring", "0.3 + 0.5*x*y*z")
    with pytest.raises(ts.TorseurError, match="not that of a convex body"):
        ts.simulate(
            ts.Model("m", bodies=(RING,), joints=(FLY,), constraints=(bad,)), 0.1, {"fly.pz": 0.3}
        )


@pytest.mark.parametrize("c", constraint.examples(), ids=lambda c: type(c).__name__)
def test_every_element_says_one_number_a_text(c):
    system = mechanism(constraints=(c,)).check()
    tree, q = system.floats(), system.neutral() + 0.1
    for e in (*system.held, *system.switched):
        values = e.edges(tree, q)
        assert len(values) == len(e.loses) and np.isfinite(np.array(values, float)).all()
    told = [g for g in system.layout.guards if g.ends]
    assert len(told) == sum(len(e.loses) for e in (*system.held, *system.switched))
