"""Reader and decimation of mesh files: Collada (.dae), STL and OBJ."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike

MAX_NODE_DEPTH = 60


def read_collada(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Read vertices (n, 3) [m] and triangles (m, 3) of every mesh in a Collada scene.

    The unit of length of the file is applied, its up axis is not, as in robot viewers. A broken
    file raises ValueError.
    """
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ValueError("a mesh file declares no entities")
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as e:
        raise ValueError(str(e)) from None
    for node in root.iter():
        node.tag = node.tag.rpartition("}")[2]  # names without their space
    unit = root.find("asset/unit")
    scale = float(unit.get("meter", 1.0)) if unit is not None else 1.0
    shapes = {g.get("id"): _read_geometry(g) for g in root.iter("geometry")}
    vertices, triangles, count = [], [], 0
    nodes = {n.get("id"): n for n in root.iter("node")}
    instances = [
        x
        for scene in root.iter("visual_scene")
        for n in scene.findall("node")
        for x in _iterate_instances(n, np.eye(4), nodes, 0)
    ]
    for name, X in instances or [(name, np.eye(4)) for name in shapes]:
        v, t = shapes.get(name, (np.zeros((0, 3)), np.zeros((0, 3), int)))
        vertices.append((v @ X[:3, :3].T + X[:3, 3]) * scale)
        triangles.append(t + count)
        count += len(v)
    if not vertices:
        raise ValueError("no mesh in the file")
    return np.concatenate(vertices), np.concatenate(triangles)


def _parse_numbers(element) -> np.ndarray:
    return np.array((element.text or "").split(), dtype=float)


def _iterate_instances(node, X, nodes, depth):
    """Yield name and pose of every mesh below a node."""
    if depth > MAX_NODE_DEPTH:
        raise ValueError("nodes nested too deeply")
    for e in node:
        match e.tag:
            case "matrix":
                X = X @ _parse_numbers(e).reshape(4, 4)
            case "translate" | "scale" | "rotate":
                X = X @ _node_transform(e.tag, _parse_numbers(e))
            case "instance_geometry":
                yield e.get("url", "")[1:], X
            case "node":
                yield from _iterate_instances(e, X, nodes, depth + 1)
            case "instance_node" if e.get("url", "")[1:] in nodes:
                yield from _iterate_instances(nodes[e.get("url")[1:]], X, nodes, depth + 1)


def _node_transform(kind, x) -> np.ndarray:
    """Homogeneous transform of a translate, scale or rotate element."""
    X = np.eye(4)
    if kind == "translate":
        X[:3, 3] = x
    elif kind == "scale":
        X[:3, :3] = np.diag(x)
    else:
        axis, angle = x[:3] / np.linalg.norm(x[:3]), np.radians(x[3])
        C = np.cross(np.eye(3), axis)
        X[:3, :3] += np.sin(angle) * C + (1 - np.cos(angle)) * C @ C
    return X


def _read_geometry(geometry):
    """Read vertices and triangles of one mesh in its own coordinates."""
    mesh = geometry.find("mesh")
    if mesh is None:
        return np.zeros((0, 3)), np.zeros((0, 3), int)
    sources = {}
    for s in mesh.findall("source"):
        array, accessor = s.find("float_array"), s.find("technique_common/accessor")
        if array is not None:
            stride = int(accessor.get("stride", 3)) if accessor is not None else 3
            sources[s.get("id")] = _parse_numbers(array).reshape(-1, stride)[:, :3]
    positions = {
        v.get("id"): sources[i.get("source")[1:]]
        for v in mesh.findall("vertices")
        for i in v.findall("input")
        if i.get("semantic") == "POSITION"
    }
    vertices, triangles, count = [], [], 0
    for part in mesh:
        if part.tag not in ("triangles", "polylist", "polygons"):
            continue
        inputs = part.findall("input")
        vertex = next(i for i in inputs if i.get("semantic") == "VERTEX")
        stride = 1 + max(int(i.get("offset", 0)) for i in inputs)
        v = positions[vertex.get("source")[1:]]
        corners = [
            _parse_numbers(p).astype(int).reshape(-1, stride)[:, int(vertex.get("offset", 0))]
            for p in part.findall("p")
        ]
        t = _triangulate_polygons(part, corners)
        if len(t) and (t.min() < 0 or t.max() >= len(v)):
            raise ValueError("a face names a vertex that is not there")
        vertices.append(v)
        triangles.append(t + count)
        count += len(v)
    return (
        (np.concatenate(vertices), np.concatenate(triangles))
        if vertices
        else (np.zeros((0, 3)), np.zeros((0, 3), int))
    )


