"""Wherever a text with a unit is given for something whose unit is known, another unit is refused
and the right one converted: parameters by where they stand, spreads, limits, bounds, times."""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts


def block(**parameters):
    told = {"m": 2.0, "k": 40.0, "L": 0.1, "F": 1.0, "mu": 0.1} | parameters
    return ts.Model(
        "block",
        bodies=(ts.Body("b", "m", com=("L", 0, 0)),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x"), limits=(None, "3*L")),),
        forces=(
            ts.JointForce("f", "x", ts.Parallel(ts.Spring("k"), ts.Viscous(1.0))),
            ts.JointForce("t", "x", ts.Table(((0, 0), ("L", "F")))),
            ts.JointForce("s", "x", ts.Expression("mu*k*x")),
        ),
        parameters=told,
        initial={"x.speed": 1.0},
    )


BLOCK = block()
RIGHT = {"m": ("500 g", 0.5), "k": ("1 N/mm", 1e3), "L": ("5 cm", 0.05), "F": ("1 kN", 1e3)}
KEEP = {"top": ts.studies.Peak("x.speed"), "far": ts.studies.Final("x.displacement")}


@pytest.mark.parametrize("name", RIGHT)
def test_a_parameter_has_the_unit_of_where_it_stands(name, tmp_path):
    right, x = RIGHT[name]
    assert block(**{name: right}).parameters[name] == pytest.approx(x, rel=1e-15)
    ts.simulate(BLOCK, 0.0, parameters={name: right})
    for wrong in ("10 %", *(text for n, (text, _) in RIGHT.items() if n != name), "1 s"):
        for call in (
            lambda wrong=wrong: block(**{name: wrong}),
            lambda wrong=wrong: ts.simulate(BLOCK, 0.0, parameters={name: wrong}),
            lambda wrong=wrong: ts.batch(BLOCK, 0.01, {"x.speed": [1.0]}, parameters={name: wrong}),
            lambda wrong=wrong: ts.study(BLOCK, t_end=0.01, vary={name: [wrong]}, keep=KEEP),
        ):
            with pytest.raises(ts.TorseurError, match=f"{name}'.*expected a"):
                call()


def test_a_file_says_the_line_of_a_parameter_of_another_unit(tmp_path):
    BLOCK.save(tmp_path / "block.yaml")
    assert ts.load(tmp_path / "block.yaml").joints[0].limits == (None, "3*L")
    text = (tmp_path / "block.yaml").read_text(encoding="utf-8")
    assert "m: 2.0" in text
    (tmp_path / "wrong.yaml").write_text(text.replace("m: 2.0", "m: 2 N"), encoding="utf-8")
    with pytest.raises(ts.ModelError, match=r"wrong.yaml, line \d+: parameters.m: body 'b', mass"):
        ts.load(tmp_path / "wrong.yaml")
    (tmp_path / "right.yaml").write_text(text.replace("m: 2.0", "m: 2000 g"), encoding="utf-8")
    assert ts.load(tmp_path / "right.yaml").parameters["m"] == 2


def test_a_name_in_a_formula_or_of_an_element_tells_no_unit():
    assert float(block(mu="10 %").parameters["mu"]) == 0.1
    twin = replace(BLOCK, frames=(ts.Frame("m", "b"),), parameters={**BLOCK.parameters, "m": "2 N"})
    assert twin.parameters["m"] == 2  # `m` may be the name of the frame there


SMALL = ts.Model("small", bodies=(ts.Body("b", "m"),), joints=BLOCK.joints[:1],
                 forces=(ts.JointForce("f", "x", ts.Spring("k")),), initial={"x.speed": 1.0},
                 parameters={"m": 2.0, "k": 40.0, "L": 0.1})  # fmt: skip


def test_what_studies_are_told_has_the_unit_of_what_it_is_for():
    vary, more = {"m": ts.studies.Uniform(1, 2)}, {"t_end": 0.01, "engine": "lanes"}
    found = ts.study(SMALL, vary=vary, keep=KEEP, samples=2, **more)
    drawn = ts.studies.tolerances(SMALL, {"x.speed": 0.1}, KEEP["far"], t_end=0.01, samples=2)
    end = {"minimize": KEEP["far"], "t_end": 0.01, "samples": 2}
    spread = lambda x: ts.study(SMALL, vary={"m": x}, keep=KEEP, samples=2, **more)  # noqa: E731
    for call, right, wrong in (
        (lambda x: spread(ts.studies.Normal(1, x)), "100 g", "10 kN"),
        (lambda x: spread(ts.studies.Normal(1, x)), 0.1, "10 %"),
        (lambda x: spread(ts.studies.Uniform(x, 9)), "100 g", "90 %"),
        (lambda x: found.probability("top", above=x), "3 km/h", "3 kg"),
        (lambda x: drawn.inside(high=x), "3 mm", "3 kg"),
        (lambda x: ts.studies.tolerances(SMALL, {"m": x}, KEEP["far"], t_end=0.01), "10 g", "10 N"),
        (lambda x: ts.studies.tolerances(SMALL, {"k": x}, KEEP["far"], t_end=0.01), "1 N/m",
         "10 %"),
        (lambda x: ts.studies.optimize(SMALL, vary={"m": (x, 2)}, **end), "900 g", "1 N"),
        (lambda x: ts.studies.optimize(SMALL, vary={"k": (x, 2e9)}, **end), "1 N/m", "1 kg"),
        (lambda x: ts.studies.optimize(SMALL, vary={"k": (1, 2)}, **end,
                               subject_to={"a": (KEEP["top"], None, x)}), "9 km/h", "9 kg"),
        (lambda x: ts.study(SMALL, vary={"k": [1]}, keep={}, t_end=x), "10 ms", "5 kg"),
        (lambda x: ts.study(SMALL, vary={"k": [1]}, keep={}, t_end=0.01, step=x), "1 ms", "5 kg"),
    ):  # fmt: skip
        call(right)
        with pytest.raises(ts.TorseurError, match=r"expected a|in the unit of"):
            call(wrong)


def test_options_of_a_study_are_told_before_a_member_runs():
    for wrong, told in (
        ({"n": 3}, "no option is named 'n'"),
        ({"method": "dopri"}, "did you mean 'dopri5'"),
        ({"solution": "foo"}, "no solution is named 'foo'"),
        ({"initial": 3}, "expected a dictionary"),
        ({"t_start": 2.0}, "lies before the start"),
    ):
        with pytest.raises(ts.TorseurError, match=told):
            ts.study(SMALL, t_end=0.01, vary={"k": [1.0]}, keep=KEEP, engine="lanes", **wrong)


def test_an_optimum_beyond_its_limits_says_so():
    limit = {"a": (KEEP["top"], None, 0.1)}
    best = ts.studies.optimize(SMALL, t_end=0.01, vary={"k": (1, 2)}, minimize=KEEP["far"],
                               samples=2, subject_to=limit)  # fmt: skip
    assert not best.completed and "'a' is 1, above its limit 0.1" in str(best)
    assert np.isfinite(best.value)
