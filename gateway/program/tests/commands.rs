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
fn the_version_is_that_of_the_workspace() {
    let printed = String::from_utf8(dogwatch(&["--version"]).expect("it runs").stdout).expect("text");
    assert_eq!(printed.trim(), concat!("dogwatch ", env!("CARGO_PKG_VERSION")));
}
