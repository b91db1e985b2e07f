//! Writes the folder of a release from what was built, and checks one from nothing but itself and a public key. Never a
//! build. The same parts give the same bytes.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};
use xtask_release::{Parts, check, write};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Write {
        folder: PathBuf,
        #[command(flatten)]
        parts: Box<Parts>,
    },
    Check {
        folder: PathBuf,
        /// A file of `minisign -G`, `*.pub`
        #[arg(long)]
        key: PathBuf,
    },
}

fn main() -> Result<()> {
    let said = match Arguments::parse().command {
        Command::Write { folder, parts } => write(&folder, &parts)?,
        Command::Check { folder, key } => check(&folder, &key)?,
    };
    println!("{said}");
    Ok(())
}
