// The page's first socket, opened and greeted while the program is still coming. The program takes it over with all
// that came on it; later ones are plain sockets. A plain module, as short as the page's first paint.

import { BASE, prove } from "./key.js";

// A program that takes longer finds no socket here and opens one.
const TAKEN_WITHIN_MS = 30_000;

let first;

// The frame `challenge` of a message, if it is one.
function challenge(data) {
  if (typeof data !== "string" || !data.startsWith('{"challenge"')) return undefined;
  try {
    return JSON.parse(data).challenge;
  } catch {
    return undefined;
  }
}

function opened(url, version) {
  const socket = new WebSocket(url, version);
  socket.binaryType = "arraybuffer";
  return socket;
}

// The part of the WebSocket interface that the program uses.
class First {
  onopen = null;
  onmessage = null;
  onclose = null;
  #socket;
  #came = [];
  #isTaken = false;
  // This module has answered the challenge. Messages after it wait until the program has answered it, too.
  #isAnswered = false;
  #isHeld = false;

  constructor(url, version, client) {
    this.url = url;
    this.#socket = opened(url, version);
    const answer = (data) => this.#answer(data, version, client);
    this.#socket.onopen = (event) => this.#take("onopen", event);
    this.#socket.onmessage = (event) => {
      this.#take("onmessage", event);
      if (!this.#isTaken) answer(event.data);
    };
    this.#socket.onclose = (event) => this.#take("onclose", event);
    setTimeout(() => this.#isTaken || this.#socket.close(), TAKEN_WITHIN_MS);
  }

  get isOpening() {
    return this.#socket.readyState <= WebSocket.OPEN;
  }

  async #answer(data, version, client) {
    const { nonce, wanted } = challenge(data) ?? {};
    if (nonce === undefined || wanted === "bearer") return;
    const hello = { version, client };
    if (wanted === undefined) {
      const proof = await prove(nonce).catch(() => undefined);
      if (proof === undefined) return;
      hello.credential = { proof };
    }
    if (this.#isTaken || !this.isOpening) return;
    this.#isAnswered = true;
    this.#socket.send(JSON.stringify({ hello }));
  }

  #take(handler, event) {
    this.#came.push([handler, event]);
    if (this.#isTaken) this.#pass();
  }

  #pass() {
    while (this.#came.length > 0 && !this.#isHeld) {
      const [handler, event] = this.#came.shift();
      this.#isHeld = this.#isAnswered && challenge(event.data) !== undefined;
      this[handler]?.(event);
    }
  }

  taken() {
    this.#isTaken = true;
    // In a microtask, when the program has set its handlers.
    queueMicrotask(() => this.#pass());
    return this;
  }

  send(text) {
    // The gateway already has this `hello`, so it isn't sent again.
    if (!this.#isAnswered) return this.#socket.send(text);
    this.#isAnswered = this.#isHeld = false;
    queueMicrotask(() => this.#pass());
  }

  close(...why) {
    this.#socket.close(...why);
  }
}

// Opens a socket for the program, if the page is visible and wasn't reached by a sign-in link.
export function greet(version, client) {
  if (document.visibilityState !== "visible" || location.hash !== "") return;
  try {
    first = new First(`${location.origin.replace("http", "ws")}${BASE}/api/ws`, version, client);
  } catch {
    // The program says what is wrong.
  }
}

// The program's socket.
export function socket(url, version) {
  const greeted = first;
  first = undefined;
  if (greeted?.url === url && greeted.isOpening) return greeted.taken();
  greeted?.close();
  return opened(url, version);
}
