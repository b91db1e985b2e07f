//! The batches of the filling after the first: copies of its texts with other names, so that 100,000
//! objects are made in seconds.

use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;
use serde_json::Value;

use super::Batch;
use crate::clock;
use crate::fleet::control::template_hash;
use crate::fleet::text_template::TextTemplate;
use crate::json::text;
use crate::random::{suffix, uuid};
use crate::resource::GroupResource;
use crate::store::{Object, Store};

/// The texts of the first batch, with placeholders where the others differ.
#[derive(Debug)]
pub(in crate::fleet) struct Copier {
    deployment: Model,
    set: Model,
    pods: Vec<Model>,
    template: TextTemplate,
}

#[derive(Debug)]
struct Model {
    at: GroupResource,
    text: TextTemplate,
    labels: TextTemplate,
}

/// The words of a batch and of one of its objects. Empty ones get no placeholder.
#[derive(Clone, Default)]
struct Words {
    revision: String,
    uid: String,
    suffix: String,
    address: String,
    node: String,
    name: String,
    namespace: String,
    hash: String,
    deployment_uid: String,
    set_uid: String,
    time: String,
}

impl Words {
    fn of(batch: Batch, when_s: i64) -> Self {
        let (name, namespace, time) = (batch.name(), batch.namespace(), clock::text_of(when_s));
        Self { name, namespace, time, ..Self::default() }
    }

    /// In the order in which they are replaced: a word that contains another comes before it.
    fn all(&self) -> [&str; 11] {
        [
            &self.revision,
            &self.uid,
            &self.suffix,
            &self.address,
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

fn revision_word(revision: u64) -> String {
    format!("\"resourceVersion\":\"{revision}\"")
}

impl Copier {
    /// None if the first batch isn't complete, which can't happen before the server has started.
    pub(in crate::fleet) fn of(store: &Store, batch: Batch, when_s: i64) -> Option<Self> {
        let named = |resource: &str, prefix: &str| {
            store.named(&GroupResource::of(resource), &batch.namespace(), prefix)
        };
        let deployments = named("deployments.apps", &batch.name());
        let sets = named("replicasets.apps", &batch.name());
        let (deployment, set) = (deployments.first()?, sets.first()?);
        let pods = named("pods", &format!("{}-", set.name));
        let hash = set.labels.get("pod-template-hash")?.clone();
        let words = Words {
            hash,
            deployment_uid: deployment.uid.clone(),
            set_uid: set.uid.clone(),
            ..Words::of(batch, when_s)
        };
        let model = |resource: &str, object: &Object| {
            let value = object.value();
            let suffix = object.name.strip_prefix(&set.name).unwrap_or_default().trim_start_matches('-');
            let words = Words {
                revision: revision_word(object.revision),
                uid: if resource == "pods" { object.uid.clone() } else { String::new() },
                suffix: suffix.to_owned(),
                address: text(&value, "/status/podIP").to_owned(),
                node: text(&value, "/spec/nodeName").to_owned(),
                ..words.clone()
            };
            let template = |text: &str| TextTemplate::of(text, &words.all());
            let labels = serde_json::to_string(&*object.labels).unwrap_or_default();
            Model {
                at: GroupResource::of(resource),
                text: template(&value.to_string()),
                labels: template(&labels),
            }
        };
        let pod_template = deployment.value().pointer("/spec/template").map(Value::to_string)?;
        Some(Self {
            deployment: model("deployments.apps", deployment),
            set: model("replicasets.apps", set),
            pods: pods.iter().map(|pod| model("pods", pod)).collect(),
            template: TextTemplate::of(&pod_template, &words.all()),
        })
    }

    pub(in crate::fleet) fn copy(&mut self, store: &mut Store, batch: Batch, when_s: i64, chance: &mut Rng) {
        let mut words = Words {
            node: batch.node_name(),
            deployment_uid: uid(chance),
            set_uid: uid(chance),
            ..Words::of(batch, when_s)
        };
        let template = self.template.fill(&words.all());
        words.hash = template_hash(&serde_json::from_str(&template).unwrap_or_default());
        let set_name = format!("{}-{}", words.name, words.hash);
        let labels_of_pods = self.pods.first().map(|pod| pod.labels(&words)).unwrap_or_default();
        let labels = self.deployment.labels(&words);
        self.deployment.put(store, &words, &words.name, &words.deployment_uid, labels);
        self.set.put(store, &words, &set_name, &words.set_uid, self.set.labels(&words));
        for (number, pod) in self.pods.iter().enumerate() {
            let (uid, suffix, address) = (uid(chance), suffix(chance, 5), batch.address(number));
            let words = Words { uid, suffix, address, ..words.clone() };
            let name = format!("{set_name}-{}", words.suffix);
            pod.put(store, &words, &name, &words.uid, Arc::clone(&labels_of_pods));
        }
    }
}

type Labels = Arc<BTreeMap<String, String>>;

impl Model {
    fn labels(&self, words: &Words) -> Labels {
        serde_json::from_str(&self.labels.fill(&words.all())).map(Arc::new).unwrap_or_default()
    }

    fn put(&self, store: &mut Store, words: &Words, name: &str, uid: &str, labels: Labels) {
        let revision = store.next_revision();
        let words = Words { revision: revision_word(revision), ..words.clone() };
        let json = self.text.fill(&words.all());
        let object = Object::written(&words.namespace, name, uid.to_owned(), labels, revision, json);
        store.commit(&self.at, object);
    }
}

fn uid(chance: &mut Rng) -> String {
    uuid(chance.u64(..), chance.u64(..))
}
