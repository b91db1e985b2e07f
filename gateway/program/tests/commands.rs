//! The program's command line: what documents, charts and scripts call.

use std::process::{Command, Output};

fn dogwatch(arguments: &[&str]) -> std::io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_dogwatch")).args(arguments).output()
}

#[test]
fn each_command_explains_itself_and_an_unknown_one_is_an_error() {
    for command in ["serve", "url", "kubeconfig", "credential", "sessions", "rbac", "ready", "tail"] {
        let help = dogwatch(&[command, "--help"]).expect("it runs");
        let text = String::from_utf8(help.stdout).expect("text");
        assert!(help.status.success() && text.contains(&format!("Usage: dogwatch {command}")), "{text}");
    }
    let unknown = dogwatch(&["write"]).expect("it runs");
    assert_eq!(unknown.status.code(), Some(2), "{unknown:?}");
}

#[test]
fn the_version_is_that_of_the_workspace_with_its_commit_and_how_it_was_built() {
    let printed = String::from_utf8(dogwatch(&["--version"]).expect("it runs").stdout).expect("text");
    let version = concat!("dogwatch ", env!("CARGO_PKG_VERSION"), " (commit ");
    let (commit, profile) = printed.strip_prefix(version).expect(&printed).split_once(", ").expect(&printed);
    let digits = commit.strip_suffix(" and changes").unwrap_or(commit);
    let is_commit = digits.len() == 12 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(is_commit || commit == "unknown", "{commit}");
    assert_eq!(profile, if cfg!(debug_assertions) { "debug)\n" } else { "release)\n" });
    let git = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
    if let Ok(head) = git.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()) {
        assert!(commit == "unknown" || digits == head, "{printed} was built before {head}");
    }
}

#[test]
fn each_shell_completes_the_commands_and_each_command_has_a_manual_page() {
    for shell in ["bash", "zsh", "fish"] {
        let printed = dogwatch(&["completion", shell]).expect("it runs");
        let text = String::from_utf8(printed.stdout).expect("text");
        assert!(
            printed.status.success() && text.contains("kubeconfig") && text.contains("no-headers"),
            "{shell}"
        );
    }
    assert_eq!(dogwatch(&["completion", "cmd"]).expect("it runs").status.code(), Some(2));
    let folder = std::env::temp_dir().join(format!("dogwatch-manual-{}", std::process::id()));
    let written = dogwatch(&["manual", &folder.to_string_lossy()]).expect("it runs");
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    let (all, tail) = (page("dogwatch.1"), page("dogwatch-tail.1"));
    std::fs::remove_dir_all(&folder).expect("removed");
    assert!(written.status.success() && all.contains("dogwatch\\-tail(1)") && tail.contains("no\\-headers"));
    let refused = dogwatch(&["manual", "/dev/null/manual"]).expect("it runs");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("can't write into /dev/null/manual"));
}
