// Elements in one line.  Text is always text: names in a model can never become markup.

export function el(tag, options = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

export const byId = (id) => document.getElementById(id);

export function select(label, choices, chosen, change) {
  const box = el("select", { onchange: () => change(box.value) },
    ...choices.map(([value, text]) => el("option", { value }, text)));
  box.value = chosen;
  return [el("label", {}, `${label} `, box), box];
}
