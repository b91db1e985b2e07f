//! The identity that the API server is asked as: the gateway's own, or a viewer's. Only this module writes the
//! headers that impersonate a viewer; a viewer that they can't name exactly is refused. Never a credential.

use std::collections::BTreeSet;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use shared::problem::{Problem, Reason};

use super::subject::{AUTHENTICATED, Subject};

/// Equal ones have the same rights, so they share feeds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum UpstreamIdentity {
    /// The gateway's own credentials, shared by all viewers.
    #[default]
    Gateway,
    /// A viewer, by a token of their own, which is held beside.
    Token(Arc<Subject>),
    /// A viewer, whom the gateway impersonates with its own credentials.
    Impersonated(Arc<Impersonation>),
}

/// A viewer in the headers that impersonate them. There is always a user among them, and none is empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Impersonation {
    headers: Vec<(HeaderName, HeaderValue)>,
}

const USER: HeaderName = HeaderName::from_static("impersonate-user");
const UID: HeaderName = HeaderName::from_static("impersonate-uid");
const GROUP: HeaderName = HeaderName::from_static("impersonate-group");
const EXTRA: &str = "impersonate-extra-";

/// Names one token, not its user, and another one with each token.
const OF_ONE_TOKEN: &str = "authentication.kubernetes.io/credential-id";

const ANONYMOUS: &str = "system:anonymous";
const UNAUTHENTICATED: &str = "system:unauthenticated";
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// What a header's name holds as it is (RFC 9110, section 5.6.2), without `%`, as Kubernetes' own client has it.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'*')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

impl UpstreamIdentity {
    /// A viewer by their own tokens. Those of one user are of the same identity.
    #[must_use]
    pub fn by_token(subject: &Subject) -> Self {
        let mut subject = subject.clone();
        subject.extra.remove(OF_ONE_TOKEN);
        Self::Token(Arc::new(subject))
    }

    /// # Errors
    /// `Forbidden`: no header can name this viewer exactly.
    pub fn impersonated(subject: &Subject) -> Result<Self, Problem> {
        Ok(Self::Impersonated(Arc::new(Impersonation::of(subject)?)))
    }
}

impl Impersonation {
    fn of(subject: &Subject) -> Result<Self, Problem> {
        let Subject { user, uid, groups, extra } = subject;
        if &**user == ANONYMOUS || groups.contains(UNAUTHENTICATED) {
            return Err(refused("nobody in particular"));
        }
        let mut headers = vec![(USER, value("name", user)?)];
        // The API server knows the groups of a service account, and takes nothing beside its name where the gateway
        // may impersonate it for lists and watches alone (KEP-5284).
        if is_plain_service_account(user, groups) {
            return Ok(Self { headers });
        }
        if !uid.is_empty() {
            headers.push((UID, value("uid", uid)?));
        }
        // The API server adds the group of all authenticated users by itself.
        for group in groups.iter().filter(|group| &***group != AUTHENTICATED) {
            headers.push((GROUP, value("group", group)?));
        }
        for (key, values) in extra.iter().filter(|(key, _)| &***key != OF_ONE_TOKEN) {
            let name = extra_header(key)?;
            for text in values {
                headers.push((name.clone(), value("attribute", text)?));
            }
        }
        Ok(Self { headers })
    }

    pub(super) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            headers.append(name.clone(), value.clone());
        }
        headers
    }
}

/// Whether its groups are those that the API server gives to each service account of its namespace.
fn is_plain_service_account(user: &str, groups: &BTreeSet<Box<str>>) -> bool {
    let account = user.strip_prefix(SERVICE_ACCOUNT).and_then(|account| account.split_once(':'));
    let Some((namespace, _)) = account else { return false };
    let of_namespace = format!("system:serviceaccounts:{namespace}");
    let others = groups.iter().map(|group| &**group).filter(|group| *group != AUTHENTICATED);
    others.eq(["system:serviceaccounts", of_namespace.as_str()])
}

/// The API server reads the key in lower case, so another one would be changed on its way.
fn extra_header(key: &str) -> Result<HeaderName, Problem> {
    let name = format!("{EXTRA}{}", utf8_percent_encode(key, ESCAPED));
    let is_lower = !key.chars().any(char::is_uppercase);
    let name = HeaderName::from_bytes(name.as_bytes()).ok().filter(|_| is_lower && !key.is_empty());
    name.ok_or_else(|| refused("one with an attribute whose key is empty or has capitals"))
}

/// HTTP drops blanks at both ends, and an empty value would be left out.
fn value(what: &str, text: &str) -> Result<HeaderValue, Problem> {
    let is_exact = !text.is_empty() && text.trim() == text && !text.chars().any(char::is_control);
    let value = HeaderValue::from_bytes(text.as_bytes()).ok().filter(|_| is_exact);
    value.ok_or_else(|| refused(&format!("one with an odd {what}")))
}

