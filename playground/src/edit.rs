//! Writes on the shared state: what HTTP, the fleet and tests all go through.
//! It never answers; it gives back the object or the failure.

mod garbage;

use std::sync::Arc;

use serde_json::{Value, json};
use shared::selector::SUBDOMAIN_RULE;

use crate::clock;
use crate::cluster::Cluster;
use crate::json;
use crate::metrics;
use crate::patch;
use crate::resource::{GroupResource, ResourceType};
use crate::store::{Deletion, Object, Refused, Writer, key_of};
use crate::validate;
use kubernetes_api::Failure;

/// A write: the object, the subresource, and the manager who makes it.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'a> {
    pub kind: &'a Arc<ResourceType>,
    pub namespace: &'a str,
    pub name: &'a str,
    pub subresource: Option<&'a str>,
    pub manager: &'a str,
    pub dry_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchKind {
    Merge,
    Json,
    Strategic,
}

#[derive(Clone, Debug)]
pub struct Patch {
    pub kind: PatchKind,
    pub value: Value,
}

impl<'a> Edit<'a> {
    /// An update of a whole object.
    pub fn of(kind: &'a Arc<ResourceType>, namespace: &'a str, name: &'a str, manager: &'a str) -> Self {
        Self { kind, namespace, name, subresource: None, manager, dry_run: false }
    }

    fn refusal(&self, name: &str, refused: Refused) -> Failure {
        let conflict = |why| Failure::conflict(self.kind, name, why);
        match refused {
            Refused::AlreadyExists => Failure::already_exists(self.kind, name),
            Refused::NotFound => Failure::not_found(self.kind, name),
            Refused::Conflict => conflict(
                "the object has been modified; please apply your changes to the latest version and try again",
            ),
            Refused::OtherUid => conflict("Precondition failed: UID in precondition does not match"),
        }
    }

    fn at(&self) -> GroupResource {
        self.kind.group_resource()
    }

    fn key(&self) -> String {
        key_of(self.namespace, self.name)
    }

    fn writer(&self, now: &'a str) -> Writer<'a> {
        let Self { kind, manager, subresource, .. } = *self;
        Writer { manager, subresource, api_version: kind.api_version(), now }
    }

    /// Kind, version, namespace and name must fit the path; what is missing is filled in.
    fn fit(&self, value: &mut Value) -> Result<String, Failure> {
        let own = (self.kind.kind.as_str(), self.kind.api_version());
        let kind = json::text_opt(value, "/kind").unwrap_or(own.0);
        let api_version = json::text_opt(value, "/apiVersion").unwrap_or(&own.1);
        if (kind, api_version) != (own.0, own.1.as_str()) {
            return Err(Failure::other_kind(kind, api_version, self.kind));
        }
        if self.kind.namespaced {
            let found = json::text(value, "/metadata/namespace");
            if !found.is_empty() && found != self.namespace {
                return Err(Failure::bad_request(
                    "the namespace of the provided object does not match the namespace sent on the request",
                ));
            }
            json::set(value, &["metadata", "namespace"], json!(self.namespace));
        }
        let name = json::text(value, "/metadata/name").to_owned();
        if !self.name.is_empty() && !name.is_empty() && name != self.name {
            return Err(Failure::other_name(&name, self.name));
        }
        Ok(if name.is_empty() { self.name.to_owned() } else { name })
    }
}

impl Cluster {
    /// Registers `metrics.k8s.io`, as installing metrics-server does.
    pub fn serve_metrics(&self) {
        let value = metrics::api_service();
        if let Some(kind) = self.find_type("apiregistration.k8s.io", "v1", "apiservices") {
            // The fleet may have made one of its own.
            let _ = self.create(&Edit::of(&kind, "", metrics::API_SERVICE, "kubectl"), value);
        }
    }

