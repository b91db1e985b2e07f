//! Every request there is, as types. Path and query are written here and nowhere else, from names that were
//! checked when they were parsed.

use std::time::{Duration, Instant};

use http::{HeaderMap, Request, header};
use kube::client::Body;
use kubernetes_api::LogOptions;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use shared::name::{Group, Namespace, ObjectName, Version};
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::selector::FieldSelector;

use super::answer::{Answer, GZIP};
use super::client::Client;
use super::failure::{self, Failure, Refusal};
use crate::limits;
use crate::metrics::{NO_ANSWER, Verb};
use crate::traces::{Kind, Span, current};

/// One GET.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiRequest {
    path: String,
    query: String,
    accept: Accept,
    /// A server that can't answer in this form is to refuse.
    is_strict: bool,
    /// May come as gzip.
    is_compressed: bool,
    /// Kubernetes' word for the request.
    verb: Verb,
}

/// One of the questions about a viewer, or about the gateway itself. Nothing is kept of it: it is a POST that reads.
#[derive(Clone, Copy)]
pub(super) enum Review {
    /// Which user a token belongs to.
    Token,
    /// Whether a subject may do something.
    Access,
    /// Whether the gateway itself may.
    OwnAccess,
    /// The gateway's own account.
    OwnName,
    /// What the gateway itself may do in a namespace.
    OwnRules,
}

/// Where discovery begins.
#[derive(Clone, Copy)]
pub(super) enum DiscoveryRoot {
    /// `/api`: the core group.
    Core,
    /// `/apis`: every other group.
    Groups,
}

/// What a server says of itself, for clients that ask this gateway instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Document {
    /// `/api`, in the aggregated form where the server has it.
    Core { aggregated: bool },
    /// `/apis`
    Groups { aggregated: bool },
    /// `/apis/GROUP`
    Group(Group),
    /// `/api/VERSION` or `/apis/GROUP/VERSION`
    Resources(Group, Version),
    /// `/openapi/v3`
    OpenApiIndex,
    /// What the index names. `hash`: of the content that the client knows from there.
    OpenApi { group: Group, version: Version, hash: String },
}

/// The forms that an answer may have; a server that can't print the first sends the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accept {
    Table,
    Metadata,
    MetadataList,
    Discovery,
    Json,
    /// As it is.
    Any,
}

/// Which objects of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selection {
    pub resource: Resource,
    pub namespace: Option<Namespace>,
    pub name: Option<ObjectName>,
    pub fields: Option<FieldSelector>,
}

impl Accept {
    pub(super) fn header(self) -> &'static str {
        match self {
            Self::Table => "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
            Self::Metadata => "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
            Self::MetadataList => {
                "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"
            }
            Self::Discovery => {
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
            }
            Self::Json => "application/json",
            Self::Any => "*/*",
        }
    }
}

impl ApiRequest {
    fn at(path: String, accept: Accept) -> Self {
        Self {
            path,
            query: String::new(),
            accept,
            is_strict: false,
            is_compressed: false,
            verb: Verb::discovery,
        }
    }

    pub fn document(document: &Document) -> Self {
        let plain_or = |aggregated: bool| if aggregated { Accept::Discovery } else { Accept::Json };
        let (path, accept) = match document {
            Document::Core { aggregated } => ("/api".to_owned(), plain_or(*aggregated)),
            Document::Groups { aggregated } => ("/apis".to_owned(), plain_or(*aggregated)),
            Document::Group(group) => (format!("/apis/{group}"), Accept::Json),
            Document::Resources(group, version) => (root(group, version), Accept::Json),
            Document::OpenApiIndex => ("/openapi/v3".to_owned(), Accept::Json),
            Document::OpenApi { group, version, hash } => {
                let request = Self::at(format!("/openapi/v3{}", root(group, version)), Accept::Json);
                return if hash.is_empty() { request } else { request.with("hash", hash) };
            }
        };
        Self::at(path, accept)
    }

    pub fn version() -> Self {
        Self::at("/version".to_owned(), Accept::Json)
    }

