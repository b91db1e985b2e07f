// The last word. Where the program can't be had or breaks (a defect, a tab out of memory), nothing
// on the screen moves any more: then nothing may go on saying "Live". It relies on nothing of the
// program, so it can still speak when that can't.

const OURS = ".view-host, .panel-host";

export function stopped(what) {
  const root = document.documentElement;
  if (root.hasAttribute("data-stopped")) return;
  const time = new Date().toTimeString().slice(0, 8);
  const said = `${what} at ${time}. Nothing here is live any more: reload the page.`;
  root.setAttribute("data-stopped", said);
  for (const host of document.querySelectorAll(OURS)) host.setAttribute("data-stopped", "");
  const bar = document.createElement("div");
  bar.className = "bar bar-stale bar-stopped";
  bar.setAttribute("role", "alert");
  const reload = document.createElement("button");
  reload.className = "btn";
  reload.textContent = "Reload";
  reload.addEventListener("click", () => location.reload());
  bar.append(said, reload);
  document.body.prepend(bar);
  document.title = "Stopped: Dogwatch";
}

const watch = (thrown) => {
  if (thrown instanceof WebAssembly.RuntimeError) stopped("Dogwatch stopped because of an error of its own");
};
addEventListener("error", (event) => watch(event.error));
addEventListener("unhandledrejection", (event) => watch(event.reason));

// Runs `start`; what keeps it from starting is said, unless it is a file whose absence is said already.
export async function guarded(start) {
  try {
    return await start();
  } catch (error) {
    if (!document.querySelector(".bar-missing")) stopped(`Dogwatch couldn't start (${error instanceof Error ? error.message : error})`);
    throw error;
  }
}
