const [place, bound, done] = arguments;
const host = deep('.view-host')[place];
const resource = host.dataset.resource;
const root = host.shadowRoot;
const seen = (window.rowsSeen ??= new Map());
const before = seen.size;
let finished = false;
const finish = (answer) => {
  if (finished) return;
  if (answer) delete window.rowsSeen;
  finished = true;
  stop();
  clearTimeout(timer);
  done(answer);
};
const look = () => {
  const grid = root.querySelector('[role=grid]');
  if (!grid) return root.querySelector('.blank') ? finish([resource, [], []]) : undefined;
  const shown = [...grid.querySelectorAll('[data-row]')];
  for (const row of shown) seen.set(Number(row.getAttribute('aria-rowindex')), cells(row));
  const last = Number(grid.getAttribute('aria-rowcount'));
  let next = 2;
  while (seen.has(next)) next += 1;
  if (next > last) {
    const titles = [...grid.querySelectorAll('[role=columnheader]:not(.th-polled)')].slice(1);
    const order = [...seen.keys()].filter((index) => index <= last).sort((a, b) => a - b);
    return finish([resource, titles.map((title) => title.textContent.trim()), order.map((index) => seen.get(index))]);
  }
  if (shown.length > 0) {
    root.querySelector('.tbody').scrollTop = (next - 2) * shown[0].getBoundingClientRect().height;
  }
};
const turn = () => finish(seen.size > before ? null : `of ${resource} only ${seen.size} rows were seen`);
const timer = setTimeout(turn, bound);
const stop = everyChange(look);
look();
