//! A request of a Kubernetes client in, an answer out. HTTP itself stands in [`crate::http`].

mod lists;
mod logs;
mod single_flight;
mod watches;

use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use kubernetes_api::{
    Failure, ListOptions, PageToken, Query, Representation, decoded, representation, revision,
    wants_aggregated,
};
use serde_json::{Value, json};
use shared::frame::server::Kinds;
use shared::name::{ClusterName, Group, Version};
use shared::problem::{Problem, Reason};
use shared::resource::{Kind, Resource};
use shared::scope::{Namespaces, Scope};
use shared::selector::FieldSelector;
use tokio_util::sync::CancellationToken;

use super::control::ID;
use super::discovery;
use super::mirrors::Mirrors;
use super::refusal::{Named, forbidden, of_problem, of_upstream};
use super::review;
use super::target::{Objects, OwnReview, Target};
use crate::access::{Caller, Grant, Login, Question, RequestVerb, Rights, admit};
use crate::audit::{Decision, Trail, Viewer};
use crate::cluster::{ApiRequest, Cluster, Document, OwnQuestion};
use crate::feed::{FeedKey, Representation as Read};
use crate::inventory::Reached;
use crate::session::Context;
use crate::subscription_request::SubscriptionRequest;
pub use lists::PIECE_BYTES;
use lists::{Answered, Wanted};
pub use logs::ReadingLog;
use single_flight::SingleFlight;
pub use watches::Watching;

/// One request, as far as it is read by HTTP.
pub struct Asked {
    pub caller: Caller,
    pub trail: Trail,
    pub method: Method,
    pub cluster: String,
    /// Below the cluster's root.
    pub path: String,
    pub query: String,
    pub accept: String,
    pub body: Bytes,
    /// What stands before the cluster's root, as the client knows it.
    pub mount: String,
}

/// What is answered.
pub enum Answer {
    Whole {
        code: u16,
        media_type: &'static str,
        body: Bytes,
    },
    /// A list, in pieces. A piece that can't be written cuts the answer off.
    List {
        pieces: Box<dyn Iterator<Item = Option<Bytes>> + Send>,
        is_masked: bool,
    },
    Watch(Box<Watching>),
    Log(Box<ReadingLog>),
    Refused(Failure),
}

impl Answer {
    fn in_one_piece(body: Bytes, is_masked: bool) -> Self {
        Self::List { pieces: Box::new(std::iter::once(Some(body))), is_masked }
    }
}

/// Serves the clusters of a gateway to clients of Kubernetes. Each answer is one viewer's, by the rights of now.
pub struct Server {
    context: Arc<Context>,
    mirrors: Mirrors,
    lists: SingleFlight<Wanted, Answered>,
    /// Cancelled when sessions must end.
    leaving: CancellationToken,
}

/// The fields by which objects are selected. What the gateway can't evaluate is the API server's to judge.
pub(super) type Options = ListOptions<Option<FieldSelector>>;

/// A request about objects, read and admitted.
pub(super) struct Request {
    login: Login,
    trail: Trail,
    caller: Caller,
    reached: Reached,
    objects: Objects,
    kind: Kind,
    feed: FeedKey,
    asked: Arc<SubscriptionRequest>,
    options: Options,
    representation: Representation,
}

impl Server {
    /// Feeds are read from now on.
    #[must_use]
    pub fn start(context: Arc<Context>, leaving: CancellationToken) -> Self {
        let mirrors = Mirrors::default();
        context.registry.mirror(Arc::new(mirrors.clone()));
        Self { context, mirrors, lists: SingleFlight::default(), leaving }
    }

    pub async fn answer(&self, asked: Asked) -> Answer {
        match self.answered(asked).await {
            Ok(answer) => answer,
            Err(failure) => Answer::Refused(failure),
        }
    }

