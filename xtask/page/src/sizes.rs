//! What a browser fetches of the program, compressed as the gateway sends it.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::Result;

use crate::assets::Assets;

const BROTLI_QUALITY: u32 = 11;
const BROTLI_WINDOW: u32 = 22;

/// A line of the table: what it is, and how the names of its files begin.
const PARTS: [(&str, &[&str]); 4] = [
    ("an element, to its first table", &["frontend-", "link-", "files-", "key-"]),
    ("the page around it, and what pieces share", &["split_shell-", "chunk_"]),
    ("what a reader opens", &["split_more-"]),
    ("the panel", &["split_panel-"]),
];

/// Bytes in brotli by part.
pub(crate) fn table(assets: &Assets) -> Result<String> {
    let mut table = String::from("the program in brotli, bytes:");
    let mut sum = 0;
    for (part, names) in PARTS {
        let mut bytes = 0;
        for (name, content) in assets.program() {
            if names.iter().any(|begin| name.starts_with(begin)) {
                bytes += compressed(content)?;
            }
        }
        sum += bytes;
        write!(table, "\n  {bytes:>9}  {part}")?;
    }
    write!(table, "\n  {sum:>9}  all")?;
    Ok(table)
}

fn compressed(content: &[u8]) -> Result<usize> {
    let mut writer = brotli::CompressorWriter::new(Vec::new(), 4096, BROTLI_QUALITY, BROTLI_WINDOW);
    writer.write_all(content)?;
    writer.flush()?;
    Ok(writer.into_inner().len())
}
