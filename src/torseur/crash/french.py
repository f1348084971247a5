"""The words of the crash tab in French."""

from ..show import Phrases

FRENCH = Phrases({
    "Deceleration": "Décélération", "Speed": "Vitesse", "Way": "Course", "Force against crush": "Force selon l'écrasement",
    "Energy by member": "Énergie par élément", "Force on the wall": "Force sur le mur",
    "Force between the cars": "Force entre les véhicules", "Metrics": "Critères", "Energy at the end": "Énergie à la fin",
    "time [ms]": "temps [ms]", "crush [mm]": "écrasement [mm]", "as computed": "sans filtre", "measured": "mesuré",
    "measured, CFC 60": "mesuré, CFC 60", "member": "élément", "total": "total", "ISO 18571 score": "note ISO 18571",
    "peak, unfiltered": "maximum, sans filtre", "peak, CFC 60": "maximum, CFC 60", "crush": "écrasement", "change of speed": "variation de vitesse",
    "restitution": "restitution", "pulse duration": "durée du choc", "hic15": "HIC 15", "hic36": "HIC 36", "chest 3ms": "thorax, 3 ms",
    "head excursion": "avancée de la tête", "chest compression": "enfoncement du thorax", "lap belt": "sangle ventrale",
    "shoulder belt": "sangle diagonale", "head, CFC 1000": "tête, CFC 1000", "chest, CFC 180": "thorax, CFC 180", "mass, CFC 180": "masse, CFC 180",
    "Torn: {}.": "Rompus : {}.", "{}: accelerations": "{} : accélérations", "{}: belts": "{} : sangles", "test {}": "essai {}",
    "{} at {} ms": "{} à {} ms", "{} at {} s": "{} à {} s",
})  # fmt: skip
