//! What a viewer may see, as the API server reviews it: what a subscription needs a right for, and what is granted
//! of it. Never a subscription itself.
//!
//! Read in this order: this file (what is decided, and how), [`candidates`] (in which namespaces a viewer may
//! have rights), [`reviews`] (asks, remembers for a while, and says when it changes).

mod candidates;
mod reviews;

use shared::name::Namespace;
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::selector::FieldSelector;

use crate::cluster::{Access, Decision};

pub use reviews::Reviews;

/// What is asked for, as far as a right to it is concerned. Equal ones of one viewer are reviewed once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// Without its cluster: each cluster has reviews of its own, and the home cluster may be asked for with its name or
    /// without, which would be two reviews of the same.
    scope: Scope,
    is_namespaced: bool,
    feed: Feed,
    /// The kind of the pods whose logs are asked for, where the scope doesn't name one.
    pods: Option<Box<Resource>>,
}

/// The kind of feed that shows what is granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Feed {
    /// The gateway's, of which a view has a part.
    Shared,
    /// The viewer's own: the API server answers it for just these rights.
    Own,
    /// None: one request with this verb, as an API server authorizes it.
    Once(RequestVerb),
    /// None: what the pod's containers write.
    Log,
}

/// How one request reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestVerb {
    Get,
    List,
    Watch,
}

impl RequestVerb {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
        }
    }
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grant {
    /// All that was asked for.
    Whole,
    /// These namespaces, instead of all. With feeds of the viewer's own, each of which has one namespace or all, also
    /// the namespaces that were asked for.
    Within(Namespaces),
    /// These, which may be listed and not watched.
    Listed(Namespaces),
    Refused(Problem),
}

impl Question {
    #[must_use]
    pub fn of(scope: &Scope, is_namespaced: bool) -> Self {
        Self {
            scope: Scope { cluster: None, ..scope.clone() },
            is_namespaced,
            feed: Feed::Shared,
            pods: None,
        }
    }

    /// The same of a feed of the viewer's own, which reads all that these fields select, whatever is shown of it.
    #[must_use]
    pub fn of_own_feed(scope: &Scope, is_namespaced: bool, fields: Option<FieldSelector>) -> Self {
        let scope = Scope { cluster: None, labels: None, fields, ..scope.clone() };
        Self { scope, is_namespaced, feed: Feed::Own, pods: None }
    }

    /// One request with a verb, which is answered as a whole or refused.
    #[must_use]
    pub fn of_request(scope: &Scope, is_namespaced: bool, verb: RequestVerb) -> Self {
        let scope = Scope { cluster: None, ..scope.clone() };
        Self { scope, is_namespaced, feed: Feed::Once(verb), pods: None }
    }

    /// What the containers of a pod write, which the scope names.
    #[must_use]
    pub fn of_log(scope: &Scope) -> Self {
        let scope = Scope { cluster: None, ..scope.clone() };
        Self { scope, is_namespaced: true, feed: Feed::Log, pods: None }
    }

    /// What the containers of pods write: of one pod that the scope names, of those that it selects, or of those that the
    /// object has which it names.
    #[must_use]
    pub fn of_logs(scope: &Scope, pods: &Resource) -> Self {
        let is_one_pod = scope.resource == *pods && scope.name.is_some();
        Self { pods: (!is_one_pod).then(|| Box::new(pods.clone())), ..Self::of_log(scope) }
    }

