//! Whether a subscription can be had at all: the resource is served, may be shown, and the scope fits
//! it. Decided from discovery, before anything is asked of the API server.

use shared::frame::client::Projection;
use shared::frame::server::Kinds;
use shared::problem::{Problem, Reason};
use shared::resource::Kind;
use shared::row::RowId;
use shared::scope::Scope;

use crate::feed::{FeedKey, Representation};

/// # Errors
/// One sentence for what doesn't fit, in Kubernetes' reasons.
pub(super) fn admit(
    kinds: &Kinds,
    scope: &Scope,
    projection: Projection,
    row: Option<RowId>,
) -> Result<FeedKey, Problem> {
    if scope.cluster.as_ref().is_some_and(|cluster| *cluster != kinds.cluster) {
        let message = format!("this gateway shows the cluster {:?} alone", kinds.cluster.as_str());
        return Err(Problem::new(Reason::NotFound, message));
    }
    let kind = kinds.kinds.iter().find(|kind| kind.resource == scope.resource);
    let kind = kind.ok_or_else(|| unknown(kinds, scope))?;
    if let Some(why) = &kind.disabled {
        return Err(Problem::new(Reason::Forbidden, why.to_string()));
    }
    fits(kind, scope)?;
    match projection {
        Projection::Object if row.is_none() && scope.name.is_none() => {
            return Err(Problem::bad_request("one object is named by scope.name, or by its row"));
        }
        Projection::Rows if row.is_some() => {
            return Err(Problem::bad_request("a row is for the projections object and timeline"));
        }
        Projection::Rows | Projection::Object | Projection::Timeline => {}
    }
    Ok(FeedKey {
        cluster: kinds.cluster.clone(),
        resource: scope.resource.clone(),
        // Who may see one object may not see those of the same name elsewhere.
        namespace: scope.namespaces.only().filter(|_| scope.name.is_some()).cloned(),
        name: scope.name.clone(),
        fields: scope.fields.clone(),
        representation: Representation::Object,
    })
}

fn fits(kind: &Kind, scope: &Scope) -> Result<(), Problem> {
    if !kind.namespaced && !scope.namespaces.is_all() {
        let message = format!("{} aren't namespaced; leave the namespace out", kind.resource);
        return Err(Problem::bad_request(message));
    }
    if kind.namespaced && scope.name.is_some() && scope.namespaces.only().is_none() {
        let message = format!("a name among {} needs its namespace, and one alone", kind.resource);
        return Err(Problem::bad_request(message));
    }
    Ok(())
}

fn unknown(kinds: &Kinds, scope: &Scope) -> Problem {
    let silent = if kinds.problems.is_empty() {
        String::new()
    } else {
        "; some of its API servers didn't answer".to_owned()
    };
    let message =
        format!("the cluster serves no {} in version {}{silent}", scope.resource, scope.resource.version);
    Problem::new(Reason::NotFound, message)
}

#[cfg(test)]
mod tests {
    use shared::name::{ClusterName, Namespace, ObjectName};
    use shared::resource::Resource;
    use shared::scope::Namespaces;

    use super::*;

    fn kinds() -> Kinds {
        let kind = |plural: &str, namespaced, disabled: Option<&str>| Kind {
            resource: Resource::parse("", "v1", plural).expect("valid"),
            kind: plural.into(),
            singular: "".into(),
            short: Vec::new(),
            namespaced,
            watch: true,
            disabled: disabled.map(Into::into),
            custom: false,
        };
        Kinds {
            cluster: ClusterName::parse("prod").expect("valid"),
            kinds: vec![
                kind("pods", true, None),
                kind("nodes", false, None),
                kind("secrets", true, Some("not shown")),
            ],
            problems: Vec::new(),
        }
    }

    fn scope(plural: &str) -> Scope {
        let resource = Resource::parse("", "v1", plural).expect("valid");
        Scope { cluster: None, resource, namespaces: Namespaces::All, name: None, labels: None, fields: None }
    }

    fn shop() -> Namespaces {
        Namespaces::these(vec![Namespace::parse("shop").expect("valid")]).expect("one")
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_reason() {
        let name = ObjectName::parse("a").ok();
        let check = |scope: Scope, expected: Option<Reason>| {
            assert_eq!(
                admit(&kinds(), &scope, Projection::Rows, None).err().map(|problem| problem.reason),
                expected,
                "{scope:?}"
            );
        };
        check(scope("pods"), None);
        check(Scope { namespaces: shop(), name: name.clone(), ..scope("pods") }, None);
        check(Scope { name: name.clone(), ..scope("nodes") }, None);
        check(Scope { name, ..scope("pods") }, Some(Reason::BadRequest));
        check(Scope { namespaces: shop(), ..scope("nodes") }, Some(Reason::BadRequest));
        check(scope("podz"), Some(Reason::NotFound));
        check(scope("secrets"), Some(Reason::Forbidden));
        check(Scope { cluster: ClusterName::parse("other").ok(), ..scope("pods") }, Some(Reason::NotFound));
    }

    #[test]
    fn namespaces_and_labels_share_one_feed() {
        let all = admit(&kinds(), &scope("pods"), Projection::Rows, None);
        let shop = Scope { namespaces: shop(), ..scope("pods") };
        let some = admit(&kinds(), &shop, Projection::Object, RowId::parse("AAAAAAAAAB"));
        assert_eq!(all, some);
    }
}
