//! Lists and gets. The API server answers them, as it answers the feeds: so its own words about paging, selectors and
//! resourceVersions hold, and each object is redacted on its way.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use kubernetes_api::{Failure, Query, Representation};
use shared::column::Column;
use shared::name::ClusterName;
use tokio::time::timeout;

use super::{Answer, JSON, Request, Server, no_such_page};
use crate::clock::gateway_ms;
use crate::cluster::{Selection, UpstreamIdentity};
use crate::feed::event::Page;
use crate::feed::{FeedKey, LeftOut, Object, Once, read_once};
use crate::kubernetes::mirrors::Reader;
use crate::kubernetes::printer::{ListMetadata, Printer};
use crate::kubernetes::target::Objects;
use crate::kubernetes::version::Version;
use crate::limits::EVENTS_READY_MS;

/// What of the query the API server is asked as it stands.
const PASSED_ON: [&str; 5] =
    ["labelSelector", "resourceVersion", "resourceVersionMatch", "limit", "continue"];
/// A list is written in pieces of about this size.
pub const PIECE_BYTES: usize = 64 * 1024;

/// What is asked of an API server. Equal ones have equal answers at one time.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Wanted {
    cluster: ClusterName,
    upstream: UpstreamIdentity,
    /// What is shown and masked.
    rules: Box<str>,
    once: Once,
}

/// What the API server answered, for all who asked.
pub(super) struct Listed {
    pub(super) metadata: ListMetadata,
    columns: Arc<[Column]>,
    pub(super) objects: Vec<Result<Arc<Version>, LeftOut>>,
}

pub(super) type Answered = Result<Arc<Listed>, crate::cluster::Failure>;

impl Listed {
    fn of(page: Page) -> Self {
        let metadata = ListMetadata {
            resource_version: page.resource_version.to_string(),
            next: page.next,
            remaining: page.remaining,
        };
        let shown = |object: Result<Object, LeftOut>| object.map(Version::listed).map(Arc::new);
        Self { metadata, columns: page.columns, objects: page.objects.into_iter().map(shown).collect() }
    }

    pub(super) fn revision(&self) -> u64 {
        self.metadata.resource_version.parse().unwrap_or_default()
    }
}

impl Server {
    pub(super) async fn read(&self, request: &Request, query: &Query) -> Result<Answer, Failure> {
        if request.objects.name.is_some() {
            return self.get(request, query).await;
        }
        if let Some(mut reader) = self.events_of(request).await
            && let Some(at_least) = self.at_least(request, &mut reader).await
            && let Some(answer) = of_events(request, &reader, at_least)
        {
            return Ok(answer);
        }
        let page = match self.page(request, query, "list").await {
            // Its definition is gone, and with it the path.
            Err(failure) if failure.code == 404 && request.kind.custom => {
                request.reached.cluster.discover_soon();
                return Ok(no_such_page());
            }
            page => page?,
        };
        let printer = request.printer().with(&page.columns, gateway_ms() / 1_000);
        let mut versions = Vec::with_capacity(page.objects.len());
        for object in &page.objects {
            versions.push(Arc::clone(object.as_ref().map_err(|left_out| {
                let message = format!("{} can't be shown: {}", left_out.object, left_out.problem.message);
                Failure::internal(&message)
            })?));
        }
        Ok(list(printer, &page.metadata, versions))
    }

