//! The namespaces of the active pane, and the picker that chooses others. The cluster's namespaces are watched while
//! the picker or "go to" is open; where they can't be listed, those that rows name are known.

use replica::client::ViewKey;
use replica::freshness;
use replica::now::Now;
use shared::name::Namespace;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;

use crate::action::NamespaceAction;
use crate::limits::NAMESPACES_SHOWN_MAX;
use crate::messages;
use crate::table_view::Client;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamespaceList {
    /// The namespaces of the active pane.
    pub chosen: Namespaces,
    /// The active pane's kind has no namespaces.
    pub is_cluster_scoped: bool,
    /// The open picker.
    pub picker: Option<PickerModel>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PickerModel {
    pub typed: String,
    pub options: Vec<NamespaceOption>,
    /// The option that the Enter key takes.
    pub active: Option<usize>,
    /// How many names there are, or why there are none.
    pub note: String,
    /// Why the typed text is no namespace.
    pub refused: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NamespaceOption {
    pub text: String,
    pub choice: Choice,
    pub is_chosen: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    All,
    Listed(Namespace),
    /// A name that isn't in the list.
    Typed(Namespace),
}

#[derive(Default)]
pub(super) struct NamespacePicker {
    /// The view of the cluster's namespaces, while it is watched.
    list: Option<ViewKey>,
    /// What the list had when it was closed, and what rows named when it was opened.
    known: Vec<Box<str>>,
    open: Option<Open>,
}

#[derive(Default)]
struct Open {
    typed: String,
    active: Option<usize>,
}

impl NamespacePicker {
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.list == Some(key)
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(super) fn watch(&mut self, client: &mut Client, now: Now) {
        if self.list.is_some() {
            return;
        }
        let Ok(resource) = Resource::parse("", "v1", "namespaces") else { return };
        self.note_seen(client);
        self.list = Some(client.open(Scope::all(resource), now));
    }

    /// Returns the view that it no longer uses.
    pub(super) fn unwatch(&mut self, client: &Client) -> Option<ViewKey> {
        if let Some(listed) = self.listed(client) {
            self.known = listed;
        }
        self.list.take()
    }

    /// The list, once it is here as a whole.
    fn listed(&self, client: &Client) -> Option<Vec<Box<str>>> {
        let table = client.view(self.list?)?.table();
        let mut names: Vec<Box<str>> =
            table.is_whole().then(|| table.rows().map(|row| row.name.clone()).collect())?;
        names.sort_unstable();
        Some(names)
    }

    /// The view of all of the cluster as they are now; `None`: they can't be listed, or aren't asked for.
    pub(super) fn current(&self, client: &Client, now_ms: UnixMillis) -> Option<ViewKey> {
        let view = client.view(self.list?)?;
        let is_current = view.table().is_whole() && freshness::of(client, view, now_ms).is_current();
        self.list.filter(|_| is_current)
    }

    /// Adds the namespaces of the context and of the rows of all views.
    fn note_seen(&mut self, client: &Client) {
        let names = &mut self.known;
        let context = client.cluster().map(|cluster| cluster.namespaces.as_slice()).unwrap_or_default();
        names.extend(context.iter().map(|name| name.as_str().into()));
        for (_, view) in client.views() {
            for row in view.table().rows() {
                if let Some(name) = &row.namespace
                    && names.last() != Some(name)
                {
                    names.push(name.clone());
                }
            }
            names.sort_unstable();
            names.dedup();
        }
    }

    /// The cluster's namespaces, else those that are known.
    pub(super) fn names(&self, client: &Client) -> Vec<Box<str>> {
        self.listed(client).unwrap_or_else(|| self.known.clone())
    }

    /// `chosen`: the namespaces of the active pane. Returns the ones that the reader chose instead.
    pub(super) fn update(
        &mut self,
        client: &Client,
        chosen: &Namespaces,
        action: NamespaceAction,
    ) -> Option<Namespaces> {
        match (action, &mut self.open) {
            (NamespaceAction::Open, _) => self.open = Some(Open::default()),
            (NamespaceAction::Close, _) => self.open = None,
            (NamespaceAction::Type(typed), Some(open)) => {
                let active = (!typed.trim().is_empty()).then_some(0);
                *open = Open { typed, active };
            }
            (NamespaceAction::Move(by), Some(_)) => {
                let last = self.options(client, chosen).len().checked_sub(1);
                if let (Some(open), Some(last)) = (&mut self.open, last) {
                    open.active = Some(match open.active {
                        Some(at) => at.saturating_add_signed(by).min(last),
                        None if by < 0 => last,
                        None => 0,
                    });
                }
            }
            (NamespaceAction::Choose(number), Some(open)) => {
                let Some(number) = number.or(open.active) else {
                    // The reader has chosen.
                    if open.typed.trim().is_empty() {
                        self.open = None;
                    }
                    return None;
                };
                let option = self.options(client, chosen).into_iter().nth(number);
                if let Some(open) = &mut self.open
                    && option.is_some()
                {
                    let is_whole_list = open.typed.is_empty();
                    *open = Open { typed: String::new(), active: open.active.filter(|_| is_whole_list) };
                }
                return option.map(|option| with(chosen, option.choice));
            }
            (NamespaceAction::Type(_) | NamespaceAction::Move(_) | NamespaceAction::Choose(_), None) => {}
        }
        None
    }

    fn options(&self, client: &Client, chosen: &Namespaces) -> Vec<NamespaceOption> {
        self.open.as_ref().map(|open| options(&self.names(client), chosen, &open.typed).0).unwrap_or_default()
    }

    pub(super) fn model(
        &self,
        client: &Client,
        chosen: Namespaces,
        is_cluster_scoped: bool,
    ) -> NamespaceList {
        let picker = self.open.as_ref().map(|open| {
            let names = self.names(client);
            let (options, more) = options(&names, &chosen, &open.typed);
            let refused = if options.is_empty() { refused(&open.typed) } else { String::new() };
            let note = self.note(client, names.len(), more);
            let active = open.active.filter(|at| *at < options.len());
            PickerModel { typed: open.typed.clone(), options, active, note, refused }
        });
        NamespaceList { chosen, is_cluster_scoped, picker }
    }

    fn note(&self, client: &Client, count: usize, more: usize) -> String {
        let view = self.list.and_then(|key| client.view(key));
        let is_refused = view.is_some_and(|view| {
            view.subscription().ended().is_some()
                || view.report().is_some_and(|report| report.problem.is_some())
        });
        let note = match view {
            Some(view) if view.table().is_whole() => messages::namespaces_named(count),
            _ if is_refused => messages::NAMESPACES_TYPED.to_owned(),
            _ => messages::NAMESPACES_ASKED.to_owned(),
        };
        if more == 0 { note } else { format!("{note} {}", messages::namespaces_more(more)) }
    }
}

/// The choices that fit the typed text, the best first, and how many more there are.
fn options(names: &[Box<str>], chosen: &Namespaces, typed: &str) -> (Vec<NamespaceOption>, usize) {
    let typed = typed.trim().to_lowercase();
    let is_chosen = |name: &str| !chosen.is_all() && chosen.contains(Some(name));
    let mut found: Vec<&str> = names.iter().map(|name| &**name).collect();
    if let Namespaces::These(chosen) = chosen {
        // A chosen namespace that isn't listed can still be removed.
        found.extend(chosen.iter().map(Namespace::as_str));
    }
    found.retain(|name| name.contains(&*typed));
    // Without a text, chosen names come first so that they aren't cut off.
    found.sort_unstable_by_key(|name| {
        (typed.is_empty() && !is_chosen(name), !name.starts_with(&*typed), *name)
    });
    found.dedup();
    let more = found.len().saturating_sub(NAMESPACES_SHOWN_MAX);
    found.truncate(NAMESPACES_SHOWN_MAX);
    if typed.is_empty() {
        found.sort_unstable();
    }
    let named = found.iter().filter_map(|name| {
        let choice = Choice::Listed(Namespace::parse(name).ok()?);
        Some(NamespaceOption { text: (*name).to_owned(), choice, is_chosen: is_chosen(name) })
    });
    let all = || NamespaceOption {
        text: messages::ALL_NAMESPACES.to_owned(),
        choice: Choice::All,
        is_chosen: chosen.is_all(),
    };
    let mut options: Vec<NamespaceOption> = typed.is_empty().then(all).into_iter().chain(named).collect();
    if typed == "*" || !typed.is_empty() && messages::ALL_NAMESPACES.starts_with(&*typed) {
        options.push(all());
    }
    if let Ok(name) = Namespace::parse(&typed)
        && !found.contains(&&*typed)
    {
        let text = messages::namespace_unlisted(&typed);
        options.push(NamespaceOption { text, choice: Choice::Typed(name), is_chosen: false });
    }
    (options, more)
}

fn refused(typed: &str) -> String {
    match Namespace::parse(&typed.trim().to_lowercase()) {
        Err(problem) => messages::sentence(&problem.message),
        Ok(_) => String::new(),
    }
}

/// The chosen namespaces with this one, or without it. When the last one is removed, all are chosen.
fn with(chosen: &Namespaces, choice: Choice) -> Namespaces {
    let (Choice::Listed(name) | Choice::Typed(name)) = choice else { return Namespaces::All };
    let mut names = match chosen {
        Namespaces::All => Vec::new(),
        Namespaces::These(names) => names.clone(),
    };
    match names.iter().position(|held| *held == name) {
        Some(at) => drop(names.remove(at)),
        None => names.push(name),
    }
    Namespaces::these(names).unwrap_or(Namespaces::All)
}
