//! What the settings of the record mean.

use std::path::PathBuf;

use shared::problem::Problem;

use super::settings::Settings;
use super::texts::{count, patterns};
use super::wrong;
use crate::limits::{RECORD_FOLDER_BYTES, RECORD_MEMORY_BYTES};
use crate::past::{HistorySettings, Place};

const MIB: u64 = 1024 * 1024;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// With less, a segment couldn't hold the objects of a small cluster.
const MIB_MIN: u64 = 8;

/// `is_demo`: the kinds of a demo are recorded before its first viewer comes.
pub(super) fn of(settings: &Settings, is_demo: bool) -> Result<HistorySettings, Problem> {
    let place = place(&settings.history)?;
    let usual = match &place {
        Place::Folder(_) => RECORD_FOLDER_BYTES,
        Place::Nowhere | Place::Memory => RECORD_MEMORY_BYTES,
    };
    let bytes = match &settings.history_mib {
        Some(text) => u64::try_from(count("--history-mib", text)?).unwrap_or(u64::MAX).saturating_mul(MIB),
        None => usual,
    };
    if bytes < MIB_MIN * MIB {
        return Err(wrong(format!("--history-mib is at least {MIB_MIN}")));
    }
    let days = i64::try_from(count("--history-days", &settings.history_days)?).unwrap_or(i64::MAX);
    Ok(HistorySettings {
        place,
        bytes,
        age_ms: days.saturating_mul(DAY_MS),
        kinds: patterns("--history-kind", &settings.history_kind)?,
        keeps_in_memory: is_demo,
    })
}

fn place(text: &str) -> Result<Place, Problem> {
    let is_url = text.contains("://");
    match text {
        "none" => Ok(Place::Nowhere),
        "memory" => Ok(Place::Memory),
        "" => Err(wrong("--history names no place; it is memory, none, or a folder".to_owned())),
        // What is wrong isn't quoted: a URL may hold a credential.
        _ if is_url => Err(wrong("--history can't be a URL; it is memory, none, or a folder".to_owned())),
        // A word is more likely a place that was mistyped than a folder of here.
        _ if !text.contains('/') => Err(wrong(format!(
            "--history {text} is no place; it is memory, none, or a folder such as ./{text}"
        ))),
        _ => Ok(Place::Folder(PathBuf::from(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_memory_or_a_folder_and_anything_else_is_refused() {
        assert_eq!(place("none"), Ok(Place::Nowhere));
        assert_eq!(place("memory"), Ok(Place::Memory));
        assert_eq!(place("./past"), Ok(Place::Folder("./past".into())));
        for (text, says) in [
            ("", "names no place"),
            ("disk", "is no place"),
            ("postgres://u:secret@db/dogwatch", "can't be a URL"),
        ] {
            let problem = place(text).expect_err(text).message;
            assert!(problem.contains(says) && !problem.contains("secret"), "{problem}");
        }
    }
}
