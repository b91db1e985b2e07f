//! The problems that the client itself finds, in the words that the page and `tail` show.

#[must_use]
pub fn other_version(theirs: &str) -> String {
    format!("this page speaks {}, the gateway {theirs}", shared::frame::VERSION)
}

#[must_use]
pub fn refused() -> String {
    "the gateway doesn't take this login; `dogwatch url` prints a new one".to_owned()
}

#[must_use]
pub fn silent_gateway() -> String {
    "the gateway didn't answer in time".to_owned()
}

#[must_use]
pub fn gateway_restarts() -> String {
    "the gateway is going away and will be back".to_owned()
}

#[must_use]
pub fn gateway_gone() -> String {
    "the connection to the gateway is closed".to_owned()
}

#[must_use]
pub fn unreadable_message() -> String {
    "a message of the gateway could not be read; ask again".to_owned()
}
