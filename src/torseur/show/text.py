"""Text and HTML of elements, numbers and events, in English and French."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields, is_dataclass
from html import escape
from typing import Any

import numpy as np

from ..model.formats import specs
from .french import EVENT_VERBS, translate_sentence

Translator = Callable[[str], str]
MAX_LISTED_NUMBERS = 6  # numbers of a list that are written out
SKIPPED_FIELDS = (
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
AXIS_PREPOSITIONS = {"axis": "about", "direction": "along", "normal": "normal"}


def split_identifier(name: str) -> str:
    """Split an identifier into words.

    >>> split_identifier("JointForce"), split_identifier("free_length"), split_identifier("DCMotor")
    ('joint force', 'free length', 'DC motor')
    """
    text = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).replace("_", " ")
    return " ".join(w if w.isupper() and len(w) > 1 else w.lower() for w in text.split())


def _keep_english(text: str) -> str:
    return text


def format_number(x: Any, figures: int = 6, say: Translator = _keep_english) -> str:
    """Format a number, or the name or formula that stands for one.

    >>> format_number(0.5), format_number(-2), format_number("L/2"), format_number((0, 0, 1.5))
    ('0.5', '\N{MINUS SIGN}2', 'L/2', '0, 0, 1.5')
    """
    if isinstance(x, str):
        return x
    if isinstance(x, bool):
        return say("yes" if x else "no")
    if _is_sequence(x):
        flat = list(x)
        if len(flat) == 2 and isinstance(flat[0], str) and _is_sequence(flat[1]):
            return _format_end(x)  # a place: a body and a point of it
        if any(_is_sequence(e) for e in flat):
            return f"{len(flat)} {say('rows')}"
        if len(flat) > MAX_LISTED_NUMBERS:
            return f"{len(flat)} {say('numbers')}"
        return ", ".join(format_number(e, figures, say) for e in flat)
    try:
        return f"{float(x):.{figures}g}".replace("-", "\N{MINUS SIGN}")
    except (TypeError, ValueError):
        return str(x)


def _is_sequence(x: Any) -> bool:
    """Whether a value is a list, tuple or array of at least one dimension."""
    return isinstance(x, list | tuple) or (isinstance(x, np.ndarray) and x.ndim > 0)


def describe_element(element: Any, is_rotary: bool = False, say: Translator = _keep_english) -> str:
    """Describe an element: its type, and each number that was set, with its unit.

    `is_rotary`: the law acts on an angle, so that its stiffness is in N m/rad. `say` translates a
    word.

    >>> from torseur.forces import Parallel, Spring, Viscous
    >>> from torseur.joints import Prismatic, Revolute
    >>> describe_element(Parallel(Spring(60.0, 0.5), Viscous(0.8)))
    'spring: stiffness 60 N/m, free length 0.5 m; viscous: damping 0.8 N s/m'
    >>> describe_element(Revolute("y")), describe_element(Prismatic("x"))
    ('revolute about y', 'prismatic along x')
    >>> describe_element(Viscous(0.8), is_rotary=True)
    'viscous: damping 0.8 N m s/rad'
    """
    if not is_dataclass(element):
        return (
            format_number(element, say=say)
            if isinstance(element, str | int | float)
            else say(split_identifier(type(element).__name__))
        )
    laws = getattr(element, "laws", None)
    if isinstance(laws, tuple) and laws:
        return "; ".join(describe_element(x, is_rotary, say) for x in laws)
    units = _field_units(type(element), is_rotary)
    head, parts = say(split_identifier(type(element).__name__)), []
    for f in fields(element):
        x = getattr(element, f.name)
        if f.name in SKIPPED_FIELDS or x is None or f.name.startswith("_"):
            continue
        if f.name not in AXIS_PREPOSITIONS and _is_default(f, x):
            continue
        if f.name in AXIS_PREPOSITIONS:
            preposition = "along" if _is_prismatic(element) else AXIS_PREPOSITIONS[f.name]
            head += f" {say(preposition)} {format_number(x, say=say)}"
        elif is_dataclass(x):
            parts.append(describe_element(x, is_rotary, say))
        else:
            unit = units.get(f.name, "")
            is_point = _is_sequence(x) and len(x) and isinstance(x[0], str)
            unit = "" if unit in ("", "1") or "," in unit or is_point else f" {unit}"
            parts.append(f"{say(split_identifier(f.name))} {format_number(x, say=say)}{unit}")
    return f"{head}: {', '.join(parts)}" if parts else head


def _is_prismatic(element: Any) -> bool:
    """Whether a joint only translates, so that its axis is a direction."""
    units = {unit for _, unit in getattr(element, "coordinates", ()) or ()}
    return units == {"m"} and hasattr(element, "axis")


def _field_units(kind: type, is_rotary: bool) -> dict[str, str]:
    """Units of the fields of an element, for an angle or for a length."""
    try:
        units = {n: spec.unit or "" for n, spec in specs(kind).items()}
    except (KeyError, TypeError, AttributeError):  # an element that no file knows
        return {}
    return {n: u.split(" | ")[0 if is_rotary else -1] for n, u in units.items()}


def _is_default(f, x) -> bool:
    """Whether a field has its default value."""
    if f.default is not MISSING:
        return (
            x is f.default
            or (not _is_sequence(x) and x == f.default)
            or (isinstance(x, tuple) and x == f.default)
        )
    return f.default_factory is not MISSING and not x


def describe_ends(element: Any, say: Translator = _keep_english) -> str:
    """Describe the joint, points or bodies on which an element acts.

    >>> from torseur.forces import PointForce, Spring
    >>> describe_ends(PointForce("mount", "tool", ("world", (0.8, 0, -0.3)), Spring(60.0)))
    'from tool to world (0.8, 0, \N{MINUS SIGN}0.3) m'
    """
    if joint := getattr(element, "joint", None):
        return f"{say('on')} {joint}"
    points = [
        getattr(element, n)
        for n in ("a", "b", "parent", "child", "point", "body")
        if getattr(element, n, None)
    ]
    labels = [_format_end(e) for e in points]
    if len(labels) == 2:
        return f"{say('from')} {labels[0]} {say('to')} {labels[1]}"
    return f"{say('on')} {', '.join(labels)}" if labels else ""


def _format_end(end) -> str:
    if isinstance(end, str):
        return end
    try:
        name, point = end
        return f"{name} ({format_number(point)}) m"
    except (TypeError, ValueError):
        return str(end)


GUARD_VERBS = {
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


def describe_event(name: str) -> dict[str, str]:
    """Return owner and verb of an event, in English and French.

    >>> describe_event("engine_mount: torn")
    {'owner': 'engine_mount', 'what': 'tears', 'fr': 'se déchire'}
    """
    owner, colon, what = name.rpartition(": ")
    if not colon:
        return {"owner": "", "what": name, "fr": translate_sentence(name) or name}
    guard = what.strip(" 0123456789").removeprefix("tension ").strip(" 0123456789") or what
    verb = GUARD_VERBS.get(guard, guard)
    return {
        "owner": owner,
        "what": verb,
        "fr": EVENT_VERBS.get(verb) or translate_sentence(verb) or verb,
    }


def event_sentences(name: str) -> tuple[str, str]:
    """Return the sentence of an event in English and in French.

    >>> event_sentences("engine_mount: torn")
    ('engine_mount tears', 'engine_mount se déchire')
    """
    event = describe_event(name)
    english, translation = (f"{event['owner']} {event[n]}".strip() for n in ("what", "fr"))
    return english, translation


def escape_text(x: object) -> str:
    return escape(str(x))


def small_html(x: object, translation: str | None = None) -> str:
    """HTML of a text in small letters; `translation` is its French."""
    if translation is None:
        return f"<small>{escape_text(x)}</small>"
    return bilingual_html("small", x, translation)


def bilingual_html(
    tag: str, english: object, translation: str | None = None, css_class: str = ""
) -> str:
    """HTML element that the page shows in the reader's language.

    >>> bilingual_html("p", "reached t = 1 s by rk4")
    '<p data-say data-fr="arrivé à t = 1 s par rk4">reached t = 1 s by rk4</p>'
    """
    translation = translate_sentence(str(english)) if translation is None else translation
    data = "" if translation is None else f' data-fr="{escape(translation, quote=True)}"'
    class_attribute = f' class="{css_class}"' if css_class else ""
    return f"<{tag}{class_attribute} data-say{data}>{escape_text(english)}</{tag}>"


def table_html(title: str, pairs: Iterable[Any]) -> str:
    """HTML table of two columns, names in the first."""
    cells = ((escape_text(a), format_number(b) if isinstance(b, float) else b) for a, b in pairs)
    body = "".join(f'<tr><th scope="row">{a}</th>{bilingual_html("td", b)}</tr>' for a, b in cells)
    caption = f"<caption>{escape_text(title)}</caption>"
    return f"<table>{caption}<tbody>{body}</tbody></table>" if body else ""
