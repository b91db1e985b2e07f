//! `dogwatch kubeconfig`: a kubeconfig by which kubectl, and whatever else reads one, reads through the gateway. No
//! secret is in it.
//!
//! Read in this order: [`target`] (which gateway), [`text`] (the kubeconfig), [`file`] (where it goes).

mod file;
mod target;
mod text;

use std::path::PathBuf;

use clap::Args;
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};

use crate::access::local::api::ask::{ServedApi, served_api};
use crate::running_gateway::RunningGateway;
use target::Target;
use text::{Context, Kubeconfig, Plugin, User};

#[derive(Args, Clone, Debug)]
pub struct KubeconfigArgs {
    /// A gateway elsewhere, such as https://dogwatch.example.org; your own token of the cluster goes into the file
    #[arg(long, value_name = "URL", requires = "cluster")]
    server: Option<String>,
    /// Which gateway, by the port of its page, if several of yours run on this machine
    #[arg(long, value_name = "PORT", conflicts_with = "server")]
    port: Option<u16>,
    /// This cluster alone, by its name in the page [default: all of a gateway on this machine]
    #[arg(long, value_name = "NAME", value_parser = ClusterName::parse)]
    cluster: Option<ClusterName>,
    /// A file that is written for you alone; one that another program wrote stays as it is [default: stdout]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What is to be printed.
///
/// # Errors
/// One sentence: no gateway runs here, it doesn't show the cluster, or the file can't be written.
pub async fn execute(args: &KubeconfigArgs) -> Result<String, Problem> {
    let kubeconfig = match Target::of(args.server.as_deref(), args.port)? {
        Target::Here(port) => {
            let gateway = RunningGateway::find(port).await?;
            let served = served_api(&gateway.socket).await?;
            let program = std::env::current_exe().map_err(|error| {
                Problem::new(Reason::InternalError, format!("this program's own path isn't known: {error}"))
            })?;
            let plugin = Plugin {
                command: program.display().to_string(),
                args: vec!["credential".to_owned(), "--port".to_owned(), gateway.port.to_string()],
                variables: variables(|name| std::env::var(name).ok()),
            };
            of_this_machine(served, &plugin, args.cluster.as_ref())?
        }
        Target::Elsewhere(server) => {
            let cluster = args.cluster.clone().ok_or_else(|| {
                Problem::bad_request("--server needs --cluster NAME: the cluster's name, as the page has it")
            })?;
            of_a_team(&server, cluster)
        }
    };
    let text = kubeconfig.yaml();
    let Some(path) = &args.output else { return Ok(text) };
    file::write(path, &text)?;
    let (shown, current) = (path.display(), &kubeconfig.current);
    Ok(format!("{shown} has the context {current}: kubectl --kubeconfig {shown} get pods\n"))
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
        Context { name: text::context_name(&name), server, authority: Some(authority.clone()), user }
    };
    let current = text::context_name(current);
    Ok(Kubeconfig { contexts: wanted.into_iter().map(context).collect(), current })
}

fn of_a_team(server: &str, cluster: ClusterName) -> Kubeconfig {
    let name = text::context_name(&cluster);
    let server = format!("{server}/k8s/{cluster}");
    let context = Context { name: name.clone(), server, authority: None, user: User::OwnToken };
    Kubeconfig { contexts: vec![context], current: name }
}

#[cfg(test)]
mod tests;
