"""Software renderer: triangles with a z-buffer, without a browser, a display or a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import needs
from ..spatial import rotation_matrices
from .beam_shapes import segment_beams
from .primitives import BODY_COLORS
from .scene import build_scene
from .tessellation import color_part, corner_normals

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

NEUTRAL_COLOR = (150, 158, 170)
TRACE_COLOR = (213, 94, 0)
SUPERSAMPLING = 2  # drawn larger, then made smaller: smooth edges
FILL_FRACTION = 0.8  # of the picture that the whole run takes
FIELD_OF_VIEW = np.radians(30)  # of view


@dataclass(frozen=True)
class Camera:
    """Perspective camera: axes to the right, up and backward, position, focal length."""

    axes: np.ndarray
    eye: np.ndarray
    scale: float  # pixels at distance one
    middle: tuple[float, float]

    def project_points(self, points: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Pixel coordinates (..., 2) and depths (...) of points."""
        p = (np.asarray(points) - self.eye) @ self.axes.T
        depths = np.maximum(-p[..., 2], 1e-9)
        x = self.middle[0] + self.scale * p[..., 0] / depths
        return np.stack([x, self.middle[1] - self.scale * p[..., 1] / depths], -1), depths


class TriangleMesh(NamedTuple):
    """Triangles (n, 3, 3), normals at their corners, and one color."""

    corners: np.ndarray
    normals: np.ndarray
    color: Any


