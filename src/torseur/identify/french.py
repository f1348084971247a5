"""The words of the pages of identification in French."""

from itertools import product

from ..show import Phrases

SUMMARY = (
    "{} from {} of {} in {}, chi2 = {{}}",
    "{} de {} de {} en {}, chi2 = {{}}",
)
COUNTED = (
    (("1 number", "1 nombre tiré"), ("{} numbers", "{} nombres tirés")),
    (("1 measurement", "1 mesure"), ("{} measurements", "{} mesures")),
    (("1 test", "1 essai"), ("{} tests", "{} essais")),
    (("1 evaluation", "1 évaluation"), ("{} evaluations", "{} évaluations")),
)
FITTED = {
    SUMMARY[0].format(*(e for e, _ in said)): SUMMARY[1].format(*(f for _, f in said))
    for said in product(*COUNTED)
}

FRENCH = Phrases({
    "Fit of {}": "Ajustement de {}", "Summary": "Résumé", "Signals": "Signaux", "Numbers": "Nombres", "Largest correlations": "Plus fortes corrélations",
    "Errors": "Erreurs", "Efforts": "Efforts", "Base parameters": "Paramètres de base", "Identification of {}": "Identification de {}",
    "measured": "mesuré", "fitted": "ajusté", "identified": "identifié", "difference": "différence", "time [s]": "temps [s]", "sample": "mesure",
    "number": "nombre", "value": "valeur", "start": "départ", "low 95 %": "borne basse à 95 %", "high 95 %": "borne haute à 95 %", "note": "remarque",
    "pair": "paire", "correlation": "corrélation", "parameter": "paramètre", "unit": "unité", "half width 95 %": "demi-largeur à 95 %",
    "relative %": "relative, %", "essential": "essentiel", "combination": "combinaison", "yes": "oui", "no": "non", "none": "aucune",
    "joint": "liaison", "error, % of its spread": "erreur, % de son étendue", "not reached": "pas atteint", "on its bound": "sur sa borne",
    "not reached; on its bound": "pas atteint ; sur sa borne", "not separable from {}": "inséparable de {}",
    "{} base parameters from {} samples": "{} paramètres de base tirés de {} mesures", "not shown": "invisible",
    "Joints that hardly moved: {}": "Liaisons presque immobiles : {}", "Not shown by this motion: {}": "Invisibles dans ce mouvement : {}",
    "The efforts ask for inertias that no distribution of mass has: consistent parameters leave more than others do ({}); look for what else acts, or at the geometry":
    "Les efforts demandent des inerties qu'aucune répartition de masse ne possède : les paramètres cohérents laissent plus que les autres ({}) ; chercher ce qui agit encore, ou revoir la géométrie",
    "on its bound; not separable from {}": "sur sa borne ; inséparable de {}",
    "what is left over is noise": "ce qui reste est du bruit", "more than noise is left over": "il reste plus que du bruit", "not reached: {}": "pas atteints : {}", "on a bound: {}": "sur une borne : {}",
    "not separable: {}": "inséparables : {}", "not settled in {} evaluations: let it have more": "pas stabilisé en {} évaluations : lui en donner davantage",
    "no more measurements than numbers: tell their sigma, else no interval is known": "pas plus de mesures que de nombres : donner leur sigma, sinon aucun intervalle n'est connu",
    "derivatives to one side only: {}": "dérivées d'un seul côté : {}", "its interval holds to one side only": "son intervalle ne vaut que d'un côté",
    "Tests": "Essais", "Curves": "Courbes", "test": "essai", "test {}": "essai {}", "signal": "signal", "values": "valeurs", "from [s]": "de [s]", "to [s]": "à [s]",
    "weight": "poids", "channel class": "classe de filtre", "sigma": "sigma", "not told": "non donné", "left over, root mean square": "reste, moyenne quadratique",
    "of its spread [%]": "de son étendue [%]", "deflection [{}]": "écrasement [{}]", "force [{}]": "force [{}]", "deflection": "écrasement", "force": "force",
} | FITTED)  # fmt: skip
