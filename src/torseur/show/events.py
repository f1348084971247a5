"""Events told as sentences: who, and what it does."""

from __future__ import annotations

from .french import HAPPENS, french

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
