"""Events told as sentences: who, and what it does."""

from __future__ import annotations

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
}
"""What a guard is called, and what a person says; others are said as they are called."""


def said(name: str) -> dict[str, str]:
    """Owner and verb of an event.

    >>> said("engine_mount: torn")
    {'owner': 'engine_mount', 'what': 'tears'}
    """
    owner, colon, what = name.rpartition(": ")
    if not colon:
        return {"owner": "", "what": name}
    part = what.removeprefix("tension ").rstrip(" 0123456789") or what
    return {"owner": owner, "what": SAID.get(part, part)}


def sentence(name: str) -> str:
    """An event as a person tells it.

    >>> sentence("engine_mount: torn")
    'engine_mount tears'
    """
    found = said(name)
    return f"{found['owner']} {found['what']}".strip()
