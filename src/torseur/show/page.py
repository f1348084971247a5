"""Interactive report of a run as one self-contained HTML file: 3D view, plots and tables."""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from ..errors import ArgumentError, shown
from ..files import page_place, whole, write_page
from ..results import Trajectory
from .beam_shapes import segment_beams
from .french import translate_sentence, translate_sentences
from .overlays import check_labels, pack_overlays
from .panel_base import (
    Card,
    ReportContext,
    check_json,
    collect_cards,
    create_panels,
    panel_element,
    panel_script,
    resolve_options,
)
from .scene import build_scene
from .signal_packing import pack_signals
from .text import describe_event

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from ..model import Model
    from ..system import System

    Runs = Trajectory | Sequence[Trajectory | str | os.PathLike[str]]

SIGNAL_GROUPS = ("Joints", "Bodies", "Frames", "Forces", "Energy", "Inputs", "Other")


def page(
    run: Runs,
    model: Model | System | None = None,
    *,
    title: str | None = None,
    signals: Iterable[str] | None = None,
    tabs: Iterable[tuple[str, str, str]] = (),
    cards: Iterable[Card] = (),
    labels: Sequence[str] | None = None,
    words: Mapping[str, str] | None = None,
    reach: str = "'none'",
    **options: Any,
) -> str:
    """Return the report of a run as one HTML text.

    Parameters
    ----------
    run : a `Trajectory`; or several, the first with those that are laid over it: runs, or
        files (.nc of a run, .csv measured, whose columns are named as the run's signals)
    model : its `Model` or `System`, when the run does not know it (a run read from a file)
    signals : names that the page carries; all, thinned to fit, when left out
    tabs : further tabs, shown first: (word, title, HTML made by the caller) each
    cards : numbers to show first, before those that fit every run
    labels : what several runs are called, one each
    words : French of what further tabs say in elements marked `data-say`, by the English text
    reach : hosts that the page may ask, as its security policy says them; none
    **options : those that panels take (`show.Panel.options`)

    >>> from torseur.results import Trajectory
    >>> run = Trajectory([0.0, 1.0], {"x": [1.0, 2.0]}, {"x": "m"})
    >>> "<title>run</title>" in page(run)
    True
    """
    run, others = split_runs(run, labels)
    context, data, panel_tabs = collect_contents(run, model, options, title, signals, cards)
    data["others"] = pack_overlays(run, others, labels, sorted(context.signals))
    data["label"] = labels[0] if labels else "run 1" if others else None
    data["words"] |= words or {}
    all_panels = create_panels()
    caller_tabs = [(name, head, html) for name, head, html in tabs]
    return _fill_template(
        {
            "title": escape(data["title"]),
            "outcome": escape(run.outcome),
            "reach": reach,
            "panels": "\n    ".join(
                panel_element(*x, hidden=i > 0) for i, x in enumerate([*caller_tabs, *panel_tabs])
            ),
            "scripts": "\n".join(
                panel_script(name, p.script)
                for name, p in all_panels.items()
                if p.script and name in data["panels"]
            ),
            "data": json.dumps(data, separators=(",", ":"), allow_nan=False).replace(
                "<", "\\u003c"
            ),
            "style": _read_asset("report.css"),
            "script": _read_asset("report.js"),
        }
    )


def extract_shared_assets(html: str) -> tuple[str, dict[str, str]]:
    """Remove the style sheet and the script that all reports share. Return the rest, and the two by
    name.

    `@style@` and `@script@` mark their positions, so that a file with many reports contains them
    once.
    """
    parts = {"style": _read_asset("report.css"), "script": _read_asset("report.js")}
    for name, text in parts.items():
        html = html.replace(text, f"@{name}@")
    return html, parts


def split_runs(run: Runs, labels: Any = None) -> tuple[Trajectory, list[Any]]:
    """Return the run of a report and the runs that overlay it."""
    runs: list[Any] = [*run] if isinstance(run, list | tuple) else [run]
    if not runs or not isinstance(runs[0], Trajectory):
        what = runs[0] if runs else runs
        raise ArgumentError(f"report: the first must be a run (a Trajectory), got {shown(what)}")
    check_labels(labels, len(runs), "report")
    return runs[0], runs[1:]


