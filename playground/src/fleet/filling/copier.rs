//! The lots of the filling after the first: its texts with other names, so that 100,000 objects are
//! there in seconds.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::Lot;
use crate::clock;
use crate::fleet::control::template_hash;
use crate::fleet::stage::group_resource;
use crate::fleet::stencil::Stencil;
use crate::json::text;
use crate::random::Random;
use crate::resource::GroupResource;
use crate::store::{Object, Store};

/// The texts of the first lot, cut where the others differ.
#[derive(Debug)]
pub(in crate::fleet) struct Copier {
    deployment: Model,
    set: Model,
    pods: Vec<Model>,
    template: Stencil,
}

#[derive(Debug)]
struct Model {
    at: GroupResource,
    text: Stencil,
    labels: Stencil,
}

/// The words of a lot, in the order in which they are cut out: what contains another comes first.
struct Words {
    node: String,
    name: String,
    namespace: String,
    hash: String,
    deployment_uid: String,
    set_uid: String,
    time: String,
}

impl Words {
    fn all<'a>(&'a self, own: &'a Own) -> [&'a str; 11] {
        [
            &own.revision,
            &own.uid,
            &own.suffix,
            &own.address,
            &self.node,
            &self.name,
            &self.namespace,
            &self.hash,
            &self.deployment_uid,
            &self.set_uid,
            &self.time,
        ]
    }
}

/// The words of one object. Empty ones aren't cut.
#[derive(Default)]
struct Own {
    revision: String,
    uid: String,
    suffix: String,
    address: String,
}

fn revision_word(revision: u64) -> String {
    format!("\"resourceVersion\":\"{revision}\"")
}

impl Copier {
    /// None where the first lot isn't whole, which a person could do only before the start.
    pub(in crate::fleet) fn of(store: &Store, lot: Lot, when_s: i64) -> Option<Self> {
        let named =
            |resource: &str, prefix: &str| store.named(&group_resource(resource), &lot.namespace(), prefix);
        let deployments = named("deployments.apps", &lot.name());
        let sets = named("replicasets.apps", &lot.name());
        let (deployment, set) = (deployments.first()?, sets.first()?);
        let pods = named("pods", &format!("{}-", set.name));
        let hash = set.labels.get("pod-template-hash")?.clone();
        let words = |node: &str| Words {
            node: node.to_owned(),
            name: lot.name(),
            namespace: lot.namespace(),
            hash: hash.clone(),
            deployment_uid: deployment.uid.clone(),
            set_uid: set.uid.clone(),
            time: clock::text_of(when_s),
        };
        let model = |resource: &str, object: &Object| {
            let value = object.value();
            let own = Own {
                revision: revision_word(object.revision),
                uid: if resource == "pods" { object.uid.clone() } else { String::new() },
                suffix: pod_suffix(&object.name, &set.name).to_owned(),
                address: text(&value, "/status/podIP").to_owned(),
            };
            let words = words(text(&value, "/spec/nodeName"));
            let cut = |text: &str| Stencil::cut(text, &words.all(&own));
            let body = value.to_string();
            let labels = serde_json::to_string(&*object.labels).unwrap_or_default();
            Model { at: group_resource(resource), text: cut(&body), labels: cut(&labels) }
        };
        let template = deployment.value().pointer("/spec/template").map(Value::to_string)?;
        Some(Self {
            deployment: model("deployments.apps", deployment),
            set: model("replicasets.apps", set),
            pods: pods.iter().map(|pod| model("pods", pod)).collect(),
            template: Stencil::cut(&template, &words("").all(&Own::default())),
        })
    }

    pub(in crate::fleet) fn copy(&mut self, store: &mut Store, lot: Lot, when_s: i64, chance: &mut Random) {
        let mut words = Words {
            node: lot.node_name(),
            name: lot.name(),
            namespace: lot.namespace(),
            hash: String::new(),
            deployment_uid: uid(chance),
            set_uid: uid(chance),
            time: clock::text_of(when_s),
        };
        let template = self.template.fill(&words.all(&Own::default()));
        words.hash = template_hash(&serde_json::from_str(&template).unwrap_or_default());
        let set_name = format!("{}-{}", words.name, words.hash);
        let (deployment_uid, set_uid) = (words.deployment_uid.clone(), words.set_uid.clone());
        let labels = |model: Option<&Model>| -> Arc<BTreeMap<String, String>> {
            let text = model.map(|model| model.labels.fill(&words.all(&Own::default())));
            serde_json::from_str(&text.unwrap_or_default()).map(Arc::new).unwrap_or_default()
        };
        let of = (labels(Some(&self.deployment)), labels(Some(&self.set)), labels(self.pods.first()));
        put(store, &self.deployment, &words, (&words.name, deployment_uid, of.0), Own::default());
        put(store, &self.set, &words, (&set_name, set_uid, of.1), Own::default());
        for (number, pod) in self.pods.iter().enumerate() {
            let own = Own {
                revision: String::new(),
                uid: uid(chance),
                suffix: chance.suffix(5),
                address: lot.address(number),
            };
            let name = format!("{set_name}-{}", own.suffix);
            let pod_uid = own.uid.clone();
            put(store, pod, &words, (&name, pod_uid, Arc::clone(&of.2)), own);
        }
    }
}

fn pod_suffix<'a>(name: &'a str, set: &str) -> &'a str {
    name.strip_prefix(set).unwrap_or_default().trim_start_matches('-')
}

fn put(
    store: &mut Store,
    model: &Model,
    words: &Words,
    (name, uid, labels): (&str, String, Arc<BTreeMap<String, String>>),
    mut own: Own,
) {
    let revision = store.next_revision();
    own.revision = revision_word(revision);
    let json = model.text.fill(&words.all(&own));
    store.put_written(&model.at, Object::written(&words.namespace, name, uid, labels, revision, json));
}

fn uid(chance: &mut Random) -> String {
    crate::random::uuid(chance.next(), chance.next())
}