    pub(super) fn discovery(root: DiscoveryRoot, accept: Accept) -> Self {
        let path = match root {
            DiscoveryRoot::Core => "/api",
            DiscoveryRoot::Groups => "/apis",
        };
        Self::at(path.to_owned(), accept)
    }

    /// The plain list of one version's resources.
    pub fn version_discovery(group: &Group, version: &Version) -> Self {
        Self::at(root(group, version), Accept::Json)
    }

    pub fn object(
        resource: &Resource,
        namespace: Option<&Namespace>,
        name: &ObjectName,
        accept: Accept,
    ) -> Self {
        let mut path = collection(resource, namespace) + "/";
        path.extend(utf8_percent_encode(name.as_str(), RESERVED));
        Self { verb: Verb::get, ..Self::at(path, accept) }
    }

    pub fn objects(selection: &Selection, accept: Accept) -> Self {
        let path = collection(&selection.resource, selection.namespace.as_ref());
        let mut request = Self { verb: Verb::list, ..Self::at(path, accept) };
        let by_name = selection.name.as_ref().map(|name| format!("metadata.name={}", escaped(name)));
        let by_fields = selection.fields.as_ref().map(|fields| fields.as_str().to_owned());
        let fields: Vec<String> = by_name.into_iter().chain(by_fields).collect();
        if !fields.is_empty() {
            request = request.with("fieldSelector", &fields.join(","));
        }
        request
    }

    /// What a container of a pod writes.
    pub fn log(namespace: &Namespace, pod: &ObjectName, options: &LogOptions) -> Self {
        let mut path = format!("/api/v1/namespaces/{namespace}/pods/");
        path.extend(utf8_percent_encode(pod.as_str(), RESERVED));
        path.push_str("/log");
        let request = Self { verb: Verb::log, ..Self::at(path, Accept::Any) };
        options.parameters().iter().fold(request, |request, (name, value)| request.with(name, value))
    }

    /// The changes of these objects instead of their list.
    pub fn watched(self) -> Self {
        Self { verb: Verb::watch, ..self.with("watch", "1") }
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.query.push(if self.query.is_empty() { '?' } else { '&' });
        self.query.push_str(name);
        self.query.push('=');
        self.query.extend(utf8_percent_encode(value, RESERVED));
        self
    }

    /// The answer has the form that was asked for, or there is none.
    pub fn without_second_choice(self) -> Self {
        Self { is_strict: true, ..self }
    }

    /// As gzip, where the server offers that for such an answer (a WatchList from Kubernetes 1.37 on).
    pub fn compressed(self) -> Self {
        Self { is_compressed: true, ..self }
    }

    /// The forms that are taken, the best first.
    pub fn accepted(&self) -> &'static str {
        let forms = self.accept.header();
        match forms.split_once(',') {
            Some((first, _)) if self.is_strict => first,
            _ => forms,
        }
    }

    /// Path and query, as they are sent.
    pub fn target(&self) -> String {
        format!("{}{}", self.path, self.query)
    }
}

fn root(group: &Group, version: &Version) -> String {
    if group.as_str().is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") }
}

fn collection(resource: &Resource, namespace: Option<&Namespace>) -> String {
    let root = root(&resource.group, &resource.version);
    match namespace {
        Some(namespace) => format!("{root}/namespaces/{namespace}/{}", resource.resource),
        None => format!("{root}/{}", resource.resource),
    }
}

/// Escapes the separators of a field selector, as `fields.EscapeValue` does.
fn escaped(name: &ObjectName) -> String {
    name.as_str().replace('\\', r"\\").replace(',', r"\,").replace('=', r"\=")
}

/// RFC 3986 leaves the unreserved characters as they are; every other byte is encoded.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Counts the request, also if it fails.
pub(super) async fn send(client: &Client, request: &ApiRequest) -> Result<Answer, Failure> {
    send_with(client, &client.kube, request, HeaderMap::new()).await
}

