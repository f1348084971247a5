"""The words of the pages of robot design in French."""

from ..show import Phrases

LIMITS = {
    "continuous torque": "couple continu", "peak torque": "couple de pointe", "speed": "vitesse", "gear peak torque": "couple de pointe du réducteur",
    "gear momentary torque": "couple momentané du réducteur", "gear average torque": "couple moyen du réducteur", "gear speed": "vitesse du réducteur",
    "gear average speed": "vitesse moyenne du réducteur", "inertia ratio": "rapport d'inertie", "gear life": "durée de vie du réducteur",
    "supply voltage": "tension d'alimentation", "winding temperature": "température du bobinage",
}  # fmt: skip
"""What may bind a motor and its gear."""

PAIR = (
    "{{}} with {{}}: rms {{}} N m, peak {{}} N m, {{}} rpm, inertia ratio {{}}{}; binding: {} ({{}} %)",
    "{{}} avec {{}} : valeur efficace {{}} N m, pointe {{}} N m, {{}} tr/min, rapport d'inertie {{}}{} ; limite : {} ({{}} %)",
)
WARM = ((", winding {} K warmer", ", bobinage plus chaud de {} K"), ("", ""))
DRIVES = {
    PAIR[0].format(warm, limit): PAIR[1].format(chaud, limite)
    for warm, chaud in WARM
    for limit, limite in LIMITS.items()
} | {f"{limit}: {{}} % used": f"{limite} : {{}} % utilisés" for limit, limite in LIMITS.items()}

TABLES = {
    "joint": "liaison", "peak before": "pointe avant", "rms before": "valeur efficace avant", "law": "loi", "duration": "durée", "top speed": "vitesse maximale",
    "top acceleration": "accélération maximale", "peak": "pointe", "rms": "valeur efficace", "work": "travail", "peak power": "puissance de pointe",
    "left at {} Hz": "reste à {} Hz", "{} = {}, at its bound of {} to {}": "{} = {}, sur une borne de l'intervalle de {} à {}",
    "rms effort left: {}": "valeur efficace de l'effort restant : {}", "peak effort left: {}": "pointe de l'effort restant : {}",
    "mean effort left: {}": "moyenne de l'effort restant : {}", "energy of a cycle: {}": "énergie d'un cycle : {}",
    "with {} kg at {}: peak {}": "avec {} kg en {} : pointe {}", "added mass: {} kg": "masse ajoutée : {} kg",
    "{}, {} needs more than before": "{}, {} demandent plus qu'avant", "{} needs more than before": "{} demande plus qu'avant",
    "{}, {} carries no weight there, so nothing is to be balanced": "{}, {} n'y portent aucun poids : rien n'est à équilibrer",
    "{} carries no weight there, so nothing is to be balanced": "{} n'y porte aucun poids : rien n'est à équilibrer",
    "{}: {} before, {} after": "{} : {} avant, {} après",
    "{}: least length {}, greatest length {}, stroke {}, force {}": "{} : plus petite longueur {}, plus grande longueur {}, course {}, force {}",
    "all together: {}, so the joints hold their poses or return": "toutes ensemble : {}, donc les liaisons gardent leur position ou y reviennent",
    "all together: {}, so some pose runs away from where it is without motors or brakes":
        "toutes ensemble : {}, donc une position au moins s'échappe sans moteurs ni freins",
    "{}: consumed {} J, regenerated {} J a cycle, mean {} W; gear: cubic mean torque {} N m, life {} h":
        "{} : {} J consommés, {} J rendus par cycle, {} W en moyenne ; réducteur : couple moyen cubique {} N m, durée de vie {} h",
    "{} poses of {} within the limits of the joints": "{} positions de {} dans les limites des liaisons",
    "box: {} to {} m, {} to {} m, {} to {} m": "boîte : de {} à {} m, de {} à {} m, de {} à {} m",
    "distance from the first joint: {} to {} m; volume {} m3 (standard error {})":
        "distance à la première liaison : de {} à {} m ; volume {} m3 (erreur type {})",
    "condition: minimum {}, median {}": "conditionnement : plus petit {}, médian {}", "{}: gravity torque is zero": "{} : le couple de gravité est nul",
    "{}: gravity needs up to {}, at {}": "{} : la gravité demande jusqu'à {}, en {}",
    "payload: {} kg in the worst pose, {} kg in the median pose": "charge utile : {} kg dans la pire position, {} kg dans la position médiane",
    "deflection under the load: up to {} m": "flèche sous la charge : jusqu'à {} m", "1 / condition": "1 / conditionnement",
    "weight on {} [{}]": "poids sur {} [{}]", "payload [kg]": "charge utile [kg]", "deflection [m]": "flèche [m]",
    "stiffness along the load [N/m]": "raideur selon la charge [N/m]", "rms left": "valeur efficace restante", "peak left": "pointe restante",
    "mean left": "moyenne restante", "energy left": "énergie restante",
}  # fmt: skip

FRENCH = Phrases(DRIVES | TABLES | {
    "Static balance of {}": "Équilibrage statique de {}", "Motion laws of {}": "Lois de mouvement de {}", "Drives of {}": "Motorisation de {}",
    "Workspace of {}: {}": "Espace de travail de {} : {}", "Result": "Résultat", "Effort of the joints": "Efforts des liaisons",
    "Effort over two joints, at rest": "Effort selon deux liaisons, au repos", "Largest force in the bearings [N]": "Plus grande force dans les paliers [N]",
    "Apparent inertia [kg m2]": "Inertie apparente [kg m2]", "Springs [m, N]": "Ressorts [m, N]",
    "Stability: least slope of the effort by the joint [N m/rad]": "Stabilité : plus petite pente de l'effort de la liaison [N m/rad]",
    "Effort against added mass": "Effort selon la masse ajoutée", "Laws": "Lois", "Effort, power, vibration": "Effort, puissance, vibration",
    "Pairs that can drive each joint": "Couples moteur et réducteur de chaque liaison", "Torque and speed": "Couple et vitesse", "Temperature": "Température",
    "Energy, gears, limits": "Énergie, réducteurs, limites", "Figures": "Chiffres", "Reachable space": "Espace atteignable",
    "Singular loci": "Lieux singuliers", "Dexterous space": "Espace dextre", "Color:": "Couleur :", "cut through the middle": "coupe par le milieu",
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
