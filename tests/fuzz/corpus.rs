//! Real frames: the examples of the document, and what a running gateway said to a real client.

const DOCUMENT: &str = include_str!("../../docs/PROTOCOL.md");
const RECORDED: &str = include_str!("corpus/server.jsonl");
/// Frames at the limits of what a client may send, and frames that broke a gateway once.
const CLIENT_CASES: &str = include_str!("corpus/client.jsonl");

/// Events of watches and pages of lists as an API server writes them.
const UPSTREAM: &str = include_str!("corpus/upstream.jsonl");
/// Selectors, paths, links and filters: chapters that begin with `# `.
const TEXTS: &str = include_str!("corpus/texts.txt");

/// The examples of one chapter, each on one line.
fn examples(chapter: &str) -> Vec<&'static str> {
    let rest = DOCUMENT.split_once(&format!("\n## {chapter}\n")).map_or("", |(_, rest)| rest);
    let text = rest.split("\n## ").next().unwrap_or_default();
    let blocks = text.split("```json\n").skip(1);
    blocks.flat_map(|block| block.split("```").next().unwrap_or_default().lines()).collect()
}

pub fn of_clients() -> Vec<&'static str> {
    let mut frames = examples("What a client says");
    frames.extend(CLIENT_CASES.lines());
    frames
}

pub fn of_gateways() -> Vec<&'static str> {
    let mut frames = examples("What the gateway says");
    frames.extend(RECORDED.lines());
    frames
}

pub fn of_api_servers() -> Vec<&'static str> {
    UPSTREAM.lines().collect()
}

pub fn of_texts(chapter: &str) -> Vec<&'static str> {
    let rest = TEXTS.split_once(&format!("# {chapter}\n")).map_or("", |(_, rest)| rest);
    rest.split("\n# ").next().unwrap_or_default().lines().collect()
}
