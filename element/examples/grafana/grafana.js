// Stands in for Grafana: it puts the dashboard's variables into the panel's text, makes markup of it, runs its scripts,
// and does all that anew when a variable changes.
const { gateway, namespaces } = window.portal;
const find = (name) => document.querySelector(`[data-${name}]`);
const [panel, select, toggle] = ["panel", "namespaces", "toggle"].map(find);
const text = await (await fetch("panel.html")).text();

function draw() {
  const variables = { gateway, namespace: select.value };
  const html = text.replace(/\$\{(gateway|namespace)(:csv)?\}/g, (_, name) => variables[name]);
  panel.replaceChildren(document.createRange().createContextualFragment(html));
}

select.append(...namespaces.map((name) => new Option(name)));
select.addEventListener("change", draw);
toggle.addEventListener("click", () => {
  const isThere = panel.hasChildNodes();
  if (isThere) panel.replaceChildren();
  else draw();
  toggle.textContent = isThere ? "Return" : "Remove";
});
draw();
