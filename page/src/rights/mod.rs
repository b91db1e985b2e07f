//! What the reader may list, as the answers to the page's views said, and the answers to what it asked about kinds; and
//! which namespaces were granted or withdrawn since the page was opened.

mod model;
mod offer;
pub(crate) mod part;
pub(crate) mod sheet;
pub mod words;

use replica::client::ViewKey;
use replica::subscription::{Allowed, Subscription};
use shared::frame::server;
use shared::name::{ClusterName, Namespace};
use shared::problem::Reason;
use shared::resource::{Kind, Resource};
use shared::scope::{Namespaces, Scope};
use shared::state::{UnixMillis, ViewState};

use crate::limits::{RIGHTS_AGAIN_MS, RIGHTS_CURRENT_MS, RIGHTS_KNOWN_MAX, RIGHTS_WITHDRAWN_MAX};
use crate::location::Location;
use crate::table_view::Client;
pub use model::{KindRights, RightsSheet};
pub(crate) use offer::Shown;

#[derive(Default)]
pub(crate) struct Rights {
    /// The login that the answers were for.
    of: Identity,
    /// By what was asked for, in all namespaces.
    known: Vec<(Scope, Known)>,
    /// The last answer to each open view: another view's may be older than it by some seconds, and changes nothing.
    answers: Vec<(ViewKey, Allowed)>,
}

/// The user, and the name of what the gateway shows.
type Identity = (Box<str>, Box<str>);

/// What is known of one kind, or of a selection of it.
#[derive(Default)]
pub(crate) struct Known {
    /// The last answer about all namespaces, and when it held for the last time.
    all: Option<Allowed>,
    all_ms: UnixMillis,
    names: Vec<Right>,
    /// When any answer held for the last time.
    answered_ms: UnixMillis,
    /// It may be listed, and isn't watched.
    is_polled: bool,
    /// When the page asked about the kind last, and the last answer to that.
    asked_ms: Option<UnixMillis>,
    told: Option<Allowed>,
}

struct Right {
    name: Namespace,
    is_granted: bool,
    /// When that began, since the page was opened.
    changed_ms: Option<UnixMillis>,
}

impl Rights {
    /// A view has news.
    pub(crate) fn note(&mut self, client: &Client, key: ViewKey, now_ms: UnixMillis) {
        for (key, subscription) in client.reviewed(key) {
            if subscription.scope.name.is_none()
                && let Some(allowed) = client.allowed(key)
            {
                self.note_answer(client, (key, subscription, allowed), now_ms);
            }
        }
    }

    fn note_answer(
        &mut self,
        client: &Client,
        (key, subscription, allowed): (ViewKey, &Subscription, Allowed),
        now_ms: UnixMillis,
    ) {
        self.forget_others(client);
        let is_same = self.answers.iter().any(|(of, answer)| *of == key && *answer == allowed);
        if !is_same {
            self.answers.retain(|(of, _)| *of != key && client.reviewed(*of).next().is_some());
            self.answers.push((key, allowed.clone()));
        }
        let cluster = subscription.scope.cluster.as_ref().and_then(|name| client.in_scope(name));
        let scope = Scope { cluster, namespaces: Namespaces::All, ..subscription.scope.clone() };
        let Some(known) = self.known_mut(scope) else { return };
        if client.connection().is_open() {
            known.answered_ms = now_ms;
            if !matches!(allowed, Allowed::Each(_)) {
                known.all_ms = now_ms;
            }
        }
        let state = subscription.report.as_ref().map(|report| &report.state);
        known.is_polled = matches!(state, Some(ViewState::Polled { .. }));
        if !is_same {
            let lost = subscription.withdrawn.as_ref().map(|lost| lost.namespaces.as_slice());
            known.learn(allowed, lost.unwrap_or_default(), now_ms);
        }
    }

    /// Asks about these kinds, a few at a time, where no answer is younger than `since_ms` or on its way.
    pub(crate) fn ask(
        &mut self,
        client: &mut Client,
        kinds: Vec<(Option<ClusterName>, Resource)>,
        (since_ms, at_once_max): (UnixMillis, usize),
        now_ms: UnixMillis,
    ) {
        self.forget_others(client);
        let mut count = 0;
        for (cluster, resource) in kinds {
            let scope = whole(cluster.as_ref(), &resource);
            let known = self.get(&scope);
            let is_answered = known.is_some_and(|known| known.all.is_some() && known.all_ms >= since_ms);
            let asked_ms = known.and_then(|known| known.asked_ms);
            let is_asked = asked_ms.is_some_and(|at_ms| now_ms.saturating_sub(at_ms) < RIGHTS_AGAIN_MS);
            if is_answered || is_asked || count >= at_once_max || !client.ask_rights(cluster, resource) {
                continue;
            }
            count += 1;
            if let Some(known) = self.known_mut(scope) {
                known.asked_ms = Some(now_ms);
            }
        }
    }

