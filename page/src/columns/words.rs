//! What the list of columns says, and what is said of columns that can't be had.

use crate::theme::Density;

pub const ROWS: &str = "Rows";
pub const WIDE: &str = "Wide";
pub const POLLED: &str = "Polled";
pub const ALWAYS: &str = "always";
pub const ADD: &str = "Add a column by JSONPath";
pub const ADD_LABEL: &str = "Add a column: NAME:JSONPath";
pub const ADD_HINT: &str = "IMAGE:.spec.containers[*].image";
pub const RESET: &str = "Reset columns";
pub const FORGET: &str = "Remove";
pub const NO_SUCH_COLUMN: &str = "no such column";

pub fn density(density: Density) -> &'static str {
    match density {
        Density::Default => "Normal",
        Density::Compact => "Compact",
    }
}

/// On the button: `5/9` while some are hidden.
pub fn shown_of(shown: usize, all: usize) -> String {
    format!("{shown}/{all}")
}

pub fn twice(name: &str) -> String {
    format!("there is a column {name} already")
}

pub fn too_many(max: usize) -> String {
    format!("more than {max} columns")
}

pub fn expected() -> String {
    format!("NAME:PATH is expected, such as {ADD_HINT}")
}
