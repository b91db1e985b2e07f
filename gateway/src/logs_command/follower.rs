//! The loop of `dogwatch logs`: the logs are asked for, and again behind what was printed when a connection is back.

use std::io::Write;

use page::messages;
use page::table_view::{Client, TableState};
use replica::client::{Input, Output};
use replica::driver::Driver;
use shared::frame::client::{LogAsked, LogTime, SubscriptionId};
use shared::frame::server::{Kinds, LogAnswer};
use shared::problem::{Problem, Reason};
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::End;
use super::args::{Containers, Request, Since};
use super::print::{Printer, Style};
use crate::tail::endpoint::{Endpoint, Stream, chance};
use crate::tail::report;
use crate::tail::target::{clusters, target};

/// A run of `dogwatch logs`. The follower owns the driver, what was printed, and the writer to stdout.
struct Follower {
    driver: Driver<Stream, TableState>,
    /// The gateway's name in messages.
    endpoint: String,
    request: Request,
    stdout: Box<dyn Write + Send>,
    printer: Printer,
    /// Whether the gateway was ever reached. Before that a failure ends the program; later the driver reconnects.
    reached: bool,
    /// What is asked of which scope, as soon as the kinds are known.
    asked: Option<(Scope, LogAsked)>,
    open: Option<SubscriptionId>,
    end: Option<End>,
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
    let Request { has_times, has_prefix, bytes_max, .. } = request;
    let mut follower = Follower {
        endpoint: endpoint.name(),
        driver: Driver::start(client, move || Box::pin(endpoint.clone().open()), chance),
        request,
        stdout,
        printer: Printer::new(Style { has_times, has_prefix, bytes_max, is_terminal }),
        reached: false,
        asked: None,
        open: None,
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
            Output::Logs(id) if self.open == Some(id) => {
                for answer in self.driver.client_mut().take_logs(id) {
                    self.told(&answer);
                }
            }
            Output::Unanswered(id, problem) if self.open == Some(id) => self.ended(problem),
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

    /// Asks for the logs, once the gateway has named its kinds.
    fn ask(&mut self) {
        if self.open.is_some() {
            return;
        }
        if self.asked.is_none() {
            match self.scope() {
                None => return,
                Some(Err(sentence)) => return self.refuse(sentence),
                Some(Ok(scope)) => {
                    let now_ms = self.driver.now().now_ms;
                    let gateway_ms = self.driver.client().gateway_ms(now_ms);
                    self.asked = Some((scope, self.request.asked(gateway_ms)));
                }
            }
        }
        let Some((scope, asked)) = self.asked.clone() else { return };
        let asked = LogAsked { has: self.printer.has(), ..asked };
        self.printer.begin();
        self.open = self.driver.client_mut().open_logs(scope, asked);
    }

    /// `None`: the gateway hasn't said its kinds yet.
    fn scope(&self) -> Option<Result<Scope, String>> {
        let client = self.driver.client();
        let welcome = client.welcome()?;
        if !welcome.logs {
            let sentence = "this gateway shows no logs; its setting logs says so (`dogwatch serve --logs`)";
            return Some(Err(sentence.to_owned()));
        }
        let names = match clusters(&self.request.selection, welcome) {
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
        Some(target(&self.request.selection, &names, kinds, Some(welcome)).map(|target| target.scope))
    }

    fn told(&mut self, answer: &LogAnswer) {
        let Some(part) = answer.read() else {
            return self.refuse("the gateway's answer can't be read; update this program".to_owned());
        };
        let is_first = self.printer.is_new();
        let out = self.printer.print(&part);
        if is_first && part.over && self.printer.is_new() {
            let place = match self.asked.as_ref().map(|(scope, _)| &scope.namespaces) {
                Some(Namespaces::These(names)) => names.first().map_or_else(String::new, ToString::to_string),
                _ => String::new(),
            };
            report::line(&format!("No resources found in {place} namespace."));
        }
        let written = self.stdout.write_all(out.stdout.as_bytes()).and_then(|()| self.stdout.flush());
        out.stderr.iter().for_each(|line| report::line(line));
        let is_over = part.over || self.printer.is_full();
        if written.is_err() {
            self.end = Some(End::Done);
        } else if is_over {
            self.end = Some(if self.printer.is_incomplete() { End::NotAll } else { End::Done });
        }
    }

    /// What breaks off is asked for again behind what was printed.
    fn ended(&mut self, problem: Problem) {
        self.open = None;
        match problem.reason {
            Reason::ConnectionClosed => {}
            Reason::Expired => {
                report::line(&messages::sentence(&problem.message));
                self.ask();
            }
            _ => self.refuse(problem.message),
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