    async fn answered(&self, asked: Asked) -> Result<Answer, Failure> {
        let login = self.context.login(asked.caller.bearer(), &asked.caller, None).await;
        let login = login
            .inspect_err(|problem| asked.trail.refused(None, problem))
            .map_err(|problem| of_problem(&problem))?;
        let reached = self.reached(&asked.cluster)?;
        let kinds = reached.cluster.kinds().borrow().clone();
        let is_namespaced = |resource: &Resource| {
            kinds.kinds.iter().find(|kind| kind.serves(resource)).map(|kind| kind.namespaced)
        };
        let target = Target::read(&asked.path, is_namespaced)
            .map_err(|invalid| invalid_name(&asked.path, &invalid))?;
        if let Target::Review(review) = target {
            return own_review(&reached.cluster, &login, review, &asked).await;
        }
        if asked.method != Method::GET {
            return Err(only_reads());
        }
        match target {
            Target::Nothing => {
                // Perhaps it was defined a moment ago.
                reached.cluster.discover_soon();
                nothing_at(&asked.path, &kinds)
            }
            Target::Objects(objects) => self.objects(asked, login, reached, objects).await,
            Target::Log(objects) if reached.cluster.shows_logs() => {
                logs::log(self, asked, login, reached, objects).await
            }
            Target::Livez => Ok(plain(200, "ok".to_owned())),
            Target::Readyz => Ok(self.readyz(&login, &reached.cluster)),
            target => self.document(&asked, &reached.cluster, target).await,
        }
    }

    /// Whether what the viewer's watches have of the cluster is current, in the form of an API server's `/readyz`.
    fn readyz(&self, login: &Login, cluster: &Cluster) -> Answer {
        let name = cluster.kinds().borrow().cluster.clone();
        match self.context.registry.stale_hubs(&name, &login.rights.upstream()) {
            (_, 0) => plain(200, "ok".to_owned()),
            (all, stale) => plain(
                500,
                format!("[+]ping ok\n[-]watches failed: {stale} of {all} are stale\nreadyz check failed\n"),
            ),
        }
    }

    fn reached(&self, name: &str) -> Result<Reached, Failure> {
        let unknown = || Failure {
            message: format!("this gateway shows no cluster {name:?}"),
            ..Failure::no_such_resource()
        };
        let parsed = ClusterName::parse(name).map_err(|_| unknown())?;
        let found = self.context.clusters.find(Some(&parsed)).ok_or_else(unknown)?;
        found.reached.ok_or_else(|| {
            let problem = found.problem.map(|problem| problem.problem.message.to_string());
            let message = problem.unwrap_or_else(|| format!("the cluster {name} hasn't answered yet"));
            Failure { message, ..Failure::unavailable(1) }
        })
    }

    async fn objects(
        &self,
        asked: Asked,
        login: Login,
        reached: Reached,
        objects: Objects,
    ) -> Result<Answer, Failure> {
        let query = Query::read(&asked.query);
        let is_watch = objects.name.is_none() && query.is_on("watch");
        let verb = match (&objects.name, is_watch) {
            (Some(_), _) => RequestVerb::Get,
            (None, true) => RequestVerb::Watch,
            (None, false) => RequestVerb::List,
        };
        let representation = representation(&asked.accept, query.text("includeObject"), verb.word())?;
        let none = Query::default();
        // A get reads no selectors.
        let of_options = if verb == RequestVerb::Get { &none } else { &query };
        let options = Options::read(of_options, true, fields_of, |_| None)?;
        if verb == RequestVerb::Get {
            revision(&query, |_| None)?;
        }
        let request = self.admitted(asked, login, reached, (objects, options, representation))?;
        self.may(&request, verb).await?;
        let now = self.context.registry.now();
        // A request counts as a connection while it is answered, as the sessions of pages do.
        let guard = self.context.sessions.enter(&request.login.identity, now);
        let guard = guard.map_err(|problem| of_problem(&problem))?;
        self.context
            .sessions
            .may_subscribe(&request.login.identity, now)
            .map_err(|problem| of_problem(&problem))?;
        match verb {
            RequestVerb::Watch => {
                // The session of the watch counts by itself.
                drop(guard);
                self.watch(request).await
            }
            RequestVerb::Get | RequestVerb::List => self.read(&request, &query).await,
        }
    }

