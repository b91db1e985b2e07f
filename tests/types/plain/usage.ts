// The elements without a framework: what must compile, and what must not.
import { define, program, version } from "dogwatch";
import type { DogwatchTable, Problem, RowDetail, TokenProvider } from "dogwatch";
import "dogwatch/inline";
import { start } from "dogwatch/program.js";

const tokenProvider: TokenProvider = async () => (await fetch("/api/kubernetes-token")).text();

define();
program("/dogwatch/");
program(() => import("dogwatch/program.js"));
export const begun: Promise<unknown> = start();
export const numbers: string[] = version.split(".");

const table = document.createElement("dogwatch-table");
table.resource = "pods";
table.namespaces = ["shop", "kube-system"];
export const namespaces: string | null = table.namespaces;
table.labelSelector = null;
table.wide = false;
table.theme = "dark";
table.tokenProvider = tokenProvider;
table.addEventListener("row-activate", ({ detail }) => {
  const row: RowDetail = detail;
  location.assign(`/pods/${row.namespace ?? ""}/${row.name}`);
});
table.addEventListener("error", ({ detail }) => console.warn(detail.reason satisfies Problem["reason"]));
table.addEventListener("click", (event: MouseEvent) => console.log(event.clientX));
const synced = ({ detail }: CustomEvent<{ proven: Date }>) => console.log(detail.proven.getTime());
table.addEventListener("sync", synced, { once: true });
table.removeEventListener("sync", synced);
export const file: File | null = table.export("json");

const changes: DogwatchTable = document.createElement("dogwatch-changes");
changes.pause();

const object = document.querySelector("dogwatch-object");
if (object) {
  object.closable = true;
  object.tab = "yaml";
  object.addEventListener("state", ({ detail }) => console.log(detail.exists, detail.since?.getTime()));
  object.addEventListener("object-close", () => object.remove());
}
const tally = document.createElement("dogwatch-tally");
tally.namespaces = ["shop"];
tally.toList = true;
tally.addEventListener("state", ({ detail }) => console.log(detail.failing ?? "unknown", detail.since?.getTime()));
tally.addEventListener("tally-activate", (event) => {
  event.preventDefault();
  location.assign(`/trouble${event.detail.link ?? ""}`);
});
document.createElement("dogwatch-connection").addEventListener("state", ({ detail }) => console.log(detail.user));

// @ts-expect-error There is no such theme.
table.theme = "blue";
// @ts-expect-error A name may be wrong.
table.label = "app=web";
// @ts-expect-error It is a property of one object.
table.closable = true;
// @ts-expect-error A token isn't a function.
table.tokenProvider = "token";
// @ts-expect-error It is no format.
table.export("xml");
// @ts-expect-error A row has no `pod`.
table.addEventListener("row-activate", ({ detail }) => console.log(detail.pod));
// @ts-expect-error `namespace` may be missing.
table.addEventListener("row-activate", ({ detail }) => detail.namespace.length);
// @ts-expect-error One object has one namespace.
document.createElement("dogwatch-object").namespace = ["shop"];
// @ts-expect-error A chip has no rows.
document.createElement("dogwatch-tally").resource = "pods";
// @ts-expect-error What isn't proven has no number.
tally.addEventListener("state", ({ detail }) => detail.failing.toFixed());
// @ts-expect-error A connection shows no rows.
document.createElement("dogwatch-connection").resource = "pods";
