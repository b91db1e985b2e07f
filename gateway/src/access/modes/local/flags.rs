//! The setting of mode `local`.

use clap::Args;
use clap::builder::FalseyValueParser;
use serde::{Deserialize, Serialize};

/// [`super::mode`] has it.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct LocalFlags {
    /// With --auth local: print the plain address, and no name below localhost, for browsers that don't lead such names
    /// to this machine (Safari), and for frames
    #[arg(long, env = "DOGWATCH_PLAIN_ADDRESS", value_parser = FalseyValueParser::new())]
    pub(crate) plain_address: bool,
}
