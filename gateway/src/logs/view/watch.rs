//! The pods whose logs are told, as they come and go: one list and one watch for all viewers of the same.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use serde_json::Value;
use shared::name::{ClusterName, Namespace, ObjectName};
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::scope::Scope;
use shared::selector::LabelSelector;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

use super::super::streams::who;
use super::owner::{PodsOf, is_of_jobs, jobs_of, pods_of};
use super::pods::{Pod, Pods};
use crate::cluster::{Accept, Answer, ApiRequest, Cluster, Failure, Selection, UpstreamIdentity};
use crate::limits::{LOG_POD_EVENT_BYTES_MAX, LOG_PODS_WATCH_S};

/// Which pods, and as whom they are read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PodsKey {
    pub cluster: ClusterName,
    pub upstream: UpstreamIdentity,
    /// The kind itself.
    pub pods: Resource,
    pub namespace: Namespace,
    pub which: Which,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    Named(ObjectName),
    Of(PodsOf),
}

/// What is known of them.
#[derive(Clone, Debug, Default)]
pub struct PodsNow {
    /// `None`: nothing was listed yet.
    pub pods: Option<Arc<Pods>>,
    /// Why they can't be listed.
    pub problem: Option<Problem>,
}

/// The watches that run. Cheap to clone.
#[derive(Clone, Default)]
pub struct PodWatches(Arc<Mutex<HashMap<PodsKey, Weak<Watching>>>>);

/// Held while the pods are watched.
pub struct Watching {
    pods: watch::Receiver<PodsNow>,
    _task: AbortOnDropHandle<()>,
}

impl Watching {
    /// What is known now, and whenever it changes.
    pub fn pods(&self) -> watch::Receiver<PodsNow> {
        self.pods.clone()
    }
}

impl PodWatches {
    pub fn watch(&self, key: &PodsKey, cluster: &Cluster) -> Arc<Watching> {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = running.get(key).and_then(Weak::upgrade);
        // A watch that has said why it can't go on isn't joined.
        if let Some(known) = known.filter(|known| known.pods.borrow().problem.is_none()) {
            return known;
        }
        running.retain(|_, watching| watching.strong_count() > 0);
        let (sender, pods) = watch::channel(PodsNow::default());
        let pod_watch = PodWatch { key: key.clone(), cluster: cluster.clone(), sender };
        let task = AbortOnDropHandle::new(tokio::spawn(pod_watch.run()));
        let watching = Arc::new(Watching { pods, _task: task });
        running.insert(key.clone(), Arc::downgrade(&watching));
        watching
    }
}

/// How the pods of a scope are found: by their names or labels, or by what their owner says.
///
/// # Errors
/// There is no such owner, it has no pods, or it can't be read.
pub async fn which(
    cluster: &Cluster,
    upstream: &UpstreamIdentity,
    namespace: &Namespace,
    scope: &Scope,
) -> Result<Which, Problem> {
    let Some(name) = &scope.name else {
        let labels = scope.labels.clone().unwrap_or_default();
        return Ok(Which::Of(PodsOf { labels, cron_job: None }));
    };
    if scope.resource.is_pods() {
        return Ok(Which::Named(name.clone()));
    }
    // The gateway's account lists objects, and needn't be allowed to get one; a viewer is allowed to get this one.
    let is_listed = *upstream == UpstreamIdentity::Gateway;
    let request = if is_listed {
        let (resource, namespace) = (scope.resource.clone(), Some(namespace.clone()));
        let selection = Selection { resource, namespace, name: Some(name.clone()), fields: None };
        ApiRequest::objects(&selection, Accept::Json)
    } else {
        ApiRequest::object(&scope.resource, Some(namespace), name, Accept::Json)
    };
    let missing =
        || Problem::new(Reason::NotFound, format!("{} {:?} not found", scope.resource, name.as_str()));
    let found = match read(cluster, upstream, &request).await {
        Ok(found) => found,
        Err(failure) if failure.reason() == Reason::NotFound => return Err(missing()),
        Err(failure) => return Err(unreadable(&failure, &scope.resource, namespace, upstream)),
    };
    let owner = if is_listed { found.pointer("/items/0") } else { Some(&found) };
    pods_of(&scope.resource, owner.ok_or_else(missing)?).map(Which::Of)
}

