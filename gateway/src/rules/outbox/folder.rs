//! The outbox of one gateway: a file that is replaced as a whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use history::StoreError;
use serde::{Deserialize, Serialize};

use super::{Firing, FiringChange, KeptMessage, MessageKey, News, Outbox};

pub struct FolderOutbox {
    path: PathBuf,
    kept: Kept,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Kept {
    messages: Vec<KeptMessage>,
    firing: Vec<Firing>,
}

const FILE: &str = "notifications.json";

impl FolderOutbox {
    /// # Errors
    /// What is there can't be read.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(FILE);
        let kept = match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| said(&path, &error))?,
            Err(error) if error.kind() == ErrorKind::NotFound => Kept::default(),
            Err(error) => return Err(said(&path, &error)),
        };
        Ok(Self { path, kept })
    }
}

impl Outbox for FolderOutbox {
    fn firing(&mut self) -> Result<Vec<Firing>, StoreError> {
        Ok(self.kept.firing.clone())
    }

    fn waiting(&mut self) -> Result<Vec<KeptMessage>, StoreError> {
        Ok(self.kept.messages.clone())
    }

    fn write(&mut self, news: &News) -> Result<(), StoreError> {
        let mut kept = self.kept.clone();
        kept.messages.extend(news.messages.iter().cloned());
        kept.messages.retain(|message| !news.ended.contains(&message.key));
        for change in &news.changes {
            let key = match change {
                FiringChange::Fires(firing) => &firing.key,
                FiringChange::Over(key) => key,
            };
            kept.firing.retain(|known| known.key != *key);
            if let FiringChange::Fires(firing) = change {
                kept.firing.push(firing.clone());
            }
        }
        let text = serde_json::to_vec(&kept).map_err(|error| said(&self.path, &error))?;
        replace(&self.path, &text).map_err(|error| said(&self.path, &error))?;
        self.kept = kept;
        Ok(())
    }

    fn leads(&mut self) -> Result<bool, StoreError> {
        Ok(true)
    }

    fn ended_elsewhere(&mut self, _: &[MessageKey]) -> Result<Vec<MessageKey>, StoreError> {
        Ok(Vec::new())
    }
}

/// The file is whole at any time, and its owner's alone.
fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("new");
    let mut file: File =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(&unfinished, path)
}

fn said(path: &Path, why: &dyn std::fmt::Display) -> StoreError {
    StoreError(format!("{}: {why}", path.display()).into())
}
