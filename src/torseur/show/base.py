"""What a panel of the report is: a tab with its text, its data and its script, all in one file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import ArgumentError, shown, unknown_name
from ..register import Register

if TYPE_CHECKING:
    from ..model import Model
    from ..results import Trajectory
    from ..system import System

panel = Register("panel", f"{__package__}.panels")


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What panels may look at: a run and, as far as they are known, its model and its system."""

    run: Trajectory
    model: Model | None
    system: System | None
    options: Mapping[str, Any]  # those of every panel, as given or left out
    held: frozenset[str] = frozenset()  # signals that the page carries
    rows: int = 0  # rows that it carries
    left_out: tuple[str, ...] = ()  # signals there was no room for


class Panel:
    """One tab of the report.  A file declares it with `@panel.named("word")`.

    `title` stands on the tab, `place` orders the tabs, lowest first.  `options` are further
    keywords of `run.report`, with their values when left out; `told.options` has them.

    `script` is a JavaScript function, called once when the page opens with an object of

        run, clock, box   the run, the time that moves, and the panel's own element to fill
        data              what `data` said
        el, select        elements: el("p", { class: "note" }, "text"), select(label, choices, ...)
        Plots             new Plots(run, clock, box, height).draw(["elbow.angle"]): against time
        uPlot, axes, range, color, onTheme, shown, byId, wishes

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
        """What its script works on, as JSON; None: nothing, and the script does not run."""
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
