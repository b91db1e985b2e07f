//! Label and field selectors: a reader types them in a chip; the gateway and the API server evaluate them.
//! While a reader types a label selector, the page subscribes to the labels of the view's objects; while they
//! type a field selector of a custom kind, to its definition. At other times to neither.

use crate::cx::Cx;
use crate::location::Location;
use crate::messages;
use crate::query::fields::declared_path;
use crate::query::labels::{LABELS_PATH, check_labels};
use replica::client::ViewKey;
use shared::custom_column::{CustomColumn, CustomColumns};
use shared::frame::client::RowDetail;
use shared::name::ClusterName;
use shared::resource::{Kind, Resource};
use shared::scope::{Namespaces, Scope};
use shared::selector::FieldSelector;

use super::displayed::{Displayed, Rows};
use crate::action::{PaneAction, SelectorAction, SelectorKind};
use crate::model::{Selector, Selectors, Suggestions};

/// The selector that the reader types, if any.
#[derive(Default)]
pub(super) struct SelectorEditor {
    editing: Option<Editing>,
    /// What was typed into the filter, and where the caret stood, before what completes both had come.
    filter: Option<(String, usize)>,
}

/// The open chip: the text so far, why it can't be read, and what may follow. Only [`SelectorEditor`] changes it.
struct Editing {
    kind: SelectorKind,
    text: String,
    caret: usize,
    error: String,
    suggestions: Option<Suggestions>,
    /// The view whose labels are offered, or whose definition declares fields.
    source: Option<ViewKey>,
}

impl SelectorEditor {
    /// Answers whether the place has other selectors now, so that another view has to be opened.
    pub(super) fn update(
        &mut self,
        displayed: &Displayed,
        place: &mut Location,
        action: SelectorAction,
        cx: &mut Cx,
    ) -> bool {
        let kind = displayed.kind().map(|kind| &**kind);
        match action {
            SelectorAction::Edit(edited) => {
                let scope = displayed.rows(cx).and_then(|rows| source_scope(edited, &rows));
                self.edit(edited, text_of(place, edited).unwrap_or_default(), scope, cx);
                self.suggest(kind, cx);
            }
            SelectorAction::Cancel => self.close(cx),
            SelectorAction::Typed(text, caret) => {
                if let Some(editing) = &mut self.editing {
                    (editing.text, editing.caret) = (text, caret);
                    editing.error.clear();
                }
                self.suggest(kind, cx);
            }
            SelectorAction::Taken(text, caret) => {
                if ends_selector(&text, caret) {
                    return self.apply(place, text.trim(), cx);
                }
                return self.update(displayed, place, SelectorAction::Typed(text, caret), cx);
            }
            SelectorAction::Apply(text) => return self.apply(place, text.trim(), cx),
            SelectorAction::Left(text) => {
                let kind = self.editing.as_ref().map(|editing| editing.kind);
                let is_other = |kind| text_of(place, kind).unwrap_or_default() != text.trim();
                if kind.is_some_and(is_other) {
                    return self.apply(place, text.trim(), cx);
                }
                self.close(cx);
            }
            SelectorAction::Remove(kind) => {
                remove(place, kind);
                return true;
            }
        }
        false
    }

    fn edit(
        &mut self,
        kind: SelectorKind,
        text: String,
        source: Option<(Scope, Vec<ClusterName>, String)>,
        cx: &mut Cx,
    ) {
        self.close(cx);
        let source = source.and_then(|(scope, clusters, path)| open_column((scope, &clusters), &path, cx));
        let caret = text.len();
        self.editing = Some(Editing { kind, text, caret, error: String::new(), suggestions: None, source });
    }

    pub(super) fn close(&mut self, cx: &mut Cx) {
        if let Some(key) = self.editing.take().and_then(|editing| editing.source) {
            cx.client.close(key);
        }
    }

    /// Rows came. If their labels or fields are offered, the suggestions change.
    pub(super) fn rows_came(&mut self, displayed: &Displayed, key: ViewKey, cx: &Cx) {
        if self.editing.as_ref().is_some_and(|editing| editing.source == Some(key)) {
            self.suggest(displayed.kind().map(|kind| &**kind), cx);
        }
    }

    /// What is offered comes with a piece of the program.
    pub(super) fn needs_more(&self) -> bool {
        self.editing.is_some() || self.filter.is_some()
    }

    /// That text of the filter waits for it. `None`: nothing does.
    pub(super) fn wait(&mut self, filter: Option<(String, usize)>) {
        self.filter = filter;
    }

