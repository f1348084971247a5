"""What calls answer is read in a console: arrays are shown by their shape, or in sentences."""

import dataclasses
import inspect
import re

import numpy as np
import pytest

import torseur as ts
from torseur import results
from torseur.views import PrintedAnswer

ROOMS = (ts, ts.identify, ts.robots, ts.crash, ts.studies, ts.solve, results, ts.vehicles)
WITH_ARRAYS = {
    c
    for room in ROOMS
    for name in dir(room)
    if inspect.isclass(c := getattr(room, name)) and dataclasses.is_dataclass(c)
    if any(re.search("ndarray|ArrayLike", str(f.type)) and f.repr for f in dataclasses.fields(c))
}


@pytest.mark.parametrize(
    "c", sorted(WITH_ARRAYS - {ts.integrate.Method}, key=str), ids=lambda c: c.__name__
)
def test_no_answer_prints_its_arrays(c):
    assert not hasattr(c.__repr__, "__wrapped__"), "make it a PrintedAnswer, with repr=False"


def test_an_answer_is_short():
    assert len(WITH_ARRAYS) > 15
    curve = ts.vehicles.SuspensionReport(*np.zeros((13, 100)))
    assert issubclass(ts.vehicles.SuspensionReport, PrintedAnswer) and repr(curve) == curve.table()
    many = ts.solve.ManyPoses(*np.zeros((3, 1000, 2, 6)), "closed form", True, ("a", "b"))
    assert repr(many).startswith("ManyPoses(q=array(1000 x 2 x 6), within_limits=array(1000")
