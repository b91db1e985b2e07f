//! The report as tables, each figure beside what is aimed at.

use serde_json::Value;

pub fn print_table(report: &Value) {
    files(report);
    loads(report);
    keystrokes(report);
    frames(report);
}

fn number(value: &Value, path: &str) -> f64 {
    value.pointer(path).and_then(Value::as_f64).unwrap_or_default()
}

fn list<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    value.pointer(path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn files(report: &Value) {
    println!("{:<44} {:>12} {:>12}", "first load", "compressed", "decoded");
    let files = list(report, "/files");
    for file in files {
        let path = file["path"].as_str().unwrap_or_default();
        println!("{path:<44} {:>12} {:>12}", number(file, "/body"), number(file, "/decoded"));
    }
    let sum = |path: &str| files.iter().map(|file| number(file, path)).sum::<f64>();
    println!("{:<44} {:>12} {:>12}", "together (aimed at: 150,000)", sum("/body"), sum("/decoded"));
    println!("{:<44} {:>12}", "with heads", sum("/transferred"));
}

fn loads(report: &Value) {
    println!(
        "\n{:>8} {:>15} {:>9} {:>19} {:>17} {:>14} {:>9} {:>10} {:>7}",
        "rows",
        "first paint, ms",
        "cold, ms",
        "cached, ms to rows",
        "to exact (400)",
        "socket, bytes",
        "JS, MiB",
        "wasm, MiB",
        "nodes"
    );
    for load in list(report, "/loads") {
        println!(
            "{:>8} {:>15.0} {:>9.0} {:>19.0} {:>17.0} {:>14.0} {:>9.1} {:>10.1} {:>7.0}",
            number(load, "/rows"),
            number(load, "/paint_ms"),
            number(load, "/cold_ms"),
            number(load, "/cached_rows_ms"),
            number(load, "/cached_ms"),
            number(load, "/socket_bytes"),
            number(load, "/memory/js_mib"),
            number(load, "/memory/wasm_mib"),
            number(load, "/memory/dom_nodes"),
        );
    }
    println!(
        "at the end: JS {:.1} MiB, wasm {:.1} MiB, {} nodes",
        number(report, "/memory_at_end/js_mib"),
        number(report, "/memory_at_end/wasm_mib"),
        number(report, "/memory_at_end/dom_nodes"),
    );
}

fn keystrokes(report: &Value) {
    println!(
        "\n{:<44} {:>6} {:>8} {:>8} {:>14}",
        "a key in the filter, ms", "keys", "p50", "p99", "max (50)"
    );
    for (name, what) in [("quiet", "a quiet cluster"), ("changing", "1,000 changes a second")] {
        let all = &report["keystrokes"][name];
        spread(what, &all["ms"]);
        for word in list(all, "/words") {
            let rows = word["rows"].as_str().unwrap_or_default();
            spread(&format!("  {} ({rows})", word["word"].as_str().unwrap_or_default()), &word["ms"]);
        }
    }
}

fn spread(what: &str, spread: &Value) {
    println!(
        "{what:<44} {:>6} {:>8.1} {:>8.1} {:>14.1}",
        number(spread, "/count"),
        number(spread, "/p50"),
        number(spread, "/p99"),
        number(spread, "/max")
    );
}

fn frames(report: &Value) {
    println!(
        "\n{:<44} {:>6} {:>8} {:>8} {:>14}",
        "the main thread at 1,000 changes a second, ms", "count", "p50", "p99 (8)", "max (50)"
    );
    for (name, what) in [("at_rest", "at rest"), ("scrolling", "scrolling")] {
        let run = &report["frames"][name];
        spread(&format!("{what}: work per frame"), &run["frame_ms"]);
        spread(&format!("{what}: a task"), &run["task_ms"]);
        let parts: Vec<String> = list(run, "/parts_ms")
            .iter()
            .map(|part| format!("{} {:.0}", part[0].as_str().unwrap_or_default(), number(part, "/1")))
            .collect();
        println!(
            "  busy {:.0} of {:.0} ms: {}",
            number(run, "/busy_ms"),
            number(run, "/ms"),
            parts.join(", ")
        );
    }
}
