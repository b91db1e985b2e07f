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

/// Of all `WebAssembly.Memory` that there are: the page keeps its own to itself.
async fn wasm_bytes(browser: &Browser) -> Result<f64> {
    let evaluate = json!({ "expression": "WebAssembly.Memory.prototype" });
    let prototype = browser.devtools("Runtime.evaluate", evaluate).await?;
    let query = json!({ "prototypeObjectId": prototype["result"]["objectId"] });
    let found = browser.devtools("Runtime.queryObjects", query).await?;
    let sum = "function () { return this.reduce((sum, memory) => sum + memory.buffer.byteLength, 0); }";
    let call = json!({ "objectId": found["objects"]["objectId"], "functionDeclaration": sum, "returnByValue": true });
    let bytes = browser.devtools("Runtime.callFunctionOn", call).await?;
    bytes["result"]["value"].as_f64().context("the size of WebAssembly's memory")
}

const MIB: f64 = 1024.0 * 1024.0;
