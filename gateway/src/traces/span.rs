//! A timed operation: from its beginning until it ends or is dropped. Never how it is sent.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::future::Either;

use super::context::{Context, current, within};

/// As OTLP numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Internal = 1,
    Server = 2,
    Client = 3,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    Number(i64),
}

/// A span that goes on. It ends when it is dropped, so that it also ends with a cancelled task.
pub struct Span {
    context: Context,
    ended: Option<Ended>,
}

/// A span that has ended, as it is sent.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) trace: [u8; 16],
    pub(super) span: [u8; 8],
    pub(super) parent: [u8; 8],
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) attributes: Vec<(&'static str, Value)>,
    pub(super) has_failed: bool,
}

impl Span {
    /// `None` if the system has no randomness.
    #[must_use]
    pub fn below(parent: &Context, name: impl Into<String>, kind: Kind) -> Option<Self> {
        let mut span = [0; 8];
        getrandom::fill(&mut span).ok()?;
        let context = Context { span, ..parent.clone() };
        let (trace, parent, name, start_ns) = (context.trace, parent.span, name.into(), now_ns());
        let ended = Some(Ended {
            trace,
            span,
            parent,
            name,
            kind,
            start_ns,
            end_ns: start_ns,
            attributes: Vec::new(),
            has_failed: false,
        });
        Some(Self { context, ended })
    }

    /// For what happens within it.
    #[must_use]
    pub fn context(&self) -> Context {
        self.context.clone()
    }

    /// `text`: a word of the program, a route or a kind.
    pub fn text(&mut self, key: &'static str, text: impl Into<String>) {
        self.add(key, Value::Text(text.into()));
    }

    pub fn number(&mut self, key: &'static str, number: i64) {
        self.add(key, Value::Number(number));
    }

    pub fn fail(&mut self) {
        if let Some(ended) = &mut self.ended {
            ended.has_failed = true;
        }
    }

    fn add(&mut self, key: &'static str, value: Value) {
        if let Some(ended) = &mut self.ended {
            ended.attributes.push((key, value));
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some(ended) = self.ended.take() {
            let end_ns = now_ns().max(ended.start_ns);
            self.context.sink.take(Ended { end_ns, ..ended }, self.context.is_known());
        }
    }
}

/// A span below that of the task in which it began, for what another task does.
pub struct Spanned(Option<Span>);

impl Spanned {
    #[must_use]
    pub fn begin(name: &'static str) -> Self {
        Self(current().and_then(|parent| Span::below(&parent, name, Kind::Internal)))
    }

    /// The span ends with the future.
    pub fn run<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        match self.0 {
            Some(span) => Either::Left(async move { within(Some(span.context()), future).await }),
            None => Either::Right(future),
        }
    }
}

/// Spans that end when an answer comes, by the key of the answer. Empty if nothing is traced.
pub struct Pending<K>(Mutex<BTreeMap<K, Span>>);

impl<K> Default for Pending<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Ord> Pending<K> {
    /// Begins a span for a resource, below the span of this task.
    pub fn begin(&self, key: K, name: &'static str, resource: impl FnOnce() -> String) {
        if let Some(mut span) = current().and_then(|parent| Span::below(&parent, name, Kind::Internal)) {
            span.text("dogwatch.resource", resource());
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, span);
        }
    }

    pub fn end(&self, key: &K, has_failed: bool) {
        let span = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
        if let Some(mut span) = span.filter(|_| has_failed) {
            span.fail();
        }
    }
}

fn now_ns() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_epoch.as_nanos()).unwrap_or(u64::MAX)
}
