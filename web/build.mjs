// Builds src/ into one script and one style sheet next to the Python code, with their hashes.
// Usage: node build.mjs [folder]; the folder defaults to the package's assets.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../src/torseur/show/assets");
const read = (...path) => readFileSync(join(here, ...path), "utf8");
const libraries = ["three", "uplot"];

const notice = libraries.map((name) => {
  const { version } = JSON.parse(read("node_modules", name, "package.json"));
  return `${name} ${version}\n${read("node_modules", name, "LICENSE").trim()}`;
}).join("\n\n") + `\n\nSTIX Two Math, a part of it (src/math.woff)\n${read("src", "math.LICENSE").trim()}`;

const { outputFiles } = await build({
  absWorkingDir: here,
  entryPoints: { report: "src/main.js" },
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "iife",
  target: ["es2022"],
  loader: { ".woff": "dataurl" },
  legalComments: "none",                      // the notices stand whole in the banner
  banner: { js: `/*! Contains:\n\n${notice}\n*/` },
  outdir: "out",
  write: false,
});

mkdirSync(out, { recursive: true });
const hashes = {};
const put = (name, text) => {
  writeFileSync(join(out, name), text);
  hashes[name] = createHash("sha256").update(text).digest("hex");
};
for (const file of outputFiles) put(file.path.split(/[\\/]/).pop(), file.text);
put("report.html", read("src/page.html"));
writeFileSync(join(out, "hashes.json"), JSON.stringify(hashes, null, 2) + "\n");
for (const [name, hash] of Object.entries(hashes)) console.log(hash.slice(0, 12), name);
