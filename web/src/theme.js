// Light and dark: the reader's system decides until a button is pressed.  Colors that people can tell apart.

/** Okabe and Ito's, for bodies; for lines darker on white and lighter on dark (contrast of 4.5 at least). */
export const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8f00", "#7f6bb3", "#a0522d", "#6b7a90"];
const LINES = {
  light: ["#0067a3", "#bf5300", "#007a59", "#a34f7d", "#8f6200", "#2579ac", "#6d7000", "#6a54a3", "#96481f", "#586577"],
  dark: ["#57b0ea", "#ff8f4d", "#35c89c", "#e79ac6", "#f2b441", "#9ad5f7", "#d0d65a", "#b9a6ea", "#d99a78", "#a9b5c6"],
};

const listeners = [];
const dark = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : dark.matches;
};

/** Color of line number i. */
export const ink = (i) => LINES[isDark() ? "dark" : "light"][i % PALETTE.length];

export const color = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export function onTheme(listener) { listeners.push(listener); }

function tell() {
  document.getElementById("theme").setAttribute("aria-pressed", String(isDark()));
  document.documentElement.classList.toggle("night", isDark());
  PALETTE.forEach((_, i) => document.documentElement.style.setProperty(`--ink${i}`, ink(i)));
  for (const listener of listeners) listener();
}

export function startTheme(wish) {
  if (wish) document.documentElement.dataset.theme = wish;
  document.getElementById("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    tell();
  });
  dark.addEventListener("change", tell);
  tell();
}
