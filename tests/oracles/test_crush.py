"""Crushing links against closed forms, and against a return mapping written here on its own."""

import numpy as np
import pytest
import zoo

import torseur as ts

LDV = ((0.02, 0), (0.05, 150e3), (0.15, 225e3), (0.20, 125e3), (0.45, 200e3), (0.50, 500e3))
TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def block(law, mass=1.0, **more):
    return ts.Model(
        "block",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", mass),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("f", "x", law),),
        **more,
    )


def stroke(law, text, t_end, rows=401, **more):
    """The law along a given motion."""
    model = block(law, constraints=(ts.Driven("stroke", "x.displacement", text),))
    return ts.simulate(model, t_end, output=np.linspace(0, t_end, rows), **TIGHT, **more)


def closes(run, rel=1e-8):
    """Energy of the whole run, events included, to a part of what is in play."""
    total = run["energy.kinetic"] + run["energy.potential"] + run["energy.dissipated"]
    total = total - run["energy.supplied"]
    play = max(abs(run["energy.kinetic"]).max(), abs(run["energy.dissipated"]).max())
    assert abs(total - total[0]).max() <= rel * play


class Mapped:
    """A one-sided link by return mapping: largest crush and the path of unloading from it."""

    def __init__(self, points, retreat, beyond=0.0):
        self.d, self.F = np.array(points, dtype=float).T
        self.retreat, self.beyond, self.most = retreat, beyond, self.d[0]

    def curve(self, d):
        past = self.beyond * max(0.0, d - self.d[-1])
        return float(np.interp(d, self.d, self.F)) + past

    def __call__(self, d):
        self.most = max(self.most, d)
        if self.most <= self.d[0]:
            return 0.0
        top = self.curve(self.most)
        return top - self.retreat(self.most - d, top, self.most)


def slope(k):
    """Force given up over a retreat, with one slope."""
    return lambda back, top, most: min(top, k(most) * back if callable(k) else k * back)


def two_slopes(k1, k2, share):
    def retreat(back, top, most):
        first = (1 - share) * top / k1
        return min(top, k1 * back if back < first else (1 - share) * top + k2 * (back - first))

    return retreat


def shifted(points):
    u, F = np.array(points, dtype=float).T
    F = np.append(F, F[-1] + 1e3 * (F[-1] - F[-2]))
    u = np.append(u, u[-1] + 1e3 * (u[-1] - u[-2]))

    def retreat(back, top, most):
        at = np.interp(top, F, u) - back
        return top - (np.interp(at, u, F) if at > 0 else 0.0)

    return retreat


SMALL = ((0.0, 0.0), (0.02, 3e3), (0.05, 1e3), (0.08, 4e3))
TABLE = ((0.01, 4e5), (0.06, 9e5))
PATH = ((0.0, 0.0), (0.003, 600.0), (0.005, 2e3), (0.006, 3e3))
WAY = "0.09*sin(pi*t/2)*sin(9*t)**2 - 0.01*t"
LINKS = {
    "slope": (ts.Crush(SMALL, 8e5, 5e4), Mapped(SMALL, slope(8e5), 5e4)),
    "table": (
        ts.Crush(SMALL, TABLE, 5e4),
        Mapped(SMALL, slope(lambda d: np.interp(d, *np.array(TABLE).T)), 5e4),
    ),
    "second": (
        ts.Crush(SMALL, 8e5, 5e4, second_slope=2e5, second_below=0.4),
        Mapped(SMALL, two_slopes(8e5, 2e5, 0.4), 5e4),
    ),
    "curve": (
        ts.Crush(SMALL, beyond=5e4, unloading_curve=PATH),
        Mapped(SMALL, shifted(PATH), 5e4),
    ),
}


@pytest.mark.parametrize("kind", LINKS)
def test_a_rough_stroke_gives_the_forces_of_a_return_mapping(kind):
    law, mapped = LINKS[kind]
    run = stroke(law, WAY, 2.0)
    t = np.union1d(np.linspace(0, 2.0, 16_001), run.time)
    way = 0.09 * np.sin(np.pi * t / 2) * np.sin(9 * t) ** 2 - 0.01 * t
    want = np.array([mapped(d) for d in way])[np.searchsorted(t, run.time)]
    assert run["f.force"].min() >= -1e-6
    np.testing.assert_allclose(run["f.force"], want, atol=0.5)  # the grid misses a little crush
    assert run["f.largest"][-1] == pytest.approx(mapped.most, abs=1e-6)
    work = np.concatenate([[0], np.cumsum(np.diff(way) * 0.5 * (want_all(law, kind, way)))])
    held = run["f.energy.stored"] + run["f.energy.dissipated"]
    np.testing.assert_allclose(held, work[np.searchsorted(t, run.time)], atol=5e-3)
    assert np.diff(run["f.energy.dissipated"]).min() >= -1e-7
    closes(run)


