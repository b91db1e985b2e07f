//! One feed of one gateway: the real machine, the real reading of bytes, and between them and the API
//! server a network that is late, stands still, breaks, or cuts where it likes.

mod network;

use std::collections::VecDeque;

use gateway::cluster::{Failure, Refusal};
use gateway::feed::machine::{Capabilities, Input, Machine, Output, Request, RequestSlot};
use gateway::feed::reading::{AnswerReader, Memory};
use gateway::feed::{FeedCommand, FeedKey, FeedOptions, FeedOutput};
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;

use crate::apiserver::{Answer, ApiServer, StreamId, Tells};
use crate::chance::Chance;

pub(crate) use network::{Network, Trouble};

/// The kernel's user timeout of an upstream connection.
const DARK_MS: i64 = 12_000;
const HEAD_TIMEOUT_MS: i64 = 30_000;
/// How late a dead server's last segments come: after 200 and 400 ms its kernel sends them again. What needs
/// a third time while all other connections are well isn't told from life by any client.
const ORPHAN_MS: i64 = 700;

/// What arrives of an answer.
enum Arrival {
    Head { date_ms: i64 },
    Chunk { bytes: Vec<u8>, tells: Option<Tells> },
    Whole { body: Vec<u8>, tells: Tells },
    Ended,
    Failed(Failure),
}

struct Exchange {
    number: u64,
    slot: RequestSlot,
    target: String,
    reader: AnswerReader,
    asked_ms: i64,
    /// When the request reaches the server, until it has.
    reaches_ms: Option<i64>,
    stream: Option<StreamId>,
    /// In the order in which they were sent.
    arrivals: VecDeque<(i64, Arrival)>,
    has_head: bool,
}

impl Exchange {
    /// Only a living server ends a stream cleanly.
    fn end(&mut self, api: &mut ApiServer, is_clean: bool, now_ms: i64) {
        let stream = self.stream.take();
        if let Some(stream) = stream {
            api.close(stream);
        }
        self.reaches_ms = None;
        let at_ms = self.arrivals.back().map_or(now_ms, |(at_ms, _)| (*at_ms).max(now_ms));
        let last = if is_clean && self.has_head && stream.is_some() {
            Arrival::Ended
        } else {
            Arrival::Failed(broken(Reason::ConnectionReset))
        };
        self.arrivals.push_back((at_ms, last));
    }
}

/// What the hub is told, and what of the truth it is.
pub(crate) struct Told {
    pub(crate) output: FeedOutput,
    pub(crate) tells: Option<Tells>,
}

pub(crate) struct Feed {
    pub(crate) key: FeedKey,
    machine: Machine,
    exchanges: Vec<Exchange>,
    next_exchange: u64,
    memory: Memory,
    refreshes_ms: Option<i64>,
    chance: Chance,
    told: VecDeque<Told>,
    pub(crate) remembers_no_watch_list: bool,
    /// A credential that is read anew works.
    pub(crate) can_refresh: bool,
    /// What the last thing heard was of.
    hearing: Option<Tells>,
}

impl Feed {
    pub(crate) fn new(
        key: FeedKey,
        capabilities: Capabilities,
        options: FeedOptions,
        stands_at: Option<ResourceVersion>,
        mut chance: Chance,
        now_ms: i64,
    ) -> Self {
        let machine = Machine::new(&key, capabilities, options, stands_at, chance.next_u64(), now_ms);
        Self {
            key,
            machine,
            exchanges: Vec::new(),
            next_exchange: 0,
            memory: Memory::default(),
            refreshes_ms: None,
            chance,
            told: VecDeque::new(),
            remembers_no_watch_list: false,
            can_refresh: true,
            hearing: None,
        }
    }

    pub(crate) fn next_told(&mut self) -> Option<Told> {
        self.told.pop_front()
    }

    /// What its hub says to it; the next step carries out what follows from that.
    pub(crate) fn command(&mut self, command: FeedCommand, now_ms: i64) {
        self.machine.handle(Input::Command(command), now_ms);
    }

    pub(crate) fn deadline_ms(&self, network: &Network) -> i64 {
        let of = |exchange: &Exchange| {
            let arrival_ms = match exchange.arrivals.front() {
                Some((at_ms, arrival)) if network.passes() || is_local(arrival) => *at_ms,
                _ => i64::MAX,
            };
            let reaches_ms = exchange.reaches_ms.filter(|_| network.passes()).unwrap_or(i64::MAX);
            let gives_up_ms = if exchange.has_head { i64::MAX } else { exchange.asked_ms + HEAD_TIMEOUT_MS };
            let dark_ms = match network.trouble {
                Trouble::Dark { since_ms, .. } => since_ms.max(exchange.asked_ms) + DARK_MS,
                _ => i64::MAX,
            };
            arrival_ms.min(reaches_ms).min(gives_up_ms).min(dark_ms)
        };
        let soonest = self.exchanges.iter().map(of).min().unwrap_or(i64::MAX);
        soonest.min(self.machine.deadline_ms()).min(self.refreshes_ms.unwrap_or(i64::MAX))
    }

