"""The words of the pages of identification in French."""

from ..show import Phrases

FRENCH = Phrases({
    "Fit": "Ajustement", "Summary": "Résumé", "Signals": "Signaux", "Numbers": "Nombres", "Largest correlations": "Plus fortes corrélations",
    "Errors": "Erreurs", "Efforts": "Efforts", "Base parameters": "Paramètres de base", "Identification of {}": "Identification de {}",
    "measured": "mesuré", "fitted": "ajusté", "identified": "identifié", "difference": "différence", "time [s]": "temps [s]", "sample": "mesure",
    "number": "nombre", "value": "valeur", "start": "départ", "low 95 %": "borne basse à 95 %", "high 95 %": "borne haute à 95 %", "note": "remarque",
    "pair": "paire", "correlation": "corrélation", "parameter": "paramètre", "unit": "unité", "half width 95 %": "demi-largeur à 95 %",
    "relative %": "relative, %", "essential": "essentiel", "combination": "combinaison", "yes": "oui", "no": "non", "none": "aucune",
    "joint": "liaison", "error, % of its spread": "erreur, % de son étendue", "not reached": "pas atteint", "on its bound": "sur sa borne",
    "not reached; on its bound": "pas atteint ; sur sa borne", "not separable from {}": "inséparable de {}",
    "on its bound; not separable from {}": "sur sa borne ; inséparable de {}",
    "{} numbers from {} measurements of {} tests in {} evaluations, chi2 = {}; not reached: {}":
        "{} nombres tirés de {} mesures de {} essais en {} évaluations, chi2 = {} ; pas atteints : {}",
    "{} numbers from {} measurements of {} tests in {} evaluations, chi2 = {}":
        "{} nombres tirés de {} mesures de {} essais en {} évaluations, chi2 = {}",
})  # fmt: skip
