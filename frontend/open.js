// Where a printed link leads: opens a session with the code in the fragment, then goes on to the page.
// The page is another document, so neither its address nor its timings ever had the code.

import { hasSession, signIn } from "./key.js";

const gateway = new URL("../", import.meta.url).href;
const code = new URLSearchParams(location.hash.slice(1)).get("code") ?? "";
// Below the gateway's own path, which may hold the word, too.
const place = location.pathname.slice(new URL(gateway).pathname.length);
const view = place.replace(/^open\/?/, "") + location.search;
// A browser notes from where a page was led elsewhere.
history.replaceState(null, "", location.pathname);
const outcome = code === "" ? "refused" : await signIn(code, gateway);
// A tab that waits for a login hears of it.
if (outcome === "done") {
  try {
    localStorage.setItem("dogwatch.session", String(Date.now()));
  } catch {
    // Then it stays as it is.
  }
}
// A link that is opened twice changes nothing for whoever is signed in.
const isIn = outcome === "done" || (await hasSession());
location.replace(gateway + view + (isIn ? "" : `#${outcome}`));
