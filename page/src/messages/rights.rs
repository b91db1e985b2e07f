//! Rights: whom the API server was asked for, what was granted and withdrawn, and which review said no.

use super::{count, counted, few_namespaces, listed};

/// Under "You may not list pods": `Asked as alice (groups dev and ops).`
pub fn asked_as(user: &str, groups: &[&str]) -> String {
    match groups {
        [] => format!("Asked as {user}."),
        [one] => format!("Asked as {user} (group {one})."),
        few if few.len() <= NAMED_MAX => format!("Asked as {user} (groups {}).", listed(few)),
        many => {
            let named = many.get(..NAMED_MAX).unwrap_or(many);
            let more = many.len().saturating_sub(named.len());
            format!("Asked as {user} (groups {} and {more} more).", named.join(", "))
        }
    }
}

/// So many names fit two lines of the empty table.
pub(crate) const NAMED_MAX: usize = 6;

/// `why`: the authorizer's reason, if it gave one.
pub fn review_said_no(access: &str, why: &str) -> String {
    let why = if why.is_empty() { String::new() } else { format!(": {}", why.trim_end_matches('.')) };
    format!("The API server's review of {access} said no{why}.")
}

pub const CHECK_YOURSELF: &str = "Check it yourself, with your own kubectl:";

/// `Access to ledger was withdrawn 14:02:11.`
pub fn withdrawn(namespaces: &[&str], clock: &str) -> String {
    if namespaces.is_empty() {
        return String::new();
    }
    format!("Access to {} was withdrawn {clock}.", few_namespaces(namespaces))
}

/// `Its 14 rows were removed from this view.`
pub fn rows_removed(namespaces: usize, rows: usize) -> String {
    let whose = if namespaces == 1 { "Its" } else { "Their" };
    match rows {
        0 => "No row of this view was there.".to_owned(),
        1 => format!("{whose} 1 row was removed from this view."),
        rows => format!("{whose} {} were removed from this view.", counted(rows, "row", "rows")),
    }
}

/// The sheet, and the button that opens it.
pub const WHAT_MAY_I_SEE: &str = "What may I see?";
