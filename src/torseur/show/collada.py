"""Triangles of Collada files (.dae), the mesh format most robot descriptions use."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

MOST_DEPTH = 60


def read_collada(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) [m] and triangles (m, 3) of every mesh in the scene; ValueError when broken.

    Axes stay as the file has them, and its unit of length is applied, as robot viewers do.
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
    shapes = {g.get("id"): _geometry(g) for g in root.iter("geometry")}
    vertices, triangles, count = [], [], 0
    nodes = {n.get("id"): n for n in root.iter("node")}
    placed = [
        x
        for scene in root.iter("visual_scene")
        for n in scene.findall("node")
        for x in _instances(n, np.eye(4), nodes, 0)
    ]
    for name, X in placed or [(name, np.eye(4)) for name in shapes]:
        v, t = shapes.get(name, (np.zeros((0, 3)), np.zeros((0, 3), int)))
        vertices.append((v @ X[:3, :3].T + X[:3, 3]) * scale)
        triangles.append(t + count)
        count += len(v)
    if not vertices:
        raise ValueError("no mesh in the file")
    return np.concatenate(vertices), np.concatenate(triangles)


def _numbers(element) -> np.ndarray:
    return np.array((element.text or "").split(), dtype=float)


def _instances(node, X, nodes, depth):
    """(mesh, pose) of every mesh under a node."""
    if depth > MOST_DEPTH:
        raise ValueError("nodes nested too deeply")
    for e in node:
        match e.tag:
            case "matrix":
                X = X @ _numbers(e).reshape(4, 4)
            case "translate" | "scale" | "rotate":
                X = X @ _moved(e.tag, _numbers(e))
            case "instance_geometry":
                yield e.get("url", "")[1:], X
            case "node":
                yield from _instances(e, X, nodes, depth + 1)
            case "instance_node" if e.get("url", "")[1:] in nodes:
                yield from _instances(nodes[e.get("url")[1:]], X, nodes, depth + 1)


def _moved(kind, x) -> np.ndarray:
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


def _geometry(geometry):
    """Vertices and triangles of one mesh, in its own axes."""
    mesh = geometry.find("mesh")
    if mesh is None:
        return np.zeros((0, 3)), np.zeros((0, 3), int)
    sources = {}
    for s in mesh.findall("source"):
        array, accessor = s.find("float_array"), s.find("technique_common/accessor")
        if array is not None:
            stride = int(accessor.get("stride", 3)) if accessor is not None else 3
            sources[s.get("id")] = _numbers(array).reshape(-1, stride)[:, :3]
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
            _numbers(p).astype(int).reshape(-1, stride)[:, int(vertex.get("offset", 0))]
            for p in part.findall("p")
        ]
        t = _fans(part, corners)
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


def _fans(part, corners) -> np.ndarray:
    """Polygons as triangles about their first corners."""
    if part.tag == "polygons":
        sizes = [len(c) for c in corners]
    elif part.tag == "polylist":
        sizes = _numbers(part.find("vcount")).astype(int).tolist()
    else:
        sizes = [3] * (sum(map(len, corners)) // 3)
    flat = np.concatenate([*corners, np.zeros(0, int)])
    if sum(sizes) != len(flat):
        raise ValueError("counts of corners do not agree")
    out, at = [], 0
    for n in sizes:
        out += [(flat[at], flat[at + i], flat[at + i + 1]) for i in range(1, n - 1)]
        at += n
    return np.array(out, dtype=int).reshape(-1, 3)
