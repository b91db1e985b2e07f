//! The notice line of a view: what happened, since when, and what comes next. And the bar of the page while the
//! gateway is gone. Never two notices at a time.

mod bar;
mod clusters;
mod refusal;
pub mod words;

use shared::frame::server::Gap;
use shared::name::Namespace;
use shared::problem::Reason;
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use crate::messages::{self, Zone};
use crate::query::ReaderId;
use crate::table_view::{Client, TableView, View};
use replica::freshness::{self, Break, Cause, Freshness, Partly};
use replica::subscription::Withdrawn;

pub use bar::bar;
pub use refusal::Review;

/// What a view says in its notice line, or in place of its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    pub kind: Kind,
    /// Shown in bold: the state, as the pill names it.
    pub bold: String,
    pub sentence: String,
    /// Where a review of the viewer's rights said no.
    pub review: Option<Review>,
    pub action: Option<Action>,
    /// Where nothing was recorded: the times around it.
    pub edges: Vec<Edge>,
}

/// A time at which something was recorded, and the way there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub clock: String,
    pub action: Action,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Plain,
    Stale,
    Bad,
    Busy,
    Gap,
    /// Rows left with a right.
    Withdrawn,
    Paused,
    /// A pause ended.
    Resumed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    TryNow,
    Reload,
    DismissGap,
    DismissWithdrawn,
    ClearFilter,
    Resume,
    /// The changes of the view.
    ShowChanges,
    /// Only the rows that came or changed during the last pause.
    OnlyMeanwhile,
    AllRows,
    LookEverywhere,
    /// The same view of the cluster that the gateway serves.
    OpenServed,
    BackToLive,
    /// Shows the page as of this time, by the gateway's clock.
    GoTo(UnixMillis),
}

impl Action {
    pub fn label(self) -> &'static str {
        match self {
            Self::TryNow => messages::TRY_NOW,
            Self::Reload => messages::RELOAD,
            Self::DismissGap | Self::DismissWithdrawn => messages::DISMISS,
            Self::ClearFilter => messages::CLEAR_FILTER,
            Self::Resume => messages::RESUME,
            Self::ShowChanges => words::SHOW_CHANGES,
            Self::OnlyMeanwhile => words::ONLY_MEANWHILE,
            Self::AllRows => words::ALL_ROWS,
            Self::LookEverywhere => words::LOOK_EVERYWHERE,
            Self::OpenServed => words::OPEN_SERVED,
            Self::BackToLive => crate::past::words::BACK_TO_LIVE,
            Self::GoTo(_) => crate::past::words::GO_THERE,
        }
    }

    /// The key that does the same.
    pub fn key(self) -> Option<&'static str> {
        match self {
            Self::Resume => Some(messages::SPACE),
            Self::ShowChanges => Some("l"),
            Self::BackToLive => Some("h"),
            Self::OnlyMeanwhile | Self::AllRows => Some("p"),
            _ => None,
        }
    }
}

/// A view as one reader sees it, at one time.
#[derive(Clone, Copy)]
pub struct ReaderView<'a> {
    client: &'a Client,
    view: &'a View,
    reader: ReaderId,
    freshness: &'a Freshness,
    now_ms: UnixMillis,
    zone: Zone,
}

impl<'a> ReaderView<'a> {
    /// `reader`: the pane that looks at the view.
    pub fn new(
        client: &'a Client,
        (view, reader): (&'a View, ReaderId),
        freshness: &'a Freshness,
        (now_ms, zone): (UnixMillis, Zone),
    ) -> Self {
        Self { client, view, reader, freshness, now_ms, zone }
    }
}

impl ReaderView<'_> {
    /// What the notice line says. If it is `None`, the line shows [`crate::status::Tally::counts`], where the table
    /// has a status. The first of these reasons counts: forbidden, another version, stale, syncing, left out, gap,
    /// counts.
    pub fn line(&self) -> Option<Notice> {
        match self.freshness {
            Freshness::Partly(partly) if !partly.clusters.is_empty() => Some(self.of_clusters(partly)),
            // What is said of the past comes with a piece of the program.
            Freshness::Past(_) => None,
            // The rows of the other namespaces are what they were.
            Freshness::Partly(partly) if partly.is_refused() => Some(self.partly(partly)),
            current if current.is_current() => self.healthy(),
            // The table's body says it.
            refused if !refused.shows_rows() => Some(Notice::default()),
            Freshness::Partly(partly) => Some(self.partly(partly)),
            whole => Some(self.trouble(whole, &self.place())),
        }
    }

