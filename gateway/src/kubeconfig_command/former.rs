//! What a person has changed in a kubeconfig that is written again: their own token and the namespaces of contexts stay,
//! and what is gone is named. Pure.

use serde_json::Value;

use super::text::{Context, Kubeconfig, User};

/// A kubeconfig that `dogwatch kubeconfig` wrote before, as it is by now.
pub(super) struct Former(Value);

impl Former {
    /// `None`: it can't be read, so nothing of it is known.
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_saphyr::from_str(text).ok().map(Self)
    }

    /// The entry of a list that has this name.
    fn entry(&self, list: &str, name: &str) -> Option<&Value> {
        self.entries(list).find(|entry| entry.get("name").and_then(Value::as_str) == Some(name))
    }

    fn entries(&self, list: &str) -> impl Iterator<Item = &Value> {
        self.0.get(list).and_then(Value::as_array).into_iter().flatten()
    }

    fn text<'a>(entry: Option<&'a Value>, pointer: &str) -> Option<&'a str> {
        entry?.pointer(pointer)?.as_str()
    }

    /// Takes over what stays.
    pub(super) fn keep(&self, kubeconfig: &mut Kubeconfig) {
        for context in &mut kubeconfig.contexts {
            let Context { name, server, namespace, user, .. } = context;
            let of_context = Self::text(self.entry("contexts", name), "/context/namespace");
            *namespace = of_context.map(str::to_owned);
            // A token is for the server for which it was given.
            let is_same_server =
                Self::text(self.entry("clusters", name), "/cluster/server") == Some(server.as_str());
            let own = self.entry("users", name).and_then(|entry| entry.get("user"));
            let own = own.filter(|own| own.as_object().is_some_and(|fields| !fields.is_empty()));
            if let (User::OwnToken { kept }, true) = (user, is_same_server) {
                *kept = own.cloned();
            }
        }
    }

    /// What is no longer in the file, for its person. `None`: nothing that they wrote.
    pub(super) fn gone(&self, kubeconfig: &Kubeconfig) -> Option<String> {
        let mut gone = Vec::new();
        for (list, one) in [("clusters", "cluster"), ("contexts", "context"), ("users", "user")] {
            for entry in self.entries(list) {
                let name = Self::text(Some(entry), "/name").unwrap_or_default();
                match kubeconfig.contexts.iter().find(|context| context.name == name) {
                    None => gone.push(format!("{one} {name}")),
                    Some(context) if one == "user" && context.is_credential_gone(entry) => {
                        gone.push(format!("the credential of user {name}"));
                    }
                    Some(_) => {}
                }
            }
        }
        (!gone.is_empty()).then(|| gone.join(", "))
    }
}

impl Context {
    /// A plugin is written anew, and another credential isn't.
    fn is_credential_gone(&self, entry: &Value) -> bool {
        let had = entry.get("user").and_then(Value::as_object);
        let is_own = had.is_some_and(|had| had.keys().any(|field| field != "exec"));
        is_own && !matches!(&self.user, User::OwnToken { kept: Some(_) })
    }
}
