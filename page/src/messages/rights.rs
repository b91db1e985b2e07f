//! Rights: whom the API server was asked for, and the sheet that says what they are.

use super::listed;

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

/// The sheet, and the button that opens it.
pub const WHAT_MAY_I_SEE: &str = "What may I see?";
