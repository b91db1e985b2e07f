//! Creating, changing and deleting one object with the server's own bookkeeping: uid, times,
//! generation, managedFields, resourceVersion, finalizers. Pure: time comes in with the writer.

use std::sync::Arc;

use serde_json::{Value, json};

use super::managed::Writer;
use super::object::{Object, key_of};
use super::{Store, managed};
use crate::json;
use crate::resource::GroupResource;

/// How an object is to be deleted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deletion<'a> {
    /// More than 0: it stays, marked, until it is deleted again with 0.
    pub grace_s: i64,
    /// The deletionTimestamp it gets while it stays.
    pub when: &'a str,
    /// It stays until the garbage collector has taken it off what it owns, and then this finalizer off.
    pub is_orphaning: bool,
}

/// What holds an object whose dependents stay.
pub const ORPHAN_FINALIZER: &str = "orphan";

/// Why a write didn't happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    AlreadyExists,
    NotFound,
    /// The resourceVersion of the request isn't the object's.
    Conflict,
    /// The uid of the request isn't the object's.
    OtherUid,
}

/// Built-in kinds without a generation.
const WITHOUT_GENERATION: &[&str] = &["nodes", "namespaces", "services", "serviceaccounts", "events"];

impl Store {
    /// Creates an object that carries its name and namespace.
    pub fn create(
        &mut self,
        at: &GroupResource,
        mut value: Value,
        writer: &Writer<'_>,
    ) -> Result<Arc<Object>, Refused> {
        let key = key_in(&value);
        if self.get(at, &key).is_some() {
            return Err(Refused::AlreadyExists);
        }
        let revision = self.next_revision();
        if json::text(&value, "/metadata/uid").is_empty() {
            let uid = uid_of(at, &key, revision ^ self.uid_seed);
            json::set(&mut value, &["metadata", "uid"], json!(uid));
        }
        if json::text(&value, "/metadata/creationTimestamp").is_empty() {
            json::set(&mut value, &["metadata", "creationTimestamp"], json!(writer.now));
        }
        if value.get("spec").is_some() && !WITHOUT_GENERATION.contains(&at.plural.as_str()) {
            json::set(&mut value, &["metadata", "generation"], json!(1));
        }
        if value.pointer("/metadata/managedFields").is_none() {
            managed::note(None, &mut value, writer);
        }
        Ok(self.commit(at, Object::new(value, revision)))
    }

    /// Keeps an object as it is given, whether there is one of that name or not.
    pub fn put(&mut self, at: &GroupResource, value: Value) -> Arc<Object> {
        self.commit(at, Object::new(value, self.next_revision()))
    }

    /// Replaces an object, whose content was `before`, unless that changes nothing.
    pub fn replace(
        &mut self,
        at: &GroupResource,
        old: &Arc<Object>,
        before: &Value,
        asked: Value,
        writer: &Writer<'_>,
    ) -> Result<Arc<Object>, Refused> {
        let wanted = json::text(&asked, "/metadata/resourceVersion");
        if !wanted.is_empty() && wanted != old.revision.to_string() {
            return Err(Refused::Conflict);
        }
        let uid = json::text(&asked, "/metadata/uid");
        if !uid.is_empty() && uid != old.uid {
            return Err(Refused::OtherUid);
        }
        let mut after = restrict_to_subresource(before, asked, writer.subresource);
        keep_servers_own(before, &mut after);
        if after == *before {
            return Ok(Arc::clone(old));
        }
        // If the status is a subresource, the object's own write can't contain a status.
        let counts_status = writer.subresource.is_none();
        if before.pointer("/metadata/generation").is_some() && differs(before, &after, counts_status) {
            let generation = json::int(before, "/metadata/generation") + 1;
            json::set(&mut after, &["metadata", "generation"], json!(generation));
        }
        managed::note(Some(before), &mut after, writer);
        let is_finished = is_finished(&after);
        let object = Object::new(after, self.next_revision());
        if is_finished {
            self.remove(at, &old.key);
            return Ok(Arc::new(object));
        }
        Ok(self.commit(at, object))
    }

