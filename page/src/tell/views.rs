//! The views that are open for a question: that of its rows, or one of each kind of what is wrong. Never what is asked of them.

use std::rc::Rc;

use replica::client::ViewKey;
use replica::freshness::{self, Freshness};
use replica::now::Now;
use shared::custom_column::CustomColumns;
use shared::frame::client::RowDetail;
use shared::resource::Kind;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::part::{Asked, Subject};
use crate::table_view::{Client, View};
use crate::wrong::{Place, WrongViews, follow, is_refused};

pub(super) enum Views {
    Rows(ViewKey),
    Wrong(Box<WrongViews>),
}

/// A view that is proven now.
pub(super) struct Shown<'a> {
    /// The kind, where the question has many.
    pub(super) kind: Option<Rc<Kind>>,
    pub(super) view: &'a View,
    pub(super) state: Freshness,
}

impl Shown<'_> {
    pub(super) fn row(&self, id: RowId) -> Option<&Row> {
        let table = self.view.table();
        Some(table.entry(table.slot_of(id)?)?.row())
    }

    pub(super) fn proven_ms(&self) -> Option<UnixMillis> {
        match self.state.of_rows() {
            Freshness::Live { proven_ms } | Freshness::Polled { proven_ms, .. } => Some(*proven_ms),
            _ => None,
        }
    }
}

impl Views {
    pub(super) fn open(subject: &Subject, columns: CustomColumns, client: &mut Client, now: Now) -> Self {
        match &subject.asked {
            Asked::Rows(scope) => {
                let of = (columns, RowDetail::Changes);
                Self::Rows(client.open_at(scope.clone(), &subject.clusters, of, None, now))
            }
            Asked::Wrong(_) => {
                let mut views = Self::Wrong(Box::default());
                views.follow(subject, client, now);
                views
            }
        }
    }

    /// Once a second: kinds may have come and gone. Returns the views that aren't needed any more.
    pub(super) fn follow(&mut self, subject: &Subject, client: &mut Client, now: Now) -> Vec<ViewKey> {
        match (self, &subject.asked) {
            (Self::Wrong(views), Asked::Wrong(namespaces)) => {
                let (clusters, namespaces) = (subject.clusters.clone(), namespaces.clone());
                follow(views, &Place { clusters, namespaces, at_ms: None }, client, now)
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn keys(&self) -> Vec<ViewKey> {
        match self {
            Self::Rows(key) => vec![*key],
            Self::Wrong(views) => views.keys().collect(),
        }
    }

    /// `Err`: since when what is asked about isn't proven as a whole. What its reader may not list isn't part of it.
    pub(super) fn proven<'a>(
        &self,
        client: &'a Client,
        now_ms: UnixMillis,
    ) -> Result<Vec<Shown<'a>>, UnixMillis> {
        let views: Vec<(Option<Rc<Kind>>, ViewKey)> = match self {
            Self::Rows(key) => vec![(None, *key)],
            Self::Wrong(views) => views.views.iter().map(|of| (Some(Rc::clone(&of.kind)), of.key)).collect(),
        };
        let mut shown = Vec::new();
        for (kind, key) in views {
            let Some(view) = client.view(key) else { continue };
            let state = freshness::of(client, view, now_ms);
            if kind.is_some() && is_refused(&state) {
                continue;
            }
            if !state.is_current() || !view.table().is_whole() {
                return Err(state.stale_ms().unwrap_or(now_ms));
            }
            shown.push(Shown { kind, view, state });
        }
        if shown.is_empty() { Err(now_ms) } else { Ok(shown) }
    }
}