class Renderer:
    """Renders a run at any of its time points."""

    def __init__(self, run, model, parameters, size=(640, 400), view: str = "Free"):
        with needs("plot", "animate"):
            from PIL import Image, ImageDraw, ImageFilter
        self.Image, self.ImageDraw, self.ImageFilter = Image, ImageDraw, ImageFilter
        run, model = segment_beams(run, model, parameters)
        self.run, self.size = run, tuple(size)
        self.scene: dict[str, Any] = build_scene(run, model, parameters)
        self.up = np.array(self.scene["up"])
        self.body_meshes = [
            (b["name"], np.array(b["offset"]), x)
            for i, b in enumerate(self.scene["bodies"])
            for p in b["parts"]
            for x in _part_meshes(p, i)
        ]
        self.world_meshes = [x for p in self.scene["world"] for x in _part_meshes(p, None)]
        self._poses: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self._points = self._extent_points()
        self.camera = self._place_camera(self._points, view)
        low = self.scene["ground"]
        self.ground = float((self._points @ self.up).min()) if low is None else float(low)

    def pose(self, name: str, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Rotation and origin of a body or frame at a time point."""
        if name not in self._poses:
            self._poses[name] = self._compute_poses(name)
        R, p = self._poses[name]
        return R[row], p[row]

    def _compute_poses(self, name: str):
        """Rotations (rows, 3, 3) and origins (rows, 3) of a body or frame."""
        rows = len(self.run.time)
        frame = next((f for f in self.scene["frames"] if f["name"] == name), None)
        if frame is not None and frame["body"] != name:
            pairs = [self.pose(frame["body"], i) for i in range(rows)]
            frame_rotation, frame_origin = rotation_matrices(frame["turn"]), np.array(frame["at"])
            return np.array([R @ frame_rotation for R, _ in pairs]), np.array(
                [p + R @ frame_origin for R, p in pairs]
            )
        if f"{name}.position.x" not in self.run.units:
            return np.broadcast_to(np.eye(3), (rows, 3, 3)), np.zeros((rows, 3))
        q = np.stack([self.run[f"{name}.orientation.{c}"] for c in "wxyz"], -1)
        q = q / np.maximum(np.linalg.norm(q, axis=-1, keepdims=True), 1e-12)
        p = np.stack([self.run[f"{name}.position.{c}"] for c in "xyz"], -1)
        return rotation_matrices(q), p

    def _extent_points(self) -> np.ndarray:
        """Points that the image must contain: corners of every part at some time points."""
        n = len(self.run.time)
        sampled_rows = np.unique(np.linspace(0, n - 1, min(n, 30)).astype(int))
        out = [x.corners.reshape(-1, 3) for x in self.world_meshes]
        for name, offset, x in self.body_meshes:
            vertices = x.corners.reshape(-1, 3)
            box = np.array([vertices.min(0), vertices.max(0)])
            corners = np.array(np.meshgrid(*box.T)).reshape(3, -1).T
            for i in sampled_rows:
                R, p = self.pose(name, i)
                out.append(corners @ R.T + p + offset)
        for line in self.scene["lines"]:
            out += [np.array([self._end_point(line[e], i) for e in "ab"]) for i in sampled_rows]
        return np.concatenate(out) if out else np.zeros((1, 3))

    def _end_point(self, end, row: int) -> np.ndarray:
        R, p = self.pose(end["on"], row)
        return R @ np.array(end["at"]) + p

    def _place_camera(self, points, view: str) -> Camera:
        """Place the camera so that all points fill the fraction `FILL_FRACTION` of the image."""
        toward = self._view_direction(view)
        right = np.cross(self.up, toward)
        if np.linalg.norm(right) < 1e-6:
            right = np.array([1.0, 0, 0])
        right /= np.linalg.norm(right)
        axes = np.stack([right, np.cross(toward, right), toward])
        p = points @ axes.T
        middle = (p.min(0) + p.max(0)) / 2
        width, height = self.size
        half_height = np.tan(FIELD_OF_VIEW / 2) * FILL_FRACTION
        q = p - middle
        reach = (
            np.maximum(abs(q[:, 0]) / (half_height * width / height), abs(q[:, 1]) / half_height)
            + q[:, 2]
        )
        distance = max(float(reach.max()), 1e-6)
        eye = (middle + (0, 0, distance)) @ axes
        scale = SUPERSAMPLING * height / 2 / np.tan(FIELD_OF_VIEW / 2)
        return Camera(axes, eye, scale, (SUPERSAMPLING * width / 2, SUPERSAMPLING * height / 2))

    def _view_direction(self, view: str) -> np.ndarray:
        """Direction to the camera for a named view, relative to the plane of the mechanism."""
        normal, up = self.scene["normal"], self.up
        front = np.array([0.0, -1, 0]) if normal is None else np.array(normal, dtype=float)
        if abs(front @ up) > 0.9:
            front = np.array([0.0, 0, 1]) if abs(up[1]) > 0.9 else np.array([0.0, -1, 0])
        front = front - (front @ up) * up
        front /= np.linalg.norm(front)
        right = np.cross(up, front)
        planar = normal is not None and abs(np.array(normal) @ up) < 0.9
        if planar and right[np.argmax(abs(right))] < 0:  # to the right is where an axis points
            front, right = -front, -right
        free = front + 0.16 * right + 0.13 * up if planar else front + 0.5 * right + 0.42 * up
        direction = {"Front": front, "Side": right, "Top": up + 1e-3 * front}.get(view, free)
        return direction / np.linalg.norm(direction)

    def draw(self, row: int):
        """Render a time point as a Pillow image."""
        Image, ImageDraw = self.Image, self.ImageDraw
        width, height = (SUPERSAMPLING * x for x in self.size)
        image = Image.new("RGB", (width, height), (255, 255, 255))
        groups = list(self.world_meshes)
        for name, offset, x in self.body_meshes:
            R, p = self.pose(name, row)
            groups.append(TriangleMesh(x.corners @ R.T + p + offset, x.normals @ R.T, x.color))
        groups += [x for line in self.scene["lines"] for x in self._line_meshes(line, row)]
        if not groups:
            return image.resize(self.size)
        self._draw_floor(ImageDraw.Draw(image))
        self._draw_shadow(image, np.concatenate([x.corners for x in groups]))
        image = self._rasterize_meshes(image, [*groups, *self._trace_meshes(row)])
        return image.resize(self.size, Image.Resampling.LANCZOS)

    def _rasterize_meshes(self, image, groups):
        """Rasterize meshes with diffuse light on both sides."""
        corners = np.concatenate([x.corners for x in groups])
        normal = np.concatenate([x.normals for x in groups])
        colors = np.concatenate([np.tile(x.color, (len(x.corners), 1)) for x in groups])
        away = self.camera.eye - corners.mean(1)
        facing = np.sign(np.einsum("ijk,ik->i", normal, away))
        normal = normal * facing[:, None, None]  # both sides are lit
        key = self.camera.axes[2] + 0.6 * self.camera.axes[1] + 0.5 * self.camera.axes[0]
        light = 0.52 + 0.48 * np.clip(normal @ (key / np.linalg.norm(key)), 0, 1) ** 0.8
        corner_colors = light[:, :, None] * colors[:, None, :]
        corner_colors = corner_colors + 26 * np.clip(normal @ self.up, 0, 1)[:, :, None]
        projected, depths = self.camera.project_points(corners)
        pixels = np.asarray(image, dtype=np.float32).copy()
        rasterize_triangles(pixels, projected, depths, corner_colors)
        return self.Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))

    def _draw_floor(self, pen) -> None:
        """Draw the grid of the ground."""
        span = 1.3 * float(np.linalg.norm(np.ptp(self._points, axis=0)) or 1.0)
        cell = 10.0 ** np.floor(np.log10(span / 3))
        u = np.cross(self.up, [1.0, 0, 0] if abs(self.up[0]) < 0.9 else [0, 1.0, 0])
        u /= np.linalg.norm(u)
        v = np.cross(self.up, u)
        middle = self._points.mean(0)
        base = middle + (self.ground - middle @ self.up) * self.up
        count = int(span / cell) + 1
        for k in range(-count, count + 1):
            gray = int(228 + 26 * min(1.0, abs(k) / count))
            for a, b in ((u, v), (v, u)):
                endpoints, depths = self.camera.project_points(
                    [base + k * cell * a + s * count * cell * b for s in (-1, 1)]
                )
                if (depths > 1e-6).all() and (abs(endpoints) < 20000).all():
                    pen.line(
                        [tuple(e) for e in endpoints],
                        fill=(gray, gray + 1, gray + 3),
                        width=SUPERSAMPLING,
                    )

    def _draw_shadow(self, image, triangles) -> None:
        """Draw a blurred shadow, projected along the vertical."""
        mask = self.Image.new("L", image.size, 0)
        pen = self.ImageDraw.Draw(mask)
        flattened = triangles - ((triangles @ self.up) - self.ground)[..., None] * self.up
        projected, depths = self.camera.project_points(flattened)
        for p in projected[(depths > 1e-6).all(1) & (abs(projected) < 8000).all((1, 2))]:
            pen.polygon([tuple(x) for x in p], fill=46)
        image.paste(
            (60, 70, 90), mask=mask.filter(self.ImageFilter.GaussianBlur(3 * SUPERSAMPLING))
        )

    def _trace_meshes(self, row: int):
        """Yield the paths of the traced points up to a time point, as thin ribbons."""
        frame_bodies = {f["name"]: f["body"] for f in self.scene["frames"]}
        number = {b["name"]: i for i, b in enumerate(self.scene["bodies"])}
        for name in self.scene["traced"][:3]:
            body_number = number.get(frame_bodies.get(name, name))
            ink = (
                TRACE_COLOR if body_number is None else BODY_COLORS[body_number % len(BODY_COLORS)]
            )
            com = np.array(
                next((b["com"] for b in self.scene["bodies"] if b["name"] == name), (0, 0, 0))
            )
            step = max(1, len(self.run.time) // 300)
            rows = [*range(0, row, step), row]
            points = np.array([R @ com + p for R, p in (self.pose(name, i) for i in rows)])
            if len(rows) > 1:
                depth = float(self.camera.project_points(points.mean(0))[1])
                yield _flat_mesh(
                    self._ribbon_triangles(points, 0.7 * SUPERSAMPLING * depth / self.camera.scale),
                    ink,
                )

    def _line_meshes(self, line, row: int):
        """Yield a spring or another line between two points, as thin ribbons."""
        a, b = (self._end_point(line[e], row) for e in "ab")
        r, length = 0.012 * self.scene["size"], float(np.linalg.norm(b - a))
        if length < 1e-9:
            return
        points = [a, b]
        if "coil" in line["looks"]:
            axis = (b - a) / length
            u = np.cross(axis, self.up if abs(axis @ self.up) < 0.9 else [1.0, 0, 0])
            u /= np.linalg.norm(u)
            v = np.cross(axis, u)
            s = np.linspace(0, 1, 49)
            radii = 4 * r * np.minimum(1, 12 * np.minimum(s, 1 - s))
            angles = 2 * np.pi * 8 * s
            points = [
                a + k * (b - a) + w * (np.cos(x) * u + np.sin(x) * v)
                for k, w, x in zip(s, radii, angles, strict=True)
            ]
        path = np.array(points)
        thickness = 1.0 if "rod" in line["looks"] else 0.6
        yield _flat_mesh(self._ribbon_triangles(path, thickness * r), (93, 104, 120))

    def _ribbon_triangles(self, path, r: float) -> np.ndarray:
        """Triangles of a ribbon of half width `r` along a path, facing the camera."""
        a, b = path[:-1], path[1:]
        offset = np.cross(b - a, self.camera.eye - (a + b) / 2)
        offset *= r / np.maximum(np.linalg.norm(offset, axis=1), 1e-300)[:, None]
        quads = (a - offset, a + offset, b + offset, b - offset)
        return np.concatenate([np.stack([quads[i] for i in t], 1) for t in ((0, 1, 2), (0, 2, 3))])


def _flat_mesh(corners: np.ndarray, color) -> TriangleMesh:
    """Mesh with the same normal at the corners of each triangle."""
    up = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    up = up / np.maximum(np.linalg.norm(up, axis=1), 1e-300)[:, None]
    return TriangleMesh(corners, np.repeat(up[:, None], 3, 1), color)


def _part_meshes(p, i: int | None) -> list[TriangleMesh]:
    """Meshes of a part of body `i` (None: of the world) with their colors."""
    color = BODY_COLORS[i % len(BODY_COLORS)] if i is not None else NEUTRAL_COLOR
    color = tuple(255 * c for c in p["color"][:3]) if p.get("color") else color
    return [TriangleMesh(t, corner_normals(t), color if c is None else c) for t, c in color_part(p)]


def rasterize_triangles(
    pixels: np.ndarray, corners: np.ndarray, depths: np.ndarray, colors: np.ndarray
) -> None:
    """Rasterize triangles into an image (height, width, 3) with a z-buffer.

    `corners` (n, 3, 2) [pixels], `depths` (n, 3) and `colors` (n, 3, 3) are values at the corners.
    Colors are interpolated.

    >>> image = np.zeros((4, 4, 3))
    >>> corner = np.array([[[0.0, 0], [8, 0], [0, 8]]])
    >>> gray = np.ones((1, 3, 3))
    >>> depths = np.array([[1.0] * 3, [2.0] * 3])
    >>> rasterize_triangles(image, np.concatenate([corner, corner]), depths,
    ...         np.concatenate([50 * gray, 90 * gray]))
    >>> image[0, 0].tolist()
    [50.0, 50.0, 50.0]
    """
    height, width = pixels.shape[:2]
    inverse_depths = np.zeros((height, width))  # one over the distance
    low = np.clip(np.floor(corners.min(1)), 0, None)
    top = np.clip(np.ceil(corners.max(1)) + 1, 0, (width, height))
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    visible = (top > low).all(1) & (abs(area) > 1e-9) & (depths > 1e-6).all(1)
    inverse = 1 / depths
    columns, rows = np.arange(width), np.arange(height)[:, None]
    for i in np.flatnonzero(visible):
        (x0, y0), (x1, y1) = low[i].astype(int), top[i].astype(int)
        x, y = columns[x0:x1], rows[y0:y1]
        u = ((x - a[i, 0]) * (c[i, 1] - a[i, 1]) - (y - a[i, 1]) * (c[i, 0] - a[i, 0])) / area[i]
        v = ((y - a[i, 1]) * (b[i, 0] - a[i, 0]) - (x - a[i, 0]) * (b[i, 1] - a[i, 1])) / area[i]
        w = 1 - u - v
        z = w * inverse[i, 0] + u * inverse[i, 1] + v * inverse[i, 2]
        depth_window = inverse_depths[y0:y1, x0:x1]
        nearest = (u >= 0) & (v >= 0) & (w >= 0) & (z > depth_window)
        if nearest.any():
            depth_window[nearest] = z[nearest]
            weights = np.stack([w[nearest], u[nearest], v[nearest]], -1)
            pixels[y0:y1, x0:x1][nearest] = weights @ colors[i]
