//! The kinds and namespaces of the cluster that the operator lets this gateway show, to all viewers. A kind that
//! isn't shown is never asked for; objects of a namespace that isn't are dropped while an answer is read.

use std::sync::Arc;

use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};

/// Everything but Secrets, unless a configuration says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ceiling(Arc<Shown>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Shown {
    kinds: Choice,
    namespaces: Choice,
    /// Secrets are a kind like others, of which the metadata alone is read.
    secret_names: bool,
    /// What containers write.
    logs: bool,
}

/// What is shown of a sort: all, or what a pattern of `only` names, and of that nothing that one of `hidden` names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    pub only: Vec<Pattern>,
    pub hidden: Vec<Pattern>,
}

/// A name, or all names that begin or end with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    Name(Box<str>),
    /// `kube-*`
    Begin(Box<str>),
    /// `*.example.org`
    End(Box<str>),
}

impl Pattern {
    /// `None` if it is neither, or would name everything.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (rest, pattern): (&str, fn(Box<str>) -> Self) =
            match (text.strip_prefix('*'), text.strip_suffix('*')) {
                (Some(end), _) => (end, Self::End),
                (None, Some(begin)) => (begin, Self::Begin),
                (None, None) => (text, Self::Name),
            };
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
        let has_letter = rest.bytes().any(|byte| byte.is_ascii_alphanumeric());
        (has_letter && rest.bytes().all(is_name)).then(|| pattern(rest.into()))
    }

    pub(crate) fn names(&self, text: &str) -> bool {
        match self {
            Self::Name(name) => text == &**name,
            Self::Begin(begin) => text.starts_with(&**begin),
            Self::End(end) => text.ends_with(&**end),
        }
    }
}

impl Choice {
    fn is_all(&self) -> bool {
        self.only.is_empty() && self.hidden.is_empty()
    }

    /// `texts`: the names that one thing goes by.
    pub(crate) fn shows(&self, texts: &[&str]) -> bool {
        let names = |pattern: &Pattern| texts.iter().any(|text| pattern.names(text));
        (self.only.is_empty() || self.only.iter().any(names)) && !self.hidden.iter().any(names)
    }
}

impl Ceiling {
    #[must_use]
    pub fn of(kinds: Choice, namespaces: Choice) -> Self {
        Self(Arc::new(Shown { kinds, namespaces, secret_names: false, logs: false }))
    }

    /// Whether Secrets are shown by their names. Their values never are.
    #[must_use]
    pub fn with_secret_names(mut self, secret_names: bool) -> Self {
        Arc::make_mut(&mut self.0).secret_names = secret_names;
        self
    }

    /// Whether logs are shown. A cluster that is connected keeps what it was connected with.
    #[must_use]
    pub fn with_logs(mut self, logs: bool) -> Self {
        Arc::make_mut(&mut self.0).logs = logs;
        self
    }

    #[must_use]
    pub fn shows_logs(&self) -> bool {
        self.0.logs
    }

    /// Why a kind isn't shown. A plural alone names the kinds of all groups: an Event is served by two.
    pub(super) fn hides_kind(&self, resource: &Resource) -> Option<Box<str>> {
        if resource.is_secrets() && !self.0.secret_names {
            return Some("Secrets are hidden by this gateway; its setting secret-names shows their names, never a value".into());
        }
        let shown = self.0.kinds.shows(&[resource.resource.as_str(), &resource.to_string()]);
        (!shown).then(|| format!("{resource} are hidden by this gateway").into())
    }

    /// Whether an object is shown, by its kind's resource, and its namespace and name.
    #[must_use]
    pub fn shows_object(&self, resource: &Resource, namespace: Option<&str>, name: &str) -> bool {
        let is_namespace = resource.is_core() && resource.resource.as_str() == "namespaces";
        match namespace.or_else(|| is_namespace.then_some(name)) {
            Some(namespace) => self.shows_namespace(namespace),
            None => true,
        }
    }

    #[must_use]
    pub fn shows_namespace(&self, name: &str) -> bool {
        self.0.namespaces.shows(&[name])
    }

    #[must_use]
    pub fn shows_all_namespaces(&self) -> bool {
        self.0.namespaces.is_all()
    }