    /// Creates an object, or refuses it as the real server would.
    pub fn create(&self, edit: &Edit<'_>, mut value: Value) -> Result<Arc<Object>, Failure> {
        if edit.kind.namespaced && edit.namespace.is_empty() {
            return Err(Failure::bad_request("an empty namespace may not be set during creation"));
        }
        let mut name = edit.fit(&mut value)?;
        let mut state = self.state();
        if name.is_empty() {
            let prefix = json::text(&value, "/metadata/generateName").to_owned();
            if prefix.is_empty() {
                let cause = (
                    "FieldValueRequired",
                    "Required value: name or generateName is required".to_owned(),
                    "metadata.name".to_owned(),
                );
                return Err(Failure::invalid(&edit.kind.group, &edit.kind.kind, "", &[cause]));
            }
            let mut chance = crate::random::seeded(state.store.revision());
            name = format!("{prefix}{}", crate::random::suffix(&mut chance, 5));
            json::set(&mut value, &["metadata", "name"], json!(name));
        }
        check_name(edit.kind, &name)?;
        validate::check(edit.kind, &value)?;
        if edit.kind.namespaced {
            let namespaces = GroupResource::new("", "namespaces");
            if state.store.get(&namespaces, edit.namespace).is_none() {
                let kind = state.catalog.preferred(&namespaces).cloned();
                return Err(kind.map_or_else(
                    || Failure::internal("namespaces are not served"),
                    |kind| Failure::not_found(&kind, edit.namespace),
                ));
            }
        }
        json::remove(&mut value, &["metadata", "resourceVersion"]);
        let now = self.now_text();
        complete(edit.kind, &mut value, &now);
        if edit.dry_run {
            return Ok(Arc::new(Object::new(value, state.store.revision())));
        }
        let at = edit.at();
        let created = state.store.create(&at, value, &edit.writer(&now));
        let created = created.map_err(|refused| edit.refusal(&name, refused))?;
        state.follow_definition(&at, None, Some(&created));
        drop(state);
        self.notify();
        Ok(created)
    }

    /// Replaces an object.
    pub fn update(&self, edit: &Edit<'_>, mut value: Value) -> Result<Arc<Object>, Failure> {
        let name = edit.fit(&mut value)?;
        json::set(&mut value, &["metadata", "name"], json!(name));
        self.change(edit, |before| Ok(keep_status(edit, before, value)))
    }

    /// Patches an object.
    pub fn patch(&self, edit: &Edit<'_>, patch: &Patch) -> Result<Arc<Object>, Failure> {
        self.change(edit, |before| {
            let mut after = before.clone();
            match patch.kind {
                PatchKind::Merge => patch::merge(&mut after, &patch.value),
                PatchKind::Strategic => patch::strategic(&mut after, &patch.value),
                // The real server doesn't say which operation it was.
                PatchKind::Json => {
                    patch::json_patch(&mut after, &patch.value).map_err(|_| Failure::unprocessable())?;
                }
            }
            let named = json::text(&after, "/metadata/name");
            if named != edit.name {
                return Err(Failure::other_name(named, edit.name));
            }
            validate::check(edit.kind, &after)?;
            Ok(keep_status(edit, before, after))
        })
    }

    fn change(
        &self,
        edit: &Edit<'_>,
        change: impl FnOnce(&Value) -> Result<Value, Failure>,
    ) -> Result<Arc<Object>, Failure> {
        let (at, now) = (edit.at(), self.now_text());
        let mut state = self.state();
        let missing = || Failure::not_found(edit.kind, edit.name);
        let old = state.store.get(&at, &edit.key()).cloned().ok_or_else(missing)?;
        let before = old.value();
        let after = change(&before)?;
        if edit.dry_run {
            return Ok(Arc::new(Object::new(after, old.revision)));
        }
        let changed = state.store.replace(&at, &old, &before, after, &edit.writer(&now));
        let changed = changed.map_err(|refused| edit.refusal(edit.name, refused))?;
        state.follow_definition(&at, Some(&old), Some(&changed));
        drop(state);
        self.notify();
        Ok(changed)
    }

