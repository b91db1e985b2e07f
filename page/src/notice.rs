//! The notice line: one line of fixed height that says what happened, since when, what next; the
//! counts where nothing did. And the bar of the page when the gateway is gone. Never two at a time.

use shared::frame::server::Gap;
use shared::name::Namespace;
use shared::problem::{Problem, Reason};
use shared::scope::{Namespaces, Scope};
use shared::state::{UnixMillis, Whom};

use crate::limits::{PARTS_MAX, SYNC_MISSING_MS};
use crate::messages::{self, Zone};
use crate::query::ReaderId;
use crate::table_view::{Client, TableView, View};
use replica::connection::Link;
use replica::freshness::{Break, Cause, Freshness, Partly};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    pub kind: Kind,
    /// In bold: the state's word again.
    pub bold: String,
    pub sentence: String,
    pub action: Option<Action>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Plain,
    Stale,
    Bad,
    Busy,
    Gap,
    Paused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    TryNow,
    Reload,
    DismissGap,
    ClearFilter,
    Resume,
}

impl Action {
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::TryNow => messages::TRY_NOW,
            Self::Reload => messages::RELOAD,
            Self::DismissGap => messages::DISMISS,
            Self::ClearFilter => messages::CLEAR_FILTER,
            Self::Resume => messages::RESUME,
        }
    }
}

/// A view without rows to show says so in the table's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Rows,
    /// Heading and sentence.
    Empty {
        bold: String,
        sentence: String,
        action: Option<Action>,
    },
}

struct Sentences<'a> {
    client: &'a Client,
    resource: String,
    place: String,
    /// What the viewer can do where this may not be listed.
    way_round: String,
    now_ms: UnixMillis,
    zone: Zone,
}

impl<'a> Sentences<'a> {
    fn of(client: &'a Client, scope: &Scope, now_ms: UnixMillis, zone: Zone) -> Self {
        let names: Vec<&str> = match &scope.namespaces {
            Namespaces::All => Vec::new(),
            Namespaces::These(names) => names.iter().map(|name| name.as_str()).collect(),
        };
        let (resource, place) = (scope.resource.to_string(), messages::place(&names));
        Self { client, resource, place, way_round: way_round(client, scope), now_ms, zone }
    }

    fn at(&self, ms: UnixMillis) -> String {
        messages::instant(ms, self.now_ms, self.zone)
    }
}

/// A viewer who may not list a whole cluster may often list some of its namespaces.
fn way_round(client: &Client, scope: &Scope) -> String {
    let kinds = client.kinds().map(|kinds| &*kinds.kinds).unwrap_or_default();
    let is_namespaced = kinds.iter().any(|kind| kind.resource == scope.resource && kind.namespaced);
    let known = client.welcome().and_then(|welcome| welcome.namespaces.first());
    match (&scope.namespaces, known) {
        (Namespaces::All, Some(known)) if is_namespaced => messages::choose_namespaces(known.as_str()),
        (Namespaces::These(names), _) if names.len() > PARTS_MAX => messages::choose_fewer(PARTS_MAX),
        _ => String::new(),
    }
}

/// What the notice line says; `None`: it shows [`crate::status::Tally::counts`], where the table has a status.
/// More than one at a time: forbidden > version > stale > syncing > left out > gap > counts.
pub fn line(
    client: &Client,
    view: &View,
    reader: ReaderId,
    freshness: &Freshness,
    now_ms: UnixMillis,
    zone: Zone,
) -> Option<Notice> {
    let sentences = Sentences::of(client, &view.subscription().scope, now_ms, zone);
    match freshness {
        current if current.is_current() => sentences.healthy(view, reader, current),
        // The body says it all.
        refused if !refused.shows_rows() => Some(Notice::default()),
        Freshness::Partly(partly) => Some(sentences.partly(partly)),
        whole => Some(sentences.trouble(whole)),
    }
}

