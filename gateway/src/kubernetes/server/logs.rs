//! `pods/log`: what a container writes, as the API server gives it, masked line by line. It is asked in the name in which
//! feeds are asked for; the viewer's right to it is watched for as long as it is read.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use kubernetes_api::{Failure, LogOptions, Query};
use shared::name::{Namespace, ObjectName};
use shared::problem::{Problem, Reason};
use shared::scope::{Namespaces, Scope};
use tokio::sync::watch;
use tokio::time::timeout;

use super::{Answer, Asked, Server};
use crate::access::{Grant, Login, Question, admit};
use crate::audit::{Decision, Trail, Viewer, decision_of_log};
use crate::cluster::{self, ApiRequest};
use crate::inventory::Reached;
use crate::kubernetes::control::{Control, ID, Told};
use crate::kubernetes::refusal::{forbidden_part, of_problem, timed_out};
use crate::kubernetes::target::Objects;
use crate::limits::{LOG_HEAD_S, UPSTREAM_BODY_TIMEOUT_S, UPSTREAM_HEAD_TIMEOUT_S};
use crate::logs::{LineMasks, LogPlace};
use crate::session::{Context, run_for};
use crate::stream::duplex;
use crate::subscription_request::SubscriptionRequest;

const LOG: &str = "log";

/// A log that is read, in pieces as they come.
pub struct ReadingLog {
    context: Arc<Context>,
    reached: Reached,
    of: Of,
    right: Right,
    /// The session beside it, which ends with the login.
    control: Control,
    body: Body,
    masks: LineMasks,
    _place: LogPlace,
}

/// Which log, and whose request.
struct Of {
    login: Login,
    trail: Trail,
    request: Arc<SubscriptionRequest>,
    namespace: Namespace,
    pod: ObjectName,
    options: LogOptions,
}

/// The grant of a viewer whose rights are reviewed; `None`: the gateway's own rights decide, so the API server does.
type Right = Option<watch::Receiver<Option<Grant>>>;

type Head = Pin<Box<dyn Future<Output = Result<Box<cluster::Answer>, cluster::Failure>> + Send>>;

enum Body {
    /// The API server hasn't answered yet: a container that is followed hasn't written anything.
    Awaited(Head),
    Answered(Box<cluster::Answer>),
    Over,
}

/// What a reader waited for.
enum Woken {
    Answered(Result<Box<cluster::Answer>, cluster::Failure>),
    Bytes(Result<Option<Bytes>, Problem>),
    Refused(Problem),
    Over,
}

/// Answers a request for a log.
pub(super) async fn log(
    server: &Server,
    asked: Asked,
    login: Login,
    reached: Reached,
    objects: Objects,
) -> Result<Answer, Failure> {
    let Objects { namespace: Some(namespace), name: Some(pod), .. } = objects.clone() else {
        return Err(Failure::no_such_resource());
    };
    let query = Query::read(&asked.query);
    let kinds = reached.cluster.kinds().borrow().clone();
    let namespaces = Namespaces::these(vec![namespace.clone()]).map_err(|problem| of_problem(&problem))?;
    let scope = Scope {
        cluster: Some(kinds.cluster.clone()),
        namespaces,
        name: objects.name.clone(),
        ..Scope::all(objects.resource.clone())
    };
    let request = Arc::new(SubscriptionRequest::rows(ID, scope));
    let Asked { caller, trail, .. } = asked;
    let viewer = Viewer { identity: &login.identity, rights: &login.rights };
    admit(&kinds, &reached.cluster.ceiling(), &request).map_err(|problem| {
        trail.decided(viewer, &Decision::denied(&request, &problem));
        of_problem(&problem)
    })?;
    let right =
        right_to_log(&login, &reached, (&request, &objects), (&trail, query.text("container"))).await?;
    // An API server looks at the right first.
    let options = LogOptions::read(&query, pod.as_str())?;
    let now = server.context.registry.now();
    let refused = |problem: Problem| of_problem(&problem);
    let guard = server.context.sessions.enter(&login.identity, now).map_err(refused)?;
    server.context.sessions.may_subscribe(&login.identity, now).map_err(refused)?;
    let place = server.context.logs.places.take(&login.identity).map_err(refused)?;
    let of = Of { login, trail, request, namespace, pod, options };
    // Their own token is held until the request is on its way.
    let _held = server.context.hold_token(&of.login, caller.bearer());
    let mut head = of.head(&reached);
    let body = if of.options.follow {
        match timeout(Duration::from_secs(LOG_HEAD_S), &mut head).await {
            Ok(answer) => Body::Answered(answer.map_err(|failure| of.refusal(&failure, &objects))?),
            Err(_) => Body::Awaited(head),
        }
    } else {
        let answer = timeout(Duration::from_secs(UPSTREAM_HEAD_TIMEOUT_S), head).await;
        let answer = answer.map_err(|_| timed_out("Timeout: the API server did not answer in time"))?;
        Body::Answered(answer.map_err(|failure| of.refusal(&failure, &objects))?)
    };
    // The session counts by itself.
    drop(guard);
    let (session_end, client_end) = duplex();
    let caller = (caller, of.trail.clone());
    let (context, leaving) = (Arc::clone(&server.context), server.leaving.clone());
    tokio::spawn(run_for(None, session_end, caller, (), context, leaving));
    let control = Control::start(client_end, Namespaces::All);
    let masks = LineMasks::new(of.namespace.as_str(), of.options.timestamps);
    let context = Arc::clone(&server.context);
    Ok(Answer::Log(Box::new(ReadingLog { context, reached, of, right, control, body, masks, _place: place })))
}

