//! Follows one table: what is printed, and when the program ends. The replica computes rows and states; its driver
//! handles connections.

use std::io::Write;
use std::time::Duration;

use page::messages;
use page::table_view::{Client, TableState};
use replica::client::{Input, Output, ViewKey};
use replica::driver::Driver;
use replica::freshness::{self, ClusterState, Freshness, Record};
use shared::frame::client::{RowDetail, SubscriptionId};
use shared::frame::server::{Kinds, PastAnswer};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::resource::resolve;
use shared::state::UnixMillis;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, Interval};

use super::End;
use super::args::{ClusterChoice, PastChoice, Request};
use super::endpoint::{Endpoint, Stream, chance};
use super::print::{Printer, rows_of};
use super::report::{self, Reporter};
use super::since::{Answered, Clocks, Next, Since};
use super::target::{Target, clusters, target, unreached};
use super::until::Until;
use crate::limits::TAIL_LOOK_MS;
use crate::question::{Proof, Question, proof_of};

/// One run of `dogwatch tail` over a table. It owns the driver, the open view and the writer to stdout.
struct Follower {
    driver: Driver<Stream, TableState>,
    /// The gateway's name in messages.
    endpoint: String,
    request: Request,
    stdout: Box<dyn Write + Send>,
    /// Whether the gateway was ever reached. Before that a failure ends the program; later the driver reconnects.
    reached: bool,
    view: Option<OpenView>,
    /// With `--since`, from when the kind is known.
    since: Option<Since>,
    /// With `--until`, from when the kind is known.
    until: Option<Until>,
    reporter: Reporter,
    end: Option<End>,
}

struct OpenView {
    /// `None`: the past is read first.
    key: Option<ViewKey>,
    target: Target,
    printer: Printer,
    /// Whether the first rows were printed.
    begun: bool,
}

enum FollowEvent {
    Input(Input),
    /// A view becomes stale without an input.
    Look,
    Deadline,
    Interrupted,
}

/// Fails with one sentence before a connection is opened.
pub(super) async fn follow(
    request: Request,
    endpoint: Endpoint,
    stdout: Box<dyn Write + Send>,
) -> Result<End, String> {
    let client = Client::new(concat!("tail ", env!("CARGO_PKG_VERSION")), endpoint.sign_in()?);
    let deadline = request.timeout.map(|timeout| Instant::now() + timeout);
    let mut look = tokio::time::interval(Duration::from_millis(TAIL_LOOK_MS));
    let mut interrupts = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    let mut follower = Follower {
        endpoint: endpoint.name(),
        driver: Driver::start(client, move || Box::pin(endpoint.clone().open()), chance),
        request,
        stdout,
        reached: false,
        view: None,
        since: None,
        until: None,
        reporter: Reporter::default(),
        end: None,
    };
    follower.outputs();
    while follower.end.is_none() {
        let event = follower.next(deadline, &mut look, &mut interrupts).await;
        follower.apply(event);
    }
    follower.driver.close().await;
    Ok(follower.end.unwrap_or(End::Done))
}

impl Follower {
    async fn next(
        &mut self,
        deadline: Option<Instant>,
        look: &mut Interval,
        interrupts: &mut Signal,
    ) -> FollowEvent {
        tokio::select! {
            biased;
            _ = interrupts.recv() => FollowEvent::Interrupted,
            () = until(deadline) => FollowEvent::Deadline,
            input = self.driver.next() => FollowEvent::Input(input),
            _ = look.tick() => FollowEvent::Look,
        }
    }

    fn apply(&mut self, event: FollowEvent) {
        match event {
            FollowEvent::Input(input) => {
                if let Some(why) = self.driver.connect_error().filter(|_| !self.reached) {
                    self.end = Some(End::Problem(format!("{} can't be reached: {why}", self.endpoint)));
                    return;
                }
                self.driver.handle(input);
                self.outputs();
            }
            FollowEvent::Look => {
                self.grow_old();
                self.report();
            }
            FollowEvent::Deadline => self.end = Some(self.at_deadline()),
            FollowEvent::Interrupted => self.end = Some(End::Interrupted),
        }
    }

    fn outputs(&mut self) {
        while self.end.is_none() {
            let Some(output) = self.driver.poll_output() else { return self.report() };
            self.output(output);
        }
    }