    /// A right to one object is to get and watch it; a right to a table, its rows and their changes is to list and
    /// watch. A feed is always a list and a watch, of one object as well.
    fn verbs(&self) -> Vec<&'static str> {
        match self.feed {
            Feed::Once(verb) => vec![verb.word()],
            Feed::Shared if self.scope.name.is_some() => vec!["get", "watch"],
            Feed::Shared | Feed::Own => vec!["list", "watch"],
            Feed::Log => vec!["get"],
        }
    }

    fn access(&self, verb: &'static str, namespace: Option<&Namespace>) -> Access {
        let Scope { resource, name, labels, fields, .. } = self.scope.clone();
        let subresource = if self.feed == Feed::Log { "log" } else { "" };
        Access { verb, resource, subresource, namespace: namespace.cloned(), name, labels, fields }
    }

    /// All that is needed, in this order. To read the logs of several pods is to list them too, and to get whose they are.
    fn accesses(&self, namespace: Option<&Namespace>) -> Vec<Access> {
        let Some(pods) = &self.pods else {
            return self.verbs().into_iter().map(|verb| self.access(verb, namespace)).collect();
        };
        let is_of_owner = self.scope.resource != **pods;
        let owner = is_of_owner.then(|| Access { subresource: "", ..self.access("get", namespace) });
        let of_pods = Access {
            resource: (**pods).clone(),
            name: None,
            labels: self.scope.labels.clone().filter(|_| !is_of_owner),
            ..self.access("list", namespace)
        };
        let listed = Access { subresource: "", ..of_pods.clone() };
        owner.into_iter().chain([listed, Access { verb: "get", labels: None, ..of_pods }]).collect()
    }

    /// What is granted. `candidates`: namespaces in which the viewer may have a right. `known` says what was
    /// decided already.
    ///
    /// # Errors
    /// What has to be decided first.
    pub fn decide(
        &self,
        candidates: &[Namespace],
        known: &impl Fn(&Access) -> Option<Decision>,
    ) -> Result<Grant, Vec<Access>> {
        match &self.scope.namespaces {
            Namespaces::These(asked) if self.is_namespaced => {
                let is_apart = self.feed == Feed::Own && self.scope.name.is_none();
                if is_apart {
                    let everywhere = [self.review(None, known)];
                    missing(&everywhere)?;
                    if let [Review::Allowed] = everywhere {
                        return Ok(Grant::Whole);
                    }
                }
                let reviews = asked.iter().map(|namespace| self.review(Some(namespace), known));
                let reviews: Vec<Review> = reviews.collect();
                missing(&reviews)?;
                let granted = if is_apart {
                    Grant::Within(self.scope.namespaces.clone())
                } else if reviews.iter().any(Review::is_listed) {
                    Grant::Listed(self.scope.namespaces.clone())
                } else {
                    Grant::Whole
                };
                let refused = reviews.into_iter().find_map(Review::refused);
                Ok(refused.map_or(granted, Grant::Refused))
            }
            Namespaces::These(_) | Namespaces::All => {
                let everywhere = [self.review(None, known)];
                missing(&everywhere)?;
                let [everywhere] = everywhere;
                if everywhere.is_listed() {
                    return Ok(Grant::Listed(Namespaces::All));
                }
                let Some(problem) = everywhere.refused() else { return Ok(Grant::Whole) };
                if !self.is_namespaced || matches!(self.feed, Feed::Once(_) | Feed::Log) {
                    return Ok(Grant::Refused(problem));
                }
                let each = |namespace: &Namespace| (namespace.clone(), self.review(Some(namespace), known));
                let (names, reviews): (Vec<Namespace>, Vec<Review>) = candidates.iter().map(each).unzip();
                missing(&reviews)?;
                let those = |is_wanted: fn(&Review) -> bool| {
                    let wanted = names.iter().zip(&reviews).filter(|(_, review)| is_wanted(review));
                    Namespaces::these(wanted.map(|(namespace, _)| namespace.clone()).collect()).ok()
                };
                // A view is followed in one way: what can be watched isn't listed for the sake of the rest.
                let watched = those(|review| matches!(review, Review::Allowed)).map(Grant::Within);
                let granted = watched.or_else(|| those(Review::is_listed).map(Grant::Listed));
                Ok(granted.unwrap_or(Grant::Refused(problem)))
            }
        }
    }

    /// One after the other: the second isn't asked for where the first is refused.
    fn review(&self, namespace: Option<&Namespace>, known: &impl Fn(&Access) -> Option<Decision>) -> Review {
        for access in self.accesses(namespace) {
            let verb = access.verb;
            match known(&access) {
                None => return Review::Missing(access),
                Some(Decision::Allowed) => {}
                // A feed of the viewer's own is told so by the API server, and lists again and again.
                Some(Decision::Denied(_)) if verb == "watch" && self.scope.name.is_none() => {
                    return if self.feed == Feed::Own { Review::Allowed } else { Review::Listed };
                }
                Some(Decision::Denied(why)) => return Review::Refused(refusal(&access, &why)),
                Some(Decision::Unknown(problem)) => return Review::Refused(problem),
            }
        }
        Review::Allowed
    }
}

