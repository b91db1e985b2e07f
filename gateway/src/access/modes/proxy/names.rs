//! Which names of users and groups are taken of a proxy, wherever they stand. Pure. Never one that Kubernetes reserves:
//! a proxy that can be talked into `system:masters` would be the cluster's administrator.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use shared::problem::Problem;

use crate::access::names::{self, UnusableName};
use crate::cluster::Subject;
use crate::limits::{PROXY_GROUPS_MAX, PROXY_NAME_BYTES_MAX};

/// Where a name stands, for messages.
#[derive(Clone, Copy)]
pub(super) enum NamePlace<'p> {
    Header(&'p str),
    Claim(&'p str),
}

impl fmt::Display for NamePlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(name) => write!(f, "the header {name}"),
            Self::Claim(name) => write!(f, "the claim {name:?} of the proxy's token"),
        }
    }
}

/// Fails with `BadRequest` if any of the names can't be taken.
pub(super) fn subject<'n>(
    (user, user_place): (&'n str, NamePlace<'_>),
    (groups, groups_place): (impl Iterator<Item = &'n str>, NamePlace<'_>),
) -> Result<Subject, Problem> {
    let user = name(user, user_place)?;
    let groups = groups.map(|group| name(group, groups_place)).collect::<Result<BTreeSet<_>, _>>()?;
    if groups.len() > PROXY_GROUPS_MAX {
        let message = format!("{groups_place} names more than {PROXY_GROUPS_MAX} groups");
        return Err(Problem::bad_request(message));
    }
    Ok(Subject { user, uid: "".into(), groups, extra: BTreeMap::new() })
}

fn name(text: &str, place: NamePlace<'_>) -> Result<Box<str>, Problem> {
    let wrong = if text.is_empty() {
        "is empty, or names an empty group"
    } else if text.len() > PROXY_NAME_BYTES_MAX {
        "holds a name that is too long"
    } else {
        match names::check(text) {
            Ok(()) => return Ok(text.into()),
            Err(UnusableName::Characters) => {
                "holds a name with blanks around it, control characters, or characters that nobody sees or that look like others"
            }
            Err(UnusableName::Reserved) => {
                "holds a name that begins with `system:` or `kubeadm:`, which Kubernetes reserves for its own"
            }
        }
    };
    Err(Problem::bad_request(format!("{place} {wrong}")))
}