@pytest.mark.parametrize("kind", LINKS)
@pytest.mark.parametrize("knot", zoo.few([0.02, 0.05, 0.08], 0.05))
def test_a_stroke_that_turns_where_a_segment_ends_unloads(kind, knot):
    """Twice: the second stroke climbs to the same knot and turns there again."""
    law, mapped = LINKS[kind][0], Mapped(SMALL, LINKS[kind][1].retreat, 5e4)
    run = stroke(law, f"{knot}*sin(pi*t)**2", 2.0)
    t = np.union1d(np.linspace(0, 2.0, 4001), run.time)
    want = np.array([mapped(d) for d in knot * np.sin(np.pi * t) ** 2])
    np.testing.assert_allclose(run["f.force"], want[np.searchsorted(t, run.time)], atol=0.5)
    closes(run)


def want_all(law, kind, way):
    """Twice the mean force of every interval of the grid."""
    mapped = Mapped(SMALL, LINKS[kind][1].retreat, 5e4)
    F = np.array([mapped(d) for d in way])
    return F[1:] + F[:-1]


def test_cr2_two_vehicles():
    law = ts.Crush(LDV, 2e7, 6e6, sense="compression", free_length=0)
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("a", 1000.0), ts.Body("b", 1500.0)),
        joints=(
            ts.Joint("a", "world", "a", ts.Prismatic("x")),
            ts.Joint("b", "world", "b", ts.Prismatic("x")),
        ),
        forces=(ts.CoordinateForce("link", {"b.displacement": 1, "a.displacement": -1}, law),),
    )
    run = ts.simulate(model, 0.1, {"a.speed": 15.0, "b.speed": -10.0}, **TIGHT)
    assert run["link.largest"][-1] == pytest.approx(0.6170482471, abs=1e-9)
    assert abs(run["link.force"]).max() == pytest.approx(1202289.482612, rel=1e-9)
    assert run["a.speed"][-1] == pytest.approx(-6.5852107028, rel=1e-9)
    assert run["b.speed"][-1] == pytest.approx(4.3901404685, rel=1e-9)
    assert run["link.energy.dissipated"][-1] == pytest.approx(151362.5, rel=1e-6)
    closes(run)


def test_cr4_kinematic_hardening():
    k, Y, H = 2e6, 4e4, 1e5
    run = stroke(ts.KinematicHardening(k, Y, H), "0.1*sin(2*pi*t)", 1.25, rows=501)
    at = {t: int(np.argmin(abs(run.time - t))) for t in (0.25, 0.75, 1.25)}
    for t, want in ((0.25, 48000), (0.75, -48000), (1.25, 48000)):
        assert run["f.force"][at[t]] == pytest.approx(want, rel=1e-9)
    lost = run["f.energy.dissipated"]
    assert lost[at[1.25]] - lost[at[0.25]] == pytest.approx(12160, rel=1e-8)
    assert run["f.set"][at[0.25]] == pytest.approx(0.1 - 48000 / k, rel=1e-9)
    closes(run)


def test_cr5_two_elastic_slopes():
    law = ts.Crush(((0, 0), (0.2, 2e5)), 4e6, second_slope=1e6, second_below=0.5)
    run = stroke(law, "0.2*sin(pi*t)", 1.0)
    assert run["f.set"][-1] == pytest.approx(0.075, rel=1e-9)
    assert run["f.energy.dissipated"][-1] == pytest.approx(11250, rel=1e-9)
    assert run["f.force"].max() == pytest.approx(2e5, rel=1e-9)
    assert run["f.energy.stored"].max() == pytest.approx(8750, rel=1e-9)
    closes(run)


def test_a_gap_delays_and_moves_the_crush():
    free, late = (
        ts.simulate(
            block(ts.Crush(((0, 0), (1, 1e4)), 1e5, gap=gap)), 0.06, {"x.speed": 2.0}, **TIGHT
        )
        for gap in (0.0, 0.02)
    )
    top = [r.time[np.argmax(r["x.displacement"])] for r in (free, late)]
    assert top[0] == pytest.approx(np.pi / 200, rel=1e-8)
    assert top[1] == pytest.approx(0.01 + np.pi / 200, rel=1e-8)
    assert late["f.deflection"].max() == pytest.approx(0.02, rel=1e-9)
    assert late["x.speed"][-1] == pytest.approx(-2.0 * np.sqrt(0.1), rel=1e-9)  # sqrt(k / ku)