/// The name isn't repeated: it may hold anything.
fn refused(whom: &str) -> Problem {
    let message = format!(
        "this gateway can't impersonate {whom}; a name, a group and an attribute is a text without control characters \
         and without blanks at its ends"
    );
    Problem::new(Reason::Forbidden, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(user: &str, groups: &[&str]) -> Subject {
        let groups = groups.iter().map(|group| (*group).into()).collect();
        Subject { user: user.into(), uid: "".into(), groups, extra: [].into() }
    }

    fn headers(subject: &Subject) -> Result<Vec<String>, Problem> {
        let line = |(name, value): &(HeaderName, HeaderValue)| {
            format!("{name}: {}", String::from_utf8_lossy(value.as_bytes()))
        };
        Impersonation::of(subject).map(|impersonation| impersonation.headers.iter().map(line).collect())
    }

    #[test]
    fn a_viewer_is_impersonated_with_all_that_is_known_of_them() {
        let mut alice = subject("jörg@example.com", &["dev", "ops team", "system:authenticated"]);
        alice.uid = "7".into();
        alice.extra.insert("acme.com/project".into(), vec!["a".into(), "b".into()]);
        alice.extra.insert("per%cent".into(), vec!["c".into()]);
        alice.extra.insert(OF_ONE_TOKEN.into(), vec!["JTI=1".into()]);
        let expected = [
            "impersonate-user: jörg@example.com",
            "impersonate-uid: 7",
            "impersonate-group: dev",
            "impersonate-group: ops team",
            "impersonate-extra-acme.com%2fproject: a",
            "impersonate-extra-acme.com%2fproject: b",
            "impersonate-extra-per%25cent: c",
        ];
        assert_eq!(headers(&alice).expect("representable"), expected);
        let sent = Impersonation::of(&alice).expect("representable").headers();
        assert_eq!(sent.get_all(GROUP).iter().count(), 2, "each group is a header of its own");
    }

    #[test]
    fn a_service_account_goes_by_its_name_alone_unless_its_groups_are_others() {
        let name = "system:serviceaccount:shop:web";
        let own = ["system:authenticated", "system:serviceaccounts", "system:serviceaccounts:shop"];
        let mut account = subject(name, &own);
        (account.uid, account.extra) =
            ("7".into(), [("authentication.kubernetes.io/pod-name".into(), vec!["web-0".into()])].into());
        assert_eq!(headers(&account).expect("representable"), [format!("impersonate-user: {name}")]);
        for groups in [&own[..2], &["system:serviceaccounts", "system:serviceaccounts:other"][..], &[]] {
            let said = headers(&Subject { uid: "7".into(), ..subject(name, groups) }).expect("representable");
            assert_eq!(said[1], "impersonate-uid: 7", "{groups:?}");
        }
    }

    #[test]
    fn r_authz_13_who_cannot_be_named_exactly_is_refused_and_nobody_is_impersonated_without_a_name() {
        let alice = subject("alice", &["dev"]);
        let hostile =
            ["", " ", "\t", " a", "a ", "a\r\nImpersonate-User: admin", "a\nb", "a\0", "\u{7f}", "a\u{85}b"];
        for odd in hostile {
            let mut by_extra = alice.clone();
            by_extra.extra.insert("team".into(), vec!["a".into(), odd.into()]);
            let mut by_key = alice.clone();
            by_key.extra.insert(odd.into(), vec!["a".into()]);
            let mut by_uid = alice.clone();
            by_uid.uid = odd.into();
            let mut refused = vec![subject(odd, &["dev"]), subject("alice", &["dev", odd]), by_extra];
            refused.extend((!odd.is_empty()).then_some(by_uid));
            for subject in refused {
                let problem = UpstreamIdentity::impersonated(&subject).expect_err(odd);
                assert_eq!(problem.reason, Reason::Forbidden, "{odd:?}");
                assert!(!problem.message.contains("admin"), "{problem}");
            }
            // A key is escaped, so that it names nothing else.
            match headers(&by_key) {
                Ok(said) => {
                    let (key, _) = said[2].split_once(": ").expect("a header");
                    assert!(said.len() == 3 && !odd.is_empty() && !key.contains(odd), "{said:?}");
                }
                Err(_) => assert!(odd.is_empty() || odd.contains("User"), "{odd:?}"),
            }
        }
        let mut capitals = alice.clone();
        capitals.extra.insert("Team".into(), vec!["a".into()]);
        for subject in [capitals, subject(ANONYMOUS, &[]), subject("alice", &[UNAUTHENTICATED])] {
            assert!(headers(&subject).is_err(), "{subject:?}");
        }
    }

    #[test]
    fn equal_viewers_are_of_one_identity_whichever_token_they_have_and_others_are_not() {
        let of_token = |id: &str, groups: &[&str]| {
            let mut subject = subject("alice", groups);
            subject.extra.insert(OF_ONE_TOKEN.into(), vec![id.into()]);
            [
                UpstreamIdentity::by_token(&subject),
                UpstreamIdentity::impersonated(&subject).expect("representable"),
            ]
        };
        assert_eq!(of_token("1", &["dev"]), of_token("2", &["dev"]));
        let [token, impersonated] = of_token("1", &["dev"]);
        let [other_token, other_impersonated] = of_token("1", &["ops"]);
        assert_ne!(token, other_token);
        assert_ne!(impersonated, other_impersonated);
        assert_ne!(token, impersonated);
    }
}
