// Words on the page in English and French; English text is its own key.
const FRENCH = {
  "Plots": "Courbes", "XY plot": "Tracé XY", "Spectrum": "Spectre", "Energy": "Énergie", "Equations": "Équations",
  "Model": "Modèle", "Run": "Calcul", "Crash": "Choc", "Workspace": "Espace de travail", "Live": "En direct",
  "Free": "Libre", "Front": "Face", "Side": "Côté", "Top": "Dessus", "Show": "Afficher", "Bodies": "Solides", "Joints": "Liaisons",
  "Springs and links": "Ressorts et bielles", "Force arrows": "Flèches des forces", "Reaction arrows": "Flèches des réactions",
  "Traces": "Trajectoires", "Ghosts": "Positions successives", "Centers of mass": "Centres de masse", "Frames": "Repères",
  "Names": "Noms", "Ground grid": "Quadrillage du sol", "Arrow length": "Longueur des flèches", "Exploded": "Éclaté",
  "Follow": "Suivre", "nothing": "rien", "Traced points": "Points suivis", "grid": "maille", "arrows: one cell is": "flèches : une maille vaut",
  "Signals": "Signaux", "Find a signal, such as elbow.angle": "Chercher un signal, par exemple elbow.angle", "Find a signal": "Chercher un signal",
  "Forces": "Forces", "Inputs": "Entrées", "Other": "Autres", "Parameters": "Paramètres", "Constraints": "Contraintes", "Loops": "Boucles",
  "Pick a signal above to draw it.": "Choisissez un signal ci-dessus pour le tracer.", "more": "de plus", "fewer": "de moins",
  "Download the data shown here as CSV": "Télécharger les données affichées (CSV)", "Light or dark": "Clair ou sombre",
  "Play": "Lire", "Stop": "Arrêter", "Time": "Temps", "Speed": "Vitesse", "Loop": "En boucle", "Keys and mouse": "Clavier et souris",
  "Complete": "Calcul complet", "of motion": "de mouvement", "energy closes to": "bilan d'énergie fermé à", "event": "événement", "events": "événements",
  "no event": "aucun événement",
  "Largest force": "Plus grande force", "Largest moment": "Plus grand couple", "Largest reaction": "Plus grande réaction",
  "Largest speed": "Plus grande vitesse", "Largest effort": "Plus grand effort", "Largest angular velocity": "Plus grande vitesse angulaire", "Largest energy": "Plus grande énergie", "Energy error": "Erreur d'énergie", "Events": "Événements",
  "Peak deceleration": "Décélération maximale", "Peak acceleration": "Accélération maximale", "Crush": "Écrasement",
  "Change of speed": "Variation de vitesse", "Restitution": "Restitution", "Energy absorbed": "Énergie absorbée", "Energy supplied": "Énergie fournie",
  "Force on the wall": "Force sur le mur", "Travel": "Débattement", "Range": "Course", "Loop closure": "Fermeture des boucles",
  "of the largest energy": "de la plus grande énergie", "energy balance holds": "bilan d'énergie fermé", "energy balance violated": "bilan d'énergie non fermé",
  "from": "de", "to": "à", "at": "à", "first": "d'abord", "unfiltered": "sans filtre", "constraints hold": "contraintes tenues",
  "of its determined parts": "composantes déterminées", "constraints drift": "contraintes en dérive", "measured": "mesuré",
  "Change from the first to the last row": "Variation du début à la fin", "Residual of the energy balance": "Résidu du bilan d'énergie",
  "kinetic": "cinétique", "potential": "potentielle", "dissipated": "dissipée", "supplied": "fournie", "jumps": "sauts",
  "Force element": "Élément de force", "Across": "Abscisse", "Up": "Ordonnée", "Signal": "Signal",
  "Bodies and joints": "Solides et liaisons", "Warnings": "Avertissements", "None.": "Aucun.", "How": "Méthode", "Statistics": "Statistiques",
  "method": "méthode", "why": "raison", "steps": "pas", "rejected": "pas refusés", "evaluations": "évaluations", "seconds": "durée du calcul",
  "version": "version", "digest": "empreinte", "rtol": "tolérance relative", "atol": "tolérance absolue", "solution": "résolution",
  "The model is not known to this run.": "Le modèle de ce calcul n'est pas connu.",
  "Values of the terms": "Valeurs des termes", "with": "avec",
  "Exact equations of motion; s and c are sine and cosine of the joint angles, τ the efforts of forces and drives. Each term shows its value at the time of the bar below, and is tinted by its share; a click opens the formula of its coefficient.":
    "Équations exactes du mouvement ; s et c sont le sinus et le cosinus des angles des liaisons, τ les efforts des forces et des moteurs. Chaque terme montre sa valeur à l'instant affiché, teinté selon sa part ; un clic ouvre la formule de son coefficient.",
  "against": "selon", "Work along the whole curve": "Travail le long de la courbe", "Strongest": "Plus fortes raies", "near": "vers",
  "Lines every": "Raies tous les", "mean taken away, Hann's window": "moyenne ôtée, fenêtre de Hann", "rows": "lignes",
  "This panel could not be shown": "Cet onglet n'a pas pu être montré", "This report could not be shown": "Cette page n'a pas pu être montrée",
  "This page needs a browser from 2023 or later.": "Cette page demande un navigateur de 2023 ou plus récent.",
  "No 3D here; plots and tables work all the same.": "Pas de 3D ici ; courbes et tableaux fonctionnent quand même.",
  "The server of this page has gone; start it again: torseur live.": "Le serveur de cette page est arrêté ; relancez-le : torseur live.",
  "not on the page: see the last tab": "hors de la page : voir le dernier onglet", "Motion": "Mouvement", "The mechanism in 3D": "Le mécanisme en 3D",
  "Camera": "Caméra", "Plots and tables": "Courbes et tableaux", "What to see": "Que voir", "Undetermined reactions": "Réactions indéterminées",
  "against time; values at the present time stand above": "selon le temps ; les valeurs à l'instant présent sont au-dessus",
  "jacobians": "jacobiennes", "inputs": "entrées", "sensitivities": "sensibilités",
  "Constraint rows": "Lignes de contrainte", "Skip to plots and tables": "Aller aux courbes et aux tableaux",
  "The program says": "Message du programme, en anglais",
  "initial values": "valeurs initiales", "Initial values": "Valeurs initiales", "Reset": "Valeurs du fichier",
  "runs again at every move of a slider": "recalcule à chaque mouvement d'un curseur",
  "Space plays and stops; arrow keys step; Home and End go to the ends; drag turns the view, the wheel comes nearer, right-drag moves it; double-click a body to frame it; click a plot to go to that time, drag to enlarge, double-click to see all.":
    "Espace lit et arrête ; les flèches avancent pas à pas ; Début et Fin vont aux extrémités ; glisser tourne la vue, la molette approche, glisser à droite déplace ; double-cliquer cadre un solide ; cliquer une courbe va à cet instant, glisser agrandit, double-cliquer montre tout.",
};

