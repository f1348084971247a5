"""The words of the pages of robot design in French; tables of plain text stay as the program prints them."""

from ..show import Phrases

FRENCH = Phrases({
    "Static balance of {}": "Équilibrage statique de {}", "Motion laws of {}": "Lois de mouvement de {}", "Drives of {}": "Motorisation de {}",
    "Workspace of {}: {}": "Espace de travail de {} : {}", "Result": "Résultat", "Effort of the joints": "Efforts des liaisons",
    "Effort over two joints, at rest": "Effort selon deux liaisons, au repos", "Largest force in the bearings [N]": "Plus grande force dans les paliers [N]",
    "Apparent inertia [kg m2]": "Inertie apparente [kg m2]", "Springs [m, N]": "Ressorts [m, N]",
    "Stability: least slope of the effort by the joint [N m/rad]": "Stabilité : plus petite pente de l'effort de la liaison [N m/rad]",
    "Effort against added mass": "Effort selon la masse ajoutée", "Laws": "Lois", "Effort, power, vibration": "Effort, puissance, vibration",
    "Pairs that can drive each joint": "Couples moteur et réducteur de chaque liaison", "Torque and speed": "Couple et vitesse", "Temperature": "Température",
    "Energy, gears, limits": "Énergie, réducteurs, limites", "Figures": "Chiffres", "Reachable space": "Espace atteignable",
    "Singular loci": "Lieux singuliers", "Dexterous space": "Espace dextre", "Colour:": "Couleur :", "cut through the middle": "coupe par le milieu",
    "time [s]": "temps [s]", "pose": "pose", "before": "avant", "after": "après", "{} effort [N m]": "effort de {} [N m]",
    "{} before [N m]": "{} avant [N m]", "{} after [N m]": "{} après [N m]", "added mass [kg]": "masse ajoutée [kg]", "front": "front",
    "heavier for no less": "plus lourds sans gain", "{} left": "{} restant", "effort [N m]": "effort [N m]", "power [W]": "puissance [W]",
    "frequency [Hz]": "fréquence [Hz]", "vibration left": "vibration restante", "peak envelope": "limite de pointe", "continuous": "continu",
    "cycle": "cycle", "rms {} N m": "moyenne quadratique {} N m", "speed of the motor [rpm]": "vitesse du moteur [tr/min]", "torque [N m]": "couple [N m]",
    "time in the steady cycle [s]": "temps dans le cycle établi [s]", "winding above ambient [K]": "bobinage au-dessus de l'ambiante [K]",
    "time from cold [min]": "temps depuis le froid [min]",
    "winding, housing (dotted) [K above ambient]": "bobinage, carcasse (pointillés) [K au-dessus de l'ambiante]",
    "height [m]": "hauteur [m]", "manipulability": "manipulabilité", "share of orientations": "part des orientations",
})  # fmt: skip
