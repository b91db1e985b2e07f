//! Questions as the preferences keep them: each as the link of its view that carries it, without what only the table shows.
//! They are asked again when the page opens. Never what was told.

use shared::scope::Scope;

use super::draft::Draft;
use super::linked::{self, LinkedDraft};
use super::part::Subject;
use super::subjects::{of_object, of_view, of_wrong};
use crate::address::{self, Look, Pane};
use crate::location::Location;
use crate::panel::Wanted;
use crate::preferences::QUESTION_BYTES_MAX;
use crate::table_view::Client;

#[derive(Debug)]
pub(super) struct Unreadable;

/// `None`: the question is longer than any that is kept.
pub(super) fn text(subject: &Subject, draft: &Draft) -> Option<Box<str>> {
    let pane = pane_of(&subject.link)?;
    let Location { resource, cluster, place, labels, fields, panel, .. } = pane.location;
    let location = Location { resource, cluster, place, labels, fields, panel, ..Location::default() };
    let kept = linked::with(&Pane { location, ..pane }.href(), draft, subject.is_single);
    (kept.len() <= QUESTION_BYTES_MAX).then(|| kept.into())
}

/// A question as it was kept. `Ok(None)`: what it is about isn't known yet.
///
/// # Errors
/// [`Unreadable`]: another version kept it.
pub(super) fn read(kept: &str, client: &Client) -> Result<Option<(Subject, Draft)>, Unreadable> {
    let pane = pane_of(kept).ok_or(Unreadable)?;
    let question = address::question_of(kept);
    let LinkedDraft { draft, is_of_view } = linked::read(question).map_err(|_| Unreadable)?;
    Ok(subject(&pane, is_of_view, client).map(|subject| (subject, draft)))
}

fn subject(pane: &Pane, is_of_view: bool, client: &Client) -> Option<Subject> {
    let location = &pane.location;
    let served = client.clusters();
    if served.is_empty() {
        return None;
    }
    let clusters = location.clusters(served);
    let panel = location.panel.as_ref().filter(|_| !is_of_view);
    if pane.look == Look::Wrong && panel.is_none() {
        return Some(of_wrong(pane, (&clusters, client)));
    }
    let resource = panel.and_then(|panel| panel.resource.as_ref()).unwrap_or(&location.resource);
    let kind = Wanted::kind_of(client, resource, clusters.first())?;
    match panel {
        Some(panel) => of_object(panel, Some(&kind), pane, (&clusters, client)),
        None => {
            let cluster = match clusters.as_slice() {
                [only] => client.in_scope(only),
                _ => None,
            };
            let scope = Scope {
                cluster,
                namespaces: location.namespaces(&[]),
                labels: location.labels.clone(),
                fields: location.fields.clone(),
                ..Scope::all(kind.resource.clone())
            };
            Some(of_view(pane, &kind, scope, (&clusters, client)))
        }
    }
}

fn pane_of(link: &str) -> Option<Pane> {
    address::parse(link).0.panes.into_iter().next()
}

/// A hash of the reader's name, so that a reader who signs in to the same browser doesn't have those of another one. The name itself
/// isn't kept (FNV-1a of 64 bits).
pub(super) fn asker(user: &str) -> Box<str> {
    let hash = user.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}").into()
}
