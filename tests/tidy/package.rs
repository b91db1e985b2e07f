//! The npm package `element/`, as a server imports it: on Node, where there is no browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tree::root;

/// What a reader copies into a page of theirs.
const EXAMPLES: [&str; 3] = ["element/README.md", "docs/EMBEDDING.md", "element/examples"];

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
  const names = ['DogwatchChanges', 'DogwatchConnection', 'DogwatchObject', 'DogwatchTable', 'DogwatchTally', 'define', 'program', 'version'];
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

fn said_by_node(script: &str, argument: &Path) -> String {
    let arguments = ["--input-type=module", "--eval", script, &argument.to_string_lossy()];
    let output = Command::new("node").args(arguments).output().expect("node runs");
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn r_emb_1_the_package_is_imported_without_a_browser_and_described_as_it_is() {
    assert_eq!(said_by_node(SCRIPT, &root().join("element")), "");
}

/// A policy that the same documents recommend blocks it.
#[test]
fn no_example_has_an_attribute_for_its_style() {
    let mut looked_at = 0;
    let mut folders: Vec<PathBuf> = EXAMPLES.map(|path| root().join(path)).into();
    while let Some(path) = folders.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path());
            folders.extend(entries.filter(|path| !path.ends_with("node_modules") && !path.ends_with("dist")));
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let styled = text.lines().find(|line| line.contains("style=") || line.contains(":style"));
        assert_eq!(styled, None, "{}", path.display());
        looked_at += 1;
    }
    assert!(looked_at > 30, "only {looked_at} files");
}
