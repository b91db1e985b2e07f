//! Writes the image as an OCI layout, without a daemon: the binary and the certificates of public authorities, on nothing.
//! Never a build: it is given the binaries. The same binaries give the same bytes.
//!
//! `xtask-image FOLDER VERSION ARCHITECTURE=BINARY…`

mod layer;
mod layout;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use layout::Layout;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().context(USAGE)?);
    let version = arguments.next().context(USAGE)?;
    let mut layout = Layout::create(&folder, &version)?;
    for argument in arguments {
        let (architecture, binary) = argument.split_once('=').context(USAGE)?;
        let binary = std::fs::read(binary).with_context(|| format!("read {binary}"))?;
        let bytes = layout.add(architecture, &layer::of(&binary)?)?;
        println!("{architecture}: {:.1} MB compressed", bytes as f64 / 1e6);
        ensure!(
            bytes <= BYTES_MAX || binary.len() > DEBUG_BYTES,
            "{architecture} has {bytes} bytes compressed, and more than {BYTES_MAX} are too many"
        );
    }
    println!("{}", layout.finish()?);
    Ok(())
}

const USAGE: &str = "xtask-image FOLDER VERSION ARCHITECTURE=BINARY…";
/// What a node fetches before it starts its first gateway.
const BYTES_MAX: u64 = 20_000_000;
/// The bound of a test binary, which no user downloads.
const DEBUG_BYTES: usize = 80_000_000;
