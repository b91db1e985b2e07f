//! The facts of a pod.

use serde_json::Value;

use super::super::read::{self, Now};
use super::super::reference::Reference;
use super::{Fact, lines};
use crate::messages;

pub(super) fn facts(pod: &Value, now: Now) -> Vec<Option<Fact>> {
    let node = read::raw(pod, "/spec/nodeName");
    let mut facts = vec![
        Fact::some(messages::NODE, read::text(pod, "/spec/nodeName"))
            .map(|fact| fact.mono().linked(Reference::new("v1", "Node", None, node.unwrap_or_default()))),
        Fact::some(messages::POD_IP, read::text(pod, "/status/podIP")).map(Fact::mono),
        Fact::some(messages::QOS_CLASS, read::text(pod, "/status/qosClass")),
        Fact::some(messages::SERVICE_ACCOUNT, read::text(pod, "/spec/serviceAccountName")).map(Fact::mono),
        Fact::some(messages::PRIORITY_CLASS, read::text(pod, "/spec/priorityClassName")).map(Fact::mono),
        Fact::some(messages::STARTED, read::time(pod, "/status/startTime").map(|at| now.clock(at))),
        // Why the pod as a whole stands as it does: evicted, unschedulable.
        Fact::some(messages::REASON, read::text(pod, "/status/reason"))
            .map(|fact| fact.wide().noted(read::text(pod, "/status/message").unwrap_or_default())),
    ];
    facts.extend(images(pod, "/spec"));
    facts
}

/// The facts of a pod, or of a pod template.
pub(super) fn images(object: &Value, spec: &str) -> Vec<Option<Fact>> {
    let containers = read::list(object, &format!("{spec}/containers"));
    let image = |container: &Value| {
        let name = read::text(container, "/name").unwrap_or_default();
        (read::text(container, "/image").unwrap_or_default(), name)
    };
    let label = if containers.len() == 1 { messages::IMAGE } else { messages::IMAGES };
    lines(label, containers.iter().map(image).collect())
}
