// The program for the elements in other people's pages (`element/dogwatch.js`): a gateway serves this module as
// /program.js, and the npm package has it. Nothing of a page of Dogwatch's own.

// Compiled once, however often the program begins.
let compiled;

/** Another program each time. */
export async function start() {
  compiled ??= WebAssembly.compileStreaming(fetch(new URL("./assets/frontend.wasm", import.meta.url)));
  const glue = import("./assets/frontend.js");
  let module;
  try {
    module = await compiled;
  } catch (error) {
    compiled = undefined;
    throw error;
  }
  const { create } = await glue;
  const { stack, ...program } = await create();
  await program.default({ module_or_path: module });
  let place = /https?:\/\/\S+?(?=:\d+:\d+)/.exec(stack)?.[0];
  return {
    ...program,
    begin(gateway, token, tell) {
      program.begin(gateway, token, (...told) => {
        place = wasmIn(new Error().stack) ?? place;
        tell(...told);
      });
    },
    /** Whether an error of the page is this program's. Each error that the browser reports has a stack. */
    isFrom: (stack) => place !== undefined && stack.includes(place),
  };
}

/** The wasm file that is named in a stack: by its address, or by the browser's own name where it has none. */
function wasmIn(stack) {
  return /[^\s(@]+(?: line \d+ > [\w.]+)?(?=:wasm-function\[)/.exec(stack)?.[0];
}
