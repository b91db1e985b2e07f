//! The questions: each field of a kubeconfig in each form, several files, and the variables of the environment. `{WORD}` in a
//! text stands for one of the rig's words, and `{DIR}` for the case's folder.

mod addresses;
mod clusters;
mod files;
mod plugins;
mod proxies;
mod texts;
mod users;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::rig::Rig;

/// One kubeconfig with what stands beside it, and the environment.
pub(crate) struct Case {
    pub(crate) name: String,
    files: Vec<(String, Vec<u8>)>,
    environment: Vec<(String, String)>,
}

pub(crate) fn all() -> Vec<Case> {
    [
        users::all(),
        clusters::all(),
        addresses::all(),
        files::all(),
        texts::all(),
        plugins::all(),
        proxies::all(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl Case {
    /// One file, in which `{…}` may stand.
    fn of(name: impl Into<String>, kubeconfig: impl Into<Vec<u8>>) -> Self {
        let files = vec![("config".to_owned(), kubeconfig.into())];
        let environment = vec![("KUBECONFIG".to_owned(), "{DIR}/config".to_owned())];
        Self { name: name.into(), files, environment }
    }

    /// A user of this kind at the test's server.
    fn of_user(name: &str, user: &str) -> Self {
        Self::of(format!("user: {name}"), kubeconfig(SERVER, CLUSTER, user))
    }

    /// A cluster with these fields besides its server.
    fn of_cluster(name: &str, cluster: &str) -> Self {
        Self::of(format!("cluster: {name}"), kubeconfig(SERVER, cluster, USER))
    }

    fn file(mut self, name: &str, text: impl Into<Vec<u8>>) -> Self {
        self.files.push((name.to_owned(), text.into()));
        self
    }

    fn with(mut self, variables: &[(&str, &str)]) -> Self {
        for (name, value) in variables {
            self.environment.retain(|(known, _)| known != name);
            self.environment.push(((*name).to_owned(), (*value).to_owned()));
        }
        self
    }

    /// Files that begin with `#!` can be run.
    pub(crate) fn write(&self, folder: &Path, rig: &Rig) {
        for (name, bytes) in &self.files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            // What isn't UTF-8 has no words.
            let bytes = match std::str::from_utf8(bytes) {
                Ok(text) => filled(text, folder, rig).into_bytes(),
                Err(_) => bytes.clone(),
            };
            std::fs::write(&path, &bytes).expect("written");
            if bytes.starts_with(b"#!") {
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).expect("changed");
            }
        }
    }

    pub(crate) fn environment(&self, folder: &Path, rig: &Rig) -> Vec<(String, String)> {
        let home = folder.display().to_string();
        let mut all = vec![
            ("HOME".to_owned(), home.clone()),
            ("PATH".to_owned(), format!("{home}/bin:/usr/bin:/bin")),
            ("KUBECACHEDIR".to_owned(), format!("{home}/cache")),
            // kubectl's default is localhost:8080, where another program may listen.
            ("KUBERNETES_MASTER".to_owned(), "http://127.0.0.1:1".to_owned()),
        ];
        let own = self.environment.iter().map(|(name, value)| (name.clone(), filled(value, folder, rig)));
        all.extend(own);
        all
    }
}

fn filled(text: &str, folder: &Path, rig: &Rig) -> String {
    let mut filled = text.replace("{DIR}", &folder.display().to_string());
    for (word, value) in &rig.words {
        filled = filled.replace(&format!("{{{word}}}"), value);
        // In lines of 64, with what joins them.
        while let Some((before, rest)) = filled.split_once(&format!("{{{word}|")) {
            let (join, after) = rest.split_once('}').expect("an end");
            let lines: Vec<&str> =
                value.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).expect("ASCII")).collect();
            filled = format!("{before}{}{after}", lines.join(join));
        }
    }
    filled
}

/// `cluster` and `user` are mappings in YAML's flow style.
fn kubeconfig(server: &str, cluster: &str, user: &str) -> String {
    format!(
        "apiVersion: v1
kind: Config
current-context: go
contexts:
- name: go
  context: {{cluster: c, user: me}}
clusters:
- name: c
  cluster: {{server: \"{server}\", {cluster}}}
users:
- name: me
  user: {user}
"
    )
}

const SERVER: &str = "https://127.0.0.1:{PORT}";
const CLUSTER: &str = "certificate-authority-data: {CA}";
const USER: &str = "{token: good}";
