//! Watches: a reader of a feed's events, beside a session that has the viewer's rights.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use kubernetes_api::{Failure, Query};
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::{Answer, Request, Server};
use crate::clock::gateway_ms;
use crate::feed::FeedKey;
use crate::kubernetes::control::{Control, Told};
use crate::kubernetes::mirrors::{Reader, Seat};
use crate::kubernetes::printer::Printer;
use crate::kubernetes::refusal::{forbidden, of_problem, timed_out};
use crate::kubernetes::selection::Selection;
use crate::kubernetes::version::Version;
use crate::kubernetes::watcher::{Begin, Taken, Watcher};
use crate::limits::{BOOKMARK_S, LAST_BOOKMARK_S, WATCH_FUTURE_S, WATCH_LASTS_S, WATCH_OPEN_S};
use crate::session::run_for;
use crate::stream::duplex;
use crate::subscription_request::{Seat as Seated, SubscriptionRequest};

/// An open watch: the lines that it has to tell, one piece at a time.
pub struct Watching {
    control: Control,
    seat: Seat,
    reader: Reader,
    /// `None`: it is over.
    watcher: Option<Watcher>,
    first: Option<Taken>,
    ends_at: Instant,
    bookmark_at: Instant,
}

impl Request {
    pub(super) fn printer(&self) -> Printer {
        Printer::new(&self.kind, &self.objects.resource, self.representation)
    }

    pub(super) fn selection(&self) -> Selection {
        Selection {
            namespace: self.objects.namespace.clone(),
            name: self.objects.name.clone(),
            labels: self.asked.scope.labels.clone(),
            // Other terms are a feed of their own.
            fields: self.options.fields.clone(),
        }
    }

    fn begin(&self) -> Begin {
        let from_any = self.options.revision.unwrap_or_default() == 0;
        match (self.options.send_initial_events, self.options.revision) {
            (Some(true), _) => Begin::Initial { ends_with_bookmark: self.options.bookmarks },
            (None, _) if from_any => Begin::Initial { ends_with_bookmark: self.options.bookmarks },
            (Some(false), _) if from_any => Begin::Now,
            (_, Some(revision)) => Begin::After(revision),
            (_, None) => Begin::Now,
        }
    }
}

impl Server {
    pub(super) async fn watch(&self, request: Request) -> Result<Answer, Failure> {
        if !request.kind.watch {
            return Err(Failure::verb_not_supported(&request.named(), "watch"));
        }
        if request.feed.fields.is_some() {
            // The API server says what is wrong with fields that the gateway can't evaluate.
            self.page(&request, &Query::read("limit=1"), "list").await?;
        }
        let begin = request.begin();
        let mut seat = self.mirrors.seat();
        let from = match begin {
            Begin::After(revision) => Some(ResourceVersion::new(&revision.to_string())),
            Begin::Initial { .. } | Begin::Now => None,
        };
        let seated = Seated { number: seat.number, from };
        let asked = SubscriptionRequest { seat: Some(seated), ..SubscriptionRequest::clone(&request.asked) };
        let namespaces = asked.scope.namespaces.clone();
        let (session_end, client_end) = duplex();
        let (caller, context) = ((request.caller.clone(), request.trail.clone()), Arc::clone(&self.context));
        let leaving = self.leaving.clone();
        tokio::spawn(run_for(Some(asked), session_end, caller, (), context, leaving));
        let mut control = Control::start(client_end, namespaces);
        let opened =
            timeout(Duration::from_secs(WATCH_OPEN_S), self.opened(&request, &mut control, &mut seat));
        let unopened =
            || timed_out("Timeout: the watch has no feed yet; the API server did not answer in time");
        let reader = match opened.await.map_err(|_| unopened())? {
            // After the rights and the options an API server says what is wrong within the stream.
            Err(failure) if failure.code == 504 => return Ok(refused_within(&failure)),
            opened => opened?,
        };
        if reader.log().is_unordered() {
            let message = format!(
                "resourceVersions of {} have no order, so its events can't be read from one",
                request.objects.resource
            );
            return Err(Failure { message, ..Failure::method_not_allowed() });
        }
        let started = Instant::now();
        let lasts_s =
            request.options.timeout_s.unwrap_or_else(|| WATCH_LASTS_S + random_below(WATCH_LASTS_S));
        let mut watching = Watching {
            control,
            seat,
            reader,
            watcher: None,
            first: None,
            ends_at: started + Duration::from_secs(lasts_s),
            bookmark_at: started
                + Duration::from_secs(BOOKMARK_S.min(lasts_s.saturating_sub(LAST_BOOKMARK_S))),
        };
        let of_request = (request.selection(), request.printer());
        let begun = Watcher::begin(&watching.reader.log(), begin, of_request, request.options.bookmarks);
        match begun {
            Ok((watcher, first)) => (watching.watcher, watching.first) = (Some(watcher), Some(first)),
            Err(failure) => return Ok(refused_within(&failure)),
        }
        Ok(Answer::Watch(Box::new(watching)))
    }

