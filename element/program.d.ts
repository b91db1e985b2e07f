/** What `program` of the package's main module takes: `program(() => import("dogwatch/program.js"))`. */
export declare function start(): Promise<unknown>;
