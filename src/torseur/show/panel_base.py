"""Base classes and registers of the panels (tabs) and cards (key figures) of the report."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import ArgumentError, shown, unknown_name_message
from ..register import Register

if TYPE_CHECKING:
    from ..model import Model
    from ..results import Trajectory
    from ..system import System

panel = Register("panel", f"{__package__}.panels")
card = Register("card", f"{__package__}.cards")


@dataclass(frozen=True, slots=True, eq=False)
class ReportContext:
    """Context of panels and cards: the run, and its model and system if they are known."""

    run: Trajectory
    model: Model | None
    system: System | None
    options: Mapping[str, Any]  # of every panel, with defaults
    signals: frozenset[str] = frozenset()  # names of the signals on the page
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, int))  # indices of its time points
    left_out: tuple[str, ...] = ()  # signals that were omitted
    level: int = 9  # compression: 9 for a file, 0 for a live page


@dataclass(frozen=True, slots=True)
class Card:
    """A key figure at the top of the report.

    `label` and `note` are texts of the page's catalog. `of` names the element. A click moves the
    clock to `at` [s] and plots `signal`. `event` is shown as a sentence.
    """

    label: str
    value: float
    unit: str
    of: str = ""
    at: float | None = None
    note: str = ""
    bad: bool = False
    signal: str | None = None
    event: Mapping[str, str] | None = None
    text: str | None = None
    figures: int | None = None  # significant digits, 4 if None


class CardMaker:
    """Base of one type of card, registered by `@card.named("name")`. The lowest `order` comes
    first.
    """

    order: ClassVar[int] = 100

    def cards(self, context: ReportContext) -> Iterable[Card]:
        """Yield the cards of a run, none if the card does not apply."""
        return ()


MAX_CARDS = 6
REQUIRED_CARDS = ("energy",)  # always shown


def collect_cards(context: ReportContext, first: Iterable[Card] = ()) -> list[dict[str, Any]]:
    """Return at most six cards: those of the caller, then the registered ones by `order`."""
    entries = [(-1, "", c) for c in first]
    for name, kind in card.items():
        entries += [(kind.order, name, c) for c in kind().cards(context)]
    entries.sort(key=lambda x: x[0])
    labels: set[str] = set()
    unique = [x for x in entries if not (x[2].label in labels or labels.add(x[2].label))]
    selected = [x for x in unique if x[1] not in REQUIRED_CARDS][: MAX_CARDS - 1]
    selected += [x for x in unique if x[1] in REQUIRED_CARDS]
    return [
        {f.name: x for f in fields(c) if (x := getattr(c, f.name)) not in (None, "", False)}
        | {"value": c.value if math.isfinite(c.value) else None}
        for _, _, c in selected
    ]


class Panel:
    """Base of one tab of the report, registered by `@panel.named("name")`.

    `title` is the text of the tab. The lowest `order` comes first. `options` are additional
    keywords of `run.report` with their defaults. Read their values from `context.options`.

    `script` is a JavaScript function. The page calls it once, with an object of

        run, clock, box   the run, the current time, and the HTML element of the panel
        data              the result of the method `data`
        el, select        elements: el("p", { class: "note" }, "text"), select(label, choices, ...)
        Plots             new Plots(run, clock, box, height).draw(["elbow.angle"]): time histories
        uPlot, axes, topLabel, range, largest      components of other plots
        color, ink, onTheme      colors of the page, color of line i, callback on a change of theme
        shown, prefixed, scaleOf      number formats: shown(x), prefixed(x, "N")
        say, onLanguage      say("Energy") in the reader's language, callback on its change
        floats, byId, wishes, trouble
        translate      call it after inserting text with `data-say`

    The function may return `{ appear() {...} }`. The page calls `appear` when the tab comes to the
    front.
    """

    title: ClassVar[str]
    order: ClassVar[int] = 100
    options: ClassVar[Mapping[str, Any]] = {}
    script: ClassVar[str] = ""

    def needs(self, context: ReportContext) -> Iterable[str]:
        """Names of signals that the page must contain for this panel."""
        return ()

    def html(self, context: ReportContext) -> str:
        """HTML of the panel before its script runs. Escape the names and texts of the model."""
        return ""

    def data(self, context: ReportContext) -> dict[str, Any] | None:
        """Data for the script, as JSON. The script does not run if the data are None.

        The entry `words` maps English sentences to French ones for `say`.
        """
        return None


def create_panels() -> dict[str, Panel]:
    """Create every registered panel, by name, in the order of the tabs."""
    instances = {name: kind() for name, kind in panel.items()}
    for name in instances:
        if not (name.isascii() and name.replace("_", "").isalnum()):
            raise ArgumentError(f"panel {shown(name)}: a word is letters, digits and underscores")
    return dict(sorted(instances.items(), key=lambda item: (item[1].order, item[0])))


def resolve_options(all_panels: Mapping[str, Panel], options: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the options of a report with the defaults of all panels."""
    defaults = {name: x for p in all_panels.values() for name, x in p.options.items()}
    if problems := [
        unknown_name_message("option", n, defaults, "report") for n in options if n not in defaults
    ]:
        raise ArgumentError("\n".join(problems))
    return defaults | dict(options)


def panel_element(name: str, title: str, html: str, hidden: bool) -> str:
    """HTML element of a panel."""
    return (
        f'<div id="tab-{escape(name, quote=True)}" role="tabpanel" tabindex="0" '
        f'data-title="{escape(title, quote=True)}"{" hidden" * hidden}>{html}</div>'
    )


def panel_script(name: str, script: str) -> str:
    """Script element of one panel, so that an error does not stop other panels."""
    text = script.strip().rstrip(";").replace("</", "<\\/").replace("<!--", "<\\!--")
    return f"<script>(window.panels ??= {{}}).{name} = {text};</script>"


def check_json(name: str, data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a panel, or raise an error if JSON cannot represent them."""
    try:
        json.dumps(data, allow_nan=False)
    except (TypeError, ValueError) as e:
        raise ArgumentError(f"panel {name!r}: its data cannot stand in a page: {e}") from None
    return data