    /// Finds the feed of the request, by what the gateway shows.
    fn admitted(
        &self,
        asked: Asked,
        login: Login,
        reached: Reached,
        (objects, options, representation): (Objects, Options, Representation),
    ) -> Result<Request, Failure> {
        let kinds = reached.cluster.kinds().borrow().clone();
        let kind = kinds.kinds.iter().find(|kind| kind.serves(&objects.resource)).cloned();
        let kind = kind.ok_or_else(Failure::no_such_resource)?;
        let namespaces = match &objects.namespace {
            Some(namespace) => {
                Namespaces::these(vec![namespace.clone()]).map_err(|problem| of_problem(&problem))?
            }
            None => Namespaces::All,
        };
        let scope = Scope {
            cluster: Some(kinds.cluster.clone()),
            namespaces,
            name: objects.name.clone(),
            labels: Some(options.labels.clone()).filter(|labels| !labels.is_empty()),
            fields: options.fields.clone(),
            ..Scope::all(objects.resource.clone())
        };
        let request = SubscriptionRequest::rows(ID, scope);
        let feed = admit(&kinds, &reached.cluster.ceiling(), &request);
        let request = Arc::new(request);
        let feed = feed.map_err(|problem| {
            let viewer = Viewer { identity: &login.identity, rights: &login.rights };
            asked.trail.decided(viewer, &Decision::denied(&request, &problem));
            of_problem(&problem)
        })?;
        let is_whole = matches!(
            representation,
            Representation::Whole | Representation::Table(kubernetes_api::Include::Object)
        );
        if feed.representation == Read::Metadata && is_whole {
            return Err(Failure::of_a_stranger(
                "of Secrets this gateway shows names and metadata alone; ask for a Table, as `kubectl get` does, or for PartialObjectMetadata",
            ));
        }
        let feed = FeedKey { upstream: login.rights.upstream(), ..feed };
        let Asked { trail, caller, .. } = asked;
        Ok(Request {
            login,
            trail,
            caller,
            reached,
            objects,
            kind,
            feed,
            asked: request,
            options,
            representation,
        })
    }

    /// Asks for the right to it, as an API server does. Where the API server is asked as the viewer, it decides itself.
    async fn may(&self, request: &Request, verb: RequestVerb) -> Result<(), Failure> {
        let viewer = Viewer { identity: &request.login.identity, rights: &request.login.rights };
        let Rights::OfViewer(subject) = &request.login.rights else {
            request.trail.decided(viewer, &Decision::of_own_user(&request.asked));
            return Ok(());
        };
        let question = Question::of_request(&request.asked.scope, request.kind.namespaced, verb);
        let mut grants = request.reached.reviews.watch(subject, question);
        let granted = grants.wait_for(Option::is_some).await.map(|grant| (*grant).clone());
        let grant = granted.ok().flatten().unwrap_or_else(|| {
            Grant::Refused(Problem::new(Reason::ServiceUnavailable, "the cluster isn't shown any more"))
        });
        request.trail.decided(viewer, &Decision::reviewed(None, &grant, &request.asked));
        match grant {
            Grant::Whole => Ok(()),
            Grant::Refused(problem) if problem.reason != Reason::Forbidden => Err(of_problem(&problem)),
            Grant::Refused(_) | Grant::Within(_) | Grant::Listed(_) => {
                Err(forbidden(&subject.user, verb.word(), &request.objects))
            }
        }
    }

