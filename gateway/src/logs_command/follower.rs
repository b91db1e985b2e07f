//! The loop of `dogwatch logs`: the logs are asked for, a question for each cluster, and again behind what was printed when a
//! connection is back.

use std::io::Write;

use page::messages;
use page::table_view::{Client, TableState};
use replica::client::{Input, Output};
use replica::driver::Driver;
use shared::frame::client::{LogAsked, LogTime, SubscriptionId};
use shared::frame::server::LogAnswer;
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::End;
use super::args::{Containers, Request, Since};
use super::merge::Merge;
use super::print::{Out, Printer, Style};
use crate::tail::args::ClusterChoice;
use crate::tail::endpoint::{Endpoint, Stream, chance};
use crate::tail::report;
use crate::tail::target::{clusters, target, unreached};

/// A run of `dogwatch logs`. The follower owns the driver, what was printed, and the writer to stdout.
struct Follower {
    driver: Driver<Stream, TableState>,
    /// The gateway's name in messages.
    endpoint: String,
    request: Request,
    stdout: Box<dyn Write + Send>,
    printer: Printer,
    merge: Merge,
    /// Whether the gateway was ever reached. Before that a failure ends the program; later the driver reconnects.
    reached: bool,
    /// By the numbers that printer and merge know their answers by.
    questions: Vec<Question>,
    end: Option<End>,
}

/// What is asked of one cluster.
struct Question {
    /// `None`: the gateway's home cluster.
    cluster: Option<ClusterName>,
    /// The scope and the question, as soon as the kinds are known.
    asked: Option<(Scope, LogAsked)>,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    NotAsked,
    Asked(SubscriptionId),
    Over,
    Refused,
}

enum Event {
    Input(Input),
    Interrupted,
}

/// Fails with one sentence before a connection is opened.
pub(super) async fn follow(
    request: Request,
    endpoint: Endpoint,
    stdout: Box<dyn Write + Send>,
    is_terminal: bool,
) -> Result<End, String> {
    let client = Client::new(concat!("logs ", env!("CARGO_PKG_VERSION")), endpoint.sign_in()?);
    let mut interrupts = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    let Request { has_times, has_prefix, has_prefix_of_several, bytes_max, .. } = request;
    let mut follower = Follower {
        endpoint: endpoint.name(),
        driver: Driver::start(client, move || Box::pin(endpoint.clone().open()), chance),
        request,
        stdout,
        printer: Printer::new(Style { has_times, has_prefix, has_prefix_of_several, bytes_max, is_terminal }),
        merge: Merge::default(),
        reached: false,
        questions: Vec::new(),
        end: None,
    };
    follower.outputs();
    while follower.end.is_none() {
        let event = follower.next(&mut interrupts).await;
        follower.apply(event);
    }
    follower.driver.close().await;
    Ok(follower.end.unwrap_or(End::Done))
}

