//! From the claims of an ID token to the viewer's name and groups, by the administrator's mapping alone. Pure. A name
//! that is missing, and groups that aren't texts, refuse the whole login.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::access::identity::Identity;
use crate::access::jwt::Claims;
use crate::access::names::{self, UnusableName};

/// The claims that give a person's name and groups in the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub username_claim: String,
    pub username_prefix: String,
    /// `None`: no person has groups.
    pub groups_claim: Option<String>,
    pub groups_prefix: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mapped {
    pub(super) identity: Identity,
    pub(super) groups: BTreeSet<Box<str>>,
}

/// One sentence each, for the person whose login it refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnusableClaims {
    #[error("The provider says no name of yours: its token has no text in the claim {0:?}.")]
    NoName(String),
    #[error("The provider didn't verify your e-mail address, which is your name here.")]
    Unverified,
    #[error(
        "Your name can't be used here: it begins with “system:” or “kubeadm:”, which are Kubernetes' own, or has a blank at a wrong place, or a character that nobody sees or that looks like another."
    )]
    BadName,
    #[error("Your groups can't be read: the claim {0:?} of the provider's token isn't a list of texts.")]
    BadGroups(String),
    #[error(
        "You have so many groups that the provider's token doesn't list them; its administrator can send fewer."
    )]
    GroupsElsewhere,
    #[error(
        "The provider says that you are in a group whose name begins with “system:” or “kubeadm:”, which are Kubernetes' own."
    )]
    ReservedGroup,
    #[error(
        "The provider says that you are in a group whose name has blanks around it, or characters that nobody sees or that look like others."
    )]
    OddGroup,
}

const EMAIL: &str = "email";

impl Mapping {
    /// A provider whose names have no prefix gives its people every name that role bindings of the cluster have.
    pub(super) fn warning(&self) -> Option<String> {
        let is_name = self.username_prefix.is_empty() && self.username_claim != EMAIL;
        let is_group = self.groups_prefix.is_empty() && self.groups_claim.is_some();
        let what = match (is_name, is_group) {
            (false, false) => return None,
            (true, false) => "--oidc-username-prefix",
            (false, true) => "--oidc-groups-prefix",
            (true, true) => "--oidc-username-prefix and --oidc-groups-prefix",
        };
        Some(format!(
            "without {what} whoever manages names at the provider can take any that role bindings of the cluster name"
        ))
    }

    pub(super) fn of(&self, claims: &Claims) -> Result<Mapped, UnusableClaims> {
        let name = claims.text(&self.username_claim).filter(|name| !name.trim().is_empty());
        let name = name.ok_or_else(|| UnusableClaims::NoName(self.username_claim.clone()))?;
        // The API server does the same: a user who can choose any address would get any identity.
        if self.username_claim == EMAIL
            && claims.get("email_verified").is_some_and(|verified| *verified != Value::Bool(true))
        {
            return Err(UnusableClaims::Unverified);
        }
        let identity = Identity::new(&format!("{}{name}", self.username_prefix));
        let identity = identity.ok_or(UnusableClaims::BadName)?;
        Ok(Mapped { identity, groups: self.groups(claims)? })
    }

