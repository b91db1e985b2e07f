//! `dogwatch replay`: a file of `dogwatch record` as a cluster that stands still at its end, with all that is before it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use history::{About, Extent, KindKey, ReplayFile, StoreError};
use jiff::Timestamp;
use playground::Recording;
use shared::frame::server::{ReplayedFile, Replays};
use shared::problem::{Problem, Reason};
use shared::resource::Kind;

use super::from_first_to_last;
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
        let extents = file.kinds.iter().filter_map(|(key, _)| past.extent(key).map_err(unusable).transpose());
        let extents: Vec<Extent> = extents.collect::<Result<_, _>>()?;
        let times = extents.iter().map(|extent| (extent.from_ms, extent.to_ms));
        let (from_ms, to_ms) = from_first_to_last(times).ok_or_else(|| empty(path))?;
        let time = Replays { from_ms, to_ms };
        let About { account, namespace, masks, .. } = file.about.clone();
        let record = Record::of_replay(past, only, (time, ReplayedFile { account, namespace, masks }));
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

/// `It was recorded from 2026-11-29 14:02:10 to 14:12:10 UTC, with the rights of admin. Masked in it: …` `None`: nothing is
/// replayed.
pub(super) fn in_words(record: &Record) -> Option<String> {
    let (Replays { from_ms, to_ms }, ReplayedFile { account, namespace, masks }) =
        (record.replays()?, record.file()?);
    let time = |ms, format| Timestamp::from_millisecond(ms).map(|at| at.strftime(format).to_string());
    let day = |ms| time(ms, "%Y-%m-%d ").unwrap_or_default();
    let clock = |ms| time(ms, "%H:%M:%S").unwrap_or_default();
    let until = if day(from_ms) == day(to_ms) { clock(to_ms) } else { day(to_ms) + &clock(to_ms) };
    let mut text = format!("It was recorded from {}{} to {until} UTC", day(from_ms), clock(from_ms));
    let mut say = |words: String| text.push_str(&words);
    if !namespace.is_empty() {
        say(format!(", in the namespace {namespace}"));
    }
    if !account.is_empty() {
        say(format!(", with the rights of {account}"));
    }
    say(".".to_owned());
    if !masks.is_empty() {
        say(format!(" Masked in it: {masks}."));
    }
    Some(text)
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
