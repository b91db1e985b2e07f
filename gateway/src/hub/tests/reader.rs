//! A subscriber of a hub whose rows are a client's table, which refuses a frame that doesn't continue it.

use std::collections::BTreeMap;

use replica::table::Table;
use shared::codec::{Message, decode_server};
use shared::custom_column::CustomColumns;
use shared::frame::client::RowDetail;
use shared::frame::server::ServerFrame;
use shared::name::Namespace;
use shared::problem::Problem;
use shared::row::{Extra, Row, RowId};
use shared::scope::Namespaces;

use super::world::World;
use crate::hub::{Encoded, Open, SubscriberKey, testing};
use crate::subscription_request::SubscriptionRequest;

pub(super) struct Reader {
    request: SubscriptionRequest,
    namespace: Option<&'static str>,
    pub(super) is_second: bool,
    subscriber: Option<SubscriberKey>,
    pub(super) view: u32,
    /// Why it may not have what it asked for.
    pub(super) problem: Option<Problem>,
    pub(super) table: Table,
    pub(super) resets: usize,
    pub(super) rows_received: usize,
}

impl Reader {
    pub(super) fn all() -> Self {
        Self {
            request: testing::request(1),
            namespace: None,
            is_second: false,
            subscriber: None,
            view: 0,
            problem: None,
            table: Table::default(),
            resets: 0,
            rows_received: 0,
        }
    }

    pub(super) fn of_namespace(namespace: &'static str) -> Self {
        let mut reader = Self::all();
        let names = vec![Namespace::parse(namespace).expect("valid")];
        reader.request.scope.namespaces = Namespaces::these(names).expect("one");
        reader.namespace = Some(namespace);
        reader
    }

    pub(super) fn with_columns(mut self) -> Self {
        self.ask_for("COLOUR:.metadata.labels.colour,VALUES:.values[*]");
        self
    }

    /// Only what isn't fine.
    pub(super) fn of_trouble(mut self) -> Self {
        self.request.trouble = true;
        self
    }

    /// Each event by itself.
    pub(super) fn of_events(mut self, rows: RowDetail) -> Self {
        (self.request.rows, self.request.each_event) = (rows, true);
        self
    }

    pub(super) fn request(&self) -> &SubscriptionRequest {
        &self.request
    }

    pub(super) fn ask_for(&mut self, columns: &str) {
        self.request.columns = CustomColumns::parse(columns).expect("valid");
    }

    pub(super) fn ask_for_all(&mut self) {
        (self.request.scope.namespaces, self.namespace) = (Namespaces::All, None);
    }

    /// Subscribes, with the token of what it holds.
    pub(super) fn open(&mut self, world: &mut World) {
        self.request.token = self.table.token().cloned();
        (self.resets, self.rows_received) = (0, 0);
        let open =
            Open { is_second: self.is_second, ..Open::alone(world.fresh_view(), self.request.clone()) };
        self.subscriber = Some(open.key);
        world.hub.subscribe(open);
    }

    pub(super) fn leave(&mut self, world: &mut World) {
        world.hub.unsubscribe(self.subscriber.take().expect("open"));
        self.table.detach();
    }

    pub(super) fn is_open(&self) -> bool {
        self.subscriber.is_some()
    }

    /// Pulls until there is nothing more.
    pub(super) fn read(&mut self, world: &mut World) -> Vec<ServerFrame> {
        let mut frames = Vec::new();
        world.hub.set_clock(world.now_ms, 500);
        loop {
            let delivery = world.hub.pull(self.subscriber.expect("open")).expect("known");
            assert!(delivery.messages.len() <= 4, "a delivery is bounded");
            frames.extend(delivery.messages.iter().map(|message| decoded(message)));
            if !delivery.more {
                break;
            }
        }
        frames.iter().for_each(|frame| self.apply(frame));
        frames
    }

    fn apply(&mut self, frame: &ServerFrame) {
        match frame {
            ServerFrame::Subscribed(answer) => {
                self.view = answer.view;
                self.table.subscribed(answer);
            }
            ServerFrame::Rows(rows) => {
                assert_eq!(rows.view, self.view);
                self.resets += usize::from(rows.reset);
                self.rows_received += rows.put.len() + rows.set.len();
                self.table.apply(rows.clone()).expect("it continues what is here");
            }
            ServerFrame::Sync(sync) => {
                assert_eq!(Some(sync.at), self.table.position());
                let digest = sync.digest.as_deref();
                assert!(digest.is_none_or(|digest| self.table.agrees(sync.at, digest) == Some(true)));
            }
            ServerFrame::Problem(frame) => self.problem = Some(frame.problem.clone()),
            ServerFrame::State(_) => {}
            other => panic!("a hub doesn't say {other:?}"),
        }
    }

    pub(super) fn expect_exact(&self, world: &World) {
        assert!(self.table.is_whole() && self.table.incoming_count().is_none(), "it came to a cut");
        let without_object = |row: &Row| {
            let extra = row.extra.clone().map(|extra| Box::new(Extra { object: None, ..*extra }));
            Row { extra: extra.filter(|extra| **extra != Extra::default()), ..row.clone() }
        };
        let held: BTreeMap<RowId, Row> = self.table.rows().map(|row| (row.id, without_object(row))).collect();
        let has_own = !self.request.columns.is_empty();
        assert_eq!(held, world.rows(self.namespace, has_own, self.request.trouble));
    }
}

pub(super) fn decoded(encoded: &Encoded) -> ServerFrame {
    let bytes = encoded.bytes.to_vec();
    let message = if encoded.is_text {
        Message::Text(String::from_utf8(bytes).expect("text"))
    } else {
        Message::Binary(bytes)
    };
    decode_server(&message).expect("a frame")
}