    fn groups(&self, claims: &Claims) -> Result<BTreeSet<Box<str>>, UnusableClaims> {
        let Some(claim) = &self.groups_claim else { return Ok(BTreeSet::new()) };
        let bad = || UnusableClaims::BadGroups(claim.clone());
        let names = match claims.get(claim) {
            None => {
                let elsewhere = claims.get("_claim_names").and_then(|names| names.get(claim));
                return if elsewhere.is_some() {
                    Err(UnusableClaims::GroupsElsewhere)
                } else {
                    Ok(BTreeSet::new())
                };
            }
            // Some providers write a single group so, and the API server takes it.
            Some(Value::String(one)) => vec![one.as_str()],
            Some(Value::Array(all)) => {
                all.iter().map(Value::as_str).collect::<Option<_>>().ok_or_else(bad)?
            }
            Some(_) => return Err(bad()),
        };
        let mut groups = BTreeSet::new();
        for name in names {
            let group = format!("{}{name}", self.groups_prefix);
            if name.trim().is_empty() {
                return Err(bad());
            }
            match names::check(&group) {
                Ok(()) => {}
                Err(UnusableName::Reserved) => return Err(UnusableClaims::ReservedGroup),
                Err(UnusableName::Characters) => return Err(UnusableClaims::OddGroup),
            }
            groups.insert(group.into());
        }
        Ok(groups)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn mapping() -> Mapping {
        Mapping {
            username_claim: "email".to_owned(),
            username_prefix: String::new(),
            groups_claim: Some("groups".to_owned()),
            groups_prefix: String::new(),
        }
    }

    fn mapped(mapping: &Mapping, claims: Value) -> Result<(String, Vec<String>), UnusableClaims> {
        let mapped = mapping.of(&Claims::of(claims))?;
        let groups = mapped.groups.iter().map(|group| group.to_string()).collect();
        Ok((mapped.identity.name().to_owned(), groups))
    }

    #[test]
    fn a_provider_whose_names_have_no_prefix_is_warned_of() {
        assert!(mapping().warning().is_some_and(|text| text.contains("without --oidc-groups-prefix ")));
        let safe = Mapping { groups_prefix: "idp:".to_owned(), ..mapping() };
        assert_eq!(safe.warning(), None, "an e-mail address is a name of its own");
        let by_sub = Mapping { username_claim: "sub".to_owned(), groups_claim: None, ..mapping() };
        assert!(by_sub.warning().is_some_and(|text| text.contains("without --oidc-username-prefix ")));
    }

    #[test]
    fn names_and_groups_are_those_of_the_mapping() {
        let all = json!({ "email": "a@b.example", "groups": ["dev", "ops"], "sub": "1" });
        let (name, groups) = mapped(&mapping(), all.clone()).expect("mapped");
        assert_eq!((name.as_str(), groups), ("a@b.example", vec!["dev".to_owned(), "ops".to_owned()]));
        let other = Mapping {
            username_claim: "sub".to_owned(),
            username_prefix: "oidc:".to_owned(),
            groups_prefix: "idp:".to_owned(),
            ..mapping()
        };
        let (name, groups) = mapped(&other, all.clone()).expect("mapped");
        assert_eq!((name.as_str(), groups), ("oidc:1", vec!["idp:dev".to_owned(), "idp:ops".to_owned()]));
        let no_groups = Mapping { groups_claim: None, ..mapping() };
        assert_eq!(mapped(&no_groups, all).expect("mapped").1, Vec::<String>::new());
        let single = json!({ "email": "a@b.example", "groups": "dev" });
        assert_eq!(mapped(&mapping(), single).expect("mapped").1, ["dev"]);
    }

    #[test]
    fn r_authn_4_a_name_that_is_missing_and_groups_of_the_wrong_type_refuse_the_whole_login() {
        let refused = |claims: Value| mapped(&mapping(), claims).expect_err("refused");
        for email in [json!(null), json!(""), json!(" "), json!(7), json!(["a"]), json!({ "a": 1 })] {
            assert_eq!(refused(json!({ "email": email })), UnusableClaims::NoName("email".to_owned()));
        }
        assert_eq!(refused(json!({ "email": "a@b", "email_verified": false })), UnusableClaims::Unverified);
        assert_eq!(refused(json!({ "email": "a@b", "email_verified": "true" })), UnusableClaims::Unverified);
        let bad = UnusableClaims::BadGroups("groups".to_owned());
        for groups in [json!(null), json!(7), json!({}), json!([7]), json!(["a", null]), json!([""])] {
            assert_eq!(refused(json!({ "email": "a@b", "groups": groups })), bad, "{groups}");
        }
        let elsewhere = json!({ "email": "a@b", "_claim_names": { "groups": "src1" } });
        assert_eq!(refused(elsewhere), UnusableClaims::GroupsElsewhere);
    }

    #[test]
    fn r_authn_5_what_is_kubernetes_own_is_refused_also_behind_a_prefix() {
        let refused = |mapping: &Mapping, claims: Value| mapped(mapping, claims).expect_err("refused");
        for group in ["a\n", "a\u{200b}", "ｓｙｓｔｅｍ：masters", "\u{202e}ops"] {
            let claims = json!({ "email": "a@b", "groups": ["dev", group] });
            assert_eq!(refused(&mapping(), claims), UnusableClaims::OddGroup, "{group}");
        }
        for group in [
            "system:masters",
            "System:Masters",
            " system:masters",
            "system:authenticated",
            "kubeadm:cluster-admins",
        ] {
            let claims = json!({ "email": "a@b", "groups": ["dev", group] });
            assert_eq!(refused(&mapping(), claims), UnusableClaims::ReservedGroup, "{group}");
        }
        for name in
            ["system:admin", "SYSTEM:admin", "kubeadm:x", "a\r\nb", " a", "a\u{200b}", "ｓystem:admin"]
        {
            assert_eq!(refused(&mapping(), json!({ "email": name })), UnusableClaims::BadName, "{name}");
        }
        let split =
            Mapping { groups_prefix: "sys".to_owned(), username_prefix: "system".to_owned(), ..mapping() };
        assert_eq!(refused(&split, json!({ "email": ":admin" })), UnusableClaims::BadName);
        let claims = json!({ "email": "s", "groups": ["tem:masters"] });
        assert_eq!(refused(&split, claims), UnusableClaims::ReservedGroup);
    }
}
