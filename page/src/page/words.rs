//! What the page says around its views: the top bar, the bar with a message, the board and the title.

use litemap::LiteMap;

use crate::messages::counted;
use crate::tab::overview::rollout::Progress;
use crate::theme::Theme;

/// The health of all views in one phrase: `3 views live`, `2 live, 1 stale`.
/// `refused`: how many namespaces of live views show no rows, by the reason.
pub fn health(live: usize, others: &[(String, usize)], refused: &LiteMap<&'static str, usize>) -> String {
    let others = others.iter().map(|(word, number)| format!("{number} {}", word.to_lowercase()));
    let refused = refused.iter().map(|(word, number)| {
        format!("{} {}", counted(*number, "namespace", "namespaces"), word.to_lowercase())
    });
    let others: Vec<String> = others.chain(refused).collect();
    match (live, others.as_slice()) {
        (0, []) => "no view".to_owned(),
        (1, []) => "1 view live".to_owned(),
        (live, []) => format!("{live} views live"),
        (0, others) => others.join(", "),
        (live, others) => format!("{live} live, {}", others.join(", ")),
    }
}

pub fn theme_is(theme: Theme) -> String {
    format!("Theme: {}", theme.word())
}

/// Before the document's title.
pub const TITLE_STALE: &str = "(stale) ";
pub const TITLE_PAUSED: &str = "(paused) ";

/// How many rows of the views fail.
pub fn title_failing(count: usize) -> String {
    format!("✗ {count} · ")
}

/// The object's name follows: `◐ 3/4 api`.
pub fn title_rollout(rollout: &Progress) -> String {
    let sign = if rollout.is_stuck { "✗" } else { "◐" };
    format!("{sign} {}/{} ", rollout.ready, rollout.wanted)
}

pub const SKIP_TO_ROWS: &str = "Skip to the rows";
pub const LINK_UNREAD: &str = "Ignored in this link:";

/// The first three problems of a link, and how many more there are: `x=1 (unknown), sort=zzz (no such column).`
pub fn link_unread(problems: &[&str]) -> Option<String> {
    let first: Vec<&str> = problems.iter().take(3).copied().collect();
    let more = problems.len().saturating_sub(first.len());
    let more = if more == 0 { String::new() } else { format!(", and {more} more") };
    (!first.is_empty()).then(|| format!("{}{more}.", first.join(", ")))
}

pub const BOARD_FULL: &str = "This board is full.";

pub fn board_full(panes_max: usize) -> String {
    format!("It has room for {panes_max} views: close one to add another.")
}

pub const BOARD: &str = "Board";
pub const BOARD_TITLE: &str = "Title of the board";
pub const BOARD_UNTITLED: &str = "Untitled board";
pub const ADD_VIEW: &str = "Add a view";
pub const PAUSE_ALL: &str = "Pause all";
pub const RESUME_ALL: &str = "Resume all";

/// The edge of a pane, and its share: `14 of 24`.
pub fn pane_width(columns: u8, of: u8) -> String {
    format!("{columns} of {of}")
}

/// A view that shows the changes of its rows.
pub fn changes_of(view: &str) -> String {
    format!("{view}, changes")
}

/// A board without a title: `pods, nodes and 3 more`.
pub fn board_named(resources: &[&str]) -> String {
    let first = resources.get(..2).unwrap_or(resources);
    let more = resources.len().saturating_sub(first.len());
    if more == 0 { first.join(", ") } else { format!("{} and {more} more", first.join(", ")) }
}
