export * from "./dogwatch.js";
