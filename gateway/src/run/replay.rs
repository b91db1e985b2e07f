//! `dogwatch replay`: a file of `dogwatch record` as a cluster that stands still at its end, with all that is before it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use history::{Extent, KindKey, ReplayFile, StoreError};
use playground::Recording;
use shared::frame::server::Replays;
use shared::problem::{Problem, Reason};
use shared::resource::Kind;

use crate::config::{Config, ServeFlags};
use crate::feed::Redaction;
use crate::past::{Record, scene};

/// Show a file of `dogwatch record` in the page, with all that it has of the past, and serve it to kubectl
///
/// The flags are those of `dogwatch serve`, such as --listen.
#[derive(Clone, Debug, Args)]
pub struct ReplayArgs {
    /// A file of `dogwatch record`
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    serve: ServeFlags,
}

impl ReplayArgs {
    /// # Errors
    /// A flag can't be used.
    pub fn config(&self) -> Result<Config, Problem> {
        Config::of_replay(&self.serve, self.file.clone())
    }
}

/// A file that is replayed.
pub(super) struct Replay {
    pub(super) record: Arc<Record>,
    /// The name of its cluster.
    pub(super) cluster: Box<str>,
    pub(super) recording: Recording,
}

impl Replay {
    /// Reads the file. It is large where the cluster was, so this may take a second.
    ///
    /// # Errors
    /// The file can't be used, in one sentence that says why.
    pub(super) fn open(path: &Path, redaction: &Redaction) -> Result<Self, Problem> {
        let file = ReplayFile::open(path).map_err(unusable)?;
        let past = file.past();
        let clusters: BTreeSet<&str> = file.kinds.iter().map(|(key, _)| &*key.cluster).collect();
        let only = match clusters.iter().copied().collect::<Vec<_>>().as_slice() {
            [] => return Err(empty(path)),
            [only] => Box::<str>::from(*only),
            several => {
                let message = format!(
                    "{} is of {} clusters, and a replay shows one; `dogwatch record` writes such a file",
                    path.display(),
                    several.len()
                );
                return Err(Problem::bad_request(message));
            }
        };
        let mut time: Option<Replays> = None;
        for (key, _) in &file.kinds {
            let Some(Extent { from_ms, to_ms, .. }) = past.extent(key).map_err(unusable)? else { continue };
            let known = time.get_or_insert(Replays { from_ms, to_ms });
            *known = Replays { from_ms: known.from_ms.min(from_ms), to_ms: known.to_ms.max(to_ms) };
        }
        let time = time.ok_or_else(|| empty(path))?;
        let record = Record::of_replay(past, only, time);
        let mut recording =
            Recording { at_ms: time.to_ms, git_version: file.about.version.to_string(), kinds: Vec::new() };
        for (key, named) in &file.kinds {
            let kind = described(key, named.as_ref());
            recording.kinds.extend(scene::of_kind(&record, redaction, key, &kind)?);
        }
        let cluster = if file.about.cluster.is_empty() { "replay".into() } else { file.about.cluster };
        Ok(Self { record, cluster, recording })
    }
}

/// A kind whose description wasn't kept has the name of its resource.
fn described(key: &KindKey, named: Option<&Kind>) -> Kind {
    named.cloned().unwrap_or_else(|| Kind::new(key.resource.clone(), key.resource.resource.as_str(), true))
}

fn empty(path: &Path) -> Problem {
    let message =
        format!("nothing is recorded in {}: it ends before the first list was whole", path.display());
    Problem::new(Reason::NotFound, message)
}

fn unusable(StoreError(why): StoreError) -> Problem {
    Problem::bad_request(String::from(why))
}
