//! `dogwatch kubeconfig`: a kubeconfig by which kubectl, and whatever else reads one, reads through the gateway. No
//! secret is in it.
//!
//! Read in this order: [`target`] (which gateway), [`text`] (the kubeconfig), [`former`] (what stays of the one that was
//! there), [`file`] (where it goes).

mod file;
mod former;
mod target;
mod text;

use std::path::PathBuf;

use clap::Args;
use shared::frame::server::LoginMode;
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};

use crate::access::local::api::ask::{ServedApi, served_api};
use crate::plain_file;
use crate::running_gateway::RunningGateway;
use crate::team_gateway::{TeamGateway, TeamUrl};
use former::Former;
use target::Target;
use text::{Context, Kubeconfig, Plugin, User};

#[derive(Args, Clone, Debug)]
pub struct KubeconfigArgs {
    /// A gateway elsewhere, such as https://dogwatch.example.org
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// Which gateway, by the port of its page, if several of yours run on this machine
    #[arg(long, value_name = "PORT", conflicts_with = "server")]
    port: Option<u16>,
    /// This cluster alone, by its name in the page [default: all of a gateway on this machine]
    #[arg(long, value_name = "NAME", value_parser = ClusterName::parse)]
    cluster: Option<ClusterName>,
    /// How people sign in there, where it can't be asked for that now: with `oidc` a browser opens; with `bearer` your own
    /// token of the cluster goes into the file
    #[arg(long, value_name = "MODE", requires = "server", value_parser = ["oidc", "bearer"])]
    auth: Option<String>,
    /// The authorities that signed that gateway's certificate, in PEM [default: the system's]
    #[arg(long, value_name = "FILE", requires = "server")]
    certificate_authority: Option<PathBuf>,
    /// A file that is written for you alone; one that another program wrote stays as it is [default: stdout]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What is to be printed.
///
/// # Errors
/// Fails if no gateway runs here, if it doesn't show the cluster, or if the file can't be written.
pub async fn execute(args: &KubeconfigArgs) -> Result<String, Problem> {
    let mut kubeconfig = match Target::of(args.server.as_deref(), args.port)? {
        Target::Here(port) => {
            let gateway = RunningGateway::find(port).await?;
            let served = served_api(&gateway.socket).await?;
            let plugin = plugin(&["--port", &gateway.port.to_string()], false)?;
            of_this_machine(served, &plugin, args.cluster.as_ref())?
        }
        Target::Elsewhere(server) => {
            let cluster = args.cluster.clone().ok_or_else(|| {
                Problem::bad_request("--server needs --cluster NAME: the cluster's name, as the page has it")
            })?;
            of_a_team(&server, cluster, Authority::read(args)?, args.auth.as_deref()).await?
        }
    };
    let Some(path) = &args.output else { return Ok(kubeconfig.yaml()) };
    let former = file::former(path)?;
    let read = former.as_deref().map(Former::read);
    if let Some(Some(former)) = &read {
        former.keep(&mut kubeconfig);
    }
    file::write(path, &kubeconfig.yaml())?;
    let gone = match &read {
        None => None,
        Some(None) => Some("what was in it, for it was no YAML".to_owned()),
        Some(Some(former)) => former.gone(&kubeconfig),
    };
    Ok(written(&path.display().to_string(), &kubeconfig, gone))
}

/// What was done, and what is left to do.
fn written(path: &str, kubeconfig: &Kubeconfig, gone: Option<String>) -> String {
    let current = &kubeconfig.current;
    let mut said = String::new();
    if let Some(gone) = gone {
        said.push_str(&format!("{path} was replaced, and this is no longer in it: {gone}\n"));
    }
    if kubeconfig.lacks_token() {
        said.push_str(&format!(
            "{path} has no credential yet: write your own token of the cluster into it, as `user: {{token: …}}` in place of `user: {{}}`\n"
        ));
    } else if kubeconfig.keeps_credential() {
        said.push_str(&format!("{path} keeps the credential that you wrote into it\n"));
    }
    said.push_str(&format!("{path} has the context {current}: kubectl --kubeconfig {path} get pods\n"));
    said
}

/// This program, as `dogwatch credential` with these flags.
fn plugin(flags: &[&str], asks: bool) -> Result<Plugin, Problem> {
    let program = std::env::current_exe().map_err(|error| {
        Problem::new(Reason::InternalError, format!("this program's own path isn't known: {error}"))
    })?;
    Ok(Plugin {
        command: program.display().to_string(),
        args: std::iter::once("credential").chain(flags.iter().copied()).map(str::to_owned).collect(),
        variables: variables(|name| std::env::var(name).ok()),
        asks,
    })
}

/// The file of `--certificate-authority`.
struct Authority {
    /// From the root, for the plugin is started elsewhere.
    path: PathBuf,
    pem: String,
}

impl Authority {
    fn read(args: &KubeconfigArgs) -> Result<Option<Self>, Problem> {
        let Some(file) = &args.certificate_authority else { return Ok(None) };
        let read = || Ok::<_, std::io::Error>((file.canonicalize()?, plain_file::read_to_string(file)?));
        let (path, pem) = read().map_err(|error| {
            let message = format!("the certificates in {} can't be used: {error}", file.display());
            Problem::new(Reason::Configuration, message)
        })?;
        Ok(Some(Self { path, pem }))
    }
}

/// The variables by which the plugin finds the gateway's socket. A client that a service or cron starts has none of them.
fn variables(variable: impl Fn(&str) -> Option<String>) -> Vec<(&'static str, String)> {
    let given =
        |name: &&'static str| variable(name).filter(|value| !value.is_empty()).map(|value| (*name, value));
    FOLDER_VARIABLES.iter().filter_map(given).collect()
}

/// Those that [`crate::access::local::folders`] reads, the home aside, which every program has.
const FOLDER_VARIABLES: [&str; 2] = ["XDG_RUNTIME_DIR", "XDG_STATE_HOME"];

/// The home cluster stands at the root, so that `kubectl get --raw` reads it; the others below their names.
fn of_this_machine(
    served: ServedApi,
    plugin: &Plugin,
    only: Option<&ClusterName>,
) -> Result<Kubeconfig, Problem> {
    let ServedApi { server, authority, home, clusters } = served;
    let wanted: Vec<ClusterName> =
        clusters.iter().filter(|name| only.is_none_or(|only| only == *name)).cloned().collect();
    let current = match only {
        Some(only) if wanted.is_empty() => {
            let shown = clusters.iter().map(ClusterName::as_str).collect::<Vec<_>>().join(", ");
            let message = format!("the gateway shows no cluster {only}; it shows: {shown}");
            return Err(Problem::new(Reason::NotFound, message));
        }
        Some(only) => only,
        None => &home,
    };
    let context = |name: ClusterName| {
        let mut plugin = plugin.clone();
        let server = if name == home {
            plugin.args.extend(["--home-cluster".to_owned(), name.to_string()]);
            server.clone()
        } else {
            format!("{server}/k8s/{name}")
        };
        let user = User::Plugin(plugin);
        let authority = Some(authority.clone());
        Context { name: text::context_name(&name), server, authority, namespace: None, user }
    };
    let current = text::context_name(current);
    Ok(Kubeconfig { contexts: wanted.into_iter().map(context).collect(), current })
}

async fn of_a_team(
    url: &TeamUrl,
    cluster: ClusterName,
    authority: Option<Authority>,
    auth: Option<&str>,
) -> Result<Kubeconfig, Problem> {
    let path = authority.as_ref().map(|authority| authority.path.as_path());
    let asked = match auth {
        Some("oidc") => LoginMode::Oidc,
        Some(_) => LoginMode::Bearer,
        None => TeamGateway::new(url.clone(), path)?.way_in().await.map_err(|problem| {
            let message = format!("{}; --auth says how people sign in there", problem.message);
            Problem::new(problem.reason, message)
        })?,
    };
    let user = match asked {
        LoginMode::Oidc => {
            let path = path.map(|path| path.display().to_string());
            let mut flags = vec!["--server", url.as_str()];
            flags.extend(path.iter().flat_map(|path| ["--certificate-authority", path]));
            User::Plugin(plugin(&flags, true)?)
        }
        LoginMode::Bearer => User::OwnToken { kept: None },
        LoginMode::Local | LoginMode::Proxy => {
            let message = format!(
                "clients of the Kubernetes API don't get in at {url}: its people sign in in another way than \
                 with `--auth oidc` or `--auth bearer`"
            );
            return Err(Problem::new(Reason::Configuration, message));
        }
    };
    Ok(context_of_a_team(url, &cluster, authority.map(|authority| authority.pem), user))
}

fn context_of_a_team(
    url: &TeamUrl,
    cluster: &ClusterName,
    authority: Option<String>,
    user: User,
) -> Kubeconfig {
    let name = text::context_name(cluster);
    let server = format!("{url}/k8s/{cluster}");
    let context = Context { name: name.clone(), server, authority, namespace: None, user };
    Kubeconfig { contexts: vec![context], current: name }
}

#[cfg(test)]
mod tests;
