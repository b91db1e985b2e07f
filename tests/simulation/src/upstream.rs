//! One feed of one gateway: the real machine and the real reading of bytes. Between them and the API server
//! is a network that is late, stands still, breaks, or cuts bytes anywhere.

mod network;

use std::collections::VecDeque;

use gateway::cluster::{Failure, Refusal};
use gateway::feed::machine::{Capabilities, Input, Machine, Output, Request, RequestSlot};
use gateway::feed::{AnswerReader, FeedCommand, FeedKey, FeedOptions, FeedOutput, FeedProof, Memory};
use gateway::limits::FEED_LOOK_MS;
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;

use crate::apiserver::{Answer, ApiServer, Origin, StreamChunk, StreamId};
use crate::chance::Chance;
use crate::delayed::Delayed;

pub(crate) use network::{Network, Trouble};

/// The kernel's user timeout of an upstream connection.
const DARK_MS: i64 = 12_000;
const HEAD_TIMEOUT_MS: i64 = 30_000;
/// How late the last segments of a dead server come: its kernel sends them again after 200 and 400 ms. If a
/// third time were needed while all other connections are well, no client could tell that server from a living
/// one.
const ORPHAN_MS: i64 = 700;

/// The far side of a feed, as it is now.
pub(crate) struct Upstream<'a> {
    pub(crate) api: &'a mut ApiServer,
    pub(crate) network: &'a Network,
    pub(crate) now_ms: i64,
}

/// What arrives of an answer.
enum Arrival {
    Head { date_ms: i64 },
    Chunk { bytes: Vec<u8>, origin: Option<Origin> },
    Whole { body: Vec<u8>, origin: Origin },
    Ended,
    Failed(Failure),
}

impl Arrival {
    fn broken(reason: Reason) -> Self {
        Self::Failed(Failure::Broken(Problem::new(reason, "the network")))
    }

    /// Whether the gateway's own kernel tells it, without the network.
    fn is_local(&self) -> bool {
        matches!(self, Self::Failed(Failure::Broken(_)))
    }
}

struct RequestStream {
    number: u64,
    slot: RequestSlot,
    target: String,
    reader: AnswerReader,
    asked_ms: i64,
    /// When the request reaches the server, until it has.
    reaches_ms: Option<i64>,
    stream: Option<StreamId>,
    arrivals: Delayed<Arrival>,
    has_head: bool,
}

impl RequestStream {
    /// Only a living server ends a stream cleanly.
    fn end(&mut self, api: &mut ApiServer, is_clean: bool, now_ms: i64) {
        let stream = self.stream.take();
        if let Some(stream) = stream {
            api.close(stream);
        }
        self.reaches_ms = None;
        let is_clean = is_clean && self.has_head && stream.is_some();
        let last = if is_clean { Arrival::Ended } else { Arrival::broken(Reason::ConnectionReset) };
        self.arrivals.push(now_ms, last);
    }

    /// When the gateway or its kernel gives up waiting.
    fn gives_up_ms(&self, network: &Network) -> i64 {
        let head_ms = if self.has_head { i64::MAX } else { self.asked_ms + HEAD_TIMEOUT_MS };
        let is_dark = network.trouble == Some(Trouble::Dark);
        head_ms.min(if is_dark { network.since_ms.max(self.asked_ms) + DARK_MS } else { i64::MAX })
    }

    fn arrives_ms(&self, network: &Network) -> i64 {
        let first = self.arrivals.front().filter(|(_, arrival)| network.passes() || arrival.is_local());
        first.map_or(i64::MAX, |(at_ms, _)| *at_ms)
    }

    fn deadline_ms(&self, network: &Network) -> i64 {
        let reaches_ms = self.reaches_ms.filter(|_| network.passes()).unwrap_or(i64::MAX);
        reaches_ms.min(self.arrives_ms(network)).min(self.gives_up_ms(network))
    }

    fn next_arrival(&mut self, network: &Network, now_ms: i64) -> Option<Arrival> {
        if self.gives_up_ms(network) <= now_ms {
            return Some(Arrival::broken(Reason::TimedOut));
        }
        if self.arrives_ms(network) <= now_ms { self.arrivals.pop_due(now_ms) } else { None }
    }
}

pub(crate) struct Feed {
    pub(crate) key: FeedKey,
    machine: Machine,
    proof: FeedProof,
    /// The driver's next look at the clock.
    look_ms: i64,
    requests: Vec<RequestStream>,
    last_number: u64,
    memory: Memory,
    refreshes_ms: Option<i64>,
    chance: Chance,
    /// What the hub is told, and of which state of the truth it is.
    outputs: VecDeque<(FeedOutput, Option<Origin>)>,
    pub(crate) remembers_no_watch_list: bool,
    /// Whether a credential that is read anew works.
    pub(crate) can_refresh: bool,
}

