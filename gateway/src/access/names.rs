//! Which names of people and groups are taken of a provider or a proxy, wherever they stand. Pure. Never one that
//! Kubernetes or kubeadm reserves: who can be talked into `system:masters` or `kubeadm:cluster-admins` would be the
//! cluster's administrator. Nor one that only looks like another.

use shared::unseen::{is_other_width, is_unseen};

/// Why a name isn't taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnusableName {
    /// It begins with one of [`RESERVED`].
    Reserved,
    /// A blank around it, a control character, or one that is unseen or looks like another.
    Characters,
}

/// The groups of `system:` are Kubernetes' own; kubeadm binds `kubeadm:cluster-admins` to `cluster-admin`.
pub(super) const RESERVED: [&str; 2] = ["system:", "kubeadm:"];

/// A name with its prefix, which isn't empty.
pub(super) fn check(name: &str) -> Result<(), UnusableName> {
    let lower = name.trim().to_ascii_lowercase();
    if RESERVED.iter().any(|reserved| lower.starts_with(reserved)) {
        return Err(UnusableName::Reserved);
    }
    let is_odd_blank = |c: char| c.is_whitespace() && c != ' ';
    let is_odd = |c: char| c.is_control() || is_unseen(c) || is_other_width(c) || is_odd_blank(c);
    if name.trim() != name || name.chars().any(is_odd) {
        return Err(UnusableName::Characters);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_authn_5_reserved_names_and_those_that_only_look_like_another_are_not_taken() {
        for name in ["alice", "a@b.example", "José", "区域", "dev-team:ops", "subsystem:x", "a b"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in ["system:masters", "SYSTEM:x", " system:x", "kubeadm:cluster-admins", "Kubeadm:x"] {
            assert_eq!(check(name), Err(UnusableName::Reserved), "{name}");
        }
        for name in [
            " a",
            "a\n",
            "\u{200b}system:masters",
            "sys\u{200d}tem:masters",
            "a\u{202e}b",
            "\u{feff}alice",
            "ｓｙｓｔｅｍ：masters",
            "system：masters",
            "a\u{e0041}",
        ] {
            assert_eq!(check(name), Err(UnusableName::Characters), "{name:?}");
        }
    }
}
