// import "dogwatch/inline";
//
// The elements of `dogwatch` with the whole program in modules of the package: nothing of it is fetched from a gateway
// or from anywhere else. The modules are loaded when the first element needs them.
//
// Importing it where there is no browser defines nothing and touches nothing.

import { program } from "./dogwatch.js";

program(() => import("./inline/program.js"));

export * from "./dogwatch.js";
