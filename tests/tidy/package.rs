//! The npm package `element/`, as a server imports it: on Node, where there is no browser.

use std::process::Command;

use crate::tree::root;

/// Prints what went wrong.
const SCRIPT: &str = "
  import { readFileSync } from 'node:fs';
  import { gzipSync } from 'node:zlib';
  const folder = new URL(process.argv[1] + '/', 'file:///');
  const read = (name) => readFileSync(new URL(name, folder), 'utf8');
  const expect = (isSo, what) => isSo || console.log(what);

  const globals = () => Object.getOwnPropertyNames(globalThis).concat(Object.getOwnPropertySymbols(globalThis).map(String)).join();
  const before = globals();
  globalThis.fetch = () => { throw new Error('the network was asked'); };
  const dogwatch = await import(new URL('dogwatch.js', folder));
  dogwatch.define();
  expect(before === globals(), 'it touches globals');

  const described = JSON.parse(read('package.json'));
  expect(described.version === dogwatch.version, 'the module is of another version than the package');
  expect(gzipSync(read('dogwatch.js')).length <= 8192, 'the module is over 8 KiB compressed');
  const names = ['DogwatchChanges', 'DogwatchConnection', 'DogwatchObject', 'DogwatchTable', 'define', 'version'];
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

#[test]
fn r_emb_1_the_package_is_imported_without_a_browser_and_described_as_it_is() {
    let folder = root().join("element");
    let arguments = ["--input-type=module", "--eval", SCRIPT, &folder.to_string_lossy()];
    let output = Command::new("node").args(arguments).output().expect("node runs");
    let said = [output.stdout, output.stderr].concat();
    assert_eq!(String::from_utf8_lossy(&said), "", "{}", output.status);
    assert!(output.status.success());
}
