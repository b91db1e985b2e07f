//! A pod as a link names it: `web-1`, or `eu-2/web-1` where it is of another cluster than the object's own. Never whether there
//! is one.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pod {
    /// `None`: the cluster of the object that the panel shows.
    pub(super) cluster: Option<Box<str>>,
    pub(super) name: Box<str>,
}

impl Pod {
    pub(super) fn of_own(name: &str) -> Self {
        Self { cluster: None, name: name.into() }
    }

    pub(super) fn read(text: &str) -> Self {
        match text.split_once('/') {
            Some((cluster, name)) => Self { cluster: Some(cluster.into()), name: name.into() },
            None => Self::of_own(text),
        }
    }
}

impl fmt::Display for Pod {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(cluster) = &self.cluster {
            out.write_str(cluster)?;
            out.write_str("/")?;
        }
        out.write_str(&self.name)
    }
}
