//! An nginx of the test's own on a free loopback port, with a folder of its own, ended with its owner. What stands
//! between it and a gateway is the test's: it writes the servers of its configuration.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};

use crate::ports::free_address;

pub struct Nginx {
    child: Child,
    address: SocketAddr,
    _folder: tempfile::TempDir,
}

impl Nginx {
    /// `servers`: the inside of `http`, from the address to listen on and the folder, where the files of the test are.
    pub fn start(files: &[(&str, &str)], servers: impl Fn(SocketAddr, &Path) -> String) -> Result<Self> {
        let address = free_address();
        let folder = tempfile::Builder::new().prefix("nginx-").tempdir()?;
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text)?;
        }
        let path = folder.path().join("nginx.conf");
        std::fs::write(&path, configuration(folder.path(), &servers(address, folder.path())))?;
        let mut child = Command::new("nginx")
            .arg("-p")
            .arg(folder.path())
            .arg("-c")
            .arg(&path)
            .args(["-e", "stderr"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("nginx can't be started; on Debian: apt-get install nginx-light")?;
        let stderr = child.stderr.take().context("stderr is piped")?;
        let mut nginx = Self { child, address, _folder: folder };
        let mut lines = BufReader::new(stderr).lines();
        let mut said = Vec::new();
        // It says so when it listens.
        let listens = lines.by_ref().map_while(Result::ok).any(|line| {
            said.push(line);
            said.last().is_some_and(|line| line.contains("event method"))
        });
        if !listens {
            bail!("nginx ended with {}:\n{}", nginx.child.wait()?, said.join("\n"));
        }
        thread::spawn(move || lines.for_each(drop));
        Ok(nginx)
    }

    /// Before these gateways, one after the other: it remembers neither which client went where nor which gateway was
    /// away. `more` stands with what it says of each request.
    pub fn before(gateways: &[String], more: &str) -> Result<Self> {
        let servers: String =
            gateways.iter().map(|it| format!("        server {it} max_fails=0;\n")).collect();
        Self::start(&[], |address, _| {
            format!(
                "
    map $http_upgrade $connection_upgrade {{ default upgrade; \"\" close; }}
    upstream gateways {{\n{servers}    }}
    server {{
        listen {address} backlog=4096;
        location / {{
            proxy_pass http://gateways;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_read_timeout 1h;
            {more}
        }}
    }}"
            )
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // It may have ended by itself; either way it must be gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One process, which nothing outlives. Nothing is written outside of the folder.
fn configuration(folder: &Path, servers: &str) -> String {
    let folder = folder.display();
    let places: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|of| format!("    {of}_temp_path {folder}/{of};\n"))
        .concat();
    format!(
        "daemon off;\nmaster_process off;\npid {folder}/nginx.pid;\nerror_log stderr notice;\n\
         events {{ worker_connections 4096; }}\nhttp {{\n    access_log off;\n{places}{servers}\n}}\n"
    )
}
