"""A cloud of points that a page shows in space, colored by maps that its reader chooses."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from html import escape
from pathlib import Path

import numpy as np

MAX_POINTS = 20000  # points that a page draws


def draw_point_cloud(points: np.ndarray, maps: Mapping[str, np.ndarray], arm: np.ndarray) -> str:
    """HTML of points (n, 3) [m] in space with maps (n,) by name, and a line `arm` (m, 3) [m].

    Values that are not finite are not drawn.  Needs nothing from outside; drag turns, the wheel
    zooms, arrow keys turn too.

    >>> text = draw_point_cloud(np.zeros((3, 3)), {"height [m]": np.arange(3.0)}, np.zeros((2, 3)))
    >>> text.startswith("<figure") and "height [m]" in text
    True
    """
    keep = np.linspace(0, len(points) - 1, min(len(points), MAX_POINTS)).astype(int)
    rows = []
    for name, values in maps.items():
        x = np.asarray(values, float)[keep]
        good = np.isfinite(x)
        low, high = (float(x[good].min()), float(x[good].max())) if good.any() else (0.0, 0.0)
        missing = bool(not good.all())
        levels = 254 * (np.where(good, x, low) - low) / ((high - low) or 1.0)
        level = np.where(good, np.round(levels), 255).astype(np.uint8)
        rows.append(
            {
                "name": name,
                "low": f"{low:.4g}",
                "high": f"{high:.4g}",
                "missing": missing,
                "level": b64encode(level.tobytes()).decode(),
            }
        )
    data = {
        "points": b64encode(np.ascontiguousarray(points[keep], "<f4").tobytes()).decode(),
        "maps": rows,
        "arm": np.asarray(arm, float).round(6).tolist(),
    }
    text = json.dumps(data).replace("<", "\\u003c")
    script = Path(__file__).with_name("assets").joinpath("cloud.js").read_text(encoding="utf-8")
    label = escape(f"{len(keep)} places in space")
    options = "".join(f'<option value="{i}">{escape(n)}</option>' for i, n in enumerate(maps))
    return (
        '<figure class="cloud"><p><label>Color: '
        f"<select>{options}</select></label> "
        '<span class="low"></span> <span class="bar"></span> <span class="high"></span> '
        '<label><input type="checkbox"> cut through the middle</label></p>'
        f'<canvas tabindex="0" role="img" aria-label="{label}"></canvas>'
        f'<script type="application/json">{text}</script><script>{script}</script></figure>'
    )


__all__ = ["draw_point_cloud"]
