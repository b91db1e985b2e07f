//! A stream that may not be had as a whole: a subscription for each namespace, as the page does it. Each part has a
//! token and a state of its own, and its events name its namespace.

use serde_json::{Map, Value, json};
use shared::column::Column;
use shared::digest;
use shared::frame::client::SubscriptionId;
use shared::frame::server::{Subscribed, Sync, ViewId};
use shared::name::Namespace;
use shared::resource_version::ResourceVersion;
use shared::row::Row;
use shared::scope::Namespaces;
use shared::state::{StateReport, UnixMillis};
use shared::token::Token;

use super::named::Named;
use super::{Translator, WHOLE};
use crate::limits::STREAM_PARTS_MAX;
use crate::since::Told;
use crate::stream::event::{About, EventType, StreamEvent};
use crate::stream::resume::Resume;

/// A subscription of the stream, to one namespace or to the whole.
pub(super) struct Part {
    /// `None`: the whole.
    pub(super) namespace: Option<Namespace>,
    pub(super) view: Option<ViewId>,
    pub(super) columns: Vec<Column>,
    /// The cluster, the columns and the epoch of the last answer, and the last cut.
    pub(super) token: Option<Token>,
    base: Option<Token>,
    /// The last frame wasn't a cut.
    pub(super) is_between_cuts: bool,
    pub(super) named: Named,
    /// Whether the client may hold something of it.
    pub(super) holds: bool,
    pub(super) report: Option<StateReport>,
    pub(super) synced_ms: UnixMillis,
}

/// How the view can be subscribed to, as the gateway's answer says.
pub(super) enum Split {
    Whole,
    Into(Vec<Namespace>),
}

impl Part {
    pub(super) fn of(namespace: Option<Namespace>) -> Self {
        Self {
            namespace,
            view: None,
            columns: Vec::new(),
            token: None,
            base: None,
            is_between_cuts: false,
            named: Named::default(),
            holds: false,
            report: None,
            synced_ms: 0,
        }
    }

    /// The client holds what an earlier stream sent up to here.
    pub(super) fn resume(&mut self, token: Option<Token>) {
        if let Some(token) = &token {
            (self.holds, self.named) = (true, Named::after(token.digest()));
        }
        self.token = token;
    }

    /// An event about this part.
    pub(super) fn event(&self, kind: EventType) -> StreamEvent {
        let event = StreamEvent::of(kind);
        match &self.namespace {
            Some(namespace) => event.with(&json!({ "namespaces": [namespace] })),
            None => event,
        }
    }

    /// The client begins with nothing. Returns the events for a client that held something.
    pub(super) fn forget(&mut self) -> Option<StreamEvent> {
        self.named = Named::default();
        (self.token, self.is_between_cuts) = (None, false);
        std::mem::take(&mut self.holds).then(|| self.event(EventType::Reset))
    }

    /// Takes over what is shown from now on.
    pub(super) fn answered(&mut self, answer: Subscribed) -> Option<StreamEvent> {
        let Subscribed { view, cluster, columns_hash, epoch, at, columns, .. } = answer;
        self.view = Some(view);
        self.columns = columns;
        let is_undecided = epoch.is_empty() && !cluster.is_empty();
        if is_undecided {
            return None;
        }
        let base = Token {
            cluster,
            columns: columns_hash,
            epoch,
            sequence: at.unwrap_or_default().to_string().into(),
            resource_version: self.token.take().map(|token| token.resource_version).unwrap_or_default(),
            digest: None,
        };
        self.base = Some(base.clone());
        if at.is_some() {
            self.token = Some(Token { digest: self.named.digest(), ..base });
            return None;
        }
        self.forget()
    }

    /// What was sent is a state that the cluster was in.
    /// `digest`: that of the rows that the client now holds, if it is known.
    pub(super) fn cut(&mut self, at: u64, resource_version: ResourceVersion, digest: Option<Box<str>>) {
        self.is_between_cuts = false;
        let base = self.base.clone();
        let sequence = at.to_string().into();
        self.token = base.map(|base| Token { sequence, resource_version, digest, ..base });
    }

    /// Takes over the digest of what was sent.
    pub(super) fn proven(&mut self, sync: &Sync) {
        if let Some(token) = self.token.as_mut().filter(|token| token.sequence() == Some(sync.at)) {
            self.named.proven(sync.digest.as_deref().and_then(digest::from_text));
            token.digest = sync.digest.clone().or(token.digest.take());
        }
    }

