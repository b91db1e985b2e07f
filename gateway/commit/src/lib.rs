//! Which commit the program was built from, and how. Nothing else of the product depends on it, so that a commit compiles
//! neither the gateway nor the page anew.

#[cfg(test)]
mod found;

/// Twelve digits, with `and changes` where the sources differ from it; or `unknown`.
pub const COMMIT: &str = env!("DOGWATCH_FOUND_COMMIT");
/// `release` or `debug`.
pub const PROFILE: &str = env!("DOGWATCH_PROFILE");
/// What `--version` prints behind the program's name: `0.2.0 (commit 0123456789ab, release)`.
pub const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (commit ",
    env!("DOGWATCH_FOUND_COMMIT"),
    ", ",
    env!("DOGWATCH_PROFILE"),
    ")"
);
