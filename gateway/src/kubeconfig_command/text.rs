//! A kubeconfig as YAML. Pure.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use shared::name::ClusterName;

pub(super) struct Kubeconfig {
    pub(super) contexts: Vec<Context>,
    /// The name of one of them.
    pub(super) current: String,
}

pub(super) struct Context {
    /// The name of its cluster and its user, too.
    pub(super) name: String,
    pub(super) server: String,
    /// The certificate that the client is to trust, in PEM; `None`: the system's.
    pub(super) authority: Option<String>,
    /// The one that its person chose.
    pub(super) namespace: Option<String>,
    pub(super) user: User,
}

pub(super) enum User {
    /// A program prints a token.
    Plugin(Plugin),
    /// The reader's own, which they write into the file.
    OwnToken {
        /// What they wrote there before.
        kept: Option<Value>,
    },
}

#[derive(Clone)]
pub(super) struct Plugin {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    /// Variables that it is started with.
    pub(super) variables: Vec<(&'static str, String)>,
    /// Whether it may ask its user to do something.
    pub(super) asks: bool,
}

/// The first line, by which a file is known that may be replaced.
pub(super) const MARK: &str = "# Written by `dogwatch kubeconfig`";

pub(super) fn context_name(cluster: &ClusterName) -> String {
    format!("dogwatch-{cluster}")
}

impl Kubeconfig {
    /// Whether a credential is in it that its person wrote there.
    pub(super) fn keeps_credential(&self) -> bool {
        self.contexts.iter().any(|context| matches!(context.user, User::OwnToken { kept: Some(_) }))
    }

    /// Whether its person has to write their token into it.
    pub(super) fn lacks_token(&self) -> bool {
        self.contexts.iter().any(|context| matches!(context.user, User::OwnToken { kept: None }))
    }

    pub(super) fn yaml(&self) -> String {
        let secret = match self.keeps_credential() {
            true => "it holds a credential of yours",
            false => "it holds no secret",
        };
        let mut text = format!("{MARK}; {secret}. What is read by it is masked as in the page.\n");
        text.push_str("apiVersion: v1\nkind: Config\nclusters:\n");
        for Context { name, server, authority, .. } in &self.contexts {
            line(&mut text, "- name: ", name);
            text.push_str("  cluster:\n");
            line(&mut text, "    server: ", server);
            if let Some(authority) = authority {
                line(&mut text, "    certificate-authority-data: ", &STANDARD.encode(authority));
            }
        }
        text.push_str("contexts:\n");
        for Context { name, namespace, .. } in &self.contexts {
            line(&mut text, "- name: ", name);
            text.push_str("  context:\n");
            if let Some(namespace) = namespace {
                line(&mut text, "    namespace: ", namespace);
            }
            line(&mut text, "    cluster: ", name);
            line(&mut text, "    user: ", name);
        }
        line(&mut text, "current-context: ", &self.current);
        text.push_str("users:\n");
        for Context { name, user, .. } in &self.contexts {
            line(&mut text, "- name: ", name);
            user.write(&mut text);
        }
        text
    }
}

impl User {
    fn write(&self, text: &mut String) {
        match self {
            Self::Plugin(Plugin { command, args, variables, asks }) => {
                text.push_str("  user:\n    exec:\n      apiVersion: client.authentication.k8s.io/v1\n");
                line(text, "      command: ", command);
                text.push_str("      args:\n");
                for arg in args {
                    line(text, "      - ", arg);
                }
                if !variables.is_empty() {
                    text.push_str("      env:\n");
                }
                for (name, value) in variables {
                    line(text, "      - name: ", name);
                    line(text, "        value: ", value);
                }
                let mode = if *asks { "IfAvailable" } else { "Never" };
                line(text, "      interactiveMode: ", mode);
                text.push_str("      provideClusterInfo: false\n");
                let hint = "Dogwatch is no longer where this kubeconfig expects it: run `dogwatch kubeconfig` again.";
                line(text, "      installHint: ", hint);
            }
            // JSON is YAML.
            Self::OwnToken { kept: Some(kept) } => {
                let _ = writeln!(text, "  user: {kept}");
            }
            Self::OwnToken { kept: None } => {
                text.push_str(
                    "  # Your own token of this cluster goes here, as `token: …` in place of the braces.\n  user: {}\n",
                );
            }
        }
    }
}

/// As JSON writes the text, which YAML reads alike.
fn line(text: &mut String, before: &str, value: &str) {
    // Writing to a String never fails.
    let _ = writeln!(text, "{before}{}", Value::from(value));
}
