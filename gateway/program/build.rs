//! Puts the page into the binary: every file of `dist/` (or of `DOGWATCH_DIST`) with its hash and its compressed
//! forms. Without a page the table is empty, so that a clean checkout builds; never builds the page itself.

mod compress;

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// 64 bits of the hash distinguish two builds of one file.
const HASH_BYTES: usize = 8;
/// A smaller file fits into one packet, so compression would save nothing.
const COMPRESS_BYTES_MIN: usize = 512;
/// For debug builds: it takes a tenth of the time, and the files are a fifth larger.
const BROTLI_QUALITY_DEBUG: i32 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=DOGWATCH_DIST");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=compress.rs");
    let own = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let dist = std::env::var_os("DOGWATCH_DIST").map_or_else(|| own.join("../../dist"), PathBuf::from);
    // Cargo treats a missing path as changed, and would build the gateway each time. If the folder can't be
    // made (a read-only checkout), that is the only consequence.
    let _ = fs::create_dir_all(&dist);
    println!("cargo::rerun-if-changed={}", dist.display());

    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let mut files = Vec::new();
    list(&dist, &mut files)?;
    files.sort();
    let mut table = String::from("static PAGE: &[File] = &[\n");
    for (number, file) in files.iter().enumerate() {
        let content = fs::read(file)?;
        let path = file.strip_prefix(&dist)?.to_str().ok_or("a file's name isn't UTF-8")?;
        let hash = Sha256::digest(&content).iter().take(HASH_BYTES).fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        let brotli = compressed(&content, brotli(&content)?);
        let gzip = compressed(&content, gzip(&content)?);
        let include = |kind: &str, content: &[u8]| -> Result<String, Box<dyn Error>> {
            let place = out.join(format!("{number}.{kind}"));
            fs::write(&place, content)?;
            Ok(format!("include_bytes!({:?})", place.to_str().ok_or("OUT_DIR isn't UTF-8")?))
        };
        writeln!(
            table,
            "    File::of({path:?}, {hash:?}, {}, {}, {}),",
            include("identity", &content)?,
            include("br", &brotli)?,
            include("gz", &gzip)?,
        )?;
    }
    table.push_str("];\n");
    fs::write(out.join("assets.rs"), table)?;
    Ok(())
}

fn list(folder: &Path, into: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, into)?;
        } else {
            into.push(path);
        }
    }
    Ok(())
}

/// The compressed form, or an empty one if compression saves nothing.
fn compressed(content: &[u8], candidate: Vec<u8>) -> Vec<u8> {
    let pays = content.len() >= COMPRESS_BYTES_MIN && candidate.len() < content.len();
    if pays { candidate } else { Vec::new() }
}

fn brotli(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let is_debug = std::env::var("PROFILE").is_ok_and(|profile| profile == "debug");
    compress::brotli(content, if is_debug { BROTLI_QUALITY_DEBUG } else { compress::QUALITY })
}

fn gzip(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(content)?;
    writer.finish()
}
