"""French translations of the pages of identification."""

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
    "The efforts ask for inertias that no distribution of mass has: consistent parameters leave larger residuals ({}); look for other forces, or at the geometry":
    "Les efforts demandent des inerties qu'aucune répartition de masse ne possède : les paramètres cohérents laissent des résidus plus grands ({}) ; chercher d'autres forces, ou revoir la géométrie",
    "on its bound; not separable from {}": "sur sa borne ; inséparable de {}",
    "the residuals are noise": "les résidus sont du bruit", "the residuals exceed the noise": "les résidus dépassent le bruit", "not reached: {}": "pas atteints : {}", "on a bound: {}": "sur une borne : {}",
    "not separable: {}": "inséparables : {}", "not converged in {} evaluations: allow more": "pas convergé en {} évaluations : en permettre davantage",
    "no more measurements than numbers: give their sigma, else there are no intervals": "pas plus de mesures que de nombres : donner leur sigma, sinon aucun intervalle n'est connu",
    "derivatives to one side only: {}": "dérivées d'un seul côté : {}", "its interval holds to one side only": "son intervalle ne vaut que d'un côté",
    "Tests": "Essais", "Curves": "Courbes", "test": "essai", "test {}": "essai {}", "signal": "signal", "values": "valeurs", "from [s]": "de [s]", "to [s]": "à [s]",
    "weight": "poids", "channel class": "classe de filtre", "sigma": "sigma", "not given": "non donné", "residual, root mean square": "résidu, moyenne quadratique",
    "of its spread [%]": "de son étendue [%]", "deflection [{}]": "écrasement [{}]", "force [{}]": "force [{}]", "deflection": "écrasement", "force": "force",
} | FITTED)  # fmt: skip
