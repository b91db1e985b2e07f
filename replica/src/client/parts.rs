//! A table of several namespaces where the cluster may not be listed as a whole: a subscription for each
//! of them, which the gateway serves from a feed of its own, and their rows in one table. Each part keeps
//! its chain, its token, its digest and its state. Never one state for all: that is freshness's.

mod summary;

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::column::Column;
use shared::frame::server::Rows;
use shared::name::Namespace;
use shared::resource_version::ResourceVersion;
use shared::scope::{Namespaces, Scope};
use shared::state::ViewState;

use super::viewed::Viewed;
use super::{Client, Output, ViewKey};
use crate::limits::PARTS_MAX;
use crate::now::Now;
use crate::observer::RowObserver;
use crate::source::Source;
use crate::subscription::{Phase, Subscription};
use crate::table::{Broken, Delta};
use crate::view::View;
use summary::Summary;

/// One namespace of a view.
#[derive(Debug)]
pub(crate) struct Part {
    pub(super) of: ViewKey,
    pub(crate) source: Source,
    /// The columns under which its rows stand in the view's table. They don't stand there while it is
    /// refused, nor while the view has other columns.
    shown: Option<Arc<[Column]>>,
}

impl Part {
    fn new(of: ViewKey, subscription: Subscription) -> Self {
        Self { of, source: Source::new(subscription), shown: None }
    }

    pub(crate) fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    pub(crate) fn namespace(&self) -> Option<&Namespace> {
        self.source.subscription.scope().namespaces.only()
    }

    /// Moves by a frame, as any table does; the answer is what the view's table has to follow.
    pub(super) fn apply(&mut self, frame: Rows) -> Result<Option<Rows>, Broken> {
        let delta = self.source.table.apply(frame)?;
        // Under other columns it is for the view to begin anew.
        let follows = self.shown.as_ref() == Some(self.source.table.columns());
        let news = follows.then(|| self.news(&delta));
        for slot in delta.removed {
            self.source.table.remove_tombstone(slot);
        }
        Ok(news)
    }

    fn news(&self, delta: &Delta) -> Rows {
        let table = &self.source.table;
        let row = |slot| Some(table.entry(slot)?.row());
        let moved = delta.added.iter().copied().chain(delta.changed.iter().map(|changed| changed.slot));
        Rows {
            put: moved.filter_map(row).cloned().collect(),
            delete: delta.removed.iter().copied().filter_map(row).map(|row| row.id).collect(),
            resource_version: self.resource_version(),
            gap: delta.gap.clone(),
            ..Rows::default()
        }
    }

    /// Its rows come into a view with these columns, or leave it.
    fn turn(&mut self, columns: &Arc<[Column]>, news: &mut Rows) {
        let table = &self.source.table;
        let shows = self.source.shows_rows() && table.columns() == columns;
        match (&self.shown, shows) {
            (None, true) => news.put.extend(table.rows().cloned()),
            (Some(_), false) => news.delete.extend(table.rows().map(|row| row.id)),
            _ => return,
        }
        news.resource_version = self.resource_version();
        self.shown = shows.then(|| columns.clone());
    }

    fn resource_version(&self) -> ResourceVersion {
        self.source.table.token().map(|token| token.resource_version.clone()).unwrap_or_default()
    }
}

impl<O: RowObserver> Client<O> {
    /// After every input: what may not be had as a whole is asked for in parts, and views follow theirs.
    pub(super) fn tend_parts(&mut self, now: Now) {
        let keys = |client: &Self, wanted: fn(&Subscription) -> bool| -> Vec<ViewKey> {
            client.views().filter(|(_, view)| wanted(view.subscription())).map(|(key, _)| key).collect()
        };
        for key in keys(self, is_refused_as_a_whole) {
            self.split(key, now);
        }
        for key in keys(self, |subscription| !subscription.parts().is_empty()) {
            self.follow(key, now);
        }
    }

    /// The parts of a view; none where it is had as a whole.
    pub(crate) fn parts(&self, view: &View<O>) -> impl Iterator<Item = &Part> {
        view.subscription().parts().iter().filter_map(|key| match self.views.get(key) {
            Some(Viewed::Part(part)) => Some(&**part),
            _ => None,
        })
    }

    /// What the driver knows a view by.
    pub(super) fn driven(&self, key: ViewKey) -> ViewKey {
        match self.views.get(&key) {
            Some(Viewed::Part(part)) => part.of,
            _ => key,
        }
    }