    /// Fails for a scope that names what isn't shown, which would be empty for ever. A Namespace is named by its
    /// name.
    pub fn check(&self, scope: &Scope) -> Result<(), Problem> {
        let hidden = |namespace: &str| {
            let message = format!("the namespace {namespace:?} is hidden by this gateway");
            Err(Problem::new(Reason::Hidden, message))
        };
        if let Namespaces::These(asked) = &scope.namespaces
            && let Some(one) = asked.iter().find(|one| !self.shows_namespace(one.as_str()))
        {
            return hidden(one.as_str());
        }
        match &scope.name {
            Some(name) if !self.shows_object(&scope.resource, None, name.as_str()) => hidden(name.as_str()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::name::{Namespace, ObjectName};

    use super::*;

    fn patterns(texts: &[&str]) -> Vec<Pattern> {
        texts.iter().map(|text| Pattern::parse(text).expect(text)).collect()
    }

    fn resource(group: &str, plural: &str) -> Resource {
        Resource::parse(group, "v1", plural).expect("valid")
    }

    #[test]
    fn a_kind_is_named_by_its_plural_in_all_groups_or_in_one() {
        let check = |only: &[&str], hidden: &[&str], expected: [bool; 4]| {
            let kinds = Choice { only: patterns(only), hidden: patterns(hidden) };
            let ceiling = Ceiling::of(kinds, Choice::default());
            let asked =
                [("", "events"), ("events.k8s.io", "events"), ("apps", "deployments"), ("", "secrets")];
            let shown = asked.map(|(group, plural)| ceiling.hides_kind(&resource(group, plural)).is_none());
            assert_eq!(shown, expected, "only {only:?}, hidden {hidden:?}");
        };
        check(&[], &[], [true, true, true, false]);
        check(&[], &["events"], [false, false, true, false]);
        check(&[], &["events.events.k8s.io"], [true, false, true, false]);
        check(&[], &["*.k8s.io"], [true, false, true, false]);
        check(&["deployments.apps", "secrets"], &[], [false, false, true, false]);
        check(&["*.apps", "events"], &["events.events.k8s.io"], [true, false, true, false]);
    }

    #[test]
    fn what_names_nothing_or_everything_is_no_pattern() {
        for text in ["", "*", "**", "-", "*.", "kube-*-x", "*kube*", "Pods", "a b", "a/b", "ä"] {
            assert_eq!(Pattern::parse(text), None, "{text}");
        }
        assert_eq!(Pattern::parse("kube-*"), Some(Pattern::Begin("kube-".into())));
    }

    #[test]
    fn a_namespace_is_hidden_with_its_objects_and_a_scope_that_names_it_is_refused() {
        let namespaces = Choice { only: Vec::new(), hidden: patterns(&["kube-*", "vault"]) };
        let ceiling = Ceiling::of(Choice::default(), namespaces);
        let (pods, namespaces) = (resource("", "pods"), resource("", "namespaces"));
        assert!(!ceiling.shows_object(&pods, Some("vault"), "a"));
        assert!(ceiling.shows_object(&pods, Some("shop"), "vault"));
        assert!(!ceiling.shows_object(&namespaces, None, "kube-system"));
        assert!(ceiling.shows_object(&resource("", "nodes"), None, "vault"));

        let refused = |scope: &Scope| ceiling.check(scope).err().map(|problem| problem.message);
        let these = |names: &[&str]| {
            let names = names.iter().map(|name| Namespace::parse(name).expect("valid")).collect();
            Namespaces::these(names).expect("not empty")
        };
        let all = Scope::all(pods.clone());
        assert_eq!(refused(&all), None);
        assert_eq!(refused(&Scope { namespaces: these(&["shop"]), ..all.clone() }), None);
        let message = "the namespace \"vault\" is hidden by this gateway";
        let both = Scope { namespaces: these(&["shop", "vault"]), ..all };
        assert_eq!(refused(&both).as_deref(), Some(message));
        let one = Scope { name: ObjectName::parse("vault").ok(), ..Scope::all(namespaces) };
        assert_eq!(refused(&one).as_deref(), Some(message));
    }
}
