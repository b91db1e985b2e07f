//! `cargo xtask bench pictures [FOLDER [NAME]]`: the pictures of the documents, taken from the running demo
//! as a person comes to each: by link, keys and pointer. Into `docs/images`, unless told otherwise.
//!
//! `cargo xtask bench pictures --gallery=FOLDER`: the page in every state of the harness, at
//! five widths, light and dark.

mod documents;
mod step;

use std::path::{Path, PathBuf};

use anyhow::Result;
use testkit::browser::Look;
use testkit::dogwatch::Dogwatch;
use testkit::page;
use testkit::states::STATES;

/// The last one is that in which the states are opened.
const SIZES: [(u32, u32); 5] = [(390, 780), (500, 800), (1100, 800), (1920, 1080), (1440, 900)];

pub async fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    if let Some(folder) = arguments.iter().find_map(|argument| argument.strip_prefix("--gallery=")) {
        return gallery(Path::new(folder)).await;
    }
    let mut names = arguments.iter();
    let folder = names.next().map_or_else(|| PathBuf::from("docs/images"), PathBuf::from);
    documents::take(&folder, names.next().map(String::as_str)).await
}

async fn gallery(folder: &Path) -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    for state in STATES {
        state.open(&browser, &dogwatch).await?;
        for (width, height) in SIZES {
            browser.resize(width, height, 1).await?;
            for theme in ["light", "dark"] {
                browser.emulate_media("prefers-color-scheme", theme).await?;
                let name = state.name.replace(' ', "-");
                browser.screenshot(&folder.join(format!("{name}-{width}-{theme}.png"))).await?;
            }
        }
    }
    browser.close().await
}
