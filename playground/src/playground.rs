//! What a caller holds: a running server, its address, and handles to move and break it.
//! Dropping it stops the server and everything it spawned.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use crate::cluster::{self, Cluster, LoggedRequest, State, lock};
use crate::compactor;
use crate::edit::{Edit, Patch, PatchKind};
use crate::faults::Rule;
use crate::fleet::beginning::Beginning;
use crate::fleet::driver;
use crate::http::{Server, Tls, TlsError, listen};
use crate::kubeconfig;
use crate::options::Options;
use crate::resource::{GroupResource, ResourceType};
use crate::store::key_of;
use kubernetes_api::Failure;

/// The field manager of writes through the handle.
const MANAGER: &str = "playground";

/// Why a playground didn't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The port can't be had; choose another one.
    #[error("listening on 127.0.0.1:{port}")]
    Listen { port: u16, source: io::Error },
    #[error("making a certificate")]
    Certificate(#[source] TlsError),
}

/// A running API server on loopback.
#[derive(Debug)]
pub struct Playground {
    server: Arc<Server>,
}

impl Drop for Playground {
    fn drop(&mut self) {
        self.server.stop.cancel();
    }
}

impl Playground {
    /// Starts a server with its fleet.
    ///
    /// # Errors
    /// The port can't be had.
    pub async fn start(options: Options) -> Result<Self, StartError> {
        let port = options.port;
        let taken = |source| StartError::Listen { port, source };
        let listener = listen(port).map_err(taken)?;
        // A client of Kubernetes sends a token over TLS alone.
        let has_tls = options.tls || options.token.is_some() || !options.users.is_empty();
        let tls = has_tls.then(Tls::new).transpose().map_err(StartError::Certificate)?;
        let (lead, real_s) = (options.lead, cluster::real_s());
        let Beginning { mut state, fleet } =
            Beginning::of(&options, real_s.saturating_sub_unsigned(lead.as_secs()));
        if let Some(recording) = &options.recording {
            state = State::of_recording(recording);
        }
        let cluster = Arc::new(Cluster::new(options, state));
        if cluster.options.metrics {
            cluster.serve_metrics();
        }
        let fleet = Arc::new(Mutex::new(fleet));
        let server = Server::start(Arc::clone(&cluster), Arc::clone(&fleet), listener, tls).map_err(taken)?;
        if let Some(every) = cluster.options.history_age {
            server.tasks.spawn(compactor::run(Arc::clone(&cluster), every, server.stop.clone()));
        }
        let playground = Self { server };
        if lead.is_zero() {
            playground.go_on();
        }
        Ok(playground)
    }

    /// After a lead: from now on the fleet lives by the clock.
    pub fn go_on(&self) {
        let Server { cluster, fleet, stop, tasks, .. } = &*self.server;
        tasks.spawn(driver::run(Arc::clone(cluster), Arc::clone(fleet), stop.clone()));
    }

    /// Makes so many changes of a time before.
    pub fn step_fleet_of(&self, ago: Duration, changes: usize) {
        let now_s = self.cluster().now_s().saturating_sub_unsigned(ago.as_secs());
        driver::step(self.cluster(), &mut lock(&self.server.fleet), changes, now_s);
    }

    /// The revision of the last change to a resource, as `pods` or `deployments.apps`, after a revision. `None`: there is none.
    pub fn last_change(&self, resource: &str, after: u64) -> Option<u64> {
        let changes =
            self.cluster().state().store.changes_after(&GroupResource::of(resource), after, usize::MAX);
        changes.ok()?.last().map(|change| change.revision)
    }

    fn cluster(&self) -> &Cluster {
        &self.server.cluster
    }

    /// `http://127.0.0.1:PORT`, or `https://` where TLS was asked for.
    pub fn url(&self) -> String {
        self.url_by(self.cluster().options.tls)
    }

    fn url_by(&self, tls: bool) -> String {
        let scheme = if tls { "https" } else { "http" };
        format!("{scheme}://{}", self.server.address)
    }

    pub fn token(&self) -> Option<&str> {
        self.cluster().options.token.as_deref()
    }

    /// The certificate (PEM) that a client must trust, where it answers by TLS.
    pub fn certificate(&self) -> Option<&str> {
        self.server.tls.as_ref().map(|tls| tls.certificate.as_str())
    }

    /// The same certificate, DER.
    pub fn certificate_der(&self) -> Option<&[u8]> {
        self.server.tls.as_ref().map(|tls| tls.certificate_der.as_slice())
    }

