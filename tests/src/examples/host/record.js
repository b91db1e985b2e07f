// `errors`: what would be the portal's to look into. `states`: how its table stood. `sockets`: how many were opened.
window.errors = [];
window.states = [];
window.sockets = 0;
// The event `error` of an element is no error of the page.
addEventListener("error", (event) => event instanceof ErrorEvent && errors.push(event.message));
addEventListener("unhandledrejection", ({ reason }) => errors.push(String(reason)));
addEventListener("state", ({ target, detail }) => target.localName === "dogwatch-table" && states.push(detail.state));
for (const name of ["error", "warn"]) {
  const write = console[name];
  console[name] = (...all) => {
    errors.push(all.join(" "));
    write.apply(console, all);
  };
}
const Socket = WebSocket;
window.WebSocket = class extends Socket {
  constructor(...all) {
    super(...all);
    sockets += 1;
  }
};