    pub(crate) fn answered(&mut self, client: &Client, answer: server::Rights, now_ms: UnixMillis) {
        let allowed = match (&answer.problem, answer.namespaces) {
            // The API server couldn't say.
            (Some(problem), _) if problem.reason != Reason::Forbidden => return,
            (Some(_), _) => Allowed::Only(Vec::new()),
            (None, Namespaces::All) => Allowed::Everywhere,
            (None, Namespaces::These(names)) => Allowed::Only(names),
        };
        self.forget_others(client);
        let scope = whole(answer.cluster.as_ref(), &answer.resource);
        let Some(known) = self.known_mut(scope) else { return };
        let is_same = known.told.replace(allowed.clone()).as_ref() == Some(&allowed);
        (known.answered_ms, known.all_ms) = (now_ms, now_ms);
        known.is_polled = answer.problem.is_none() && !answer.watch;
        if !is_same {
            known.learn(allowed, &[], now_ms);
        }
    }

    /// What was known was another user's, or is what the gateway showed before.
    fn forget_others(&mut self, client: &Client) {
        if let Some(welcome) = client.welcome().filter(|_| !self.is_of(client)) {
            let of = (welcome.viewer.user.clone(), welcome.rules.clone());
            *self = Self { of, ..Self::default() };
        }
    }

    fn is_of(&self, client: &Client) -> bool {
        let (user, rules) = &self.of;
        client.welcome().is_some_and(|welcome| (&welcome.viewer.user, &welcome.rules) == (user, rules))
    }

    /// Makes room for it where nothing is known.
    fn known_mut(&mut self, scope: Scope) -> Option<&mut Known> {
        let mut at = self.known.iter().position(|(known, _)| *known == scope);
        if at.is_none() {
            let oldest = self.known.iter().enumerate().min_by_key(|(_, (_, known))| known.answered_ms);
            if let Some((oldest, _)) = oldest.filter(|_| self.known.len() >= RIGHTS_KNOWN_MAX) {
                self.known.remove(oldest);
            }
            at = Some(self.known.len());
            self.known.push((scope, Known::default()));
        }
        Some(&mut self.known.get_mut(at?)?.1)
    }

    fn get(&self, scope: &Scope) -> Option<&Known> {
        self.known.iter().find(|(known, _)| known == scope).map(|(_, known)| known)
    }

    /// What is known of a scope, whatever its namespaces.
    pub(crate) fn of(&self, client: &Client, scope: &Scope) -> Option<&Known> {
        let scope = Scope { namespaces: Namespaces::All, ..scope.clone() };
        self.get(&scope).filter(|_| self.is_of(client))
    }

    /// What is known of all objects of a kind, whichever are selected in some view.
    fn of_kind(&self, client: &Client, cluster: Option<&ClusterName>, kind: &Kind) -> Option<&Known> {
        self.of(client, &whole(cluster, &kind.resource))
    }
}

/// The clusters that a location shows, of those that the gateway has.
fn clusters(client: &Client, location: &Location) -> Vec<ClusterName> {
    let mut clusters = location.clusters(client.clusters());
    clusters.retain(|name| client.cluster_named(Some(name)).is_some());
    clusters
}

fn kinds<'a>(client: &'a Client, cluster: Option<&ClusterName>) -> &'a [Kind] {
    client.kinds_of(cluster).map(|kinds| &*kinds.kinds).unwrap_or_default()
}

/// All objects of a kind in a cluster, as a view of that cluster alone names it.
fn whole(cluster: Option<&ClusterName>, resource: &Resource) -> Scope {
    Scope { cluster: cluster.cloned(), ..Scope::all(resource.clone()) }
}

/// Whether the API server reviews the reader's own rights.
pub(crate) fn is_reviewed(client: &Client) -> bool {
    client.welcome().is_some_and(|welcome| welcome.viewer.rights.are_reviewed())
}

