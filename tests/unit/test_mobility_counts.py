"""n_b, I_s and n_q of mechanisms, counted by hand, and against the speeds of the tree."""

import pytest

import torseur as ts

PIN = ts.Revolute("y")


def bar(name):
    return ts.Body(name, 1.0, com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02, 0, 0, 0))


def four_bar(loop, **more) -> ts.Model:
    return ts.Model(
        "four-bar",
        bodies=[bar("crank"), bar("coupler"), bar("rocker"), *more.pop("bodies", ())],
        joints=[
            ts.Joint("A", "world", "crank", PIN),
            ts.Joint("B", "crank", "coupler", more.pop("B", PIN), at=(0.2, 0, 0)),
            ts.Joint("D", "world", "rocker", PIN, at=(0.7, 0, 0)),
            *more.pop("joints", ()),
        ],
        loops=[ts.Loop("C", "rocker", "coupler", loop, at=(0.5, 0, 0), child_at=(0.6, 0, 0))],
        **more,
    )


def report(model):
    return ts.mobility_report(model, {"A.angle": -1.0})


def test_four_pins_are_hyperstatic_of_degree_three():
    """3 bodies, 18 equations, 4 pins with 5 unknowns each: -2, and yet it moves."""
    m = report(four_bar(PIN))
    assert (m.n_b, m.I_s, m.n_q, m.mobility, m.redundancy) == (3, 20, -2, 1, 3)
    assert m.unknowns == (("A", 5), ("B", 5), ("D", 5), ("C", 5)) and not m.isostatic
    assert "n_b = 3 bodies, 6 n_b = 18 equations; I_s = 20 unknowns: A 5, B 5, D 5, C 5" in str(m)
    assert "n_q = 6 n_b - I_s = -2 counted, 1 by rank" in str(m)
    assert m.I_s - 6 * m.n_b + m.mobility == m.redundancy


def test_a_ball_and_a_cylinder_make_it_isostatic():
    """A textbook remedy: 5 + 5 + 4 + 3 unknowns."""
    m = report(four_bar(ts.Spherical(), B=ts.Cylindrical("y")))
    assert (m.n_b, m.I_s, m.n_q, m.mobility) == (3, 17, 1, 1)
    assert m.isostatic and "isostatic" in str(m)


def test_welds_constraints_rotors_and_curves_are_counted():
    """A welded tool brings 6 equations and 6 unknowns; a curve's parameter takes a row back."""
    model = four_bar(
        ts.Spherical(),
        bodies=(bar("tool"), bar("bead")),
        joints=(
            ts.Joint("weld", "rocker", "tool", ts.Weld(), at=(0.1, 0, 0)),
            ts.Joint("fly", "world", "bead", ts.Free()),
        ),
        constraints=[
            ts.PointOnCurve("wire", "bead", curve=("s", "s**2/5", 0)),
            ts.Driven("m", "A.angle", "t - 1"),
        ],
        rotors=[ts.Rotor("rotor", 0.1)],
    )
    near = {"A.angle": -1.0, "B.angle": 0.43, "D.angle": -1.75}
    m = ts.mobility_report(model, near, keep=("A.angle",))
    assert dict(m.unknowns) == {
        "A": 5, "B": 5, "D": 5, "weld": 6, "fly": 0, "C": 3, "wire": 2, "m": 1
    }  # fmt: skip
    assert (m.n_b, m.I_s, m.n_q) == (5, 27, 3) and m.rotors == ("rotor",)
    assert m.n_q == m.gruebler - len(m.rotors)
    assert m.mobility == 5  # three turns of the bead and its way along the wire, the rotor


@pytest.mark.parametrize("loop", [PIN, ts.Cylindrical("y"), ts.Spherical()])
def test_the_two_counts_agree(loop):
    m = report(four_bar(loop))
    assert m.n_q == m.gruebler
