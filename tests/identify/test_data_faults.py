"""Mistakes of records and of conventions: refused in a sentence, mended, or named."""

import numpy as np
import pytest

import torseur as ts
from torseur.identify import robot

FRICTION = ("coulomb", "viscous")
TIME = np.arange(0, 6, 0.005)


def arm() -> ts.Model:
    rows = [(0, 0, 0, 0.3), ("-pi/2", 0, 0, 0), (0, 0.4, 0, 0)]
    each = {"com": (0.1, 0.02, 0.01), "inertia": (0.03, 0.04, 0.05, 0, 0, 0)}
    return ts.from_dh(
        rows, [ts.Body(f"b{i}", 3.0 - i, **each) for i in range(3)], convention="modified"
    )


def record(model: ts.Model, big: float = 1.0) -> dict[str, np.ndarray]:
    """Time, states and efforts of a motion with friction and a little noise."""
    rng, n = np.random.default_rng(5), model.check().nv
    w, size = rng.uniform(1, 4, (4, n)), big * rng.uniform(0.1, 0.4, (4, n))
    turn = w * TIME[:, None, None] + rng.uniform(0, 6, (4, n))
    waves = (np.sin(turn), w * np.cos(turn), -(w**2) * np.sin(turn))
    q, v, a = ((size * x).sum(axis=1) for x in waves)
    tau = ts.compile(model).inverse_dynamics(q, v, a) + 0.4 * np.tanh(v / 0.05) + 0.2 * v
    return {"time": TIME, "q": q, "v": v, "a": a, "tau": tau + 0.01 * rng.normal(size=v.shape)}


def fitted(model, data, names=("time", "q", "tau"), **how):
    return robot(model, {n: data[n] for n in names}, **{"friction": FRICTION} | how)


def changed(name, f):
    """A record with one array changed."""
    return lambda data: data | {name: f(data[name].copy())}


def put(place, x):
    def at(array):
        array[place] = x
        return array

    return at


STATES = ("q", "v", "a", "tau")
MOVED = ("time", "q", "tau")


@pytest.mark.parametrize(
    "spoil, names, said",
    [
        (changed("tau", lambda x: x[:-1]), MOVED, "tau has 1199; one a sample"),
        (changed("q", lambda x: x[:, :2]), MOVED, r"q has shape \(1200, 2\), expected \(1200, 3\)"),
        (changed("q", lambda x: x + 0j), MOVED, "expected an array of numbers"),
        (changed("q", lambda x: "q"), MOVED, "q is 'q': expected an array of numbers"),
        (changed("tau", lambda x: None), MOVED, "tau is None: expected an array of numbers"),
        (changed("tau", lambda x: 0 * x), MOVED, "every effort is zero"),
        (changed("time", lambda x: 8 * x), MOVED, "a third of the sampling rate, 8.333 Hz"),
        (changed("time", lambda x: 1e3 * x), MOVED, "5 s apart: are they in seconds?"),
        (lambda data: {n: x[:0] for n, x in data.items()}, MOVED, "no rows"),
        (
            lambda data: data | {"torques": data["tau"]},
            ("time", "q", "torques"),
            "torques, but no tau",
        ),
        (changed("q", put((700, 0), 3.0)), MOVED, r"q1 \(joint1.angle\) goes from .* in row 701"),
        (changed("tau", put((700, 1), 500.0)), MOVED, r"tau2 \(joint2\) is 500 in row 701"),
        (
            changed("v", np.degrees),
            STATES,
            r"v1 \(joint1.rate\) is 57.3 times the rate of q1",
        ),
        (changed("a", lambda x: -x), STATES, "times the rate of v1: other units, or another sign"),
        (changed("v", np.degrees), ("time", "q", "v", "tau"), "57.3 times the rate of q3"),
        (changed("a", lambda x: x * [1, 1, -1]), ("time", *STATES), "a3 .* is -1 times"),
    ],
)
def test_records_of_no_motion_are_told(spoil, names, said):
    model = arm()
    with pytest.raises(ts.ArgumentError, match=said):
        fitted(model, spoil(record(model)), names)