    async fn document(&self, asked: &Asked, cluster: &Cluster, target: Target) -> Result<Answer, Failure> {
        let is_aggregated = wants_aggregated(&asked.accept);
        let invalid = |_: Problem| Failure::no_such_resource();
        let document = match target {
            Target::Version => return document_of(cluster, &ApiRequest::version(), |value| value).await,
            Target::Groups { core: true } => Document::Core { aggregated: is_aggregated },
            Target::Groups { core: false } => Document::Groups { aggregated: is_aggregated },
            Target::Group(group) => Document::Group(Group::parse(&group).map_err(invalid)?),
            Target::Resources { group, version } => Document::Resources(
                Group::parse(&group).map_err(invalid)?,
                Version::parse(&version).map_err(invalid)?,
            ),
            Target::OpenApi(path) => match open_api(&path, &asked.query) {
                Some(document) => document,
                None => return Err(Failure::no_such_resource()),
            },
            _ => return Err(not_served()),
        };
        let kinds = cluster.kinds().borrow().clone();
        let request = ApiRequest::document(&document);
        if let Document::Group(group) | Document::Resources(group, _) = &document
            && !kinds.kinds.iter().any(|kind| kind.resource.group == *group)
        {
            cluster.discover_soon();
            return nothing_at(&asked.path, &kinds);
        }
        match document {
            Document::OpenApiIndex => {
                document_of(cluster, &request, |index| discovery::index_below(index, &asked.mount)).await
            }
            Document::OpenApi { .. } => document_of(cluster, &request, |value| value).await,
            _ => document_of(cluster, &request, |value| discovery::of_gateway(value, &kinds)).await.or_else(
                |failure| if failure.code == 404 { nothing_at(&asked.path, &kinds) } else { Err(failure) },
            ),
        }
    }
}

fn open_api(path: &str, query: &str) -> Option<Document> {
    let hash = Query::read(query).text("hash").to_owned();
    let segments: Vec<&str> = path.split('/').collect();
    let (group, version) = match segments.as_slice() {
        ["v3"] => return Some(Document::OpenApiIndex),
        ["v3", "api", version] => ("", *version),
        ["v3", "apis", group, version] => (*group, *version),
        _ => return None,
    };
    Some(Document::OpenApi { group: Group::parse(group).ok()?, version: Version::parse(version).ok()?, hash })
}

/// One of the cluster's own documents, changed as the gateway tells it.
async fn document_of(
    cluster: &Cluster,
    request: &ApiRequest,
    told: impl FnOnce(Value) -> Value,
) -> Result<Answer, Failure> {
    let refused = |failure: crate::cluster::Failure| match failure.reason() {
        Reason::NotFound => Failure::no_such_resource(),
        reason => Failure {
            message: format!("the API server was asked, and said: {}", reason.words()),
            ..Failure::unavailable(1)
        },
    };
    let body = cluster
        .send(request)
        .await
        .map_err(refused)?
        .whole()
        .await
        .map_err(|problem| of_problem(&problem))?;
    let document: Value =
        serde_json::from_slice(&body).map_err(|_| Failure::internal("the API server's answer isn't JSON"))?;
    let media_type = if discovery::is_aggregated(&document) { discovery::AGGREGATED } else { JSON };
    Ok(Answer::Whole { code: 200, media_type, body: told(document).to_string().into() })
}

pub const JSON: &str = "application/json";

/// What the viewer may, as the API server says it.
async fn own_review(
    cluster: &Cluster,
    login: &Login,
    asked_for: OwnReview,
    asked: &Asked,
) -> Result<Answer, Failure> {
    if asked.method != Method::POST {
        return Err(Failure::method_not_allowed());
    }
    let mut body = review::read(&asked.body).map_err(Failure::bad_request)?;
    let spec = body.get("spec").cloned().unwrap_or_else(|| json!({}));
    let never = match asked_for {
        OwnReview::Access => review::never(&spec, &cluster.kinds().borrow(), cluster.shows_logs()),
        OwnReview::Rules => None,
    };
    let question = match asked_for {
        OwnReview::Access => OwnQuestion::Access(spec),
        OwnReview::Rules => {
            let namespace = spec.get("namespace").and_then(Value::as_str).unwrap_or_default();
            OwnQuestion::Rules(namespace.to_owned())
        }
    };
    let status = match never {
        Some(why) => json!({"allowed": false, "reason": why}),
        None => reviewed(cluster, login, &question).await?,
    };
    if let Some(fields) = body.as_object_mut() {
        fields.insert("status".to_owned(), status);
        fields.insert("metadata".to_owned(), json!({}));
    }
    Ok(Answer::Whole { code: 201, media_type: JSON, body: body.to_string().into() })
}