    /// That piece has come. Returns what the reader did before, which the page does now.
    pub(super) fn more_came(&mut self, displayed: &Displayed, cx: &Cx) -> Option<PaneAction> {
        self.suggest(displayed.kind().map(|kind| &**kind), cx);
        self.filter.take().map(|typed| PaneAction::Complete(Some(typed)))
    }

    fn suggest(&mut self, kind: Option<&Kind>, cx: &Cx) {
        let Some(editing) = &mut self.editing else { return };
        let source = editing.source.and_then(|key| cx.client.view(key)).map(|view| view.table());
        editing.suggestions = cx.more.and_then(|more| {
            (more.offered.selector)(editing.kind, (&editing.text, editing.caret), source, kind)
        });
    }

    fn apply(&mut self, place: &mut Location, text: &str, cx: &mut Cx) -> bool {
        let Some(editing) = &mut self.editing else { return false };
        let applied = match editing.kind {
            kind if text.is_empty() => {
                remove(place, kind);
                Ok(())
            }
            SelectorKind::Labels => check_labels(text)
                .map(|labels| place.labels = Some(labels))
                .map_err(|(why, part)| messages::selector_unread(&why, text.get(part).unwrap_or_default())),
            SelectorKind::Fields => FieldSelector::parse(text)
                .map(|fields| place.fields = Some(fields))
                .map_err(|problem| messages::sentence(&problem.message)),
        };
        if let Err(why) = applied {
            (editing.error, editing.suggestions) = (why, None);
            return false;
        }
        self.close(cx);
        true
    }

    pub(super) fn model(&self, place: &Location) -> (Selectors, Option<Suggestions>) {
        let kinds = [
            (SelectorKind::Labels, messages::SELECTOR_LABELS, messages::SELECTOR_LABELS_WHERE),
            (SelectorKind::Fields, messages::SELECTOR_FIELDS, messages::SELECTOR_FIELDS_WHERE),
        ];
        let chip = |(kind, word, evaluated)| {
            Some(Selector { kind, text: text_of(place, kind)?, word, place: evaluated })
        };
        let editing = self.editing.as_ref();
        let selectors = Selectors {
            chips: kinds.into_iter().filter_map(chip).collect(),
            editing: editing.map(|editing| editing.kind),
            text: editing.map(|editing| editing.text.clone()).unwrap_or_default(),
            error: editing.map(|editing| editing.error.clone()).unwrap_or_default(),
        };
        (selectors, editing.and_then(|editing| editing.suggestions.clone()))
    }
}

/// What was taken is the last part of the selector, and a value: behind a key `=` waits for one.
fn ends_selector(text: &str, caret: usize) -> bool {
    caret == text.len() && !text.ends_with('=')
}

fn text_of(place: &Location, kind: SelectorKind) -> Option<String> {
    match kind {
        SelectorKind::Labels => place.labels.as_ref().map(ToString::to_string),
        SelectorKind::Fields => place.fields.as_ref().map(|fields| fields.as_str().to_owned()),
    }
}

fn remove(place: &mut Location, kind: SelectorKind) {
    match kind {
        SelectorKind::Labels => place.labels = None,
        SelectorKind::Fields => place.fields = None,
    }
}

/// The scope whose rows have what is offered, and the path to it: all objects of the view without its label
/// selector, or the definition of a custom kind.
fn source_scope(kind: SelectorKind, rows: &Rows<'_>) -> Option<(Scope, Vec<ClusterName>, String)> {
    let subscription = rows.live.subscription();
    let (scope, clusters) = (&subscription.scope, subscription.clusters.clone());
    match kind {
        SelectorKind::Labels => {
            Some((Scope { labels: None, ..scope.clone() }, clusters, LABELS_PATH.to_owned()))
        }
        SelectorKind::Fields if rows.kind.custom => {
            let scope = Scope {
                cluster: scope.cluster.clone(),
                resource: Resource::parse("apiextensions.k8s.io", "v1", "customresourcedefinitions").ok()?,
                namespaces: Namespaces::All,
                name: None,
                labels: None,
                fields: FieldSelector::parse(&format!("metadata.name={}", rows.kind.resource)).ok(),
            };
            Some((scope, clusters, declared_path(&rows.kind.resource.version)))
        }
        SelectorKind::Fields => None,
    }
}

/// Opens a scope with one column more, which isn't shown.
fn open_column((scope, clusters): (Scope, &[ClusterName]), path: &str, cx: &mut Cx) -> Option<ViewKey> {
    let column = CustomColumn::parse("SEEN", path).ok()?;
    let columns = CustomColumns::these(vec![column]).ok()?;
    Some(cx.client.open_clusters(scope, clusters, (columns, RowDetail::Changes), cx.now))
}
