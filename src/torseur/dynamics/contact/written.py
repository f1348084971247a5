"""Rows whose matrix is written out, as native text reads them.  Theory: DF.14."""

from __future__ import annotations

import numpy as np

from ...numbers import vector


def written(rows) -> tuple[tuple[int, ...], np.ndarray]:
    """Words and block, see `compiler/row_loops.py`, of rows without unknowns: softness and G."""
    m, n = len(rows.G), len(rows.c.contacts)
    pressed = [[] if gate is None else rows.own[gate] for gate in rows.c.gates]
    cones = [
        (own[0], len(own), *gate) if own and gate else (0, 0, -1)
        for own, gate in zip(rows.own[n:], pressed, strict=True)
    ]
    words = 0, m, len(cones), 0, 0, *range(m), *(x for cone in cones for x in cone)
    return words, vector([*[0] * m, *rows.mu, *rows.G.ravel()])
