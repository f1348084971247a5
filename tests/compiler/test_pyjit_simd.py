"""Text in lanes gives each lane what the same text gives alone: branches, loops, early ends."""

from types import ModuleType

import numpy as np
import pytest

from torseur.compiler import Float64, Float64Array, Int64, Int64Array, Record, native, side_by_side
from torseur.errors import KernelError

TEXT = """
FEW = 3
TABLE = (0.5, 2.0, 3.0)


def odd(x, k):
    if k < 0:
        return -1.0
    for i in range(5):
        if i == k:
            continue
        x = x * 0.5 + TABLE[min(k, 2)] if x > 1.0 else x + 0.25
        if x > 6.0:
            break
        if x < -8.0:
            return x ** 2
    return x


def search(run, a):
    for j in range(run.n):
        if run.y[j] > a and not run.y[j] > 2.0 * a:
            return j
    return -1


def bump(run, j):
    run.count += 1
    run.y[j] = run.y[j] + abs(run.x)
    return run.count


def work(run: Pair, most):
    code, turns = 0, 0
    while run.x < 40.0 and turns < most:
        turns += 1
        k = search(run, run.x - 1.0)
        if k >= 0 and bump(run, k) > FEW or run.x < 0.0:
            run.x = odd(run.x, k) + max(run.y[k if k > 0 else 0], 0.1)
            continue
        run.x = run.x + 0.7
        if turns > 20:
            break
        code = int(run.x) + k
    run.out[run.at] = run.x
    return code
"""


class Pair(Record):
    n = Int64()
    x = Float64()
    count = Int64()
    at = Int64()
    y = Float64Array("n")
    size = Int64()
    out = Float64Array("size")
    spare = Int64Array("n")
    shared = frozenset({"n", "size", "out"})


def module(tmp_path, text):
    path = tmp_path / "text.py"
    path.write_text(text)
    made = ModuleType("text")
    made.__file__, made.Pair = str(path), Pair
    exec(compile("FEW = 3\nTABLE = (0.5, 2.0, 3.0)", "text", "exec"), made.__dict__)
    return made


def test_lanes_do_what_one_does(tmp_path):
    made = module(tmp_path, TEXT)
    outer = {"work": "ii->i"}
    (one,) = native((vars(made),), outer)
    (four,) = native((vars(made),), outer, 4)
    rng = np.random.default_rng(1)
    for _ in range(50):
        X, Y = rng.uniform(-6, 12, 4), rng.uniform(-5, 9, (3, 4))
        out, alone = np.zeros(4), np.zeros(4)
        many = side_by_side(Pair, 4)(
            n=3,
            x=X.copy(),
            count=np.zeros(4, np.int64),
            at=np.arange(4),
            y=Y.copy(),
            size=4,
            out=out,
            spare=np.zeros((3, 4), np.int64),
        )
        largest, codes = four(many.address, 30), []
        for j in range(4):
            y = np.ascontiguousarray(Y[:, j])
            single = Pair(
                n=3, x=X[j], count=0, at=j, y=y, size=4, out=alone, spare=np.zeros(3, np.int64)
            )
            codes.append(one(single.address, 30))
            assert single.x == many.x[j] and single.count == many.count[j]
            assert (y == many.y[:, j]).all()
        assert largest == max(codes)
        assert (out == alone).all()


def test_what_all_lanes_share_is_not_written(tmp_path):
    made = module(tmp_path, "def work(run: Pair, most):\n    run.n = most\n    return 0\n")
    with pytest.raises(KernelError, match="shared"):
        native((vars(made),), {"work": "ii->i"}, 4)
