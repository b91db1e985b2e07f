// What else the program fetches: the style sheets of its shadow roots, and whether its own files are still there.

const PATHS = { view: "./view.css", panel: "./panel.css" };
// All roots of a document share them.
const sheets = {};

async function fetched(name) {
  const answer = await fetch(new URL(PATHS[name], import.meta.url));
  if (!answer.ok) throw new Error(`a style sheet can't be had (${answer.status})`);
  sheets[name] = await new CSSStyleSheet().replace(await answer.text());
}

// A table without its sheet would mount every row: the program waits for it.
await fetched("view");

// Fetches a sheet unless it is there. Answers whether it is.
export async function bring(name) {
  try {
    if (!sheets[name]) await fetched(name);
    return true;
  } catch {
    return false;
  }
}

export function adopt(root, name) {
  root.adoptedStyleSheets = [sheets[name]];
}

// A gateway of another build has other files.
export async function areGone() {
  try {
    const answer = await fetch(new URL("./frontend.wasm", import.meta.url), { method: "HEAD", cache: "no-store" });
    return answer.status === 404;
  } catch {
    return false;
  }
}