    /// All that is due.
    pub(crate) fn step(&mut self, api: &mut ApiServer, network: &Network, now_ms: i64) {
        self.carry_out(api, network, now_ms);
        self.reach(api, network, now_ms);
        while let Some((slot, arrival)) = self.next_arrival(network, now_ms) {
            self.hear(slot, arrival, api, network, now_ms);
        }
        if self.refreshes_ms.is_some_and(|at_ms| at_ms <= now_ms) {
            self.refreshes_ms = None;
            let result = if self.can_refresh {
                Ok(())
            } else {
                Err(Problem::new(Reason::Unauthorized, "the plugin printed no credential"))
            };
            self.handle(Input::Refreshed(result), api, network, now_ms);
        }
        if self.machine.deadline_ms() <= now_ms {
            self.handle(Input::Tick, api, network, now_ms);
        }
    }

    /// The server said something on a stream: it is on its way, in pieces.
    pub(crate) fn said(&mut self, said: &crate::apiserver::Said, network: &Network, now_ms: i64) {
        let chance = &mut self.chance;
        let Some(exchange) = self.exchanges.iter_mut().find(|exchange| exchange.stream == Some(said.stream))
        else {
            return;
        };
        let mut at_ms = exchange
            .arrivals
            .back()
            .map_or(now_ms, |(at_ms, _)| *at_ms)
            .max(now_ms + network.delay_ms(chance));
        let cut = chance.index(said.bytes.len() + 1);
        let (first, second) = said.bytes.split_at(cut);
        if !first.is_empty() {
            let tells = said.tells;
            exchange.arrivals.push_back((at_ms, Arrival::Chunk { bytes: first.to_vec(), tells }));
        }
        if !second.is_empty() {
            at_ms += chance.between(0, 3);
            exchange
                .arrivals
                .push_back((at_ms, Arrival::Chunk { bytes: second.to_vec(), tells: said.tells }));
        }
        if said.ends {
            // A value may be cut by the end.
            exchange.arrivals.push_back((at_ms, Arrival::Ended));
        }
    }

    pub(crate) fn owns(&self, stream: StreamId) -> bool {
        self.exchanges.iter().any(|exchange| exchange.stream == Some(stream))
    }

    /// The connection is gone: what was on its way is lost, within a value or not.
    pub(crate) fn cut(&mut self, api: &mut ApiServer, is_clean: bool, now_ms: i64) {
        for exchange in &mut self.exchanges {
            let on_the_way = exchange.arrivals.len();
            exchange.arrivals.truncate(self.chance.index(on_the_way + 1));
            exchange.end(api, is_clean, now_ms);
        }
    }

    /// The server's process is gone, and with it what it hadn't written: that, not the wire, is why an
    /// answer comes seconds late. What its kernel holds comes or is lost, and then the reset; nobody ends
    /// such a stream cleanly.
    pub(crate) fn server_dies(&mut self, api: &mut ApiServer, now_ms: i64) {
        for exchange in &mut self.exchanges {
            let written = exchange.arrivals.partition_point(|(at_ms, _)| *at_ms <= now_ms + ORPHAN_MS);
            exchange.arrivals.truncate(self.chance.index(written + 1));
            exchange.end(api, false, now_ms);
        }
    }

    fn handle(&mut self, input: Input, api: &mut ApiServer, network: &Network, now_ms: i64) {
        self.machine.handle(input, now_ms);
        self.carry_out(api, network, now_ms);
    }

    fn carry_out(&mut self, api: &mut ApiServer, network: &Network, now_ms: i64) {
        while let Some(output) = self.machine.next_output() {
            match output {
                Output::Tell(output) => self.told.push_back(Told { output, tells: self.hearing }),
                Output::Ask { slot, request } => self.ask(slot, request, api, network, now_ms),
                Output::Drop(slot) => self.drop_slot(slot, api),
                Output::RefreshCredentials => self.refreshes_ms = Some(now_ms + self.chance.between(10, 900)),
                Output::Rediscover => {}
                Output::RememberNoWatchList => self.remembers_no_watch_list = true,
            }
        }
    }

    fn ask(
        &mut self,
        slot: RequestSlot,
        request: Request,
        api: &mut ApiServer,
        network: &Network,
        now_ms: i64,
    ) {
        self.drop_slot(slot, api);
        let target = request.to_api(&self.key).target();
        let reader = AnswerReader::new(self.key.resource.clone(), slot, request, &self.memory);
        let mut arrivals = VecDeque::new();
        let mut reaches_ms = Some(now_ms + network.delay_ms(&mut self.chance));
        if let Trouble::Down { .. } = network.trouble {
            reaches_ms = None;
            arrivals.push_back((now_ms + 1, Arrival::Failed(broken(Reason::ConnectionRefused))));
        }
        self.next_exchange += 1;
        self.exchanges.push(Exchange {
            number: self.next_exchange,
            slot,
            target,
            reader,
            asked_ms: now_ms,
            reaches_ms,
            stream: None,
            arrivals,
            has_head: false,
        });
    }

