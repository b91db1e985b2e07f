//! The state that all requests share: objects, what is served, faults, the request log, open watches.
//! Each lock is held for a synchronous moment; nothing here awaits or knows HTTP.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

use crate::built_in;
use crate::crd;
use crate::faults::{Fault, Faults, Rule, Target};
use crate::limits::REQUEST_LOG_MAX;
use crate::metrics;
use crate::options::Options;
use crate::rbac::User;
use crate::resource::{Catalog, GroupResource, ResourceType};
use crate::store::{Object, Store};

/// One request as the log keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoggedRequest {
    pub method: String,
    pub path_and_query: String,
    pub accept: String,
    pub user_agent: String,
    /// The names of all its headers.
    pub headers: Vec<String>,
    /// The user that the request impersonates; empty if it impersonates no user.
    pub impersonates: String,
    /// The user of the token that it carries; empty if it carries none, or an unknown one.
    pub token_of: String,
}

/// Objects and what is served.
#[derive(Clone, Debug)]
pub struct State {
    pub store: Store,
    pub catalog: Catalog,
}

#[derive(Debug)]
pub struct Cluster {
    pub options: Options,
    state: Mutex<State>,
    faults: Mutex<Faults>,
    log: Mutex<VecDeque<LoggedRequest>>,
    open: Mutex<OpenWatches>,
    watches: AtomicU64,
    /// Requests for logs that are being answered.
    logs: AtomicUsize,
    clock_offset_ms: AtomicI64,
    /// Counts changes; waiting requests and watches subscribe to it.
    moved: watch::Sender<u64>,
}

/// The watches of each resource that are open.
type OpenWatches = BTreeMap<String, (Arc<ResourceType>, usize)>;

/// A poisoned lock is used all the same: a panic elsewhere leaves consistent data behind.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The machine's clock, in milliseconds since 1970: faults stand by it, whatever the cluster's clock says.
fn real_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The machine's clock, in seconds since 1970.
pub(crate) fn real_s() -> i64 {
    real_ms().cast_signed().div_euclid(1000)
}

impl Cluster {
    pub fn new(options: Options, state: State) -> Self {
        Self {
            state: Mutex::new(state),
            options,
            faults: Mutex::default(),
            log: Mutex::default(),
            open: Mutex::default(),
            watches: AtomicU64::new(0),
            logs: AtomicUsize::new(0),
            clock_offset_ms: AtomicI64::new(0),
            moved: watch::Sender::new(0),
        }
    }

    /// The user of a token; none if no user has it.
    pub fn user_of(&self, token: &str) -> Option<User> {
        if self.is_open() || self.options.token.as_deref() == Some(token) {
            return Some(User::everybody());
        }
        self.options.users.iter().find(|user| user.token == token).map(|user| user.clone().authenticated())
    }

    /// The user of a request without a token; none if a token is required.
    pub fn user_without_token(&self) -> Option<User> {
        if self.is_open() {
            return Some(User::everybody());
        }
        (!self.options.users.is_empty()).then(User::anonymous)
    }

    /// Whether every request is taken for the same user.
    fn is_open(&self) -> bool {
        self.options.token.is_none() && self.options.users.is_empty()
    }

    /// Reads or writes under the lock. After a change the caller calls `notify`.
    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub fn notify(&self) {
        self.moved.send_modify(|count| *count = count.wrapping_add(1));
    }

    pub fn moved(&self) -> watch::Receiver<u64> {
        self.moved.subscribe()
    }

