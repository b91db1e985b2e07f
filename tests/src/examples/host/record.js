// `errors`: what would be the portal's to look into. `states`: how its table stood. `sockets`: how many were opened.
// A frame tells how its view stands, and that its program began, which opens one socket.
window.errors = [];
window.states = [];
window.sockets = 0;
// The event `error` of an element doesn't come here.
addEventListener("error", ({ message, target }) => errors.push(message ?? target.localName));
addEventListener("unhandledrejection", ({ reason }) => errors.push(String(reason)));
addEventListener("message", ({ data }) => {
  if (data?.source !== "dogwatch") return;
  if (data.type === "state") states.push(data.state);
  if (data.type === "ready") sockets += 1;
});
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
