"""Thinning of curves (largest triangle three buckets, Steinarsson 2013) and packed columns."""

import base64
import zlib

import numpy as np
import pytest

from torseur.results import Trajectory
from torseur.show.signal_packing import decimate_rows, pack_columns, pack_signals


def triangle_area(a, b, c) -> float:
    return 0.5 * abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))


def thin_by_triangles(time, guides, count):
    """Largest triangle three buckets, point by point; areas of several guides are added.

    Each guide is divided by its range.  `len(time) - 2` is a multiple of `count - 2`.
    """
    width, rest = divmod(len(time) - 2, count - 2)
    assert rest == 0
    guides = [np.asarray(g) / (max(g) - min(g)) for g in guides]
    kept = [0]
    for k in range(count - 2):
        bucket = range(1 + k * width, 1 + (k + 1) * width)
        after = range(bucket.stop, min(bucket.stop + width, len(time)))
        if k == count - 3:
            after = [len(time) - 1]

        def area(i, after=after):
            total = 0.0
            for g in guides:
                mean = (
                    sum(time[j] for j in after) / len(after),
                    sum(g[j] for j in after) / len(after),
                )
                total += triangle_area((time[kept[-1]], g[kept[-1]]), (time[i], g[i]), mean)
            return total

        kept.append(max(bucket, key=area))
    return [*kept, len(time) - 1]


def test_one_of_three_points_by_hand():
    """From (0, 0) to (4, 8): areas of (1, 3.5), (2, 4), (3, 5) are 3, 0 and 2."""
    points = [(0, 0), (1, 3.5), (2, 4), (3, 5), (4, 8)]
    assert [triangle_area(points[0], p, points[-1]) for p in points[1:4]] == [3, 0, 2]
    time, x = np.transpose(points)
    assert decimate_rows(time, [x], 3).tolist() == [0, 1, 4]


def test_two_of_four_points_by_hand():
    """Buckets {1, 2} and {3, 4} between (0, 0) and (5, 0).

    The mean of the second bucket is (3.5, 2): areas of (1, 1) and (2, 0.5) are 0.75 and 1.125.
    From (2, 0.5) to (5, 0), the areas of (3, 1.5) and (4, 2.5) are 1.75 and 3.5.  Other units,
    another origin and the other sign choose the same rows.
    """
    time, x = np.arange(6.0), np.array([0, 1, 0.5, 1.5, 2.5, 0])
    assert triangle_area((0, 0), (1, 1), (3.5, 2)) == 0.75
    assert triangle_area((0, 0), (2, 0.5), (3.5, 2)) == 1.125
    assert triangle_area((2, 0.5), (3, 1.5), (5, 0)) == 1.75
    assert triangle_area((2, 0.5), (4, 2.5), (5, 0)) == 3.5
    assert decimate_rows(time, [x], 4).tolist() == [0, 2, 4, 5]
    assert decimate_rows(1e3 + 1e-3 * time, [7 - 1e-6 * x], 4).tolist() == [0, 2, 4, 5]


@pytest.mark.parametrize("seed", range(6))
def test_rows_are_those_of_the_method_point_by_point(seed):
    rng = np.random.default_rng(seed)
    time = np.cumsum(rng.uniform(0.1, 2.0, 2 + 18 * (4 + seed)))
    scale = np.array([[1e-3], [40.0], [7e5]])[: 1 + seed % 3]
    guides = scale * np.cumsum(rng.normal(size=(len(scale), len(time))), axis=1)
    got = decimate_rows(time, [*guides, np.ones(len(time))], 20)
    assert got.tolist() == thin_by_triangles(time.tolist(), guides.tolist(), 20)


def test_few_rows_stay_and_the_ends_stay():
    time = np.linspace(0, 1, 50)
    assert decimate_rows(time, [time], 50).tolist() == list(range(50))
    for count in (3, 7, 49):
        rows = decimate_rows(time, [np.sin(30 * time)], count)
        assert (
            len(rows) == count and (np.diff(rows) > 0).all() and rows[[0, -1]].tolist() == [0, 49]
        )


def test_columns_of_a_page_are_floats_by_planes_of_bytes():
    values = np.array([[1.0, -2.5, 1e-9], [0.1, 3e8, np.inf]])
    planes = zlib.decompress(base64.b64decode(pack_columns(values)))
    size = values.size
    words = [bytes(planes[k * size + i] for k in range(4)) for i in range(size)]
    got = [np.frombuffer(word, "<f4")[0] for word in words]
    assert got == values.astype(np.float32).ravel().tolist()
    raw = pack_columns(values, 0)
    assert raw.startswith("f4:")
    assert np.frombuffer(base64.b64decode(raw[3:]), "<f4").tolist() == got


def test_a_signal_at_rest_is_one_number_and_a_moving_one_a_column():
    time = np.linspace(0, 2, 5)
    values = {"rest": np.full(5, 4.25), "moves": time**2, "gone": np.full(5, np.nan)}
    run = Trajectory(time, values, dict.fromkeys(values, "m") | {"moves": "rad"})
    got = pack_signals(run, list(values), level=0)
    assert got["signals"] == [
        {"name": "rest", "unit": "m", "value": 4.25},
        {"name": "moves", "unit": "rad", "column": 1},
        {"name": "gone", "unit": "m", "value": None},
    ]
    columns = np.frombuffer(base64.b64decode(got["columns"][3:]), "<f4").reshape(2, 5)
    assert columns[0] == pytest.approx(time) and columns[1] == pytest.approx(time**2)
    assert got["rows"] == got["all_rows"] == 5 and got["left_out"] == []