fn unreadable(
    failure: &Failure,
    resource: &Resource,
    namespace: &Namespace,
    upstream: &UpstreamIdentity,
) -> Problem {
    match failure {
        Failure::Broken(problem) => problem.clone(),
        Failure::Refused(refusal) if refusal.code == 403 => {
            let message = format!("{} may not list {resource} in {namespace}", who(upstream));
            Problem::new(Reason::Forbidden, message)
        }
        Failure::Refused(refusal) => {
            let why = refusal.message.as_deref().unwrap_or("the API server refuses it");
            Problem::new(refusal.reason(), format!("{resource} can't be listed in {namespace}: {why}"))
        }
    }
}

async fn read(
    cluster: &Cluster,
    upstream: &UpstreamIdentity,
    request: &ApiRequest,
) -> Result<Value, Failure> {
    let answer = cluster.send_again_as(upstream, request).await?;
    let body = answer.whole().await.map_err(Failure::Broken)?;
    serde_json::from_slice(&body).map_err(|_| {
        Failure::Broken(Problem::new(Reason::NotKubernetes, "the API server's list can't be read"))
    })
}

/// Lists and watches the pods for as long as a view wants them.
struct PodWatch {
    key: PodsKey,
    cluster: Cluster,
    sender: watch::Sender<PodsNow>,
}

/// The pauses between two lists.
const PAUSES_MS: [u64; 5] = [250, 500, 1_000, 2_000, 5_000];

impl PodWatch {
    async fn run(self) {
        let mut failures = 0;
        loop {
            match self.list().await {
                Ok((mut known, version)) => {
                    failures = 0;
                    self.tell(&known);
                    self.follow(&mut known, version).await;
                }
                Err(failure) => {
                    let is_final = failure.reason() == Reason::Forbidden;
                    if is_final || self.sender.borrow().pods.is_none() && failures >= 1 {
                        let PodsKey { pods, namespace, upstream, .. } = &self.key;
                        let problem = unreadable(&failure, pods, namespace, upstream);
                        self.sender.send_modify(|now| now.problem = Some(problem));
                        return;
                    }
                }
            }
            let pause = PAUSES_MS.get(failures).or(PAUSES_MS.last()).copied().unwrap_or_default();
            failures += 1;
            sleep(Duration::from_millis(pause)).await;
        }
    }

    async fn list(&self) -> Result<(Known, String), Failure> {
        let list = read(&self.cluster, &self.key.upstream, &self.request()).await?;
        let items = list.get("items").and_then(Value::as_array).into_iter().flatten();
        let all: Pods = items.filter_map(Pod::read).map(|pod| (pod.uid.clone(), pod)).collect();
        let version = list.pointer("/metadata/resourceVersion").and_then(Value::as_str);
        let mut known = Known { all, jobs: BTreeSet::new() };
        self.find_jobs(&mut known).await?;
        Ok((known, version.unwrap_or_default().to_owned()))
    }

    /// The Jobs of a CronJob come and go as its pods do.
    async fn find_jobs(&self, known: &mut Known) -> Result<(), Failure> {
        let Which::Of(PodsOf { cron_job: Some(cron_job), .. }) = &self.key.which else { return Ok(()) };
        let resource = Resource::parse("batch", "v1", "jobs").map_err(Failure::Broken)?;
        let namespace = Some(self.key.namespace.clone());
        let selection = Selection { resource, namespace, name: None, fields: None };
        let request = ApiRequest::objects(&selection, Accept::Json);
        known.jobs = jobs_of(cron_job, &read(&self.cluster, &self.key.upstream, &request).await?);
        Ok(())
    }