    fn output(&mut self, output: Output) {
        match output {
            Output::Welcome => {
                self.reached = true;
                self.ask_past();
            }
            Output::Link => self.refused(),
            Output::Kinds => {
                self.subscribe();
                self.ask_past();
            }
            Output::Past(answer) => self.past(&answer),
            Output::Unanswered(id, problem) => self.not_recorded(id, problem),
            Output::Rows(key, delta) => self.rows(key, &delta),
            Output::View(_) => self.settled(),
            Output::Ended(key) => {
                let problem = self.driver.client().view(key).and_then(|view| view.subscription().ended());
                let sentence = problem.map_or_else(String::new, |problem| problem.message.clone());
                self.end = Some(End::Problem(sentence));
            }
            Output::Problem(problem) => {
                if !self.reached {
                    self.end = Some(End::Problem(problem.message));
                } else {
                    report::line(&messages::sentence(&problem.message));
                }
            }
            Output::Connect | Output::Send(_) | Output::Prove { .. } | Output::Close { .. } => {}
            // Tail subscribes to tables alone, and its login has no end.
            Output::Object(_)
            | Output::Timeline(..)
            | Output::Got(..)
            | Output::Auth(_)
            | Output::Rights(_)
            | Output::Logs(_) => {}
            // What was printed stays in the terminal; the rows come again.
            Output::Purged(_) => {}
            Output::Team => {
                self.subscribe();
                self.follow_clusters();
            }
        }
    }

    /// Ends the program if another try would be refused as well.
    fn refused(&mut self) {
        if let Some(problem) = self.driver.client().connection().link().refusal() {
            self.end = Some(End::Problem(problem.message.clone()));
        }
    }

    fn subscribe(&mut self) {
        if self.view.is_some() {
            return;
        }
        let found = match self.chosen() {
            None => return self.wait_for_clusters(),
            Some(Err(sentence)) => Err(sentence),
            Some(Ok((clusters, kinds))) => {
                target(&self.request.selection, &clusters, kinds, self.driver.client().welcome())
                    .map(|target| (target, clusters))
            }
        };
        match found {
            Ok((target, clusters)) => {
                let printer = Printer::new(self.request.output.clone(), &target);
                self.until = self.request.until.as_ref().map(|question| Until::new(question, &target));
                if target.ignores_namespace {
                    report::line(&format!("{} have no namespace: -n is ignored", target.scope.resource));
                }
                let now_ms = self.driver.now().now_ms;
                let ends_ms = self.ends_ms();
                self.request.once |= ends_ms.is_some();
                let gateway_ms = ends_ms.unwrap_or_else(|| self.driver.client().gateway_ms(now_ms));
                let past = match self.request.past {
                    PastChoice::Nothing => Ok(None),
                    PastChoice::At(time) | PastChoice::Since(time) => time.ms(gateway_ms).map(Some),
                };
                let key = match (past, self.request.past) {
                    (Err(problem), _) => {
                        self.end = Some(End::Problem(problem.message));
                        return;
                    }
                    (Ok(Some(since_ms)), PastChoice::Since(_)) => {
                        let objects = self.request.output.needs_objects();
                        let resource = target.scope.resource.to_string();
                        self.since = Some(Since::new(resource, since_ms, objects));
                        None
                    }
                    (Ok(at_ms), _) => Some(self.open(&target, &clusters, at_ms)),
                };
                self.view = Some(OpenView { key, target, printer, begun: false });
            }
            Err(sentence) => self.end = Some(End::Problem(sentence)),
        }
    }

    /// A record that is replayed ends, and nothing goes on from there.
    fn ends_ms(&self) -> Option<UnixMillis> {
        Some(self.driver.client().welcome()?.replays?.to_ms)
    }

    fn open(&mut self, target: &Target, clusters: &[ClusterName], at_ms: Option<UnixMillis>) -> ViewKey {
        let now = self.driver.now();
        let at_ms = at_ms.or(self.ends_ms());
        let (client, scope) = (self.driver.client_mut(), target.scope.clone());
        let Request { output, columns, once, until, .. } = &self.request;
        let has_events = output.format.is_of_events() && !once;
        let needs_objects = output.needs_objects() || until.as_ref().is_some_and(Question::reads_objects);
        let rows = match (needs_objects, has_events) {
            (true, _) => RowDetail::Objects,
            (false, true) => RowDetail::Whole,
            (false, false) => RowDetail::Changes,
        };
        let more = (columns.clone(), rows);
        match has_events {
            true => client.open_events(scope, clusters, more, now),
            false => client.open_at(scope, clusters, more, at_ms, now),
        }
    }

    /// Asks the record on, where that is due.
    fn ask_past(&mut self) {
        let (Some(since), Some(open)) = (&mut self.since, &self.view) else { return };
        if let Some(asked) = since.question() {
            let id = self.driver.client_mut().ask_past(open.target.scope.clone(), asked);
            since.asked(id);
        }
    }