impl Follower {
    async fn next(&mut self, interrupts: &mut Signal) -> Event {
        tokio::select! {
            biased;
            _ = interrupts.recv() => Event::Interrupted,
            input = self.driver.next() => Event::Input(input),
        }
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Input(input) => {
                if let Some(why) = self.driver.connect_error().filter(|_| !self.reached) {
                    return self.refuse(format!("{} can't be reached: {why}", self.endpoint));
                }
                self.driver.handle(input);
                self.outputs();
            }
            Event::Interrupted => self.end = Some(End::Interrupted),
        }
    }

    fn outputs(&mut self) {
        while self.end.is_none() {
            let Some(output) = self.driver.poll_output() else { return };
            self.output(output);
        }
    }

    fn output(&mut self, output: Output) {
        match output {
            Output::Welcome => {
                self.reached = true;
                self.ask();
            }
            Output::Kinds | Output::Team => self.ask(),
            Output::Link => {
                if let Some(problem) = self.driver.client().connection().link().refusal() {
                    let sentence = problem.message.clone();
                    self.refuse(sentence);
                }
            }
            Output::Logs(id) => {
                let Some(at) = self.question_of(id) else { return };
                for answer in self.driver.client_mut().take_logs(id) {
                    self.told(at, &answer);
                }
            }
            Output::Unanswered(id, problem) => {
                if let Some(at) = self.question_of(id) {
                    self.ended(at, problem);
                }
            }
            Output::Problem(problem) => match self.reached {
                true => report::line(&messages::sentence(&problem.message)),
                false => self.refuse(problem.message),
            },
            // Nothing else is asked for, and the login has no end.
            _ => {}
        }
    }

    fn refuse(&mut self, sentence: String) {
        self.end.get_or_insert(End::Problem(sentence));
    }

    fn question_of(&self, id: SubscriptionId) -> Option<usize> {
        self.questions.iter().position(|question| question.state == State::Asked(id))
    }

    /// Asks for the logs, of each cluster once the gateway has named its kinds.
    fn ask(&mut self) {
        if let Err(sentence) = self.choose() {
            return self.refuse(sentence);
        }
        for at in 0..self.questions.len() {
            self.ask_of(at);
        }
        self.give();
    }

    /// Which clusters are asked. Where all are, also those that come later.
    fn choose(&mut self) -> Result<(), String> {
        let Some(welcome) = self.driver.client().welcome() else { return Ok(()) };
        if !welcome.logs {
            let sentence = "this gateway shows no logs; its setting logs says so (`dogwatch serve --logs`)";
            return Err(sentence.to_owned());
        }
        let selection = &self.request.selection;
        if !self.questions.is_empty() && selection.clusters != ClusterChoice::All {
            return Ok(());
        }
        let names = clusters(selection, welcome)?;
        let names: Vec<Option<ClusterName>> =
            if names.is_empty() { vec![None] } else { names.into_iter().map(Some).collect() };
        for cluster in names {
            if self.questions.iter().all(|question| question.cluster != cluster) {
                self.printer.add(cluster.as_ref().map_or("", |name| name.as_str()));
                self.merge.add();
                self.questions.push(Question { cluster, asked: None, state: State::NotAsked });
            }
        }
        Ok(())
    }

    fn ask_of(&mut self, at: usize) {
        let Some(question) = self.questions.get(at).filter(|of| of.state == State::NotAsked) else { return };
        let asked = match &question.asked {
            Some(asked) => asked.clone(),
            None => match self.scope(question.cluster.as_ref()) {
                None => return,
                Some(Err(sentence)) => return self.refuse_of(at, &sentence),
                Some(Ok(scope)) => {
                    let now_ms = self.driver.now().now_ms;
                    (scope, self.request.asked(self.driver.client().gateway_ms(now_ms)))
                }
            },
        };
        let has = self.printer.has(at);
        self.printer.begin(at);
        self.merge.forget(at);
        let (scope, of) = asked.clone();
        let id = self.driver.client_mut().open_logs(scope, LogAsked { has, ..of });
        if let Some(question) = self.questions.get_mut(at) {
            question.asked = Some(asked);
            question.state = id.map_or(State::NotAsked, State::Asked);
        }
    }

    /// `None`: the gateway hasn't said the kinds of this cluster yet.
    fn scope(&self, cluster: Option<&ClusterName>) -> Option<Result<Scope, String>> {
        let client = self.driver.client();
        let welcome = client.welcome()?;
        let names = Vec::from_iter(cluster.cloned());
        let kinds = client.kinds_of(cluster).filter(|kinds| !kinds.kinds.is_empty());
        let Some(kinds) = kinds else {
            // A cluster that was never reached names no kinds. The others don't wait for it.
            let (name, why) = unreached(&names, welcome).pop().filter(|_| self.questions.len() > 1)?;
            let why = why?;
            // The sentence says the cluster before it.
            return Some(Err(why.strip_prefix(&format!("{name} ")).unwrap_or(&why).to_owned()));
        };
        Some(target(&self.request.selection, &names, kinds, Some(welcome)).map(|target| target.scope))
    }

    fn told(&mut self, at: usize, answer: &LogAnswer) {
        let Some(part) = answer.read() else {
            return self.refuse("the gateway's answer can't be read; update this program".to_owned());
        };
        let is_first = self.printer.is_new(at);
        part.sources.iter().for_each(|source| self.printer.meet(at, source));
        if is_first && part.over && self.printer.is_new(at) {
            let asked = self.questions.get(at).and_then(|question| question.asked.as_ref());
            let place = match asked.map(|(scope, _)| &scope.namespaces) {
                Some(Namespaces::These(names)) => names.first().map_or_else(String::new, ToString::to_string),
                _ => String::new(),
            };
            let before = self.printer.before_sentence(at);
            report::line(&format!("{before}No resources found in {place} namespace."));
        }
        for entry in part.entries {
            self.merge.push(at, entry);
        }
        if part.caught_up {
            self.merge.told(at);
        }
        if part.over {
            self.is_done(at, State::Over);
        }
        self.give();
    }

    fn is_done(&mut self, at: usize, state: State) {
        self.merge.told(at);
        if let Some(question) = self.questions.get_mut(at) {
            question.state = state;
        }
    }

    /// Prints what is to be printed now. The program ends when nothing more comes.
    fn give(&mut self) {
        if self.end.is_some() {
            return;
        }
        let mut out = Out::default();
        while let Some((at, entry)) = self.merge.next() {
            self.printer.print(at, &entry, &mut out);
        }
        let written = self.stdout.write_all(out.stdout.as_bytes()).and_then(|()| self.stdout.flush());
        out.stderr.iter().for_each(|line| report::line(line));
        if self.merge.take_overrun() {
            report::line("A cluster is slow to tell its lines: from here on they come out of their order.");
        }
        if written.is_err() {
            self.end = Some(End::Done);
            return;
        }
        for at in 0..self.questions.len() {
            let id = match self.questions.get(at).map(|question| &question.state) {
                Some(State::Asked(id)) if !self.merge.has(at) && self.printer.is_full(at) => *id,
                _ => continue,
            };
            self.driver.client_mut().close_logs(id, false);
            self.is_done(at, State::Over);
        }
        let is_done = |question: &Question| matches!(question.state, State::Over | State::Refused);
        if !self.questions.is_empty() && self.questions.iter().all(is_done) {
            let is_refused = self.questions.iter().any(|question| question.state == State::Refused);
            let is_whole = !is_refused && !self.printer.is_incomplete();
            self.end = Some(if is_whole { End::Done } else { End::NotAll });
        }
    }

    /// The others are read where one of several clusters refuses.
    fn refuse_of(&mut self, at: usize, sentence: &str) {
        if self.questions.len() < 2 {
            return self.refuse(sentence.to_owned());
        }
        report::line(&format!("error: {}{sentence}", self.printer.before_sentence(at)));
        self.is_done(at, State::Refused);
        self.give();
    }

    /// What breaks off is asked for again behind what was printed.
    fn ended(&mut self, at: usize, problem: Problem) {
        if let Some(question) = self.questions.get_mut(at) {
            question.state = State::NotAsked;
        }
        match problem.reason {
            Reason::ConnectionClosed => {}
            Reason::Expired => {
                let before = self.printer.before_sentence(at);
                report::line(&format!("{before}{}", messages::sentence(&problem.message)));
                self.ask();
            }
            _ => self.refuse_of(at, &problem.message),
        }
    }
}

impl Request {
    /// `now_ms`: by the gateway's clock.
    fn asked(&self, now_ms: UnixMillis) -> LogAsked {
        let since = match self.since {
            Since::Beginning => None,
            Since::Ago(length) => {
                let ago_ms = UnixMillis::try_from(length.as_millis()).unwrap_or(UnixMillis::MAX);
                Some(LogTime { ms: now_ms.saturating_sub(ago_ms), ns: 0 })
            }
            Since::Time(time) => LogTime::of_nanoseconds(time.as_nanosecond()),
        };
        let containers = match &self.containers {
            Containers::Named(name) => vec![name.clone()],
            Containers::Default | Containers::All => Vec::new(),
        };
        LogAsked {
            containers,
            default_container: self.containers == Containers::Default,
            previous: self.previous,
            once: !self.follows,
            since,
            tail: self.tail,
            ..LogAsked::default()
        }
    }
}