def test_angles_wrapped_at_a_turn_are_made_whole():
    model = arm()
    data = record(model, 3.5)
    assert np.ptp(data["q"]) > 2 * np.pi
    whole = fitted(model, data, consistent=False)
    wrapped = (data["q"] + np.pi) % (2 * np.pi) - np.pi
    again = fitted(model, data | {"q": wrapped}, consistent=False)
    np.testing.assert_allclose(again.estimate.beta, whole.estimate.beta, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    "spoil, said",
    [
        (changed("q", np.degrees), "with angles read in degrees"),
        (changed("tau", lambda x: -x), "the other sign?"),
        (changed("tau", lambda x: x * [1, -1, 1]), "the other sign of the effort of 'joint2'"),
        (changed("q", lambda x: x * [1, -1, 1]), "the other sign of the coordinate of 'joint2'"),
        (changed("q", lambda x: x + [0, np.pi / 2, 0]), "-90 deg added to the angle of 'joint2'"),
        (changed("tau", lambda x: x[:, [1, 0, 2]]), "efforts of 'joint1' and 'joint2' swapped"),
        (changed("q", lambda x: x[:, ::-1]), "coordinates of 'joint1' and 'joint3' swapped"),
        (lambda data: data, ""),
    ],
)
@pytest.mark.parametrize("consistent", [True, False])
def test_other_conventions_are_named(spoil, said, consistent):
    """Without a word parameters were up to ten thousand sigmas off."""
    model = arm()
    found = fitted(model, spoil(record(model)), consistent=consistent)
    assert bool(found.diagnostics) == bool(said)
    assert said in str(found) and said in " ".join(found.diagnostics)


def test_friction_that_drives_is_named():
    model = arm()
    data = record(model)
    tau = data["tau"] - 0.8 * data["v"] * [0, 1, 0]
    found = fitted(model, data | {"tau": tau}, consistent=False)
    assert found.diagnostics == (
        "joint2.viscous below zero: friction that drives; is it the other sign?",
    )


def test_what_is_asked_of_a_fit_is_checked():
    model = arm()
    data = record(model)
    found = fitted(model, data, cutoff="10 Hz")
    assert found.cutoff == 10
    q, v, a = (data[n] for n in ("q", "v", "a"))
    np.testing.assert_allclose(
        found.predict(q[0], v[0], a[0]), found.predict(q, v, a, filtered=False)[0]
    )
    for bad, said in (((q[:, :2], v, a), r"q has shape"), ((q, v[1:], a), "v has 1199")):
        with pytest.raises(ts.ArgumentError, match=f"predict: .*{said}"):
            found.predict(*bad)
    for folds, said in ((1, "a whole number, 2 or more"), (1000, "at most 73, 8 samples each")):
        with pytest.raises(ts.ArgumentError, match=said):
            found.cross_validate(folds)


@pytest.mark.parametrize("flag", ["consistent", "stiffness", "gains", "rotors"])
def test_flags_are_no_words(flag):
    model = arm()
    with pytest.raises(ts.ArgumentError, match=f"{flag}='no': expected True or False"):
        fitted(model, record(model), **{flag: "no"})


def test_efforts_that_stay_the_same_have_errors_of_their_size():
    model = arm()
    still = np.zeros((1200, 3)) + 0.3
    tau = ts.compile(model).inverse_dynamics(still, 0 * still, 0 * still)
    assert fitted(model, {"time": TIME, "q": still, "tau": tau}).errors().max() < 1e-5


def test_poses_that_are_none_are_told():
    table = ts.DHTable([(0, 0, 0, 0.5), ("pi/2", 0.1, 0, 0)], "modified")
    q, T = np.zeros((4, 2)), np.tile(np.diag([1.0, 1, -1, 1]), (4, 1, 1))
    with pytest.raises(
        ts.ArgumentError, match=r"no pose in row 1 \(4 such rows\): its 3 x 3 is no"
    ):
        ts.identify.calibrate(table, q, T)
    with pytest.raises(ts.ArgumentError, match="no poses were measured"):
        ts.identify.calibrate(table, q[:0], T[:0])
