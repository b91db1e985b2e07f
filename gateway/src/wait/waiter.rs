//! The loop of `dogwatch wait`: views are opened, their rows go to the question, and what it says is printed. Never a
//! decision about an object.

use std::io::Write;
use std::time::Duration;

use page::messages;
use page::table_view::{Client, TableState};
use replica::client::{Input, Output as ClientOutput, ViewKey};
use replica::driver::{Driver, until};
use replica::freshness::{self, Freshness};
use replica::table::Delta;
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use shared::custom_column::CustomColumns;
use shared::frame::client::RowDetail;
use shared::frame::server::Kinds;
use shared::name::ClusterName;
use shared::problem::Reason;
use shared::state::UnixMillis;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, Interval};

use super::End;
use super::args::{Output, Request, Timeout};
use crate::limits::{WAIT_LOOK_MS, WAIT_ONCE_S};
use crate::question::{Asking, Fired, Form, Observed, Of, Place, Proof, Verdict, Waits, proof_of};
use crate::tail::args::Selection;
use crate::tail::endpoint::{Endpoint, Stream, chance};
use crate::tail::report::{self, Reporter};
use crate::tail::target::{Target, clusters, target, unreached};

/// One run of `dogwatch wait`. It owns the driver, the views, the question and the writer to stdout.
struct Waiter {
    driver: Driver<Stream, TableState>,
    /// The gateway's name in messages.
    endpoint: String,
    request: Request,
    asking: Asking,
    stdout: Box<dyn Write + Send>,
    /// Whether the gateway was ever reached. Before that a failure ends the program; later the driver reconnects.
    reached: bool,
    /// One for each selection, once the gateway has said its kinds.
    targets: Vec<OpenTarget>,
    /// Whether the question was ever decided by proven rows.
    begun: bool,
    /// Whether a document was printed.
    has_printed: bool,
    end: Option<End>,
}

struct OpenTarget {
    key: ViewKey,
    target: Target,
    observed: Observed,
    reporter: Reporter,
    /// Its selector has found the objects whose deletion is waited for. From then on all objects are looked at: one that
    /// a selector no longer finds isn't gone.
    finds: bool,
}

enum Event {
    Input(Input),
    /// What time alone makes so, and a view that becomes stale.
    Look,
    Deadline,
    Interrupted,
}

/// Fails with one sentence before a connection is opened.
pub(super) async fn wait(
    request: Request,
    endpoint: Endpoint,
    stdout: Box<dyn Write + Send>,
) -> Result<End, String> {
    let client = Client::new(concat!("wait ", env!("CARGO_PKG_VERSION")), endpoint.sign_in()?);
    let patience = match request.timeout {
        Timeout::Once => Duration::from_secs(WAIT_ONCE_S),
        Timeout::After(length) => length,
    };
    let deadline = Instant::now() + patience;
    let mut look = tokio::time::interval(Duration::from_millis(WAIT_LOOK_MS));
    let mut interrupts = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    let asking = Asking::new(request.question.clone(), !request.is_named);
    let mut waiter = Waiter {
        endpoint: endpoint.name(),
        driver: Driver::start(client, move || Box::pin(endpoint.clone().open()), chance),
        request,
        asking,
        stdout,
        reached: false,
        targets: Vec::new(),
        begun: false,
        has_printed: false,
        end: None,
    };
    waiter.outputs();
    while waiter.end.is_none() {
        let event = waiter.next(deadline, &mut look, &mut interrupts).await;
        waiter.apply(event);
    }
    waiter.driver.close().await;
    Ok(waiter.end.unwrap_or(End::So))
}