    async fn get(&self, request: &Request, query: &Query) -> Result<Answer, Failure> {
        let name = request.objects.name.as_ref().map_or("", |name| name.as_str());
        // Nothing has such a name, and the gateway sends no path with it.
        if !name.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'%' | b'\\' | b'?' | b'#')) {
            return Err(Failure::not_found(&request.named(), name));
        }
        let page = self.page(request, query, "get").await?;
        let printer = request.printer().with(&page.columns, gateway_ms() / 1_000);
        let object = page.objects.first().and_then(|object| object.as_ref().ok());
        let version = object.ok_or_else(|| Failure::not_found(&request.named(), name))?;
        let unreadable = || Failure::internal("the object can't be read");
        let one = printer.one(version).ok_or_else(unreadable)?;
        if version.is_masked_in(request.representation) {
            return Ok(Answer::in_one_piece(one.into(), true));
        }
        Ok(Answer::Whole { code: 200, media_type: JSON, body: one.into() })
    }

    /// Asks the API server, in the name of whom it is asked for the feed.
    pub(super) async fn page(
        &self,
        request: &Request,
        query: &Query,
        verb: &str,
    ) -> Result<Arc<Listed>, Failure> {
        let Objects { resource, namespace, name } = request.objects.clone();
        let selection = Selection { resource, namespace, name, fields: request.options.fields.clone() };
        self.ask(request, Once { selection, query: passed_on(query) }, verb).await
    }

    /// All that a feed of the request has.
    pub(super) async fn page_of_feed(
        &self,
        request: &Request,
        feed: &FeedKey,
    ) -> Result<Arc<Listed>, Failure> {
        let FeedKey { resource, namespace, name, fields, .. } = feed.clone();
        let selection = Selection { resource, namespace, name, fields };
        self.ask(request, Once { selection, query: Vec::new() }, "list").await
    }

    /// Those who ask the same at once, in the same name, ask once.
    async fn ask(&self, request: &Request, once: Once, verb: &str) -> Result<Arc<Listed>, Failure> {
        let key = Wanted {
            cluster: request.feed.cluster.clone(),
            upstream: request.feed.upstream.clone(),
            rules: self.context.registry.rules().borrow().clone(),
            once: once.clone(),
        };
        let answered = self.lists.ask(key, || {
            let held = self.context.hold_token(&request.login, request.caller.bearer());
            let redaction = self.context.registry.redaction();
            let (cluster, upstream) = (request.reached.cluster.clone(), request.feed.upstream.clone());
            async move {
                let _held = held;
                let page = read_once(&cluster, &upstream, &redaction, &once).await;
                page.map(|page| Arc::new(Listed::of(page)))
            }
        });
        let lost = || Failure::internal("the answer of the API server was lost");
        match &*answered.await.ok_or_else(lost)? {
            Ok(listed) => Ok(Arc::clone(listed)),
            Err(failure) => Err(request.refused(failure, verb)),
        }
    }

    /// Has the feed's events kept before its objects are listed, if it runs: a watch from that list's resourceVersion
    /// finds them all.
    pub(super) async fn events_of(&self, request: &Request) -> Option<Reader> {
        if !request.kind.watch || !self.context.registry.keep_events(&request.feed) {
            return None;
        }
        let mut reader = self.mirrors.reader(&request.feed)?;
        let ready = async {
            while !reader.log().is_loaded() {
                if reader.heard.changed().await.is_err() {
                    return;
                }
            }
        };
        drop(timeout(Duration::from_millis(EVENTS_READY_MS), ready).await);
        let is_loaded = reader.log().is_loaded();
        is_loaded.then_some(reader)
    }

    /// The revision that the gateway's own objects have to have reached to be the answer. `None`: the API server answers.
    async fn at_least(&self, request: &Request, reader: &mut Reader) -> Option<u64> {
        let options = &request.options;
        if options.exact || !options.page.is_empty() || !self.context.registry.is_current(reader.key()) {
            return None;
        }
        // The newest page is the API server's to give.
        let takes_any = options.revision == Some(0) || options.not_older && options.limit == 0;
        if takes_any {
            return Some(options.revision.unwrap_or_default());
        }
        // A table's cells are as the API server prints them at this moment.
        let is_whole = options.revision.is_none()
            && options.limit == 0
            && options.fields.is_none()
            && !matches!(request.representation, Representation::Table(_));
        if is_whole { self.proven(request, reader).await } else { None }
    }

    /// What the API server is at, once the feed's events have reached it. So the gateway's objects are as fresh as a list of
    /// the API server's own, which costs it one object. `None`: it isn't known, or the feed stands before it.
    pub(super) async fn proven(&self, request: &Request, reader: &mut Reader) -> Option<u64> {
        if !reader.may_have_reached_now() {
            return None;
        }
        let first = self.page(request, &Query::read("limit=1"), "list").await.ok()?;
        let revision = first.revision();
        (revision > 0 && reader.reaches(revision).await).then_some(revision)
    }
}

/// The list as the gateway has it, if that has reached a revision.
fn of_events(request: &Request, reader: &Reader, at_least: u64) -> Option<Answer> {
    let (versions, columns, revision) = {
        let log = reader.log();
        if !log.is_loaded() || log.revision() < at_least {
            return None;
        }
        let selection = request.selection();
        if log.left_out(&selection).is_some() {
            // The API server's list says why.
            return None;
        }
        let chosen: Vec<_> = log.objects().filter(|version| selection.chooses(version)).cloned().collect();
        (chosen, log.columns(), log.revision())
    };
    let metadata = ListMetadata { resource_version: revision.to_string(), ..ListMetadata::default() };
    Some(list(request.printer().with(&columns, gateway_ms() / 1_000), &metadata, versions))
}

fn passed_on(query: &Query) -> Vec<(&'static str, String)> {
    let asked = PASSED_ON.iter().filter(|name| query.has(name));
    asked.map(|name| (*name, query.text(name).to_owned())).collect()
}

/// A list in pieces, each of which is written when the one before it was taken.
fn list(printer: Printer, metadata: &ListMetadata, versions: Vec<Arc<Version>>) -> Answer {
    let is_masked = versions.iter().any(|version| version.is_masked_in(printer.representation));
    let mut head = Some(printer.list_head(metadata));
    let mut versions = versions.into_iter();
    let mut is_first = true;
    let mut is_over = false;
    let pieces = std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        let mut piece = head.take().unwrap_or_default();
        while piece.len() < PIECE_BYTES {
            let Some(version) = versions.next() else {
                piece.push_str("]}");
                is_over = true;
                break;
            };
            let Some(item) = printer.item(&version) else {
                is_over = true;
                return Some(None);
            };
            if !std::mem::take(&mut is_first) {
                piece.push(',');
            }
            piece.push_str(&item);
        }
        Some(Some(Bytes::from(piece)))
    });
    Answer::List { pieces: Box::new(pieces), is_masked }
}
