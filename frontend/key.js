// The page's login. In mode local it is a key, which signs what the gateway asks: it can't be exported, and
// IndexedDB keeps it for this origin alone. In mode oidc it is a cookie, which is renewed and ended here.
// A plain module, so that a page without its program can greet a gateway.

const STORE = "sessions";
const CURRENT = "current";
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("dogwatch", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function inStore(mode, act) {
  const database = await opened();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = act(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

// The session's id and its keys; `undefined` without a session, or where the browser refuses to store anything.
async function current() {
  try {
    return await inStore("readonly", (store) => store.get(CURRENT));
  } catch {
    return undefined;
  }
}

function base64url(bytes) {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function hasSession() {
  return (await current()) !== undefined;
}

// The proof for a gateway that asked with this nonce; nothing without a session.
export async function prove(nonce) {
  const held = await current();
  if (held === undefined) return undefined;
  const message = new TextEncoder().encode(`dogwatch proof\n${nonce}\n${location.origin}`);
  const signature = await crypto.subtle.sign(ALGORITHM, held.keys.privateKey, message);
  return { session: held.session, signature: base64url(signature) };
}

export async function forget() {
  try {
    await inStore("readwrite", (store) => store.delete(CURRENT));
  } catch {
    // Nothing is kept.
  }
}

// Opens a session at a gateway, whose address ends with a slash, with the code of a printed link.
// Says how it went: "done", "refused" (the code), "unanswered" or "unkept" (the browser refused).
export async function signIn(code, gateway) {
  let keys;
  try {
    // A key that is kept already serves the other tabs as well.
    keys = (await current())?.keys ?? (await crypto.subtle.generateKey(ALGORITHM, false, ["sign"]));
    await inStore("readonly", (store) => store.count());
  } catch {
    return "unkept";
  }
  const key = base64url(await crypto.subtle.exportKey("raw", keys.publicKey));
  let answer;
  try {
    answer = await fetch(new URL("api/login", gateway), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code, key }),
    });
  } catch {
    return "unanswered";
  }
  if ([400, 401, 403].includes(answer.status)) return "refused";
  try {
    const { session } = await answer.json();
    if (!answer.ok || typeof session !== "string") return "unanswered";
    await inStore("readwrite", (store) => store.put({ session, keys }, CURRENT));
    return "done";
  } catch {
    return "unkept";
  }
}

// A gateway that doesn't answer is given up after so long.
const ANSWER_MS = 15_000;
// A tab's renewal counts for all tabs.
const RENEWAL_SERVES_MS = 30_000;
// Another gateway of this origin has another path, and its own logins.
export const BASE = document.querySelector("meta[name=dogwatch-base]")?.content ?? "";
const RENEWED = "dogwatch.renewed" + BASE;

function post(path) {
  return fetch(BASE + path, { method: "POST", signal: AbortSignal.timeout(ANSWER_MS), cache: "no-store" });
}

async function renewed() {
  const now = Date.now();
  const last = now - Number(localStorage.getItem(RENEWED));
  if (last >= 0 && last < RENEWAL_SERVES_MS) return "done";
  const answer = await post("/login/renew");
  if (answer.status >= 400 && answer.status < 500) return "refused";
  if (!answer.ok) return "unanswered";
  localStorage.setItem(RENEWED, String(now));
  return "done";
}

// Renews the login, one tab after the other: says "done", "refused" or "unanswered".
export async function renew() {
  try {
    return await (navigator.locks ? navigator.locks.request(RENEWED, renewed) : renewed());
  } catch {
    return "unanswered";
  }
}

// Ends the login. Where the gateway leads from here, or an empty text; nothing if the login goes on.
export async function signOut() {
  try {
    const answer = await post("/logout");
    if (!answer.ok && answer.status !== 401) return undefined;
    const { to } = await answer.json().catch(() => ({}));
    return typeof to === "string" ? to : "";
  } catch {
    return undefined;
  }
}
