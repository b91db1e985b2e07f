// <dogwatch-table resource="pods" namespaces="shop"></dogwatch-table>
//
// The live view of Dogwatch in any page: <dogwatch-table>, <dogwatch-changes>, <dogwatch-object>, <dogwatch-tally> and
// <dogwatch-connection>. A gateway serves this file as /element.js, and the npm package `dogwatch` has it, too. The
// program itself comes from the gateway when the first element needs it, or from where the page says. All elements of
// a document and gateway share one program, one socket, and one subscription per equal view.
//
// Importing it where there is no browser defines nothing and touches nothing.

export const version = "0.2.0";

/** What `read` of the program takes: see docs/EMBEDDING.md. */
const VIEW_ATTRIBUTES = [
  "link", "cluster", "resource", "namespaces", "label-selector", "field-selector", "filter", "sort",
  "columns", "wide", "at", "view", "theme", "density",
];
const OBJECT_ATTRIBUTES = ["link", "cluster", "resource", "namespace", "name", "tab", "at", "theme", "closable"];
const TALLY_ATTRIBUTES = ["cluster", "namespaces", "theme", "to-list"];
// Empty in the npm package, where it would be the address of a bundle, or of the machine that built it.
const MODULE = import.meta.url;
// A gateway serves this file by this name.
const IS_OF_GATEWAY = MODULE.replace(/[?#].*/, "").endsWith("/element.js");

// A token that isn't there by then counts as a failure, which is tried again.
const TOKEN_MS = 10_000;
const AGAIN_FIRST_MS = 1_000;
const AGAIN_MAX_MS = 30_000;
// A token is replaced so long before it ends, and a short one after two thirds of its time.
const RENEW_BEFORE_MS = 60_000;
// The socket is closed when the last element has been gone for so long.
const LEFT_MS = 5_000;
// A program that breaks more often isn't begun again.
const RESTARTS_MAX = 5;
// A browser's timer can't hold more.
const TIMER_MAX_MS = 2 ** 31 - 1;

const MARK = Symbol.for("dogwatch.version");
// The state that all copies of this module on a page share. Without a browser nothing is shared.
const page = globalThis[MARK] ?? { version, isSaid: false };

/**
 * Where the program comes from in place of the gateway: the address of the package's folder `program`, or a function that
 * imports the module `dogwatch/program.js`. It counts for what begins after it.
 */
export function program(from) {
  page.program = from;
}

const camel = (name) => name.replace(/-./g, (dash) => dash[1].toUpperCase());

/** Attributes that aren't read, and the one to write. React up to 18 writes properties as attributes in lower case. */
const MISSPELT = [
  ...[...VIEW_ATTRIBUTES, "token-provider"]
    .filter((name) => name.includes("-"))
    .map((name) => [
      camel(name).toLowerCase(),
      name,
      name === "token-provider"
        ? "tokenProvider is a property. React 18 and older can't set it: import from \"dogwatch/react-18\""
        : `write ${name}. React 18 and older can't set ${camel(name)}: import from "dogwatch/react-18"`,
    ]),
  ["selector", "label-selector"], ["label_selector", "label-selector"], ["field_selector", "field-selector"],
];

const problem = (reason, message) => ({ reason, message });
const textOf = (error) => (error instanceof Error ? error.message : String(error));

/** A gateway, as the elements of this document use it. */
class Connection {
  static #held = new Map();

  static of(gateway) {
    const held = Connection.#held.get(gateway) ?? new Connection(gateway);
    Connection.#held.set(gateway, held);
    return held;
  }

  program;
  link = { state: "connecting" };
  #gateway;
  #elements = new Set();
  /** Why the gateway can't be reached, if it never could. */
  unreached;
  /** What the page's own content policy blocked. */
  #blocked;
  #wasOpen = false;
  #isStarted = false;
  #isAsking = false;
  #hasLeft = false;
  #leaving;
  #again = AGAIN_FIRST_MS;
  #restarts = 0;
  #timer;
  #warned;

  constructor(gateway) {
    this.#gateway = gateway;
    addEventListener("error", (event) => this.#watch(event.error));
    addEventListener("unhandledrejection", (event) => this.#watch(event.reason));
    addEventListener("securitypolicyviolation", (event) => this.#policyBlocked(event));
  }

  /** Says what the page's own policy blocked, and what to add to it. */
  #policyBlocked({ disposition, effectiveDirective, blockedURI, originalPolicy }) {
    const isWasm = blockedURI === "wasm-eval";
    const { origin } = new URL(this.#gateway);
    const socket = origin.replace("http", "ws");
    const from = blockedURI.split("/", 3).join("/");
    const isOurs = isWasm || [origin, socket, page.program && location.origin].includes(from);
    if (disposition === "report" || !isOurs || !/^(script|connect)/.test(effectiveDirective)) return;
    const directives = [effectiveDirective, effectiveDirective.replace("-elem", ""), "default-src"];
    const directive = directives.find((name) => originalPolicy.includes(`${name} `));
    const isFetch = effectiveDirective === "connect-src" && from === origin;
    const lacks = isWasm ? "'wasm-unsafe-eval'" : isFetch ? `${origin} ${socket}` : from;
    const helps = `add ${lacks} to its ${directive}`;
    // Another file of the same is no news.
    if (this.#blocked?.message.endsWith(helps)) return;
    const what = isWasm ? "WebAssembly" : blockedURI;
    this.#blocked = problem("ContentSecurityPolicy", `This page's Content-Security-Policy blocks ${what}: ${helps}`);
    // A socket that is blocked doesn't always close.
    if (this.program && !this.#wasOpen) this.unreached = this.#blocked;
    this.#each((element) => element.linkChanged(this.link));
  }

  /** Starts a new program if the present one broke. Errors of the page's other scripts are ignored. */
  #watch(error) {
    const broken = this.program;
    if (!(error instanceof WebAssembly.RuntimeError) || !broken?.isFrom(error.stack ?? "")) return;
    this.program = undefined;
    clearTimeout(this.#timer);
    try {
      broken.stop();
    } catch {
      // Then it may report more errors.
    }
    this.#restarts += 1;
    const goesOn = this.#restarts <= RESTARTS_MAX;
    const what = `Dogwatch stopped because of an error of its own: ${goesOn ? "it begins again" : "reload the page"}`;
    this.link = { state: "connecting" };
    this.#each((element) => {
      element.programBroke();
      element.failed("program", problem("Program", what));
      element.linkChanged(this.link);
    });
    this.#isStarted = !goesOn;
    if (goesOn && this.#elements.size > 0) this.#start();
  }

  add(element) {
    clearTimeout(this.#leaving);
    this.#elements.add(element);
    if (this.program) element.programCame();
    else if (!this.#isStarted) this.#start();
    if (this.#hasLeft) this.#comeBack();
    element.linkChanged(this.link);
  }

  delete(element) {
    this.#elements.delete(element);
    if (this.#elements.size > 0) return;
    clearTimeout(this.#leaving);
    this.#leaving = setTimeout(() => {
      if (!this.program) return;
      clearTimeout(this.#timer);
      this.#hasLeft = true;
      this.program.leave();
    }, LEFT_MS);
  }

  async #comeBack() {
    this.#hasLeft = false;
    const { program } = this;
    // The element that was just added gets its properties.
    await null;
    const token = await this.#token();
    if (!program || this.program !== program || this.#hasLeft) return;
    if (token !== undefined) program.sign_in(token);
    program.come_back();
  }

  /** An element got a function for tokens. */
  providerCame() {
    if (this.program && this.link.wants === "token") this.#renew();
  }

  #each(act) {
    for (const element of [...this.#elements]) act(element);
  }

  #provider() {
    return [...this.#elements].map((element) => element.tokenProvider).find((provider) => typeof provider === "function");
  }

  async #start() {
    this.#isStarted = true;
    // An element that was just added gets its properties, and a module that imports this one may call `program`.
    await null;
    const load = this.#load();
    const early = await this.#token();
    const program = await load;
    // A function that came meanwhile counts, too.
    const token = early ?? (await this.#token());
    // The next element begins again.
    if (this.#elements.size === 0) {
      this.#isStarted = false;
      return;
    }
    this.program = program;
    program.begin(this.#gateway, token, (kind, json) => {
      queueMicrotask(() => this.program === program && this.#told(JSON.parse(json)));
    });
    this.#each((element) => element.programCame());
  }

  async #load() {
    for (let tries = 0, wait = AGAIN_FIRST_MS; ; tries += 1, wait = Math.min(wait * 2, AGAIN_MAX_MS)) {
      const from = page.program ?? this.#gateway;
      const isModule = typeof from === "function";
      try {
        const { start } = await (isModule ? from() : imported(from, tries));
        const program = await start();
        this.#each((element) => element.failed("program"));
        return program;
      } catch (error) {
        // What the page's policy blocked is reported after the failure.
        await later(50);
        const why = `Dogwatch can't be had from ${isModule ? "this page" : from}: ${textOf(error)}`;
        const what = this.#blocked ?? problem("Program", from === this.#gateway ? `${why}. ${hint()}` : why);
        this.#each((element) => element.failed("program", what));
        await later(wait);
      }
    }
  }

  /** The first token, once there is one. Nothing without a function for it. */
  async #token() {
    for (;;) {
      const provider = this.#provider();
      if (!provider) return undefined;
      try {
        return await this.#ask(provider);
      } catch {
        await later(this.#backOff());
      }
    }
  }

  async #ask(provider) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no token within ${TOKEN_MS / 1000} s`)), TOKEN_MS);
    });
    try {
      const token = await Promise.race([Promise.resolve().then(provider), late]);
      if (typeof token !== "string" || token === "") throw new Error("the token isn't a text");
      this.#each((element) => element.failed("token"));
      return token;
    } catch (error) {
      const what = problem("TokenProvider", `The page's tokenProvider failed: ${textOf(error)}`);
      // Rows that are still proven stay.
      const isInPlace = this.link.state !== "open";
      this.#each((element) => element.failed("token", what, isInPlace));
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** For those who write the page: its readers can do nothing about it. */
  #warn(message) {
    const none = "No element has a tokenProvider; on HTML that a server rendered, set it in the browser";
    const said = this.#provider() ? message : `${message} ${none}.`;
    if (this.#warned !== said) console.warn(`dogwatch: ${said}`);
    this.#warned = said;
  }

  #backOff() {
    const wait = this.#again;
    this.#again = Math.min(wait * 2, AGAIN_MAX_MS);
    return wait;
  }

  /** Another token, on the open socket or for a new one. */
  async #renew() {
    const provider = this.#provider();
    if (!provider || this.#isAsking) return;
    this.#isAsking = true;
    clearTimeout(this.#timer);
    try {
      const token = await this.#ask(provider);
      this.#isAsking = false;
      this.program.sign_in(token);
    } catch {
      this.#isAsking = false;
      this.#renewIn(this.#backOff());
    }
  }

  #renewIn(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#renew(), Math.min(Math.max(ms, 0), TIMER_MAX_MS));
  }

  #told(link) {
    const before = this.link;
    this.link = link;
    this.#wasOpen ||= link.state === "open";
    if (this.#wasOpen) this.unreached = undefined;
    else if (link.state === "waiting") {
      const { reason, message } = link;
      const isSaid = reason !== "ConnectionClosed";
      const unreached = () => problem(reason, isSaid ? message : `Dogwatch can't be reached at ${this.#gateway}. ${hint()}`);
      this.unreached = this.#blocked ?? unreached();
    }
    if (link.state === "open") {
      const left = link.expiresMs === undefined ? undefined : link.expiresMs - Date.now();
      // A token that ends at once isn't asked for again at once.
      if (left === undefined || left > AGAIN_MAX_MS) this.#again = AGAIN_FIRST_MS;
      if (left !== undefined && link.expiresMs !== before.expiresMs) {
        this.#renewIn(left - Math.min(RENEW_BEFORE_MS, left / 3));
      }
    } else if (link.state === "refused" && before.state !== "refused") {
      const { reason, message, wants } = link;
      this.#each((element) => element.tell("auth-required", { reason, message, wants }));
      if (wants === "token") {
        this.#warn(message);
        // The first answer to a refusal is asked for at once; a gateway that refuses that as well waits.
        this.#renewIn(this.#again === AGAIN_FIRST_MS ? (this.#backOff(), 0) : this.#backOff());
      } else if (new URL(this.#gateway).origin !== location.origin) {
        this.#warn(`${message} Other sites need --auth bearer.`);
      }
    }
    this.#each((element) => element.linkChanged(link));
  }
}

// A browser remembers that a module couldn't be had, by its address. No bundler knows the address beforehand.
function imported(folder, tries) {
  const module = tries === 0 ? "program.js" : `program.js?${tries}`;
  const address = new URL(module, new URL(`${folder}`.replace(/\/?$/, "/"), document.baseURI));
  return import(/* webpackIgnore: true */ /* @vite-ignore */ address.href);
}

const hint = () => `Does it run, and is ${location.origin} among its --allowed-origin?`;
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Where there is no browser, the classes are there and do nothing.
const Base = globalThis.HTMLElement ?? class {};

/** What all elements have: a gateway, a token, a place for what went wrong. */
class DogwatchElement extends Base {
  static properties = ["gateway", "tokenProvider"];
  static misspelt = MISSPELT;

  connection;
  #tokenProvider;
  #failures = new Map();
  #place;
  #internals;
  #isIn = false;
  /** Hears when the page's color scheme changes, or the element is shown. The style sheet of the view after it reads it. */
  scheme = globalThis.document?.createElement("i");
  #state;

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).append(this.scheme);
    this.#internals = this.attachInternals?.();
    this.scheme.style = "all: initial; position: absolute; inset: 0 auto auto 0; width: 1px; color-scheme: inherit; transition: color-scheme 1ms allow-discrete";
    this.scheme.ontransitionrun = () => this.#follow();
    new ResizeObserver(() => this.#follow()).observe(this.scheme);
    const attributeFilter = this.constructor.misspelt.map(([name]) => name);
    new MutationObserver(() => this.#checkNames()).observe(this, { attributeFilter });
  }

  connectedCallback() {
    this.#follow();
    // Set before the element was defined.
    for (const name of this.constructor.properties) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    // It was moved: it keeps its rows.
    if (!this.connection) this.join();
    this.#checkNames();
  }

  disconnectedCallback() {
    setTimeout(() => this.isConnected || this.leave());
  }

  /** The element moved to another document, which has style sheets of its own. That document may end without telling
   * its elements. */
  adoptedCallback() {
    this.leave();
    const view = this.ownerDocument.defaultView;
    view?.addEventListener("pagehide", () => this.ownerDocument.defaultView !== view || this.leave(), { once: true });
  }

  attributeChangedCallback(name, before, value) {
    if (before === value || !this.#isIn) return;
    if (name === "gateway") {
      this.leave();
      this.join();
    } else {
      this.#checkNames();
      this.#follow();
      if (this.connection) this.changed();
    }
  }

  /** A selector that isn't read would show every row, so nothing is shown in its place. */
  #checkNames() {
    const { misspelt } = this.constructor;
    const wrong = misspelt.find(([name, right]) => this.hasAttribute(name) && !this.hasAttribute(right)) ?? [];
    const [name, right, helps = `write ${right}`] = wrong;
    this.failed("attribute", name && problem("BadRequest", `The attribute ${name} isn't read: ${helps}`));
  }

  /** Takes the color scheme of this place in the page, or the system's where the page has none. */
  #follow() {
    const isPages = getComputedStyle(this).colorScheme !== "normal" || !!document.querySelector("meta[name=color-scheme]");
    this.scheme.toggleAttribute("data-scheme", isPages);
    const theme = this.getAttribute("theme");
    const scheme = /^(light|dark)$/.test(theme) ? theme : isPages ? "inherit" : "light dark";
    this.#place?.firstElementChild.style.setProperty("color-scheme", scheme);
  }

  get gateway() {
    return this.getAttribute("gateway");
  }

  set gateway(value) {
    reflect(this, "gateway", value);
  }

  get tokenProvider() {
    return this.#tokenProvider;
  }

  set tokenProvider(provider) {
    this.#tokenProvider = provider;
    this.connection?.providerCame();
  }

  join() {
    this.#isIn = true;
    const given = this.getAttribute("gateway");
    let gateway;
    try {
      if (given || IS_OF_GATEWAY) {
        gateway = new URL(given ? `${given.replace(/\/$/, "")}/` : ".", given ? document.baseURI : MODULE);
      }
    } catch {
      // The check below reports it.
    }
    if (!/^https?:$/.test(gateway?.protocol ?? "")) {
      const what = `gateway="${given ?? ""}": the address of a gateway is expected, as https://dogwatch.example.com`;
      this.failed("gateway", problem("BadRequest", what));
      return;
    }
    this.failed("gateway");
    this.connection = Connection.of(gateway.href);
    this.connection.add(this);
  }

  leave() {
    this.connection?.delete(this);
    this.connection = undefined;
    this.#isIn = false;
    for (const what of this.#failures.keys()) if (what !== "attribute") this.failed(what);
    this.setState();
  }

  programCame() {}
  programBroke() {}
  changed() {}

  /** Shows the connection's state, if no rows are shown: a view with rows shows it itself, with a button. */
  linkChanged({ state, reason, message }) {
    this.failed("reach", this.connection.unreached);
    const helps = page.program ? "This page's own copy of Dogwatch must be the gateway's." : "Reload this page.";
    const what = state === "other-version" ? problem(reason, `${message} ${helps}`) : undefined;
    this.failed("version", what, !this.shadowRoot.querySelector("[data-row], .panel-host"));
  }

  /** Whether an attribute is wrong, so that no view is shown. */
  get isWrong() {
    return [...this.#failures.values()].some(({ reason, isInPlace }) => isInPlace && reason === "BadRequest");
  }

  /** For style sheets: `:state(live)`. */
  setState(state) {
    this.#state = state;
    const states = this.#internals?.states;
    try {
      states?.clear();
      if (state && !this.isWrong) states?.add(state);
    } catch {
      // A browser of before 2024.
    }
  }

  /** As with the browser's own elements, `error` doesn't bubble: a page's reports of its errors hear those events. */
  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: name !== "error", composed: true, detail }));
  }

  /** Something failed, or works again. The message stands in place of the view, unless the view goes on. */
  failed(what, failure, isInPlace = true) {
    const before = this.#failures.get(what);
    if (failure) this.#failures.set(what, { ...failure, isInPlace });
    else this.#failures.delete(what);
    this.setState(this.#state);
    if (failure && before?.message !== failure.message) {
      console.warn(`${this.localName}: ${failure.message}`);
      this.tell("error", failure);
    }
    const shown = [...this.#failures.values()].find((held) => held.isInPlace);
    this.toggleAttribute("data-failed", shown !== undefined);
    if (!shown) {
      this.#place?.remove();
      this.#place = undefined;
      return;
    }
    if (this.#place?.parentNode !== this.shadowRoot) {
      // Without markup, so that a page under Trusted Types takes it.
      this.#place = document.createElement("slot");
      this.#place.name = "error";
      const said = document.createElement("div");
      said.setAttribute("role", "alert");
      said.setAttribute("part", "error");
      // No decoration of the page's text goes into an inline block.
      said.append(Object.assign(document.createElement("span"), { style: "display: inline-block" }));
      // Resets the text styles of the page, which could hide the message.
      Object.assign(said.style, {
        all: "initial", display: "block", padding: "12px 16px", font: "13px/1.5 system-ui, sans-serif",
        overflowWrap: "anywhere", color: "CanvasText", background: "Canvas",
      });
      this.#place.append(said);
      this.shadowRoot.prepend(this.#place);
      this.#follow();
    }
    this.#place.firstElementChild.firstElementChild.textContent = shown.message;
  }
}

function reflect(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}


/** An element that shows a view of the cluster. */
class LiveElement extends DogwatchElement {
  #number;
  #link;
  #isChanging = false;

  programCame() {
    // An element may be in its place before it has its attributes.
    this.changed();
  }

  /** Removes what the broken program drew, because it can't change any more. */
  programBroke() {
    this.#number = undefined;
    this.setState("syncing");
    this.shadowRoot.replaceChildren(this.scheme);
  }

  leave() {
    if (this.#number !== undefined) this.connection.program.detach(this.#number);
    this.#number = undefined;
    super.leave();
  }

  changed() {
    if (this.#isChanging) return;
    this.#isChanging = true;
    // Attributes that change together are one change.
    queueMicrotask(() => {
      this.#isChanging = false;
      if (this.connection?.program) this.#show();
    });
  }

  /** What the program reads: an object of strings. */
  attributesOfView() {
    const given = this.constructor.observedAttributes.filter((name) => this.hasAttribute(name));
    // JSON can't hold half of a character.
    return Object.fromEntries(given.map((name) => [name, this.getAttribute(name).replace(/\p{Cs}/gu, "\ufffd")]));
  }

  #show() {
    const { program } = this.connection;
    let read;
    try {
      read = JSON.parse(program.read(JSON.stringify(this.attributesOfView()), this.isObject === true, this.isTally === true));
    } catch (wrong) {
      this.failed("attributes", JSON.parse(wrong));
      return;
    }
    this.failed("attributes");
    if (this.#number === undefined) {
      const attach = this.isObject ? program.attach_object : program.attach;
      const number = attach(this, read.link, (kind, json) => {
        queueMicrotask(() => this.#number === number && this.told(kind, JSON.parse(json)));
      });
      this.#number = number;
    } else if (read.link !== this.#link) {
      program.lead(this.#number, read.link);
    }
    this.#link = read.link;
    program.paint(this.#number, read.theme, read.density ?? undefined);
    if (this.isObject) program.set_closable(this.#number, this.closable);
  }

  told(kind, told) {
    const { link } = this.connection;
    // Another version of the gateway matters more than any state of the view.
    const detail = kind === "state" && link.state === "other-version" ? { ...told, ...link } : told;
    if (kind === "state") {
      this.setState(detail.state);
      const { sinceMs, isPaused: paused, unread, ...rest } = detail;
      // The rows are shown without it.
      this.failed("columns", unread && problem("BadRequest", unread), false);
      const since = sinceMs === undefined ? undefined : new Date(sinceMs);
      this.tell("state", { ...rest, since, paused });
      if (["failed", "forbidden", "gone"].includes(detail.state)) {
        this.tell("error", problem(detail.reason ?? "InternalError", detail.message ?? ""));
      }
    } else if (kind === "sync") {
      this.tell("sync", { resourceVersion: detail.resourceVersion, proven: new Date(detail.provenMs) });
    } else {
      this.tell(kind, detail);
    }
  }

  ask(act) {
    return this.#number === undefined ? undefined : act(this.connection.program, this.#number);
  }

  /** Tries to reach the gateway or the cluster at once. */
  refresh() {
    this.ask((program) => program.refresh());
  }
}

class DogwatchTable extends LiveElement {
  static properties = [...DogwatchElement.properties, ...VIEW_ATTRIBUTES.map(camel)];
  static observedAttributes = ["gateway", ...VIEW_ATTRIBUTES];
  static misspelt = [...MISSPELT, ["namespace", "namespaces"]];

  /** The rows stay as they are, and changes are counted. */
  pause() {
    this.ask((program, number) => program.pause(number, true));
  }

  resume() {
    this.ask((program, number) => program.pause(number, false));
  }

  /** The rows as a `File`, "csv" or "json"; `null` while there are none. */
  export(format = "csv") {
    const exported = this.ask((program, number) => program.export_rows(number, format));
    if (!exported || this.isWrong) return null;
    const { name, type, text } = JSON.parse(exported);
    return new File([text], name, { type });
  }
}

/** The panel of one object. */
class DogwatchObject extends LiveElement {
  static properties = [...DogwatchElement.properties, ...OBJECT_ATTRIBUTES];
  static observedAttributes = ["gateway", ...OBJECT_ATTRIBUTES];
  static misspelt = [...MISSPELT, ["namespaces", "namespace"]];
  isObject = true;
}

/** How much is wrong, in a chip. */
class DogwatchTally extends LiveElement {
  static properties = [...DogwatchElement.properties, ...TALLY_ATTRIBUTES.map(camel)];
  static observedAttributes = ["gateway", ...TALLY_ATTRIBUTES];
  static misspelt = [...MISSPELT, ["namespace", "namespaces"], ["tolist", "to-list"]];
  isTally = true;
  #said = {};

  constructor() {
    super();
    this.shadowRoot.addEventListener("click", (event) => {
      if (!event.target.closest(".wrong-chip")) return;
      const { state, failing, notReady, link } = this.#said;
      const detail = { state, failing, notReady, link };
      const told = new CustomEvent("tally-activate", { bubbles: true, composed: true, cancelable: true, detail });
      if (!this.dispatchEvent(told)) event.preventDefault();
    });
  }

  told(kind, told) {
    this.#said = told;
    super.told(kind, told);
  }
}

function defineProperties(element, names) {
  for (const name of names) {
    Object.defineProperty(element.prototype, camel(name), {
      configurable: true,
      enumerable: true,
      get() {
        return name === "closable" ? this.hasAttribute(name) : this.getAttribute(name);
      },
      set(value) {
        reflect(this, name, name === "wide" && value === false ? "false" : value);
      },
    });
  }
}

defineProperties(DogwatchTable, VIEW_ATTRIBUTES);
defineProperties(DogwatchObject, OBJECT_ATTRIBUTES);
defineProperties(DogwatchTally, TALLY_ATTRIBUTES);

/** The changes of a view, as they came. */
class DogwatchChanges extends DogwatchTable {
  attributesOfView() {
    return { view: "changes", ...super.attributesOfView() };
  }
}

const WORDS = {
  open: "Connected", connecting: "Connecting", waiting: "Gateway out of reach", resting: "Connecting",
  refused: "Not signed in", "other-version": "The gateway has another version",
};

/** How the connection to the gateway stands, in a word. */
class DogwatchConnection extends DogwatchElement {
  static observedAttributes = ["gateway"];
  #said;

  leave() {
    super.leave();
    this.#said?.remove();
    this.#said = undefined;
  }

  linkChanged(link) {
    if (this.#said === undefined) {
      this.#said = document.createElement("span");
      this.#said.setAttribute("role", "status");
      this.#said.setAttribute("part", "state");
      this.shadowRoot.append(this.#said);
    }
    const word = WORDS[link.state] ?? link.state;
    if (this.#said.textContent === word) return;
    this.#said.textContent = word;
    this.setState(link.state);
    const { state, reason, message, user } = link;
    this.tell("state", { state, reason, message, user });
  }
}

const TAGS = {
  "dogwatch-table": DogwatchTable,
  "dogwatch-changes": DogwatchChanges,
  "dogwatch-object": DogwatchObject,
  "dogwatch-tally": DogwatchTally,
  "dogwatch-connection": DogwatchConnection,
};

/** Defines the elements. If a page has several copies of this module, the first one serves all. */
export function define(registry = globalThis.customElements) {
  if (!registry) return;
  for (const [tag, element] of Object.entries(TAGS)) {
    if (!registry.get(tag)) registry.define(tag, element);
  }
}

if (globalThis.customElements) {
  if (!globalThis[MARK]) {
    Object.defineProperty(globalThis, MARK, { value: page });
    define();
  } else if (!page.isSaid) {
    page.isSaid = true;
    console.warn(`dogwatch ${version} was loaded beside ${page.version}, which serves all elements of this page`);
  }
}

export { DogwatchTable, DogwatchChanges, DogwatchObject, DogwatchTally, DogwatchConnection };
