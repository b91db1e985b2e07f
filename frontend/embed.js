// The page for a portal's frame: shows the one live view that its address asks for, tells the page around it how the
// view stands, and does the few things that page may ask for. Never a word to or from any other page.

import { version } from "../element.js";

const ELEMENTS = ["table", "changes", "object"].filter((name) => customElements.get(`dogwatch-${name}`));
// An element without a scroll box (a sentence, a view without rows) needs so much.
const HEIGHT_MIN_PX = 240;
// A frame as high as all rows draws all of them.
const HEIGHT_MAX_PX = 4000;
const HEIGHT_EVERY_MS = 200;
// The element gives up a token that didn't come by then.
const TOKEN_MS = 10_000;

const address = new URLSearchParams(location.search);
const isFramed = parent !== window;
const notes = {};
let portal;

function originOf(text) {
  try {
    const { origin, protocol } = new URL(text);
    return /^https?:$/.test(protocol) ? origin : undefined;
  } catch {
    return undefined;
  }
}

/** The browser delivers it only if the page around this one has this origin. */
function tell(type, detail) {
  if (portal) parent.postMessage({ ...detail, source: "dogwatch", type }, portal);
}

/** A line above the view, or none. */
function note(name, ...content) {
  notes[name]?.remove();
  delete notes[name];
  if (content.length === 0) return;
  notes[name] = document.createElement("p");
  notes[name].setAttribute("role", "alert");
  notes[name].append(...content);
  document.body.prepend(notes[name]);
}

function failed(message) {
  console.warn(`dogwatch: ${message}`);
  tell("error", { reason: "BadRequest", message });
}

/** What is wrong with these pairs of name and value, in a sentence. */
function wrongIn(pairs, names) {
  const seen = new Set();
  for (const [name, value] of pairs) {
    if (!names.includes(name)) return `${JSON.stringify(name)} is not known here: ${names.join(", ")} are.`;
    if (seen.has(name)) return `${name} is there twice.`;
    if (value !== null && typeof value !== "string") return `${name} is no text.`;
    seen.add(name);
  }
  return undefined;
}

function set(view, pairs) {
  for (const [name, value] of pairs) {
    if (value === null) view.removeAttribute(name);
    else view.setAttribute(name, value);
  }
  const theme = view.getAttribute("theme");
  document.documentElement.style.colorScheme = ["light", "dark"].includes(theme) ? theme : "";
}

function attributesOf(kind) {
  // The gateway is this one.
  return customElements.get(`dogwatch-${kind}`).observedAttributes.filter((name) => name !== "gateway");
}

/** Tokens of the portal, which is asked by `auth-required` and answers with `token`. */
function tokens(view) {
  let token;
  let take;
  const provider = () => new Promise((resolve) => {
    if (token !== undefined) {
      resolve(token);
      token = undefined;
      return;
    }
    take = resolve;
    setTimeout(() => take === resolve && (take = undefined), TOKEN_MS);
    tell("auth-required", { reason: "Unauthorized", message: "A token is needed.", wants: "token" });
  });
  return (given) => {
    if (typeof given !== "string" || given === "") return;
    if (take) take(given);
    else token = given;
    take = undefined;
    // It asks at once if the last token was refused.
    view.tokenProvider = provider;
  };
}

const OPENED = "dogwatch.opened";

/** No frame can sign in: the gateway's own page does, in a tab of its own. */
function signIn() {
  const link = document.createElement("a");
  Object.assign(link, { href: new URL("..", import.meta.url).href, target: "_blank", rel: "noopener" });
  link.append("Sign in to Dogwatch in a new tab");
  let wasOpened = false;
  try {
    wasOpened = sessionStorage.getItem(OPENED) !== null;
    link.addEventListener("click", () => sessionStorage.setItem(OPENED, "1"));
  } catch {
    // Without storage the shorter sentence is shown.
  }
  const still = "If you are signed in there already, your browser keeps that login from this site: ask whoever runs this page.";
  note("sign-in", "You are not signed in. ", link, ". This view goes on when you come back. ", wasOpened ? still : "");
}

/** The root of the view's content: the panel of an object has a root of its own. */
function rootOf(view) {
  return view?.shadowRoot.querySelector(".panel-host")?.shadowRoot ?? view?.shadowRoot;
}

