// What else the program fetches: the style sheets of its shadow roots, and whether its own files are still there.

const fetched = (path) => {
  const sheet = new CSSStyleSheet();
  const text = fetch(new URL(path, import.meta.url)).then((answer) => {
    if (!answer.ok) throw new Error(`a style sheet can't be had (${answer.status})`);
    return answer.text();
  });
  return text.then((text) => sheet.replace(text));
};

// All roots of a document share them. A table without its sheet would mount every row: the program waits.
const [view, panel] = await Promise.all([fetched("./view.css"), fetched("./panel.css")]);
const sheets = { view, panel };

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
