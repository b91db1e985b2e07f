//! A PostgreSQL server of the test's own, on a socket in a folder of its own.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

/// Ended with its owner, and with the process of its owner.
pub struct PostgresServer {
    shell: Child,
    folder: tempfile::TempDir,
    programs: PathBuf,
    settings: Vec<String>,
}

/// The server's account within itself.
pub const USER: &str = "dogwatch";

/// Its input is the owner's pipe. The server ends at once when the owner says a word, or when the pipe closes because the
/// owner's process has ended: then its folder is removed here.
const SUPERVISED: &str = r#"folder=$1; shift; "$@" & server=$!; word=; read -r word; kill -QUIT "$server"; wait "$server"
[ -n "$word" ] || rm -rf "$folder""#;

impl PostgresServer {
    /// A server on its socket alone.
    pub fn start() -> Result<Self> {
        Self::start_with(&["listen_addresses="], &[])
    }

    /// With these settings, and these files in the folder of the data.
    pub fn start_with(settings: &[&str], files: &[(&str, &str)]) -> Result<Self> {
        let programs = programs()?;
        // A path of a socket has at most 107 bytes.
        let folder = tempfile::Builder::new().prefix("pg-").tempdir_in("/tmp")?;
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
        let data = folder.path().join("data");
        std::fs::create_dir(&data)?;
        let account = account()?;
        let give = |path: &Path| match account {
            Some((user, group)) => chown(path, Some(user), Some(group)),
            None => Ok(()),
        };
        give(folder.path())?;
        give(&data)?;
        let made = as_account(&programs.join("initdb"))?
            .args(["--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C", "--username", USER, "-D"])
            .arg(&data)
            .current_dir(folder.path())
            .output()?;
        ensure!(made.status.success(), "initdb failed: {}", String::from_utf8_lossy(&made.stderr));
        for (name, text) in files {
            let path = data.join(name);
            std::fs::write(&path, text)?;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
            give(&path)?;
        }
        let settings = settings.iter().map(ToString::to_string).collect();
        let shell = supervised(&programs, folder.path(), &settings)?;
        Ok(Self { shell, folder, programs, settings })
    }

    /// As a URL names it.
    pub fn url(&self, database: &str) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://{USER}@{folder}/{database}")
    }

    /// As a connection string names it.
    pub fn parameters(&self, database: &str) -> String {
        format!("host={} user={USER} dbname={database}", self.folder.path().display())
    }

    fn port(&self) -> &str {
        self.settings.iter().find_map(|setting| setting.strip_prefix("port=")).unwrap_or("5432")
    }

    /// Makes a database.
    pub fn create(&self, database: &str) -> Result<()> {
        self.run("postgres", &format!("CREATE DATABASE {database}")).map(drop)
    }

    /// Runs a statement and gives what it said.
    pub fn run(&self, database: &str, statement: &str) -> Result<String> {
        let said = Command::new(self.programs.join("psql"))
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "-h"])
            .arg(self.folder.path())
            .args(["-p", self.port(), "-U", USER, "-d", database, "-c", statement])
            .output()?;
        ensure!(said.status.success(), "{statement}: {}", String::from_utf8_lossy(&said.stderr));
        Ok(String::from_utf8(said.stdout)?.trim().to_owned())
    }

    /// Ends it at once, as a crash does. [`PostgresServer::start_again`] follows.
    pub fn stop(&mut self) -> Result<()> {
        if let Some(mut pipe) = self.shell.stdin.take() {
            pipe.write_all(b"end\n")?;
        }
        self.shell.wait()?;
        Ok(())
    }

    pub fn start_again(&mut self) -> Result<()> {
        self.shell = supervised(&self.programs, self.folder.path(), &self.settings)?;
        Ok(())
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.stop();
    }
}

fn supervised(programs: &Path, folder: &Path, settings: &Vec<String>) -> Result<Child> {
    let mut command = as_account(Path::new("/bin/sh"))?;
    command.args(["-c", SUPERVISED, "sh"]).arg(folder).arg(programs.join("postgres"));
    command.arg("-D").arg(folder.join("data")).arg("-k").arg(folder);
    for setting in ["fsync=off", "max_connections=60", "lc_messages=C"] {
        command.args(["-c", setting]);
    }
    for setting in settings {
        command.args(["-c", setting]);
    }
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut shell = command.current_dir(folder).spawn().context("PostgreSQL can't be started")?;
    let mut lines = BufReader::new(shell.stderr.take().context("stderr is piped")?).lines();
    let mut said = Vec::new();
    let is_ready = lines.by_ref().map_while(Result::ok).any(|line| {
        let is_ready = line.contains("ready to accept connections");
        said.push(line);
        is_ready
    });
    if !is_ready {
        bail!("PostgreSQL ended with {}:\n{}", shell.wait()?, said.join("\n"));
    }
    std::thread::spawn(move || lines.for_each(drop));
    Ok(shell)
}

/// Where the server's programs are. Debian keeps those of each version in a folder that isn't on the path.
fn programs() -> Result<PathBuf> {
    let of_path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&of_path).collect();
    if let Ok(versions) = std::fs::read_dir("/usr/lib/postgresql") {
        folders.extend(versions.filter_map(|version| Some(version.ok()?.path().join("bin"))));
    }
    let found = folders.into_iter().rev().find(|folder| folder.join("initdb").is_file());
    found.context("PostgreSQL isn't installed; on Debian: apt-get install postgresql")
}

/// The account that runs it: PostgreSQL refuses root. `None`: the own one.
fn account() -> Result<Option<(u32, u32)>> {
    let id = |of: &str| -> Result<u32> {
        let said = Command::new("id").args([of, "nobody"]).output()?;
        Ok(String::from_utf8(said.stdout)?.trim().parse()?)
    };
    let own = Command::new("id").arg("-u").output()?;
    Ok(if own.stdout.trim_ascii() == b"0" { Some((id("-u")?, id("-g")?)) } else { None })
}

fn as_account(program: &Path) -> Result<Command> {
    let mut command = Command::new(program);
    if let Some((user, group)) = account()? {
        command.uid(user).gid(group);
    }
    Ok(command)
}