def test_tension_has_a_history_of_its_own():
    """Mirrored: pressed first, then pulled, then pressed again; each side remembers its own."""
    law = ts.Crush(((0, 0), (0.008, 12e3), (0.05, 18e3)), 3e6, tension="mirror")
    run = stroke(law, "0.03*sin(2*pi*t)*(1 + t)", 2.0, rows=801)
    sides = [Mapped(law.points, slope(3e6)), Mapped(law.points, slope(3e6))]
    t = np.union1d(np.linspace(0, 2.0, 16_001), run.time)
    way = 0.03 * np.sin(2 * np.pi * t) * (1 + t)
    want = np.array([sides[0](d) - sides[1](-d) for d in way])[np.searchsorted(t, run.time)]
    np.testing.assert_allclose(run["f.force"], want, atol=2.0)
    closes(run)


def test_tension_by_points_of_its_own():
    law = ts.Crush(((0, 0), (0.1, 1e3)), 1e5, gap=0.01, tension=((0.02, 0), (0.1, 4e3)))
    run = stroke(law, "-0.05*sin(pi*t/2)", 1.0)
    assert run["f.force"][-1] == pytest.approx(-5e4 * 0.03, rel=1e-9)
    assert run["f.state"][-1] == 1


@pytest.mark.parametrize(
    "limit", [{"rupture": 0.03}, {"rupture_force": 300.0}, {"rupture_energy": 4.5}]
)
def test_rupture_is_located_and_for_ever(limit):
    """1 kg at 4 m/s tears a link of 1e4 N/m at 0.03 m: 300 N, 4.5 J taken, 0.45 J of it stored."""
    law = ts.Crush(((0, 0), (1, 1e4)), 1e5, **limit)
    run = ts.simulate(block(law), 0.05, {"x.speed": 4.0}, **TIGHT)
    (event,) = (e for e in run.events if "torn" in e.name)
    assert event.name == "f: torn"
    assert event.time == pytest.approx(np.arcsin(0.03 * 100 / 4.0) / 100, rel=1e-9)
    after = run.time > event.time
    assert not run["f.force"][after].any() and (run["f.state"][after] == 3).all()
    assert run["x.speed"][-1] == pytest.approx(np.sqrt(16 - 9), rel=1e-9)
    assert run["f.energy.torn"][-1] == pytest.approx(0.45, rel=1e-9)
    assert run["f.energy.dissipated"][-1] == pytest.approx(4.5, rel=1e-9)
    assert run["f.energy.stored"][-1] == 0
    assert run["f.largest"][-1] == pytest.approx(0.03, rel=1e-9)
    closes(run)


def test_a_torn_link_stays_torn_in_the_run_that_goes_on():
    law = ts.Crush(((0, 0), (1, 1e4)), 1e5, tension="mirror", rupture=0.03)
    first = ts.simulate(block(law), 0.02, {"x.speed": 4.0})
    then = ts.simulate(block(law), 0.02, first.final)
    assert (then["f.state"] == 3).all() and not then["f.force"].any()


def test_a_rate_factor_in_loading_only_brings_no_energy():
    both, loading = (
        ts.simulate(
            block(ts.Crush(LDV, 2e7, 6e6, rate="1 + 0.016*rate", rate_acts=acts), 1000.0),
            0.1,
            {"x.speed": 50 / 3.6},
            **TIGHT,
        )
        for acts in ("both", "loading")
    )
    assert both["x.displacement"].max() == pytest.approx(0.492262047, abs=1e-9)  # CR1
    assert loading["x.displacement"].max() == pytest.approx(0.492262047, abs=1e-9)
    assert both["x.speed"][-1] == pytest.approx(-3.262334132, abs=2e-9)
    F = loading["f.force"][np.argmax(loading["x.displacement"])]
    assert loading["x.speed"][-1] == pytest.approx(-np.sqrt(F * F / 2e7 / 1000), rel=1e-8)
    assert np.diff(loading["f.energy.dissipated"]).min() >= -1e-6
    for run in (both, loading):
        plastic = run["f.energy.dissipated"] - run["f.energy.dynamic"]
        assert plastic[-1] > 0 and run["f.energy.dynamic"].max() > 1e3
        closes(run)


def test_damping_acts_while_the_crush_grows():
    """k = 1e4, c = 120, m = 1: damped wave up to the turn, then the slope of unloading alone."""
    run = ts.simulate(
        block(ts.Crush(((0, 0), (1, 1e4)), 1e5, damping=120.0)), 0.05, {"x.speed": 2.0}, **TIGHT
    )
    a, w = 60.0, 80.0
    top = np.arctan2(w, a) / w
    d = 2.0 / w * np.exp(-a * top) * np.sin(w * top)
    assert run["f.largest"][-1] == pytest.approx(d, rel=1e-9)
    assert run["x.speed"][-1] == pytest.approx(-1e4 * d / np.sqrt(1e5), rel=1e-9)
    assert run["f.force"].min() >= -1e-6
    assert run["f.energy.dynamic"][-1] == pytest.approx(2.0 - 5e3 * d * d, rel=1e-8)
    closes(run)


