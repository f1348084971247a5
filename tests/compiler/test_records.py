"""Records that native text reads by name do what Python does with the same text."""

import numpy as np
import pytest

from torseur.compiler import Float64, Float64Array, Int64, Int64Array, PointerArray, Record, native
from torseur.compiler.pyjit.function import translate_module
from torseur.compiler.pyjit.translate import check_constants
from torseur.errors import KernelError


class Base(Record):
    n = Int64("columns")
    t = Float64("a number")


class Sheet(Base):
    rows = Int64()
    x = Float64Array("n")
    K = Float64Array("rows", "n")
    order = Int64Array("n")
    tails = PointerArray(2)


def total(row, n):
    s = 0.0
    for j in range(n):
        s += row[j]
    return s


def work(sheet, i):
    """Numbers, items, rows, parts, and tables of addresses."""
    sheet.t += total(sheet.K[i], sheet.n) + sheet.K[i, 1] * sheet.x[sheet.order[0]]
    sheet.K[i, 0] = -sheet.t
    sheet.x[1] -= 2
    sheet.tails[0] = sheet.x[2:]
    tail = sheet.tails[0]
    tail[0] = 7
    sheet.rows = sheet.t > 3.0
    return sheet.K[i][0]


def outer(sheet: Sheet, i):
    return work(sheet, i)


def compiled():
    return native((globals(),), {"outer": "ii->f"})[0]


def sheet():
    return Sheet(
        n=3,
        rows=2,
        t=0.5,
        x=np.array([1.0, 2.0, 3.0]),
        K=np.arange(6.0).reshape(2, 3),
        order=np.array([2, 0, 1]),
        tails=np.zeros(2, dtype=np.int64),
    )


def test_fields_items_rows_and_parts():
    s = sheet()
    t = 0.5 + (3 + 4 + 5) + 4 * 3
    assert compiled()(s.address, 1) == s.K[1, 0] == -t
    assert (s.t, s.rows, s.n) == (t, 1, 3)
    np.testing.assert_array_equal(s.x, [1, 0, 7])
    np.testing.assert_array_equal(s.K, [[0, 1, 2], [-t, 4, 5]])


def test_fields_of_a_base_come_first():
    assert [f.place for f in Sheet.fields.values()] == list(range(len(Sheet.fields)))
    assert list(Sheet.fields)[:2] == ["n", "t"] and Base.fields["t"] is Sheet.fields["t"]


@pytest.mark.parametrize(
    "change, why",
    [
        ({"x": np.zeros(2)}, r"x: its shape is \(2,\), not \(3,\)"),
        ({"K": np.zeros((2, 4))}, r"K: its shape is \(2, 4\), not \(2, 3\)"),
        ({"x": np.zeros(3, dtype=int)}, "x: expected an array of 1 axes, C order, float64"),
        ({"K": np.zeros((3, 2)).T}, "K: expected an array of 2 axes"),
    ],
)
def test_an_array_that_does_not_fit_is_told(change, why):
    with pytest.raises(KernelError, match=why):
        s = sheet()
        for name, x in change.items():
            setattr(s, name, x)
        s.address  # noqa: B018 (looks at the sizes)


def test_what_is_missing_or_unknown_is_told():
    with pytest.raises(KernelError, match="Sheet: no array for 'x'"):
        Sheet(n=1).address  # noqa: B018
    with pytest.raises(KernelError, match="no field 'y'"):
        Sheet(y=1)


@pytest.mark.parametrize(
    "body, why",
    [
        ("return sheet.y", "line 2: no field 'y'"),
        ("sheet.x = sheet.x", "cannot store a value of kind 'F' in one of kind 'F'"),
        ("return sheet.x[0, 1]", "line 2: only arrays have items"),
        ("return sheet.t[0]", "line 2: only arrays have items"),
        ("return sheet.x[:2]", "line 2: slices of arrays have the form"),
    ],
)
def test_what_a_record_cannot_do_is_told(body, why):
    with pytest.raises(KernelError, match=why):
        translate_module(f"def f(sheet: Sheet):\n    {body}", globals(), {"f": "i->f"})


def test_a_name_means_one_thing_in_all_modules():
    with pytest.raises(KernelError, match="LOST is 1 in one module"):
        check_constants(({"LOST": 1}, {"LOST": 2.0}))
    with pytest.raises(KernelError, match="f is defined twice"):
        translate_module("def f():\n    return 1\n\ndef f():\n    return 2", {}, {"f": "->i"})