/// The same over one of the client's connections, with headers that name the identity.
pub(super) async fn send_with(
    client: &Client,
    connection: &kube::Client,
    request: &ApiRequest,
    as_whom: HeaderMap,
) -> Result<Answer, Failure> {
    let mut http = Request::get(request.target()).header(header::ACCEPT, request.accepted());
    if let Some(headers) = http.headers_mut() {
        headers.extend(as_whom);
        if request.is_compressed {
            headers.insert(header::ACCEPT_ENCODING, GZIP);
        }
    }
    ask((client, connection), request.verb, http.body(Body::empty())).await
}

/// The answer's body. Counts the request, also if it fails.
pub(super) async fn review(
    client: &Client,
    review: Review,
    question: &impl Serialize,
) -> Result<Vec<u8>, Failure> {
    let path = match review {
        Review::Token => "/apis/authentication.k8s.io/v1/tokenreviews",
        Review::Access => "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        Review::OwnAccess => "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        Review::OwnName => "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        Review::OwnRules => "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    };
    let body = serde_json::to_vec(question).map_err(|_| Failure::Broken(unwritable()))?;
    let http = Request::post(path)
        .header(header::ACCEPT, Accept::Json.header())
        .header(header::CONTENT_TYPE, Accept::Json.header());
    let answer = ask((client, &client.kube), Verb::review, http.body(Body::from(body))).await?;
    answer.whole().await.map_err(Failure::Broken)
}

fn unwritable() -> Problem {
    Problem::new(Reason::InternalError, "the request can't be written")
}

async fn ask(
    (client, connection): (&Client, &kube::Client),
    verb: Verb,
    http: Result<Request<Body>, http::Error>,
) -> Result<Answer, Failure> {
    let started = Instant::now();
    let (http, span) = traced(verb, http);
    let answer = answer(connection, verb, http).await;
    let code = match &answer {
        Ok(_) => http::StatusCode::OK.as_u16(),
        Err(Failure::Refused(refusal)) => refusal.code,
        Err(Failure::Broken(_)) => NO_ANSWER,
    };
    client.metrics.count_upstream(verb, code, started.elapsed());
    if let Some(mut span) = span {
        span.number("http.response.status_code", i64::from(code));
        if answer.is_err() {
            span.fail();
        }
    }
    answer
}

/// If this is a part of a traced request, the API server's own spans belong to its trace.
fn traced(
    verb: Verb,
    mut http: Result<Request<Body>, http::Error>,
) -> (Result<Request<Body>, http::Error>, Option<Span>) {
    let span =
        current().and_then(|parent| Span::below(&parent, format!("API server: {verb:?}"), Kind::Client));
    if let (Ok(http), Some(span)) = (&mut http, &span) {
        span.context().write(http.headers_mut());
    }
    (http, span)
}

async fn answer(
    client: &kube::Client,
    verb: Verb,
    http: Result<Request<Body>, http::Error>,
) -> Result<Answer, Failure> {
    let http = http.map_err(|_| Failure::Broken(unwritable()))?;
    let may_be_gzip = http.headers().contains_key(header::ACCEPT_ENCODING);
    let sent = client.send(http);
    let answered = match verb {
        // A kubelet sends the head of a log with its first line, and a container may be silent for hours.
        Verb::log => Ok(sent.await),
        _ => tokio::time::timeout(Duration::from_secs(limits::UPSTREAM_HEAD_TIMEOUT_S), sent).await,
    };
    let response = match answered {
        Err(_) => return Err(Failure::Broken(failure::timed_out())),
        Ok(Err(error)) => return Err(Failure::Broken(failure::of_connection(&error))),
        Ok(Ok(response)) => response,
    };
    let (head, body) = response.into_parts();
    // An encoding that the request didn't allow isn't inflated.
    let is_gzip = may_be_gzip && head.headers.get(header::CONTENT_ENCODING) == Some(&GZIP);
    let mut answer = Answer::new(date_ms(&head.headers), body, is_gzip);
    // A review is answered as something that was created, and the log of a pod that has no node yet with nothing.
    let answered = [http::StatusCode::OK, http::StatusCode::CREATED, http::StatusCode::NO_CONTENT];
    if answered.contains(&head.status) {
        return Ok(answer);
    }
    let retry_after_s = number(&head.headers, header::RETRY_AFTER);
    let body = answer.read_up_to(limits::UPSTREAM_REFUSAL_BYTES_MAX).await;
    let refusal = Refusal::read(head.status.as_u16(), retry_after_s, &body);
    Err(Failure::Refused(Refusal { audit_id: audit_id(&head.headers), ..refusal }))
}

