//! Pythons with the packages that a test needs, each in an environment of its own below `target`.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result, ensure};

use crate::process::target;

/// A Python with these packages, as a file of requirements names them. Where one has a hash, all must.
pub fn environment(name: &str, requirements: &str) -> Result<PathBuf> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _one = ONE_AT_A_TIME.lock();
    let folder = target()?.join(format!("python-{name}"));
    let (python, ready) = (folder.join("bin/python"), folder.join("ready"));
    if std::fs::read_to_string(&ready).is_ok_and(|ready| ready == requirements) {
        return Ok(python);
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let file = folder.join("requirements.txt");
    std::fs::write(&file, requirements)?;
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "-r"]).arg(&file))?;
    std::fs::write(ready, requirements)?;
    Ok(python)
}

fn run(command: &mut Command) -> Result<()> {
    const NEEDED: &str = "the tests with programs in Python need Python 3.11 or later with venv and pip; on Debian \
                          `apt-get install python3 python3-venv`";
    let output = command.output().context(NEEDED)?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{NEEDED}\n{command:?}: {said}");
    Ok(())
}
