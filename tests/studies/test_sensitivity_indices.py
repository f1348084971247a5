"""Shares of a variance, by every design: of a sum their exact value is known."""

import numpy as np
import pytest

import torseur as ts
from torseur.studies import distributions, sampling, sensitivity_analysis

WEIGHTS = np.array([1.0, 2.0, 4.0])


@pytest.fixture(autouse=True)
def salib():
    pytest.importorskip("SALib")


def rows(design, count, n=3):
    one = distributions.Grid(0, 1, 4) if design == "grid" else distributions.Uniform(0, 1)
    return sampling.draw_samples({f"x{i}": one for i in range(n)}, design, count, 3)


@pytest.mark.parametrize("turn", (1, -1))
@pytest.mark.parametrize(
    ("design", "count", "error"),
    (("grid", None, 1e-12), ("saltelli", 128, 0.15), ("latin", 500, 0.15), ("sobol", 512, 0.15)),
)
def test_shares_of_a_sum(design, count, error, turn):
    columns = rows(design, count)
    y = sum(w * x for w, x in zip(WEIGHTS, columns.values(), strict=True))
    named = dict([*columns.items()][::turn])  # the order of columns is not that of the design
    for told in (design, ""):  # a store opened again does not know its design
        found = sensitivity_analysis.sensitivity_indices(named, y, 0, told)
        assert np.allclose(found["S1"][::turn], WEIGHTS**2 / sum(WEIGHTS**2), atol=error)


@pytest.mark.parametrize("n", (1, 2, 3))
def test_elementary_effects_are_of_the_number_that_changed(n):
    columns = rows("morris", 5, n)
    y = sum(w * x for w, x in zip(WEIGHTS, columns.values(), strict=False))
    found = sensitivity_analysis.sensitivity_indices(columns, y, 0, "morris")
    assert np.allclose(found["mu"], WEIGHTS[:n]) and np.allclose(found["sigma"], 0, atol=1e-12)


def test_a_number_without_influence_has_no_share_of_a_grid():
    a, b = np.repeat(np.arange(3.0), 30), np.tile(np.arange(30.0), 3)
    found = sensitivity_analysis.sensitivity_indices({"a": a, "b": b}, b**2 + 0.0 * a, 0, "grid")
    assert np.allclose(found["S1"], [0, 1], atol=1e-14)
    found = sensitivity_analysis.sensitivity_indices(
        {"a": a, "b": b}, a * b, 0, "list"
    )  # alone and with the other
    assert (found["ST"] > found["S1"]).all()


def test_shares_that_rows_do_not_tell_are_refused():
    x = np.linspace(0, 1, 60)
    draw = np.random.default_rng(0).random(60)
    for given, y, told in (
        ({"a": x[:30], "b": draw[:30]}, x[:30], "30 members are too few for indices"),
        ({"a": x, "b": x + 0.1 * draw}, x, "'a' and 'b' are correlated"),
        ({"a": x, "b": draw}, 0 * x + 3.0, "the same in every member"),
    ):
        with pytest.raises(ts.ArgumentError, match=told):
            sensitivity_analysis.sensitivity_indices(given, y, 0, "list")
