//! The requests that the machine makes. A slot holds one request at a time; the next one replaces it.

use std::fmt;

use shared::resource_version::ResourceVersion;

use crate::cluster::{Accept, ApiRequest, Selection};
use crate::feed::{FeedKey, Representation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestSlot {
    /// The list or the watch.
    Main,
    /// The requests for a proof, which run beside the watch.
    Proof,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// KEP-3157: the objects as synthetic events, a bookmark that ends them, then changes, in one stream.
    WatchList,
    Watch {
        from: ResourceVersion,
    },
    /// `limit: None` is the whole list in one answer.
    List {
        /// The list of exactly this version; `None`: the most recent. A page's token carries its own
        /// version.
        at: Option<ResourceVersion>,
        limit: Option<u32>,
        next: Option<String>,
    },
    /// A consistent list of at most one object, whose resourceVersion is the cluster's latest.
    Proof {
        /// Ask for a table, because a custom resource's columns change without a watch event.
        columns: bool,
    },
}

impl Request {
    #[must_use]
    pub fn is_stream(&self) -> bool {
        matches!(self, Self::WatchList | Self::Watch { .. })
    }

    /// Whether the answer begins a list, which carries its own columns.
    #[must_use]
    pub fn begins_list(&self) -> bool {
        matches!(self, Self::WatchList | Self::List { next: None, .. })
    }

    #[must_use]
    pub fn to_api(&self, key: &FeedKey) -> ApiRequest {
        let request = self.to_any_api(key);
        match key.representation {
            Representation::Object => request,
            // The server's second choice would be the whole object, with the values of Secrets.
            Representation::Metadata => request.without_second_choice(),
        }
    }

    fn to_any_api(&self, key: &FeedKey) -> ApiRequest {
        let selection = Selection {
            resource: key.resource.clone(),
            namespace: key.namespace.clone(),
            name: key.name.clone(),
            fields: key.fields.clone(),
        };
        let included = match key.representation {
            Representation::Object => "Object",
            Representation::Metadata => "Metadata",
        };
        let table = || ApiRequest::objects(&selection, Accept::Table).with("includeObject", included);
        match self {
            Self::WatchList => table()
                .watched()
                .compressed()
                .with("sendInitialEvents", "true")
                .with("resourceVersionMatch", "NotOlderThan")
                .with("allowWatchBookmarks", "true"),
            Self::Watch { from } => {
                table().watched().with("resourceVersion", from.as_str()).with("allowWatchBookmarks", "true")
            }
            Self::List { at, limit, next } => {
                let mut request = table();
                if let Some(at) = at {
                    request =
                        request.with("resourceVersion", at.as_str()).with("resourceVersionMatch", "Exact");
                }
                if let Some(limit) = limit {
                    request = request.with("limit", &limit.to_string());
                }
                if let Some(next) = next {
                    request = request.with("continue", next);
                }
                request
            }
            Self::Proof { columns: false } => {
                ApiRequest::objects(&selection, Accept::MetadataList).with("limit", "1")
            }
            Self::Proof { columns: true } => ApiRequest::objects(&selection, Accept::Table)
                .with("includeObject", "None")
                .with("limit", "1"),
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WatchList => f.write_str("watchlist"),
            Self::Watch { from } => write!(f, "watch from {from}"),
            Self::List { at, limit, next } => {
                f.write_str(if limit.is_some() { "list" } else { "list whole" })?;
                at.as_ref().map_or(Ok(()), |at| write!(f, " of {at}"))?;
                next.as_ref().map_or(Ok(()), |next| write!(f, " continue {next}"))
            }
            Self::Proof { .. } => f.write_str("proof"),
        }
    }
}
