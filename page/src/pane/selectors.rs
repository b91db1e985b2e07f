//! Selectors by labels and by fields: written in a chip, evaluated by the gateway and by the API server.
//! While one of labels is written, the labels of the view's objects are asked for; while one of fields, what
//! the definition of a custom kind declares. Nobody else pays for them.

use crate::messages;
use crate::query::fields::{complete_fields, declared, declared_path};
use crate::query::labels::{LABELS_PATH, SeenLabels, check_labels};
use crate::table_view::Client;
use replica::client::ViewKey;
use replica::now::Now;
use shared::custom_column::{CustomColumn, CustomColumns};
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::selector::FieldSelector;

use super::Pane;
use super::completion::suggestions;
use crate::action::{SelectorAction, SelectorKind};
use crate::model::{Selector, Selectors, Suggestions};

pub(crate) struct Editing {
    kind: SelectorKind,
    text: String,
    caret: usize,
    error: String,
    suggestions: Option<Suggestions>,
    /// The objects whose labels are offered, or the definition whose fields are.
    seen: Option<ViewKey>,
}

impl Pane {
    pub(super) fn update_selector(&mut self, client: &mut Client, action: SelectorAction, now: Now) {
        match action {
            SelectorAction::Edit(kind) => self.edit(client, kind, now),
            SelectorAction::Cancel => self.stop_editing(client),
            SelectorAction::Typed(text, caret) => {
                if let Some(editing) = &mut self.screen.selector {
                    (editing.text, editing.caret) = (text, caret);
                    editing.error.clear();
                }
                self.suggest_selector(client);
            }
            SelectorAction::Apply(text) => self.apply_selector(client, &text),
            SelectorAction::Remove(kind) => self.remove_selector(kind),
        }
    }

    fn remove_selector(&mut self, kind: SelectorKind) {
        match kind {
            SelectorKind::Labels => self.place.labels = None,
            SelectorKind::Fields => self.place.fields = None,
        }
        self.screen.asks_anew = true;
    }

    fn edit(&mut self, client: &mut Client, kind: SelectorKind, now: Now) {
        self.stop_editing(client);
        let text = match kind {
            SelectorKind::Labels => self.place.labels.as_ref().map(ToString::to_string),
            SelectorKind::Fields => self.place.fields.as_ref().map(|fields| fields.as_str().to_owned()),
        };
        let text = text.unwrap_or_default();
        let seen = match kind {
            SelectorKind::Labels => self.open_labels(client, now),
            SelectorKind::Fields => self.open_definition(client, now),
        };
        let caret = text.len();
        let (error, suggestions) = (String::new(), None);
        self.screen.selector = Some(Editing { kind, text, caret, error, suggestions, seen });
        self.suggest_selector(client);
    }

    /// Of all objects in these namespaces, whatever the selector says of them now.
    fn open_labels(&self, client: &mut Client, now: Now) -> Option<ViewKey> {
        let scope = self.displayed.live(client)?.subscription().scope();
        let scope = Scope { labels: None, ..scope.clone() };
        open_column(client, scope, LABELS_PATH, now)
    }

    fn open_definition(&self, client: &mut Client, now: Now) -> Option<ViewKey> {
        let kind = self.kind().filter(|kind| kind.custom)?;
        let scope = Scope {
            cluster: self.displayed.live(client)?.subscription().scope().cluster.clone(),
            resource: Resource::parse("apiextensions.k8s.io", "v1", "customresourcedefinitions").ok()?,
            namespaces: Namespaces::All,
            name: None,
            labels: None,
            fields: FieldSelector::parse(&format!("metadata.name={}", kind.resource)).ok(),
        };
        open_column(client, scope, &declared_path(&kind.resource.version), now)
    }

    pub(super) fn stop_editing(&mut self, client: &mut Client) {
        let seen = self.screen.selector.take().and_then(|editing| editing.seen);
        if let Some(key) = seen {
            client.close(key);
        }
    }

    /// Rows came of what is asked for while a selector is written.
    pub(crate) fn seen_came(&mut self, client: &Client, key: ViewKey) {
        if self.screen.selector.as_ref().is_some_and(|editing| editing.seen == Some(key)) {
            self.suggest_selector(client);
        }
    }

    fn suggest_selector(&mut self, client: &Client) {
        let kind = self.kind().cloned();
        let Some(editing) = &mut self.screen.selector else { return };
        let (text, caret) = (&editing.text, editing.caret);
        let seen = editing.seen.and_then(|key| client.view(key));
        editing.suggestions = match editing.kind {
            SelectorKind::Labels => {
                seen.and_then(|view| suggestions(text, &SeenLabels::of(view.table()).complete(text, caret)))
            }
            SelectorKind::Fields => kind.and_then(|kind| {
                let declared = seen.map(|view| declared(view.table())).unwrap_or_default();
                suggestions(text, &complete_fields(text, caret, &kind, &declared))
            }),
        };
    }

    fn apply_selector(&mut self, client: &mut Client, text: &str) {
        let Some(kind) = self.screen.selector.as_ref().map(|editing| editing.kind) else { return };
        let text = text.trim();
        let applied = match kind {
            _ if text.is_empty() => {
                self.stop_editing(client);
                return self.remove_selector(kind);
            }
            SelectorKind::Labels => check_labels(text)
                .map(|labels| self.place.labels = Some(labels))
                .map_err(|(why, place)| messages::selector_unread(&why, text.get(place).unwrap_or_default())),
            SelectorKind::Fields => FieldSelector::parse(text)
                .map(|fields| self.place.fields = Some(fields))
                .map_err(|problem| messages::sentence(&problem.message)),
        };
        match applied {
            Ok(()) => {
                self.stop_editing(client);
                self.screen.asks_anew = true;
            }
            Err(why) => {
                if let Some(editing) = &mut self.screen.selector {
                    editing.error = why;
                    editing.suggestions = None;
                }
            }
        }
    }

    pub(super) fn selectors(&self) -> Selectors {
        let chip = |kind, text: String, is_fields| Selector {
            kind,
            text,
            word: if is_fields { messages::SELECTOR_FIELDS } else { messages::SELECTOR_LABELS },
            place: if is_fields { messages::SELECTOR_FIELDS_WHERE } else { messages::SELECTOR_LABELS_WHERE },
        };
        let labels =
            self.place.labels.as_ref().map(|labels| chip(SelectorKind::Labels, labels.to_string(), false));
        let fields = self.place.fields.as_ref();
        let fields = fields.map(|fields| chip(SelectorKind::Fields, fields.as_str().to_owned(), true));
        let editing = self.screen.selector.as_ref();
        Selectors {
            chips: labels.into_iter().chain(fields).collect(),
            editing: editing.map(|editing| editing.kind),
            text: editing.map(|editing| editing.text.clone()).unwrap_or_default(),
            error: editing.map(|editing| editing.error.clone()).unwrap_or_default(),
        }
    }

    pub(super) fn selector_suggestions(&self) -> Option<Suggestions> {
        self.screen.selector.as_ref()?.suggestions.clone()
    }
}

/// The objects of a scope with one column more, which nobody sees.
fn open_column(client: &mut Client, scope: Scope, path: &str, now: Now) -> Option<ViewKey> {
    let column = CustomColumn::parse("SEEN", path).ok()?;
    let columns = CustomColumns::these(vec![column]).ok()?;
    Some(client.open_with(scope, columns, now))
}
