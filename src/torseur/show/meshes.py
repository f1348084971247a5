"""Mesh files for the page: STL, OBJ and Collada, thinned until they are small enough to carry."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np

from .collada import read_collada

MOST = 6000  # triangles a mesh may bring to the page
ALTOGETHER = 36_000  # triangles of all meshes
MOST_BYTES = 100_000_000


def read(path) -> tuple[np.ndarray, np.ndarray] | None:
    """Vertices (n, 3) and triangles (m, 3) of an STL, OBJ or DAE file; None for others."""
    path = Path(path)
    reader = {".stl": _stl, ".obj": _obj, ".dae": read_collada}.get(path.suffix.lower())
    if reader is None or not path.is_file() or path.stat().st_size > MOST_BYTES:
        return None
    try:
        vertices, triangles = reader(path.read_bytes())
    except (ValueError, IndexError, KeyError, TypeError, StopIteration):  # a broken file
        return None
    return (vertices, triangles) if len(triangles) and np.isfinite(vertices).all() else None


def _stl(data: bytes):
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        record = np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
        corners = np.frombuffer(data, record, count, 84)["v"].reshape(-1, 3)
    else:
        lines = (line.split() for line in data.decode("ascii").splitlines())
        corners = np.array([w[1:4] for w in lines if w[:1] == ["vertex"]], dtype=float)
    return _joined(corners.astype(float), np.arange(len(corners)).reshape(-1, 3))


def _obj(data: bytes):
    vertices, triangles = [], []
    for line in data.decode("utf-8", "replace").splitlines():
        match line.split():
            case ["v", x, y, z, *_]:
                vertices.append((float(x), float(y), float(z)))
            case ["f", *corners]:
                at = [int(c.split("/")[0]) for c in corners]
                at = [i - 1 if i > 0 else len(vertices) + i for i in at]
                triangles += [(at[0], at[i], at[i + 1]) for i in range(1, len(at) - 1)]
    v = np.array(vertices, dtype=float).reshape(-1, 3)
    f = np.array(triangles, dtype=int).reshape(-1, 3)
    if len(f) and (f.min() < 0 or f.max() >= len(v)):
        raise ValueError("a face names a vertex that is not there")
    return v, f


def _joined(vertices, triangles, cell: float = 0.0):
    """Equal vertices (or those of one cell) made one; triangles without area dropped."""
    keys = np.round(vertices / cell).astype(np.int64) if cell else vertices
    _, first, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    t = index.reshape(-1)[triangles]
    t = t[(t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0])]
    return vertices[first], t


def thinned(vertices, triangles, most: int = MOST):
    """At most `most` triangles: vertices gathered in ever larger cells.

    >>> u, v = np.meshgrid(np.linspace(0, 1, 80), np.linspace(0, 1, 80))
    >>> grid = np.column_stack([u.ravel(), v.ravel(), 0 * u.ravel()])
    >>> i = (np.arange(79)[:, None] * 80 + np.arange(79)).ravel()
    >>> faces = np.concatenate([np.column_stack([i, i + 1, i + 81]),
    ...                         np.column_stack([i, i + 81, i + 80])])
    >>> len(thinned(grid, faces, 1000)[1]) <= 1000
    True
    """
    cell = np.ptp(vertices, axis=0).max(initial=0.0) / 400
    v, t = vertices, triangles
    while len(t) > most and cell > 0:
        v, t = _joined(vertices, triangles, cell)
        cell *= 1.35
    return v, t


def embedded(path, scale, most: int = MOST) -> dict | None:
    """A mesh file as plain data for the page, or None when it cannot be read.

    Vertices are steps of 1/65535 between `low` and `high`, finer than any screen.
    """
    found = read(path)
    if found is None:
        return None
    v, t = thinned(found[0] * scale, found[1], most)
    used, t = np.unique(t, return_inverse=True)
    v, t = v[used], t.reshape(-1, 3)
    low, high = v.min(axis=0), v.max(axis=0)
    steps = np.round((v - low) / np.where(high > low, high - low, 1.0) * 65535).astype("<u2")
    wide = len(v) > 65536
    index = t.astype("<u4" if wide else "<u2")
    text = (base64.b64encode(x.tobytes()).decode() for x in (steps, index))
    return {"low": low.tolist(), "high": high.tolist(), "wide": wide} | dict(
        zip(("vertices", "triangles"), text, strict=True)
    )