    /// Returns when the viewer may have it, and the feed's objects are there, as fresh as the client wants them.
    async fn opened(
        &self,
        request: &Request,
        control: &mut Control,
        seat: &mut Seat,
    ) -> Result<Reader, Failure> {
        let refused = |problem: Problem| match problem.reason {
            Reason::Forbidden => forbidden(request.login.identity.name(), "watch", &request.objects),
            _ => of_problem(&problem),
        };
        let open = |told: Told| match told {
            Told::Open => Ok(()),
            Told::Over(problem) => Err(refused(problem)),
            Told::Gone => Err(Failure::no_such_resource()),
        };
        open(control.next().await)?;
        let mut reader = loop {
            tokio::select! {
                told = control.next() => open(told)?,
                reader = seat.taken() => break reader.ok_or_else(|| Failure::unavailable(1))?,
            }
        };
        let mut wanted = Wanted::of(request);
        loop {
            let is_ready = {
                let mut log = reader.log();
                if log.has_ended() {
                    return Err(Failure::unavailable(1));
                }
                log.is_unordered() || log.is_loaded() && wanted.is_met(&mut log)
            };
            if is_ready {
                return Ok(reader);
            }
            if reader.log().is_loaded() && wanted.is_unknown() {
                let is_consistent = matches!(wanted, Wanted::Consistent);
                let is_provable = is_consistent && self.context.registry.is_current(reader.key());
                let proven = if is_provable { self.proven(request, &mut reader).await } else { None };
                wanted = match proven {
                    Some(revision) => Wanted::AtLeast(revision),
                    None => self.consistent(request, reader.key(), &wanted).await?,
                };
                continue;
            }
            tokio::select! {
                told = control.next() => open(told)?,
                changed = reader.heard.changed() => if changed.is_err() {
                    return Err(Failure::unavailable(1));
                },
            }
        }
    }

    /// Asks the API server what there is now, because the feed can't say by itself how fresh it is.
    async fn consistent(
        &self,
        request: &Request,
        feed: &FeedKey,
        wanted: &Wanted,
    ) -> Result<Wanted, Failure> {
        let at_least = match wanted {
            Wanted::AtLeast(revision) => *revision,
            _ => 0,
        };
        // The feed may have more namespaces, names and labels than the request.
        let mut page = self.page_of_feed(request, feed).await?;
        if page.revision() < at_least {
            sleep(Duration::from_secs(WATCH_FUTURE_S)).await;
            page = self.page_of_feed(request, feed).await?;
        }
        let revision = page.revision();
        if revision < at_least {
            return Err(Failure::future_revision(at_least, revision));
        }
        let listed = page.objects.iter().filter_map(|object| object.as_ref().ok()).cloned().collect();
        Ok(Wanted::These { revision, listed })
    }
}

/// How fresh the objects of a feed are to be before a watch begins with them.
enum Wanted {
    Any,
    /// As fresh as the API server's own are when they are asked for.
    Consistent,
    AtLeast(u64),
    /// As a consistent list has them, or fresher.
    These {
        revision: u64,
        listed: Vec<Arc<Version>>,
    },
}

impl Wanted {
    fn of(request: &Request) -> Self {
        match (request.begin(), request.options.revision) {
            (Begin::After(_), _) | (_, Some(0)) => Self::Any,
            (Begin::Initial { .. } | Begin::Now, Some(revision)) => Self::AtLeast(revision),
            (Begin::Initial { .. } | Begin::Now, None) => Self::Consistent,
        }
    }

