const found = [];
const letter = deep('.tr-probe .mono')[0].getBoundingClientRect().width / 10;
const mounted = deep('.tbody [data-row]').filter((row) => row.getBoundingClientRect().height > 0);
for (const cell of mounted.flatMap((row) => [...row.querySelectorAll('[role=gridcell]')])) {
  if (cell.clientWidth === 0) continue;
  const style = getComputedStyle(cell);
  const room = cell.clientWidth - parseFloat(style.paddingInlineStart) - parseFloat(style.paddingInlineEnd);
  const text = (part) => cell.querySelector(part)?.textContent ?? '';
  if (cell.matches('.td-name')) {
    // An Event's own name is made of its object's and a hash; OBJECT tells which one it is.
    if (cell.getRootNode().host?.dataset.resource === 'events') continue;
    // At least the ellipsis of a hash stays; a name without a hash is shown whole.
    const middle = text('.name-mid').length;
    const letters = text('.name-owner').length + text('.name-tail').length + Math.min(middle, 1);
    if (letters <= 48 && room + 1 < letters * letter) found.push(`NAME ${cell.textContent} has ${room}px for ${letters} letters`);
  } else if (cell.matches('.td-status, .td-ready, .td-ip, .td-cluster-ip, .td-internal-ip, .td-external-ip, .td-age, .td-restarts, .td-phase')) {
    const seen = [cell, ...cell.querySelectorAll('span')].filter((part) => part.clientWidth > 0);
    const cut = seen.find((part) => part.scrollWidth > part.clientWidth);
    if (cut) found.push(`${cell.className} ${cell.textContent} takes ${cut.scrollWidth}px of ${cut.clientWidth}`);
  }
  const edge = cell.closest('.table').querySelector('.rail')?.getBoundingClientRect();
  const box = cell.getBoundingClientRect();
  if (edge && cell.matches('.td-age') && !cell.closest('.table-across') && box.right > edge.left + 1 && box.left < edge.right) found.push(`AGE ${cell.textContent} goes under the minimap`);
}
return [...new Set(found)];
