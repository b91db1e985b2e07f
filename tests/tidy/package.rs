//! The npm package `element/`, as a server imports it: on Node, where there is no browser.

use std::path::Path;
use std::process::Command;

use crate::tree::root;

/// Prints what went wrong.
const SCRIPT: &str = "
  import { readFileSync } from 'node:fs';
  const folder = new URL(process.argv[1] + '/', 'file:///');
  const read = (name) => readFileSync(new URL(name, folder), 'utf8');
  const expect = (isSo, what) => isSo || console.log(what);

  const globals = () => Object.getOwnPropertyNames(globalThis).concat(Object.getOwnPropertySymbols(globalThis).map(String)).join();
  const before = globals();
  globalThis.fetch = () => { throw new Error('the network was asked'); };
  const dogwatch = await import(new URL('dogwatch.js', folder));
  dogwatch.define();
  const inline = await import(new URL('inline.js', folder));
  expect(inline.DogwatchTable === dogwatch.DogwatchTable, 'the package has two copies of the elements');
  expect(before === globals(), 'it touches globals');

  // Turbopack and webpack put an error in the place of a module that they can't find.
  const imports = read('dogwatch.js').match(/\\bimport\\(.{0,25}/g);
  expect(imports.every((text) => text.startsWith('import(/* webpackIgnore: true')), 'bundlers look for ' + imports);

  const described = JSON.parse(read('package.json'));
  expect(described.version === dogwatch.version, 'the module is of another version than the package');
  const names = ['DogwatchChanges', 'DogwatchConnection', 'DogwatchObject', 'DogwatchTable', 'define', 'program', 'version'];
  expect(Object.keys(dogwatch).sort().join() === names.join(), 'other exports: ' + Object.keys(dogwatch));
  for (const name of names) expect(read('dogwatch.d.ts').includes(` ${name}`), 'no type of ' + name);

  const manual = readFileSync(new URL('../docs/EMBEDDING.md', folder), 'utf8');
  for (const held of JSON.parse(read('custom-elements.json')).modules[0].declarations) {
    const attributes = held.attributes.map(({ name }) => name).sort().join();
    expect(attributes === [...dogwatch[held.name].observedAttributes].sort().join(), held.tagName + ' has other attributes');
    const parts = [held.tagName, ...['attributes', 'events', 'cssParts', 'slots', 'cssProperties'].flatMap((kind) => held[kind].map(({ name }) => name))];
    for (const part of parts) expect(manual.includes('`' + part + '`') || manual.includes('`<' + part + '>`'), 'EMBEDDING.md says nothing of ' + part);
  }
";

/// Prints its bytes as a server sends them.
const COMPRESSED: &str = "
  import { readFileSync } from 'node:fs';
  import { gzipSync } from 'node:zlib';
  console.log(gzipSync(readFileSync(process.argv[1])).length);
";

/// What a page loads before an element is there. `xtask-page` has the limits of the program.
const ELEMENT_BYTES_MAX: usize = 8_000;

fn said_by_node(script: &str, argument: &Path) -> String {
    let arguments = ["--input-type=module", "--eval", script, &argument.to_string_lossy()];
    let output = Command::new("node").args(arguments).output().expect("node runs");
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn r_emb_8_the_module_of_the_elements_is_small() {
    let bytes = said_by_node(COMPRESSED, &root().join("element/dogwatch.js"));
    let bytes: usize = bytes.trim().parse().expect("a number of bytes");
    assert!(bytes <= ELEMENT_BYTES_MAX, "element/dogwatch.js has {bytes} bytes compressed");
}

#[test]
fn r_emb_1_the_package_is_imported_without_a_browser_and_described_as_it_is() {
    assert_eq!(said_by_node(SCRIPT, &root().join("element")), "");
}