def collect_contents(
    run: Trajectory,
    model: Model | System | None,
    options: Mapping[str, Any],
    title: str | None = None,
    signals: Iterable[str] | None = None,
    cards: Iterable[Card] = (),
    only: Iterable[str] | None = None,
) -> tuple[ReportContext, dict[str, Any], list[tuple[str, str, str]]]:
    """Collect the context of the panels, the data of the page, and the HTML of its tabs.

    `only`: names of the panels whose HTML an open page needs. All if None.
    """
    description, system = find_model(run, model)
    if title is not None and not isinstance(title, str):
        raise ArgumentError(f"report: title = {shown(title)}; expected a text")
    title = title or getattr(system, "name", None) or run.provenance.get("model") or "run"
    all_panels = create_panels()
    context = ReportContext(
        run,
        description,
        system,
        resolve_options(all_panels, options),
        level=9 if only is None else 0,
    )
    names = list(run.signals) if signals is None else run.named(signals)
    parameters = run.provenance.get("parameters") or (
        dict(description.parameters) if description else {}
    )
    segmented_run, segmented_model = segment_beams(run, description, parameters)
    poses = find_pose_signals(segmented_run, segmented_model)
    names += [n for n in poses if n not in names]
    needed = {n for p in all_panels.values() for n in p.needs(context)}
    data = pack_signals(segmented_run, names, needed={*poses, *needed}, level=context.level)
    _label_signals(data["signals"], segmented_model)
    page_signals = frozenset(s["name"] for s in data["signals"])
    rows = data.pop("kept")
    context = replace(context, signals=page_signals, rows=rows, left_out=tuple(data["left_out"]))
    panel_data = {k: p.data(context) for k, p in all_panels.items()}
    panel_html = {k: p.html(context) for k, p in all_panels.items() if only is None or k in only}
    tabs = [
        (k, all_panels[k].title, html)
        for k, html in panel_html.items()
        if html or panel_data[k] is not None
    ]
    translations = translate_sentences([run.outcome])
    for x in panel_data.values():
        translations |= (x or {}).pop("words", {})
    data |= {
        "partial": False,
        "title": str(title),
        "outcome": run.outcome,
        "notes": _bilingual_notes(run),
        "words": translations,
        "events": [{"t": e.time} | describe_event(e.name) for e in run.events[:200]],
        "happened": len(run.events),
        "completed": bool(run.completed),
        "span": float(run.time[-1] - run.time[0]) if len(run.time) else 0.0,
        "closes": _energy_error(run),
        "cards": collect_cards(context, cards),
        "scene": build_scene(segmented_run, segmented_model, parameters),
        "panels": {k: check_json(k, x) for k, x in panel_data.items() if x is not None},
    }
    return context, data, tabs


def _label_signals(signals: list[dict[str, Any]], model: Model | None) -> None:
    """Set group and body of every signal of the page, and sort the signals by group."""
    owners, body_numbers = _signal_owners(model), _body_numbers(model)
    for s in signals:
        s["group"] = _classify_signal(s["name"], owners)
        if s["group"][1] in body_numbers:
            s["body"] = body_numbers[s["group"][1]]
    signals.sort(key=lambda s: SIGNAL_GROUPS.index(s["group"][0]))


def _bilingual_notes(run) -> list[dict[str, str]]:
    """Notes of the diagnosis of a completed run, shortened, in English and French."""
    out = []
    for part in run.diagnosis.notes if run.completed else ():
        english, translation = part, translate_sentence(f"; {part}") or part
        short = [
            re.sub(r" \(.*|(?<=\w)\s?: .*", "", x).lstrip(" ;") for x in (english, translation)
        ]
        out.append({"what": short[0], "fr": short[1]})
    return out


@overload
def report(
    run: Runs, path: None = None, model: Model | System | None = None, **options: Any
) -> Page: ...
@overload
def report(
    run: Runs, path: str | os.PathLike[str], model: Model | System | None = None, **options: Any
) -> Path: ...
def report(
    run: Runs,
    path: str | os.PathLike[str] | None = None,
    model: Model | System | None = None,
    **options: Any,
) -> Path | Page:
    """Write the report of one or several runs to a file, atomically.

    Without a path, return the page, which a notebook displays and `page.save(path)` writes. Further
    runs and measurements overlay the first run: `ts.report([run, other, "test.csv"], path)`. The
    options are those of `page`.
    """
    if path is None:
        return Page(run, model, **options)
    path = page_place(path)
    with whole(path) as partial:
        partial.write_text(page(run, model, **options), encoding="utf-8")
    return path