def _triangulate_polygons(part, corners) -> np.ndarray:
    """Triangulate polygons as fans about their first corners."""
    if part.tag == "polygons":
        sizes = [len(c) for c in corners]
    elif part.tag == "polylist":
        sizes = _parse_numbers(part.find("vcount")).astype(int).tolist()
    else:
        sizes = [3] * (sum(map(len, corners)) // 3)
    flat = np.concatenate([*corners, np.zeros(0, int)])
    if sum(sizes) != len(flat):
        raise ValueError("counts of corners do not agree")
    out, start = [], 0
    for n in sizes:
        out += [(flat[start], flat[start + i], flat[start + i + 1]) for i in range(1, n - 1)]
        start += n
    return np.array(out, dtype=int).reshape(-1, 3)


MAX_TRIANGLES_PER_MESH = 6000  # triangles a mesh may bring to the page
MAX_TRIANGLES = 36_000  # triangles of all meshes
MAX_FILE_BYTES = 100_000_000


def read_mesh(path: str | os.PathLike[str]) -> tuple[np.ndarray, np.ndarray] | None:
    """Read vertices (n, 3) and triangles (m, 3) of an STL, OBJ or DAE file. None if that fails."""
    path = Path(path)
    reader = {".stl": _parse_stl, ".obj": _parse_obj, ".dae": read_collada}.get(path.suffix.lower())
    if reader is None or not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
        return None
    try:
        vertices, triangles = reader(path.read_bytes())
    except (ValueError, IndexError, KeyError, TypeError, StopIteration):  # a broken file
        return None
    return (vertices, triangles) if len(triangles) and np.isfinite(vertices).all() else None


def _parse_stl(data: bytes):
    """Parse a binary or ASCII STL file."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        record = np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
        corners = np.frombuffer(data, record, count, 84)["v"].reshape(-1, 3)
    else:
        lines = (line.split() for line in data.decode("ascii").splitlines())
        corners = np.array([w[1:4] for w in lines if w[:1] == ["vertex"]], dtype=float)
    return _merge_vertices(corners.astype(float), np.arange(len(corners)).reshape(-1, 3))


def _parse_obj(data: bytes):
    """Parse vertices and faces of a Wavefront OBJ file."""
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


def _merge_vertices(vertices, triangles, cell: float = 0.0):
    """Merge vertices that are equal or share a grid cell, and drop degenerate triangles."""
    keys = np.round(vertices / cell).astype(np.int64) if cell else vertices
    _, first, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    t = index.reshape(-1)[triangles]
    t = t[(t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0])]
    return vertices[first], t


def decimate_mesh(
    vertices: np.ndarray, triangles: np.ndarray, max_triangles: int = MAX_TRIANGLES_PER_MESH
):
    """Reduce a mesh to `max_triangles` triangles by vertex clustering in growing cells.

    >>> u, v = np.meshgrid(np.linspace(0, 1, 80), np.linspace(0, 1, 80))
    >>> grid = np.column_stack([u.ravel(), v.ravel(), 0 * u.ravel()])
    >>> i = (np.arange(79)[:, None] * 80 + np.arange(79)).ravel()
    >>> faces = np.concatenate([np.column_stack([i, i + 1, i + 81]),
    ...                         np.column_stack([i, i + 81, i + 80])])
    >>> len(decimate_mesh(grid, faces, 1000)[1]) <= 1000
    True
    """
    cell = np.ptp(vertices, axis=0).max(initial=0.0) / 400
    v, t = vertices, triangles
    while len(t) > max_triangles and cell > 0:
        v, t = _merge_vertices(vertices, triangles, cell)
        cell *= 1.35
    return v, t


def embed_mesh(
    path: str | os.PathLike[str], scale: ArrayLike, max_triangles: int = MAX_TRIANGLES_PER_MESH
) -> dict | None:
    """Encode a mesh file as plain data for the page. None if it cannot be read.

    Vertices are quantized to 16 bits between `low` and `high`.
    """
    mesh = read_mesh(path)
    if mesh is None:
        return None
    v, t = decimate_mesh(mesh[0] * scale, mesh[1], max_triangles)
    used, t = np.unique(t, return_inverse=True)
    v, t = v[used], t.reshape(-1, 3)
    low, high = v.min(axis=0), v.max(axis=0)
    steps = np.round((v - low) / np.where(high > low, high - low, 1.0) * 65535).astype("<u2")
    has_32_bit_indices = len(v) > 65536
    index = t.astype("<u4" if has_32_bit_indices else "<u2")
    text = (base64.b64encode(x.tobytes()).decode() for x in (steps, index))
    return {"low": low.tolist(), "high": high.tolist(), "wide": has_32_bit_indices} | dict(
        zip(("vertices", "triangles"), text, strict=True)
    )
