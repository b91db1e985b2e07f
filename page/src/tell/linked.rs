//! A question as a part of a link: `tell=health=failing;of=all;for=10m;each=1`. Links come from strangers, so whatever can't be
//! read is said, and nothing is asked by a link alone.

use super::draft::{Draft, Which};
use super::words;
use crate::address::QUESTION_BYTES_MAX;
use crate::location::percent;

/// The part of a link, with what it is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LinkedDraft {
    pub(super) draft: Draft,
    /// It says which objects of a view, so it isn't about the open one.
    pub(super) is_of_view: bool,
}

const KEY: &str = "tell=";
const OF: &str = "of";
const FOR: &str = "for";
const EACH: &str = "each";
const SOUND: &str = "sound";

/// # Errors
/// A sentence.
pub(super) fn read(question: &str) -> Result<LinkedDraft, String> {
    if question.len() > QUESTION_BYTES_MAX {
        return Err(words::TOO_LONG.to_owned());
    }
    let mut parts = question.strip_prefix(KEY).unwrap_or(question).split(';');
    let form = percent::decode(parts.next().unwrap_or_default()).trim().to_owned();
    let mut read = LinkedDraft { draft: Draft { form, ..Draft::default() }, is_of_view: false };
    for part in parts.filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let value = percent::decode(value);
        let which = Which::ALL.into_iter().find(|which| which.word() == value);
        match (key, which) {
            (OF, Some(which)) => (read.draft.which, read.is_of_view) = (which, true),
            (FOR, _) => read.draft.hold = value,
            (EACH, _) if value == "1" => read.draft.repeats = true,
            (SOUND, _) if value == "1" => read.draft.has_sound = true,
            _ => return Err(words::part_unread(&percent::decode(part))),
        }
    }
    read.draft.read()?;
    Ok(read)
}

/// The link with the question.
pub(super) fn with(link: &str, draft: &Draft, is_single: bool) -> String {
    let form = Some(percent::encode(draft.form.trim()));
    let of = (!is_single && draft.which != Which::Any).then(|| format!("{OF}={}", draft.which.word()));
    let hold = draft.hold.trim();
    let hold = (!hold.is_empty()).then(|| format!("{FOR}={}", percent::encode(hold)));
    let each = draft.repeats.then(|| format!("{EACH}=1"));
    let sound = draft.has_sound.then(|| format!("{SOUND}=1"));
    let parts: Vec<String> = [form, of, hold, each, sound].into_iter().flatten().collect();
    let before = if link.contains('?') { '&' } else { '?' };
    format!("{link}{before}{KEY}{}", parts.join(";"))
}