    fn request(&self) -> ApiRequest {
        let (name, labels) = match &self.key.which {
            Which::Named(name) => (Some(name.clone()), None),
            Which::Of(PodsOf { labels, .. }) => (None, Some(labels)),
        };
        let selection = Selection {
            resource: self.key.pods.clone(),
            namespace: Some(self.key.namespace.clone()),
            name,
            fields: None,
        };
        let request = ApiRequest::objects(&selection, Accept::Json);
        match labels.filter(|labels| !labels.is_empty()).map(LabelSelector::to_string) {
            Some(labels) => request.with("labelSelector", &labels),
            None => request,
        }
    }

    /// Returns when the pods have to be listed again.
    async fn follow(&self, known: &mut Known, mut version: String) {
        loop {
            let request = self.request().watched().with("resourceVersion", &version);
            let request = request
                .with("allowWatchBookmarks", "true")
                .with("timeoutSeconds", &LOG_PODS_WATCH_S.to_string());
            let Ok(mut answer) = self.cluster.send_as(&self.key.upstream, &request).await else { return };
            let before = version.clone();
            if self.hear(&mut answer, known, &mut version).await.is_err() || version == before {
                return;
            }
        }
    }

    /// Reads the events of one answer.
    ///
    /// # Errors
    /// What follows isn't known.
    async fn hear(
        &self,
        answer: &mut Answer,
        known: &mut Known,
        version: &mut String,
    ) -> Result<(), Problem> {
        let lost = || Problem::new(Reason::Expired, "the pods have to be listed again");
        let mut held = Vec::new();
        while let Some(bytes) = answer.chunk().await? {
            held.extend_from_slice(&bytes);
            while let Some(end) = memchr::memchr(b'\n', &held) {
                let rest = held.split_off(end + 1);
                let line = std::mem::replace(&mut held, rest);
                let event: Value = serde_json::from_slice(&line).map_err(|_| lost())?;
                let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
                let object = event.get("object").ok_or_else(lost)?;
                if kind == "ERROR" {
                    return Err(lost());
                }
                if let Some(now) = object.pointer("/metadata/resourceVersion").and_then(Value::as_str) {
                    now.clone_into(version);
                }
                if kind == "BOOKMARK" {
                    continue;
                }
                if known.note(kind == "DELETED", Pod::read(object).ok_or_else(lost)?) {
                    // The Job of a pod may be new.
                    self.find_jobs(known).await.map_err(|_| lost())?;
                }
                self.tell(known);
            }
            if held.len() > LOG_POD_EVENT_BYTES_MAX {
                return Err(lost());
            }
        }
        Ok(())
    }

    fn tell(&self, known: &Known) {
        let is_of_cron_job = matches!(&self.key.which, Which::Of(PodsOf { cron_job: Some(_), .. }));
        let is_wanted = |pod: &&Pod| !is_of_cron_job || is_of_jobs(pod, &known.jobs);
        let wanted = known.all.values().filter(is_wanted).map(|pod| (pod.uid.clone(), pod.clone()));
        let pods: Pods = wanted.collect();
        self.sender.send_if_modified(|now| {
            let is_new = now.pods.as_deref() != Some(&pods);
            if is_new {
                now.pods = Some(Arc::new(pods));
            }
            is_new
        });
    }
}

/// The pods that the selector has, and the Jobs of the CronJob that is asked for.
struct Known {
    all: Pods,
    jobs: BTreeSet<Box<str>>,
}

impl Known {
    /// Whether the pod is a new one.
    fn note(&mut self, is_deleted: bool, pod: Pod) -> bool {
        if is_deleted {
            self.all.remove(&pod.uid);
            return false;
        }
        self.all.insert(pod.uid.clone(), pod).is_none()
    }
}
