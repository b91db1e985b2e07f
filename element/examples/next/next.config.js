import { fileURLToPath } from "node:url";

export default {
  // Pages are rendered once, by the build. A server of yours renders them for each reader: leave this line out.
  output: "export",
  // The package of this example is a folder beside it.
  turbopack: { root: fileURLToPath(new URL("../..", import.meta.url)) },
};
