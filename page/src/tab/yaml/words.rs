//! What the tab YAML says.

use crate::messages::{bytes, counted};

pub const CHANGED: &str = "changed";
pub const FOLLOW: &str = "Follow";
pub const FOLD_ALL: &str = "Fold all";
pub const UNFOLD_ALL: &str = "Unfold all";
pub const COPY_PATH: &str = "Copy the path";
/// Beside a masked value, for those who wonder about a harmless one.
pub const MASKED_ALWAYS: &str = "The gateway masks every literal env value, whatever its name, and values whose names announce a credential.";
pub const SEARCH_HINT: &str = "Find in the YAML";
pub const SEARCH_NEXT: &str = "Next match (Enter)";
pub const SEARCH_PREVIOUS: &str = "Previous match (Shift+Enter)";

pub fn matches(at: usize, of: usize) -> String {
    if of == 0 { "no match".to_owned() } else { format!("{at} of {of}") }
}

pub fn folded_lines(lines: usize) -> String {
    counted(lines, "line", "lines")
}

pub fn cut_line(bytes_more: usize) -> String {
    format!("… {} more", bytes(bytes_more))
}

/// While the YAML doesn't follow the object: how old it is.
pub fn held_since(clock: &str) -> String {
    format!("Not following since {clock}")
}
