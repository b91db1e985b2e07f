// <dogwatch-table link="/v/pods@prod/shop?sort=-restarts" theme="light|dark|auto">
//
// A live table in anybody's page. All of a page's elements share one socket and one program. The
// lines above were written when the page was built: they load it.

// The gateway that this module came from: the page's own address is another one.
const gateway = new URL(".", import.meta.url).href;

class DogwatchTable extends HTMLElement {
  static observedAttributes = ["link", "theme"];
  #number;

  connectedCallback() {
    this.#number = attach(this, this.getAttribute("link") ?? "", gateway);
    this.#paint();
  }

  disconnectedCallback() {
    detach(this.#number);
    this.#number = undefined;
  }

  attributeChangedCallback(name, _, value) {
    if (this.#number === undefined) return;
    if (name === "link") lead(this.#number, value ?? "");
    else this.#paint();
  }

  #paint() {
    paint(this.#number, this.getAttribute("theme") ?? "auto");
  }
}

customElements.define("dogwatch-table", DogwatchTable);
