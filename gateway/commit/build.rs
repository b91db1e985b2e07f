//! Finds the commit that is built, and says when to look again: after a commit, and after a change of what the program
//! is made of.

use std::error::Error;
use std::path::Path;

#[path = "src/found.rs"]
mod found;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={}", found::GIVEN);
    println!("cargo::rerun-if-changed=build.rs");
    let own = std::env::var("CARGO_MANIFEST_DIR")?;
    let root = Path::new(&own).join("../..").canonicalize()?;
    for source in found::SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    for file in found::written_by_git(&root) {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    let given = std::env::var(found::GIVEN).ok();
    println!("cargo::rustc-env=DOGWATCH_FOUND_COMMIT={}", found::commit("git", &root, given.as_deref())?);
    let is_release = std::env::var("PROFILE")? == "release";
    println!("cargo::rustc-env=DOGWATCH_PROFILE={}", if is_release { "release" } else { "debug" });
    Ok(())
}
