// In place of `fetch` in the modules of the npm package that hold the whole program (`dogwatch/inline`): each file is a
// module there, with its bytes as compressed text. So every bundler takes them along, and nothing is fetched.

/** The answer that a fetch of the file would have. */
export async function inlined(load) {
  const { type, gzip } = await load();
  const bytes = Uint8Array.from(atob(gzip), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, { headers: { "content-type": type } });
}