/// Shown to readers, so nothing but what a UUID is made of is taken.
fn audit_id(headers: &HeaderMap) -> Option<Box<str>> {
    let id = headers.get("audit-id")?.to_str().ok()?;
    let is_id = id.len() <= limits::AUDIT_ID_BYTES_MAX
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_id.then(|| id.into())
}

fn number(headers: &HeaderMap, name: header::HeaderName) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

fn date_ms(headers: &HeaderMap) -> Option<i64> {
    let text = headers.get(header::DATE)?.to_str().ok()?;
    Some(jiff::fmt::rfc2822::parse(text).ok()?.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(namespace: Option<&str>, name: Option<&str>, fields: Option<&str>) -> Selection {
        Selection {
            resource: Resource::parse("apps", "v1", "deployments").expect("a resource"),
            namespace: namespace.map(|text| Namespace::parse(text).expect("a namespace")),
            name: name.map(|text| ObjectName::parse(text).expect("a name")),
            fields: fields.map(|text| FieldSelector::parse(text).expect("a selector")),
        }
    }

    #[test]
    fn a_selection_becomes_a_path_and_a_query() {
        let check = |selection: &Selection, expected: &str| {
            assert_eq!(ApiRequest::objects(selection, Accept::Table).target(), expected);
        };
        check(&selection(None, None, None), "/apis/apps/v1/deployments");
        check(&selection(Some("shop"), None, None), "/apis/apps/v1/namespaces/shop/deployments");
        check(
            &selection(Some("shop"), Some("web"), Some("status.phase!=Running")),
            "/apis/apps/v1/namespaces/shop/deployments?fieldSelector=metadata.name%3Dweb%2Cstatus.phase%21%3DRunning",
        );
        let core = Resource::parse("", "v1", "namespaces").expect("a resource");
        let name = ObjectName::parse("kube-system").expect("a name");
        let request = ApiRequest::object(&core, None, &name, Accept::Metadata);
        assert_eq!(request.target(), "/api/v1/namespaces/kube-system");
    }

    #[test]
    fn r_authz_11_a_name_stays_one_segment_and_one_value_whatever_it_holds() {
        let core = Resource::parse("", "v1", "nodes").expect("a resource");
        let name = ObjectName::parse(r"a b?c#d\e&f,g=h").expect("a name");
        let request = ApiRequest::object(&core, None, &name, Accept::Metadata);
        assert_eq!(request.target(), "/api/v1/nodes/a%20b%3Fc%23d%5Ce%26f%2Cg%3Dh");
        let selection = Selection { name: Some(name), ..selection(None, None, None) };
        assert_eq!(
            ApiRequest::objects(&selection, Accept::Table).target(),
            "/apis/apps/v1/deployments?fieldSelector=metadata.name%3Da%20b%3Fc%23d%5C%5Ce%26f%5C%2Cg%5C%3Dh"
        );
    }

    #[test]
    fn r_authz_11_a_log_is_asked_for_by_its_pod_whatever_it_is_called() {
        let namespace = Namespace::parse("shop").expect("a namespace");
        let name = ObjectName::parse(r"a b?c#d").expect("a name");
        let options =
            LogOptions { container: "a&follow=x".to_owned(), follow: true, ..LogOptions::default() };
        assert_eq!(
            ApiRequest::log(&namespace, &name, &options).target(),
            "/api/v1/namespaces/shop/pods/a%20b%3Fc%23d/log?container=a%26follow%3Dx&follow=true"
        );
    }

    #[test]
    fn a_servers_date_is_read() {
        let mut headers = HeaderMap::new();
        headers.insert(header::DATE, "Sat, 21 Nov 2026 02:43:01 GMT".parse().expect("a value"));
        assert_eq!(date_ms(&headers), Some(1_795_228_981_000));
    }
}
