"""Metrics of pulses that jump: numbers of the curve itself, and their derivatives.

Closed forms of a pulse of time; every registered metric of a member that tears before a stop is
met, by differences of other runs; a rigid blow, which no acceleration shows, is refused.
"""

import numpy as np
import pytest

import torseur as ts
from torseur.crash.criteria.metric_value import G0
from torseur.model import field_paths
from torseur.results import Runs
from torseur.studies import METRICS

ALONG = "b.acceleration.x"
OPTIONS = {"hic": {"window": 0.036}, "thiv": {"forward": 0.1}, "phd": {"forward": 0.1},
           "olc": {"free": 0.03, "restraint": 0.05}}  # fmt: skip


def block(*laws):
    return ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 10.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=tuple(ts.JointForce(n, "x", x) for n, x in zip("fs", laws, strict=False)),
        initial={"x.speed": 14.0},
        simulation={"t_end": 0.06, "output": 301, "rtol": 1e-11, "atol": 1e-13},
    )


BEGINS, ENDS = 0.01033, 0.02047  # neither is a sample


@pytest.mark.parametrize("last", [5000.0, 3000.0])
def test_hic_of_a_pulse_by_its_closed_form(last):
    """All of a pulse that is short, a window from its highest edge on of one that falls."""
    first, span, window = 5000.0, ENDS - BEGINS, 0.008
    points = ((0, 0), (BEGINS, 0), (BEGINS, -first), (ENDS, -last), (ENDS, 0), (0.06, 0))
    run = ts.simulate(block(ts.TimeTable(points)), sensitivities=("b.mass", "f.points[2].force"))
    over = window if last < first else span
    own = ts.studies.Metric("hic", ALONG, window=window if last < first else 0.015)
    mean = first + (last - first) * over / span / 2
    want = (mean / 10 / G0) ** 2.5 * over
    assert own.evaluate_runs(Runs.of([run]))[0] == pytest.approx(want, rel=1e-8)
    assert run.sensitivity(own, "b.mass") == pytest.approx(-0.25 * want, rel=1e-7)
    slope = -2.5 * want / mean * (1 - over / span / 2)
    assert run.sensitivity(own, "f.points[2].force") == pytest.approx(slope, rel=1e-7)


def tearing():
    metal = ts.Crush(((0, 0), (0.02, 4000.0), (0.3, 9000.0)), 6e5, rupture=0.12)
    return block(metal, ts.Limits(-1.0, 0.18, stiffness=3e4, damping=300.0))


@pytest.mark.parametrize("name", ["f.rupture", "f.points[1].force", "s.high", "b.mass"])
def test_every_metric_of_a_curve_through_rupture_and_a_stop(name):
    """By small steps, and by steps that move the jumps from sample to sample."""
    model = tearing()
    named, found = field_paths.parametrize_paths(model, [name])
    system, value = named.check(), float(field_paths.read(model, name))
    run = ts.simulate(system, sensitivities=found[name])
    jumps = np.flatnonzero(np.diff(run.time) == 0)
    assert (abs(np.diff(run[ALONG])[jumps]) > 100).sum() == 2
    curves = [k for k, made in METRICS.items() if made.even and not made.counted]
    assert len(curves) >= 10
    for part, within in ((1e-5, 1e-6), (5e-3, 3e-3)):
        h = part * value
        others = Runs.of([
            ts.simulate(system, parameters={found[name]: value + k * h})
            for k in (-1, -0.5, 0.5, 1)
        ])  # fmt: skip
        for kind in curves:
            own = ts.studies.Metric(kind, ALONG, **OPTIONS.get(kind, {}))
            a, b, c, d = own.evaluate_runs(others)
            want, got = (8 * (c - b) - (d - a)) / (6 * h), run.sensitivity(own, found[name])
            assert abs(got - want) < within * max(abs(want), abs(b) / value), kind


def test_speeds_of_a_pulse_that_jumps_are_those_of_the_run():
    run = ts.simulate(tearing(), output=3001)
    lost = np.ptp(run["b.velocity.x"])
    (got,) = ts.studies.Metric("delta_v", ALONG).evaluate_runs(Runs.of([run]))
    assert got == pytest.approx(lost, rel=3e-5)


