//! `cargo xtask bench pictures [FOLDER [NAME]]`: the pictures of the documents, taken from the running demo
//! as a person comes to each: by link, keys and pointer. Into `docs/images`, unless told otherwise.
//!
//! `cargo xtask bench pictures --gallery=FOLDER [--mock=FOLDER] [NAME]`: the page in every state, light and
//! dark; beside the same state of a mock, where there is one. For who changes how the page looks.

mod documents;
mod gallery;
mod mock;
mod openings;
mod states;
mod step;

use std::path::PathBuf;

use anyhow::Result;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| {
        let given = arguments.iter().find_map(|argument| argument.strip_prefix(name)?.strip_prefix('='));
        given.map(PathBuf::from)
    };
    let mut names = arguments.iter().filter(|argument| !argument.starts_with("--"));
    if let Some(folder) = flag("--gallery") {
        let only = names.next().map(String::as_str);
        return gallery::take(&folder, flag("--mock").as_deref(), only).await;
    }
    let folder = names.next().map_or_else(|| PathBuf::from("docs/images"), PathBuf::from);
    documents::take(&folder, names.next().map(String::as_str)).await
}