def test_series_of_metal_and_spring_has_one_force():
    """A spring of 4e4 N/m before a link that falls and climbs: against a bisection of the split."""
    metal = ts.Crush(SMALL, 8e5, 5e4)
    run = stroke(ts.Series(ts.Spring(1e5), metal), "0.12*sin(pi*t)", 1.0, rows=201)
    mapped, t = Mapped(SMALL, slope(8e5), 5e4), np.linspace(0, 1.0, 1001)
    want, at = [], 0.0
    for x in 0.12 * np.sin(np.pi * t):
        low, high = -0.1, 0.2  # of the metal

        kept = mapped.most
        for _ in range(50):
            middle = 0.5 * (low + high)
            off, mapped.most = mapped(middle) - 1e5 * (x - middle), kept
            low, high = (low, middle) if off > 0 else (middle, high)
        want.append(mapped(high))
        at = high
    got = run["f.force"][np.searchsorted(run.time, np.linspace(0, 1, 201))]
    np.testing.assert_allclose(got, np.array(want)[::5], atol=6.0)
    np.testing.assert_allclose(run["f.1.deflection"] * 1e5, run["f.force"], atol=1e-6)
    assert run["f.2.deflection"][-1] == pytest.approx(at, abs=1e-5)
    closes(run)


def test_series_of_two_gaps_opens_one_after_the_other():
    soft, hard = ts.Crush(((0.01, 0), (1, 99.0)), 1e3), ts.Crush(((0.02, 0), (1, 980.0)), 1e4)
    run = stroke(ts.Series(soft, hard), "0.1*sin(pi*t/2)", 1.0)
    assert run["f.force"][-1] == pytest.approx(0.07 / (1 / 100 + 1 / 1000), rel=1e-9)
    closes(run)


@pytest.mark.parametrize(
    "law, text",
    [
        (ts.Crush(((0, 0), (0.1, -5.0)), 1e5), "has the negative force -5 N at 0.1 m"),
        (ts.Crush(((0, 0), (0.1, 5.0)), 1e5, beyond=-10), "falls by 10 N/m beyond its last point"),
        (
            ts.Crush(((0, 0), (0.1, 50.0), (0.2, 10.0)), 1e5, beyond="extend"),
            "falls by 400 N/m beyond its last point",
        ),
        (ts.Crush(((0, 0), (0.1, 5.0))), "needs unloading="),
        (ts.Crush(((0, 0), (0.1, 5.0)), 1e5, tension="both"), "tension='both': expected 'none'"),
        (ts.Crush(((0, 0), (0.1, 5.0)), 1e5, tension=((0, 0), (0.1, -1))), "tension: has the nega"),
        (ts.Crush(((0, 0), (0.1, 5.0)), 1e5, rupture=0), "needs rupture above zero, got 0"),
        (ts.Crush(((0, 0), (0.1, 5.0)), 1e5, rate="1 +"), "rate='1 +': cannot read"),
        (ts.Crush(((0, 0), (0.1, 5.0)), 1e5, rate="1.2"), "does not depend on rate"),
        (ts.Crush(((0, 0), (0.1, 5.0)), 1e5, rate_acts="never"), "rate_acts='never': expected"),
        (
            ts.Crush(((0, 0), (0.1, 5e3)), 1e5, second_slope=1e4, second_below=1.5),
            "needs second_below between 0 and 1",
        ),
        (ts.Crush(((0, 0), (0.1, 5e3)), ((0, 1e6), (0.1, 1e4))), "give back more than it took"),
        (
            ts.Crush(((0, 0), (0.1, 5e3)), unloading_curve=((0, 0), (0.2, 1e4))),
            "give back more than it took",
        ),
        (ts.Series(ts.Spring(10.0)), "needs at least two laws"),
        (ts.Series(ts.Spring(10.0), ts.Viscous(1.0)), "2 (Viscous) cannot be in a Series"),
        (ts.Series(ts.Spring(1e3), ts.Crush(SMALL, 8e5)), "snaps: its law 2 falls by"),
        (ts.KinematicHardening(1e3, 10.0, 1e3), "not less than its stiffness"),
    ],
)
def test_what_cannot_be_is_told(law, text):
    with pytest.raises(ts.ModelError) as caught:
        block(law).check()
    assert text in str(caught.value), caught.value