impl Waiter {
    async fn next(&mut self, deadline: Instant, look: &mut Interval, interrupts: &mut Signal) -> Event {
        tokio::select! {
            biased;
            _ = interrupts.recv() => Event::Interrupted,
            () = until(Some(deadline)) => Event::Deadline,
            input = self.driver.next() => Event::Input(input),
            _ = look.tick() => Event::Look,
        }
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Input(input) => {
                if let Some(why) = self.driver.connect_error().filter(|_| !self.reached) {
                    self.refuse(format!("{} can't be reached: {why}", self.endpoint));
                    return;
                }
                self.driver.handle(input);
                self.outputs();
            }
            Event::Look => self.grow_old(),
            Event::Deadline => self.at_deadline(),
            Event::Interrupted => self.end = Some(End::Interrupted),
        }
    }

    fn outputs(&mut self) {
        while self.end.is_none() {
            let Some(output) = self.driver.poll_output() else { return };
            self.output(output);
        }
    }

    fn output(&mut self, output: ClientOutput) {
        match output {
            ClientOutput::Welcome => self.reached = true,
            ClientOutput::Link => {
                if let Some(problem) = self.driver.client().connection().link().refusal() {
                    let sentence = problem.message.clone();
                    self.refuse(sentence);
                }
                self.look();
            }
            ClientOutput::Kinds | ClientOutput::Team => self.open(),
            ClientOutput::Rows(key, delta) => self.rows(key, &delta),
            ClientOutput::View(_) => self.look(),
            ClientOutput::Ended(key) => {
                let problem = self.driver.client().view(key).and_then(|view| view.subscription().ended());
                let sentence = problem.map_or_else(String::new, |problem| problem.message.clone());
                self.refuse(sentence);
            }
            ClientOutput::Problem(problem) => match self.reached {
                true => report::line(&messages::sentence(&problem.message)),
                false => self.refuse(problem.message),
            },
            // Wait subscribes to tables of the present alone, and its login has no end.
            _ => {}
        }
    }

    fn refuse(&mut self, sentence: String) {
        self.end.get_or_insert(End::NotSo(vec![sentence]));
    }

    /// Opens a view for each selection, as soon as the kinds are known.
    fn open(&mut self) {
        if !self.targets.is_empty() {
            return;
        }
        let found: Option<Result<Vec<Target>, String>> =
            self.request.selections.iter().map(|of| self.target(of)).collect();
        let targets = match found {
            None => return,
            Some(Err(sentence)) => return self.refuse(sentence),
            Some(Ok(targets)) => targets,
        };
        for (at, target) in targets.into_iter().enumerate() {
            let is_selection = target.scope.labels.is_some() || target.scope.fields.is_some();
            let finds = is_selection && self.request.question.asks_for_deletion();
            let keeps_objects = self.prints_objects();
            let observed = Observed::new(at, &self.request.question.forms, keeps_objects);
            if let Some(name) = &target.scope.name {
                self.asking.expect(target.place(at, name));
            }
            let key = self.view(&target);
            self.targets.push(OpenTarget { key, target, observed, reporter: Reporter::default(), finds });
        }
    }

    /// `None`: the gateway hasn't said its kinds yet.
    fn target(&self, selection: &Selection) -> Option<Result<Target, String>> {
        let client = self.driver.client();
        let welcome = client.welcome()?;
        let names = match clusters(selection, welcome) {
            Ok(names) => names,
            Err(sentence) => return Some(Err(sentence)),
        };
        let kinds: &Kinds = match names.first() {
            Some(name) => client.kinds_of(Some(name))?,
            None => client.kinds()?,
        };
        // A cluster that was never reached names no kinds.
        if kinds.kinds.is_empty() {
            return None;
        }
        Some(target(selection, &names, kinds, Some(welcome)))
    }

    fn prints_objects(&self) -> bool {
        matches!(self.request.output, Output::Json | Output::Yaml)
    }

    /// Each event by itself: what is so between two others counts.
    fn view(&mut self, target: &Target) -> ViewKey {
        let needs_objects = self.request.question.reads_objects() || self.prints_objects();
        let rows = if needs_objects { RowDetail::Objects } else { RowDetail::Whole };
        let now = self.driver.now();
        let names: Vec<_> = target.scope.cluster.iter().cloned().collect();
        let more = (CustomColumns::default(), rows);
        self.driver.client_mut().open_events(target.scope.clone(), &names, more, now)
    }

    fn rows(&mut self, key: ViewKey, delta: &Delta) {
        let now_ms = self.driver.now().now_ms;
        let Some(open) = self.targets.iter_mut().find(|open| open.key == key) else { return };
        let Some(view) = self.driver.client_mut().view_mut(key) else { return };
        let taken = open.observed.take(&mut self.asking, view, delta, view.cluster_now_s(now_ms, None));
        view.remove_tombstones(&delta.removed);
        match taken {
            Ok(()) => self.look(),
            Err(sentence) => self.refuse(sentence),
        }
    }

    fn grow_old(&mut self) {
        let now_ms = self.driver.now().now_ms;
        for open in &mut self.targets {
            let Some(view) = self.driver.client().view(open.key) else { continue };
            open.observed.grow_old(&mut self.asking, view, view.cluster_now_s(now_ms, None));
            open.reporter.report(self.driver.client(), view, now_ms, true);
        }
        self.look();
    }

    /// Asks what the rows come to, and prints it.
    fn look(&mut self) {
        if self.end.is_some() || self.targets.is_empty() {
            return;
        }
        let now_ms = self.driver.now().now_ms;
        if let Some(sentence) = self.hopeless(now_ms) {
            return self.refuse(sentence);
        }
        let proof = self.proof(now_ms);
        if proof == Proof::Now && self.finds_on() {
            return;
        }
        let verdict = self.asking.look(proof, now_ms);
        let fired = self.asking.tell(verdict == Verdict::So);
        self.print(&fired);
        match verdict {
            Verdict::So => drop(self.end.get_or_insert(End::So)),
            Verdict::Refused(_) => self.over(),
            Verdict::Masked(place, form) => {
                let sentence = format!(
                    "{} of {} is masked by this gateway, so it can't be compared",
                    self.form(form),
                    self.resource_of(&place)
                );
                self.end.get_or_insert(End::Unproven(sentence));
            }
            Verdict::Open if proof == Proof::Now => self.at_proven_rows(),
            Verdict::Open => {}
        }
    }

    /// The proven rows don't decide it. What isn't there won't be waited for, as for kubectl, and with `--timeout 0` nothing
    /// is.
    fn at_proven_rows(&mut self) {
        let question = &self.request.question;
        let is_once = self.request.timeout == Timeout::Once;
        if !is_once && self.is_failed() {
            return self.over();
        }
        if !self.begun && self.asking.is_empty() && question.of != Of::None && !question.asks_for_creation() {
            return self.refuse("no matching resources found".to_owned());
        }
        if is_once {
            return self.over();
        }
        self.begun = true;
    }

    /// The deletion of what a selector finds: it has found it, so all objects are looked at from now on. Returns whether
    /// that is still under way.
    fn finds_on(&mut self) -> bool {
        if !self.targets.iter().any(|open| open.finds) {
            return false;
        }
        let now_ms = self.driver.now().now_ms;
        // The rows that are proven now are those whose deletion is waited for.
        self.asking.look(Proof::Now, now_ms);
        for at in 0..self.targets.len() {
            let Some(open) = self.targets.get_mut(at).filter(|open| open.finds) else { continue };
            open.finds = false;
            (open.target.scope.labels, open.target.scope.fields) = (None, None);
            let (former, target) = (open.key, open.target.clone());
            let key = self.view(&target);
            if let Some(open) = self.targets.get_mut(at) {
                open.key = key;
                open.observed =
                    Observed::new(at, &self.request.question.forms, open.observed.keeps_objects());
            }
            self.driver.client_mut().close(former);
        }
        !self.asking.is_empty()
    }

    /// How well the view is proven that is proven least.
    fn proof(&self, now_ms: UnixMillis) -> Proof {
        let of_view = |open: &OpenTarget| match self.driver.client().view(open.key) {
            Some(view) => proof_of(self.driver.client(), view, now_ms),
            None => Proof::Unknown,
        };
        self.targets.iter().map(of_view).max().unwrap_or(Proof::Unknown)
    }

    /// Why waiting won't help: a view that this viewer may not see, or that can't be asked for.
    fn hopeless(&self, now_ms: UnixMillis) -> Option<String> {
        let client = self.driver.client();
        self.targets.iter().find_map(|open| {
            let view = client.view(open.key)?;
            let freshness = freshness::of(client, view, now_ms);
            let is_partly = matches!(&freshness, Freshness::Partly(partly) if partly.is_refused());
            let is_hopeless = match freshness.of_rows() {
                Freshness::Forbidden { .. } | Freshness::Gone { .. } => !self.begun,
                Freshness::Failed { problem, .. } => {
                    let reason = problem.as_ref().map(|problem| problem.reason);
                    matches!(reason, Some(Reason::BadRequest | Reason::Invalid))
                }
                _ => is_partly && !self.begun,
            };
            is_hopeless.then(|| report::words(client, view, &freshness, now_ms, report::zone(now_ms)))
        })
    }

    /// The time is over: what was proven until now isn't so; what isn't proven isn't known.
    fn at_deadline(&mut self) {
        let now_ms = self.driver.now().now_ms;
        self.look();
        if self.end.is_some() {
            return;
        }
        if self.begun && self.proof(now_ms) == Proof::Now {
            return self.over();
        }
        let client = self.driver.client();
        let unproven: Vec<String> = self
            .targets
            .iter()
            .filter_map(|open| {
                let view = client.view(open.key)?;
                let freshness = freshness::of(client, view, now_ms);
                let is_proven = proof_of(client, view, now_ms) == Proof::Now;
                let words = || report::words(client, view, &freshness, now_ms, report::zone(now_ms));
                (!is_proven).then(|| format!("{}: {}", resource(&open.target), words()))
            })
            .collect();
        let why = match unproven.is_empty() {
            false => unproven.join("; "),
            true => self.unreached(),
        };
        self.print_rest();
        self.end = Some(End::Unproven(format!("it can't be proven: {why}")));
    }

    /// Why there isn't a view yet.
    fn unreached(&self) -> String {
        let client = self.driver.client();
        let said = self.request.selections.first().zip(client.welcome()).and_then(|(selection, welcome)| {
            let why = |(name, why): (ClusterName, Option<String>)| {
                why.unwrap_or_else(|| format!("{name} hasn't been reached yet"))
            };
            let said: Vec<String> =
                unreached(&clusters(selection, welcome).ok()?, welcome).into_iter().map(why).collect();
            (!said.is_empty()).then(|| said.join("; "))
        });
        said.unwrap_or_else(|| format!("{} hasn't said which kinds there are", self.endpoint))
    }

    /// Whether an object ends it, whatever becomes of the others.
    fn is_failed(&self) -> bool {
        self.asking.open().any(|(_, waits)| match waits {
            Waits::Missing => self.finds_missing(),
            Waits::Refused(_) => true,
            Waits::NotSo => false,
        })
    }

    /// Whether what isn't there is an error, as for kubectl: it looks for each object once, and then waits for it.
    fn finds_missing(&self) -> bool {
        let question = &self.request.question;
        let awaits_absent = question.asks_for_creation() || question.asks_for_deletion();
        !self.begun && self.request.is_named && !awaits_absent && question.of == Of::All
    }

    /// Says of which objects it isn't so. Where one of them ends it, the others may still become so.
    fn over(&mut self) {
        self.print_rest();
        let is_once = self.request.timeout == Timeout::Once;
        let names_only_failed = !is_once && self.is_failed();
        let question = &self.request.question;
        let are_there = !question.asks_for_creation() || self.asking.were_all_there();
        let sentence = |(place, waits): (&Place, Waits)| match waits {
            Waits::Refused(sentence) => Some(sentence.to_owned()),
            Waits::Missing if self.finds_missing() => {
                let kind = self.targets.get(place.target).map(|open| resource(&open.target))?;
                Some(format!("Error from server (NotFound): {kind} {:?} not found", place.name()))
            }
            _ if names_only_failed => None,
            _ if is_once => Some(format!("condition not met for {}", self.resource_of(place))),
            _ => Some(format!("timed out waiting for the condition on {}", self.resource_of(place))),
        };
        let open: Vec<String> = match question.of {
            Of::All if are_there => self.asking.open().filter_map(sentence).collect(),
            _ => Vec::new(),
        };
        let refused = self.asking.open().find_map(|(_, waits)| match waits {
            Waits::Refused(sentence) => Some(sentence),
            _ => None,
        });
        let open = match (open.is_empty(), refused) {
            (false, _) => open,
            (true, Some(sentence)) => vec![sentence.to_owned()],
            (true, None) if is_once && are_there => vec!["condition not met".to_owned()],
            (true, None) => vec!["timed out waiting for the condition".to_owned()],
        };
        self.end.get_or_insert(End::NotSo(open));
    }

    fn print_rest(&mut self) {
        let fired = self.asking.tell(true);
        self.print(&fired);
    }

    fn print(&mut self, fired: &[Fired]) {
        for of in fired {
            let Some(kind) = self.targets.get(of.place.target).map(|open| open.target.kind.clone()) else {
                continue;
            };
            let name = format!("{kind}/{}", page::cells::shown(of.place.name()));
            let text = match (self.request.output, &of.at.object) {
                (Output::Words, _) => format!("{name} condition met\n"),
                (Output::Json, Some(object)) => indented(object).unwrap_or_default(),
                (Output::Yaml, Some(object)) => self.yaml(object),
                (Output::Name | Output::Json | Output::Yaml, _) => format!("{name}\n"),
            };
            if self.stdout.write_all(text.as_bytes()).and_then(|()| self.stdout.flush()).is_err() {
                // stdout was closed, as `| head` does.
                self.end.get_or_insert(End::So);
                return;
            }
            if self.request.output == Output::Words {
                report::line(&of.in_words(&kind, self.form(of.form)));
            }
        }
    }

    fn yaml(&mut self, object: &str) -> String {
        let separator = if std::mem::replace(&mut self.has_printed, true) { "---\n" } else { "" };
        let object = serde_json::from_str(object).unwrap_or_default();
        separator.to_owned() + &page::detail::yaml::document_in_order(&object)
    }

    fn form(&self, at: usize) -> &str {
        self.request.question.forms.get(at).map_or("", Form::text)
    }

    /// `pods/cart-0`, as kubectl's messages have it.
    fn resource_of(&self, place: &Place) -> String {
        let of_target =
            self.targets.get(place.target).map(|open| open.target.scope.resource.resource.to_string());
        format!("{}/{}", of_target.unwrap_or_default(), place.name())
    }
}

/// `pods`, `deployments.apps`, as the API server's messages have it.
fn resource(target: &Target) -> String {
    let resource = &target.scope.resource;
    match resource.group.as_str() {
        "" => resource.resource.to_string(),
        group => format!("{}.{group}", resource.resource),
    }
}

/// By four spaces, as kubectl does.
fn indented(object: &str) -> Option<String> {
    let object: serde_json::Value = serde_json::from_str(object).ok()?;
    let mut json = Vec::new();
    let formatter = PrettyFormatter::with_indent(b"    ");
    object.serialize(&mut Serializer::with_formatter(&mut json, formatter)).ok()?;
    let json = String::from_utf8(json).ok()?;
    Some(json.lines().map(|line| page::cells::escaped_json(line).into_owned() + "\n").collect())
}
