"""French catalog of the report: names of elements and fields, and sentences of a run.

Words of the page itself are in `web/src/words.js`. Sentences are translated phrase by phrase. `{}`
matches a name or a number, `{*}` several words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

ELEMENT_NAMES = {
    # laws
    "backlash": "jeu", "bouc wen": "Bouc-Wen", "bristle friction": "frottement de brosse", "coulomb": "Coulomb", "crush": "écrasement",
    "DC motor": "moteur à courant continu", "effort": "effort", "elastic": "loi élastique", "expression": "expression", "follow": "suivi",
    "kinematic hardening": "écrouissage cinématique", "limits": "butées", "lu gre": "LuGre", "parallel": "en parallèle", "polynomial": "polynôme",
    "series": "en série", "servo": "asservissement", "spring": "ressort", "table": "table", "threshold": "seuil", "time curve": "courbe du temps",
    "time table": "table du temps", "viscous": "amortisseur",
    # lines of action
    "bushing": "coussinet", "coordinate force": "force sur des coordonnées", "directed force": "force dirigée", "joint force": "force de liaison",
    "meet force": "force de rencontre", "plane force": "force d'appui plan", "point force": "force entre points", "potential": "potentiel",
    "tire": "pneu", "wrench": "torseur d'effort",
    # joints
    "cylindrical": "pivot glissant", "double wishbone": "double triangle", "free": "libre", "guided": "guidée", "helical": "hélicoïdale",
    "mac pherson": "MacPherson", "planar": "appui plan", "prismatic": "glissière", "revolute": "pivot", "spherical": "rotule",
    "tabulated": "par table", "translation": "translation", "universal": "cardan", "weld": "encastrement",
    # constraints
    "contact": "contact", "contact pair": "contact de deux corps", "coupling": "couplage", "distance": "distance", "driven": "mouvement imposé", "dry friction": "frottement sec",
    "gear": "engrenage", "holonomic": "contrainte holonome", "knife edge": "lame", "mimic": "copie", "pfaffian": "contrainte de Pfaff",
    "point on curve": "point sur une courbe", "point on line": "point sur une droite", "point on plane": "point sur un plan",
    "point on surface": "point sur une surface", "rack": "crémaillère", "rolling": "roulement", "rolling pair": "roulement mutuel",
    "rolling surface": "roulement d'une surface", "screw": "vis", "drive": "motorisation", "drive stage": "étage",
    # numbers
    "acceleration": "accélération", "across": "en travers", "angles of": "angles", "axes": "axes", "axis1": "axe 1", "axis2": "axe 2",
    "beyond": "au-delà", "blade": "lame", "body": "solide", "bristle damping": "amortissement des brosses", "closed": "fermée",
    "coefficient": "coefficient", "coordinate": "coordonnée", "coordinates": "coordonnées", "current": "courant", "curve": "courbe",
    "damping": "amortissement", "driver": "menant", "edges": "bords", "energy": "énergie", "equations": "équations",
    "feedforward": "anticipation", "flexible": "flexible", "follower": "suiveur", "force": "force", "frame": "repère",
    "free length": "longueur à vide", "friction": "frottement", "gain": "gain", "gap": "jeu", "ground": "sol", "hardening": "écrouissage",
    "height": "hauteur", "high": "borne haute", "implicit": "équation implicite", "inductance": "inductance", "inertia": "inertie",
    "input": "entrée", "integral gain": "gain intégral", "kd": "kd", "knots": "nœuds", "kp": "kp", "kt": "kt", "lateral": "latéral",
    "laws": "lois", "lead": "pas", "leader": "meneur", "length": "longueur", "load": "charge", "longitudinal": "longitudinal",
    "low": "borne basse", "lower ball at": "rotule inférieure", "lower front": "bras inférieur avant", "lower rear": "bras inférieur arrière",
    "motion": "mouvement", "motor": "moteur", "named": "noms", "near": "près de", "of": "de", "offset": "décalage", "on": "sur",
    "order": "ordre", "orientation": "orientation", "parameter": "paramètre", "pieces": "morceaux", "pinion": "pignon", "plane": "plan",
    "points": "points", "position": "position", "preload": "précharge", "presliding": "glissement préalable", "radius": "rayon",
    "rate": "vitesse", "rate acts": "effet de la vitesse", "rate exponent": "exposant de vitesse", "rate factor": "facteur de vitesse",
    "rate gain": "gain de vitesse", "ratio": "rapport", "ratios": "rapports", "reaction": "réaction sur", "read as": "lu comme",
    "reference rate": "vitesse de référence", "resistance": "résistance", "rest": "repos", "rest speed": "vitesse d'arrêt",
    "restitution": "restitution", "root": "racine", "rotor inertia": "inertie du rotor", "rupture": "rupture", "rupture energy": "énergie de rupture",
    "rupture force": "force de rupture", "second below": "seconde pente sous", "second slope": "seconde pente", "sense": "sens",
    "sequence": "séquence", "shape": "forme", "shape a": "forme a", "shape b": "forme b", "share": "part", "sharpness": "raideur du coude",
    "side": "côté", "slide": "glissière", "slip": "vitesse de glissement", "slips": "glisse", "speed": "vitesse", "speeds in": "vitesses en",
    "stages": "étages", "start": "départ", "static": "statique", "static coefficient": "coefficient statique",
    "static friction": "frottement statique", "stiffness": "raideur", "stribeck": "vitesse de Stribeck", "strut lower": "bas de jambe",
    "strut top": "haut de jambe", "surface": "surface", "target": "consigne", "target rate": "consigne de vitesse", "tension": "traction",
    "text": "formule", "through": "passant par", "tie inner": "biellette, côté caisse", "tie outer": "biellette, côté roue", "turn": "rotation",
    "unit": "unité", "unloading": "décharge", "unloading curve": "courbe de décharge", "upper ball": "rotule supérieure",
    "upper front": "bras supérieur avant", "upper rear": "bras supérieur arrière", "value": "valeur", "voltage": "tension électrique",
    "weights": "poids", "wheel": "roue", "wheel center": "centre de la roue", "work": "travail", "yield deflection": "déflexion d'écoulement",
    "yield force": "force d'écoulement", "direction": "direction", "axis": "axe", "normal": "normale",
    # between them
    "about": "autour de", "along": "selon", "yes": "oui", "no": "non", "rows": "lignes", "numbers": "nombres", "from": "de", "to": "à",
    "between": "entre", "and": "et", "frames": "repères", "world": "bâti",
}  # fmt: skip

EVENT_VERBS = {
    "tears": "se déchire", "lifts off": "décolle", "lands": "se pose", "turns back": "rebrousse", "stops sliding": "cesse de glisser",
    "breaks loose": "se met à glisser", "slides the other way": "glisse dans l'autre sens", "passes a knot of its table": "passe un nœud de sa table",
    "reaches its bound": "atteint sa borne", "turns": "rebrousse", "is fully unloaded": "est déchargé", "is hit": "est heurté",
    "sticks": "adhère", "lets go": "lâche", "slides off": "glisse hors de l'appui", "yields": "s'écoule", "breaks": "rompt",
    "changes with time": "change avec le temps", "speeds jump": ": les vitesses sautent", "is passed upwards": "est franchi en montant",
    "is passed downwards": "est franchi en descendant", "switches": "commute", "reaches its high stop": "arrive en butée haute",
    "reaches its low stop": "arrive en butée basse", "comes to the edge of its play": "arrive au bord de son jeu",
    "passes the knee of its curve": "passe le coude de sa courbe", "lies flat, touching all around": "est à plat, en contact tout autour",
    "is flat or hollow where it touches, parts of it would be under the plane": "est plat ou creux au contact, une part passerait sous le plan",
    "has no contact there, its support function is not that of a convex body": "n'y a pas de contact, sa fonction d'appui n'est pas d'un corps convexe",
}  # fmt: skip
"""What an element does in an event."""

PHRASES = {
    # outcomes
    "failed after t = {} s: ": "échec après t = {} s : ",
    "the motion came to rest on the low stop of {} and then went through it": "le mouvement s'est arrêté sur la butée basse de {}, puis l'a traversée",
    "the motion came to rest on the high stop of {} and then went through it": "le mouvement s'est arrêté sur la butée haute de {}, puis l'a traversée",
    "more than {} events, the last by {} and {}": "plus de {} événements, les derniers par {} et {}",
    "more than {} events, the last by {}": "plus de {} événements, le dernier par {}",
    "allow more with max_events=, or give the law some damping": "permettez-en plus par max_events=, ou amortissez la loi",
    "more than {} events, frictions of {*} stop and break loose without end: how those at rest share what holds a body is not determined (here by least squares), and one that carries little lets go where all of them together would hold": "plus de {} événements, les frottements de {} s'arrêtent et cèdent sans fin : la part de ceux qui retiennent un corps au repos n'est pas déterminée (ici par moindres carrés), et celui qui porte peu cède là où tous ensemble retiendraient",
    "try more friction there, or fewer of them": "essayez plus de frottement à cet endroit, ou moins de frottements",
    "{} rows are kept, more than max_rows = {}": "{} lignes gardées, plus que max_rows = {}",
    "give output= times, or allow more with max_rows=": "donnez des instants par output=, ou permettez-en plus par max_rows=",
    "its contact is no single point any more": "son contact n'est plus un seul point",
    ": not a motion to trust": " : mouvement peu sûr",
    "try a smaller rtol": "essayez un rtol plus petit",
    "{} left its limits {} .. {} {} at t = {} s": "{} a quitté ses limites {} .. {} {} à t = {} s",
    "limits are monitored only; ts.Limits(low, high, stiffness) enforces them": "limites seulement surveillées ; ts.Limits(low, high, stiffness) les impose",
    "{} s of work are more than max_seconds = ": "{} s de calcul dépassent max_seconds = ",
    "the results so far are kept": "les résultats jusque-là sont gardés",
    "could not start: ": "n'a pas pu partir : ",
    "not stiff from t = {} s on: ": "non raide dès t = {} s : ",
    "its steps would be stable for an explicit one": "ses pas seraient stables pour une méthode explicite",
    "its steps are hardly longer": "ses pas sont à peine plus longs",
    "stiff from t = {} s on: steps of {} were as long as stability lets them, a mode that decays at {} 1/s sees to that": "raide dès t = {} s : les pas de {} étaient aussi longs que la stabilité le permet, à cause d'un mode qui décroît à {} 1/s",
    "reached t = {} s in {} steps of {}, {} event": "arrivé à t = {} s en {} pas de {}, {} événement",
    "reached t = {} s in {} steps of ": "arrivé à t = {} s en {} pas de ",
    "reached t = {} s by ": "arrivé à t = {} s par ",
    " in lanes": " en parallèle",
    "stopped at t = {} s by ": "arrêté à t = {} s par ",
    "stopped at t = {} s of {} s: ": "arrêté à t = {} s sur {} s : ",
    "interrupted at t = {} s of {} s": "interrompu à t = {} s sur {} s",
    "the controller failed, ": "le régulateur a échoué, ",
    ", line {})": ", ligne {})",
    "failed at t = {} s: ": "échec à t = {} s : ",
    "the event {} came ever sooner, as of a stop that comes to rest": "l'événement {} revient de plus en plus vite, comme une butée qui s'immobilise",
    "a rigid stop only bounces, it cannot hold: give it stiffness= and damping=, or use ts.Contact": "une butée rigide ne fait que rebondir, elle ne retient pas : donnez stiffness= et damping=, ou employez ts.Contact",
    "the step fell to {} s": "le pas est tombé à {} s",
    "try a smaller step or tolerance, or look for a singular pose or a law that grows without bound": "essayez un pas ou une tolérance plus petits, ou cherchez une pose singulière ou une loi qui croît sans borne",
    "the contacts {} strike together, and no impulses were found that obey Coulomb's law at all of them, even without restitution; less friction may help": "les contacts {} frappent ensemble, et l'on n'a pas trouvé d'impulsions qui obéissent à la loi de Coulomb à chacun, même sans restitution ; moins de frottement peut aider",
    "the contacts {} strike together beside friction that no contact presses, and their impulses have no derivatives there; leave sensitivities out, or take differences of runs": "les contacts {} frappent ensemble à côté d'un frottement qu'aucun contact ne presse, et leurs impulsions n'y ont pas de dérivées ; omettez les sensibilités, ou prenez des différences de calculs",
    "at t = {} s the dry frictions {} were at rest together and hold one motion between them: how they share its load is not determined, and since they hold more when stuck than when they slide, they may let go at less than they hold together": "à t = {} s les frottements secs {} étaient au repos ensemble et retiennent à eux tous un même mouvement : la part de chacun n'est pas déterminée, et comme ils retiennent plus à l'arrêt qu'en glissant, ils peuvent céder à moins que ce qu'ils retiennent ensemble",
    "the derivative of {} by {} changes without bound there, where a formula has a root or a power of zero; leave that number out, or start a little off": "la dérivée de {} par {} varie sans borne à cet endroit, où une formule a une racine ou une puissance de zéro ; omettez ce nombre, ou partez un peu à côté",
    "an event function is not finite": "une fonction d'événement n'est pas finie",
    "Newton's iterations did not converge": "les itérations de Newton n'ont pas convergé",
    "the rate of a force element's state is not finite": "la dérivée d'un état d'élément de force n'est pas finie",
    "the rate of {} is not finite": "la dérivée de {} n'est pas finie",
    " (step {} s)": " (pas de {} s)",
    "the acceleration of {} is not finite": "l'accélération de {} n'est pas finie",
    "use 'auto' angles, a quaternion, or coordinates whose edge is far": "employez des angles 'auto', un quaternion, ou des coordonnées loin de leur bord",
    "at the start ": "au départ ",
    "{} coordinates left their limits (limits are monitored only; ts.Limits(low, high, stiffness) enforces them): ": "{} coordonnées ont quitté leurs limites (des limites seulement surveillées ; ts.Limits(low, high, stiffness) les impose) : ",
    "beam {} bends by up to {} rad, more than {} rad from t = {} s on, where shapes of second order lose digits: make it two beams in a row": "la poutre {} fléchit jusqu'à {} rad, plus que {} rad dès t = {} s, où des formes du second ordre perdent des chiffres : faites-en deux poutres à la suite",
    "{} leaves the end of its table at t = {} s": "{} sort de sa table par la fin à t = {} s",
    "{} leaves the start of its table at t = {} s": "{} sort de sa table par le début à t = {} s",
    "the constraints are nearly singular at t = {} s, where rounding moves the state by {} tolerances: look at constraints.margin": "les contraintes sont presque singulières à t = {} s, où l'arrondi déplace l'état de {} tolérances : voir constraints.margin",
    "forces of up to {} N leave nothing of the {} J in the run to audit": "des forces allant jusqu’à {} N ne laissent rien vérifier des {} J du calcul",
    "the energies are beyond the largest number from t = {} s on, so nothing can be audited": "les énergies dépassent le plus grand nombre dès t = {} s, rien ne peut être vérifié",
    "the energy balance error is {} of the {} J in the run, more than {} rtol from t = {} s on": "l'erreur du bilan d'énergie est de {} des {} J du calcul, plus que {} rtol dès t = {} s",
    "the constraints slip by up to {} m/s or rad/s, more than {} of the speeds, from t = {} s on": "les contraintes glissent jusqu'à {} m/s ou rad/s, plus que {} des vitesses, dès t = {} s",
    "the constraints are open by up to {} m or rad, more than {} of the mechanism's {} m, from t = {} s on": "les contraintes s'ouvrent jusqu'à {} m ou rad, plus que {} des {} m du mécanisme, dès t = {} s",
    " and the constraints are": " et les contraintes sont",
    "but ": "mais ",
    " or solution='null_space'": " ou solution='null_space'",
    "{} evaluations of the rates were taken, as many as {} allows": "{} évaluations des dérivées faites, autant que {} permet",
    "{} steps were taken, as many as {} allows": "{} pas faits, autant que {} permet",
    ", {} of them to events: {} chatters; give its element damping, stiffness or a gap, or end there with stop_when=": ", dont {} jusqu'à des événements : {} vibre ; donnez à son élément un amortissement, une raideur ou un jeu, ou arrêtez là par stop_when=",
    ", and the error test rejected {} of them: ": ", et le contrôle d'erreur en a refusé {} : ",
    ", the last of {} s; some {} more would reach {} s: end sooner, loosen rtol, or raise ": ", le dernier de {} s ; il en faudrait environ {} de plus pour atteindre {} s : finissez plus tôt, relâchez rtol, ou augmentez ",
    ", the last of {} s: end sooner, loosen rtol, or raise ": ", le dernier de {} s : finissez plus tôt, relâchez rtol, ou augmentez ",
    ", the last of {} s: ": ", le dernier de {} s : ",
    "rtol = {} asks for too much accuracy, near rounding; use 1e-11 or more": "rtol = {} demande trop de précision, proche de l'arrondi ; prenez 1e-11 ou plus",
    "the motion has a kink that no event announces, or the model is stiff: try method='rodas5p', or a larger tolerance": "le mouvement a un coude qu'aucun événement n'annonce, ou le modèle est raide : essayez method='rodas5p', ou une tolérance plus grande",
    "speeds jump at the start, {} from {} to {}: a contact strikes there, or friction lets the motion given not go on (the loss counts as dissipated)": "les vitesses sautent au départ, {} de {} à {} : un contact y frappe, ou le frottement ne laisse pas continuer le mouvement donné (la perte est comptée)",
    ", constraints by ": ", contraintes par ",
    ", independent speeds: ": ", vitesses indépendantes : ",
    "; from {} s ": " ; dès {} s ",
    "; and {} more changes": " ; et {} changements de plus",
    ", {} evaluations": ", {} évaluations",
    # singular coordinates
    "{} nears 0 or 180 deg, where {} angles are singular": "{} approche 0 ou 180 deg, où les angles {} sont singuliers",
    "{} nears 90 or -90 deg, where {} angles are singular": "{} approche 90 ou -90 deg, où les angles {} sont singuliers",
    "{} nears 90 or -90 deg, where the azimuth is singular": "{} approche 90 ou -90 deg, où l'azimut est singulier",
    "{} nears 0 m, where the azimuth is singular": "{} approche 0 m, où l'azimut est singulier",
    # methods
    "a fixed step was asked for": "un pas fixe a été demandé",
    "stiff: the fastest mode decays at {} 1/s, {} times within the run": "raide : le mode le plus rapide décroît à {} 1/s, {} fois pendant le calcul",
    "rtol = {}: order five is enough": "rtol = {} : l'ordre cinq suffit",
    "{} event functions: dense output without extra stages": "{} fonctions d'événement : interpolation sans étage de plus",
    "rtol = {}, smooth: order eight": "rtol = {}, régulier : ordre huit",
    "explicit, for its derivatives (else {}: {*})": "explicite, pour ses dérivées (sinon {} : {*})",
    "Dormand-Prince {}, adaptive, interpolant of order ": "Dormand-Prince {}, pas adaptatif, interpolation d'ordre ",
    "Newmark (1/4, 1/2), fixed step, Newton iterations": "Newmark (1/4, 1/2), pas fixe, itérations de Newton",
    "Rodas5P, linearly implicit of order 5(4), exact Jacobian, stiffly accurate": "Rodas5P, linéairement implicite d'ordre 5(4), jacobienne exacte, précis en raideur",
    # warnings of a check
    "force {} has the name of a joint: their signals, such as {}.rate, are mixed up; rename one": "la force {} a le nom d'une liaison : leurs signaux, comme {}.rate, se confondent ; renommez l'une",
    "force {}: its law {} goes by the deflection of its line, and a wrench has none: it acts as if {*} all the time; put it on a PointForce, JointForce or CoordinateForce, or name signals in an Expression": "force {} : sa loi {} suit la déflexion de sa ligne, et un torseur n'en a pas : elle agit comme si {*} toujours ; mettez-la sur une PointForce, JointForce ou CoordinateForce, ou nommez des signaux dans une Expression",
    ": {} rad is {} rad away from {} deg, so it is not treated as a right angle; write 'pi/2' or more digits if it is one": " : {} rad est à {} rad de {} deg, ce n'est donc pas pris pour un angle droit ; écrivez 'pi/2' ou plus de chiffres si c'en est un",
    ": the pose is {} rad away from right angles, so it is not treated as one; give more digits if it is one": " : la pose est à {} rad des angles droits, elle n'est donc pas prise pour telle ; donnez plus de chiffres si elle l'est",
    # reactions and rows
    "force along ": "force selon ",
    "moment about ": "moment autour de ",
    "multiplier of ": "multiplicateur de ",
    "are undetermined": "indéterminés",
    "is undetermined": "indéterminé",
    # the page
    "The energies are beyond the largest number: nothing can be audited.": "Les énergies dépassent le plus grand nombre : aucun bilan possible.",
    "Largest residual {} J, {} of the largest energy, {} J.": "Plus grand résidu {} J, soit {} de la plus grande énergie, {} J.",
    "This page contains {} of {} time points, which preserve the shape of the curves. run.save writes all.": "Cette page contient {} instants sur {}, qui préservent la forme des courbes. run.save les écrit tous.",
    "Left out to keep the page small: ": "Laissés de côté pour une page légère : ",
    "{} later events are not listed.": "{} événements suivants ne sont pas listés.",
    "Not shown here: {} degrees of freedom: too many to read on a page.": "Non montrées ici : {} degrés de liberté, trop pour être lues sur une page.",
    "Not shown here: too long to read on a page.": "Non montrées ici : trop longues pour être lues sur une page.",
    "Not shown here: ": "Non montrées ici : ",
    "A{},{} of the mass matrix times an acceleration": "A{},{} de la matrice de masse, fois une accélération",
    "C{},{} times a speed squared": "C{},{}, fois le carré d'une vitesse",
    "B{} times a product of speeds": "B{}, fois un produit de vitesses",
    "column {} of the Jacobian times a multiplier": "colonne {} de la jacobienne, fois un multiplicateur",
    "G{}: weight, and what does not depend on speeds": "G{} : la pesanteur, et ce qui ne dépend pas des vitesses",
}  # fmt: skip

ENGLISH_WORDS = re.compile(
    r"\b(the|of|and|with|is|are|by|from|not|this|that|for|its|was|were|be|more|than|which|has|have)\b"
)
"""Words that no French sentence has: what keeps one is not translated."""


_PLACEHOLDER = r"""('[^']*'|"[^"]*"|[^\s'"]+?)"""


