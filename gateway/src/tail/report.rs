//! What goes to stderr: a line whenever the state of the view changes. Never a row.

use std::collections::BTreeMap;
use std::io::Write;
use std::mem::{self, Discriminant};
use std::sync::OnceLock;

use page::cells;
use page::messages::{self, Zone};
use page::notice::ReaderView;
use page::pill::pill;
use page::query::ReaderId;
use page::table_view::{Client, View};
use replica::freshness::{self, Cause, ClusterState, Freshness};
use shared::name::ClusterName;
use shared::resource::Resource;
use shared::state::UnixMillis;

/// Control characters of the text are escaped, because it may come from an API server. An error means that stderr is
/// closed.
pub fn line(text: &str) {
    for line in text.lines() {
        let _ = writeln!(std::io::stderr(), "{}", cells::shown(line));
    }
}

/// Prints the state of the view whenever it changes.
#[derive(Debug, Default)]
pub(crate) struct Reporter {
    last: Option<ReportedState>,
    reported_gap: Option<(UnixMillis, UnixMillis)>,
    /// Why no cluster could be reached, as it was said last.
    unreached: Vec<String>,
    /// What can't be shown of a view that is current otherwise.
    left_out: Option<String>,
    /// The state of each cluster, in a view of several clusters.
    clusters: BTreeMap<ClusterName, (Discriminant<Freshness>, String)>,
}

/// What tells two states apart: the kind, what the text says of it, and the namespaces that it concerns.
type ReportedState = (Discriminant<Freshness>, String, Vec<Box<str>>);

impl Reporter {
    /// `quiet` prints only states that delay the first rows. A refusal of some namespaces doesn't: the end says it.
    pub(crate) fn report(&mut self, client: &Client, view: &View, now_ms: UnixMillis, quiet: bool) {
        self.lines(client, view, now_ms, quiet).iter().for_each(|text| line(text));
    }

    /// Before there is a view: why clusters can't be reached.
    pub(crate) fn unreached(&mut self, said: &[String]) {
        if self.unreached != said {
            said.iter().for_each(|text| line(text));
            self.unreached = said.to_vec();
        }
    }

    fn lines(&mut self, client: &Client, view: &View, now_ms: UnixMillis, quiet: bool) -> Vec<String> {
        let mut lines = self.state_lines(client, view, now_ms, quiet);
        let left_out = freshness::left_out(client, view).map(|left_out| messages::left_out(&left_out));
        if self.left_out != left_out {
            lines.extend(left_out.iter().map(|said| format!("{} {said}", messages::NOT_ALL_SHOWN)));
            self.left_out = left_out;
        }
        lines
    }

    fn state_lines(&mut self, client: &Client, view: &View, now_ms: UnixMillis, quiet: bool) -> Vec<String> {
        let freshness = freshness::of(client, view, now_ms);
        let zone = zone(now_ms);
        let words = words(client, view, &freshness, now_ms, zone);
        let (state, namespaces, is_refused) = match &freshness {
            Freshness::Partly(partly) => (&partly.worst, partly.names.clone(), partly.is_refused()),
            whole => (whole, Vec::new(), false),
        };
        let is_first_load = matches!(state, Freshness::Syncing { .. });
        let is_calm = is_first_load
            || matches!(state, Freshness::Live { .. } | Freshness::Polled { .. } | Freshness::Past(_));
        let detail = match state {
            // The text of these states counts seconds or rows.
            Freshness::Resuming { .. } => String::new(),
            _ if is_calm => String::new(),
            // After a sleep the same break is told by this clock, by the link and by the gateway: one line is enough.
            Freshness::Stale { .. } => String::new(),
            _ => words.clone(),
        };
        let state_now = Some((mem::discriminant(state), detail, namespaces));
        let clusters = freshness::of_clusters(client, view, now_ms);
        if !clusters.is_empty() {
            return self.cluster_lines(&clusters, &view.subscription().scope.resource, now_ms, quiet);
        }
        let is_told = self.last != state_now && !(quiet && (is_calm || is_refused)) && !is_first_load;
        self.last = state_now;
        is_told.then_some(words).into_iter().chain(self.gap_line(client, view, now_ms, zone)).collect()
    }

    /// One line for each cluster whose state is another.
    fn cluster_lines(
        &mut self,
        clusters: &[ClusterState],
        resource: &Resource,
        now_ms: UnixMillis,
        quiet: bool,
    ) -> Vec<String> {
        let mut lines = Vec::new();
        for ClusterState { name, freshness: state, .. } in clusters {
            let is_first_load = matches!(state, Freshness::Syncing { .. });
            let state_now = (mem::discriminant(state), why(state));
            let is_other = self.clusters.get(name) != Some(&state_now);
            if is_other && !is_first_load && !(quiet && state.is_current()) {
                lines.push(cluster_line(name, state, resource, now_ms));
            }
            self.clusters.insert(name.clone(), state_now);
        }
        self.clusters.retain(|name, _| clusters.iter().any(|cluster| cluster.name == *name));
        lines
    }

