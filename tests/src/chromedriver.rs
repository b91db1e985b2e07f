//! A chromedriver of the test's own on a free port, ended with its owner, its Chromium too.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};

pub struct Chromedriver {
    child: Child,
    url: String,
}

impl Chromedriver {
    /// It ends at once if somebody takes its port between two of its own steps: then another one is started.
    pub fn start() -> Result<Self> {
        for _ in 0..3 {
            if let Some(started) = Self::started()? {
                return Ok(started);
            }
        }
        bail!("chromedriver named no port, three times")
    }

    fn started() -> Result<Option<Self>> {
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            // Chromium stays in this process group, and is killed with it when a test fails.
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .stdin(Stdio::null())
            .spawn()
            .context("chromedriver can't be started; on Debian: apt-get install chromium chromium-driver")?;
        let stdout = child.stdout.take().context("stdout is piped")?;
        let mut lines = BufReader::new(stdout).lines();
        let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let port = line.split("successfully on port ").nth(1)?;
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

impl Drop for Chromedriver {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}