async fn reviewed(cluster: &Cluster, login: &Login, question: &OwnQuestion) -> Result<Value, Failure> {
    let subject = login.rights.subject().map(|subject| &**subject);
    let status = cluster.review_question(subject, question).await;
    let status = status.map_err(|failure| match failure.reason() {
        Reason::BadRequest | Reason::Invalid => {
            Failure::bad_request("the API server can't read this review; look at its spec")
        }
        reason => Failure {
            message: format!("the review was asked for, and the API server said: {}", reason.words()),
            ..Failure::unavailable(1)
        },
    })?;
    Ok(review::rules_of_gateway(status))
}

/// No verb that writes is served, whatever the viewer's rights are.
fn only_reads() -> Failure {
    Failure {
        message: "this gateway only reads; ask the API server itself to change something".to_owned(),
        ..Failure::method_not_allowed()
    }
}

/// Below a group of its own an API server answers with a `Status`, elsewhere with plain text.
fn nothing_at(path: &str, kinds: &Kinds) -> Result<Answer, Failure> {
    let is_built_in =
        |group: &str| kinds.kinds.iter().any(|kind| !kind.custom && kind.resource.group.as_str() == group);
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match segments.as_slice() {
        ["api", _, ..] => Err(Failure::no_such_resource()),
        ["apis", group, _, ..] if is_built_in(group) => Err(Failure::no_such_resource()),
        _ => Ok(no_such_page()),
    }
}

pub(super) fn no_such_page() -> Answer {
    plain(404, "404 page not found\n".to_owned())
}

fn plain(code: u16, text: String) -> Answer {
    Answer::Whole { code, media_type: "text/plain; charset=utf-8", body: text.into() }
}

/// A name in the path that is none.
fn invalid_name(path: &str, invalid: &Problem) -> Failure {
    let path = decoded(path);
    match path.rsplit('/').next() {
        Some(name @ ("." | "..")) => {
            Failure::bad_request(format!("Name parameter invalid: {name:?}: may not be '{name}'"))
        }
        _ => of_problem(invalid),
    }
}

fn not_served() -> Failure {
    Failure {
        message:
            "this gateway serves get, list and watch of objects; ask the API server itself for anything else"
                .to_owned(),
        ..Failure::no_such_resource()
    }
}

/// The terms of a field selector, as far as the gateway reads them.
fn fields_of(text: &str) -> Result<Option<FieldSelector>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    FieldSelector::parse(text).map(Some).map_err(|_| {
        let mut after = text.split('\\').skip(1);
        // A backslash escapes itself, a comma and an equals sign.
        if let Some(rest) = after.find(|rest| !rest.starts_with([',', '='])) {
            let escaped = rest.chars().next().map(String::from).unwrap_or_default();
            return format!("invalid field selector: invalid escape sequence: \\{escaped}");
        }
        let value =
            |term: &str| term.split_once('=').map(|(_, value)| value.trim_start_matches('=').to_owned());
        if text.split(',').filter_map(value).any(|value| value.replace("\\=", "").contains('=')) {
            return "invalid field selector: unescaped character in value: 61".to_owned();
        }
        let term = text.split(',').find(|term| !term.contains('=')).unwrap_or(text);
        format!("invalid selector: '{text}'; can't understand '{term}'")
    })
}

impl Request {
    fn named(&self) -> Named<'_> {
        Named(&self.kind, &self.objects.resource)
    }

    fn refused(&self, failure: &crate::cluster::Failure, verb: &str) -> Failure {
        let user = match self.login.rights.subject() {
            Some(subject) => &*subject.user,
            None => self.login.identity.name(),
        };
        let refused = of_upstream(failure, (user, verb), (&self.objects, &self.named()));
        match PageToken::decode(&self.options.page) {
            // The server's own words name a token, so they weren't passed on.
            Err(why) if refused.code == 400 && !self.options.page.is_empty() => {
                Failure::bad_request(format!("invalid continue token: continue key is not valid: {why}"))
            }
            _ => refused,
        }
    }
}