    /// Where faults are made. Always plain HTTP, for curl.
    pub fn admin_url(&self) -> String {
        format!("http://{}/_playground", self.server.address)
    }

    /// A kubeconfig with a context for each user, named after the user; the first one is chosen. Without
    /// users its only context has the name of the playground.
    pub fn kubeconfig(&self) -> String {
        let options = &self.cluster().options;
        self.kubeconfig_of(options.users.first().map_or(&options.name, |user| &user.name))
    }

    /// The same with another user's context chosen.
    pub fn kubeconfig_of(&self, user: &str) -> String {
        let url = self.url_by(self.certificate().is_some());
        kubeconfig::of(&url, self.certificate(), &self.cluster().options, user)
    }

    /// Writes the kubeconfig to a file that only its owner can read: it may hold a token.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn write_kubeconfig(&self, path: &Path) -> io::Result<()> {
        let mut file = OpenOptions::new();
        file.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
        file.open(path)?.write_all(self.kubeconfig().as_bytes())
    }

    /// Stops listening and cuts every connection, as a killed server does. The objects stay.
    pub fn down(&self) {
        self.server.down();
    }

    /// Listens again on the same port. The history before is gone, as after a restart.
    ///
    /// # Errors
    /// The port was taken meanwhile.
    pub async fn up(&self) -> Result<(), StartError> {
        let port = self.server.address.port();
        self.server.up().await.map_err(|source| StartError::Listen { port, source })
    }

    /// Ends the server and waits until every task is gone.
    pub async fn stop(self) {
        self.server.stop.cancel();
        self.server.tasks.close();
        self.server.tasks.wait().await;
    }

    /// Makes the fleet's next changes now: how a test moves a quiet cluster.
    pub fn step_fleet(&self, changes: usize) {
        self.server.step_fleet(changes);
    }

    /// Creates an object; its kind says which resource.
    ///
    /// # Errors
    /// What the API would refuse.
    pub fn create(&self, value: Value) -> Result<Value, Failure> {
        let namespace = crate::json::text(&value, "/metadata/namespace").to_owned();
        let kind = self.kind_of(&value)?;
        let edit = Edit::of(&kind, &namespace, "", MANAGER);
        self.cluster().create(&edit, value).map(|object| object.value())
    }

    /// Puts whole objects in as they are, all their metadata but the resourceVersion kept: what another
    /// server gave is what this one shows. Definitions have to come before their objects.
    ///
    /// # Errors
    /// An object's kind isn't served.
    pub fn load(&self, objects: Vec<Value>) -> Result<(), Failure> {
        for object in objects {
            let at = self.kind_of(&object)?.group_resource();
            let mut state = self.cluster().state();
            let put = state.store.put(&at, object);
            state.follow_definition(&at, None, Some(&put));
        }
        self.cluster().notify();
        Ok(())
    }

    /// The resources of which there are objects, such as `pods` or `deployments.apps`.
    pub fn resources(&self) -> Vec<String> {
        let state = self.cluster().state();
        let all = state.catalog.all().iter();
        let used = all.filter(|kind| !state.store.objects(&kind.group_resource(), "").is_empty());
        used.map(|kind| kind.qualified()).collect()
    }

    /// Merges a patch into an object of a resource such as `pods` or `deployments.apps`, its status
    /// included.
    ///
    /// # Errors
    /// What the API would refuse.
    pub fn patch(&self, resource: &str, namespace: &str, name: &str, patch: Value) -> Result<Value, Failure> {
        let kind = self.kind_named(resource)?;
        let has_status = patch.get("status").is_some() && kind.has_subresource("status");
        let edit = Edit::of(&kind, namespace, name, MANAGER);
        let merge = Patch { kind: PatchKind::Merge, value: patch };
        let mut last = None;
        if has_status {
            let edit = Edit { subresource: Some("status"), ..edit };
            last = Some(self.cluster().patch(&edit, &merge)?);
        }
        let is_status_alone = has_status && merge.value.as_object().is_some_and(|fields| fields.len() == 1);
        if !is_status_alone {
            last = Some(self.cluster().patch(&edit, &merge)?);
        }
        Ok(last.map(|object| object.value()).unwrap_or_default())
    }

    /// Deletes an object.
    ///
    /// # Errors
    /// What the API would refuse.
    pub fn delete(&self, resource: &str, namespace: &str, name: &str) -> Result<(), Failure> {
        let kind = self.kind_named(resource)?;
        let edit = Edit::of(&kind, namespace, name, MANAGER);
        self.cluster().delete(&edit, &Value::Null).map(drop)
    }

    /// One object, without kind and apiVersion.
    pub fn get(&self, resource: &str, namespace: &str, name: &str) -> Option<Value> {
        let kind = self.kind_named(resource).ok()?;
        let state = self.cluster().state();
        let object = state.store.get(&kind.group_resource(), &key_of(namespace, name))?;
        Some(object.value())
    }

    /// The objects of a resource in key order, without kind and apiVersion.
    pub fn list(&self, resource: &str) -> Vec<Value> {
        let Ok(kind) = self.kind_named(resource) else {
            return Vec::new();
        };
        let found = self.cluster().state().store.objects(&kind.group_resource(), "");
        found.iter().map(|object| object.value()).collect()
    }

    /// The same with kind and apiVersion, as a get of each would answer.
    pub fn list_whole(&self, resource: &str) -> Vec<Value> {
        let Ok(kind) = self.kind_named(resource) else {
            return Vec::new();
        };
        let mut all = self.list(resource);
        for object in &mut all {
            crate::json::set(object, &["kind"], Value::String(kind.kind.clone()));
            crate::json::set(object, &["apiVersion"], Value::String(kind.api_version()));
        }
        all
    }

    /// The newest resourceVersion.
    pub fn revision(&self) -> u64 {
        self.cluster().state().store.revision()
    }

    /// Lets a rule stand; the number removes it again. None where too many stand.
    pub fn fault(&self, rule: Rule) -> Option<u64> {
        self.cluster().add_fault(rule)
    }

    pub fn remove_fault(&self, id: u64) {
        self.cluster().remove_fault(id);
    }

    pub fn clear_faults(&self) {
        self.cluster().clear_faults();
    }

    /// Cuts the watches that are open now: all, or one resource's. New ones are not met.
    pub fn cut_watches(&self, resource: Option<&str>) {
        self.cluster().cut_watches(resource);
    }

    /// Forgets the history of one resource or of all: older resourceVersions get 410.
    pub fn compact(&self, resource: Option<&str>) {
        self.cluster().state().store.compact(resource.map(GroupResource::of).as_ref());
        self.cluster().notify();
    }

    /// Goes back to an older state and revision, as a restored etcd does, and cuts every watch.
    pub fn restore(&self, revision: u64) {
        self.cluster().restore(revision);
    }

    /// Sets the cluster's clock forward or back.
    pub fn step_clock(&self, by_ms: i64) {
        self.cluster().step_clock(by_ms);
    }

    /// The requests of the API so far, oldest first (bounded; `/_playground` and `/metrics` aside).
    pub fn requests(&self) -> Vec<LoggedRequest> {
        self.cluster().requests()
    }

    /// How many watches of a resource are open now.
    pub fn open_watches(&self, resource: &str) -> usize {
        self.cluster().open_watches().get(resource).map_or(0, |(_, count)| *count)
    }

    /// How many logs are being read now.
    pub fn open_logs(&self) -> usize {
        self.cluster().open_logs()
    }

    /// Waits until so many logs are being read.
    pub async fn wait_for_logs(&self, count: usize) {
        let mut moved = self.cluster().moved();
        while self.open_logs() != count {
            if moved.changed().await.is_err() {
                return;
            }
        }
    }

    /// Waits until so many watches of a resource are open.
    pub async fn wait_for_watches(&self, resource: &str, count: usize) {
        let mut moved = self.cluster().moved();
        while self.open_watches(resource) != count {
            if moved.changed().await.is_err() {
                return;
            }
        }
    }

    fn kind_named(&self, resource: &str) -> Result<Arc<ResourceType>, Failure> {
        let state = self.cluster().state();
        state.catalog.by_name(resource).cloned().ok_or_else(|| {
            Failure::bad_request(format!("the server doesn't have a resource type \"{resource}\""))
        })
    }

    fn kind_of(&self, value: &Value) -> Result<Arc<ResourceType>, Failure> {
        let api_version = crate::json::text(value, "/apiVersion");
        let kind = crate::json::text(value, "/kind");
        let state = self.cluster().state();
        state.catalog.by_kind(api_version, kind).cloned().ok_or_else(|| {
            Failure::bad_request(format!("no matches for kind \"{kind}\" in version \"{api_version}\""))
        })
    }
}
