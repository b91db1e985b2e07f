//! The loop around the replica's client: one socket, one timer, one stdout. It does what the client
//! says and decides nothing about rows or states itself.

use std::future::Future;
use std::io::Write;
use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::{SinkExt, StreamExt};
use page::messages;
use page::table_view::Client;
use replica::client::{Input, Output, ViewKey};
use replica::connection::Link;
use replica::freshness::{self, Freshness};
use replica::now::{MonotonicClock, Now};
use shared::codec::{self, Message};
use shared::problem::Reason;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, Interval};
use tokio_tungstenite::tungstenite;

use super::End;
use super::args::Request;
use super::endpoint::{Endpoint, Socket};
use super::print::Printer;
use super::report::{self, Reporter};
use super::wanted::{Wanted, wanted};
use crate::limits::{TAIL_LOOK_MS, TAIL_SEND_S};

type Opening = Pin<Box<dyn Future<Output = Result<Socket, String>> + Send>>;

const LOOK_INTERVAL: Duration = Duration::from_millis(TAIL_LOOK_MS);
const SEND_TIMEOUT: Duration = Duration::from_secs(TAIL_SEND_S);

struct Follower {
    client: Client,
    endpoint: Endpoint,
    request: Request,
    stdout: Box<dyn Write + Send>,
    clock: MonotonicClock,
    link: Wire,
    /// Whether a gateway was ever reached: until then a failure is the answer, not a break.
    reached: bool,
    view: Option<Viewing>,
    reporter: Reporter,
    end: Option<End>,
}

enum Wire {
    None,
    Opening(Opening),
    Open(Box<Socket>),
}

struct Viewing {
    key: ViewKey,
    wanted: Wanted,
    printer: Printer,
    /// The first rows were printed.
    begun: bool,
}

/// What one turn of the loop waits for.
enum Event {
    Opened(Result<Box<Socket>, String>),
    Message(Option<Result<tungstenite::Message, tungstenite::Error>>),
    Timer,
    Look,
    Deadline,
    Interrupted,
}

/// # Errors
/// One sentence, when it can't be had.
pub(super) async fn follow(
    request: Request,
    endpoint: Endpoint,
    stdout: Box<dyn Write + Send>,
) -> Result<End, String> {
    let client = Client::new(concat!("tail ", env!("CARGO_PKG_VERSION")), endpoint.credential()?);
    let deadline = request.once.map(|timeout| Instant::now() + timeout);
    let mut follower = Follower {
        client,
        endpoint,
        request,
        stdout,
        clock: MonotonicClock::default(),
        link: Wire::None,
        reached: false,
        view: None,
        reporter: Reporter::default(),
        end: None,
    };
    let mut look = tokio::time::interval(LOOK_INTERVAL);
    let mut interrupts = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    follower.handle(Input::Start).await;
    while follower.end.is_none() {
        let event = follower.next(deadline, &mut look, &mut interrupts).await;
        follower.apply(event).await;
    }
    if let Wire::Open(socket) = &mut follower.link {
        // A courtesy: the gateway notices a closed connection as well.
        let _ = tokio::time::timeout(SEND_TIMEOUT, socket.close()).await;
    }
    Ok(follower.end.unwrap_or(End::Done))
}

impl Follower {
    async fn next(
        &mut self,
        deadline: Option<Instant>,
        look: &mut Interval,
        interrupts: &mut Signal,
    ) -> Event {
        let timer = self.client.timer_ms().map(|at_ms| {
            let wait_ms = at_ms.saturating_sub(self.now().now_ms).max(0);
            Instant::now() + Duration::from_millis(wait_ms.unsigned_abs())
        });
        tokio::select! {
            biased;
            _ = interrupts.recv() => Event::Interrupted,
            () = until(deadline) => Event::Deadline,
            () = until(timer) => Event::Timer,
            event = wire(&mut self.link) => event,
            _ = look.tick() => Event::Look,
        }
    }

