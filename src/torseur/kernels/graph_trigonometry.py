"""A graph whose sines and cosines of some coordinates are inputs."""

from __future__ import annotations

import math

import numpy as np

from ..scalars import Graph, vector


class TrigonometricGraph(Graph):
    """A graph that takes sines and cosines of some values as inputs."""

    def __init__(self, parameters=None):
        super().__init__(parameters)
        self.known: dict[int, tuple] = {}  # by identity of the value: it, cosine, sine

    def cos(self, x):
        return self.known[id(x)][1] if id(x) in self.known else super().cos(x)

    def sin(self, x):
        return self.known[id(x)][2] if id(x) in self.known else super().sin(x)

    def shifted(self, q, offsets):
        """`q + offsets`, the sines of a shifted angle by those of the angle itself.

        A sum would lose what is left of a huge angle, and a quarter turn costs nothing this way.
        """
        out = []
        for x, d in zip(q, offsets, strict=True):
            if d:
                (a, b), (c, s) = exact_cos_sin(d), (self.cos(x), self.sin(x))
                x = x + d
                self.known[id(x)] = (x, c * a - s * b, s * a + c * b)  # RF.4
            out.append(x)
        return vector(out)


def exact_cos_sin(angle: float) -> tuple:
    """Cosine and sine of a constant angle; whole numbers for quarter turns.

    >>> exact_cos_sin(math.pi / 2), exact_cos_sin(-math.pi)
    ((0, 1), (-1, 0))
    """
    exact = {0: 0, 1: 1, -1: -1}
    return tuple(
        exact[round(x)] if abs(x - round(x)) < 1e-15 else x
        for x in (math.cos(angle), math.sin(angle))
    )


def normalize_quaternion(kind, q) -> np.ndarray:
    """Coordinates of a link, its quaternion at unit length.

    Stages of a step are a little off it, and only turns make the passes out and back, and those of
    an implicit step, one function of the state there.  Theory: IN.22.
    """
    first, K = kind.link.joint.quaternion, kind.K
    if first is None:
        return q
    out, slots = vector(q), slice(first, first + 4)
    size = K.sqrt(out[slots] @ out[slots])
    out[slots] = [K.divide(x, size) for x in out[slots]]
    return out