    fn past(&mut self, answer: &PastAnswer) {
        let now_ms = self.driver.now().now_ms;
        let (Some(since), Some(open)) = (&mut self.since, &mut self.view) else { return };
        let client = self.driver.client();
        let clocks = Clocks { now_ms, local_ms: &|gateway_ms| client.local_ms(gateway_ms) };
        let Some(Answered { columns, printed, said, next }) = since.answered(answer, &clocks) else {
            return;
        };
        said.iter().for_each(|sentence| report::line(sentence));
        let text = open.printer.print(&columns, &printed, now_ms.div_euclid(1_000));
        self.write(&text);
        match next {
            Next::Ask => self.ask_past(),
            Next::Open => self.open_present(),
            Next::Joined => self.join(),
        }
    }

    /// A connection that ended is asked again when it is back.
    fn not_recorded(&mut self, id: SubscriptionId, problem: Problem) {
        let is_of_since = self.since.as_mut().is_some_and(|since| since.takes_back(id));
        if is_of_since && problem.reason != Reason::ConnectionClosed {
            self.end = Some(End::Problem(problem.message));
        }
    }

    fn open_present(&mut self) {
        let (Some(Ok((clusters, _))), Some(open)) = (self.chosen(), &self.view) else { return };
        let target = open.target.clone();
        let key = self.open(&target, &clusters, None);
        if let (Some(open), Some(since)) = (&mut self.view, &mut self.since) {
            open.key = Some(key);
            since.opened();
        }
    }

    /// The record has told what it heard until the rows were exact: they follow.
    fn join(&mut self) {
        let now_ms = self.driver.now().now_ms;
        let (Some(since), Some(open)) = (&mut self.since, &mut self.view) else { return };
        let Some(view) = open.key.and_then(|key| self.driver.client().view(key)) else { return };
        open.begun = true;
        let printed = since.join(self.request.shows_first);
        let now = view.cluster_now_s(now_ms, None);
        let text = open.printer.print(view.table().columns(), &printed, now);
        self.write(&text);
        if self.request.once {
            self.end.get_or_insert(End::Done);
        }
    }

    /// The clusters that were asked for, and the kinds of the first of them that serves the resource. `None`: the gateway
    /// hasn't said the kinds of all of them yet.
    fn chosen(&self) -> Option<Result<(Vec<ClusterName>, &Kinds), String>> {
        let client = self.driver.client();
        let clusters = match clusters(&self.request.selection, client.welcome()?) {
            Ok(clusters) => clusters,
            Err(sentence) => return Some(Err(sentence)),
        };
        let home = client.kinds()?;
        let kinds: Option<Vec<&Kinds>> = clusters.iter().map(|name| client.kinds_of(Some(name))).collect();
        let kinds = kinds?;
        let serves = |kinds: &&&Kinds| resolve(&kinds.kinds, &self.request.selection.word).is_ok();
        let first = kinds.iter().find(serves).or(kinds.first()).copied().unwrap_or(home);
        // A cluster that was never reached names no kinds.
        if first.kinds.is_empty() {
            return None;
        }
        Some(Ok((clusters, first)))
    }

    /// None of the clusters was ever reached. With `--once` that ends the program as soon as it is known why; otherwise it
    /// is said, and the view waits.
    fn wait_for_clusters(&mut self) {
        let (asked, unreached) = self.unreached();
        let said: Vec<String> = unreached.iter().filter_map(|(_, why)| why.clone()).collect();
        // Those that answer name the kinds, and have rows.
        if said.is_empty() || unreached.len() < asked {
            return;
        }
        if self.request.once && said.len() == unreached.len() {
            self.end = Some(End::Problem(said.join("\n")));
        } else {
            self.reporter.unreached(&said);
        }
    }

    /// How many clusters were asked for by name, and those that were never reached.
    fn unreached(&self) -> (usize, Vec<(ClusterName, Option<String>)>) {
        let Some(welcome) = self.driver.client().welcome() else { return (0, Vec::new()) };
        let named = clusters(&self.request.selection, welcome);
        named.map(|names| (names.len(), unreached(&names, welcome))).unwrap_or_default()
    }

    /// In a view of several clusters, those that come or go while it runs.
    fn follow_clusters(&mut self) {
        let (Some(open), ClusterChoice::All) = (&self.view, &self.request.selection.clusters) else { return };
        let (Some(key), now) = (open.key, self.driver.now()) else { return };
        let names: Vec<ClusterName> =
            self.driver.client().clusters().iter().map(|cluster| cluster.name.clone()).collect();
        self.driver.client_mut().set_clusters(key, &names, now);
    }

