//! What the gateway and the page are made of: which dependencies may be used, a list of all of them, and whether two
//! builds give the same bytes.

mod deny;
mod reproducible;
mod sbom;

pub(crate) use deny::{advisories, deny};
pub(crate) use reproducible::reproducible;
pub(crate) use sbom::sbom;
