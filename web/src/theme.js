// Light and dark: the reader's system decides until a button is pressed.

export const PALETTE = ["#3b7dd8", "#e07b39", "#2a9d6f", "#c2569b", "#d4a017", "#4fb3c8", "#8262c9",
  "#d1495b", "#7a8b3f", "#6b7a90"];

const listeners = [];
const dark = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : dark.matches;
};

export const color = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export function onTheme(listener) { listeners.push(listener); }

function tell() {
  const button = document.getElementById("theme");
  button.textContent = isDark() ? "Light" : "Dark";
  button.setAttribute("aria-pressed", String(isDark()));
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
