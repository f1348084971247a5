"""Beams that bent further than their theory goes, in a sentence."""

from __future__ import annotations

import numpy as np

from ..numbers import values

MOST = 0.3  # rad: a slope whose square, which is left out of the shapes, is a tenth


def bent(run, time, Y) -> str:
    """A sentence for every beam whose sections turned too far from the one that holds it."""
    s, texts = run.system, []
    bound = dict(zip(s.parameters, run.p.tolist(), strict=True))
    for name in s.shared:
        own = [k for k in s.links if k.name == name]
        rows = [[values.nominal(x, bound) for x in row] for k in own for row in k.joint.turn[1:]]
        slope = abs(Y[:, own[0].q] @ np.array(rows, dtype=float).T).max(axis=1, initial=0.0)
        far = np.flatnonzero(slope > MOST)
        if len(far):
            texts.append(
                f"; beam {name!r} bends by up to {slope.max():.2g} rad, more than {MOST:g} rad "
                f"from t = {time[far[0]]:.4g} s on, where shapes of second order lose digits: "
                "make it two beams in a row"
            )
    return "".join(texts)
