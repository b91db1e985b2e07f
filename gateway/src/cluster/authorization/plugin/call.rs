//! One call of a plugin: its environment, its output, and everything that can be wrong with either in one sentence.

use std::io::IsTerminal;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;
use shared::problem::{Problem, Reason};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::Command;

use super::super::bearer;
use super::{Answer, Certificate};
use crate::cluster::kubeconfig::Exec;
use crate::limits::{EXEC_PLUGIN_OUTPUT_BYTES_MAX, EXEC_PLUGIN_TIMEOUT_S, EXEC_PLUGIN_WAITING_S};

/// What a plugin prints.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Printed {
    kind: Option<String>,
    api_version: Option<String>,
    status: Option<Status>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    expiration_timestamp: Option<String>,
    token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<String>,
}

pub(super) async fn call(exec: &Exec, user: &str) -> Result<Answer, Problem> {
    let name = format!("the exec plugin {:?} of the user {user:?}", exec.command);
    let wrong = |why: &str| Problem::new(Reason::Configuration, format!("{name} {why}"));
    let interactive = is_interactive(exec).map_err(wrong)?;
    let mut program = command(exec, interactive).spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => wrong(&not_found(&exec.install_hint)),
        _ => wrong(&format!("can't be started: {error}")),
    })?;
    let (stdout, stderr) = (program.stdout.take(), program.stderr.take());
    let passing_on = tokio::spawn(pass_on(stderr, name.clone()));
    let ended = async {
        let printed = whole(stdout).await;
        let status = program.wait().await;
        // A program that the plugin started in the background may keep its stderr open.
        let last_line = tokio::time::timeout(LAST_LINES, passing_on).await;
        (status, printed, last_line.ok().and_then(Result::ok).unwrap_or_default())
    };
    let (status, printed, last_line) = waited(ended, &name).await?;
    let status = status.map_err(|error| wrong(&format!("can't be waited for: {error}")))?;
    if !status.success() {
        return Err(wrong(&failed(status, &last_line)));
    }
    let printed = printed.map_err(|error| wrong(&format!("printed what can't be read: {error}")))?;
    answer(&printed, &exec.api_version).map_err(|why| wrong(&why))
}

/// Whether the plugin may ask at the terminal.
fn is_interactive(exec: &Exec) -> Result<bool, &'static str> {
    let has_terminal = std::io::stdin().is_terminal();
    match exec.interactive_mode.as_str() {
        "Never" => Ok(false),
        "Always" if !has_terminal => Err(
            "wants a terminal (`interactiveMode` Always) and there is none; log in with it first and set IfAvailable, or start this in a terminal",
        ),
        _ => Ok(has_terminal),
    }
}

fn command(exec: &Exec, interactive: bool) -> Command {
    let mut spec = json!({"interactive": interactive});
    if let (Some(cluster), Some(spec)) = (&exec.cluster, spec.as_object_mut()) {
        spec.insert("cluster".to_owned(), cluster.clone());
    }
    let info = json!({"kind": "ExecCredential", "apiVersion": exec.api_version, "spec": spec});
    let mut command = Command::new(&exec.command);
    command
        .args(&exec.args)
        .envs(exec.env.iter().map(|(name, value)| (name, value)))
        .env("KUBERNETES_EXEC_INFO", info.to_string())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    // A prompt has no line end, so an interactive plugin writes to the terminal itself.
    let (stdin, stderr) = match interactive {
        true => (Stdio::inherit(), Stdio::inherit()),
        false => (Stdio::null(), Stdio::piped()),
    };
    command.stdin(stdin).stderr(stderr);
    command
}

async fn whole(output: Option<impl AsyncRead + Unpin>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(output) = output {
        output.take(EXEC_PLUGIN_OUTPUT_BYTES_MAX).read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}

/// A plugin says there where a person logs in. Returns the last line that isn't blank.
async fn pass_on(output: Option<impl AsyncRead + Unpin>, name: String) -> String {
    let mut last = String::new();
    let Some(output) = output else { return last };
    let mut lines = BufReader::new(output.take(EXEC_PLUGIN_OUTPUT_BYTES_MAX)).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        let line = shown(&String::from_utf8_lossy(&line));
        if !line.is_empty() {
            tracing::warn!("{name} says: {line}");
            last = line;
        }
    }
    last
}

