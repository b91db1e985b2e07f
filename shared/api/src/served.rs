//! What a refusal names of the kind that it is about.

use std::sync::Arc;

/// A resource in one version, as discovery describes it.
pub trait Served {
    fn group(&self) -> &str;
    fn version(&self) -> &str;
    /// `pods`
    fn plural(&self) -> &str;
    /// `Pod`
    fn kind(&self) -> &str;
    /// Items in a list of a built-in kind carry no kind and apiVersion; custom ones do.
    fn is_built_in(&self) -> bool;

    /// `v1`, or `apps/v1`.
    fn api_version(&self) -> String {
        match self.group() {
            "" => self.version().to_owned(),
            group => format!("{group}/{}", self.version()),
        }
    }
}

impl<T: Served> Served for Arc<T> {
    fn group(&self) -> &str {
        (**self).group()
    }

    fn version(&self) -> &str {
        (**self).version()
    }

    fn plural(&self) -> &str {
        (**self).plural()
    }

    fn kind(&self) -> &str {
        (**self).kind()
    }

    fn is_built_in(&self) -> bool {
        (**self).is_built_in()
    }
}
