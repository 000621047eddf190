// Parses Mermaid files with the real package: node parse.mjs PACKAGES FILE...; PACKAGES is a node_modules folder.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, ...files] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(createRequire(join(packages, "x.js")).resolve(name)));
const { JSDOM } = await load("jsdom");
const { window } = new JSDOM("");
globalThis.window = window;
globalThis.document = window.document;
const mermaid = (await import(pathToFileURL(join(packages, "mermaid/dist/mermaid.core.mjs")))).default;
for (const file of files) {
  const found = await mermaid.parse(readFileSync(file, "utf8"));
  console.log(file, found.diagramType);
}