class Page:
    """A report with a notebook representation (an iframe) and a method `open()` for the browser."""

    def __init__(
        self,
        run: Runs,
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
        """Write the report to a file, atomically."""
        return write_page(path, self.html)

    def open(self) -> Path:
        """Open the report in the browser. Return the path of the temporary file."""
        import webbrowser

        folder = Path(tempfile.mkdtemp(prefix="torseur-"))
        path = self.save(folder / "run.html")
        webbrowser.open(path.as_uri())
        return path


def view(
    run: Runs,
    model: Model | System | None = None,
    *,
    open: bool | None = None,
    **options: Any,
) -> Page:
    """Return the report of a run, and open it in the browser outside notebooks.

    `open` overrides whether the browser opens.
    """
    report_page = Page(run, model, **options)
    if not in_notebook() if open is None else open:
        report_page.open()
    return report_page


def in_notebook() -> bool:
    """Whether the code runs in a notebook, which displays results itself."""
    import sys

    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


def find_model(run: Any, model: Any) -> tuple[Any, Any]:
    """Return the model description and the checked system of a run. Either can be None."""
    source = model if model is not None else getattr(run, "system", None)
    if source is None:
        source = getattr(getattr(run, "_source", None), "system", None)
    if source is None:
        return None, None
    if hasattr(source, "model"):
        return source.model, source
    return source, source.check()


def find_pose_signals(run: Any, description: Model | None) -> list[str]:
    """Names of the pose signals of all bodies that the run contains."""
    parts = [*(f"position.{c}" for c in "xyz"), *(f"orientation.{c}" for c in "wxyz")]
    names = [f"{b.name}.{q}" for b in (description.bodies if description else ()) for q in parts]
    return [n for n in names if n in run.units]


def _energy_error(run) -> float | None:
    """Largest residual of the energy balance over the largest energy. None without a balance."""
    if "energy.residual" not in run.units or not len(run.time):
        return None
    error = float(run.energy_audit.relative)
    return error if math.isfinite(error) else None


def _body_numbers(model) -> dict[str, int]:
    """Index of the body whose color the signals of a body, joint or frame have."""
    if model is None:
        return {}
    number = {b.name: i for i, b in enumerate(model.bodies)}
    frames = {f.name: number[f.body] for f in model.frames if f.body in number}
    return frames | {j.name: number[j.child] for j in model.joints if j.child in number} | number


def _signal_owners(model) -> dict[str, str]:
    """Group of the report's signal list for every element of a model."""
    if model is None:
        return {"energy": "Energy"}
    owners = {
        x.name: kind
        for kind, elements in (
            ("Inputs", model.inputs),
            ("Frames", model.frames),
            ("Bodies", model.bodies),
            ("Joints", (*model.loops, *model.rotors, *model.joints)),
            ("Forces", model.forces),
        )
        for x in elements
    }
    return owners | {"energy": "Energy"}


def _classify_signal(name: str, owners) -> tuple[str, str]:
    """Group and owner of a signal. The owner is the longest prefix that is an element."""
    head = name
    while head:
        if head in owners:
            return owners[head], head
        head = head.rpartition(".")[0]
    return "Other", name.partition(".")[0]


def _read_asset(name: str) -> str:
    return (files(__package__ or "") / "assets" / name).read_text(encoding="utf-8")


def _fill_template(parts: dict[str, str]) -> str:
    """Fill the template. Inserted texts are not searched for further fields."""
    out, rest = [], _read_asset("report.html")
    while (at := rest.find("{{")) >= 0:
        end = rest.index("}}", at)
        out += [rest[:at], parts[rest[at + 2 : end]]]
        rest = rest[end + 2 :]
    return "".join([*out, rest])


def preview_contents(
    run: Trajectory, model: Model | System | None, names: Iterable[str], shapes: bool
) -> dict[str, Any]:
    """Collect the data that a page needs while a slider moves: poses, some signals, events and
    outcome.

    With `shapes` the 3D scene too. `collect_contents` supplies the rest when the slider rests.

    >>> from torseur.results import Trajectory
    >>> run = Trajectory([0.0, 1.0], {"x": [1.0, 2.0], "y": [0.0, 0.0]}, {"x": "m", "y": "m"})
    >>> [s["name"] for s in preview_contents(run, None, ["x", "gone"], False)["signals"]]
    ['x']
    """
    description, _ = find_model(run, model)
    parameters = run.provenance.get("parameters") or {}
    segmented_run, segmented_model = segment_beams(run, description, parameters)
    requested = dict.fromkeys([*names, *find_pose_signals(segmented_run, segmented_model)])
    data = pack_signals(
        segmented_run, [n for n in requested if n in segmented_run.units], needed=requested, level=0
    )
    del data["kept"]
    data |= {
        "partial": True,
        "outcome": run.outcome,
        "completed": bool(run.completed),
        "events": [{"t": e.time} | describe_event(e.name) for e in run.events[:200]],
    }
    if shapes and description is not None:
        data["scene"] = build_scene(segmented_run, segmented_model, parameters)
    return data