/// Says from time to time what is waited for, and ends the program after the timeout.
async fn waited<T>(ended: impl Future<Output = T>, name: &str) -> Result<T, Problem> {
    let mut ended = std::pin::pin!(ended);
    let mut waited_s = 0;
    while waited_s < EXEC_PLUGIN_TIMEOUT_S {
        let part_s = EXEC_PLUGIN_WAITING_S.min(EXEC_PLUGIN_TIMEOUT_S - waited_s);
        if let Ok(ended) = tokio::time::timeout(Duration::from_secs(part_s), &mut ended).await {
            return Ok(ended);
        }
        waited_s += part_s;
        tracing::warn!(
            "still waiting for {name}, for {waited_s} s: it may ask you to log in, in a browser or by what it says above"
        );
    }
    Err(Problem::new(
        Reason::TimedOut,
        format!(
            "{name} did not end within {EXEC_PLUGIN_TIMEOUT_S} s and was stopped; run it by hand to see what it waits for"
        ),
    ))
}

fn not_found(install_hint: &str) -> String {
    let is_pod = std::env::var_os("KUBERNETES_SERVICE_HOST").is_some();
    let what = match is_pod {
        true => {
            "this image has no programs, so mount a volume with it and put its folder into PATH: `execPlugins` of the chart does both"
        }
        false => "install it or put its folder into PATH",
    };
    match shown(install_hint) {
        hint if hint.is_empty() => format!("was not found; {what}"),
        hint => format!("was not found; {what}; the kubeconfig says: {}", hint.trim_end_matches('.')),
    }
}

fn failed(status: ExitStatus, last_line: &str) -> String {
    let said = if last_line.is_empty() { "it printed nothing" } else { last_line };
    format!("failed ({status}): {}", said.trim_end_matches('.'))
}

fn answer(printed: &[u8], api_version: &str) -> Result<Answer, String> {
    // JSON, or any other YAML.
    let text = std::str::from_utf8(printed).unwrap_or_default();
    let printed: Option<serde_json::Value> = serde_saphyr::from_str(text).ok();
    let printed: Option<Printed> = printed.and_then(|printed| serde_json::from_value(printed).ok());
    let printed = printed.ok_or("printed no credential in JSON; run it by hand to see what it says")?;
    let version = printed.api_version.unwrap_or_default();
    if version.is_empty() || printed.kind.is_some_and(|kind| !["", "ExecCredential"].contains(&kind.as_str()))
    {
        return Err("printed no ExecCredential; run it by hand to see what it says".to_owned());
    }
    if version != api_version {
        return Err(format!(
            "printed a credential of {version:?}, and the kubeconfig's `apiVersion` is {api_version:?}; correct it there"
        ));
    }
    let status = printed
        .status
        .ok_or("printed no credential: its `status` is missing; run it by hand to see what it says")?;
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    let header =
        filled(status.token).map(|token| bearer(&token)).transpose().map_err(|problem| problem.message)?;
    let certificate = match (filled(status.client_certificate_data), filled(status.client_key_data)) {
        (Some(chain), Some(key)) => Some(Certificate { chain, key }),
        (None, None) if header.is_none() => {
            return Err(
                "printed neither a token nor a certificate; run it by hand to see what it says".to_owned()
            );
        }
        (None, None) => None,
        _ => return Err("printed a certificate without its key, or the key alone".to_owned()),
    };
    let expires = status.expiration_timestamp.map(|text| text.parse::<Timestamp>());
    let expires =
        expires.transpose().map_err(|_| "printed an `expirationTimestamp` that is no time".to_owned())?;
    Ok(Answer { header, certificate, expires })
}

/// Third-party text: shown on one line, of a readable length.
fn shown(text: &str) -> String {
    const SHOWN: usize = 300;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(SHOWN).collect()
}

/// For what is in the pipe still when a plugin ends.
const LAST_LINES: Duration = Duration::from_secs(1);
