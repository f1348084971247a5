"""What an MJCF file asks for, looked at before MuJoCo sees it: files, sizes, numbers, copies.

MuJoCo makes what it is asked for: a height field of ten billion points, a texture of all memory, a
thousand copies of a thousand copies.  Here such wishes end in a sentence with the limit's name.
"""

from __future__ import annotations

import math
from pathlib import Path

from ...errors import ModelError, shown
from .nodes import MOST_PROBLEMS
from .xml_tree import Tag, read_xml

MOST_FILES = 64
MOST_ELEMENTS = 20_000
MOST_BODIES = 1500  # MuJoCo takes time as their square
MOST_GRID = 1000  # points of a composite or flexcomp
MOST_SIZES = 100  # numbers that <size> adds to every element; keyframes
MOST_FILE_BYTES = 100_000_000
LIMITS: dict[str, tuple[tuple[str, ...], float, str]] = {
    "texture": (("width", "height"), 4e6, "pixels"),
    "hfield": (("nrow", "ncol"), 1e6, "points"),
    "numeric": (("size",), 1e6, "numbers"),
    "mesh": (("params",), 1e3, "parts"),
}
"""By element: attributes whose product is limited, the limit, and of what."""
COPIES = ("replicate", "composite", "flexcomp")
NAMED = ("name", "class", "childclass", "model", "prefix", "suffix", "content_type")
FILES = ("file", *(f"file{side}" for side in ("right", "left", "up", "down", "front", "back")))
FOLDERS = ("meshdir", "texturedir", "assetdir")


def scan(path: Path) -> dict[str, str]:
    """Places of named elements; or `ModelError` with all that MuJoCo is not to be asked for."""
    found = _Scan(path)
    found.file(path)
    if found.elements > MOST_ELEMENTS:
        found.problems.append(
            f"{path.name}: {found.elements:.3g} elements with all copies of replicate, composite "
            f"and flexcomp; at most {MOST_ELEMENTS} are read: make fewer"
        )
    if found.bodies > MOST_BODIES:
        found.problems.append(
            f"{path.name}: {found.bodies:.6g} bodies; at most {MOST_BODIES} are read from MJCF"
        )
    if found.problems:
        raise ModelError(found.problems[:MOST_PROBLEMS])
    return found.lines


class _Scan:
    def __init__(self, path: Path):
        self.folder = path.parent.resolve()
        self.problems: list[str] = []
        self.lines: dict[str, str] = {}
        self.asked: dict[str, float] = {}
        self.seen: set[Path] = set()
        self.elements = self.bodies = 0.0

    def file(self, path: Path) -> None:
        """A file and those that it includes."""
        self.seen.add(path.resolve())
        root = read_xml(path)
        self.dirs = [a for t in _all(root) for k, a in t.attributes.items() if k in FOLDERS]
        self.tag(root, path, 1.0)

    def tag(self, tag: Tag, path: Path, copies: float) -> None:
        """An element and what is in it, so many times."""
        where = f"{path.name}, line {tag.line}: <{tag.name}>"
        if tag.name in COPIES and "count" in tag.attributes:
            asked = _numbers(tag.attributes["count"])
            grid = math.prod(abs(x) for x in asked)
            if tag.name != "replicate" and not grid <= MOST_GRID:
                self.problems.append(
                    f"{where}: count={shown(tag.attributes['count'])}: at most {MOST_GRID} points"
                )
            copies *= max(1.0, math.prod(max(1.0, x) for x in asked if math.isfinite(x)))
        self.elements += copies
        self.bodies += copies * (tag.name == "body")
        if named := tag.attributes.get("name"):
            self.lines.setdefault(f"{tag.name} {named}", f"{path.name}, line {tag.line}")
        self.values(tag, where)
        for name in ("include", "model"):
            if tag.name == name and tag.attributes.get("file"):
                self.include(tag.attributes["file"], where)
                break
        else:
            for key, name in tag.attributes.items():
                if key in FILES:
                    self.asset(name, where)
        for child in tag.children:
            self.tag(child, path, copies)

    def values(self, tag: Tag, where: str) -> None:
        """Numbers that are none, and sizes beyond their limits."""
        for key, text in tag.attributes.items():
            numbers = _numbers(text)
            if (
                numbers
                and key not in NAMED
                and key not in FILES
                and not all(map(math.isfinite, numbers))
            ):
                self.problems.append(f"{where}: {key}={shown(text)}: expected finite numbers")
            added = tag.name == "size" and (key.startswith("nuser_") or key == "nkey")
            if added and max(numbers, default=0) > MOST_SIZES:
                self.problems.append(f"{where}: {key}={shown(text)}: at most {MOST_SIZES} are read")
        if tag.name in LIMITS:
            keys, most, what = LIMITS[tag.name]
            given = [x for k in keys for x in _numbers(tag.attributes.get(k, ""))]
            wanted = math.prod(abs(x) for x in given) if given else 0.0
            self.asked[tag.name] = self.asked.get(tag.name, 0.0) + wanted
            if self.asked[tag.name] > most:
                asked = ", ".join(f"{k}={shown(tag.attributes.get(k))}" for k in keys)
                self.problems.append(f"{where}: {asked}: at most {most:g} {what} in all are read")
                self.asked[tag.name] = 0.0

    def inside(self, name: str, where: str, folders=("",)) -> list[Path]:
        """Where a named file may be, all in the folder of the model or below."""
        if "\x00" in name or len(name) > 1000:
            self.problems.append(f"{where}: file={shown(name)} is no name of a file")
            return []
        words = [x.replace("\\", "/") for x in (name, *folders)]  # MuJoCo takes both strokes
        places = [(self.folder / f / words[0]).resolve() for f in words[1:]]
        if not all(p.is_relative_to(self.folder) for p in places):
            self.problems.append(
                f"{where}: file={shown(name)} leaves the folder of the model; put the file next to "
                "it and give a relative path"
            )
            return []
        if odd := [p for p in places if p.exists() and not (p.is_file() or p.is_dir())]:
            text = f"{where}: file={shown(name)}: {odd[0].name} is a pipe, a socket or a device"
            self.problems.append(f"{text}; give a file")
            return []
        return [p for p in places if p.is_file()]

    def include(self, name: str, where: str) -> None:
        for place in self.inside(name, where)[:1]:
            if place in self.seen:
                self.problems.append(
                    f"{where}: {shown(name)} is included twice, or includes itself"
                )
            elif len(self.seen) >= MOST_FILES:
                self.problems.append(f"{where}: more than {MOST_FILES} files are included")
            else:
                kept = self.dirs
                self.file(place)
                self.dirs = kept

    def asset(self, name: str, where: str) -> None:
        for place in self.inside(name, where, ("", *self.dirs)):
            if place.stat().st_size > MOST_FILE_BYTES:
                self.problems.append(
                    f"{where}: {shown(name)} is longer than {MOST_FILE_BYTES // 1_000_000} MB"
                )


def _all(tag: Tag):
    yield tag
    for child in tag.children:
        yield from _all(child)


def _numbers(text: str) -> list[float]:
    """The numbers of an attribute; none when one of its words is not one."""
    try:
        return [float(x) for x in text.split()]
    except ValueError:
        return []


__all__ = ["scan"]
