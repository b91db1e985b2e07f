// Where a printed link leads: opens a session with the code in the fragment, then goes on to the page.
// The page is another document, so neither its address nor its timings ever had the code.

import { hasSession, signIn } from "./key.js";

// A worker that another program registered while it had this address could read along. It is gone with the next load, whose
// address still has the code.
const workers = await (navigator.serviceWorker?.getRegistrations().catch(() => []) ?? []);
if (workers.length > 0) {
  await Promise.allSettled(workers.map((worker) => worker.unregister()));
  location.reload();
  await new Promise(() => {});
}

const gateway = new URL("../", import.meta.url).href;
const code = new URLSearchParams(location.hash.slice(1)).get("code") ?? "";
// The path below the gateway's own, which may contain the word `open`, too.
const place = location.pathname.slice(new URL(gateway).pathname.length);
const view = place.replace(/^open\/?/, "") + location.search;
// Removes the code from the address, because a browser's history keeps the address that it leaves.
history.replaceState(null, "", location.pathname);
const outcome = code === "" ? "refused" : await signIn(code, gateway);
// This origin is new, so what the reader chose at a former one comes from the gateway.
async function bringPreferences() {
  if (!location.hostname.endsWith(".localhost")) return;
  const answer = await fetch(new URL("api/preferences", gateway));
  const text = answer.ok ? await answer.text() : "";
  if (text !== "") localStorage.setItem("dogwatch.1", text);
}

// Tells a tab that waits for a login.
if (outcome === "done") {
  try {
    await bringPreferences().catch(() => {});
    localStorage.setItem("dogwatch.session", String(Date.now()));
  } catch {
    // Without storage the other tab isn't told.
  }
}
// A link that is opened twice changes nothing for a reader who is signed in.
const isIn = outcome === "done" || (await hasSession());
location.replace(gateway + view + (isIn ? "" : `#${outcome}`));
