const { gateway, namespaces } = window.portal;
const find = (name) => document.querySelector(`[data-${name}]`);

// The same as <script type="module" src="https://dogwatch.example.com/element.js"> of a gateway that is known beforehand.
import(`${gateway}/element.js`);

async function tokenProvider() {
  const answer = await fetch("token");
  if (!answer.ok) throw new Error(`the token can't be had: ${answer.status}`);
  return answer.text();
}

function add(tag, properties) {
  const element = document.createElement(tag);
  // A property may be set before the element is defined.
  Object.assign(element, { gateway, tokenProvider, ...properties });
  find("views").append(element);
  return element;
}

const select = find("namespaces");
select.append(...namespaces.map((name) => new Option(name)));
select.addEventListener("change", () => (table.namespaces = select.value));

const table = add("dogwatch-table", { resource: "pods", namespaces: select.value });
table.addEventListener("state", ({ detail }) => (find("state").textContent = detail.state));

// A row may be opened in the table, and one that it belongs to in the object.
let object;
const close = () => object?.remove();
find("views").addEventListener("row-activate", ({ detail: { resource, namespace, name } }) => {
  find("activated").textContent = `${namespace}/${name}`;
  close();
  object = add("dogwatch-object", { resource, namespace, name, closable: true });
  object.addEventListener("object-close", close);
});

find("toggle").addEventListener("click", ({ target }) => {
  if (table.isConnected) {
    table.remove();
    find("state").textContent = "not there";
  } else {
    find("views").prepend(table);
  }
  target.textContent = table.isConnected ? "Remove" : "Return";
});
