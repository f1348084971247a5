"""The table of native integrators as Python sees it: words by name, arrays kept alive."""

from __future__ import annotations

import numpy as np

from . import words


class Words:
    """The table of `native`: numbers by name, and addresses of arrays that it keeps alive."""

    def __init__(self, numbers, arrays):
        self.words = np.zeros(words.SIZE, dtype=np.int64)
        self.arrays = arrays
        for name, x in numbers.items():
            self[name] = x
        for name, x in arrays.items():
            self.point(name, x)
        self.num, self.address = arrays["NUM"], self.words.ctypes.data

    def __getitem__(self, name) -> int:
        return int(self.words[getattr(words, name)])

    def __setitem__(self, name, x):
        self.words[getattr(words, name)] = x

    def point(self, name, array):
        """Let a word point at an array."""
        assert array.flags.c_contiguous
        self.arrays[name] = array
        self[name] = array.ctypes.data
