// The page's files are named after their content, and a gateway of another version has none of them. While one version takes
// the other's place, the page comes from one gateway and a file is asked of another: then it can't start, and is loaded again
// until all its files are there. This is a classic script under a name that stays, so that it comes from either.
"use strict";

{
  const KEPT = "dogwatch-missing";
  const FIRST_MS = 1_000;
  const MOST_MS = 15_000;
  // A file that is missing later than this belongs to another upgrade.
  const FORGOTTEN_MS = 60_000;

  let missing;

  // How often this tab was loaded again for this upgrade. Without storage it counts three times, so that the pauses
  // are long.
  function tries() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEPT));
      return kept && Date.now() - kept.at_ms < FORGOTTEN_MS ? kept.tries : 0;
    } catch {
      return 3;
    }
  }

  function loadAgain(tries) {
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({ tries: tries + 1, at_ms: Date.now() }));
    } catch {
      // Without storage the next wait isn't longer.
    }
    location.reload();
  }

  // Only while a gateway answers: a browser's own page of errors would not come back by itself.
  async function whenAnswered(tries) {
    const answer = await fetch(location.href, { cache: "no-store" }).catch(() => undefined);
    if (answer?.ok) loadAgain(tries);
    else wait(tries);
  }

  const wait = (tries) => setTimeout(() => whenAnswered(tries), Math.min(FIRST_MS * 2 ** tries, MOST_MS));

  function say() {
    // The program is there and puts its own views in the shell's place; it says itself what it misses.
    if (!document.getElementById("shell")) return;
    document.querySelector(".bar-stopped")?.remove();
    const bar = document.createElement("div");
    bar.className = "bar bar-stale bar-missing";
    bar.setAttribute("role", "alert");
    const reload = document.createElement("button");
    reload.className = "btn";
    reload.textContent = "Reload";
    reload.addEventListener("click", () => loadAgain(0));
    bar.append(
      `A file of this page couldn't be had (${missing}). Another version of Dogwatch may be taking this one's place: ` +
        "the page is loaded again until all its files are there.",
      reload,
    );
    document.body.prepend(bar);
    wait(tries());
  }

  const isFile = (element) => element instanceof HTMLScriptElement || (element instanceof HTMLLinkElement && element.rel !== "icon");

  addEventListener(
    "error",
    ({ target }) => {
      if (missing !== undefined || !isFile(target)) return;
      missing = (target.src || target.href).split("/").pop();
      if (document.readyState === "loading") addEventListener("DOMContentLoaded", say);
      else say();
    },
    true,
  );
}