/// Asks for `get pods/log`, whoever the API server is asked as: it authorizes a log when it begins, and never again.
async fn right_to_log(
    login: &Login,
    reached: &Reached,
    (request, objects): (&Arc<SubscriptionRequest>, &Objects),
    (trail, container): (&Trail, &str),
) -> Result<Right, Failure> {
    let viewer = Viewer { identity: &login.identity, rights: &login.rights };
    let Some(subject) = login.rights.subject() else {
        trail.decided(viewer, &decision_of_log(None, None, request, container));
        return Ok(None);
    };
    let mut grants = reached.reviews.watch(subject, Question::of_log(&request.scope));
    let granted = grants.wait_for(Option::is_some).await.map(|grant| (*grant).clone());
    let grant = granted.ok().flatten().unwrap_or_else(|| {
        Grant::Refused(Problem::new(Reason::ServiceUnavailable, "the cluster isn't shown any more"))
    });
    trail.decided(viewer, &decision_of_log(None, Some(&grant), request, container));
    match grant {
        Grant::Whole => Ok(Some(grants)),
        Grant::Refused(problem) if problem.reason != Reason::Forbidden => Err(of_problem(&problem)),
        Grant::Refused(_) | Grant::Within(_) | Grant::Listed(_) => {
            Err(forbidden_part(&subject.user, "get", objects, LOG))
        }
    }
}

impl Of {
    fn head(&self, reached: &Reached) -> Head {
        let request = ApiRequest::log(&self.namespace, &self.pod, &self.options);
        let (cluster, whom) = (reached.cluster.clone(), self.login.rights.upstream());
        Box::pin(async move { cluster.send_again_as(&whom, &request).await.map(Box::new) })
    }

    fn user(&self) -> &str {
        match self.login.rights.subject() {
            Some(subject) => &subject.user,
            None => self.login.identity.name(),
        }
    }

    /// In the words of the API server, which speaks of the pod and its containers.
    fn refusal(&self, failure: &cluster::Failure, objects: &Objects) -> Failure {
        let refusal = match failure {
            cluster::Failure::Refused(refusal) => refusal,
            cluster::Failure::Broken(problem) => return of_problem(problem),
        };
        let about_request = refusal.about_request.as_deref();
        match refusal.code {
            400 => Failure::bad_request(
                about_request.unwrap_or("the API server can't read this request; look at its parameters"),
            ),
            401 => Failure::unauthorized(),
            403 => forbidden_part(self.user(), "get", objects, LOG),
            404 => Failure::not_found(&Pods, self.pod.as_str()),
            429 => Failure::too_many_requests(1),
            503 => Failure::unavailable(1),
            504 => timed_out(about_request.unwrap_or("Timeout: the API server did not answer in time")),
            code => Failure::internal(&refusal.message.as_deref().map_or_else(
                || format!("the API server answered with HTTP {code}"),
                |said| said.trim_start_matches("Internal error occurred: ").to_owned(),
            )),
        }
    }
}

