//! A viewer that keeps what it reads, in the replica's own table, and comes back with its token. It
//! counts what it got since then.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use replica::table::Table;
use shared::frame::client::{ClientFrame, Subscribe};
use shared::frame::server::ServerFrame;
use shared::scope::Scope;

use crate::viewer::Viewer;

pub struct Holder {
    viewer: Viewer,
    scope: Scope,
    table: Table,
    /// Since it came last: of its subscription's frames.
    pub bytes: u64,
    pub rows: usize,
    pub deletes: usize,
    pub resets: usize,
}

impl Holder {
    /// # Errors
    /// When the gateway refuses.
    pub async fn open(socket: &Path, scope: Scope) -> Result<Self> {
        Self::connect(socket, scope, Table::default()).await
    }

    /// To the gateway of this socket, with what it holds.
    ///
    /// # Errors
    /// When the gateway refuses.
    pub async fn come_back(self, socket: &Path) -> Result<Self> {
        let Self { scope, mut table, .. } = self;
        table.detached();
        Self::connect(socket, scope, table).await
    }

    async fn connect(socket: &Path, scope: Scope, table: Table) -> Result<Self> {
        let mut viewer = Viewer::connect(socket).await?;
        let token = table.token().cloned();
        let subscribe = Subscribe {
            id: 1,
            scope: scope.clone(),
            projection: Default::default(),
            row: None,
            columns: Default::default(),
            token,
        };
        viewer.say(&ClientFrame::Subscribe(Box::new(subscribe))).await?;
        Ok(Self { viewer, scope, table, bytes: 0, rows: 0, deletes: 0, resets: 0 })
    }

    /// Reads until it is told that it has all of this version.
    ///
    /// # Errors
    /// When the connection ends before, or a frame doesn't continue what is here.
    pub async fn until(&mut self, version: &str) -> Result<()> {
        loop {
            let (frame, bytes) = self.viewer.next().await?;
            if !matches!(frame, ServerFrame::Welcome(_) | ServerFrame::Kinds(_)) {
                self.bytes += bytes;
            }
            if self.hear(frame)?.is_some_and(|said| said == version) {
                return Ok(());
            }
        }
    }

    /// Reads until it is told that what it has is proven: which version that is.
    ///
    /// # Errors
    /// When the connection ends before, or a frame doesn't continue what is here.
    pub async fn until_sync(&mut self) -> Result<String> {
        loop {
            let (frame, _) = self.viewer.next().await?;
            let is_sync = matches!(frame, ServerFrame::Sync(_));
            if let Some(version) = self.hear(frame)?.filter(|_| is_sync) {
                return Ok(version);
            }
        }
    }

    fn hear(&mut self, frame: ServerFrame) -> Result<Option<String>> {
        match frame {
            ServerFrame::Subscribed(answer) => self.table.subscribed(&answer),
            ServerFrame::Rows(rows) => {
                self.rows += rows.put.len() + rows.set.len();
                self.deletes += rows.delete.len();
                self.resets += usize::from(rows.reset);
                let version = (!rows.more).then(|| rows.resource_version.to_string());
                let delta =
                    self.table.apply(rows).map_err(|broken| anyhow::anyhow!("a broken chain: {broken:?}"))?;
                delta.removed.into_iter().for_each(|slot| self.table.remove_tombstone(slot));
                return Ok(version);
            }
            ServerFrame::Sync(sync) => {
                if let Some(digest) = &sync.digest {
                    let agrees = self.table.agrees(sync.at, digest);
                    anyhow::ensure!(agrees != Some(false), "the gateway's rows are others");
                }
                return Ok(Some(sync.resource_version.to_string()));
            }
            ServerFrame::Problem(said) => anyhow::bail!("refused: {:?}", said.problem),
            _ => {}
        }
        Ok(None)
    }

    /// What it holds: each object's resourceVersion.
    #[must_use]
    pub fn held(&self) -> BTreeMap<String, String> {
        self.table.rows().map(|row| (row.order_key(), row.resource_version.to_string())).collect()
    }
}

/// As [`Holder::held`], of objects as an API server lists them.
///
/// # Errors
/// When one has no name or no version.
pub fn versions_of(objects: &[serde_json::Value]) -> Result<BTreeMap<String, String>> {
    let of = |object: &serde_json::Value| {
        let text = |key: &str| object.get("metadata")?.get(key)?.as_str().map(str::to_owned);
        Some((format!("{}/{}", text("namespace")?, text("name")?), text("resourceVersion")?))
    };
    objects.iter().map(|object| of(object).context("an object without a name")).collect()
}
