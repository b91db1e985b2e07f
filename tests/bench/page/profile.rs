//! `--profile=FOLDER`: where the time goes, by function, as V8 samples it. For the browser's own viewer
//! (`*.cpuprofile`), and the heaviest functions in words. A profiled page is slower: no figure of it counts.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use testkit::browser::Browser;
use testkit::load::Writer;

use super::rig::{PageBenchRig, reload};
use super::{frames, keystrokes};

const INTERVAL_US: u64 = 500;
/// How many functions are told.
const FUNCTIONS: usize = 30;

/// Where profiles are wanted, if they are.
pub fn folder() -> Option<PathBuf> {
    std::env::args().find_map(|argument| argument.strip_prefix("--profile=").map(PathBuf::from))
}

pub async fn profiles(
    folder: &Path,
    rig: &PageBenchRig,
    browser: &Browser,
    writer: &mut Writer,
) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    start(browser).await?;
    reload(browser).await?;
    end(browser, folder, "load").await?;
    start(browser).await?;
    frames::scroll(rig, browser, writer).await?;
    end(browser, folder, "scrolling").await?;
    start(browser).await?;
    frames::rest(rig, browser, writer).await?;
    end(browser, folder, "at-rest").await?;
    start(browser).await?;
    keystrokes::keystrokes(rig, browser, writer).await?;
    end(browser, folder, "keystrokes").await
}

async fn start(browser: &Browser) -> Result<()> {
    browser.devtools("Profiler.enable", json!({})).await?;
    browser.devtools("Profiler.setSamplingInterval", json!({ "interval": INTERVAL_US })).await?;
    browser.devtools("Profiler.start", json!({})).await?;
    Ok(())
}

async fn end(browser: &Browser, folder: &Path, name: &str) -> Result<()> {
    let mut answer = browser.devtools("Profiler.stop", json!({})).await?;
    let profile = answer["profile"].take();
    let file = folder.join(format!("{name}.cpuprofile"));
    std::fs::write(&file, profile.to_string()).with_context(|| format!("write {}", file.display()))?;
    println!("\n{}\n{:>9} {:>9}", file.display(), "own, ms", "all, ms");
    for (function, own_ms, all_ms) in heaviest(&profile) {
        println!("{own_ms:>9.0} {all_ms:>9.0}  {function}");
    }
    Ok(())
}

/// Functions with the time that was spent in them alone and with all that they called, most of both first.
fn heaviest(profile: &Value) -> Vec<(String, f64, f64)> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut names: HashMap<u64, String> = HashMap::new();
    let mut parents: HashMap<u64, u64> = HashMap::new();
    for node in list(&profile["nodes"]) {
        let Some(id) = node["id"].as_u64() else { continue };
        names.insert(id, node["callFrame"]["functionName"].as_str().unwrap_or_default().to_owned());
        parents.extend(list(&node["children"]).iter().filter_map(|child| Some((child.as_u64()?, id))));
    }
    let mut spent: HashMap<&str, (f64, f64)> = HashMap::new();
    for (sample, us) in list(&profile["samples"]).iter().zip(list(&profile["timeDeltas"])) {
        let ms = us.as_f64().unwrap_or_default() / 1_000.0;
        let stack = std::iter::successors(sample.as_u64(), |id| parents.get(id).copied());
        let mut counted = HashSet::new();
        for (depth, name) in stack.filter_map(|id| names.get(&id)).enumerate() {
            let held = spent.entry(name).or_default();
            if depth == 0 {
                held.0 += ms;
            }
            if counted.insert(name) {
                held.1 += ms;
            }
        }
    }
    let mut all: Vec<_> = spent.into_iter().map(|(name, (own, all))| (name.to_owned(), own, all)).collect();
    all.sort_by(|a, b| (b.1 + b.2).total_cmp(&(a.1 + a.2)));
    all.truncate(FUNCTIONS);
    all
}
