"""Pictures of a mechanism without a browser or a display: a camera, a light, painted triangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import needs
from .scene import scene
from .triangles import triangles, turned

COLOURS = (
    (0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0),
    (86, 180, 233), (138, 143, 0), (127, 107, 179), (160, 82, 45), (107, 122, 144),
)  # fmt: skip
QUIET = (150, 158, 170)
SHARP = 2  # drawn larger, then made smaller: smooth edges
PIECE = 0.09  # of the largest part: edges of painted triangles
FILL = 0.8  # of the picture that the whole run takes
ANGLE = np.radians(30)  # of view


@dataclass(frozen=True)
class Camera:
    """Where a picture is seen from: axes to the right, upwards and to the eye, and the eye."""

    axes: np.ndarray
    eye: np.ndarray
    scale: float  # pixels at distance one
    middle: tuple[float, float]

    def seen(self, points) -> tuple[np.ndarray, np.ndarray]:
        """Places on the picture [pixels] and distances of points."""
        p = (np.asarray(points) - self.eye) @ self.axes.T
        far = np.maximum(-p[..., 2], 1e-9)
        x = self.middle[0] + self.scale * p[..., 0] / far
        return np.stack([x, self.middle[1] - self.scale * p[..., 1] / far], -1), far


class Picture:
    """A run drawn at any of its rows; what does not change with time is made once."""

    def __init__(self, run, model, parameters, size=(640, 400), view: str = "Free"):
        with needs("plot", "animate"):
            from PIL import Image, ImageDraw, ImageFilter
        self.Image, self.ImageDraw, self.ImageFilter = Image, ImageDraw, ImageFilter
        self.run, self.size = run, tuple(size)
        self.scene: dict[str, Any] = scene(run, model, parameters)
        self.up = np.array(self.scene["up"])
        self.solids = [
            (b["name"], np.array(b["offset"]), _part(p), _colour(p, i))
            for i, b in enumerate(self.scene["bodies"])
            for p in b["parts"]
        ]
        self.still = [(_part(p), _colour(p, None)) for p in self.scene["world"]]
        self._split()
        self._poses: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        points = self._extent()
        self.camera = self._placed(points, view)
        low = self.scene["ground"]
        self.ground = float((points @ self.up).min()) if low is None else float(low)

    def _split(self) -> None:
        """Large triangles in pieces: what is painted from far to near needs small ones."""
        sizes = [np.ptp(t.reshape(-1, 3), axis=0).max() for _, _, t, _ in self.solids if len(t)]
        sizes += [np.ptp(t.reshape(-1, 3), axis=0).max() for t, _ in self.still if len(t)]
        most = PIECE * max(sizes, default=1.0)
        self.solids = [(n, o, pieces(t, most), c) for n, o, t, c in self.solids]
        self.still = [(pieces(t, most), c) for t, c in self.still]

    def pose(self, name: str, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Rotation and origin of a body or frame at a row."""
        if name not in self._poses:
            self._poses[name] = self._found(name)
        R, p = self._poses[name]
        return R[row], p[row]

    def _found(self, name: str):
        rows = len(self.run.time)
        frame = next((f for f in self.scene["frames"] if f["name"] == name), None)
        if frame is not None and frame["body"] != name:
            pairs = [self.pose(frame["body"], i) for i in range(rows)]
            own, at = turned(frame["turn"]), np.array(frame["at"])
            return np.array([R @ own for R, _ in pairs]), np.array([p + R @ at for R, p in pairs])
        if f"{name}.position.x" not in self.run.units:
            return np.broadcast_to(np.eye(3), (rows, 3, 3)), np.zeros((rows, 3))
        q = np.stack([self.run[f"{name}.orientation.{c}"] for c in "wxyz"])
        q = q / np.maximum(np.linalg.norm(q, axis=0), 1e-12)
        p = np.stack([self.run[f"{name}.position.{c}"] for c in "xyz"], -1)
        return np.moveaxis(turned(q), -1, 0), p

    def _extent(self) -> np.ndarray:
        """Points that the picture must hold: corners of every part at some rows."""
        n = len(self.run.time)
        some = np.unique(np.linspace(0, n - 1, min(n, 30)).astype(int))
        out = [t.reshape(-1, 3) for t, _ in self.still]
        for name, offset, t, _ in self.solids:
            flat = t.reshape(-1, 3)
            box = np.array([flat.min(0), flat.max(0)])
            corners = np.array(np.meshgrid(*box.T)).reshape(3, -1).T
            for i in some:
                R, p = self.pose(name, i)
                out.append(corners @ R.T + p + offset)
        for line in self.scene["lines"]:
            out += [np.array([self._end(line[e], i) for e in "ab"]) for i in some]
        return np.concatenate(out) if out else np.zeros((1, 3))

    def _end(self, end, row: int) -> np.ndarray:
        R, p = self.pose(end["on"], row)
        return R @ np.array(end["at"]) + p

    def _placed(self, points, view: str) -> Camera:
        toward = self._direction(view)
        right = np.cross(self.up, toward)
        if np.linalg.norm(right) < 1e-6:
            right = np.array([1.0, 0, 0])
        right /= np.linalg.norm(right)
        axes = np.stack([right, np.cross(toward, right), toward])
        p = points @ axes.T
        middle = (p.min(0) + p.max(0)) / 2
        width, height = self.size
        tall = np.tan(ANGLE / 2) * FILL
        q = p - middle
        reach = np.maximum(abs(q[:, 0]) / (tall * width / height), abs(q[:, 1]) / tall) + q[:, 2]
        distance = max(float(reach.max()), 1e-6)
        eye = (middle + (0, 0, distance)) @ axes
        scale = SHARP * height / 2 / np.tan(ANGLE / 2)
        return Camera(axes, eye, scale, (SHARP * width / 2, SHARP * height / 2))

    def _direction(self, view: str) -> np.ndarray:
        """The way to the eye, about the mechanism's own axes."""
        normal, up = self.scene["normal"], self.up
        front = np.array([0.0, -1, 0]) if normal is None else np.array(normal, dtype=float)
        if abs(front @ up) > 0.9:
            front = np.array([0.0, 0, 1]) if abs(up[1]) > 0.9 else np.array([0.0, -1, 0])
        front = front - (front @ up) * up
        front /= np.linalg.norm(front)
        side = np.cross(up, front)
        planar = normal is not None and abs(np.array(normal) @ up) < 0.9
        if planar and side[np.argmax(abs(side))] < 0:  # to the right is where an axis points
            front, side = -front, -side
        free = front + 0.16 * side + 0.13 * up if planar else front + 0.5 * side + 0.42 * up
        found = {"Front": front, "Side": side, "Top": up + 1e-3 * front}.get(view, free)
        return found / np.linalg.norm(found)

    def draw(self, row: int):
        """The picture at a row of the run, a Pillow image."""
        Image, ImageDraw = self.Image, self.ImageDraw
        wide, high = (SHARP * x for x in self.size)
        image = Image.new("RGB", (wide, high), (255, 255, 255))
        groups = [(t, c) for t, c in self.still]
        for name, offset, t, c in self.solids:
            R, p = self.pose(name, row)
            groups.append((t @ R.T + p + offset, c))
        groups += [(t, c) for line in self.scene["lines"] for t, c in self._line(line, row)]
        if not groups:
            return image.resize(self.size)
        every = np.concatenate([t for t, _ in groups])
        colours = np.concatenate([np.tile(c, (len(t), 1)) for t, c in groups])
        self._floor(ImageDraw.Draw(image))
        self._shadow(image, every)
        self._paint(ImageDraw.Draw(image), every, colours)
        self._trace(ImageDraw.Draw(image), row)
        return image.resize(self.size, Image.Resampling.LANCZOS)

    def _paint(self, pen, every, colours) -> None:
        normal = np.cross(every[:, 1] - every[:, 0], every[:, 2] - every[:, 0])
        size = np.linalg.norm(normal, axis=1)
        normal = normal / np.maximum(size, 1e-300)[:, None]
        away = self.camera.eye - every.mean(1)
        normal *= np.sign(np.einsum("ij,ij->i", normal, away))[:, None]  # both sides are lit
        key = self.camera.axes[2] + 0.6 * self.camera.axes[1] + 0.5 * self.camera.axes[0]
        light = 0.52 + 0.48 * np.clip(normal @ (key / np.linalg.norm(key)), 0, 1) ** 0.8
        shades = np.clip(
            colours * light[:, None] + 26 * np.clip(normal @ self.up, 0, 1)[:, None], 0, 255
        )
        places, far = self.camera.seen(every)
        inside = ((places > -4000) & (places < 8000)).all((1, 2)) & (size > 0)
        for i in np.argsort(-far.mean(1)):
            if inside[i]:
                colour = tuple(int(x) for x in shades[i])
                pen.polygon([tuple(p) for p in places[i]], fill=colour, outline=colour)

    def _floor(self, pen) -> None:
        span = 1.3 * float(np.linalg.norm(np.ptp(self._points(), axis=0)) or 1.0)
        cell = 10.0 ** np.floor(np.log10(span / 3))
        u = np.cross(self.up, [1.0, 0, 0] if abs(self.up[0]) < 0.9 else [0, 1.0, 0])
        u /= np.linalg.norm(u)
        v = np.cross(self.up, u)
        middle = self._points().mean(0)
        base = middle + (self.ground - middle @ self.up) * self.up
        count = int(span / cell) + 1
        for k in range(-count, count + 1):
            grey = int(228 + 26 * min(1.0, abs(k) / count))
            for a, b in ((u, v), (v, u)):
                ends, far = self.camera.seen(
                    [base + k * cell * a + s * count * cell * b for s in (-1, 1)]
                )
                if (far > 1e-6).all() and (abs(ends) < 20000).all():
                    pen.line([tuple(e) for e in ends], fill=(grey, grey + 1, grey + 3), width=SHARP)

    def _points(self) -> np.ndarray:
        if "_held" not in self.__dict__:
            self._held = self._extent()
        return self._held

    def _shadow(self, image, every) -> None:
        mask = self.Image.new("L", image.size, 0)
        pen = self.ImageDraw.Draw(mask)
        flat = every - ((every @ self.up) - self.ground)[..., None] * self.up
        places, far = self.camera.seen(flat)
        for p in places[(far > 1e-6).all(1) & (abs(places) < 8000).all((1, 2))]:
            pen.polygon([tuple(x) for x in p], fill=46)
        image.paste((60, 70, 90), mask=mask.filter(self.ImageFilter.GaussianBlur(3 * SHARP)))

    def _trace(self, pen, row: int) -> None:
        for name in self.scene["traced"][:3]:
            at = np.array(
                next((b["com"] for b in self.scene["bodies"] if b["name"] == name), (0, 0, 0))
            )
            step = max(1, len(self.run.time) // 300)
            rows = [*range(0, row, step), row]
            points = np.array([R @ at + p for R, p in (self.pose(name, i) for i in rows)])
            places, far = self.camera.seen(points)
            if len(rows) > 1 and (far > 1e-6).all():
                pen.line([tuple(p) for p in places], fill=(213, 94, 0), width=SHARP)

    def _line(self, line, row: int):
        """A spring or another member between two points, as thin rods."""
        a, b = (self._end(line[e], row) for e in "ab")
        r, length = 0.012 * self.scene["size"], float(np.linalg.norm(b - a))
        if length < 1e-9:
            return
        points = [a, b]
        if "coil" in line["looks"]:
            along = (b - a) / length
            u = np.cross(along, self.up if abs(along @ self.up) < 0.9 else [1.0, 0, 0])
            u /= np.linalg.norm(u)
            v = np.cross(along, u)
            s = np.linspace(0, 1, 49)
            wide = 4 * r * np.minimum(1, 12 * np.minimum(s, 1 - s))
            turn = 2 * np.pi * 8 * s
            points = [
                a + k * (b - a) + w * (np.cos(x) * u + np.sin(x) * v)
                for k, w, x in zip(s, wide, turn, strict=True)
            ]
        path = np.array(points)
        yield self._ribbon(path, 0.6 * r), (93, 104, 120)

    def _ribbon(self, path, r: float) -> np.ndarray:
        """A line with a width that faces the eye, as triangles."""
        a, b = path[:-1], path[1:]
        side = np.cross(b - a, self.camera.eye - (a + b) / 2)
        side *= r / np.maximum(np.linalg.norm(side, axis=1), 1e-300)[:, None]
        quads = (a - side, a + side, b + side, b - side)
        return np.concatenate([np.stack([quads[i] for i in t], 1) for t in ((0, 1, 2), (0, 2, 3))])


def _part(p) -> np.ndarray:
    return triangles(p)


def _colour(p, i: int | None):
    if p.get("color"):
        return tuple(255 * c for c in p["color"][:3])
    return QUIET if i is None else COLOURS[i % len(COLOURS)]


def pieces(t: np.ndarray, most: float) -> np.ndarray:
    """Triangles with no edge longer than `most`, each split in four as often as it takes."""
    for _ in range(5):
        edges = np.linalg.norm(t - np.roll(t, -1, axis=1), axis=2).max(axis=1)
        if not (long := edges > most).any():
            break
        a, b, c = (t[long][:, i] for i in range(3))
        d, e, f = (a + b) / 2, (b + c) / 2, (c + a) / 2
        four = [np.stack(x, 1) for x in ((a, d, f), (d, b, e), (f, e, c), (d, e, f))]
        t = np.concatenate([t[~long], *four])
    return t
