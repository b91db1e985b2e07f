// Where a printed link leads: opens a session with the code in the fragment, then goes on to the page.
// The page is another document, so neither its address nor its timings ever had the code.

import { hasSession, signIn } from "./key.js";

const gateway = new URL("../", import.meta.url).href;
const code = new URLSearchParams(location.hash.slice(1)).get("code") ?? "";
// The path below the gateway's own, which may contain the word `open`, too.
const place = location.pathname.slice(new URL(gateway).pathname.length);
const view = place.replace(/^open\/?/, "") + location.search;
// Removes the code from the address, because a browser's history keeps the address that it leaves.
history.replaceState(null, "", location.pathname);
const outcome = code === "" ? "refused" : await signIn(code, gateway);
// Tells a tab that waits for a login.
if (outcome === "done") {
  try {
    localStorage.setItem("dogwatch.session", String(Date.now()));
  } catch {
    // Without storage the other tab isn't told.
  }
}
// A link that is opened twice changes nothing for a reader who is signed in.
const isIn = outcome === "done" || (await hasSession());
location.replace(gateway + view + (isIn ? "" : `#${outcome}`));
