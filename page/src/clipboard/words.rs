//! What is said when something was copied, and on the buttons that copy.

use crate::messages::{COPY_LINK, counted, with_key};

/// On the button: a link to this machine is of no use to a colleague.
pub fn copy_link(is_of_this_machine: bool) -> String {
    let said = with_key(COPY_LINK, "L");
    if is_of_this_machine { format!("{said}: it opens on this machine alone") } else { said }
}

/// On a button that copies a text: what is copied.
pub fn copies(label: &str, text: &str) -> String {
    format!("{label}: {text}")
}

/// The menu that copied them is closed by then.
pub fn copied_rows(rows: usize) -> String {
    format!("Copied {}.", counted(rows, "row", "rows"))
}

pub const COPIED_LOCAL_LINK: &str =
    "Copied. The link opens on this machine alone; Export (K) has a command and files for others.";
pub const NOT_COPIED: &str = "The browser refused the clipboard: select the text and copy it.";