    /// Deletes an object and what it owns, unless that is to stay; gives its last state, and whether it is gone.
    pub fn delete(&self, edit: &Edit<'_>, options: &Value) -> Result<(Arc<Object>, bool), Failure> {
        let now = self.now_text();
        let key = edit.key();
        let grace_s = json::int_opt(options, "/gracePeriodSeconds").unwrap_or_default();
        let when = clock::text_of(self.now_s().saturating_add(grace_s));
        let is_orphaning = json::text(options, "/propagationPolicy") == "Orphan";
        // No kubelet ends a pod's processes here, so a grace period would never be over.
        let deletion = Deletion { grace_s: 0, when: &when, is_orphaning };
        let mut state = self.state();
        let at = edit.at();
        let missing = || Failure::not_found(edit.kind, edit.name);
        let before = state.store.get(&at, &key).cloned().ok_or_else(missing)?;
        for (what, pointer, found) in [
            ("UID", "/preconditions/uid", before.uid.clone()),
            ("ResourceVersion", "/preconditions/resourceVersion", before.revision.to_string()),
        ] {
            let asked = json::text(options, pointer);
            if !asked.is_empty() && asked != found {
                return Err(Failure::precondition(edit.kind, edit.name, what, asked, &found));
            }
        }
        if edit.dry_run {
            return Ok((before, true));
        }
        let (last, gone) =
            state.store.delete(&at, &key, &deletion).map_err(|refused| edit.refusal(edit.name, refused))?;
        // An API server answers before the garbage collector begins.
        if gone || (is_orphaning && garbage::orphan(&mut state, edit.kind, &last, &now)) {
            state.follow_definition(&at, Some(&before), None);
            garbage::clean_up(&mut state, edit.kind, &last, &now);
        }
        drop(state);
        self.notify();
        Ok((last, gone))
    }
}

/// If the status is a subresource, a write to the object keeps the status.
fn keep_status(edit: &Edit<'_>, before: &Value, mut after: Value) -> Value {
    if edit.subresource.is_none() && edit.kind.has_subresource("status") {
        match before.get("status") {
            Some(status) => json::set(&mut after, &["status"], status.clone()),
            None => json::remove(&mut after, &["status"]),
        }
    }
    after
}

/// What the server adds to new objects of some kinds.
fn complete(kind: &ResourceType, value: &mut Value, now: &str) {
    if !kind.built_in {
        json::set(value, &["metadata", "generation"], json!(1));
    }
    match (kind.group.as_str(), kind.plural.as_str()) {
        ("", "namespaces") => {
            let name = json::text(value, "/metadata/name").to_owned();
            json::set(value, &["metadata", "labels", "kubernetes.io/metadata.name"], json!(name));
            if value.get("status").is_none() {
                json::set(value, &["status"], json!({"phase": "Active"}));
                json::set(value, &["spec"], json!({"finalizers": ["kubernetes"]}));
            }
        }
        ("", "pods") if value.get("status").is_none() => {
            json::set(value, &["status"], json!({"phase": "Pending", "qosClass": "BestEffort"}));
        }
        ("apps", "deployments" | "replicasets" | "statefulsets")
            if value.pointer("/spec/replicas").is_none() =>
        {
            json::set(value, &["spec", "replicas"], json!(1));
        }
        ("apiregistration.k8s.io", "apiservices") => {
            let status = crate::metrics::availability(value, now);
            json::set(value, &["status"], status);
        }
        ("apiextensions.k8s.io", "customresourcedefinitions") => {
            let status = crate::crd::established(value, now);
            json::set(value, &["status"], status);
        }
        _ => {}
    }
}

/// Names are checked as the real server checks them; roles alone may have a colon.
fn check_name(kind: &ResourceType, name: &str) -> Result<(), Failure> {
    const NAME_MAX: usize = 253;
    let is_role = kind.group == "rbac.authorization.k8s.io";
    let fits = |letter: char| {
        letter.is_ascii_lowercase()
            || letter.is_ascii_digit()
            || "-.".contains(letter)
            || (is_role && (letter == ':' || letter.is_ascii_uppercase()))
    };
    let edge = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric() || is_role);
    if name.len() <= NAME_MAX
        && name.chars().all(fits)
        && edge(name.chars().next())
        && edge(name.chars().last())
    {
        return Ok(());
    }
    let why = if name.len() > NAME_MAX { "must be no more than 253 characters" } else { SUBDOMAIN_RULE };
    let cause = ("FieldValueInvalid", format!("Invalid value: {name:?}: {why}"), "metadata.name".to_owned());
    Err(Failure::invalid(&kind.group, &kind.kind, name, &[cause]))
}