impl Feed {
    pub(crate) fn new(
        (key, proof): (FeedKey, FeedProof),
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
            proof,
            look_ms: now_ms + FEED_LOOK_MS,
            requests: Vec::new(),
            last_number: 0,
            memory: Memory::default(),
            refreshes_ms: None,
            chance,
            outputs: VecDeque::new(),
            remembers_no_watch_list: false,
            can_refresh: true,
        }
    }

    pub(crate) fn next_output(&mut self) -> Option<(FeedOutput, Option<Origin>)> {
        self.outputs.pop_front()
    }

    /// A command of its hub; the next step carries out what follows from it.
    pub(crate) fn command(&mut self, command: FeedCommand, now_ms: i64) {
        self.machine.handle(Input::Command(command), now_ms);
    }

    pub(crate) fn deadline_ms(&self, network: &Network) -> i64 {
        let requests_ms = self.requests.iter().map(|request| request.deadline_ms(network)).min();
        let soonest_ms = requests_ms.unwrap_or(i64::MAX).min(self.tick_ms());
        soonest_ms.min(self.refreshes_ms.unwrap_or(i64::MAX))
    }

    /// When the driver passes the time to the machine. Its looks at the clock matter before the first list alone.
    fn tick_ms(&self) -> i64 {
        let look_ms = if self.machine.is_before_list() { self.look_ms } else { i64::MAX };
        self.machine.deadline_ms().min(look_ms)
    }

    /// All that is due.
    pub(crate) fn step(&mut self, upstream: &mut Upstream<'_>) {
        let now_ms = upstream.now_ms;
        self.carry_out(None, upstream);
        self.reach(upstream);
        while let Some((slot, arrival)) = self
            .requests
            .iter_mut()
            .find_map(|request| Some((request.slot, request.next_arrival(upstream.network, now_ms)?)))
        {
            self.hear(slot, arrival, upstream);
        }
        if self.refreshes_ms.take_if(|at_ms| *at_ms <= now_ms).is_some() {
            let failed = Problem::new(Reason::Unauthorized, "the plugin printed no credential");
            let result = if self.can_refresh { Ok(()) } else { Err(failed) };
            self.handle(Input::Refreshed(result), None, upstream);
        }
        if self.tick_ms() <= now_ms {
            self.look_ms = now_ms + FEED_LOOK_MS;
            self.machine.note_outage(self.proof.outage_ms());
            self.handle(Input::Tick, None, upstream);
        }
    }

    /// The server sent something on a stream: it is on its way, in one piece or two.
    pub(crate) fn receive(&mut self, chunk: &StreamChunk, network: &Network, now_ms: i64) {
        let owner = self.requests.iter_mut().find(|request| request.stream == Some(chunk.stream));
        let Some(RequestStream { arrivals, .. }) = owner else { return };
        let mut at_ms = arrivals.arrives_ms(now_ms + network.delay_ms(&mut self.chance));
        let (first, second) = chunk.bytes.split_at(self.chance.index(chunk.bytes.len() + 1));
        for (piece, is_second) in [(first, false), (second, true)] {
            if !piece.is_empty() {
                at_ms += if is_second { self.chance.between(0, 3) } else { 0 };
                arrivals.push(at_ms, Arrival::Chunk { bytes: piece.to_vec(), origin: chunk.origin });
            }
        }
        if chunk.ends {
            arrivals.push(at_ms, Arrival::Ended);
        }
    }

    pub(crate) fn owns(&self, stream: StreamId) -> bool {
        self.requests.iter().any(|request| request.stream == Some(stream))
    }

    /// The connection is gone: what was on its way is lost, within a value or not.
    pub(crate) fn cut(&mut self, api: &mut ApiServer, is_clean: bool, now_ms: i64) {
        for request in &mut self.requests {
            drop(request.arrivals.keep_first(self.chance.index(request.arrivals.len() + 1)));
            request.end(api, is_clean, now_ms);
        }
    }

    /// The server's process is gone, and with it what it hadn't written; an answer that was to come seconds
    /// later is such a one. What its kernel holds arrives or is lost, and then comes the reset: such a stream
    /// never ends cleanly.
    pub(crate) fn server_dies(&mut self, api: &mut ApiServer, now_ms: i64) {
        for request in &mut self.requests {
            let written = request.arrivals.len_until(now_ms + ORPHAN_MS);
            drop(request.arrivals.keep_first(self.chance.index(written + 1)));
            request.end(api, false, now_ms);
        }
    }

    fn handle(&mut self, input: Input, origin: Option<Origin>, upstream: &mut Upstream<'_>) {
        self.machine.handle(input, upstream.now_ms);
        self.carry_out(origin, upstream);
    }

    fn carry_out(&mut self, origin: Option<Origin>, upstream: &mut Upstream<'_>) {
        while let Some(output) = self.machine.next_output() {
            match output {
                Output::Tell(output) => {
                    self.proof.note(&output);
                    self.outputs.push_back((output, origin));
                }
                Output::Ask { slot, request } => self.ask(slot, request, upstream),
                Output::Drop(slot) => self.drop_slot(slot, upstream.api),
                Output::RefreshCredentials => {
                    self.refreshes_ms = Some(upstream.now_ms + self.chance.between(10, 900));
                }
                Output::Rediscover => {}
                Output::RememberNoWatchList => self.remembers_no_watch_list = true,
            }
        }
    }

    fn ask(&mut self, slot: RequestSlot, request: Request, upstream: &mut Upstream<'_>) {
        self.drop_slot(slot, upstream.api);
        let now_ms = upstream.now_ms;
        let target = request.to_api(&self.key).target();
        let reader = AnswerReader::new(self.key.resource.clone(), slot, request, &self.memory);
        let mut arrivals = Delayed::default();
        let mut reaches_ms = Some(now_ms + upstream.network.delay_ms(&mut self.chance));
        if upstream.network.trouble == Some(Trouble::Down) {
            reaches_ms = None;
            arrivals.push(now_ms + 1, Arrival::broken(Reason::ConnectionRefused));
        }
        self.last_number += 1;
        self.requests.push(RequestStream {
            number: self.last_number,
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
        for dropped in self.requests.extract_if(.., |request| request.slot == slot) {
            if let Some(stream) = dropped.stream {
                api.close(stream);
            }
        }
    }

    /// Requests that have come to the server are answered.
    fn reach(&mut self, upstream: &mut Upstream<'_>) {
        let Upstream { api, network, now_ms } = upstream;
        for request in self.requests.iter_mut().filter(|_| network.passes()) {
            if request.reaches_ms.take_if(|at_ms| *at_ms <= *now_ms).is_none() {
                continue;
            }
            let at_ms = *now_ms + network.delay_ms(&mut self.chance);
            let head = Arrival::Head { date_ms: api.date_ms(*now_ms) };
            match api.answer(&request.target, *now_ms) {
                Answer::Refused { code, retry_after_s, body } => {
                    let refusal = Refusal::read(code, retry_after_s, &body);
                    request.arrivals.push(at_ms, Arrival::Failed(Failure::Refused(refusal)));
                }
                Answer::Whole { body, origin } => {
                    request.arrivals.push(at_ms, head);
                    request.arrivals.push(at_ms, Arrival::Whole { body, origin });
                }
                Answer::Stream(stream) => {
                    request.stream = Some(stream);
                    request.arrivals.push(at_ms, head);
                }
            }
        }
    }

    fn hear(&mut self, slot: RequestSlot, arrival: Arrival, upstream: &mut Upstream<'_>) {
        let Some(request) = self.requests.iter_mut().find(|request| request.slot == slot) else { return };
        let number = request.number;
        let is_open = |feed: &Self| feed.requests.iter().any(|request| request.number == number);
        let (inputs, origin, is_over) = match arrival {
            Arrival::Head { date_ms } => {
                request.has_head = true;
                (vec![Input::Opened { slot, date_ms: Some(date_ms) }], None, false)
            }
            Arrival::Chunk { bytes, origin } => {
                let inputs = request.reader.chunk(bytes, &mut self.memory);
                let is_over = matches!(inputs.last(), Some(Input::Unreadable { .. }));
                (inputs, origin, is_over)
            }
            Arrival::Whole { body, origin } => {
                (vec![request.reader.whole(&body.into(), &mut self.memory)], Some(origin), true)
            }
            Arrival::Ended => (vec![Input::Ended], None, true),
            Arrival::Failed(failure) => (vec![Input::Failed { slot, failure }], None, true),
        };
        for input in inputs {
            // The machine may have dropped the request meanwhile, and with it the rest of its stream.
            if !is_open(self) {
                return;
            }
            self.handle(input, origin, upstream);
        }
        if is_over && is_open(self) {
            self.drop_slot(slot, upstream.api);
        }
    }
}
