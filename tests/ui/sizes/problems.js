const found = [];
const root = document.documentElement;
if (root.scrollWidth > innerWidth) found.push(`the page scrolls sideways: ${root.scrollWidth}`);
const name = (element) => element.id || element.getAttribute('aria-label') || element.className + ' ' + element.textContent.slice(0, 20);
const seen = (element) => {
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  return box.width > 0 && box.height > 0 && style.visibility !== 'hidden' && Number(style.opacity) > 0 && !element.closest('.sr');
};
const CONTROLS = 'button, a[href], input, select, [role=switch], .pill, .health, .strip-item, .view-title, .notice .icon, .tally';
for (const band of deep('.top, .bar, .view-head, .filter, .notice, .strip, .panel-head, .tabs')) {
  if (!seen(band)) continue;
  const around = band.getBoundingClientRect();
  const what = `.${band.className.split(' ')[0]}`;
  // Counts that don't fit leave as a whole; a log's filter scrolls.
  const scrolls = band.matches('.log-filter');
  const controls = [...band.querySelectorAll(CONTROLS)].filter(seen)
    .filter((control) => !control.closest('.pop, .menu'))
    .filter((control) => !(control.matches('.tally') && control.getBoundingClientRect().top >= around.bottom));
  for (const control of controls) {
    const box = control.getBoundingClientRect();
    const isOut = box.left < around.left - 1 || box.right > around.right + 1 || box.top < around.top - 1 || box.bottom > around.bottom + 1;
    const isOff = box.left < -1 || box.right > innerWidth + 1;
    if ((isOut || isOff) && !scrolls) found.push(`${name(control)} leaves ${what}: ${[box.left, box.right, around.left, around.right, box.top, box.bottom, around.top, around.bottom].map(Math.round)}`);
    if (control.matches('button, a[href], select') && Math.min(box.width, box.height) < 20) found.push(`${name(control)} in ${what} is ${box.width} by ${box.height}`);
  }
  for (const [at, one] of controls.entries()) {
    for (const other of controls.slice(at + 1)) {
      if (one.contains(other) || other.contains(one)) continue;
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1 && high > 1) found.push(`${name(one)} and ${name(other)} overlap in ${what} by ${wide} by ${high}`);
    }
  }
}
return found;