    /// What the table's body says in place of rows, if there are none to show: a heading and a sentence.
    pub fn body(&self) -> Option<Notice> {
        if !self.freshness.is_exact() {
            return self.refusal(self.freshness, &self.place());
        }
        let (rows, index, resource) =
            (self.view.table().len(), self.view.index(self.reader), self.resource());
        // The sign of a deleted row stands where it was, also of the last one.
        if !index.is_empty() {
            return None;
        }
        if rows == 0 {
            let can_widen = matches!(self.view.subscription().scope.namespaces, Namespaces::These(_));
            let scope = &self.view.subscription().scope;
            let labels = scope.labels.as_ref().map(ToString::to_string);
            let fields = scope.fields.as_ref().map(|fields| fields.as_str().to_owned());
            let selected: Vec<String> = labels.into_iter().chain(fields).collect();
            return Some(Notice {
                bold: match selected.as_slice() {
                    [] if self.freshness.past().is_some() => words::none_then(&resource, &self.place()),
                    [] => words::none_here(&resource, &self.place()),
                    some => words::none_selected(&resource, &self.place(), &some.join(" ")),
                },
                sentence: match self.freshness.past() {
                    Some(_) => String::new(),
                    None => words::FIRST_APPEARS.to_owned(),
                },
                action: can_widen.then_some(Action::LookEverywhere),
                ..Notice::default()
            });
        }
        if index.is_among() {
            return Some(Notice {
                bold: words::NONE_LEFT.to_owned(),
                sentence: words::others_live(rows),
                action: Some(Action::AllRows),
                ..Notice::default()
            });
        }
        Some(Notice {
            bold: words::none_match(&resource, index.filter().text()),
            sentence: match self.freshness.past() {
                Some(_) => words::here_then(rows),
                None => words::here_and_live(rows),
            },
            action: Some(Action::ClearFilter),
            ..Notice::default()
        })
    }

    fn resource(&self) -> String {
        self.view.subscription().scope.resource.to_string()
    }

    fn place(&self) -> String {
        let names: Vec<&str> = match &self.view.subscription().scope.namespaces {
            Namespaces::All => Vec::new(),
            Namespaces::These(names) => names.iter().map(|name| name.as_str()).collect(),
        };
        words::place(&names)
    }

    fn at(&self, ms: UnixMillis) -> String {
        messages::instant(ms, self.now_ms, self.zone)
    }

    /// The rows of the other namespaces stay, so the line names the namespaces with the worst state.
    fn partly(&self, partly: &Partly) -> Notice {
        let said = self.refusal(&partly.worst, "").unwrap_or_else(|| self.trouble(&partly.worst, ""));
        // Its sentence names one of the namespaces.
        let hidden = partly.worst.hidden().map(|_| words::hidden_by_gateway(&self.resource()));
        Notice { bold: only_there(partly, &hidden.unwrap_or(said.bold)), ..said }
    }

    /// What is wrong with rows that are shown.
    fn trouble(&self, freshness: &Freshness, place: &str) -> Notice {
        match freshness {
            Freshness::OtherVersion { since_ms, problem } => Notice {
                kind: Kind::Stale,
                bold: messages::sentence(&problem.message),
                sentence: words::rows_stopped(&self.at(*since_ms)),
                action: Some(Action::Reload),
                ..Notice::default()
            },
            Freshness::Stale { since_ms, cause } => self.stale(*since_ms, cause),
            Freshness::Syncing { n, of, asked_ms } => self.syncing(*n, *of, *asked_ms, place),
            Freshness::Resuming { from_ms, cause } => self.resuming(*from_ms, cause),
            _ => Notice::default(),
        }
    }

    fn stale(&self, since_ms: UnixMillis, cause: &Cause) -> Notice {
        let (resource, clock) = (self.resource(), self.at(since_ms));
        let mut parts = Vec::new();
        let mut action = Some(Action::TryNow);
        // A table that was never loaded has no rows to speak of.
        let has_rows = self.view.table().is_whole();
        let rows_are_of = || has_rows.then(|| words::rows_are_of(&clock));
        let mut bold = words::stale_since(&clock);
        match cause {
            Cause::Upstream { problem, tries, next_try_ms } => {
                parts.push(match problem {
                    _ if !has_rows => {
                        words::NOT_LOADED.clone_into(&mut bold);
                        words::no_list(&resource, &clock, problem.as_ref())
                    }
                    Some(problem) if problem.reason != Reason::Unproven => {
                        words::watch_broke(&resource, problem)
                    }
                    _ => words::unproven(&resource),
                });
                parts.extend(rows_are_of());
                if let Some(next_ms) = next_try_ms {
                    parts.push(words::next_try(*tries, next_ms.saturating_sub(self.now_ms)));
                }
            }
            Cause::Gateway => {
                parts.push(words::OUT_OF_REACH.to_owned());
                action = None;
            }
            Cause::Silence => {
                parts.push(words::NO_WORD.to_owned());
                parts.extend(rows_are_of());
            }
            Cause::Login => {
                parts.push(messages::ROWS_UNTIL_SIGNED_IN.to_owned());
                action = None;
            }
            Cause::Relisting => {
                parts.push(words::LISTING_AGAIN.to_owned());
                action = None;
            }
        }
        Notice { kind: Kind::Stale, bold, sentence: parts.join(" "), action, ..Notice::default() }
    }

