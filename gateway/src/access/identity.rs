//! A viewer's identity. There is no empty one, for upstream that would mean the gateway itself.

use std::net::SocketAddr;

use shared::state::UnixMillis;

/// A viewer who proved who they are. Can't be built without a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    name: Box<str>,
    groups: Box<[Box<str>]>,
}

/// An identity, for as long as its credential holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    pub identity: Identity,
    /// `None`: the login has no end of its own.
    pub expires_ms: Option<UnixMillis>,
}

/// How a connection came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Over the Unix socket; the kernel said that it is the same user.
    SameUser,
    /// Over TCP: a credential is needed.
    Remote(SocketAddr),
}

impl Identity {
    /// `None` if the name or a group is empty, begins or ends with a blank, holds a control character, or
    /// begins with `system:`, which Kubernetes keeps for its own.
    pub fn new(name: &str, groups: &[&str]) -> Option<Self> {
        if !is_name(name) || !groups.iter().all(|group| is_name(group)) {
            return None;
        }
        Some(Self { name: name.into(), groups: groups.iter().map(|group| Box::from(*group)).collect() })
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.trim() == text
        && !text.chars().any(char::is_control)
        && !text.to_ascii_lowercase().starts_with("system:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_has_a_name_that_belongs_to_no_one_else() {
        let alice = Identity::new("alice", &["shop"]).expect("a name");
        assert_eq!((alice.name(), &*alice.groups), ("alice", &["shop".into()][..]));
        for name in
            ["", " ", " alice", "alice\n", "a\r\nImpersonate-User: b", "system:admin", "System:masters"]
        {
            assert_eq!(Identity::new(name, &[]), None, "{name:?}");
            assert_eq!(Identity::new("alice", &[name]), None, "group {name:?}");
        }
    }
}