    async fn apply(&mut self, event: Event) {
        match event {
            Event::Opened(Ok(socket)) => {
                self.link = Wire::Open(socket);
                self.handle(Input::Opened).await;
            }
            Event::Opened(Err(why)) => {
                self.link = Wire::None;
                if !self.reached {
                    self.end =
                        Some(End::Problem(format!("{} can't be reached: {why}", self.endpoint.name())));
                    return;
                }
                self.handle(Input::Closed { code: None }).await;
            }
            Event::Message(message) => self.message(message).await,
            Event::Timer => self.handle(Input::Timer).await,
            Event::Look => self.tell(),
            Event::Deadline => self.end = Some(End::NotExact(self.not_exact())),
            Event::Interrupted => self.end = Some(End::Interrupted),
        }
    }

    async fn message(&mut self, message: Option<Result<tungstenite::Message, tungstenite::Error>>) {
        let message = match message {
            Some(Ok(tungstenite::Message::Text(text))) => Message::Text(text.as_str().to_owned()),
            Some(Ok(tungstenite::Message::Binary(bytes))) => Message::Binary(bytes.to_vec()),
            Some(Ok(tungstenite::Message::Close(frame))) => {
                self.link = Wire::None;
                return self.handle(Input::Closed { code: frame.map(|frame| frame.code.into()) }).await;
            }
            Some(Ok(_)) => return,
            Some(Err(_)) | None => {
                self.link = Wire::None;
                return self.handle(Input::Closed { code: None }).await;
            }
        };
        let bytes = u64::try_from(message.byte_count()).unwrap_or(u64::MAX);
        match codec::decode_server(&message) {
            Ok(frame) => self.handle(Input::Frame { frame: Box::new(frame), bytes }).await,
            Err(_) => self.handle(Input::Unreadable { bytes }).await,
        }
    }

    /// One input, and all that follows from it.
    async fn handle(&mut self, input: Input) {
        let now = self.now();
        self.client.handle(input, now);
        while let Some(output) = self.client.poll_output() {
            self.output(output).await;
            if self.end.is_some() {
                return;
            }
        }
        self.tell();
    }

