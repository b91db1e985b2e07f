//! From the settings to the rights that the gateway's own account needs for them.

use shared::login_mode::LoginMode;
use shared::problem::Problem;

use super::profiles::{self, ProfileSettings};
use super::resolve::shows_logs;
use super::settings::{ServeFlags, Settings};
use super::texts::patterns;
use super::{Config, history, rights, rules, wrong};
use crate::cluster::{Choice, Pattern};
use crate::rbac::{Needs, ProfileScope};

impl ServeFlags {
    /// Fails for mode `local`, and for a setting that can't be used.
    pub(crate) fn needs(&self, custom: &[String]) -> Result<Needs, Problem> {
        let settings = Settings::of(self)?;
        let mode = LoginMode::of_name(&settings.auth);
        // What a mode needs of its own flags means nothing here.
        let known_by = mode.and_then(LoginMode::rights).ok_or_else(|| {
            let known = LoginMode::ALL.into_iter().filter(|mode| mode.rights().is_some());
            let known: Vec<&str> = known.map(LoginMode::name).collect();
            let auth = &settings.auth;
            wrong(match (mode, known.as_slice()) {
                (Some(_), [first @ .., last]) => format!(
                    "with --auth {auth} the gateway runs as you, and needs no rights of its own; give the --auth \
                     that it has in the cluster: {} or {last}",
                    first.join(", ")
                ),
                _ => format!("there is no --auth {auth}; what there is: {}", known.join(", ")),
            })
        })?;
        let kinds = Choice {
            only: patterns("--shown-kind", &settings.shown_kind)?,
            hidden: patterns("--hidden-kind", &settings.hidden_kind)?,
        };
        let profiles = profiles::of(
            settings.cluster_profiles.as_deref(),
            settings.cluster_profile_providers.as_deref(),
        )?;
        Ok(Needs {
            known_by,
            rights: rights::of(&settings.rights, Some(known_by))?,
            kinds,
            secret_names: settings.secret_names,
            logs: mode.is_some_and(|mode| shows_logs(settings.logs, mode)),
            recorded: [
                history::of(&settings.record, false, &settings.demo_minutes)?.kept_kinds(),
                patterns("rules", &rules::kinds(&settings.rules))?,
            ]
            .concat(),
            profiles: scope_of(profiles.as_ref()),
            custom: custom_kinds(custom)?,
            user_extras: Vec::new(),
            constrained: true,
        })
    }
}

impl Config {
    /// Without the kinds, which a cluster has to say. `None` in mode `local`.
    pub(crate) fn needs(&self) -> Option<Needs> {
        Some(Needs {
            known_by: self.auth.mode().rights()?,
            rights: self.rights,
            kinds: Choice::default(),
            secret_names: false,
            logs: self.ceiling.shows_logs(),
            recorded: Vec::new(),
            profiles: scope_of(self.profiles.as_ref()),
            custom: Vec::new(),
            user_extras: Vec::new(),
            constrained: true,
        })
    }
}

fn scope_of(profiles: Option<&ProfileSettings>) -> ProfileScope {
    match profiles.map(|profiles| &profiles.namespace) {
        None => ProfileScope::Nowhere,
        Some(None) => ProfileScope::AllNamespaces,
        Some(Some(namespace)) => ProfileScope::Namespace(namespace.clone()),
    }
}

/// RBAC has no pattern but `*`, and wants the group.
fn custom_kinds(texts: &[String]) -> Result<Vec<Pattern>, Problem> {
    let found = patterns("--custom-kind", texts)?;
    let has_group = |pattern: &&Pattern| match pattern {
        Pattern::Name(name) => name.contains('.'),
        Pattern::End(end) => end.starts_with('.'),
        Pattern::Begin(_) => false,
    };
    if found.iter().filter(has_group).count() < found.len() {
        return Err(wrong(
            "--custom-kind wants each kind with its group, such as boats.example.com, or *.example.com for all of one",
        ));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::settings::tests::settings;

    #[test]
    fn the_chart_takes_every_key_of_the_file_or_says_where_it_is_set() {
        let schema = include_str!("../../../deploy/chart/values.schema.json");
        let schema: Value = serde_json::from_str(schema).expect("JSON");
        let config = &schema["properties"]["config"];
        let others = config["description"].as_str().expect("a text").replace([',', '.', ':'], " ");
        let is_taken = |key: &str| config["properties"].get(key).is_some();
        let is_named = |key: &str| others.split_whitespace().any(|word| word == key);
        let keys = serde_json::to_value(settings(&[], "").expect("read")).expect("JSON");
        let missing: Vec<&String> = keys.as_object().expect("keys").keys().collect();
        let missing: Vec<_> = missing.into_iter().filter(|key| !is_taken(key) && !is_named(key)).collect();
        assert!(missing.is_empty(), "deploy/chart/values.schema.json, config: {missing:?}");
    }
}
