"""HTML representation of models, systems and runs in notebooks."""

from __future__ import annotations

import base64
import io
from html import escape
from typing import TYPE_CHECKING, Any

from ..errors import TorseurError
from ..views import tabled, view
from .page import find_model
from .panel_base import ReportContext, collect_cards
from .panels.model import model_tree
from .software_renderer import Renderer
from .svg_plots import Line, figure
from .text import format_number

if TYPE_CHECKING:
    from ..model import Model
    from ..results import Trajectory
    from ..system import System

COLOR_VARIABLES = "--soft:#667;--grid:#e6e9ee;--grid-strong:#bcc4d0"
STYLE = (  # pages around it set large headings and tables without room
    "<style>.torseur-shown h2{font-size:1rem;margin:.6em 0 .2em}"
    ".torseur-shown td{padding:.15em .8em .15em 0;text-align:left}"
    ".torseur-shown figure{margin:.6em 0}.torseur-shown figcaption{text-align:left}"
    ".torseur-shown .key{margin-left:.8em}.torseur-shown .key i{display:inline-block;"
    "width:.8em;height:.8em;border-radius:2px;margin-right:.3em}</style>"
)
MAX_PLOTTED_SIGNALS = 4  # signals of a run that are drawn


def model_html(model: Model) -> str:
    """HTML of a model: image of its initial pose and its tree, or its problems."""
    try:
        system = model.check()
    except TorseurError as e:
        return f"<b>{escape(model.name)}</b><pre>{escape(str(e))}</pre>{model_tree(model)}"
    counts = (
        f"{len(model.bodies)} bodies, {len(model.joints)} joints, {len(model.forces)} forces; "
        f"{system.nv} speeds" + f", {len(system.held)} loops and constraints" * bool(system.held)
    )
    return (
        f'<div class="torseur-shown">{STYLE}<b>{escape(model.name)}</b>: {escape(counts)}'
        '<div style="display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start">'
        f"{_render_thumbnail(model)}<div>{model_tree(model, system.warnings)}</div></div></div>"
    )


def system_html(system: System) -> str:
    """HTML of a checked system: table of its ports."""
    rows = [(p.place, p.name, p.unit) for p in system.ports]
    caption = (
        f"{system.name}: {system.nq} coordinates, {system.nv} speeds, digest {system.digest[:12]}"
    )
    return tabled(caption, ("place", "name", "unit"), rows)


def run_html(run: Trajectory) -> str:
    """HTML of a run: outcome, key figures, and plots of the first signals."""
    description, system = find_model(run, None)
    cards = collect_cards(ReportContext(run, description, system, {}))
    rows = [
        (
            c["label"],
            c.get("text") or format_number(c["value"], 4),
            c["unit"].replace("1", ""),
            _format_note(c),
        )
        for c in cards
        if c["value"] is not None
    ]
    names = [n for n in run.provenance.get("coordinates", ()) if n in run.units][
        :MAX_PLOTTED_SIGNALS
    ]
    names = names or list(run.signals[:MAX_PLOTTED_SIGNALS])
    units: dict[str, list[str]] = {}
    for n in names:
        units.setdefault(run.units[n], []).append(n)
    plots = "".join(
        figure(f"[{unit}]", [Line(n, run.time, run[n]) for n in group], "time [s]", "")
        for unit, group in units.items()
        if len(run.time) > 1
    )
    left = len(run.signals) - len(names)
    remainder = f"<small>{left} more signals: run.signals</small>" if left > 0 else ""
    name = escape(str(run.provenance.get("model", "run")))
    return (
        f'<div class="torseur-shown" style="{COLOR_VARIABLES};max-width:660px">{STYLE}'
        f"<b>{name}</b>: "
        f"{escape(run.outcome)}{tabled('', ('', '', '', ''), rows)}{plots}{remainder}</div>"
    )


def _format_note(c: dict[str, Any]) -> str:
    """Note of a card: owner, time, remark and event."""
    event = c.get("event")
    parts = [c.get("of", ""), f"at {c['at']:.4g} s" if "at" in c else "", c.get("note", "")]
    if event:
        parts.append(f"{event['owner']} {event['what']}".strip())
    return ", ".join(p for p in parts if p)


def _render_thumbnail(model) -> str:
    """Image of a model in its initial pose. Empty if it cannot be assembled or rendered."""
    try:
        run = view("posture")(model)
        image = Renderer(run, model, dict(model.parameters), (320, 220)).draw(0)
    except (TorseurError, ArithmeticError, LookupError, TypeError, ValueError):
        return ""  # parameters without values, loops that do not close, no Pillow
    out = io.BytesIO()
    image.save(out, format="PNG")
    data = base64.b64encode(out.getvalue()).decode()
    return f'<img alt="{escape(model.name, quote=True)}" src="data:image/png;base64,{data}">'