    pub(super) fn with_cells(&self, event: StreamEvent, row: &Row) -> StreamEvent {
        with_cells(event, &self.columns, row)
    }

    /// What the record told of this part, and isn't there any more now that its rows are whole.
    pub(super) fn settle(&self, told: &mut Told, version: &ResourceVersion) -> Vec<StreamEvent> {
        let within = |namespace: Option<&str>| {
            self.namespace.as_ref().is_none_or(|own| namespace == Some(own.as_str()))
        };
        let gone = told.settle(version, within, |row| self.named.has(row));
        let ended = |(id, place)| {
            let about = About { id, place, version: version.clone() };
            StreamEvent { about: Some(about), ..StreamEvent::of(EventType::Deleted) }
        };
        gone.into_iter().map(ended).collect()
    }
}

pub(super) fn with_cells(mut event: StreamEvent, columns: &[Column], row: &Row) -> StreamEvent {
    let cells: Map<String, Value> = columns
        .iter()
        .zip(&row.cells)
        .map(|(column, cell)| (column.name.to_string(), serde_json::to_value(cell).unwrap_or_default()))
        .collect();
    event.fields.insert("cells".to_owned(), cells.into());
    event.fields.extend(row.created.map(|created| ("created".to_owned(), created.into())));
    event
}

impl Translator {
    /// How to split a view that is refused as a whole: into the namespaces that were asked for, or those that the
    /// gateway names for a view of all. A single namespace isn't split, because the gateway finds a feed for it.
    pub(super) fn split_of(&self, answered: &Namespaces, is_refused: bool) -> Split {
        let asked = self.asked().unwrap_or(&Namespaces::All);
        match asked.parts(Some(answered), STREAM_PARTS_MAX).filter(|_| is_refused) {
            Some(names) => Split::Into(names.to_vec()),
            None => Split::Whole,
        }
    }

    /// The whole stays open where the gateway names the namespaces: it says when they change.
    pub(super) fn split(&mut self, answer: &Subscribed, names: Vec<Namespace>) {
        if self.asked().is_some_and(|asked| !asked.is_all()) {
            self.unsubscribe(answer.id);
            return self.split_by(names);
        }
        self.take_apart(names);
        if let Some(whole) = self.parts.get_mut(&WHOLE) {
            (whole.view, whole.report) = (None, None);
        }
    }

    /// Splits the view into these namespaces and ends the whole one.
    pub(super) fn split_by(&mut self, names: Vec<Namespace>) {
        self.take_apart(names);
        self.parts.remove(&WHOLE);
    }

    fn take_apart(&mut self, names: Vec<Namespace>) {
        let held = self.parts.get_mut(&WHOLE).and_then(Part::forget);
        held.into_iter().for_each(|event| self.say(event));
        self.close_parts(|namespace| names.contains(namespace));
        for name in names {
            if self.parts.values().any(|part| part.namespace.as_ref() == Some(&name)) {
                continue;
            }
            let mut part = Part::of(Some(name));
            part.resume(self.resumed.take(part.namespace.as_ref()));
            let id = self.next;
            self.next += 1;
            self.parts.insert(id, part);
            self.subscribe(id);
        }
        // What was held of other namespaces may not be seen any more.
        for (namespace, _) in std::mem::take(&mut self.resumed.parts) {
            self.say(Part::of(namespace).event(EventType::Reset));
        }
    }

    /// The view can be had as a whole again.
    pub(super) fn join(&mut self) {
        self.close_parts(|_| false);
    }

    fn close_parts(&mut self, stays: impl Fn(&Namespace) -> bool) {
        let goes = |part: &Part| part.namespace.as_ref().is_some_and(|namespace| !stays(namespace));
        let ids: Vec<SubscriptionId> =
            self.parts.iter().filter(|(_, part)| goes(part)).map(|(id, _)| *id).collect();
        for id in ids {
            self.unsubscribe(id);
            let reset = self.parts.remove(&id).and_then(|mut part| part.forget());
            reset.into_iter().for_each(|event| self.say(event));
        }
    }
}

impl Resume {
    /// The token of a part, once.
    pub(super) fn take(&mut self, namespace: Option<&Namespace>) -> Option<Token> {
        let place = self.parts.iter().position(|(known, _)| known.as_ref() == namespace)?;
        Some(self.parts.swap_remove(place).1)
    }

    /// Whether something was left.
    pub(super) fn clear(&mut self) -> bool {
        !std::mem::take(&mut self.parts).is_empty()
    }
}
