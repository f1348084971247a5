"""What a panel of the report is: a tab with its text, its data and its script, all in one file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import ArgumentError, shown, unknown_name
from ..register import Register

if TYPE_CHECKING:
    from ..model import Model
    from ..results import Trajectory
    from ..system import System

panel = Register("panel", f"{__package__}.panels")
card = Register("card", f"{__package__}.cards")


@dataclass(frozen=True, slots=True, eq=False)
class ReportContext:
    """What panels may look at: a run and, as far as they are known, its model and its system."""

    run: Trajectory
    model: Model | None
    system: System | None
    options: Mapping[str, Any]  # those of every panel, as given or left out
    signals: frozenset[str] = frozenset()  # signals that the page carries
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, int))  # those that it carries
    left_out: tuple[str, ...] = ()  # signals there was no room for
    level: int = 9  # how hard columns are packed: 9 for a file, 0 for a page that waits


@dataclass(frozen=True, slots=True)
class Card:
    """A number at the top of the page: what, how much, of whom and when.

    `label` and `note` are words that the page knows in its languages; `at` [s] is where a click
    takes the clock, `signal` what it draws.  `event` is told as a sentence.
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
    figures: int | None = None  # how many its number has; four


class CardMaker:
    """One kind of card.  A file declares it with `@card.named("word")`; lowest `order` first."""

    order: ClassVar[int] = 100

    def cards(self, context: ReportContext) -> Iterable[Card]:
        """The cards it has for a run: none where it says nothing about it."""
        return ()


MAX_CARDS = 6
REQUIRED_CARDS = ("energy",)  # always among them


def collect_cards(context: ReportContext, first: Iterable[Card] = ()) -> list[dict[str, Any]]:
    """The cards of a run: those given, then what its own kind is judged by; six at most."""
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
    """One tab of the report.  A file declares it with `@panel.named("word")`.

    `title` stands on the tab, `order` orders the tabs, lowest first.  `options` are further
    keywords of `run.report`, with their values when left out; `told.options` has them.

    `script` is a JavaScript function, called once when the page opens with an object of

        run, clock, box   the run, the time that moves, and the panel's own element to fill
        data              what `data` said
        el, select        elements: el("p", { class: "note" }, "text"), select(label, choices, ...)
        Plots             new Plots(run, clock, box, height).draw(["elbow.angle"]): against time
        uPlot, axes, topLabel, range, largest      what plots of its own are made of
        color, ink, onTheme      colors of the page, of line i, and a call when they change
        shown, prefixed, scaleOf      numbers for people: shown(x), prefixed(x, "N")
        say, onLanguage      say("Energy") in the reader's language, and a call when it changes
        floats, byId, wishes, trouble
        translate      call it when text with `data-say` was put in

    It may answer `{ appear() {...} }`, which is called when the tab comes to the front.
    """

    title: ClassVar[str]
    order: ClassVar[int] = 100
    options: ClassVar[Mapping[str, Any]] = {}
    script: ClassVar[str] = ""

    def needs(self, context: ReportContext) -> Iterable[str]:
        """Signals that the page must carry for it, `held` or not yet."""
        return ()

    def html(self, context: ReportContext) -> str:
        """Text that stands in it before any script runs; names and texts of a model escaped."""
        return ""

    def data(self, context: ReportContext) -> dict[str, Any] | None:
        """What its script works on, as JSON; None: nothing, and the script does not run.

        `words` among it are sentences with their French, for `say`.
        """
        return None


def create_panels() -> dict[str, Panel]:
    """Every panel by its word, in the order of the tabs."""
    instances = {word: kind() for word, kind in panel.items()}
    for name in instances:
        if not (name.isascii() and name.replace("_", "").isalnum()):
            raise ArgumentError(f"panel {shown(name)}: a word is letters, digits and underscores")
    return dict(sorted(instances.items(), key=lambda item: (item[1].order, item[0])))


def resolve_options(all_panels: Mapping[str, Panel], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of all panels, as given or as they are when left out."""
    defaults = {name: x for p in all_panels.values() for name, x in p.options.items()}
    if problems := [
        unknown_name("option", n, defaults, "report") for n in options if n not in defaults
    ]:
        raise ArgumentError("\n".join(problems))
    return defaults | dict(options)


def panel_element(name: str, title: str, html: str, hidden: bool) -> str:
    """The place of a panel on the page."""
    return (
        f'<div id="tab-{escape(name, quote=True)}" role="tabpanel" tabindex="0" '
        f'data-title="{escape(title, quote=True)}"{" hidden" * hidden}>{html}</div>'
    )


def panel_script(name: str, script: str) -> str:
    """The script of a panel as an element of its own: what fails in one does not stop others."""
    text = script.strip().rstrip(";").replace("</", "<\\/").replace("<!--", "<\\!--")
    return f"<script>(window.panels ??= {{}}).{name} = {text};</script>"


def check_json(name: str, data: dict[str, Any]) -> dict[str, Any]:
    """The data of a panel, if JSON can hold them."""
    try:
        json.dumps(data, allow_nan=False)
    except (TypeError, ValueError) as e:
        raise ArgumentError(f"panel {name!r}: its data cannot stand in a page: {e}") from None
    return data
