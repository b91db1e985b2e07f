//! What a viewer may see: a resource that is served and may be shown, in a scope that fits it. Decided from
//! discovery and the gateway's ceiling, before any request to the API server. In mode `local` the viewer's rights
//! are those of the gateway's own credentials, so what they may list and watch is the API server's answer.

use shared::custom_column::CustomColumns;
use shared::frame::client::Projection;
use shared::frame::server::Kinds;
use shared::json_path::Outline;
use shared::problem::{Problem, Reason};
use shared::resource::Kind;
use shared::scope::Scope;
use shared::state::UnixMillis;

use crate::cluster::Ceiling;
use crate::feed::{AsOf, FeedKey, Representation};
use crate::subscription_request::SubscriptionRequest;

/// The feed that answers a request.
/// Fails with one sentence about what doesn't fit, and Kubernetes' reason for it.
pub fn admit(kinds: &Kinds, ceiling: &Ceiling, request: &SubscriptionRequest) -> Result<FeedKey, Problem> {
    let scope = &request.scope;
    if scope.cluster.as_ref().is_some_and(|cluster| *cluster != kinds.cluster) {
        let message = format!("this gateway shows the cluster {:?} alone", kinds.cluster.as_str());
        return Err(Problem::new(Reason::NotFound, message));
    }
    let kind = kinds.kinds.iter().find(|kind| kind.serves(&scope.resource));
    let kind = kind.ok_or_else(|| unknown(kinds, scope))?;
    if let Some(why) = &kind.disabled {
        return Err(Problem::new(Reason::Hidden, why.to_string()));
    }
    fits(kind, scope)?;
    ceiling.check(scope)?;
    match request.projection {
        Projection::Object if request.row.is_none() && scope.name.is_none() => {
            return Err(Problem::bad_request("one object is named by scope.name, or by its row"));
        }
        Projection::Rows if request.row.is_some() => {
            return Err(Problem::bad_request("a row is for the projections object and timeline"));
        }
        Projection::Rows | Projection::Object | Projection::Timeline => {}
    }
    let key = FeedKey {
        // A right to see one object isn't a right to see objects of the same name in other namespaces.
        namespace: scope.namespaces.only().filter(|_| scope.name.is_some()).cloned(),
        name: scope.name.clone(),
        // Rows answer for their names, so these terms need no feed of their own.
        fields: scope.fields.as_ref().and_then(|fields| fields.beyond_names(kind.namespaced)),
        ..FeedKey::of(kinds.cluster.clone(), scope.resource.clone())
    };
    may_show(&key, request.projection, &request.columns)?;
    match request.at_ms {
        Some(at_ms) => of_the_past(key, at_ms),
        None => Ok(key),
    }
}

/// The feed of the whole kind as of a time. Its hub selects from it, as from any.
fn of_the_past(key: FeedKey, at_ms: UnixMillis) -> Result<FeedKey, Problem> {
    if key.fields.is_some() {
        return Err(Problem::bad_request("a field selector can't be applied to the past; leave it out"));
    }
    let as_of = AsOf { at_ms, is_of_whole_cluster: false };
    Ok(FeedKey { past: Some(as_of), ..FeedKey::of(key.cluster, key.resource) })
}

/// Whether the feed reads the fields that the custom columns print.
fn may_show(key: &FeedKey, projection: Projection, columns: &CustomColumns) -> Result<(), Problem> {
    if !columns.is_empty() && projection != Projection::Rows {
        return Err(Problem::bad_request("columns are for the projection rows"));
    }
    if key.representation == Representation::Object {
        return Ok(());
    }
    let beyond = columns.iter().find(|column| {
        let mut outline = Outline::default();
        outline.add(column.json_path());
        !outline.roots().is_some_and(|mut roots| roots.all(|root| METADATA_ROOTS.contains(&root)))
    });
    beyond.map_or(Ok(()), |column| {
        Err(Problem::bad_request(format!(
            "of {} only the metadata is read, so {} can't be the column {:?}",
            key.resource,
            column.path(),
            column.name()
        )))
    })
}

