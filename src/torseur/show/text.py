"""Elements of a model in words, with numbers and units: what the page and notebooks say of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from html import escape
from typing import Any

import numpy as np

from ..model.formats import specs
from .french import HAPPENS, french

Say = Callable[[str], str]
LONG = 6  # numbers of a list that are written out
SKIPPED = (
    "name",
    "joint",
    "a",
    "b",
    "point",
    "parent",
    "child",
    "at",
    "rpy",
    "pose",
    "law",
    "kind",
)
ABOUT = {"axis": "about", "direction": "along", "normal": "normal"}


def words_of(name: str) -> str:
    """A name of the code as words.

    >>> words_of("JointForce"), words_of("free_length"), words_of("DCMotor")
    ('joint force', 'free length', 'DC motor')
    """
    text = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).replace("_", " ")
    return " ".join(w if w.isupper() and len(w) > 1 else w.lower() for w in text.split())


def _english(word: str) -> str:
    return word


def number(x: Any, figures: int = 6, say: Say = _english) -> str:
    """A number, or the name or formula that stands for one, as people write it.

    >>> number(0.5), number(-2), number("L/2"), number((0, 0, 1.5))
    ('0.5', '\N{MINUS SIGN}2', 'L/2', '0, 0, 1.5')
    """
    if isinstance(x, str):
        return x
    if isinstance(x, bool):
        return say("yes" if x else "no")
    if _many(x):
        flat = list(x)
        if len(flat) == 2 and isinstance(flat[0], str) and _many(flat[1]):
            return _end(x)  # a place: a body and a point of it
        if any(_many(e) for e in flat):
            return f"{len(flat)} {say('rows')}"
        if len(flat) > LONG:
            return f"{len(flat)} {say('numbers')}"
        return ", ".join(number(e, figures, say) for e in flat)
    try:
        return f"{float(x):.{figures}g}".replace("-", "\N{MINUS SIGN}")
    except (TypeError, ValueError):
        return str(x)


def _many(x: Any) -> bool:
    """Whether something is a list; NumPy refuses to count pairs of a name and a point."""
    return isinstance(x, list | tuple) or (isinstance(x, np.ndarray) and x.ndim > 0)


def described(thing: Any, turning: bool = False, say: Say = _english) -> str:
    """An element in words: what it is, and each number that was given, with its unit.

    `turning`: whether a law acts on an angle, so that its stiffness is in N m/rad.  `say`: what
    turns a word into the reader's language.

    >>> from torseur.forces import Parallel, Spring, Viscous
    >>> from torseur.joints import Prismatic, Revolute
    >>> described(Parallel(Spring(60.0, 0.5), Viscous(0.8)))
    'spring: stiffness 60 N/m, free length 0.5 m; viscous: damping 0.8 N s/m'
    >>> described(Revolute("y")), described(Prismatic("x"))
    ('revolute about y', 'prismatic along x')
    >>> described(Viscous(0.8), turning=True)
    'viscous: damping 0.8 N m s/rad'
    """
    if not is_dataclass(thing):
        return (
            number(thing, say=say)
            if isinstance(thing, str | int | float)
            else say(words_of(type(thing).__name__))
        )
    laws = getattr(thing, "laws", None)
    if isinstance(laws, tuple) and laws:
        return "; ".join(described(x, turning, say) for x in laws)
    units = _units(type(thing), turning)
    head, parts = say(words_of(type(thing).__name__)), []
    for f in fields(thing):
        x = getattr(thing, f.name)
        if f.name in SKIPPED or x is None or f.name.startswith("_"):
            continue
        if f.name not in ABOUT and _usual(f, x):
            continue
        if f.name in ABOUT:
            way = "along" if _slides(thing) else ABOUT[f.name]
            head += f" {say(way)} {number(x, say=say)}"
        elif is_dataclass(x):
            parts.append(described(x, turning, say))
        else:
            unit = units.get(f.name, "")
            placed = _many(x) and len(x) and isinstance(x[0], str)
            unit = "" if unit in ("", "1") or "," in unit or placed else f" {unit}"
            parts.append(f"{say(words_of(f.name))} {number(x, say=say)}{unit}")
    return f"{head}: {', '.join(parts)}" if parts else head


def _slides(thing: Any) -> bool:
    """Whether a joint only slides, so that its axis is a direction."""
    moves = {unit for _, unit in getattr(thing, "coordinates", ()) or ()}
    return moves == {"m"} and hasattr(thing, "axis")


def _units(kind: type, turning: bool) -> dict[str, str]:
    """Units of the fields of an element: of an angle, or of a length."""
    try:
        found = {n: spec.unit or "" for n, spec in specs(kind).items()}
    except (KeyError, TypeError, AttributeError):  # an element that no file knows
        return {}
    return {n: u.split(" | ")[0 if turning else -1] for n, u in found.items()}


def _usual(f, x) -> bool:
    """Whether a field has the value it has when left out."""
    if f.default is not MISSING:
        return (
            x is f.default
            or (not _many(x) and x == f.default)
            or (isinstance(x, tuple) and x == f.default)
        )
    return f.default_factory is not MISSING and not x


def ends_of(thing: Any, say: Say = _english) -> str:
    """Where an element acts: its joint, its points, its bodies.

    >>> from torseur.forces import PointForce, Spring
    >>> ends_of(PointForce("mount", "tool", ("world", (0.8, 0, -0.3)), Spring(60.0)))
    'from tool to world (0.8, 0, \N{MINUS SIGN}0.3) m'
    """
    if joint := getattr(thing, "joint", None):
        return f"{say('on')} {joint}"
    ends = [
        getattr(thing, n)
        for n in ("a", "b", "parent", "child", "point", "body")
        if getattr(thing, n, None)
    ]
    said = [_end(e) for e in ends]
    if len(said) == 2:
        return f"{say('from')} {said[0]} {say('to')} {said[1]}"
    return f"{say('on')} {', '.join(said)}" if said else ""


def _end(end) -> str:
    if isinstance(end, str):
        return end
    try:
        name, point = end
        return f"{name} ({number(point)}) m"
    except (TypeError, ValueError):
        return str(end)


# --------------------------------------------------------------------------------------------
# Events told as sentences: who, and what it does.


SAID = {
    "torn": "tears",
    "stops": "stops sliding",
    "turns": "slides the other way",
    "turning": "turns",
    "knot above": "passes a knot of its table",
    "knot below": "passes a knot of its table",
    "bound above": "passes a knot of its table",
    "bound below": "passes a knot of its table",
    "set": "is fully unloaded",
    "slid off": "slides off",
    "high": "reaches its bound",
    "breakpoint": "changes with time",
    "yields forward": "yields",
    "yields backward": "yields",
    "breaks forward": "breaks loose",
    "breaks backward": "breaks loose",
    "t": "changes with time",
    "rises": "is passed upwards",
    "falls": "is passed downwards",
    "switch": "switches",
    "high stop": "reaches its high stop",
    "low stop": "reaches its low stop",
    "edge above": "comes to the edge of its play",
    "edge below": "comes to the edge of its play",
    "knee": "passes the knee of its curve",
}
"""What a guard is called, and what a person says; others are said as they are called."""


def said(name: str) -> dict[str, str]:
    """Owner and verb of an event.

    >>> said("engine_mount: torn")
    {'owner': 'engine_mount', 'what': 'tears', 'fr': 'se déchire'}
    """
    owner, colon, what = name.rpartition(": ")
    if not colon:
        return {"owner": "", "what": name, "fr": french(name) or name}
    part = what.strip(" 0123456789").removeprefix("tension ").strip(" 0123456789") or what
    told = SAID.get(part, part)
    return {"owner": owner, "what": told, "fr": HAPPENS.get(told) or french(told) or told}


def sentences(name: str) -> tuple[str, str]:
    """An event as a person tells it, in English and in French.

    >>> sentences("engine_mount: torn")
    ('engine_mount tears', 'engine_mount se déchire')
    """
    found = said(name)
    english, said_in_french = (f"{found['owner']} {found[n]}".strip() for n in ("what", "fr"))
    return english, said_in_french


# --------------------------------------------------------------------------------------------
# Written parts of a page, as HTML.


def text(x) -> str:
    return escape(str(x))


def small(x, said: str | None = None) -> str:
    """A text in small letters; `said`: the same in French."""
    return both("small", x, said) if said is not None else f"<small>{text(x)}</small>"


def both(tag: str, english, said: str | None = None, kind: str = "") -> str:
    """An element that the page shows in the reader's language.

    >>> both("p", "reached t = 1 s by rk4")
    '<p data-say data-fr="arrivé à t = 1 s par rk4">reached t = 1 s by rk4</p>'
    """
    said = said if said is not None else french(str(english))
    also = f' data-fr="{escape(said, quote=True)}"' if said is not None else ""
    of = f' class="{kind}"' if kind else ""
    return f"<{tag}{of} data-say{also}>{text(english)}</{tag}>"


def rows(title: str, pairs) -> str:
    """A table of two columns, names in the first."""
    cells = ((text(a), number(b) if isinstance(b, float) else b) for a, b in pairs)
    body = "".join(f'<tr><th scope="row">{a}</th>{both("td", b)}</tr>' for a, b in cells)
    return f"<table><caption>{text(title)}</caption><tbody>{body}</tbody></table>" if body else ""