    fn rows(&mut self, key: ViewKey, delta: &replica::table::Delta) {
        let now_ms = self.driver.now().now_ms;
        let (Some(open), Some(view)) = (&mut self.view, self.driver.client_mut().view_mut(key)) else {
            return;
        };
        let now = view.cluster_now_s(now_ms, None);
        let printed = match &mut self.since {
            Some(since) => {
                let changes = open.printer.changed(view, delta);
                let untold = since.changed(changes, &delta.resource_version);
                open.printer.print(view.table().columns(), &untold, now)
            }
            None if open.begun => open.printer.changes(view, delta, now),
            None => String::new(),
        };
        let taken = self.until.as_mut().map_or(Ok(()), |until| until.take(view, delta, now));
        // Tail shows no deleted rows.
        view.remove_tombstones(&delta.removed);
        self.write(&printed);
        self.settled();
        match taken {
            Ok(()) => self.look_until(),
            Err(sentence) => drop(self.end.get_or_insert(End::Problem(sentence))),
        }
    }

    /// Whether what `--until` waits for is so. What made it so was printed before.
    fn look_until(&mut self) {
        let now_ms = self.driver.now().now_ms;
        let Some(open) = self.view.as_ref().filter(|open| open.begun) else { return };
        let client = self.driver.client();
        let (Some(until), Some(view)) = (&mut self.until, open.key.and_then(|key| client.view(key))) else {
            return;
        };
        if self.end.is_none() {
            self.end = until.look(client, view, now_ms);
        }
    }

    /// Prints the first rows as soon as they are exact; with `--once` it ends then.
    fn settled(&mut self) {
        let now_ms = self.driver.now().now_ms;
        let (once, shows_first) = (self.request.once, self.request.shows_first);
        let Some(open) = self.view.as_mut().filter(|open| !open.begun) else { return };
        let Some(view) = open.key.and_then(|key| self.driver.client().view(key)) else { return };
        let freshness = freshness::of(self.driver.client(), view, now_ms);
        let clusters = freshness::of_clusters(self.driver.client(), view, now_ms);
        if !clusters.is_empty() {
            return self.settled_of_clusters(&clusters);
        }
        if is_hopeless(&freshness, once) {
            let said = report::words(self.driver.client(), view, &freshness, now_ms, report::zone(now_ms));
            // The API server's answer doesn't quote the selector.
            let asked = self
                .request
                .selection
                .fields
                .as_ref()
                .map(|fields| format!(" (field selector {:?})", fields.as_str()));
            self.end.get_or_insert(End::Problem(said + &asked.unwrap_or_default()));
            return;
        }
        let refused = match &freshness {
            Freshness::Partly(partly) if partly.is_refused() => {
                Some(report::words(self.driver.client(), view, &freshness, now_ms, report::zone(now_ms)))
            }
            _ => None,
        };
        let as_of = match &freshness {
            Freshness::Past(as_of) if as_of.is_reading() => return,
            Freshness::Past(as_of) => {
                if let Record::Refused(problem) = &as_of.record {
                    self.end.get_or_insert(End::Problem(problem.message.clone()));
                    return;
                }
                Some(report::words(self.driver.client(), view, &freshness, now_ms, report::zone(now_ms)))
            }
            _ => None,
        };
        // Rows of the other namespaces are exact where their own state is current.
        if !(view.is_exact() || as_of.is_some() || refused.is_some() && freshness.is_current()) {
            return;
        }
        if let Some(since) = self.since.as_mut().filter(|since| !since.is_joined()) {
            if since.settled(|| rows_of(view)) {
                self.ask_past();
            }
            return;
        }
        open.begun = true;
        let printed = open.printer.all(view, view.cluster_now_s(now_ms, None));
        let nothing = view.table().is_empty().then(|| open.target.nothing_found());
        let named = open.target.scope.name.is_some();
        if shows_first {
            self.write(&printed);
        }
        as_of.iter().for_each(|said| report::line(said));
        if once {
            self.end.get_or_insert(match nothing {
                _ if refused.is_some() => End::Problem(refused.unwrap_or_default()),
                // As for kubectl, a named object that doesn't exist is an error.
                Some(sentence) if named => End::Problem(sentence),
                Some(sentence) => {
                    report::line(&sentence);
                    End::Done
                }
                None => End::Done,
            });
        } else if let Some(sentence) = nothing {
            report::line(&sentence);
        }
    }

