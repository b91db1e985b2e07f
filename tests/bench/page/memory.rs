//! What a tab holds: JavaScript's heap after a collection, and the memory of its WebAssembly.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use testkit::browser::Browser;

pub async fn memory(browser: &Browser) -> Result<Value> {
    browser.devtools("HeapProfiler.collectGarbage", json!({})).await?;
    browser.devtools("Performance.enable", json!({})).await?;
    let metrics = browser.devtools("Performance.getMetrics", json!({})).await?;
    let metric = |name: &str| {
        let metrics = metrics["metrics"].as_array()?;
        metrics.iter().find(|metric| metric["name"] == name)?["value"].as_f64()
    };
    Ok(json!({
        "js_mib": metric("JSHeapUsedSize").context("a heap")? / MIB,
        "dom_nodes": metric("Nodes"),
        "wasm_mib": wasm_bytes(browser).await? / MIB,
    }))
}

/// From the next document on its programs' memories are kept: the page keeps its own to itself.
pub async fn keep_memories(browser: &Browser) -> Result<()> {
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": KEEP })).await?;
    Ok(())
}

async fn wasm_bytes(browser: &Browser) -> Result<f64> {
    let bytes = browser.run(SUM, Vec::new()).await?;
    bytes.as_f64().context("the size of WebAssembly's memory")
}

/// The pieces of a program have the memory of their program.
const KEEP: &str = r"
const { instantiate, instantiateStreaming } = WebAssembly;
const memories = new Set();
const keep = (made) => {
  const { memory } = (made.instance ?? made).exports;
  if (memory) memories.add(memory);
  return made;
};
WebAssembly.instantiate = async (...all) => keep(await instantiate.apply(WebAssembly, all));
WebAssembly.instantiateStreaming = async (...all) => keep(await instantiateStreaming.apply(WebAssembly, all));
Object.defineProperty(window, 'memories', { value: memories });
";

const SUM: &str = "return [...memories].reduce((sum, memory) => sum + memory.buffer.byteLength, 0);";

const MIB: f64 = 1024.0 * 1024.0;
