//! Which kinds are looked at: those whose objects have a status. What happens to them, Events say.

use shared::resource::Kind;

/// More clusters aren't looked at all at once, unless a reader chooses them.
pub(crate) const CLUSTERS_MAX: usize = 8;
/// More kinds than that aren't looked at: each costs the gateway a feed.
pub(super) const KINDS_MAX: usize = 80;

/// The kinds to look at, Kubernetes' own first, and how many there is no room for. `only_namespaced`: within chosen namespaces.
pub(super) fn looked_at(kinds: &[Kind], only_namespaced: bool) -> (Vec<&Kind>, usize) {
    let is_looked_at = |kind: &&Kind| {
        kind.status && kind.watch && kind.disabled.is_none() && (kind.namespaced || !only_namespaced)
    };
    let (own, custom): (Vec<&Kind>, Vec<&Kind>) =
        kinds.iter().filter(is_looked_at).partition(|kind| !kind.custom);
    let mut all: Vec<&Kind> = own.into_iter().chain(custom).collect();
    let left_out = all.len().saturating_sub(KINDS_MAX);
    all.truncate(KINDS_MAX);
    (all, left_out)
}

/// The kind that tells what happened.
pub(super) fn events(kinds: &[Kind]) -> Option<&Kind> {
    kinds.iter().find(|kind| kind.resource.is_core() && kind.resource.resource.as_str() == "events")
}
