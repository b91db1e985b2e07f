// import("dogwatch/program.js") in bundlers that don't read `exports`.

export * from "./program/program.js";
