"""French translations of the page of a study."""

from ..show import Phrases

SCRIPTS = (
    "of", "shown members", "time", "further members are not listed", "Member", "in motion",
    "Its motion does not travel with this page",
)  # fmt: skip
"""Texts of the page's script."""

FRENCH = Phrases({
    "Study": "Étude", "member {}": "calcul {}", "Study of {}": "Étude de {}", "{} varied; median and 5 to 95 % below": "{} varient ; médiane et 5 à 95 % ci-dessous",
    "choices only varied; median and 5 to 95 % below": "seuls des choix varient ; médiane et 5 à 95 % ci-dessous",
    "members": "calculs", "all complete": "tous complets", "{} not complete": "{} incomplets", "{} to {}": "{} à {}",
    "Parallel coordinates": "Coordonnées parallèles", "Scatter matrix": "Nuages deux à deux", "Members": "Calculs",
    "drag along an axis to choose a range, click a line to choose a member": "glisser le long d'un axe choisit un intervalle, cliquer une ligne choisit un calcul",
    "click a dot to choose a member": "cliquer un point choisit un calcul",
    "click a row; those with ▶ move on this page": "cliquer une ligne ; celles marquées ▶ bougent sur cette page",
    "percentiles 5, 25, 50, 75, 95 over members": "centiles 5, 25, 50, 75, 95 des calculs",
    "member": "calcul", "outcome": "issue", "of": "sur", "shown members": "calculs montrés", "time": "temps",
    "further members are not listed": "autres calculs ne sont pas listés", "Member": "Calcul", "in motion": "en mouvement",
    "Its motion does not travel with this page": "Son mouvement n'est pas dans cette page",
})  # fmt: skip