enum Review {
    Missing(Access),
    Allowed,
    /// To list, and not to watch.
    Listed,
    Refused(Problem),
}

impl Review {
    fn refused(self) -> Option<Problem> {
        match self {
            Self::Refused(problem) => Some(problem),
            Self::Missing(_) | Self::Allowed | Self::Listed => None,
        }
    }

    fn is_listed(&self) -> bool {
        matches!(self, Self::Listed)
    }
}

fn missing(reviews: &[Review]) -> Result<(), Vec<Access>> {
    let missing = reviews.iter().filter_map(|review| match review {
        Review::Missing(access) => Some(access.clone()),
        Review::Allowed | Review::Listed | Review::Refused(_) => None,
    });
    let missing: Vec<Access> = missing.collect();
    if missing.is_empty() { Ok(()) } else { Err(missing) }
}

/// Which review said no, and how to ask the same.
fn refusal(access: &Access, why: &str) -> Problem {
    let Access { verb, resource, subresource, namespace, name, .. } = access;
    // kubectl reads a slash as the beginning of a name.
    let object = name.as_ref().map_or_else(|| resource.to_string(), |name| format!("{resource}/{name}"));
    let (what, option) = match *subresource {
        "" => (object.clone(), String::new()),
        part => (format!("the {part} of {object}"), format!(" --subresource={part}")),
    };
    let place = namespace.as_ref().map_or(String::new(), |namespace| format!(" -n {namespace}"));
    let everywhere = if namespace.is_none() && name.is_none() { " -A" } else { "" };
    let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
    let message = format!(
        "you may not {verb} {what}{why}; ask `kubectl auth can-i {verb} {object}{option}{place}{everywhere}`"
    );
    Problem::new(Reason::Forbidden, message)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use shared::name::{ClusterName, ObjectName};
    use shared::resource::Resource;
    use shared::selector::LabelSelector;

    use super::*;

    fn namespaces(names: &[&str]) -> Vec<Namespace> {
        names.iter().map(|name| Namespace::parse(name).expect("valid")).collect()
    }

    fn question(names: &[&str]) -> Question {
        let resource = Resource::parse("", "v1", "pods").expect("valid");
        let asked = Namespaces::these(namespaces(names)).unwrap_or(Namespaces::All);
        Question::of(&Scope { namespaces: asked, ..Scope::all(resource) }, true)
    }

    fn named(question: Question) -> Question {
        let scope = Scope { name: ObjectName::parse("web").ok(), ..question.scope };
        Question { scope, ..question }
    }

    /// Decides with a reviewer that allows `verb namespace`, and says what it was asked.
    fn decided(question: &Question, candidates: &[&str], allowed: &[&str]) -> (Grant, Vec<String>) {
        let text = |access: &Access| {
            let namespace = access.namespace.as_ref().map_or("*", Namespace::as_str);
            format!("{} {namespace}", access.verb)
        };
        let mut asked = BTreeSet::new();
        loop {
            let known = |access: &Access| {
                let text = text(access);
                let is_allowed = allowed.contains(&text.as_str());
                let decision = if is_allowed { Decision::Allowed } else { Decision::Denied("".into()) };
                asked.contains(&text).then_some(decision)
            };
            match question.decide(&namespaces(candidates), &known) {
                Ok(grant) => return (grant, asked.into_iter().collect()),
                Err(missing) => asked.extend(missing.iter().map(text)),
            }
        }
    }

    fn refused(grant: &Grant) -> &str {
        match grant {
            Grant::Refused(problem) => &problem.message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_table_needs_list_and_watch_and_an_object_get_and_watch() {
        let (grant, asked) = decided(&question(&[]), &[], &["list *", "watch *"]);
        assert_eq!((grant, asked), (Grant::Whole, vec!["list *".to_owned(), "watch *".to_owned()]));
        let (grant, asked) = decided(&question(&[]), &[], &["watch *"]);
        assert_eq!(refused(&grant), "you may not list pods; ask `kubectl auth can-i list pods -A`");
        assert_eq!(asked, ["list *"], "the second is of no use");
        let one = named(question(&["a"]));
        assert_eq!(decided(&one, &[], &["get a", "watch a"]).0, Grant::Whole);
        let (grant, _) = decided(&one, &[], &["list a", "watch a"]);
        assert_eq!(refused(&grant), "you may not get pods/web; ask `kubectl auth can-i get pods/web -n a`");
    }

    #[test]
    fn r_log_1_a_log_needs_a_right_of_its_own() {
        let log = Question { feed: Feed::Log, ..named(question(&["a"])) };
        let (grant, asked) = decided(&log, &[], &["get a"]);
        assert_eq!((grant, asked), (Grant::Whole, vec!["get a".to_owned()]));
        let namespace = namespaces(&["a"]).pop();
        assert_eq!(log.access("get", namespace.as_ref()).subresource, "log");
        assert_eq!(question(&["a"]).access("get", namespace.as_ref()).subresource, "");
        let (grant, _) = decided(&log, &[], &["list a", "watch a"]);
        let told = "you may not get the log of pods/web; ask `kubectl auth can-i get pods/web --subresource=log -n a`";
        assert_eq!(refused(&grant), told);
        let of_all = Access { name: None, ..log.access("get", namespace.as_ref()) };
        let told =
            "you may not get the log of pods; ask `kubectl auth can-i get pods --subresource=log -n a`";
        assert_eq!(refusal(&of_all, "").message, told);
    }

    #[test]
    fn r_log_1_the_logs_of_several_pods_need_the_right_to_list_them_and_to_get_whose_they_are() {
        let pods = Resource::parse("", "v1", "pods").expect("valid");
        let asked = |scope: &Scope| -> Vec<String> {
            let accesses = Question::of_logs(scope, &pods).accesses(namespaces(&["a"]).first());
            let told = |access: &Access| {
                let name = access.name.as_ref().map_or(String::new(), |name| format!("/{name}"));
                let labels = access.labels.as_ref().map_or(String::new(), |labels| format!(" -l {labels}"));
                let Access { verb, resource, subresource, .. } = access;
                format!("{verb} {resource}{name} {subresource}{labels}")
            };
            accesses.iter().map(told).collect()
        };
        let one = named(question(&["a"])).scope;
        assert_eq!(asked(&one), ["get pods/web log"]);
        let labels = Some(LabelSelector::parse("app=web").expect("valid"));
        let some = Scope { labels, ..question(&["a"]).scope };
        assert_eq!(asked(&some), ["list pods  -l app=web", "get pods log"]);
        for (group, plural) in
            [("apps", "deployments"), ("argoproj.io", "rollouts"), ("apps.kruise.io", "clonesets")]
        {
            let resource = Resource::parse(group, "v1", plural).expect("valid");
            let owner = Scope { resource, ..one.clone() };
            let first = format!("get {plural}.{group}/web ");
            assert_eq!(asked(&owner), [first.as_str(), "list pods ", "get pods log"]);
        }
    }

    #[test]
    fn who_may_not_list_all_gets_what_of_the_candidates_is_confirmed() {
        let allowed = ["list a", "watch a", "list b", "list c", "watch c"];
        let (grant, _) = decided(&question(&[]), &["a", "b", "c", "d"], &allowed);
        assert_eq!(grant, Grant::Within(Namespaces::these(namespaces(&["a", "c"])).expect("some")));
        let (grant, _) = decided(&question(&[]), &["d"], &allowed);
        assert!(refused(&grant).contains("`kubectl auth can-i list pods -A`"), "{grant:?}");
        let (grant, asked) = decided(&question(&[]), &["a"], &["list *", "watch *"]);
        assert_eq!((grant, asked.len()), (Grant::Whole, 2), "no candidate is asked for");
    }

    #[test]
    fn r_authz_2_what_may_be_listed_and_not_watched_is_listed_again_and_again() {
        let listed = |names: &[&str]| Grant::Listed(Namespaces::these(namespaces(names)).expect("some"));
        assert_eq!(decided(&question(&[]), &[], &["list *"]).0, Grant::Listed(Namespaces::All));
        assert_eq!(decided(&question(&["a"]), &[], &["list a"]).0, listed(&["a"]));
        let one_of_two = ["list a", "watch a", "list b"];
        assert_eq!(decided(&question(&["a", "b"]), &[], &one_of_two).0, listed(&["a", "b"]));
        assert_eq!(decided(&question(&[]), &["a", "b"], &["list a", "list b"]).0, listed(&["a", "b"]));
        let (grant, _) = decided(&question(&["a"]), &[], &["watch a"]);
        assert_eq!(refused(&grant), "you may not list pods; ask `kubectl auth can-i list pods -n a`");
        let own = Question { feed: Feed::Own, ..question(&[]) };
        assert_eq!(decided(&own, &[], &["list *"]).0, Grant::Whole, "the API server tells its feed");
    }

    #[test]
    fn namespaces_that_are_named_are_granted_together_or_not_at_all() {
        let allowed = ["list a", "watch a", "list *"];
        assert_eq!(decided(&question(&["a"]), &[], &allowed).0, Grant::Whole);
        let (grant, asked) = decided(&question(&["a", "b"]), &["c"], &allowed);
        assert!(refused(&grant).contains("-n b`"), "{grant:?}");
        assert_eq!(asked, ["list a", "list b", "watch a"]);
    }

    #[test]
    fn a_feed_of_the_viewers_own_is_asked_for_as_a_whole_first_and_then_by_its_namespaces() {
        let own = |names: &[&str]| Question { feed: Feed::Own, ..question(names) };
        let (grant, asked) = decided(&own(&["a"]), &[], &["list *", "watch *"]);
        assert_eq!((grant, asked.len()), (Grant::Whole, 2));
        let both = ["list a", "watch a", "list b", "watch b"];
        let within = |names| Grant::Within(Namespaces::these(namespaces(names)).expect("some"));
        assert_eq!(decided(&own(&["a", "b"]), &[], &both).0, within(&["a", "b"]));
        assert_eq!(decided(&own(&["b"]), &[], &both).0, within(&["b"]));
        assert_eq!(decided(&own(&[]), &["a", "b", "c"], &both).0, within(&["a", "b"]));
        assert!(refused(&decided(&own(&["a", "c"]), &[], &both).0).contains("-n c`"));
        // One object is a list of it, and never the right to all of them.
        let one = named(own(&["a"]));
        let (grant, asked) = decided(&one, &[], &both);
        assert_eq!((grant, asked), (Grant::Whole, vec!["list a".to_owned(), "watch a".to_owned()]));
        let labels = LabelSelector::parse("app=cart").ok();
        let scope = Scope { labels, ..Scope::all(Resource::parse("", "v1", "pods").expect("valid")) };
        assert_eq!(Question::of_own_feed(&scope, true, None), own(&[]), "the feed has all labels");
    }

    #[test]
    fn what_could_not_be_reviewed_is_refused() {
        let problem = Problem::new(Reason::TimedOut, "the API server can't review rights: timed out");
        let unknown = |_: &Access| Some(Decision::Unknown(problem.clone()));
        assert_eq!(question(&[]).decide(&[], &unknown), Ok(Grant::Refused(problem.clone())));
    }

    #[test]
    fn the_home_cluster_is_the_same_question_with_its_name_and_without() {
        let home = Scope::all(Resource::parse("", "v1", "pods").expect("valid"));
        let named = Scope { cluster: ClusterName::parse("prod").ok(), ..home.clone() };
        assert_ne!(named, home);
        assert_eq!(Question::of(&named, true), Question::of(&home, true));
        assert_eq!(Question::of_own_feed(&named, true, None), Question::of_own_feed(&home, true, None));
    }

    #[test]
    fn a_kind_without_namespaces_has_no_candidates() {
        let nodes = Question { is_namespaced: false, ..question(&[]) };
        let (grant, asked) = decided(&nodes, &["a"], &["list a", "watch a"]);
        assert!(matches!(grant, Grant::Refused(_)));
        assert_eq!(asked, ["list *"]);
    }
}
