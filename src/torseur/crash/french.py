"""The words of the crash tab in French."""

from __future__ import annotations

import re

WORDS = {
    "Deceleration": "Décélération", "Speed": "Vitesse", "Way": "Course", "Force against crush": "Force selon l'écrasement",
    "Energy by member": "Énergie par élément", "Force on the wall": "Force sur le mur", "Metrics": "Critères", "Energy at the end": "Énergie à la fin",
    "time [ms]": "temps [ms]", "crush [mm]": "écrasement [mm]", "as computed": "sans filtre", "measured": "mesuré",
    "measured, CFC 60": "mesuré, CFC 60", "member": "élément", "total": "total", "ISO 18571 score": "note ISO 18571",
    "peak, unfiltered": "maximum, sans filtre", "peak, CFC 60": "maximum, CFC 60", "crush": "écrasement", "change of speed": "variation de vitesse",
    "restitution": "restitution", "pulse duration": "durée du choc", "hic15": "HIC 15", "hic36": "HIC 36", "chest 3ms": "thorax, 3 ms",
    "head excursion": "avancée de la tête", "chest compression": "enfoncement du thorax", "lap belt": "sangle ventrale",
    "shoulder belt": "sangle diagonale", "head, CFC 1000": "tête, CFC 1000", "chest, CFC 180": "thorax, CFC 180", "mass, CFC 180": "masse, CFC 180",
}  # fmt: skip
"""English text of the tab, its French."""

PATTERNS = (
    (re.compile(r"^Torn: (.*)\.$"), lambda m: f"Rompus : {m[1].replace(' at ', ' à ')}."),
    (re.compile(r"^(.*): accelerations$"), lambda m: f"{m[1]} : accélérations"),
    (re.compile(r"^(.*): belts$"), lambda m: f"{m[1]} : sangles"),
    (re.compile(r"^test (.*)$"), lambda m: f"essai {m[1]}"),
    (re.compile(r"^([-\d.e+]+(?: \S+)?) at (\S+ m?s)$"), lambda m: f"{m[1]} à {m[2]}"),
)


def french(text: str) -> str | None:
    """A text of the tab in French, or None where it is a name or a number.

    >>> french("30.77 g at 68.8 ms"), french("body")
    ('30.77 g à 68.8 ms', None)
    """
    if text in WORDS:
        return WORDS[text]
    return next((write(m) for pattern, write in PATTERNS if (m := pattern.match(text))), None)


def words(html: str) -> dict[str, str]:
    """What a tab says, with its French."""
    said = dict.fromkeys(x.strip() for x in re.findall(r">([^<>]+)<", html))
    return {t: f for t in said if (f := french(t)) is not None}