impl Known {
    /// `lost`: the namespaces with rows that left a view of all namespaces, which named none before.
    fn learn(&mut self, allowed: Allowed, lost: &[Namespace], now_ms: UnixMillis) {
        match allowed {
            Allowed::Each(each) => {
                for (name, is_granted) in each {
                    self.set(name, is_granted, None, now_ms);
                }
            }
            Allowed::Only(names) => {
                let before = self.all.replace(Allowed::Only(names.clone()));
                let (before, came) = match before {
                    Some(Allowed::Only(before)) => (before, Some(now_ms)),
                    Some(_) => (lost.to_vec(), None),
                    None => (Vec::new(), None),
                };
                for name in before.iter().filter(|name| !names.contains(name)) {
                    self.set(name.clone(), false, Some(now_ms), now_ms);
                }
                for name in names.into_iter().filter(|name| !before.contains(name)) {
                    self.set(name, true, came, now_ms);
                }
            }
            Allowed::Everywhere => {
                self.all = Some(Allowed::Everywhere);
                for right in self.names.iter_mut().filter(|right| !right.is_granted) {
                    (right.is_granted, right.changed_ms) = (true, Some(now_ms));
                }
            }
        }
        self.forget_oldest();
    }

    /// `first_ms`: since when, where nothing was known of it.
    fn set(&mut self, name: Namespace, is_granted: bool, first_ms: Option<UnixMillis>, now_ms: UnixMillis) {
        match self.names.binary_search_by(|right| right.name.as_str().cmp(name.as_str())) {
            Ok(at) => {
                if let Some(right) = self.names.get_mut(at).filter(|right| right.is_granted != is_granted) {
                    (right.is_granted, right.changed_ms) = (is_granted, Some(now_ms));
                }
            }
            Err(at) => self.names.insert(at, Right { name, is_granted, changed_ms: first_ms }),
        }
    }

    fn right(&self, name: &str) -> Option<&Right> {
        self.names.get(self.names.binary_search_by(|right| right.name.as_str().cmp(name)).ok()?)
    }

    /// A page that stays open for weeks sees many namespaces come and go.
    fn forget_oldest(&mut self) {
        while self.withdrawn().count() > RIGHTS_WITHDRAWN_MAX {
            let oldest_ms = self.withdrawn().map(|(_, at_ms)| at_ms).min();
            self.names.retain(|right| right.is_granted || right.changed_ms != oldest_ms);
        }
    }

    /// How many namespaces a view of all of them would show, and since when that isn't asked any more; `None`: it isn't
    /// known, or there is no limit.
    pub(crate) fn count(&self, now_ms: UnixMillis) -> Option<(usize, Option<UnixMillis>)> {
        self.is_limited().then(|| (self.granted().count(), stood_still(self.all_ms, now_ms)))
    }

    /// All namespaces with a right are known, and there are others.
    pub(crate) fn is_limited(&self) -> bool {
        matches!(self.all, Some(Allowed::Only(_)))
    }

    pub(crate) fn is_everywhere(&self) -> bool {
        self.all == Some(Allowed::Everywhere)
    }

    /// Those that were named.
    pub(crate) fn granted(&self) -> impl Iterator<Item = &Namespace> {
        self.names.iter().filter(|right| right.is_granted).map(|right| &right.name)
    }

    pub(crate) fn refused(&self) -> impl Iterator<Item = &Namespace> {
        self.names.iter().filter(|right| !right.is_granted).map(|right| &right.name)
    }

    pub(crate) fn is_granted(&self, name: &str) -> bool {
        self.right(name).map_or(self.is_everywhere(), |right| right.is_granted)
    }

    /// Whether a namespace was granted or withdrawn since the page was opened, and when.
    pub(crate) fn change(&self, name: &str) -> Option<(bool, UnixMillis)> {
        let right = self.right(name)?;
        Some((right.is_granted, right.changed_ms?))
    }

    /// Whether a view of these namespaces has rows to show, as a recent answer says.
    fn shows(&self, chosen: &Namespaces, now_ms: UnixMillis) -> bool {
        match chosen {
            _ if stood_still(self.answered_ms, now_ms).is_some() => false,
            Namespaces::All => self.is_everywhere() || self.granted().next().is_some(),
            Namespaces::These(names) => names.iter().all(|name| self.is_granted(name.as_str())),
        }
    }

    pub(crate) fn withdrawn(&self) -> impl Iterator<Item = (&Namespace, UnixMillis)> {
        let withdrawn = self.names.iter().filter(|right| !right.is_granted);
        withdrawn.filter_map(|right| Some((&right.name, right.changed_ms?)))
    }
}

/// The instant of an answer that isn't confirmed any more, because no view asks for it.
fn stood_still(answered_ms: UnixMillis, now_ms: UnixMillis) -> Option<UnixMillis> {
    (now_ms.saturating_sub(answered_ms) > RIGHTS_CURRENT_MS).then_some(answered_ms)
}
