//! A code. It is never logged.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use shared::problem::{Problem, Reason};

/// 128 bits can't be guessed.
const RANDOM_BYTES: usize = 16;

/// `Debug` hides the text.
#[derive(Clone)]
pub struct Hidden(Box<str>);

impl Hidden {
    pub(super) fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The text, which only the page that asked may get.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}

/// 22 characters of base64url.
pub(in crate::access) fn random_text() -> Result<Box<str>, Problem> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| {
        Problem::new(Reason::InternalError, format!("the system has no randomness: {error}"))
    })?;
    Ok(URL_SAFE_NO_PAD.encode(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_data_4_a_code_is_not_printed() {
        let hidden = Hidden::new(random_text().expect("randomness"));
        assert!(!format!("{hidden:?}").contains(hidden.expose()));
    }
}