impl Sentences<'_> {
    /// The rows of the other namespaces stay; of these it is said.
    fn partly(self, partly: &Partly) -> Notice {
        let sentences = Self { place: String::new(), ..self };
        let said = match sentences.refusal(&partly.worst) {
            Body::Empty { bold, sentence, action } => Notice { kind: Kind::Bad, bold, sentence, action },
            Body::Rows => sentences.trouble(&partly.worst),
        };
        Notice { bold: only_there(partly, &said.bold), ..said }
    }

    /// What is wrong with rows that are shown.
    fn trouble(&self, freshness: &Freshness) -> Notice {
        match freshness {
            Freshness::OtherVersion { since_ms, problem } => Notice {
                kind: Kind::Stale,
                bold: messages::sentence(&problem.message),
                sentence: messages::rows_stopped(&self.at(*since_ms)),
                action: Some(Action::Reload),
            },
            Freshness::Stale { since_ms, cause } => self.stale(*since_ms, cause),
            Freshness::Syncing { n, of, asked_ms } => self.syncing(*n, *of, *asked_ms),
            Freshness::Resuming { from_ms, cause } => self.resuming(*from_ms, cause),
            _ => Notice::default(),
        }
    }

    /// Why there are no rows to show.
    fn refusal(&self, freshness: &Freshness) -> Body {
        let said = |problem: &Option<Problem>| {
            problem.as_ref().map_or_else(String::new, |problem| messages::sentence(&problem.message))
        };
        match freshness {
            Freshness::Forbidden { to: Whom::You, problem } => empty(
                messages::may_not_list(&self.resource, &self.place),
                &[
                    &problem.as_ref().map_or_else(String::new, messages::with_reason),
                    &self.way_round,
                    messages::ASKED_AGAIN,
                ],
                None,
            ),
            Freshness::Forbidden { to: Whom::Gateway, problem } => empty(
                messages::gateway_may_not(&self.resource),
                &[messages::NOT_YOUR_RIGHTS, &said(problem), &self.way_round],
                None,
            ),
            Freshness::Gone { problem, .. } => {
                // A link may name what was never there; the gateway's sentence says so itself.
                let unknown = problem.as_ref().filter(|problem| problem.reason == Reason::NotFound);
                match unknown {
                    Some(problem) => {
                        let (what, why) = problem.message.split_once(": ").unwrap_or((&problem.message, ""));
                        empty(messages::sentence(what), &[&messages::sentence(why)], Some(Action::TryNow))
                    }
                    None => empty(
                        messages::no_longer_serves(&self.resource),
                        &[&said(problem)],
                        Some(Action::TryNow),
                    ),
                }
            }
            Freshness::Failed { problem, .. } => {
                empty(messages::cannot_be_shown(&self.resource), &[&said(problem)], Some(Action::TryNow))
            }
            _ => Body::Rows,
        }
    }

    fn stale(&self, since_ms: UnixMillis, cause: &Cause) -> Notice {
        let clock = self.at(since_ms);
        let mut parts = Vec::new();
        let mut action = Some(Action::TryNow);
        match cause {
            Cause::Upstream { problem, tries, next_try_ms } => {
                parts.push(match problem {
                    Some(problem) if problem.reason != Reason::Unproven => {
                        messages::watch_broke(&self.resource, &problem.reason.words())
                    }
                    _ => messages::unproven(&self.resource),
                });
                parts.push(messages::rows_are_of(&clock));
                if let Some(next_ms) = next_try_ms {
                    parts.push(messages::next_try(*tries, next_ms.saturating_sub(self.now_ms)));
                }
            }
            Cause::Gateway => {
                parts.push(messages::OUT_OF_REACH.to_owned());
                action = None;
            }
            Cause::Silence => {
                parts.push(messages::NO_WORD.to_owned());
                parts.push(messages::rows_are_of(&clock));
            }
            Cause::Relisting => {
                parts.push(messages::LISTING_AGAIN.to_owned());
                action = None;
            }
        }
        Notice { kind: Kind::Stale, bold: messages::stale_since(&clock), sentence: parts.join(" "), action }
    }

    fn syncing(&self, n: u64, of: Option<u64>, asked_ms: UnixMillis) -> Notice {
        let sentence = if n == 0 {
            messages::asked_for(&self.resource, &self.place, self.now_ms.saturating_sub(asked_ms))
        } else {
            messages::loading(&self.resource, n, of)
        };
        Notice { kind: Kind::Busy, bold: messages::FIRST_LOAD.to_owned(), sentence, action: None }
    }

    fn resuming(&self, from_ms: UnixMillis, cause: &Break) -> Notice {
        let clock = self.at(from_ms);
        let sentence = match cause {
            Break::Upstream { problem } => {
                let broke = problem
                    .as_ref()
                    .map(|problem| messages::watch_broke(&self.resource, &problem.reason.words()));
                messages::resuming(broke, &clock)
            }
            Break::Gateway { gone_ms } => {
                messages::resuming(gone_ms.map(messages::connection_was_gone), &clock)
            }
            Break::GatewayNow => messages::reconnecting(&clock),
        };
        Notice { kind: Kind::Busy, bold: messages::RESUMING_BOLD.to_owned(), sentence, action: None }
    }

    fn healthy(&self, view: &View, reader: ReaderId, freshness: &Freshness) -> Option<Notice> {
        let resyncs = view.subscription().resyncs;
        if let Some(differed_ms) = resyncs.differed_ms
            && self.now_ms.saturating_sub(differed_ms) < DIFFERED_SHOWN_MS
        {
            let again = resyncs.equal_again_ms;
            return Some(Notice {
                kind: Kind::Bad,
                bold: messages::rows_differed(&self.at(differed_ms)),
                sentence: again.map_or_else(
                    || messages::LOADED_ANEW.to_owned(),
                    |again| messages::equal_again(again.saturating_sub(differed_ms)),
                ),
                action: None,
            });
        }
        // A current view has a problem only where something of it isn't shown.
        if let Some(problem) = view.report().and_then(|report| report.problem.as_ref()) {
            return Some(Notice {
                kind: Kind::Bad,
                bold: messages::NOT_ALL_SHOWN.to_owned(),
                sentence: messages::sentence(&problem.message),
                action: None,
            });
        }
        if let Some(gap) = &view.subscription().gap {
            return Some(self.gap(gap));
        }
        if !view.index(reader).filter().is_empty() {
            let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
            let sentence = messages::of_match(
                count(view.index(reader).len()),
                count(view.table().len()),
                &self.resource,
            );
            return Some(Notice { sentence, ..Notice::default() });
        }
        if let Freshness::Polled { every_s, .. } = freshness.worst() {
            let group = view.subscription().scope.resource.group.as_str();
            return Some(Notice {
                bold: match freshness {
                    Freshness::Partly(partly) => only_there(partly, messages::POLLED_BOLD),
                    _ => messages::POLLED_BOLD.to_owned(),
                },
                sentence: messages::polled(group, *every_s),
                ..Notice::default()
            });
        }
        None
    }

    fn gap(&self, gap: &Gap) -> Notice {
        let (from, to) = (self.client.local_ms(gap.from_ms), self.client.local_ms(gap.to_ms));
        Notice {
            kind: Kind::Gap,
            bold: messages::gap(&self.at(from), &self.at(to)),
            sentence: messages::listed_anew(&gap.reason.words()),
            action: Some(Action::DismissGap),
        }
    }
}