    fn gap_line(&mut self, client: &Client, view: &View, now_ms: UnixMillis, zone: Zone) -> Option<String> {
        let gap = view.subscription().gap.as_ref()?;
        let key = (gap.from_ms, gap.to_ms);
        let is_other = self.reported_gap.replace(key) != Some(key);
        let at = |ms| messages::instant(client.local_ms(ms), now_ms, zone);
        let gap_text = messages::gap(&at(gap.from_ms), &at(gap.to_ms));
        is_other.then(|| format!("{gap_text} {}", messages::listed_anew(&gap.reason.words())))
    }
}

/// The state of one of several clusters.
pub(crate) fn cluster_line(
    name: &ClusterName,
    state: &Freshness,
    resource: &Resource,
    now_ms: UnixMillis,
) -> String {
    let pill = pill(state, &resource.to_string(), now_ms, zone(now_ms));
    let why = why(state);
    let why = if why.is_empty() { why } else { format!(": {why}") };
    format!("{name}: {}{}{why}", pill.word, pill.detail)
}

fn why(state: &Freshness) -> String {
    match state {
        Freshness::Stale { cause: Cause::Upstream { problem: Some(problem), .. }, .. }
        | Freshness::Forbidden { problem: Some(problem), .. }
        | Freshness::Gone { problem: Some(problem), .. }
        | Freshness::Failed { problem: Some(problem), .. } => problem.message.clone(),
        _ => String::new(),
    }
}

/// The page's sentence for the state.
pub(crate) fn words(
    client: &Client,
    view: &View,
    freshness: &Freshness,
    now_ms: UnixMillis,
    zone: Zone,
) -> String {
    let resource = view.subscription().scope.resource.to_string();
    let pill = pill(freshness, &resource, now_ms, zone);
    let pill = pill.word + &pill.detail;
    let is_refused = matches!(freshness, Freshness::Partly(partly) if partly.is_refused());
    if freshness.is_current() && !is_refused {
        return pill;
    }
    let shown = ReaderView::new(client, (view, ReaderId::FIRST), freshness, (now_ms, zone));
    match shown.body().filter(|_| !is_refused).or_else(|| shown.line()) {
        Some(notice) => format!("{} {}", notice.bold, notice.sentence).trim().to_owned(),
        None => pill,
    }
}

/// The terminal's zone, as it was at the first call.
pub(crate) fn zone(now_ms: UnixMillis) -> Zone {
    static ZONE: OnceLock<Zone> = OnceLock::new();
    let system = || {
        let rules = jiff::tz::TimeZone::system();
        let ahead_at = |at_s| {
            let at = jiff::Timestamp::from_second(at_s);
            at.map_or(0, |at| i64::from(rules.to_offset(at).seconds()))
        };
        Zone::of(ahead_at, now_ms.div_euclid(1_000))
    };
    *ZONE.get_or_init(system)
}

#[cfg(test)]
mod tests {
    use page::table_view::TableState;
    use replica::client::Input;
    use replica::testing::{ClientRig, GATEWAY_AHEAD_MS, at};
    use shared::problem::{Problem, Reason};
    use shared::state::{StateReport, ViewState};

    use super::*;

    /// After a sleep this clock, the link and the gateway tell of one break, one after the other.
    #[test]
    fn stale_is_said_once_whoever_tells_of_it() {
        let mut rig: ClientRig<TableState> = ClientRig::live();
        let mut reporter = Reporter::default();
        let mut said =
            |rig: &ClientRig<TableState>, now_ms| reporter.lines(&rig.client, rig.view(), now_ms, false);
        assert_eq!(said(&rig, 2_000).len(), 1, "it is live");
        assert!(said(&rig, 60_000)[0].starts_with("Stale since"), "by this clock");
        rig.client.handle(Input::Closed { code: None }, at(61_000));
        assert_eq!(said(&rig, 75_000), [""; 0], "the link");
        let mut rig: ClientRig<TableState> = ClientRig::live();
        let broken = StateReport::of(ViewState::Stale { since_ms: 1_000 + GATEWAY_AHEAD_MS });
        rig.state(broken.because(Problem::new(Reason::ConnectionReset, "reset")), 76_000);
        assert_eq!(said(&rig, 76_000), [""; 0], "the gateway");
        rig.sync(1, None, 80_000);
        rig.state(StateReport::of(ViewState::Live), 80_000);
        assert!(said(&rig, 80_100)[0].starts_with("Live"), "it is over");
    }
    #[test]
    fn an_object_that_cannot_be_shown_is_named_once() {
        let mut rig: ClientRig<TableState> = ClientRig::live();
        let mut reporter = Reporter::default();
        let mut said = |rig: &ClientRig<TableState>| reporter.lines(&rig.client, rig.view(), 3_000, true);
        assert_eq!(said(&rig), [""; 0]);
        let problem = Problem::new(Reason::TooLarge, "left out: shop/catalog: it is over 16 MiB");
        rig.state(StateReport::of(ViewState::Live).because(problem.clone()), 2_000);
        assert_eq!(said(&rig), ["Not everything is shown. Left out: shop/catalog: it is over 16 MiB."]);
        assert_eq!(said(&rig), [""; 0]);
        rig.state(StateReport::of(ViewState::Live), 2_100);
        assert_eq!(said(&rig), [""; 0]);
        rig.state(StateReport::of(ViewState::Live).because(problem), 2_200);
        assert_eq!(said(&rig).len(), 1, "it is left out again");
    }
}