    async fn output(&mut self, output: Output) {
        match output {
            Output::Connect => self.link = Wire::Opening(Box::pin(self.endpoint.clone().open())),
            Output::Send(frame) => self.send(&frame).await,
            Output::Close { .. } => self.link = Wire::None,
            Output::Welcome => self.reached = true,
            Output::Link => self.refused(),
            Output::Kinds => self.subscribe(),
            Output::Rows(key, delta) => self.rows(key, &delta),
            Output::View(_) => self.settled(),
            // It asks for tables alone, and has no login that ends.
            Output::Object(_) | Output::Timeline(..) | Output::Got(..) | Output::Auth(_) => {}
            Output::Ended(key) => {
                let problem = self.client.view(key).and_then(|view| view.subscription().ended());
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
        }
    }

    async fn send(&mut self, frame: &shared::frame::client::ClientFrame) {
        let Wire::Open(socket) = &mut self.link else { return };
        // What a client says is short and always text.
        let Ok(json) = serde_json::to_string(frame) else { return };
        let sending = socket.send(tungstenite::Message::text(json));
        if !matches!(tokio::time::timeout(SEND_TIMEOUT, sending).await, Ok(Ok(()))) {
            // The reading half reports the end; a socket that takes nothing is dropped.
            self.link = Wire::None;
            let now = self.now();
            self.client.handle(Input::Closed { code: None }, now);
        }
    }

    /// A credential or a version that isn't taken won't be taken later either.
    fn refused(&mut self) {
        if let Link::Refused { problem } | Link::OtherVersion { problem, .. } =
            self.client.connection().link()
        {
            self.end = Some(End::Problem(problem.message.clone()));
        }
    }

    fn subscribe(&mut self) {
        let Some(kinds) = self.client.kinds().filter(|_| self.view.is_none()) else { return };
        match wanted(&self.request, kinds, self.client.welcome()) {
            Ok(wanted) => {
                let now = self.now();
                let key = self.client.open_with(wanted.scope.clone(), self.request.columns.clone(), now);
                let printer = Printer::new(self.request.format, wanted.shows_namespace);
                self.view = Some(Viewing { key, wanted, printer, begun: false });
            }
            Err(sentence) => self.end = Some(End::Problem(sentence)),
        }
    }

    fn rows(&mut self, key: ViewKey, delta: &replica::table::Delta) {
        let now_ms = self.now().now_ms;
        let (Some(viewing), Some(view)) = (&mut self.view, self.client.view_mut(key)) else { return };
        let mut printed = String::new();
        if viewing.begun {
            let now = view.cluster_now_s(now_ms, false);
            printed = viewing.printer.changes(view, delta, now);
        }
        // Nobody looks at tombstones here.
        view.remove_tombstones(&delta.removed);
        self.write(&printed);
        self.settled();
    }

    /// The first rows, as soon as they are exact; with `--once` that is the end.
    fn settled(&mut self) {
        let now_ms = self.now().now_ms;
        let once = self.request.once.is_some();
        let Some(viewing) = self.view.as_mut().filter(|viewing| !viewing.begun) else { return };
        let Some(view) = self.client.view(viewing.key) else { return };
        let freshness = freshness::of(&self.client, view, now_ms);
        if is_hopeless(&freshness, once) {
            let said = report::words(&self.client, view, &freshness, now_ms, report::zone(now_ms));
            // The API server's answer doesn't quote what it was asked.
            let asked =
                self.request.fields.as_ref().map(|fields| format!(" (field selector {:?})", fields.as_str()));
            self.end.get_or_insert(End::Problem(said + &asked.unwrap_or_default()));
            return;
        }
        if !view.is_exact() {
            return;
        }
        viewing.begun = true;
        let printed = viewing.printer.all(view, view.cluster_now_s(now_ms, false));
        let nothing = view.table().is_empty().then(|| viewing.wanted.nothing_found());
        let named = viewing.wanted.scope.name.is_some();
        self.write(&printed);
        if once {
            self.end.get_or_insert(match nothing {
                // kubectl: an object that was asked for by name and isn't there is an error.
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

    fn write(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.stdout.write_all(text.as_bytes()).and_then(|()| self.stdout.flush()).is_err() {
            // `| head` has had enough.
            self.end = Some(End::Done);
        }
    }

    fn tell(&mut self) {
        if self.end.is_some() {
            return;
        }
        self.settled();
        let now_ms = self.now().now_ms;
        let Some(view) = self.view.as_ref().and_then(|viewing| self.client.view(viewing.key)) else { return };
        if self.end.is_none() {
            self.reporter.tell(&self.client, view, now_ms, self.request.once.is_some());
        }
    }

    fn not_exact(&mut self) -> String {
        let now_ms = self.now().now_ms;
        let waited = self.request.once.unwrap_or_default().as_secs();
        let state = self.view.as_ref().and_then(|viewing| self.client.view(viewing.key)).map(|view| {
            let freshness = freshness::of(&self.client, view, now_ms);
            report::words(&self.client, view, &freshness, now_ms, report::zone(now_ms))
        });
        let state =
            state.unwrap_or_else(|| format!("{} hasn't said which kinds there are", self.endpoint.name()));
        format!("no exact rows within {waited} s: {state}")
    }

    fn now(&mut self) -> Now {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let wall_ms = i64::try_from(wall.as_millis()).unwrap_or(i64::MAX);
        Now { now_ms: self.clock.now_ms(wall_ms), chance: chance() }
    }
}

/// Whether waiting is in vain. With `--once` nobody waits for a right to be granted; a selector that
/// the API server doesn't take stays wrong for everybody.
fn is_hopeless(freshness: &Freshness, once: bool) -> bool {
    match freshness.worst() {
        Freshness::Forbidden { .. } | Freshness::Gone { .. } => once,
        Freshness::Failed { problem, .. } => {
            let reason = problem.as_ref().map(|problem| problem.reason);
            once || matches!(reason, Some(Reason::BadRequest | Reason::Invalid))
        }
        _ => false,
    }
}

async fn wire(link: &mut Wire) -> Event {
    match link {
        Wire::None => std::future::pending().await,
        Wire::Opening(opening) => Event::Opened(opening.await.map(Box::new)),
        Wire::Open(socket) => Event::Message(socket.next().await),
    }
}

async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

/// From 0 to below 1. Where the system has no randomness, the middle: it only spreads reconnects.
fn chance() -> f64 {
    let mut bytes = [0; 4];
    match getrandom::fill(&mut bytes) {
        Ok(()) => f64::from(u32::from_ne_bytes(bytes)) / (f64::from(u32::MAX) + 1.0),
        Err(_) => 0.5,
    }
}

#[cfg(test)]
mod tests;
