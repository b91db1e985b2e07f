//! The kinds of several clusters.

use std::borrow::Cow;

use shared::frame::server::Cluster;
use shared::resource::Kind;

use crate::table_view::Client;

/// Those of the first cluster, then what the others have besides. `None` before discovery.
pub(crate) fn kinds_of<'a>(clusters: &[&Cluster], client: &'a Client) -> Option<Cow<'a, [Kind]>> {
    let mut of_each = clusters.iter().filter_map(|cluster| client.kinds_of(Some(&cluster.name)));
    let mut all = Cow::Borrowed(&*of_each.next()?.kinds);
    for kinds in of_each {
        let missing = |kind: &&Kind| !all.iter().any(|held| held.resource == kind.resource);
        let missing: Vec<Kind> = kinds.kinds.iter().filter(missing).cloned().collect();
        if !missing.is_empty() {
            all.to_mut().extend(missing);
        }
    }
    Some(all)
}