def translate_name(text: str) -> str:
    """Return the French name of an element or field, or the text itself if the catalog lacks it."""
    return ELEMENT_NAMES.get(text, text)


@lru_cache(maxsize=4096)
def translate_sentence(text: str) -> str | None:
    """Return the French of a sentence of a run, or None if a part of it has no translation.

    >>> translate_sentence("reached t = 2 s in 50 steps of dop853, 3 events")
    'arrivé à t = 2 s en 50 pas de dop853, 3 événements'
    >>> translate_sentence("what nobody foresaw of a run")
    """
    if " " not in text:
        return None
    out = text
    for pattern, write in _compile_rules():
        out = pattern.sub(write, out)
    if out == text or ENGLISH_WORDS.search(_remove_names(out := out.replace(" and ", " et "))):
        return None
    return re.sub(r" *([;:])(?= )", r" \1", out)


def _remove_names(text: str) -> str:
    """Remove names, which stand in quotes or contain a point."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|\S*[._=]\S*", " ", text)


@cache
def _compile_rules() -> list[tuple[re.Pattern[str], str]]:
    """Compile the phrases as regular expressions, the longest first."""

    def compile_rule(english: str, translation: str):
        pattern = re.escape(english).replace(r"\{\*\}", "([^;]+?)").replace(r"\{\}", _PLACEHOLDER)
        numbers = iter(range(1, english.count("{") + 1))
        return re.compile(pattern), re.sub(
            r"\{\*?\}", lambda _: rf"\g<{next(numbers)}>", translation
        )

    return [compile_rule(*pair) for pair in sorted(PHRASES.items(), key=lambda p: -len(p[0]))]


def translate_sentences(sentences: Iterable[str]) -> dict[str, str]:
    """Return the French of those sentences that have a translation."""
    return {t: f for t in dict.fromkeys(sentences) if (f := translate_sentence(t)) is not None}