    fn split(&mut self, key: ViewKey, now: Now) {
        let Some(view) = self.view_mut(key) else { return };
        let subscription = view.subscription();
        let (scope, asked_ms) = (subscription.scope().clone(), subscription.asked_ms());
        let own = subscription.columns().clone();
        let Namespaces::These(names) = &scope.namespaces else { return };
        let open = subscription.wire_id();
        let columns = view.table().columns().clone();
        view.table_mut().begin_anew(columns);
        if !view.table().is_empty() {
            // The right to them has ended; those that are still allowed come again with the parts.
            self.withdraw(key, Rows::default(), now);
        }
        if let Some(id) = open {
            self.unsubscribe(id);
        }
        let mut parts = Vec::with_capacity(names.len());
        for name in names {
            let scope = Scope { namespaces: Namespaces::These(vec![name.clone()]), ..scope.clone() };
            let subscription = Subscription::new(scope, asked_ms).with_columns(own.clone());
            parts.push(self.add(Viewed::Part(Box::new(Part::new(key, subscription)))));
        }
        if let Some(view) = self.view_mut(key) {
            view.source.subscription.phase = Phase::Split { parts };
        }
    }

    fn follow(&mut self, key: ViewKey, now: Now) {
        let Some(view) = self.view(key) else { return };
        let (mut columns, is_whole) = (view.table().columns().clone(), view.table().is_whole());
        let mut parts: Vec<&mut Part> = parts_of(&mut self.views, key).collect();
        let other = taken_up(&parts, &columns);
        if let Some(other) = &other {
            columns = other.clone();
            parts.iter_mut().for_each(|part| part.shown = None);
        }
        let mut news = Rows::default();
        for part in &mut parts {
            part.turn(&columns, &mut news);
        }
        let is_loading = parts.iter().any(|part| part.source.is_loading());
        let summary = Summary::of(&parts);
        let Some(view) = self.view_mut(key) else { return };
        summary.tell(&mut view.source.subscription);
        let begins_anew = other.is_some() && !view.table().is_empty();
        if other.is_some() {
            view.table_mut().begin_anew(columns);
        }
        let has_news = !news.put.is_empty() || !news.delete.is_empty();
        if has_news || begins_anew || !(is_whole || is_loading) {
            self.withdraw(key, news, now);
        }
    }

    /// What the parts say, in the one table; no gateway counts for that one.
    pub(super) fn show(&mut self, key: ViewKey, news: Rows, now: Now) -> Option<Delta> {
        let more = parts_of(&mut self.views, key).any(|part| part.source.is_loading());
        let view = self.view_mut(key)?;
        let from = view.table().position()?;
        view.apply(Rows { from, to: from + 1, more, ..news }, now.now_ms).ok()
    }

    /// Rows that leave without having been deleted leave nothing behind.
    fn withdraw(&mut self, key: ViewKey, news: Rows, now: Now) {
        let Some(mut delta) = self.show(key, news, now) else { return };
        if let Some(view) = self.view_mut(key) {
            view.remove_tombstones(&std::mem::take(&mut delta.removed));
        }
        self.outputs.push_back(Output::Rows(key, Box::new(delta)));
    }
}

fn parts_of<O>(views: &mut BTreeMap<ViewKey, Viewed<O>>, key: ViewKey) -> impl Iterator<Item = &mut Part> {
    views.values_mut().filter_map(move |view| match view {
        Viewed::Part(part) if part.of == key => Some(&mut **part),
        _ => None,
    })
}

/// A single namespace the gateway serves from a feed of its own by itself.
fn is_refused_as_a_whole(subscription: &Subscription) -> bool {
    let is_forbidden =
        matches!(subscription.report().map(|report| &report.state), Some(ViewState::Forbidden { .. }));
    let names = match &subscription.scope().namespaces {
        Namespaces::These(names) => names.len(),
        Namespaces::All => 0,
    };
    is_forbidden && subscription.wire_id().is_some() && (2..=PARTS_MAX).contains(&names)
}

/// The columns that the view takes up: those of a part whose rows stand there and which has changed them,
/// or the first that there are. Parts with others wait until they have them too.
fn taken_up(parts: &[&mut Part], columns: &Arc<[Column]>) -> Option<Arc<[Column]>> {
    let counting: Vec<&&mut Part> = parts.iter().filter(|part| part.source.shows_rows()).collect();
    let is_free = !counting.iter().any(|part| part.is_shown());
    let other = counting.into_iter().find(|part| {
        let theirs = part.source.table.columns();
        !theirs.is_empty() && (is_free || part.is_shown()) && theirs != columns
    })?;
    Some(other.source.table.columns().clone())
}

#[cfg(test)]
mod tests;
