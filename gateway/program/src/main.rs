//! `dogwatch`: reads the command line, starts logging, and hands over, to `serve` with the page. Never more than that.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use gateway::access::local::sockets;
use gateway::config::{Config, ServeFlags};
use gateway::credential_command::{self, CredentialArgs};
use gateway::history_command::{self, HistoryArgs};
use gateway::http::{Assets, File};
use gateway::kubeconfig_command::{self, KubeconfigArgs};
use gateway::limits::FILE_ANSWER_S;
use gateway::log::{self, LogFormat};
use gateway::rbac::{self, RbacFlags};
use gateway::ready_command::{self, ReadyArgs};
use gateway::rules_command::{self, RulesArgs};
use gateway::run::ReplayArgs;
use gateway::run::record::RecordArgs;
use gateway::sessions_command::{self, SessionsArgs};
use gateway::url::{UrlFlags, fresh_url};
use mimalloc::MiMalloc;
use shared::problem::Problem;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::filter::LevelFilter;

// The page, as the build script found it: `PAGE`.
include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The C library's allocator keeps ever more of what viewers who come and go have freed: 27 MiB in three minutes of
/// `cargo xtask soak`, and this one 6, most of it timelines.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Show live Kubernetes resources in the browser; it reads the cluster and never changes it
#[derive(Parser)]
#[command(name = "dogwatch", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the page, and print a link that opens it
    Serve(Box<ServeFlags>),
    /// Print a new link to the gateway that runs on this machine; it opens one page, within 10 minutes
    Url(UrlFlags),
    /// Write a kubeconfig, so that kubectl and other clients of the Kubernetes API read through the gateway
    Kubeconfig(KubeconfigArgs),
    /// Print a token for such a client; a kubeconfig of `dogwatch kubeconfig` calls this
    Credential(CredentialArgs),
    /// List the pages that are signed in, or sign them out
    Sessions(SessionsArgs),
    /// Print what the gateway's account has to be granted for these settings of `serve`, as a ClusterRole
    Rbac(Box<RbacFlags>),
    /// Remove from the record of the past what should never have been in it
    History(HistoryArgs),
    /// Ask a gateway whether it is ready; with 1 as the exit code it isn't, and stderr says why
    Ready(ReadyArgs),
    /// Record what happens in a cluster into a file
    Record(Box<RecordArgs>),
    /// Show a file of `record` in the page, and serve it to kubectl
    Replay(Box<ReplayArgs>),
    /// Try the rules of a configuration on a file of `record`
    Rules(RulesArgs),
    /// Watch resources in the terminal, as `kubectl get -w` does; it reconnects, and says when its rows are stale
    Tail(Box<gateway::tail::Args>),
    /// Print what containers write, as `kubectl logs` does; it follows a workload over restarts and new pods
    Logs(Box<gateway::logs_command::Args>),
    /// Wait until something is so of objects, as `kubectl wait` does; a stale view never decides it
    Wait(Box<gateway::wait::Args>),
    /// Print what completes the command line in a shell: `source <(dogwatch completion bash)`
    Completion {
        #[arg(value_name = "SHELL")]
        shell: Shell,
    },
    /// Write the manual pages into a folder
    #[command(hide = true)]
    Manual {
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            gateway::tail::to_stderr(&format!("error: the system gives no threads: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let executed = runtime.block_on(execute(cli.command));
    // A thread that reads a file of a mount that hangs would never end.
    runtime.shutdown_timeout(Duration::from_secs(FILE_ANSWER_S));
    log::drain();
    executed.unwrap_or_else(|problem| {
        gateway::tail::to_stderr(&format!("error: {problem}"));
        ExitCode::FAILURE
    })
}

async fn execute(command: Command) -> Result<ExitCode, Problem> {
    if !matches!(command, Command::Serve(_) | Command::Replay(_)) {
        log::to_stderr(LogFormat::Text, LevelFilter::WARN);
    }
    match command {
        Command::Serve(flags) => return serve(Config::of(&flags)?).await,
        Command::Replay(args) => return serve(args.config()?).await,
        Command::Record(args) => gateway::run::record::record(&args, end_signal()).await?,
        Command::Url(flags) => println!("{}", fresh_url(&flags).await?),
        Command::Kubeconfig(args) => print!("{}", kubeconfig_command::execute(&args).await?),
        Command::Credential(args) => println!("{}", credential_command::execute(&args).await?),
        Command::Rbac(flags) => print!("{}", rbac::print(&flags)?),
        Command::Sessions(args) => print!("{}", sessions_command::execute(&args)?),
        Command::History(args) => print!("{}", history_command::execute(&args)?),
        Command::Ready(args) => println!("{}", ready_command::execute(&args).await?),
        Command::Rules(args) => print!("{}", rules_command::execute(&args)?),
        Command::Tail(args) => return Ok(gateway::tail::run(*args, &gateways_here().await).await),
        Command::Logs(args) => return Ok(gateway::logs_command::run(*args, &gateways_here().await).await),
        Command::Wait(args) => return Ok(gateway::wait::run(*args, &gateways_here().await).await),
        Command::Completion { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "dogwatch", &mut std::io::stdout());
        }
        Command::Manual { folder } => write_manual(&folder)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn write_manual(folder: &Path) -> Result<(), Problem> {
    let written =
        std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map_err(|error| Problem::bad_request(format!("can't write into {}: {error}", folder.display())))
}

/// The configuration says in which form the log is, so nothing is logged before it was read.
async fn serve(config: Config) -> Result<ExitCode, Problem> {
    let format = config.log_format;
    log::to_stderr(format, LevelFilter::INFO);
    match (gateway::run::run(config, Assets::of(PAGE), end_signal()).await, format) {
        (Ok(()), _) => Ok(ExitCode::SUCCESS),
        (Err(problem), LogFormat::Text) => Err(problem),
        (Err(problem), LogFormat::Json) => {
            tracing::error!("{problem}");
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Looks for gateways on a thread of its own, for it connects to every socket, which may block.
async fn gateways_here() -> Vec<(u16, PathBuf)> {
    tokio::task::spawn_blocking(sockets).await.unwrap_or_default()
}

/// Cancelled by the first SIGTERM or SIGINT; the second ends the process at once.
fn end_signal() -> CancellationToken {
    let ended = CancellationToken::new();
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        // Without handlers the signals end the process by themselves.
        return ended;
    };
    let token = ended.clone();
    tokio::spawn(async move {
        for is_first in [true, false] {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if is_first {
                token.cancel();
            }
        }
        std::process::exit(130);
    });
    ended
}
