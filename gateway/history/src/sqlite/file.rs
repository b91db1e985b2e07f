//! A record that is one file, to be given to others: [`RecordFile`] is written, [`ReplayFile`] is read.

use std::path::Path;
use std::sync::{Arc, RwLock};

use serde::{Deserialize, Serialize};
use shared::resource::Kind;
use shared::state::UnixMillis;

use super::read::Reader;
use super::segment::{Place, Segment};
use super::write::named_kinds;
use crate::kind::KindKey;
use crate::past::Past;
use crate::store::{Entry, Store, StoreError};

/// What a file says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// The name of the cluster.
    pub cluster: Box<str>,
    /// The version of its API server.
    pub version: Box<str>,
    /// The account whose rights say what is in the file.
    pub account: Box<str>,
    /// The namespaces that were recorded; empty: all.
    pub namespace: Box<str>,
    /// What was masked before it was written, in a sentence.
    pub masks: Box<str>,
}

/// A file on its way. After it couldn't be written once, nothing more is written to it.
pub struct RecordFile(Arc<Segment>);

const ABOUT: &str = "about";

impl RecordFile {
    /// # Errors
    /// There is such a file already, or none can be made there.
    pub fn create(path: &Path, about: &About, now_ms: UnixMillis) -> Result<Self, StoreError> {
        if path.exists() {
            return Err(StoreError(format!("{} is there already; name another file", path.display()).into()));
        }
        let segment = Segment::create(path, Place::File, now_ms)?;
        let about = serde_json::to_string(about).unwrap_or_default();
        segment.read(|connection| {
            connection.execute("INSERT INTO meta VALUES (?, ?)", [ABOUT, &about]).map(drop)
        })?;
        Ok(Self(Arc::new(segment)))
    }

    /// As if its disk had so many pages.
    #[cfg(test)]
    pub(crate) fn limit_to(&self, pages: u32) {
        self.0.read(|connection| connection.pragma_update(None, "max_page_count", pages)).expect("a limit");
    }
}

impl Store for RecordFile {
    fn commit(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        self.0.write(entries)
    }

    fn is_segment_over(&self, _: UnixMillis) -> bool {
        false
    }

    fn begin_segment(&mut self, _: &[Entry], _: UnixMillis) -> Result<(), StoreError> {
        Err(StoreError("the file ends where it couldn't be written to".into()))
    }

    /// What it may take is its owner's matter.
    fn bound(&mut self, _: u64) {}

    fn resume(&mut self) -> Result<Vec<Entry>, StoreError> {
        Ok(Vec::new())
    }

    fn end(&self) -> (i64, UnixMillis) {
        (0, self.0.from_ms)
    }

    fn past(&self) -> Arc<dyn Past> {
        past_of(&self.0)
    }

    fn byte_count(&self) -> u64 {
        self.0.byte_count()
    }
}

/// A file of [`RecordFile`], or a segment of a folder that no gateway has.
pub struct ReplayFile {
    segment: Arc<Segment>,
    pub about: About,
    /// What was recorded, by cluster and kind, with how discovery described it.
    pub kinds: Vec<(KindKey, Option<Kind>)>,
}

impl ReplayFile {
    /// # Errors
    /// It isn't there, isn't whole, isn't a record, or is one of another version.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        // SQLite doesn't say why it can't open a file.
        let said = |why: String| StoreError(format!("{} {why}", path.display()).into());
        std::fs::File::open(path).map_err(|error| said(format!("can't be read: {error}")))?;
        if path.is_dir() {
            return Err(said("is a folder; name a file".to_owned()));
        }
        let segment = Segment::open_to_read(path)?;
        let about = segment.meta::<String>(ABOUT)?;
        let about = about.and_then(|about| serde_json::from_str(&about).ok()).unwrap_or_default();
        let kinds = segment.read(named_kinds)?;
        let kinds = kinds.into_iter().map(|kind| (kind.key, kind.named)).collect();
        Ok(Self { segment: Arc::new(segment), about, kinds })
    }

    #[must_use]
    pub fn past(&self) -> Arc<dyn Past> {
        past_of(&self.segment)
    }
}

fn past_of(segment: &Arc<Segment>) -> Arc<dyn Past> {
    Arc::new(Reader::new(Arc::new(RwLock::new(vec![Arc::clone(segment)]))))
}
