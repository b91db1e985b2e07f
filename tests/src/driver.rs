//! A chromedriver or geckodriver of the test's own on a free port, ended with its owner, its browser too.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Chromium,
    /// Firefox ESR. It has no console that a test could read, nor Chromium's own protocol.
    Firefox,
}

pub struct Driver {
    child: Child,
    url: String,
}

impl Driver {
    /// The driver ends at once if another process takes its port between two of its own steps. Then another one is
    /// started. Firefox keeps its profile in this folder.
    pub fn start(engine: Engine, profiles: &Path) -> Result<Self> {
        for _ in 0..3 {
            if let Some(started) = Self::started(engine, profiles)? {
                return Ok(started);
            }
        }
        bail!("the browser's driver named no port, three times")
    }

    fn started(engine: Engine, profiles: &Path) -> Result<Option<Self>> {
        let (mut command, needed, before_port) = match engine {
            Engine::Chromium => (
                Command::new("chromedriver"),
                "chromedriver can't be started; on Debian: apt-get install chromium chromium-driver",
                "successfully on port ",
            ),
            Engine::Firefox => {
                let mut command = Command::new(geckodriver());
                command.arg("--profile-root").arg(profiles);
                let needed = "geckodriver can't be started; `cargo xtask examples` installs it";
                (command, needed, "Listening on 127.0.0.1:")
            }
        };
        let mut child = command
            .arg("--port=0")
            // The browser stays in this process group, and is killed with it when a test fails.
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .stdin(Stdio::null())
            .spawn()
            .context(needed)?;
        let stdout = child.stdout.take().context("stdout is piped")?;
        let mut lines = BufReader::new(stdout).lines();
        let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let port = line.split(before_port).nth(1)?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        thread::spawn(move || lines.for_each(drop));
        let Some(port) = port else {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        };
        Ok(Some(Self { child, url: format!("http://127.0.0.1:{port}") }))
    }

    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}

/// Where `cargo xtask examples` installs it, or the one on the PATH.
fn geckodriver() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    let installed = own.ancestors().map(|folder| folder.join("geckodriver/bin/geckodriver"));
    installed.into_iter().find(|path| path.is_file()).unwrap_or_else(|| "geckodriver".into())
}
