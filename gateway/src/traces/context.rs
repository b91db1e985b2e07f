//! Which trace a request belongs to, from its header and on to what is asked of the API server. Never a time.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::Either;
use http::{HeaderMap, HeaderName, HeaderValue};

use super::Sink;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// A span of a trace that is recorded, as the parent of others.
#[derive(Clone)]
pub struct Context {
    pub(super) trace: [u8; 16],
    pub(super) span: [u8; 8],
    pub(super) sink: Sink,
    /// Whether its request is of a viewer who has logged in. All spans of a request share it.
    pub(super) is_known: Arc<AtomicBool>,
}

tokio::task_local! {
    static CURRENT: Context;
}

/// The span within which this task runs.
#[must_use]
pub fn current() -> Option<Context> {
    CURRENT.try_with(Clone::clone).ok()
}

/// The request within which this task runs is of a viewer who has logged in.
pub fn viewer_is_known() {
    if let Some(context) = current() {
        context.is_known.store(true, Ordering::Relaxed);
    }
}

/// Runs it as a part of this span. Without one the future stays as it is, because most are not traced.
pub fn within<F: Future>(context: Option<Context>, future: F) -> impl Future<Output = F::Output> + use<F> {
    match context {
        Some(context) => Either::Left(CURRENT.scope(context, future)),
        None => Either::Right(future),
    }
}

impl Context {
    /// `None` unless exactly one header is there, can be read, and says that the trace is recorded.
    pub(super) fn of_headers(headers: &HeaderMap, sink: Sink) -> Option<Self> {
        let mut values = headers.get_all(TRACEPARENT).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        let (trace, span) = parse(value.to_str().ok()?)?;
        Some(Self { trace, span, sink, is_known: Arc::default() })
    }

    pub(super) fn is_known(&self) -> bool {
        self.is_known.load(Ordering::Relaxed)
    }

    /// For a request to the API server, whose own spans then belong to the same trace.
    pub fn write(&self, headers: &mut HeaderMap) {
        let text = format!("00-{}-{}-01", hex(&self.trace), hex(&self.span));
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.insert(TRACEPARENT, value);
        }
    }
}

/// The trace and the caller's span. A later version may say more behind what this one knows.
fn parse(text: &str) -> Option<([u8; 16], [u8; 8])> {
    let mut parts = text.trim().split('-');
    let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let [version] = bytes::<1>(version)?;
    let is_readable = version != 0xff && (version != 0 || parts.next().is_none());
    let (trace, span, [flags]) = (bytes(trace)?, bytes(span)?, bytes::<1>(flags)?);
    (is_readable && flags & 1 == 1 && trace != [0; 16] && span != [0; 8]).then_some((trace, span))
}

/// The bytes that lower-case hexadecimal digits give.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let is_hex = text.len() == 2 * N && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    let number = is_hex.then(|| u128::from_str_radix(text, 16).ok())??;
    number.to_be_bytes().last_chunk().copied()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_names_a_trace_only_if_it_is_whole_and_says_that_it_is_recorded() {
        let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
        let check = |text: String, expected: bool| assert_eq!(parse(&text).is_some(), expected, "{text}");
        check(format!("00-{trace}-{span}-01"), true);
        check(format!("00-{trace}-{span}-03"), true);
        check(format!("cc-{trace}-{span}-01-more"), true);
        for wrong in [
            format!("00-{trace}-{span}-00"),
            format!("00-{trace}-{span}-01-more"),
            format!("ff-{trace}-{span}-01"),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{}-{span}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-{trace}-{span}"),
            format!("00-+{}-{span}-01", &trace[1..]),
            String::new(),
        ] {
            check(wrong, false);
        }
        let (read, of) = parse(&format!("00-{trace}-{span}-01")).expect("it is right");
        assert_eq!((hex(&read).as_str(), hex(&of).as_str()), (trace, span));
    }
}
