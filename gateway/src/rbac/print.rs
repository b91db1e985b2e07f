//! The rules as YAML: a ClusterRole for `kubectl apply`, and the pieces from which the chart makes its own.

use std::fmt::Write;

use clap::Args;
use shared::problem::Problem;

use super::built_in::BUILT_IN;
use super::{
    KnownBy, Needs, OF_RECORDER, ProfileScope, always, log_verbs, namespaced, of_impersonation, of_profiles,
    of_tokens, of_viewers,
};
use super::{rules, verbs};
use crate::access::RightsMode;
use crate::cluster::{Choice, Rule};
use crate::config::ServeFlags;
use crate::past::KINDS;

/// Print what the gateway's account has to be granted for these settings, as a ClusterRole, and a Role for ClusterProfiles of one namespace
#[derive(Clone, Debug, Args)]
pub struct RbacFlags {
    #[command(flatten)]
    pub(super) serve: ServeFlags,

    /// A custom kind to show, such as boats.example.com, or *.example.com for all of a group; may be repeated
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    custom_kind: Vec<String>,

    /// With --rights impersonate: the key of an extra attribute that viewers have; may be repeated
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    user_extra: Vec<String>,

    /// With --rights impersonate: for Kubernetes before 1.36, whose impersonation isn't constrained to reading
    #[arg(long)]
    unconstrained: bool,

    /// The name of the ClusterRole, and of the Role
    #[arg(long, default_value = "dogwatch", value_name = "NAME")]
    name: String,

    /// Print the pieces of all ClusterRoles instead, for the chart.
    #[arg(long, hide = true)]
    pieces: bool,
}

/// # Errors
/// A problem that says which setting can't be used.
pub fn print(flags: &RbacFlags) -> Result<String, Problem> {
    if flags.pieces {
        return Ok(pieces());
    }
    let mut needs = flags.serve.needs(&flags.custom_kind)?;
    needs.user_extras = flags.user_extra.iter().map(|key| key.as_str().into()).collect();
    needs.constrained = !flags.unconstrained;
    let name = &flags.name;
    let mut text = role("ClusterRole", &format!("{{name: {name}}}"), &rules(&needs));
    if let Some((namespace, rules)) = namespaced(&needs) {
        text.push_str("---\n");
        text.push_str(&role("Role", &format!("{{name: {name}, namespace: {namespace}}}"), &rules));
    }
    Ok(text)
}

fn role(kind: &str, metadata: &str, rules: &[Rule]) -> String {
    let head = "apiVersion: rbac.authorization.k8s.io/v1";
    format!("{head}\nkind: {kind}\nmetadata: {metadata}\nrules:\n{}", listed(rules, "  "))
}

/// Each rule below its purpose, which is said once for those that share it.
pub(super) fn listed(rules: &[Rule], indent: &str) -> String {
    let (mut text, mut before) = (String::new(), "");
    for rule in rules {
        if rule.purpose != before && !rule.purpose.is_empty() {
            line(&mut text, &format!("{indent}# {}", rule.purpose));
        }
        before = rule.purpose;
        line(&mut text, &format!("{indent}- {rule}"));
    }
    text
}

fn line(text: &mut String, line: &str) {
    let written = writeln!(text, "{line}");
    debug_assert!(written.is_ok(), "a string takes everything");
}

/// The rules of every configuration, grouped by the setting that needs them.
pub(super) fn pieces() -> String {
    let needs = |known_by, constrained| Needs {
        known_by,
        rights: RightsMode::Impersonate,
        kinds: Choice::default(),
        secret_names: true,
        logs: true,
        profiles: ProfileScope::Nowhere,
        recorded: Vec::new(),
        custom: Vec::new(),
        user_extras: Vec::new(),
        constrained,
    };
    let mut text = String::from(HEAD);
    let mut piece = |name: &str, rules: &[Rule]| {
        line(&mut text, &format!("{name}:"));
        text.push_str(&listed(rules, "  "));
    };
    piece("always", &always());
    piece("viewers", &of_viewers());
    piece("tokens", &[of_tokens()]);
    piece("profiles", &[of_profiles()]);
    let ways = [("Token", KnownBy::Token), ("Name", KnownBy::Name)];
    for (name, known_by) in ways {
        piece(&format!("constrained{name}"), &of_impersonation(&needs(known_by, true)));
        piece(&format!("unconstrained{name}"), &of_impersonation(&needs(known_by, false)));
    }
    line(&mut text, "verbs:");
    let shared = Needs { rights: RightsMode::Shared, ..needs(KnownBy::Token, true) };
    let (token, name) = (needs(KnownBy::Token, true), needs(KnownBy::Name, true));
    for (key, needs) in [("shared", &shared), ("impersonateToken", &token), ("impersonateName", &name)] {
        line(&mut text, &format!("  {key}: {:?}", verbs(needs)));
    }
    line(&mut text, &format!("  recorded: {OF_RECORDER:?}"));
    line(&mut text, "logs:");
    for (key, needs) in [("shared", &shared), ("impersonateToken", &token), ("impersonateName", &name)] {
        line(&mut text, &format!("  {key}: {:?}", log_verbs(needs)));
    }
    line(&mut text, &format!("recorded: [{}]", KINDS.map(|kind| format!("{kind:?}")).join(", ")));
    line(&mut text, "kinds:");
    for (group, plurals) in BUILT_IN {
        line(&mut text, &format!("  - {{group: {group:?}, resources: [{}]}}", plurals.join(", ")));
    }
    text
}

const HEAD: &str = "\
# Written by `cargo xtask chart`, from gateway/src/rbac: what the gateway's account is granted, by when it is needed.
# templates/_rbac.tpl chooses among them.
";