/** Sentences that the run itself brings, with their French. */
let learnt = {};
export function learn(words) { learnt = { ...learnt, ...words }; }

let chosen = "en";
const listeners = [];

export const language = () => chosen;

/** Numbers of a text with the reader's decimal sign; names, versions and files stay as they are. */
export const decimal = (text) => (chosen === "fr"
  ? text.replace(/(?<![\w.,])(\d+)\.(\d+)(?=$|[^\w.]|e[-+\d]|\.(?!\w))/g, "$1,$2") : text);

export function say(text) {
  return chosen === "fr" ? FRENCH[text] ?? decimal(learnt[text] ?? text) : text;
}

/** An event as a sentence: the name stays, what happens is said in the reader's language. */
export const happening = ({ owner, what, fr }) => `${owner} ${chosen === "fr" ? fr : what}`.trim();

export function onLanguage(listener) { listeners.push(listener); }

/** Texts that stand in the page: each remembers what it was in English. */
export function write() {
  document.documentElement.lang = chosen;
  for (const node of document.querySelectorAll("[data-say], caption, tbody > tr > th, tbody > tr > td, h2, figcaption > b, math mn")) {
    if (node.children.length) continue;
    node.dataset.english ??= node.textContent;
    node.textContent = chosen === "fr" && node.dataset.fr ? decimal(node.dataset.fr) : say(node.dataset.english);
  }
  for (const node of document.querySelectorAll("[title], [aria-label], [placeholder]"))
    for (const name of ["title", "aria-label", "placeholder"]) {
      const text = node.getAttribute(name);
      if (text === null) continue;
      const kept = `english${name.replace(/\W/g, "")}`;
      node.dataset[kept] ??= text;
      node.setAttribute(name, say(node.dataset[kept]));
    }
}

export function speak(wish) {
  chosen = wish === "fr" ? "fr" : "en";
  write();
  const button = document.getElementById("language");
  button.textContent = chosen === "fr" ? "EN" : "FR";
  button.setAttribute("aria-label", chosen === "fr" ? "English" : "Français");
  for (const listener of listeners) listener();
}

/** The reader's browser decides until the button is pressed. */
export function startLanguage(wish) {
  chosen = (wish ?? document.documentElement.dataset.wish ?? (navigator.language ?? "en").slice(0, 2)) === "fr" ? "fr" : "en";
  document.getElementById("language").addEventListener("click", () => speak(chosen === "fr" ? "en" : "fr"));
}
