//! The settings of mode `local`.

use clap::Args;
use clap::builder::FalseyValueParser;
use serde::{Deserialize, Serialize};
use shared::problem::Problem;

use crate::access::auth_mode::wrong;

/// [`super::mode`] has it.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct LocalFlags {
    /// With --auth local: print the plain address, and no name below localhost, for browsers that don't lead such names
    /// to this machine (Safari), and for frames
    #[arg(long, env = "DOGWATCH_PLAIN_ADDRESS", value_parser = FalseyValueParser::new())]
    pub(crate) plain_address: bool,

    /// With --auth local: where kubectl and other clients of the Kubernetes API come in, by `dogwatch kubeconfig`: a
    /// loopback address, or none [default: a free port of 127.0.0.1]
    #[arg(long, env = "DOGWATCH_API_LISTEN", value_name = "ADDRESS:PORT")]
    pub(crate) api_listen: Option<String>,
}

impl LocalFlags {
    /// Fails if a flag is given that has no effect in another mode.
    pub(crate) fn refuse(&self) -> Result<(), Problem> {
        match self.api_listen {
            Some(_) => Err(wrong("--api-listen has no effect without --auth local; leave it out")),
            None => Ok(()),
        }
    }
}
