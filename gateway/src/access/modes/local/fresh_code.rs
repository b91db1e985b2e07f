//! Asks the gateway behind a Unix socket for a fresh code: what `dogwatch url` does.

use std::fmt;
use std::path::Path;

use http::Method;
use serde::{Deserialize, Serialize};
use shared::problem::Problem;

use super::question::Question;

/// The answer to `POST /api/code`. `Debug` hides the code.
#[derive(Serialize, Deserialize)]
pub struct FreshCode {
    pub code: String,
    /// Where the link leads, without the code.
    pub url: String,
}

impl fmt::Debug for FreshCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FreshCode").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Fails with one sentence if the answer isn't a gateway's.
pub async fn fresh_code(socket: &Path) -> Result<FreshCode, Problem> {
    let question = Question { method: Method::POST, path: "/api/code", refused: "gave no code" };
    question.ask(socket).await
}
