//! What a kubeconfig holds, as far as it says how an API server is reached. Never a file of disk: `files` reads those.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use shared::problem::Problem;

use super::field::Fields;
use super::wrong;

/// One kubeconfig, or several that were merged. In each list the names are different.
#[derive(Default)]
pub(in crate::cluster) struct Kubeconfig {
    pub(in crate::cluster) current_context: String,
    pub(in crate::cluster) contexts: Vec<(String, Context)>,
    pub(super) clusters: Vec<(String, Cluster)>,
    pub(super) users: Vec<(String, User)>,
}

#[derive(Default)]
pub(in crate::cluster) struct Context {
    pub(super) cluster: String,
    pub(super) user: String,
    pub(super) namespace: String,
}

/// How a server is reached and known again. Paths are absolute; `certificate_authority_data` is base64 as it was written;
/// `exec_extension` is what an exec plugin is given besides.
#[derive(Default)]
pub(super) struct Cluster {
    pub(super) server: String,
    pub(super) tls_server_name: String,
    pub(super) insecure_skip_tls_verify: bool,
    pub(super) certificate_authority: String,
    pub(super) certificate_authority_data: String,
    pub(super) proxy_url: String,
    pub(super) disable_compression: bool,
    pub(super) exec_extension: Option<Value>,
}

/// The user that requests come from. Paths are absolute; data is base64 as it was written; an empty text is unset.
#[derive(Default)]
pub(in crate::cluster) struct User {
    pub(super) token: String,
    pub(super) token_file: String,
    pub(super) username: String,
    pub(super) password: String,
    pub(super) client_certificate: String,
    pub(super) client_certificate_data: String,
    pub(super) client_key: String,
    pub(super) client_key_data: String,
    pub(super) impersonate: String,
    pub(super) impersonate_uid: String,
    pub(super) impersonate_groups: Vec<String>,
    pub(super) impersonate_extra: BTreeMap<String, Vec<String>>,
    pub(super) auth_provider: Option<AuthProvider>,
    pub(super) exec: Option<Exec>,
}

pub(super) struct AuthProvider {
    pub(super) name: String,
    pub(super) config: BTreeMap<String, String>,
}

/// A program that prints a credential. `cluster` is what it is told about the server, if it is to be told.
#[derive(Clone, Default, PartialEq, Eq)]
pub(in crate::cluster) struct Exec {
    pub(in crate::cluster) api_version: String,
    pub(in crate::cluster) command: String,
    pub(in crate::cluster) args: Vec<String>,
    pub(in crate::cluster) env: Vec<(String, String)>,
    pub(in crate::cluster) install_hint: String,
    pub(in crate::cluster) interactive_mode: String,
    pub(in crate::cluster) provide_cluster_info: bool,
    pub(in crate::cluster) cluster: Option<Value>,
}

/// Reads the first document of the text, as kubectl does.
///
/// # Errors
/// A sentence that begins with what is wrong, for one that names the file.
pub(in crate::cluster) fn read_text(text: &str) -> Result<Kubeconfig, Problem> {
    let options = serde_saphyr::options! {
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
        budget: serde_saphyr::budget! { max_reader_input_bytes: None },
    };
    let mut bytes = text.as_bytes();
    let first = serde_saphyr::read_with_options::<_, Value>(&mut bytes, options).next();
    let document = first.transpose().map_err(|error| {
        let text = error.to_string();
        let line: String = text.lines().next().unwrap_or_default().chars().take(160).collect();
        wrong(format!("is not a kubeconfig in YAML: {line}"))
    })?;
    let document = document.unwrap_or_default();
    if !(document.is_null() || document.is_object()) {
        return Err(wrong("is not a kubeconfig in YAML: it must be a mapping"));
    }
    of_document(&document).map_err(|Problem { message, .. }| wrong(format!("is not a kubeconfig: {message}")))
}

fn of_document(document: &Value) -> Result<Kubeconfig, Problem> {
    let fields = Fields::of(document, "")?;
    for (key, expected) in [("kind", "Config"), ("apiVersion", "v1")] {
        let found = fields.text(key)?;
        if !found.is_empty() && found != expected {
            return Err(wrong(format!("its `{key}` is {found:?} and must be {expected:?}")));
        }
    }
    Ok(Kubeconfig {
        current_context: fields.text("current-context")?,
        contexts: named(&fields, "contexts", "context", context)?,
        clusters: named(&fields, "clusters", "cluster", cluster)?,
        users: named(&fields, "users", "user", user)?,
    })
}

