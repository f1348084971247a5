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
class Told:
    """What panels may look at: a run and, as far as they are known, its model and its system."""

    run: Trajectory
    model: Model | None
    system: System | None
    options: Mapping[str, Any]  # those of every panel, as given or left out
    held: frozenset[str] = frozenset()  # signals that the page carries
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
    """One kind of card.  A file declares it with `@card.named("word")`; lowest `place` first."""

    place: ClassVar[int] = 100

    def cards(self, told: Told) -> Iterable[Card]:
        """The cards it has for a run: none where it says nothing about it."""
        return ()


MOST_CARDS = 6
TRUST = ("energy",)  # always among them


def summary(told: Told, first: Iterable[Card] = ()) -> list[dict[str, Any]]:
    """The cards of a run: those given, then what its own kind is judged by; six at most."""
    found = [(-1, "", c) for c in first]
    for word, kind in card.items():
        found += [(kind.place, word, c) for c in kind().cards(told)]
    found.sort(key=lambda x: x[0])
    seen: set[str] = set()
    fresh = [x for x in found if not (x[2].label in seen or seen.add(x[2].label))]
    kept = [x for x in fresh if x[1] not in TRUST][: MOST_CARDS - 1]
    kept += [x for x in fresh if x[1] in TRUST]
    return [
        {f.name: x for f in fields(c) if (x := getattr(c, f.name)) not in (None, "", False)}
        | {"value": c.value if math.isfinite(c.value) else None}
        for _, _, c in kept
    ]


class Panel:
    """One tab of the report.  A file declares it with `@panel.named("word")`.

    `title` stands on the tab, `place` orders the tabs, lowest first.  `options` are further
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
    place: ClassVar[int] = 100
    options: ClassVar[Mapping[str, Any]] = {}
    script: ClassVar[str] = ""

    def needs(self, told: Told) -> Iterable[str]:
        """Signals that the page must carry for it, `held` or not yet."""
        return ()

    def html(self, told: Told) -> str:
        """Text that stands in it before any script runs; names and texts of a model escaped."""
        return ""

    def data(self, told: Told) -> dict[str, Any] | None:
        """What its script works on, as JSON; None: nothing, and the script does not run.

        `words` among it are sentences with their French, for `say`.
        """
        return None


def panels() -> dict[str, Panel]:
    """Every panel by its word, in the order of the tabs."""
    made = {word: kind() for word, kind in panel.items()}
    for word in made:
        if not (word.isascii() and word.replace("_", "").isalnum()):
            raise ArgumentError(f"panel {shown(word)}: a word is letters, digits and underscores")
    return dict(sorted(made.items(), key=lambda item: (item[1].place, item[0])))


def options_of(every: Mapping[str, Panel], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of all panels, as given or as they are when left out."""
    known = {name: x for p in every.values() for name, x in p.options.items()}
    if wrong := [unknown_name("option", n, known, "report") for n in given if n not in known]:
        raise ArgumentError("\n".join(wrong))
    return known | dict(given)


def element(word: str, title: str, html: str, hidden: bool) -> str:
    """The place of a panel on the page."""
    return (
        f'<div id="tab-{escape(word, quote=True)}" role="tabpanel" tabindex="0" '
        f'data-title="{escape(title, quote=True)}"{" hidden" * hidden}>{html}</div>'
    )


def script_of(word: str, script: str) -> str:
    """The script of a panel as an element of its own: what fails in one does not stop others."""
    text = script.strip().rstrip(";").replace("</", "<\\/").replace("<!--", "<\\!--")
    return f"<script>(window.panels ??= {{}}).{word} = {text};</script>"


def plain(word: str, data: dict[str, Any]) -> dict[str, Any]:
    """The data of a panel, if JSON can hold them."""
    try:
        json.dumps(data, allow_nan=False)
    except (TypeError, ValueError) as e:
        raise ArgumentError(f"panel {word!r}: its data cannot stand in a page: {e}") from None
    return data