    /// The cluster's clock, in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        if let Some(recording) = &self.options.recording {
            return recording.at_ms;
        }
        real_ms().cast_signed().saturating_add(self.clock_offset_ms.load(Ordering::Relaxed))
    }

    pub fn now_s(&self) -> i64 {
        self.now_ms().div_euclid(1000)
    }

    /// Now, as the server writes it into objects.
    pub fn now_text(&self) -> String {
        crate::clock::text_of(self.now_s())
    }

    pub fn step_clock(&self, by_ms: i64) {
        self.clock_offset_ms.fetch_add(by_ms, Ordering::Relaxed);
    }

    /// Cuts the watches that are open now: all, or one resource's.
    pub fn cut_watches(&self, resource: Option<&str>) {
        let mut rule = Rule::new(Fault::Drop).verb("watch").open_only();
        rule.resource = resource.map(str::to_owned);
        self.add_fault(rule);
    }

    /// Goes back to an older state and revision, as a restored etcd does, and cuts every watch.
    pub fn restore(&self, revision: u64) {
        let mut state = self.state();
        state.store.restore(revision);
        state.serve_all();
        drop(state);
        self.cut_watches(None);
    }

    pub fn faults(&self) -> MutexGuard<'_, Faults> {
        lock(&self.faults)
    }

    pub fn add_fault(&self, rule: Rule) -> Option<u64> {
        let newest = self.watches.load(Ordering::Relaxed);
        let id = self.faults().add(rule, real_ms(), newest);
        self.notify();
        id
    }

    pub fn remove_fault(&self, id: u64) {
        self.faults().remove(id);
        self.notify();
    }

    pub fn clear_faults(&self) {
        self.faults().clear();
        self.notify();
    }

    pub fn strike(&self, target: Target<'_>, wanted: impl Fn(&Fault) -> bool) -> Option<(u64, Fault)> {
        self.faults().strike(target, real_ms(), wanted)
    }

    pub fn fault_stands(&self, id: u64) -> bool {
        self.faults().stands(id, real_ms())
    }

    pub fn log_request(&self, request: LoggedRequest) {
        let mut log = lock(&self.log);
        if log.len() >= REQUEST_LOG_MAX {
            log.pop_front();
        }
        log.push_back(request);
    }

    pub fn requests(&self) -> Vec<LoggedRequest> {
        lock(&self.log).iter().cloned().collect()
    }

    /// Counts a watch while the guard lives.
    pub fn open_watch(self: &Arc<Self>, kind: &Arc<ResourceType>) -> OpenWatch {
        let resource = kind.qualified();
        lock(&self.open).entry(resource.clone()).or_insert_with(|| (Arc::clone(kind), 0)).1 += 1;
        let number = self.watches.fetch_add(1, Ordering::Relaxed) + 1;
        self.notify();
        OpenWatch { cluster: Arc::clone(self), resource, number }
    }

    /// Counts a request for a log while the guard lives. It is numbered as watches are, so that faults can mean those that
    /// are open.
    pub fn open_log(self: &Arc<Self>) -> OpenLog {
        let number = self.watches.fetch_add(1, Ordering::Relaxed) + 1;
        self.logs.fetch_add(1, Ordering::Relaxed);
        self.notify();
        OpenLog { cluster: Arc::clone(self), number }
    }

    pub fn open_logs(&self) -> usize {
        self.logs.load(Ordering::Relaxed)
    }

    pub fn open_watches(&self) -> OpenWatches {
        lock(&self.open).clone()
    }

    /// Looks up what is served now.
    pub fn find_type(&self, group: &str, version: &str, plural: &str) -> Option<Arc<ResourceType>> {
        self.state().catalog.find(group, version, plural).cloned()
    }
}

/// An open watch: it has a number, and is counted until it is dropped.
#[derive(Debug)]
pub struct OpenWatch {
    cluster: Arc<Cluster>,
    resource: String,
    pub number: u64,
}

impl Drop for OpenWatch {
    fn drop(&mut self) {
        if let Some((_, count)) = lock(&self.cluster.open).get_mut(&self.resource) {
            *count = count.saturating_sub(1);
        }
        self.cluster.notify();
    }
}

/// A log that is being read: it has a number, and is counted until it is dropped.
#[derive(Debug)]
pub struct OpenLog {
    cluster: Arc<Cluster>,
    pub number: u64,
}

impl Drop for OpenLog {
    fn drop(&mut self) {
        self.cluster.logs.fetch_sub(1, Ordering::Relaxed);
        self.cluster.notify();
    }
}

impl State {
    /// The state of a cluster without objects, which serves the built-in kinds.
    pub fn new(seed: u64, history_bytes: usize) -> Self {
        Self { store: Store::new(history_bytes).with_uids_of(seed), catalog: Catalog::new(built_in::types()) }
    }

    /// After a write: a definition that came, changed or went changes what is served.
    pub fn follow_definition(&mut self, at: &GroupResource, before: Option<&Object>, after: Option<&Object>) {
        if at.group == "apiregistration.k8s.io" {
            self.follow_api_service(before, after);
        }
        if at.group != "apiextensions.k8s.io" {
            return;
        }
        match (before.map(Object::value), after.map(Object::value)) {
            (Some(old), None) => self.catalog.replace(&crd::group_resource(&old), Vec::new()),
            (old, Some(new)) => self.serve(old.as_ref(), &new),
            (None, None) => {}
        }
    }

    /// Metrics are served while their APIService is there.
    fn follow_api_service(&mut self, before: Option<&Object>, after: Option<&Object>) {
        let is_metrics = |object: &Object| object.name == metrics::API_SERVICE;
        let (was, is) = (before.is_some_and(is_metrics), after.is_some_and(is_metrics));
        if was == is {
            return;
        }
        for kind in metrics::types() {
            let at = kind.group_resource();
            self.catalog.replace(&at, if is { vec![kind] } else { Vec::new() });
        }
    }

    /// Finds what is served anew from the objects: a restore doesn't say what it changed.
    fn serve_all(&mut self) {
        self.catalog = Catalog::new(built_in::types());
        for (group, plural) in
            [("apiextensions.k8s.io", "customresourcedefinitions"), ("apiregistration.k8s.io", "apiservices")]
        {
            let at = GroupResource::new(group, plural);
            for object in self.store.objects(&at, "") {
                self.follow_definition(&at, None, Some(&object));
            }
        }
    }

    fn serve(&mut self, old: Option<&Value>, new: &Value) {
        // A status update doesn't end the watches of its objects.
        if old.is_some_and(|old| old.get("spec") == new.get("spec")) {
            return;
        }
        if let Ok(types) = crd::types(new) {
            self.catalog.replace(&crd::group_resource(new), types);
        }
    }
}