    fn is_unknown(&self) -> bool {
        matches!(self, Self::Consistent | Self::AtLeast(_))
    }

    fn is_met(&self, log: &mut crate::kubernetes::log::Log) -> bool {
        match self {
            Self::Any => true,
            Self::Consistent => false,
            Self::AtLeast(revision) => log.revision() >= *revision,
            Self::These { revision, listed } => log.confirm(*revision, listed),
        }
    }
}

/// A stream of one line, which says why there is none.
fn refused_within(failure: &Failure) -> Answer {
    tracing::debug!(code = failure.code, message = %failure.message, "a watch of a Kubernetes client doesn't begin");
    Answer::in_one_piece(failure.event().into(), false)
}

fn random_below(bound: u64) -> u64 {
    getrandom::u64().unwrap_or_default().checked_rem(bound).unwrap_or_default()
}

/// In a minute, or so long before the end that a client can go on from it.
fn next_bookmark(now: Instant, ends_at: Instant) -> Instant {
    let last = ends_at - Duration::from_secs(LAST_BOOKMARK_S);
    let next = now + Duration::from_secs(BOOKMARK_S);
    if now < last { next.min(last) } else { next }
}

/// What a watch waited for.
enum Woken {
    Heard,
    Over(Problem),
    Gone,
    Moved,
    Due,
}

impl Watching {
    /// The next lines, when the former ones were taken. `None`: they were the last.
    pub async fn next(&mut self) -> Option<Bytes> {
        loop {
            let watcher = self.watcher.as_mut()?;
            self.reader.heard.borrow_and_update();
            let now = Instant::now();
            let is_bookmark_due = now >= self.bookmark_at;
            let taken = match self.first.take() {
                Some(first) => Ok(first),
                None => watcher.take(&self.reader.log(), is_bookmark_due),
            };
            let mut taken = match taken {
                Ok(taken) => taken,
                Err(Some(failure)) => return self.end_with(&failure),
                Err(None) => {
                    return self.end();
                }
            };
            if is_bookmark_due {
                self.bookmark_at = next_bookmark(now, self.ends_at);
            }
            let is_more = taken.is_full();
            let Some(lines) = watcher.print(&mut taken, gateway_ms() / 1_000) else {
                return self.end_with(&Failure::internal("an object can't be read any more"));
            };
            if !taken.is_told() {
                self.first = Some(taken);
            }
            if !lines.is_empty() {
                if watcher.is_unprintable() {
                    return self.end();
                }
                return Some(lines.concat().into());
            }
            if is_more {
                continue;
            }
            if now >= self.ends_at {
                return self.end();
            }
            match self.woken().await {
                Woken::Heard | Woken::Due => {}
                // As an API server that goes away: its clients watch again where they were.
                Woken::Over(problem) if problem.reason == Reason::ShuttingDown => return self.end(),
                Woken::Over(problem) => return self.end_with(&of_problem(&problem)),
                Woken::Gone => {
                    return self.end();
                }
                Woken::Moved => {
                    return self.end_with(&Failure {
                        message: "what this gateway shows has changed; list again".to_owned(),
                        ..Failure::expired_list()
                    });
                }
            }
        }
    }

    async fn woken(&mut self) -> Woken {
        tokio::select! {
            changed = self.reader.heard.changed() => match changed {
                Ok(()) => Woken::Heard,
                Err(_) => Woken::Moved,
            },
            told = self.control.next() => match told {
                Told::Open => Woken::Heard,
                Told::Over(problem) => Woken::Over(problem),
                Told::Gone => Woken::Gone,
            },
            () = self.seat.moved() => Woken::Moved,
            () = sleep_until(self.bookmark_at.min(self.ends_at)) => Woken::Due,
        }
    }

    /// Ends it without a word.
    fn end(&mut self) -> Option<Bytes> {
        self.watcher = None;
        None
    }

    fn end_with(&mut self, failure: &Failure) -> Option<Bytes> {
        self.watcher = None;
        tracing::debug!(code = failure.code, message = %failure.message, "a watch of a Kubernetes client ends");
        Some(failure.event().into())
    }
}
