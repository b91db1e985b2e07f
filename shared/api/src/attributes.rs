//! What an authorizer is asked.

/// What a user wants to do: a question for the authorizer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes<'a> {
    pub verb: &'a str,
    pub requested: Requested<'a>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requested<'a> {
    Resource {
        group: &'a str,
        resource: &'a str,
        subresource: &'a str,
        /// Empty: the whole cluster.
        namespace: &'a str,
        /// Empty: no object in particular.
        name: &'a str,
    },
    /// Anything else, such as `/healthz`.
    Path(&'a str),
}

impl Requested<'_> {
    pub fn namespace(&self) -> &str {
        match self {
            Self::Resource { namespace, .. } => namespace,
            Self::Path(_) => "",
        }
    }
}