    fn syncing(&self, n: u64, of: Option<u64>, asked_ms: UnixMillis, place: &str) -> Notice {
        let sentence = if n == 0 {
            words::asked_for(&self.resource(), place, self.now_ms.saturating_sub(asked_ms))
        } else {
            words::loading(&self.resource(), n, of)
        };
        Notice {
            kind: Kind::Busy,
            bold: messages::FIRST_LOAD.to_owned(),
            sentence,
            action: None,
            ..Notice::default()
        }
    }

    fn resuming(&self, from_ms: UnixMillis, cause: &Break) -> Notice {
        let clock = self.at(from_ms);
        let sentence = match cause {
            Break::Upstream { problem } => {
                let broke = problem.as_ref().map(|problem| words::watch_broke(&self.resource(), problem));
                words::resuming(broke, &clock)
            }
            Break::Gateway { gone_ms } => words::resuming(gone_ms.map(words::connection_was_gone), &clock),
            Break::GatewayNow => words::reconnecting(&clock),
        };
        Notice {
            kind: Kind::Busy,
            bold: words::RESUMING_BOLD.to_owned(),
            sentence,
            action: None,
            ..Notice::default()
        }
    }

    fn healthy(&self) -> Option<Notice> {
        let Self { view, freshness, .. } = *self;
        let resyncs = view.subscription().resyncs;
        if let Some(differed_ms) = resyncs.differed_ms
            && self.now_ms.saturating_sub(differed_ms) < DIFFERED_SHOWN_MS
        {
            let again = resyncs.equal_again_ms;
            return Some(Notice {
                kind: Kind::Bad,
                bold: words::rows_differed(&self.at(differed_ms)),
                sentence: again.map_or_else(
                    || words::LOADED_ANEW.to_owned(),
                    |again| words::equal_again(again.saturating_sub(differed_ms)),
                ),
                action: None,
                ..Notice::default()
            });
        }
        if let Some(left_out) = freshness::left_out(self.client, view) {
            return Some(Notice {
                kind: Kind::Bad,
                bold: messages::NOT_ALL_SHOWN.to_owned(),
                sentence: messages::left_out(&left_out),
                action: None,
                ..Notice::default()
            });
        }
        if let Some(withdrawn) = &view.subscription().withdrawn {
            return Some(self.withdrawn(withdrawn));
        }
        let gap = view.subscription().gap.as_ref();
        if let Some(gap) =
            gap.filter(|gap| self.now_ms.saturating_sub(self.client.local_ms(gap.to_ms)) < GAP_SHOWN_MS)
        {
            return Some(self.gap(gap));
        }
        if let Freshness::Polled { every_s, .. } = freshness.worst() {
            let group = view.subscription().scope.resource.group.as_str();
            return Some(Notice {
                bold: match freshness {
                    Freshness::Partly(partly) => only_there(partly, words::POLLED_BOLD),
                    _ => words::POLLED_BOLD.to_owned(),
                },
                sentence: words::polled(group, *every_s),
                ..Notice::default()
            });
        }
        None
    }

    fn withdrawn(&self, withdrawn: &Withdrawn) -> Notice {
        let names: Vec<&str> = withdrawn.namespaces.iter().map(Namespace::as_str).collect();
        Notice {
            kind: Kind::Withdrawn,
            bold: words::withdrawn(&names, &self.at(withdrawn.at_ms)),
            sentence: words::rows_removed(names.len(), withdrawn.rows),
            action: Some(Action::DismissWithdrawn),
            ..Notice::default()
        }
    }

    fn gap(&self, gap: &Gap) -> Notice {
        let (from, to) = (self.client.local_ms(gap.from_ms), self.client.local_ms(gap.to_ms));
        Notice {
            kind: Kind::Gap,
            bold: messages::gap(&self.at(from), &self.at(to)),
            sentence: messages::listed_anew(&gap.reason.words()),
            action: Some(Action::DismissGap),
            ..Notice::default()
        }
    }
}

fn names(partly: &Partly) -> Vec<&str> {
    partly.names.iter().map(|name| &**name).collect()
}

/// A sentence about the worst part of a view, with the namespaces that it is true of.
fn only_there(partly: &Partly, sentence: &str) -> String {
    words::only_in(sentence, &names(partly))
}

/// A gap is shown until the reader dismisses it, or for this time without input.
const GAP_SHOWN_MS: i64 = 600_000;

/// A repaired difference is shown for a minute, because the reader may have looked away.
const DIFFERED_SHOWN_MS: i64 = 60_000;

#[cfg(test)]
mod tests;
