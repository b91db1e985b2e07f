//! Which build of the gateway runs, as the metrics say it. The program knows it.

#[derive(Clone, Copy, Debug)]
pub struct Build {
    pub version: &'static str,
    /// Or `unknown`.
    pub commit: &'static str,
    /// `release` or `debug`.
    pub profile: &'static str,
}
