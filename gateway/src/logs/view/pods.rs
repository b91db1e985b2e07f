//! What a pod says of itself, as far as its logs are concerned, and which of its containers are wanted. Pure.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::frame::client::LogAsked;
use shared::frame::server::ContainerKind;
use shared::name::ObjectName;

use super::super::pod::container_of;

/// Names the container that is meant where none is named.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

const LISTS: [(&str, ContainerKind); 3] = [
    ("/spec/containers", ContainerKind::Regular),
    ("/spec/initContainers", ContainerKind::Init),
    ("/spec/ephemeralContainers", ContainerKind::Ephemeral),
];

/// A pod that is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Pod {
    pub name: ObjectName,
    pub uid: Box<str>,
    /// The uids of its owners.
    pub owners: Vec<Box<str>>,
    pub created: Box<str>,
    /// The regular ones first.
    pub containers: Vec<PodContainer>,
    default_container: Option<Box<str>>,
}

/// A container of a pod that is there.
#[derive(Clone, Debug, PartialEq)]
pub struct PodContainer {
    pub name: Box<str>,
    pub kind: ContainerKind,
    /// The run whose log there is, by its id. `None`: it hasn't begun.
    pub run: Option<Box<str>>,
}

/// The pods of a view, by their uids.
pub type Pods = BTreeMap<Box<str>, Pod>;

impl Pod {
    /// `None`: it isn't a pod.
    pub fn read(object: &Value) -> Option<Self> {
        let text = |at: &str| object.pointer(at).and_then(Value::as_str);
        let items = |at: &str| object.pointer(at).and_then(Value::as_array).into_iter().flatten();
        let container = |item: &Value, kind: ContainerKind| {
            let name = item.get("name")?.as_str()?;
            Some(PodContainer { name: name.into(), kind, run: container_of(object, name).run })
        };
        let containers =
            LISTS.iter().flat_map(|(at, kind)| items(at).filter_map(|item| container(item, *kind)));
        let annotations = object.pointer("/metadata/annotations");
        let owner = |item: &Value| Some(Box::from(item.get("uid")?.as_str()?));
        Some(Self {
            name: ObjectName::parse(text("/metadata/name")?).ok()?,
            uid: text("/metadata/uid")?.into(),
            owners: items("/metadata/ownerReferences").filter_map(owner).collect(),
            created: text("/metadata/creationTimestamp").unwrap_or_default().into(),
            containers: containers.collect(),
            default_container: annotations.and_then(|all| Some(all.get(DEFAULT_CONTAINER)?.as_str()?.into())),
        })
    }

    /// The container that is meant where none is named. An annotation that names none of them says nothing.
    pub fn default_container(&self) -> Option<&str> {
        let has = |name: &&str| self.containers.iter().any(|own| *own.name == **name);
        let named = self.default_container.as_deref().filter(has);
        named.or_else(|| self.containers.first().map(|own| &*own.name))
    }

    /// Those of its containers that are asked for.
    pub fn wanted<'a>(&'a self, asked: &'a LogAsked) -> impl Iterator<Item = &'a PodContainer> + 'a {
        let is_wanted = asked.pods.is_empty() || asked.pods.iter().any(|name| **name == *self.name.as_str());
        let is_asked = move |name: &str| match asked.containers.as_slice() {
            [] if asked.default_container => self.default_container() == Some(name),
            [] => true,
            names => names.iter().any(|asked| **asked == *name),
        };
        self.containers.iter().filter(move |own| is_wanted && is_asked(&own.name))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(annotations: &Value) -> Pod {
        let pod = json!({
            "metadata": {"name": "cart-0", "uid": "u", "annotations": annotations, "ownerReferences": [{"uid": "o"}]},
            "spec": {
                "initContainers": [{"name": "migrate"}],
                "containers": [{"name": "cart"}, {"name": "proxy"}],
                "ephemeralContainers": [{"name": "debugger"}],
            },
        });
        Pod::read(&pod).expect("a pod")
    }

    fn wanted(pod: &Pod, asked: &Value) -> Vec<String> {
        let asked: LogAsked = serde_json::from_value(asked.clone()).expect("what is asked");
        pod.wanted(&asked).map(|own| own.name.to_string()).collect()
    }

    #[test]
    fn all_containers_are_wanted_or_those_that_are_named() {
        let pod = pod(&json!({}));
        assert_eq!(wanted(&pod, &json!({})), ["cart", "proxy", "migrate", "debugger"]);
        assert_eq!(wanted(&pod, &json!({"containers": ["migrate", "other"]})), ["migrate"]);
        assert_eq!(wanted(&pod, &json!({"default_container": true})), ["cart"]);
        assert_eq!(wanted(&pod, &json!({"pods": ["cart-1"]})), Vec::<String>::new());
        assert_eq!(wanted(&pod, &json!({"pods": ["cart-0"], "containers": ["proxy"]})), ["proxy"]);
        assert_eq!(pod.owners, ["o".into()]);
    }

    #[test]
    fn an_annotation_names_the_container_that_is_meant() {
        let of = |name: &str| pod(&json!({DEFAULT_CONTAINER: name})).default_container().map(str::to_owned);
        assert_eq!(of("proxy").as_deref(), Some("proxy"));
        assert_eq!(of("gone").as_deref(), Some("cart"));
    }
}