    /// One of several clusters that is out of reach, or shows nothing to this viewer, doesn't hold up the rows of the others.
    fn settled_of_clusters(&mut self, clusters: &[ClusterState]) {
        let now_ms = self.driver.now().now_ms;
        let (once, shows_first) = (self.request.once, self.request.shows_first);
        let Some(open) = self.view.as_mut().filter(|open| !open.begun) else { return };
        let Some(view) = open.key.and_then(|key| self.driver.client().view(key)) else { return };
        if clusters.iter().any(|cluster| matches!(cluster.freshness, Freshness::Syncing { .. })) {
            return;
        }
        open.begun = true;
        let printed = open.printer.all(view, view.cluster_now_s(now_ms, None));
        let is_empty = view.table().is_empty();
        let resource = &view.subscription().scope.resource;
        let others = clusters.iter().filter(|cluster| !cluster.freshness.is_current());
        let others: Vec<String> = others
            .map(|other| report::cluster_line(&other.name, &other.freshness, resource, now_ms))
            .collect();
        let nothing = open.target.nothing_found();
        if shows_first {
            self.write(&printed);
        }
        if once {
            let end = if others.is_empty() { End::Done } else { End::Problem(others.join("\n")) };
            self.end.get_or_insert(end);
        }
        if is_empty && others.is_empty() {
            report::line(&nothing);
        }
    }

    fn write(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.stdout.write_all(text.as_bytes()).and_then(|()| self.stdout.flush()).is_err() {
            // stdout was closed, as `| head` does.
            self.end = Some(End::Done);
        }
    }

    fn grow_old(&mut self) {
        let now_ms = self.driver.now().now_ms;
        let view = self.view.as_ref().and_then(|open| self.driver.client().view(open.key?));
        if let (Some(until), Some(view)) = (&mut self.until, view) {
            until.grow_old(view, view.cluster_now_s(now_ms, None));
        }
    }

    fn report(&mut self) {
        if self.end.is_some() {
            return;
        }
        self.settled();
        self.look_until();
        let now_ms = self.driver.now().now_ms;
        let Some(view) = self.view.as_ref().and_then(|open| self.driver.client().view(open.key?)) else {
            return;
        };
        if self.end.is_none() {
            self.reporter.report(self.driver.client(), view, now_ms, self.request.once);
        }
    }

    /// The time is over. Rows that were printed were exact, and were followed for so long.
    fn at_deadline(&mut self) -> End {
        if self.until.is_some() {
            return self.not_so();
        }
        match &self.view {
            Some(open) if open.begun => End::Done,
            _ => End::NotExact(self.not_exact()),
        }
    }

    /// What isn't so of exact rows isn't so; of others it isn't known.
    fn not_so(&mut self) -> End {
        let now_ms = self.driver.now().now_ms;
        let client = self.driver.client();
        let view = self.view.as_ref().filter(|open| open.begun).and_then(|open| client.view(open.key?));
        match view {
            Some(view) if proof_of(client, view, now_ms) == Proof::Now => {
                End::Problem("timed out waiting for the condition".to_owned())
            }
            _ => End::NotExact(self.not_exact()),
        }
    }

    fn not_exact(&mut self) -> String {
        let now_ms = self.driver.now().now_ms;
        let waited = self.request.timeout.unwrap_or_default().as_secs();
        let state = self.view.as_ref().and_then(|open| self.driver.client().view(open.key?)).map(|view| {
            let freshness = freshness::of(self.driver.client(), view, now_ms);
            report::words(self.driver.client(), view, &freshness, now_ms, report::zone(now_ms))
        });
        let unreached: Vec<String> = self
            .unreached()
            .1
            .into_iter()
            .map(|(name, why)| why.unwrap_or_else(|| format!("{name} hasn't been reached yet")))
            .collect();
        let state = state.unwrap_or_else(|| match unreached.is_empty() {
            true => format!("{} hasn't said which kinds there are", self.endpoint),
            false => unreached.join("; "),
        });
        format!("no exact rows within {waited} s: {state}")
    }
}

/// Whether to end instead of waiting: with `--once` for every refusal, otherwise only for a selector that the API
/// server refuses, because it stays wrong.
fn is_hopeless(freshness: &Freshness, once: bool) -> bool {
    match freshness.of_rows() {
        Freshness::Forbidden { .. } | Freshness::Gone { .. } => once,
        Freshness::Failed { problem, .. } => {
            let reason = problem.as_ref().map(|problem| problem.reason);
            once || matches!(reason, Some(Reason::BadRequest | Reason::Invalid))
        }
        _ => false,
    }
}

async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
