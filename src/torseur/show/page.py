"""One self-contained page of a run: 3D, plots, tables; no request to any host."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files import whole, write
from .base import Told, element, options_of, panels, plain, script_of
from .columns import table
from .scene import scene

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from ..model import Model
    from ..results import Trajectory
    from ..system import System

KINDS = ("Joints", "Bodies", "Frames", "Forces", "Energy", "Inputs", "Other")


def page(
    run: Trajectory,
    model: Model | System | None = None,
    *,
    title: str | None = None,
    signals: Iterable[str] | None = None,
    tabs: Iterable[tuple[str, str, str]] = (),
    **options: Any,
) -> str:
    """The report of a run as one HTML text.

    Parameters
    ----------
    run : a `Trajectory`
    model : its `Model` or `System`, when the run does not know it (a run read from a file)
    signals : names that the page carries; all, thinned to fit, when left out
    tabs : further tabs, shown first: (word, title, HTML made by the caller) each
    **options : those that panels take (`show.Panel.options`)

    >>> from torseur.results import Trajectory
    >>> run = Trajectory([0.0, 1.0], {"x": [1.0, 2.0]}, {"x": "m"})
    >>> "<title>run</title>" in page(run)
    True
    """
    described, system = _model(run, model)
    title = title or getattr(system, "name", None) or run.provenance.get("model") or "run"
    every = panels()
    told = Told(run, described, system, options_of(every, options))
    names = list(signals) if signals is not None else list(run.signals)
    parameters = run.provenance.get("parameters") or (
        dict(described.parameters) if described else {}
    )
    poses = [
        f"{b.name}.{q}"
        for b in (described.bodies if described else ())
        for q in (*(f"position.{c}" for c in "xyz"), *(f"orientation.{c}" for c in "wxyz"))
    ]
    poses = [n for n in poses if n in run.units]
    names += [n for n in poses if n not in names]
    needed = {n for p in every.values() for n in p.needs(told)}
    data = table(run, names, needed={*poses, *needed})
    owners = _owners(described)
    for s in data["signals"]:
        s["group"] = _group(s["name"], owners)
    data["signals"].sort(key=lambda s: KINDS.index(s["group"][0]))
    held = frozenset(s["name"] for s in data["signals"])
    told = replace(told, held=held, rows=data["rows"], left_out=tuple(data.pop("left_out")))
    found = {word: p.data(told) for word, p in every.items()}
    places = [(word, head, html) for word, head, html in tabs]
    places += [
        (word, p.title, html)
        for word, p in every.items()
        if (html := p.html(told)) or found[word] is not None
    ]
    data |= {
        "title": str(title),
        "events": [e.time for e in run.events[:200]],
        "completed": bool(run.completed),
        "scene": scene(run, described, parameters),
        "panels": {word: plain(word, x) for word, x in found.items() if x is not None},
    }
    return _fill(
        {
            "title": escape(str(title)),
            "outcome": escape(run.outcome),
            "panels": "\n    ".join(element(*x, hidden=i > 0) for i, x in enumerate(places)),
            "scripts": "\n".join(
                script_of(word, p.script)
                for word, p in every.items()
                if p.script and found[word] is not None
            ),
            "data": json.dumps(data, separators=(",", ":"), allow_nan=False).replace(
                "<", "\\u003c"
            ),
            "style": _asset("report.css"),
            "script": _asset("report.js"),
        }
    )


def report(
    run: Trajectory,
    path: str | os.PathLike[str],
    model: Model | System | None = None,
    **options: Any,
) -> Path:
    """Write the page of a run to a file, whole or not at all; options are those of `page`."""
    with whole(path) as partial:
        partial.write_text(page(run, model, **options), encoding="utf-8")
    return Path(path)


class Page:
    """A report that shows itself: in a notebook as an iframe, elsewhere by `open()`."""

    def __init__(
        self,
        run: Trajectory,
        model: Model | System | None = None,
        *,
        height: int = 640,
        **options: Any,
    ):
        self.html, self.height = page(run, model, **options), height

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html, quote=True)}" width="100%" '
            f'height="{int(self.height)}" style="border:0" title="torseur report"></iframe>'
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, whole or not at all."""
        return write(path, self.html)

    def open(self) -> Path:
        """Show the page in the browser; answers the file it was written to."""
        import webbrowser

        folder = Path(tempfile.mkdtemp(prefix="torseur-"))
        path = self.save(folder / "run.html")
        webbrowser.open(path.as_uri())
        return path


def view(
    run: Trajectory,
    model: Model | System | None = None,
    *,
    open: bool | None = None,
    **options: Any,
) -> Page:
    """The page of a run: shown in the browser at once, or by the notebook that asked.

    `open`: whether to open the browser; by default outside notebooks only.
    """
    shown = Page(run, model, **options)
    if not _in_notebook() if open is None else open:
        shown.open()
    return shown


def _in_notebook() -> bool:
    import sys

    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


def _model(run, given):
    """The description and the checked system behind a run, as far as they are known."""
    found = given if given is not None else getattr(run, "system", None)
    if found is None:
        found = getattr(getattr(run, "_source", None), "system", None)
    if found is None:
        return None, None
    if hasattr(found, "model"):
        return found.model, found
    return found, found.check()


def _owners(model) -> dict[str, str]:
    if model is None:
        return {"energy": "Energy"}
    owners = {
        x.name: kind
        for kind, things in (
            ("Inputs", model.inputs),
            ("Frames", model.frames),
            ("Bodies", model.bodies),
            ("Joints", (*model.loops, *model.rotors, *model.joints)),
            ("Forces", model.forces),
        )
        for x in things
    }
    return owners | {"energy": "Energy"}


def _group(name: str, owners) -> tuple[str, str]:
    """Kind and owner of a signal: the longest beginning of its name that is an element."""
    head = name
    while head:
        if head in owners:
            return owners[head], head
        head = head.rpartition(".")[0]
    return "Other", name.partition(".")[0]


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def _fill(parts: dict[str, str]) -> str:
    """The template with its places filled, each once; filled text is never searched again."""
    out, rest = [], _asset("report.html")
    while (at := rest.find("{{")) >= 0:
        end = rest.index("}}", at)
        out += [rest[:at], parts[rest[at + 2 : end]]]
        rest = rest[end + 2 :]
    return "".join([*out, rest])
