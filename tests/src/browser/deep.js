const deep = (selector) => {
  const found = [];
  const walk = (root) => {
    root.querySelectorAll(selector).forEach((element) => found.push(element));
    root.querySelectorAll('*').forEach((element) => { if (element.shadowRoot) walk(element.shadowRoot); });
  };
  walk(document);
  return found;
};
const shown = (selector) => deep(selector).map((element) => element.textContent.trim()).join(' | ');
const rows = () => deep('[role=grid] [role=row]')
  .filter((row) => row.querySelector('[role=gridcell],[role=rowheader]') && !cells(row, 0)[0].includes('deleted'))
  .sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')));
const cells = (row, from = 1) =>
  [...row.querySelectorAll('[role=gridcell]:not(.td-polled),[role=rowheader]')].slice(from).map((cell) => cell.textContent);
const rowOf = (name) => rows().find((row) => cells(row).includes(name));
const hasRows = (names) => {
  const texts = new Set(rows().flatMap((row) => cells(row)));
  return names.every((name) => texts.has(name));
};
const count = () => Number((deep('[role=grid]')[0]?.getAttribute('aria-rowcount') ?? '0')) - 1;