/// The fields of a `PartialObjectMetadata`.
const METADATA_ROOTS: [&str; 3] = ["apiVersion", "kind", "metadata"];

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
    use shared::row::RowId;
    use shared::scope::Namespaces;

    use super::*;

    fn kinds() -> Kinds {
        let kind = |plural: &str, namespaced, disabled: Option<&str>| Kind {
            disabled: disabled.map(Into::into),
            ..Kind::new(Resource::parse("", "v1", plural).expect("valid"), plural, namespaced)
        };
        Kinds::new(
            ClusterName::parse("prod").expect("valid"),
            vec![
                kind("pods", true, None),
                kind("nodes", false, None),
                kind("secrets", true, Some("not shown")),
            ],
            Vec::new(),
        )
    }

    fn scope(plural: &str) -> Scope {
        Scope::all(Resource::parse("", "v1", plural).expect("valid"))
    }

    fn shop() -> Namespaces {
        Namespaces::these(vec![Namespace::parse("shop").expect("valid")]).expect("one")
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_reason() {
        let name = ObjectName::parse("a").ok();
        let check = |scope: Scope, expected: Option<Reason>| {
            assert_eq!(
                admit(&kinds(), &Ceiling::default(), &SubscriptionRequest::rows(1, scope.clone()))
                    .err()
                    .map(|problem| problem.reason),
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
        check(scope("secrets"), Some(Reason::Hidden));
        check(Scope { cluster: ClusterName::parse("other").ok(), ..scope("pods") }, Some(Reason::NotFound));
    }

    #[test]
    fn columns_are_of_rows_and_of_what_the_feed_reads() {
        let key = admit(&kinds(), &Ceiling::default(), &SubscriptionRequest::rows(1, scope("pods")))
            .expect("valid");
        let metadata = FeedKey { representation: Representation::Metadata, ..key.clone() };
        let check = |key: &FeedKey, projection, list: &str, expected: Option<&str>| {
            let columns = CustomColumns::parse(list).expect(list);
            let said = may_show(key, projection, &columns).err().map(|problem| problem.message);
            assert_eq!(said.is_some(), expected.is_some(), "{list}: {said:?}");
            assert!(said.zip(expected).is_none_or(|(said, words)| said.contains(words)), "{list}");
        };
        check(&key, Projection::Rows, "A:.data.x,B:..name", None);
        check(&key, Projection::Object, "A:.data.x", Some("for the projection rows"));
        check(&metadata, Projection::Rows, "A:.metadata.labels['a'],B:kind", None);
        check(&metadata, Projection::Rows, "A:.kind,B:.data.x", Some(".data.x can't be the column \"B\""));
        check(&metadata, Projection::Rows, "A:..name", Some("..name can't be"));
    }

    #[test]
    fn names_in_a_field_selector_share_one_feed_and_other_fields_have_their_own() {
        let feed = |fields: &str| {
            let fields = shared::selector::FieldSelector::parse(fields).ok();
            admit(
                &kinds(),
                &Ceiling::default(),
                &SubscriptionRequest::rows(1, Scope { fields, ..scope("pods") }),
            )
            .expect("valid")
        };
        let all = admit(&kinds(), &Ceiling::default(), &SubscriptionRequest::rows(1, scope("pods")))
            .expect("valid");
        assert_eq!(feed("metadata.name!=a,metadata.namespace=shop"), all);
        let phase = feed("status.phase=Running");
        assert_ne!(phase, all);
        assert_eq!(feed("metadata.name=a,status.phase=Running"), phase);
    }

    #[test]
    fn namespaces_and_labels_share_one_feed() {
        let all = admit(&kinds(), &Ceiling::default(), &SubscriptionRequest::rows(1, scope("pods")));
        let shop = Scope { namespaces: shop(), ..scope("pods") };
        let some = SubscriptionRequest {
            projection: Projection::Object,
            row: RowId::parse("AAAAAAAAAB"),
            ..SubscriptionRequest::rows(2, shop)
        };
        assert_eq!(all, admit(&kinds(), &Ceiling::default(), &some));
    }
}
