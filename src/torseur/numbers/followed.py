"""Graphs that are differentiated, in which choices and searches are routines that are not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .called import Called


class Followed(Called):
    """Written out, but for what is `decided`: native code finds it, and it counts as a constant.

    Whoever asks for it says himself how it moves: by a choice that does not, or by the equations
    that it solves.
    """

    follows = True

    def __init__(self, parameters=None):
        super().__init__(parameters)
        self._inside = 0

    def routine(self, key: tuple, f: Callable, fixed, given) -> np.ndarray:
        if self._inside:
            return super().routine(key, f, fixed, given)
        return f(fixed, given)

    def abreast(self, key: tuple, f: Callable, fixed, columns) -> list[np.ndarray]:
        if self._inside:
            return super().abreast(key, f, fixed, columns)
        return [f(fixed, [x]) for x in columns]

    def decided(self, key: tuple, f: Callable, fixed, given) -> np.ndarray:
        self._inside += 1
        try:
            return super().routine(key, f, fixed, given)
        finally:
            self._inside -= 1