/// What a refusal names.
struct Pods;

impl kubernetes_api::Served for Pods {
    fn group(&self) -> &str {
        ""
    }

    fn version(&self) -> &str {
        "v1"
    }

    fn plural(&self) -> &str {
        "pods"
    }

    fn kind(&self) -> &str {
        "Pod"
    }

    fn is_built_in(&self) -> bool {
        true
    }
}

impl ReadingLog {
    /// The next bytes. `None`: the log is over. `Some(None)`: it breaks off.
    pub async fn next(&mut self) -> Option<Option<Bytes>> {
        loop {
            let woken = self.woken().await;
            let ceiling = self.reached.cluster.ceiling();
            if !ceiling.shows_object(&self.of.request.scope.resource, Some(self.of.namespace.as_str()), "") {
                return self.cut();
            }
            let redaction = self.context.registry.redaction();
            match woken {
                Woken::Answered(Ok(answer)) => self.body = Body::Answered(answer),
                Woken::Bytes(Ok(Some(bytes))) => {
                    let masked = self.masks.push(&bytes, &redaction);
                    if !masked.is_empty() {
                        return Some(Some(masked.into()));
                    }
                }
                Woken::Bytes(Ok(None)) => {
                    self.body = Body::Over;
                    let rest = self.masks.finish(&redaction);
                    if !rest.is_empty() {
                        return Some(Some(rest.into()));
                    }
                }
                Woken::Refused(problem) => {
                    let viewer = Viewer { identity: &self.of.login.identity, rights: &self.of.login.rights };
                    let (container, request) = (&self.of.options.container, &self.of.request);
                    let refused = Grant::Refused(problem);
                    let decision = decision_of_log(Some(&Grant::Whole), Some(&refused), request, container);
                    self.of.trail.decided(viewer, &decision);
                    return self.cut();
                }
                Woken::Answered(Err(_)) | Woken::Bytes(Err(_)) => return self.cut(),
                Woken::Over => return None,
            }
        }
    }

    fn cut(&mut self) -> Option<Option<Bytes>> {
        self.body = Body::Over;
        Some(None)
    }

    /// A right or a login that ends comes before what the container writes.
    async fn woken(&mut self) -> Woken {
        tokio::select! {
            biased;
            problem = ended(&mut self.right) => Woken::Refused(problem),
            problem = over(&mut self.control) => match problem.reason {
                // As an API server that goes away.
                Reason::ShuttingDown => Woken::Over,
                _ => Woken::Refused(problem),
            },
            woken = next_of(&mut self.body, self.of.options.follow) => woken,
        }
    }
}

/// A log that is followed may be silent for hours, and no other one.
async fn next_of(body: &mut Body, is_followed: bool) -> Woken {
    match body {
        Body::Awaited(head) => Woken::Answered(head.await),
        Body::Answered(answer) if is_followed => Woken::Bytes(answer.chunk().await),
        Body::Answered(answer) => {
            let silence = Duration::from_secs(UPSTREAM_BODY_TIMEOUT_S);
            let silent = || Err(Problem::new(Reason::TimedOut, "the API server did not answer in time"));
            Woken::Bytes(timeout(silence, answer.chunk()).await.unwrap_or_else(|_| silent()))
        }
        Body::Over => Woken::Over,
    }
}

/// Returns when the right isn't granted any more.
async fn ended(right: &mut Right) -> Problem {
    let Some(grants) = right else { return std::future::pending().await };
    loop {
        if grants.changed().await.is_err() {
            return Problem::new(Reason::ServiceUnavailable, "the cluster isn't shown any more");
        }
        match grants.borrow_and_update().clone() {
            Some(Grant::Refused(problem)) => return problem,
            Some(Grant::Within(_) | Grant::Listed(_)) => {
                return Problem::new(Reason::Forbidden, "the right to this log has ended");
            }
            Some(Grant::Whole) | None => {}
        }
    }
}

/// Returns when the session has ended.
async fn over(control: &mut Control) -> Problem {
    loop {
        if let Told::Over(problem) = control.next().await {
            return problem;
        }
    }
}