    /// Deletes an object, or marks it if finalizers or a grace period hold it; gives its last state and
    /// whether it is gone.
    pub fn delete(
        &mut self,
        at: &GroupResource,
        key: &str,
        deletion: &Deletion<'_>,
    ) -> Result<(Arc<Object>, bool), Refused> {
        let old = Arc::clone(self.get(at, key).ok_or(Refused::NotFound)?);
        let mut value = old.value();
        if deletion.is_orphaning {
            let mut finalizers = json::list(&value, "/metadata/finalizers").to_vec();
            if !finalizers.iter().any(|finalizer| finalizer == ORPHAN_FINALIZER) {
                finalizers.push(json!(ORPHAN_FINALIZER));
            }
            json::set(&mut value, &["metadata", "finalizers"], json!(finalizers));
        }
        let held = !json::list(&value, "/metadata/finalizers").is_empty();
        if !held && deletion.grace_s == 0 {
            self.remove(at, key);
            return Ok((old, true));
        }
        if value.pointer("/metadata/deletionTimestamp").is_some() {
            return Ok((old, false));
        }
        json::set(&mut value, &["metadata", "deletionTimestamp"], json!(deletion.when));
        json::set(&mut value, &["metadata", "deletionGracePeriodSeconds"], json!(deletion.grace_s));
        let object = self.commit(at, Object::new(value, self.next_revision()));
        Ok((object, false))
    }
}

fn key_in(value: &Value) -> String {
    key_of(json::text(value, "/metadata/namespace"), json::text(value, "/metadata/name"))
}

/// A write to `status` changes nothing else, and one to the object doesn't touch the status.
fn restrict_to_subresource(before: &Value, asked: Value, subresource: Option<&str>) -> Value {
    match subresource {
        Some(_) => {
            let mut after = before.clone();
            match asked.get("status") {
                Some(status) => json::set(&mut after, &["status"], status.clone()),
                None => json::remove(&mut after, &["status"]),
            }
            after
        }
        None => asked,
    }
}

/// Keeps the fields that a client may not change.
fn keep_servers_own(before: &Value, after: &mut Value) {
    for field in [
        "uid",
        "name",
        "namespace",
        "creationTimestamp",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "resourceVersion",
    ] {
        match before.get("metadata").and_then(|metadata| metadata.get(field)) {
            Some(value) => json::set(after, &["metadata", field], value.clone()),
            None => json::remove(after, &["metadata", field]),
        }
    }
    json::remove(after, &["kind"]);
    json::remove(after, &["apiVersion"]);
}

/// Whether two states differ outside of metadata and (unless it counts) status.
fn differs(before: &Value, after: &Value, counts_status: bool) -> bool {
    let lacks = |one: &Value, other: &Value| {
        one.as_object().into_iter().flatten().any(|(field, value)| {
            let counts = field != "metadata" && (counts_status || field != "status");
            counts && other.get(field) != Some(value)
        })
    };
    lacks(before, after) || lacks(after, before)
}

/// Marked for deletion, and the last finalizer has left.
fn is_finished(value: &Value) -> bool {
    value.pointer("/metadata/deletionTimestamp").is_some()
        && value.pointer("/metadata/deletionGracePeriodSeconds") == Some(&json!(0))
        && json::list(value, "/metadata/finalizers").is_empty()
}

/// A uid in the shape of a UUID: the same fleet gets the same ones.
fn uid_of(at: &GroupResource, key: &str, seed: u64) -> String {
    let mut state = seed ^ 0x9e37_79b9_7f4a_7c15;
    for byte in at.group.bytes().chain(at.plural.bytes()).chain(key.bytes()) {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    crate::random::uuid(crate::random::mix(state), crate::random::mix(state ^ 0x5851_f42d_4c95_7f2d))
}