    fn drop_slot(&mut self, slot: RequestSlot, api: &mut ApiServer) {
        self.exchanges.retain(|exchange| {
            if exchange.slot == slot
                && let Some(stream) = exchange.stream
            {
                api.close(stream);
            }
            exchange.slot != slot
        });
    }

    /// Requests that have come to the server are answered.
    fn reach(&mut self, api: &mut ApiServer, network: &Network, now_ms: i64) {
        for exchange in &mut self.exchanges {
            if !network.passes() || exchange.reaches_ms.is_none_or(|at_ms| at_ms > now_ms) {
                continue;
            }
            exchange.reaches_ms = None;
            let at_ms = now_ms + network.delay_ms(&mut self.chance);
            match api.answer(&exchange.target, now_ms) {
                Answer::Refused { code, retry_after_s, body } => {
                    let refusal = Refusal::read(code, retry_after_s, &body);
                    exchange.arrivals.push_back((at_ms, Arrival::Failed(Failure::Refused(refusal))));
                }
                Answer::Whole { body, tells } => {
                    exchange.arrivals.push_back((at_ms, Arrival::Head { date_ms: api.date_ms(now_ms) }));
                    exchange.arrivals.push_back((at_ms, Arrival::Whole { body, tells }));
                }
                Answer::Stream(stream) => {
                    exchange.stream = Some(stream);
                    exchange.arrivals.push_back((at_ms, Arrival::Head { date_ms: api.date_ms(now_ms) }));
                }
            }
        }
    }

    fn next_arrival(&mut self, network: &Network, now_ms: i64) -> Option<(RequestSlot, Arrival)> {
        for exchange in &mut self.exchanges {
            let is_late = !exchange.has_head && exchange.asked_ms + HEAD_TIMEOUT_MS <= now_ms;
            let is_lost = match network.trouble {
                Trouble::Dark { since_ms, .. } => since_ms.max(exchange.asked_ms) + DARK_MS <= now_ms,
                _ => false,
            };
            if is_late || is_lost {
                return Some((exchange.slot, Arrival::Failed(broken(Reason::TimedOut))));
            }
            let is_here = exchange
                .arrivals
                .front()
                .is_some_and(|(at_ms, arrival)| *at_ms <= now_ms && (network.passes() || is_local(arrival)));
            if is_here && let Some((_, arrival)) = exchange.arrivals.pop_front() {
                return Some((exchange.slot, arrival));
            }
        }
        None
    }

    fn hear(
        &mut self,
        slot: RequestSlot,
        arrival: Arrival,
        api: &mut ApiServer,
        network: &Network,
        now_ms: i64,
    ) {
        let Some(exchange) = self.exchanges.iter_mut().find(|exchange| exchange.slot == slot) else { return };
        let number = exchange.number;
        let mut is_over = false;
        let mut tells_all = None;
        let inputs = match arrival {
            Arrival::Head { date_ms } => {
                exchange.has_head = true;
                vec![Input::Opened { slot, date_ms: Some(date_ms) }]
            }
            Arrival::Chunk { bytes, tells } => {
                tells_all = tells;
                let inputs = exchange.reader.chunk(&bytes, &mut self.memory);
                is_over = matches!(inputs.last(), Some(Input::Unreadable { .. }));
                inputs
            }
            Arrival::Whole { body, tells } => {
                tells_all = Some(tells);
                is_over = true;
                vec![exchange.reader.whole(&body.into(), &mut self.memory)]
            }
            Arrival::Ended => {
                is_over = true;
                vec![Input::Ended]
            }
            Arrival::Failed(failure) => {
                is_over = true;
                vec![Input::Failed { slot, failure }]
            }
        };
        for input in inputs {
            // What follows in a stream that was given up meanwhile is nobody's any more.
            if !self.exchanges.iter().any(|exchange| exchange.number == number) {
                return;
            }
            self.hearing = tells_all;
            self.handle(input, api, network, now_ms);
            self.hearing = None;
        }
        if is_over && self.exchanges.iter().any(|exchange| exchange.number == number) {
            self.drop_slot(slot, api);
        }
    }
}

/// Known without the network.
fn is_local(arrival: &Arrival) -> bool {
    matches!(arrival, Arrival::Failed(Failure::Broken(_)))
}

fn broken(reason: Reason) -> Failure {
    Failure::Broken(Problem::new(reason, "the network"))
}
