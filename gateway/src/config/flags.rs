//! The flags of `dogwatch serve`. Each has an environment variable and a key in the file; all are
//! texts here, so that one place says what is wrong with them wherever they came from.

use std::path::PathBuf;

use clap::Args;
use clap::builder::FalseyValueParser;

#[derive(Args, Clone, Debug, Default)]
pub struct ServeFlags {
    /// Where the page is served; loopback only [default: 127.0.0.1:8484]
    #[arg(long, env = "DOGWATCH_LISTEN", value_name = "ADDRESS:PORT")]
    pub listen: Option<String>,

    /// The kubeconfig to use [default: KUBECONFIG, else ~/.kube/config, else the pod's own account]
    #[arg(long, env = "DOGWATCH_KUBECONFIG", value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig [default: the current one]
    #[arg(long, env = "DOGWATCH_CONTEXT", value_name = "NAME")]
    pub context: Option<String>,

    /// Show a playground that lives in this process instead of a cluster
    #[arg(long, env = "DOGWATCH_DEMO", value_parser = FalseyValueParser::new())]
    pub demo: bool,

    /// How people prove who they are: local [default: local]
    #[arg(long, env = "DOGWATCH_AUTH", value_name = "MODE")]
    pub auth: Option<String>,

    /// How people reach the gateway, where that isn't its own address
    #[arg(long, env = "DOGWATCH_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,

    /// Another site whose pages may use this gateway, such as https://portal.example; may be repeated
    #[arg(long, env = "DOGWATCH_ALLOWED_ORIGIN", value_name = "ORIGIN", value_delimiter = ',')]
    pub allowed_origin: Vec<String>,

    /// Where /metrics is served; it isn't anywhere else [default: nowhere]
    #[arg(long, env = "DOGWATCH_METRICS_LISTEN", value_name = "ADDRESS:PORT")]
    pub metrics_listen: Option<String>,

    /// Connections of everybody together; one more is closed at once [default: 4096]
    #[arg(long, env = "DOGWATCH_CONNECTIONS_MAX", value_name = "COUNT")]
    pub connections_max: Option<String>,

    /// Open pages and tails of one person; one more is told so and closed [default: 100]
    #[arg(long, env = "DOGWATCH_CONNECTIONS_PER_IDENTITY_MAX", value_name = "COUNT")]
    pub connections_per_identity_max: Option<String>,

    /// A YAML file with these flags as its keys
    #[arg(long, env = "DOGWATCH_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
}
