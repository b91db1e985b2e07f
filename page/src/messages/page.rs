//! The page around its views: the top bar, the login, the status bar, and the pill's popover.

use shared::scope::Namespaces;

pub const COPY_LINK: &str = "Copy link";

/// A button's word with its key: `Pause (Space)`.
pub fn with_key(what: &str, key: &str) -> String {
    format!("{what} ({key})")
}

pub const ALL_NAMESPACES: &str = "all namespaces";

pub const COPIED: &str = "Copied";

/// A piece of the program couldn't be fetched.
pub fn piece_failed(again_in_ms: i64) -> String {
    let seconds = again_in_ms.div_euclid(1_000) + i64::from(again_in_ms.rem_euclid(1_000) > 0);
    if seconds <= 0 {
        return "This part of Dogwatch couldn't be fetched. It is asked for again now.".to_owned();
    }
    format!("This part of Dogwatch couldn't be fetched. It is asked for again in {seconds} s.")
}

pub const PIECE_GONE: &str = "A new version of Dogwatch is there, and this part of the page is of the former one. The table stays live.";

pub const BOARDS: &str = "Boards";

pub fn location_unread(part: &str, value: &str, why: &str) -> String {
    let clip = |text: &str| text.chars().take(60).collect::<String>();
    match value {
        "" => format!("{} ({why})", clip(part)),
        value => format!("{}={} ({why})", clip(part), clip(value)),
    }
}

// A board

/// The namespaces of a pane on a board; empty for a cluster-scoped kind.
pub fn place_of(namespaces: &Namespaces, is_namespaced: bool) -> String {
    match namespaces {
        _ if !is_namespaced => String::new(),
        Namespaces::All => ALL_NAMESPACES.to_owned(),
        Namespaces::These(names) => match names.as_slice() {
            [one] => one.as_str().to_owned(),
            several => format!("{} namespaces", several.len()),
        },
    }
}

/// The name of a view on a board: `pods all namespaces status!=Running`.
pub fn view_of(resource: &str, place: &str, query: &str) -> String {
    [resource, place, query].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Before a resourceVersion.
pub const RESOURCE_VERSION: &str = "resourceVersion ";

pub fn board_of(panes: usize) -> String {
    format!("{panes} views")
}

// The popover of the pill

pub const NO_GATEWAY: &str = "No connection";
