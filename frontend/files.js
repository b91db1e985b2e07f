// What else the program fetches: the style sheets of its shadow roots, and whether its own files are still there.

const FETCH = {
  view: () => fetch(new URL("./view.css", import.meta.url)),
  panel: () => fetch(new URL("./panel.css", import.meta.url)),
};
const texts = {};
const brought = {};
// By document, which shares its sheets between all its roots and takes none of another one.
const sheets = new WeakMap();

async function fetched(name) {
  try {
    const answer = await FETCH[name]();
    if (answer.ok) texts[name] = await answer.text();
  } catch {
    // The next one who wants it asks again.
  }
  if (texts[name] === undefined) delete brought[name];
  return texts[name] !== undefined;
}

// Fetches a sheet unless it is there. Answers whether it is.
export function bring(name) {
  return (brought[name] ??= fetched(name));
}

// A table without its sheet would mount every row. The program waits for it, so it is asked for as soon as can be.
bring("view");

export function adopt(root, name) {
  const owner = root.ownerDocument;
  const own = sheets.get(owner) ?? {};
  sheets.set(owner, own);
  if (!own[name]) {
    own[name] = new owner.defaultView.CSSStyleSheet();
    own[name].replaceSync(texts[name]);
  }
  root.adoptedStyleSheets = [own[name]];
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
