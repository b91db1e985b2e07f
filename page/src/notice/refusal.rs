//! Why a view has no rows to show: it may not be read, is gone, or failed; and what a viewer can do about it.

use replica::freshness::Freshness;
use shared::problem::{Problem, Reason};
use shared::scope::Namespaces;
use shared::state::Whom;

use super::{Action, Kind, Notice, ReaderView, words};
use crate::kind_link::KindLink;
use crate::limits::PARTS_MAX;
use crate::messages;

/// A review of the viewer's rights that said no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// The account and the rights that were reviewed, and the answer.
    pub asked: String,
    /// Asks the same from the viewer's own terminal.
    pub command: String,
    /// What a viewer can do about it.
    pub next: String,
    /// Over the kinds that the viewer could see here.
    pub instead_title: String,
    pub instead: Vec<KindLink>,
}

impl ReaderView<'_> {
    /// What the viewer can do where this may not be listed: a viewer who may not list a whole cluster may
    /// often list some of its namespaces.
    fn way_round(&self) -> String {
        let scope = &self.view.subscription().scope;
        let kinds = self.client.kinds().map(|kinds| &*kinds.kinds).unwrap_or_default();
        let is_namespaced = kinds.iter().any(|kind| kind.serves(&scope.resource) && kind.namespaced);
        let known = self.client.cluster().and_then(|cluster| cluster.namespaces.first());
        match (&scope.namespaces, known) {
            (Namespaces::All, Some(known)) if is_namespaced => words::choose_namespaces(known.as_str()),
            (Namespaces::These(names), _) if names.len() > PARTS_MAX => words::choose_fewer(PARTS_MAX),
            _ => String::new(),
        }
    }

    /// Why there are no rows to show.
    pub(super) fn refusal(&self, freshness: &Freshness, place: &str) -> Option<Notice> {
        let resource = self.resource();
        let said = |problem: &Option<Problem>| {
            problem.as_ref().map_or_else(String::new, |problem| messages::sentence(&problem.message))
        };
        let mut review = None;
        let (bold, sentences, action) = match freshness {
            Freshness::Forbidden { problem: Some(problem), .. } if freshness.hidden().is_some() => {
                (messages::sentence(&problem.message), Vec::new(), None)
            }
            Freshness::Forbidden { to: Whom::You, problem } => {
                review = problem.as_ref().and_then(|problem| self.review(problem));
                let reason = problem.as_ref().map_or_else(String::new, messages::with_reason);
                let sentences = [reason, self.way_round(), words::asked_again(&resource)];
                (messages::may_not_list(&resource, place), sentences.to_vec(), None)
            }
            Freshness::Forbidden { to: Whom::Gateway, problem } => {
                let sentences = [words::NOT_YOUR_RIGHTS.to_owned(), said(problem), self.way_round()];
                (words::gateway_may_not(&resource), sentences.to_vec(), None)
            }
            Freshness::Gone { problem: Some(problem), .. } if problem.reason == Reason::NotFound => {
                let (what, why) = messages::not_served(problem);
                (what, vec![why], Some(Action::TryNow))
            }
            Freshness::Gone { problem, .. } => {
                (messages::no_longer_serves(&resource), vec![said(problem)], Some(Action::TryNow))
            }
            Freshness::Failed { problem, .. } => {
                (messages::cannot_be_shown(&resource), vec![said(problem)], Some(Action::TryNow))
            }
            _ => return None,
        };
        let sentences: Vec<String> = sentences.into_iter().filter(|text| !text.is_empty()).collect();
        Some(Notice {
            kind: Kind::Bad,
            bold,
            sentence: sentences.join(" "),
            review,
            action,
            ..Notice::default()
        })
    }

    /// The gateway's sentence about a review, taken apart. `None`: it speaks of something else.
    fn review(&self, problem: &Problem) -> Option<Review> {
        let viewer = &self.client.welcome()?.viewer;
        let (said, command) = problem.message.split_once("; ask `")?;
        let asked = said.strip_prefix("you may not ")?;
        let (access, why) = asked.split_once(" (").unwrap_or((asked, ""));
        let groups: Vec<&str> = viewer.groups.iter().map(|group| &**group).collect();
        let answer = words::review_said_no(access, why.trim_end_matches(')'));
        let next = [self.way_round(), words::asked_again(&self.resource())];
        Some(Review {
            asked: format!("{} {answer}", messages::asked_as(&viewer.user, &groups)),
            command: command.trim_end_matches('`').to_owned(),
            next: next.join(" ").trim().to_owned(),
            // The page knows them, a view doesn't.
            instead_title: String::new(),
            instead: Vec::new(),
        })
    }
}