def test_a_rigid_blow_is_refused():
    model = block(ts.Spring(100.0), ts.Limits(-1.0, 0.18, restitution=0.4))
    run = ts.simulate(model, sensitivities="b.mass")
    many = Runs.of([run])
    (got,) = ts.studies.Metric("hic", ALONG).evaluate_runs(many)
    assert np.isnan(got)
    told = "a rigid impact changes 'b.velocity.x' by 19.5"
    assert (
        told in many.notes[0][0] and "give the stop or the contact a stiffness" in many.notes[0][0]
    )
    with pytest.raises(ts.ArgumentError, match=told):
        run.sensitivity(ts.studies.Metric("delta_v", ("b.body_acceleration.x",)), "b.mass")
    across = ts.studies.Metric("hic", "b.acceleration.y")
    assert across.evaluate_runs(Runs.of([run]))[0] == 0 and run.sensitivity(across, "b.mass") == 0


def test_a_rigid_blow_is_refused_of_turning_and_of_joints_of_several_speeds():
    """A ball that lands with friction is spun by its blow."""
    model = ts.Model(
        bodies=(ts.Body("b", 1.0, inertia=(0.01, 0.01, 0.01, 0, 0, 0)),),
        joints=(ts.Joint("fly", "world", "b", ts.Planar("y", "translation_first")),),
        constraints=(ts.Contact("c", "b", "world", "z", 0.1, restitution=0.5, friction=0.3),),
        initial={"fly.x": 0.3, "fly.speed_y": 1.0},
        simulation={"t_end": 0.3},
    )
    run = ts.simulate(model, sensitivities="b.mass")
    for signal, speed, unit in (
        ("b.angular_acceleration.y", "b.angular_velocity.y", "rad/s"),
        ("fly.acceleration.rate", "fly.rate", "rad/s"),
        ("fly.acceleration.speed_x", "fly.speed_x", "m/s"),
    ):
        with pytest.raises(
            ts.ArgumentError, match=rf"impact changes '{speed}' by [\d.]+ {unit} at"
        ):
            run.sensitivity(ts.studies.Metric("delta_v", signal), "b.mass")


STRUCK = {"x.acceleration": "x.speed", "b.acceleration.x": "b.velocity.x", "s.force": "x.speed",
          "s.power.dissipated": "x.speed", "x.reaction.force.z": "x.speed", "x.effort": "x.speed",
          "b.body_acceleration.x": "b.velocity.x"}  # fmt: skip
WHOLE = ("b.acceleration.y", "f.force", "x.speed", "b.angular_acceleration.z", "energy.kinetic")
MEASURES = [*(getattr(ts.studies, n) for n in ("Peak", "Mean", "RMS")), *METRICS]


@pytest.mark.parametrize("kind", MEASURES, ids=str)
def test_every_measure_of_whatever_holds_a_blow_is_refused(kind):
    """And of what holds none it is not: a signal across, an element that does not strike."""
    model = block(ts.Spring(100.0), ts.Limits(-1.0, 0.18, restitution=0.4))
    run = ts.simulate(model, sensitivities="b.mass", output=31)
    options = {"target": 1.0} if kind in METRICS and METRICS[kind].needs else {}
    for signal in (*STRUCK, *WHOLE):
        if kind in METRICS and METRICS[kind].speed:
            options = {"speed": 14.0}
        own = ts.studies.Metric(kind, signal, **options) if isinstance(kind, str) else kind(signal)
        many, told = Runs.of([run]), f"a rigid impact changes '{STRUCK.get(signal)}' by 19.5"
        (got,) = own.evaluate_runs(many)
        said = str(many.notes)
        if signal in STRUCK:
            assert (
                np.isnan(got) and told in said and f"{signal}' does not contain its impulse" in said
            ), signal
            if kind != "pulse_duration":
                with pytest.raises(ts.ArgumentError, match=told):
                    run.sensitivity(own, "b.mass")
        else:
            assert "rigid impact" not in said, signal
