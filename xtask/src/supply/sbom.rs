//! `cargo xtask sbom`: what the gateway and the page are made of, as CycloneDX 1.5 in JSON. Crates that only build or
//! test them aren't listed. Without a time or a random number, so that the same source gives the same list.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::commands::{cargo, root, say, target};
use crate::machine::{self, WASM};

/// What is shipped: the package, and the target that it is built for.
const SHIPPED: [(&str, &str, &str); 2] =
    [("dogwatch", "dogwatch", "x86_64-unknown-linux-gnu"), ("page", "frontend", WASM)];

pub(crate) fn sbom() -> Result<()> {
    // Those of the tests as well, which no build of the gateway brings: the metadata is of the whole workspace.
    machine::crates()?;
    let folder = target().join("sbom");
    fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
    for (name, package, platform) in SHIPPED {
        let file = folder.join(format!("{name}.cdx.json"));
        let list = list_of(name, package, platform)?;
        fs::write(&file, format!("{list:#}\n")).with_context(|| format!("write {}", file.display()))?;
        say(&format!("{}: {} components", file.display(), count(&list)));
    }
    Ok(())
}

fn count(list: &Value) -> usize {
    list.get("components").and_then(Value::as_array).map_or(0, Vec::len)
}

fn list_of(name: &str, package: &str, platform: &str) -> Result<Value> {
    let mut command = cargo("metadata");
    command.args(["--offline", "--format-version=1", "--filter-platform", platform]);
    let output = command.output().context("run cargo metadata")?;
    ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).context("the metadata")?;
    let lock = fs::read_to_string(lock_file()).context("read Cargo.lock")?;
    document(name, package, &metadata, &checksums(&lock)).context("the metadata isn't as expected")
}

fn lock_file() -> PathBuf {
    root().join("Cargo.lock")
}

/// By name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let member = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
        line.map(|rest| rest.trim_end_matches('"').to_owned())
    };
    let packages = lock.split("[[package]]").skip(1);
    let known = packages.filter_map(|package| {
        let name_and_version = (member(package, "name")?, member(package, "version")?);
        Some((name_and_version, member(package, "checksum")?))
    });
    known.collect()
}

fn document(
    name: &str,
    package: &str,
    metadata: &Value,
    checksums: &BTreeMap<(String, String), String>,
) -> Option<Value> {
    let packages: BTreeMap<&str, &Value> = metadata["packages"]
        .as_array()?
        .iter()
        .filter_map(|found| Some((found["id"].as_str()?, found)))
        .collect();
    let nodes: BTreeMap<&str, BTreeSet<&str>> = metadata
        .pointer("/resolve/nodes")?
        .as_array()?
        .iter()
        .filter_map(|node| Some((node["id"].as_str()?, shipped_dependencies(node)?)))
        .collect();
    let (top, _) = packages.iter().find(|(_, found)| found["name"] == package)?;
    let mut reached = BTreeSet::from([*top]);
    let mut left = vec![*top];
    while let Some(id) = left.pop() {
        left.extend(nodes.get(id)?.iter().filter(|next| reached.insert(next)));
    }
    let component = |id: &&str| {
        let found = packages.get(*id)?;
        let (crate_name, version) = (found["name"].as_str()?, found["version"].as_str()?);
        let Value::Object(mut component) = json!({
            "type": "library", "bom-ref": reference(found)?, "name": crate_name, "version": version,
        }) else {
            return None;
        };
        // A crate of the workspace isn't published, and a published crate of its name would be another one.
        if found["source"].is_string() {
            component.insert("purl".to_owned(), json!(reference(found)?));
        }
        // Older crates write a slash for OR.
        if let Some(licence) = found["license"].as_str() {
            let expression = licence.replace(" / ", " OR ").replace('/', " OR ");
            component.insert("licenses".to_owned(), json!([{"expression": expression}]));
        }
        if let Some(hash) = checksums.get(&(crate_name.to_owned(), version.to_owned())) {
            component.insert("hashes".to_owned(), json!([{"alg": "SHA-256", "content": hash}]));
        }
        Some(component)
    };
    let components: Option<Vec<_>> = reached.iter().filter(|id| *id != top).map(component).collect();
    let dependencies: Option<Vec<Value>> = reached
        .iter()
        .map(|id| {
            let on: Option<Vec<String>> =
                nodes.get(id)?.iter().map(|id| reference(packages.get(id)?)).collect();
            Some(json!({"ref": reference(packages.get(id)?)?, "dependsOn": on?}))
        })
        .collect();
    let mut top = component(top)?;
    top.insert("type".to_owned(), json!("application"));
    top.insert("name".to_owned(), json!(name));
    Some(json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": top}, "components": components?, "dependencies": dependencies?,
    }))
}

/// The dependencies of a node that become part of the program, not those that build or test it.
fn shipped_dependencies(node: &Value) -> Option<BTreeSet<&str>> {
    let is_shipped = |dependency: &&Value| {
        dependency["dep_kinds"]
            .as_array()
            .is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
    };
    node["deps"].as_array()?.iter().filter(is_shipped).map(|dependency| dependency["pkg"].as_str()).collect()
}

/// The name of a component within the list, which is the purl of a published crate.
fn reference(package: &Value) -> Option<String> {
    let scheme = if package["source"].is_string() { "pkg:cargo/" } else { "" };
    Some(format!("{scheme}{}@{}", package["name"].as_str()?, package["version"].as_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_sup_1_the_list_names_what_is_shipped_with_its_hash_and_nothing_that_only_tests() {
        for (name, package, platform) in SHIPPED {
            let list = list_of(name, package, platform).expect("a list");
            let components = list["components"].as_array().expect("components");
            let names: BTreeSet<&str> = components.iter().filter_map(|one| one["name"].as_str()).collect();
            assert!(names.contains("shared") && names.contains("serde_json"), "{names:?}");
            assert!(!names.contains("fantoccini") && !names.contains("proptest"), "{names:?}");
            assert_eq!(names.contains("axum"), name == "dogwatch");
            assert_eq!(names.contains("reactive_graph"), name == "page");
            let members =
                ["gateway", "commit", "history", "shared", "kubernetes-api", "replica", "page", "playground"];
            let is_ours = |one: &&Value| members.contains(&one["name"].as_str().unwrap_or_default());
            assert!(components.iter().filter(is_ours).all(|one| one["purl"].is_null()), "{components:?}");
            for one in components.iter().filter(|one| !is_ours(one)) {
                assert!(one["purl"].as_str().is_some_and(|purl| purl.starts_with("pkg:cargo/")), "{one}");
                assert_eq!(one["hashes"][0]["content"].as_str().map(str::len), Some(64), "{one}");
                assert!(one["licenses"][0]["expression"].is_string(), "{one}");
            }
            assert_eq!(list, list_of(name, package, platform).expect("a list"), "the same each time");
        }
    }
}
