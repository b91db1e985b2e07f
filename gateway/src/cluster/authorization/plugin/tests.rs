//! Plugins are real programs: shell scripts that count their calls.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

struct Script {
    folder: TempDir,
}

impl Script {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("plugin");
        let calls = folder.path().join("calls");
        std::fs::write(&path, format!("#!/bin/sh\necho called >> {}\n{text}\n", calls.display()))
            .expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).expect("executable");
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("plugin")
    }

    fn exec(&self) -> Exec {
        Exec {
            api_version: "client.authentication.k8s.io/v1".to_owned(),
            command: self.path().display().to_string(),
            interactive_mode: "Never".to_owned(),
            ..Exec::default()
        }
    }

    fn plugin(&self) -> Plugin {
        Plugin::new(self.exec(), "me".to_owned())
    }

    fn calls(&self) -> usize {
        std::fs::read_to_string(self.folder.path().join("calls")).map_or(0, |text| text.lines().count())
    }
}

fn prints(status: &str) -> Script {
    Script::new(&format!(
        "echo '{{\"apiVersion\": \"client.authentication.k8s.io/v1\", \"kind\": \"ExecCredential\", \"status\": {status}}}'"
    ))
}

fn in_s(seconds: i64) -> Timestamp {
    Timestamp::now() + SignedDuration::from_secs(seconds)
}

fn header(given: &Given) -> String {
    let answer = given.as_ref().expect("an answer");
    answer.header.as_ref().expect("a header").to_str().expect("text").to_owned()
}

#[tokio::test]
async fn requests_at_the_same_time_share_one_call_and_its_answer() {
    let script = prints(r#"{"token": "t"}"#);
    let plugin = script.plugin();
    let all = futures_util::future::join_all((0..20).map(|_| plugin.answer())).await;
    assert!(all.iter().all(|given| header(given) == "Bearer t"));
    drop(plugin.answer().await);
    assert_eq!(script.calls(), 1);
}

#[tokio::test]
async fn an_answer_counts_until_it_expires_and_not_after_it_was_refused() {
    let script = prints(&format!(r#"{{"token": "t", "expirationTimestamp": "{}"}}"#, in_s(15)));
    let plugin = script.plugin();
    for (later_s, calls) in [(0, 1), (14, 1), (16, 2)] {
        drop(plugin.current(in_s(later_s)).await);
        assert_eq!(script.calls(), calls, "after {later_s} s");
    }
    plugin.forget();
    drop(plugin.answer().await);
    assert_eq!(script.calls(), 3);
}

#[tokio::test]
async fn a_plugin_that_fails_is_not_called_by_each_request() {
    let script = Script::new("exit 1");
    let plugin = script.plugin();
    for _ in 0..3 {
        assert!(plugin.answer().await.is_err());
    }
    assert_eq!(script.calls(), 1);
    drop(plugin.current(in_s(5)).await);
    assert_eq!(script.calls(), 2);
}

#[tokio::test]
async fn a_request_that_is_given_up_does_not_end_the_call() {
    let script = prints(r#"{"token": "t"}"#);
    let plugin = script.plugin();
    assert!(plugin.answer().now_or_never().is_none());
    assert_eq!(header(&plugin.answer().await), "Bearer t");
    assert_eq!(script.calls(), 1);
}

#[tokio::test]
async fn what_a_plugin_does_wrong_is_one_sentence() {
    let other =
        r#"{"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential", "status": {}}"#;
    for (script, words) in [
        (Script::new("echo first >&2; echo 'run login.' >&2; exit 3"), "failed (exit status: 3): run login"),
        (Script::new("exit 4"), "it printed nothing"),
        (Script::new("echo token"), "printed no credential in JSON"),
        (Script::new("echo '{}'"), "printed no ExecCredential"),
        (Script::new(&format!("echo '{other}'")), "`apiVersion` is \"client.authentication.k8s.io/v1\""),
        (prints("null"), "its `status` is missing"),
        (prints("{}"), "neither a token nor a certificate"),
        (prints(r#"{"clientKeyData": "k"}"#), "or the key alone"),
        (prints(r#"{"token": "t", "expirationTimestamp": "soon"}"#), "is no time"),
    ] {
        let problem = script.plugin().answer().await.err().expect(words);
        assert_eq!(problem.reason, Reason::Configuration);
        assert!(problem.message.contains(words), "{words}: {problem}");
        assert!(
            problem.message.contains("of the user \"me\"") && !problem.message.contains('\n'),
            "{problem}"
        );
    }
}

#[tokio::test]
async fn a_plugin_that_is_missing_is_told_with_the_kubeconfigs_hint() {
    let exec = Exec {
        command: "/nowhere/plugin".to_owned(),
        install_hint: "Get it at\n  example.com.".to_owned(),
        ..prints("{}").exec()
    };
    let problem = Plugin::new(exec, "me".to_owned()).answer().await.err().expect("refused");
    let expected =
        "was not found; install it or put its folder into PATH; the kubeconfig says: Get it at example.com";
    assert!(problem.message.ends_with(expected), "{problem}");
}

#[tokio::test]
async fn a_plugin_that_wants_a_terminal_is_refused_where_there_is_none() {
    // The test's own stdin may be a terminal.
    if std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        return;
    }
    let script = prints(r#"{"token": "t"}"#);
    let exec = Exec { interactive_mode: "Always".to_owned(), ..script.exec() };
    let problem = Plugin::new(exec, "me".to_owned()).answer().await.err().expect("refused");
    assert!(problem.message.contains("wants a terminal"), "{problem}");
    assert_eq!(script.calls(), 0);
}

#[tokio::test]
async fn a_plugin_that_hangs_is_stopped_after_the_timeout() {
    let script = Script::new("exec sleep 1000");
    let plugin = script.plugin();
    let call = plugin.current(Timestamp::now());
    // The program runs before time is paused and runs ahead.
    while script.calls() == 0 {
        tokio::task::yield_now().await;
    }
    tokio::time::pause();
    let problem = call.await.0.err().expect("stopped");
    assert_eq!(problem.reason, Reason::TimedOut);
    assert!(problem.message.contains("did not end within 180 s and was stopped"), "{problem}");
}