/** As high as this page would be if it showed all rows. */
function height(view) {
  const lines = Object.values(notes).reduce((sum, line) => sum + line.offsetHeight, 0);
  const box = rootOf(view)?.querySelector(".tbody, .log, .panel-body");
  if (!box || view.hasAttribute("data-failed")) return lines + (view ? HEIGHT_MIN_PX : 0);
  const top = box.getBoundingClientRect().top + box.clientTop - box.scrollTop;
  const rows = Math.max(...[...box.children].map((part) => part.getBoundingClientRect().bottom)) - top;
  const whole = lines + view.offsetHeight - box.clientHeight + Math.ceil(rows);
  return Math.min(Math.max(whole, HEIGHT_MIN_PX), HEIGHT_MAX_PX);
}

/** Tells the height when it changed. Returns what looks for the boxes to follow. */
function followHeight(view) {
  let timer;
  let last;
  const say = () => {
    timer = undefined;
    const now = height(view);
    if (now !== last) tell("height", { height: now });
    last = now;
  };
  const sizes = new ResizeObserver(() => {
    timer ??= setTimeout(say, HEIGHT_EVERY_MS);
  });
  sizes.observe(document.body);
  return () => {
    // Those that are gone are observed no more, and a box is observed once.
    const parts = ".tbody > *, .log > *, .panel-body > *";
    for (const part of rootOf(view)?.querySelectorAll(parts) ?? []) sizes.observe(part);
    timer ??= setTimeout(say, HEIGHT_EVERY_MS);
  };
}

function follow(view) {
  const followed = followHeight(view);
  for (const name of ["state", "row-activate", "object-close", "error", "auth-required", "sync"]) {
    view.addEventListener(name, ({ detail }) => {
      if (!detail) return;
      if (name === "auth-required" && detail.wants === "login") signIn();
      // A portal that has brought a token is asked for the next one when it is wanted.
      if (detail.wants === "token" && view.tokenProvider) return;
      if (name === "sync") note("sign-in");
      tell(name, detail);
      followed();
    });
  }
  followed();
}

/** What the portal may ask for. */
function obey(view, names) {
  const take = tokens(view);
  const acts = {
    token: ({ token }) => take(token),
    attributes: ({ attributes }) => {
      const pairs = Object.entries(attributes ?? {});
      const wrong = wrongIn(pairs, names);
      if (wrong) failed(`attributes: ${wrong}`);
      else set(view, pairs);
    },
    pause: () => view.pause?.(),
    resume: () => view.resume?.(),
    refresh: () => view.refresh?.(),
  };
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== parent || origin !== portal || typeof data?.type !== "string") return;
    if (Object.hasOwn(acts, data.type)) acts[data.type](data);
  });
}

/** Another tab brought a login. A document that begins again may have no referrer any more. */
function again() {
  if (!notes["sign-in"]) return;
  const next = new URL(location.href);
  if (portal) next.searchParams.set("origin", portal);
  if (next.href === location.href) location.reload();
  else location.replace(next.href);
}

document.addEventListener("visibilitychange", () => document.hidden || again());
addEventListener("storage", ({ key }) => ["dogwatch.session", "dogwatch.login"].includes(key) && again());

function begin() {
  document.getElementById("not-started").remove();
  const asked = address.get("origin");
  if (isFramed) portal = originOf(asked ?? document.referrer);
  if (asked !== null && originOf(asked) !== asked) {
    portal = undefined;
    return `origin=${JSON.stringify(asked)}: an origin is expected, as https://portal.example.com`;
  }
  if (isFramed && !portal) {
    console.warn("dogwatch: the page around this frame hides its origin, so it is told nothing; origin= in the frame's address names it");
  }
  const kind = address.get("element") ?? "table";
  if (!ELEMENTS.includes(kind)) return `element=${JSON.stringify(kind)}: ${ELEMENTS.join(" or ")} is expected`;
  const names = attributesOf(kind);
  const wrong = wrongIn(address, ["element", "origin", ...names]);
  if (wrong) return wrong;
  const view = document.createElement(`dogwatch-${kind}`);
  set(view, [...address].filter(([name]) => names.includes(name)));
  follow(view);
  if (isFramed) obey(view, names);
  document.body.append(view);
  tell("ready", { version });
  return undefined;
}

const problem = begin();
if (problem) {
  note("wrong", `This frame's address can't be read. ${problem}`);
  followHeight(undefined)();
  failed(problem);
}
