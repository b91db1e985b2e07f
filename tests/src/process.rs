//! What the kernel says of a process that a bench measures, and where this one stands. Linux only, because it reads
//! `/proc`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The folder `target` of this process: of a test (`target/debug/deps/…`) or a program (`target/debug/…`).
pub fn target() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let profile = own.ancestors().skip(1).find(|folder| !folder.ends_with("deps"));
    Ok(profile.and_then(Path::parent).context("tests run below target")?.to_owned())
}

pub fn resident_mib(pid: u32) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
}

pub fn open_files(pid: u32) -> Result<usize> {
    Ok(std::fs::read_dir(format!("/proc/{pid}/fd"))?.count())
}

/// Raises the limit of open files for this process and those that it starts.
pub fn allow_open_files() {
    let limits = getrlimit(Resource::Nofile);
    // It may be refused; then the limit stays as it is.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limits.maximum, maximum: limits.maximum });
}

/// Seconds of a processor that it has used so far, its own and the kernel's for it.
pub fn cpu_s(pid: u32) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name may hold blanks; what follows it doesn't.
    let (_, rest) = stat.rsplit_once(") ").context("a process has a name")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let ticks = |place: usize| fields.get(place).and_then(|field| field.parse::<f64>().ok());
    let used = ticks(USER).zip(ticks(SYSTEM)).context("a process has times")?;
    Ok((used.0 + used.1) / rustix::param::clock_ticks_per_second() as f64)
}

/// Places in `/proc/PID/stat` after the name: fields 14 and 15 of proc(5).
const USER: usize = 11;
const SYSTEM: usize = 12;