/// A sentence about the worst part, with the namespaces that it is true of.
fn only_there(partly: &Partly, sentence: &str) -> String {
    messages::only_in(sentence, &partly.namespaces.iter().map(Namespace::as_str).collect::<Vec<_>>())
}

/// A difference that was repaired is shown for a minute, for its reader may have looked away.
const DIFFERED_SHOWN_MS: i64 = 60_000;

/// What stands in place of rows.
#[must_use]
pub fn body(
    client: &Client,
    view: &View,
    reader: ReaderId,
    freshness: &Freshness,
    now_ms: UnixMillis,
    zone: Zone,
) -> Body {
    let sentences = Sentences::of(client, &view.subscription().scope, now_ms, zone);
    match freshness {
        current if current.is_current() && view.table().is_empty() => empty(
            messages::none_here(&sentences.resource, &sentences.place),
            &[messages::FIRST_APPEARS],
            None,
        ),
        current if current.is_current() && view.index(reader).is_empty() => empty(
            messages::none_match(&sentences.resource, view.index(reader).filter().text()),
            &[&messages::here_and_live(
                &sentences.resource,
                u64::try_from(view.table().len()).unwrap_or(u64::MAX),
            )],
            Some(Action::ClearFilter),
        ),
        other => sentences.refusal(other),
    }
}

fn empty(bold: String, sentences: &[&str], action: Option<Action>) -> Body {
    let sentence = sentences.iter().filter(|text| !text.is_empty()).copied().collect::<Vec<_>>().join(" ");
    Body::Empty { bold, sentence, action }
}

/// The bar under the top bar: the gateway is gone, the login isn't taken, the version is another.
#[must_use]
pub fn bar(client: &Client, now_ms: UnixMillis, zone: Zone) -> Option<Notice> {
    let connection = client.connection();
    match &connection.link {
        Link::Refused { problem } => {
            Some(Notice { kind: Kind::Bad, bold: messages::sentence(&problem.message), ..Notice::default() })
        }
        Link::OtherVersion { problem, .. } => Some(Notice {
            kind: Kind::Stale,
            bold: messages::sentence(&problem.message),
            action: Some(Action::Reload),
            ..Notice::default()
        }),
        Link::Waiting { .. } | Link::Dialling { .. } | Link::Greeting { .. } => {
            let lost_ms = connection.lost_ms?;
            let synced_ms = client
                .views()
                .filter_map(|(_, view)| Some(view.subscription().proof.as_ref()?.synced_ms))
                .max();
            let silent_since_ms = synced_ms.unwrap_or(lost_ms);
            if now_ms.saturating_sub(silent_since_ms) < SYNC_MISSING_MS {
                return None;
            }
            let trying = connection.next_try_ms().map_or(0, |next| next.saturating_sub(now_ms));
            let stale = messages::views_are_stale(client.views().count());
            let since = messages::instant(silent_since_ms, now_ms, zone);
            Some(Notice {
                kind: Kind::Stale,
                bold: messages::no_word_since(&since),
                sentence: [stale, messages::trying_again(trying)].join(" ").trim().to_owned(),
                action: Some(Action::TryNow),
            })
        }
        Link::Open(_) | Link::Resting => None,
    }
}

#[cfg(test)]
mod tests;