fn named<T: Default>(
    fields: &Fields<'_>,
    list: &str,
    key: &str,
    read: impl Fn(&Fields<'_>) -> Result<T, Problem>,
) -> Result<Vec<(String, T)>, Problem> {
    let mut found: Vec<(String, T)> = Vec::new();
    for entry in fields.mappings(list)? {
        let entry = entry?;
        let name = entry.text("name")?;
        if found.iter().any(|(known, _)| *known == name) {
            return Err(wrong(format!("`{list}` has the name {name:?} twice; rename one of them")));
        }
        let read = entry.below(key)?.map(|below| read(&below)).transpose()?;
        found.push((name, read.unwrap_or_default()));
    }
    Ok(found)
}

fn context(fields: &Fields<'_>) -> Result<Context, Problem> {
    Ok(Context {
        cluster: fields.text("cluster")?,
        user: fields.text("user")?,
        namespace: fields.text("namespace")?,
    })
}

fn cluster(fields: &Fields<'_>) -> Result<Cluster, Problem> {
    let mut exec_extension = None;
    for extension in fields.mappings("extensions")? {
        let extension = extension?;
        if extension.text("name")? == EXEC_EXTENSION {
            exec_extension = extension.value("extension").cloned();
        }
    }
    Ok(Cluster {
        server: fields.text("server")?,
        tls_server_name: fields.text("tls-server-name")?,
        insecure_skip_tls_verify: fields.flag("insecure-skip-tls-verify")?,
        certificate_authority: fields.text("certificate-authority")?,
        certificate_authority_data: fields.text("certificate-authority-data")?,
        proxy_url: fields.text("proxy-url")?,
        disable_compression: fields.flag("disable-compression")?,
        exec_extension,
    })
}

fn user(fields: &Fields<'_>) -> Result<User, Problem> {
    let mut impersonate_extra = BTreeMap::new();
    if let Some(extra) = fields.below("as-user-extra")? {
        for key in extra.keys() {
            impersonate_extra.insert(key.clone(), extra.texts(key)?);
        }
    }
    let auth_provider = fields.below("auth-provider")?.map(|provider| {
        Ok::<_, Problem>(AuthProvider { name: provider.text("name")?, config: provider.map("config")? })
    });
    Ok(User {
        token: fields.text("token")?,
        token_file: fields.text("tokenFile")?,
        username: fields.text("username")?,
        password: fields.text("password")?,
        client_certificate: fields.text("client-certificate")?,
        client_certificate_data: fields.text("client-certificate-data")?,
        client_key: fields.text("client-key")?,
        client_key_data: fields.text("client-key-data")?,
        impersonate: fields.text("as")?,
        impersonate_uid: fields.text("as-uid")?,
        impersonate_groups: fields.texts("as-groups")?,
        impersonate_extra,
        auth_provider: auth_provider.transpose()?,
        exec: fields.below("exec")?.map(|fields| exec(&fields)).transpose()?,
    })
}

fn exec(fields: &Fields<'_>) -> Result<Exec, Problem> {
    let mut env = Vec::new();
    for variable in fields.mappings("env")? {
        let variable = variable?;
        env.push((variable.text("name")?, variable.text("value")?));
    }
    Ok(Exec {
        api_version: fields.text("apiVersion")?,
        command: fields.text("command")?,
        args: fields.texts("args")?,
        env,
        install_hint: fields.text("installHint")?,
        interactive_mode: fields.text("interactiveMode")?,
        provide_cluster_info: fields.flag("provideClusterInfo")?,
        cluster: None,
    })
}

impl Kubeconfig {
    /// Relative paths mean files beside the kubeconfig that names them.
    pub(super) fn resolve_paths(&mut self, folder: &Path) {
        for (_, cluster) in &mut self.clusters {
            resolve(folder, &mut cluster.certificate_authority);
        }
        for (_, user) in &mut self.users {
            for path in [&mut user.client_certificate, &mut user.client_key, &mut user.token_file] {
                resolve(folder, path);
            }
            if let Some(exec) = user.exec.as_mut().filter(|exec| exec.command.contains('/')) {
                // A command without a slash is looked for in PATH.
                resolve(folder, &mut exec.command);
            }
        }
    }

    /// An entry or a current context that is known already stays.
    pub(super) fn merge(mut self, next: Self) -> Self {
        if self.current_context.is_empty() {
            self.current_context = next.current_context;
        }
        add(&mut self.contexts, next.contexts);
        add(&mut self.clusters, next.clusters);
        add(&mut self.users, next.users);
        self
    }
}

fn resolve(folder: &Path, path: &mut String) {
    if !path.is_empty() && Path::new(path.as_str()).is_relative() {
        let joined: PathBuf = folder.join(path.as_str());
        *path = joined.to_string_lossy().into_owned();
    }
}

fn add<T>(known: &mut Vec<(String, T)>, next: Vec<(String, T)>) {
    for (name, value) in next {
        if !known.iter().any(|(known, _)| *known == name) {
            known.push((name, value));
        }
    }
}

/// The name of the extension whose content an exec plugin is given.
const EXEC_EXTENSION: &str = "client.authentication.k8s.io/exec";
