//! The configuration, read again while the gateway runs: what may change takes effect, what needs a restart is named,
//! and a file that can't be used changes nothing. Never where it takes effect.

use serde_json::{Map, Value};
use shared::problem::Problem;

use super::settings::{ServeFlags, Settings};
use super::{Config, wrong};

/// The settings that take effect when they are read again; every other one needs a restart.
const LIVE: [&str; 15] = [
    "boards",
    "child-kinds",
    "clusters",
    "config-map-values",
    "health",
    "hidden-annotation",
    "hidden-kind",
    "hidden-namespace",
    "masked-name",
    "pinned",
    "rules",
    "secret-names",
    "shown-kind",
    "shown-namespace",
    "unmasked-namespace",
];

/// Where the configuration came from, and the settings that are in effect.
#[derive(Clone, Debug)]
pub struct Reloading {
    flags: ServeFlags,
    in_effect: Map<String, Value>,
    /// What was read last.
    read: Map<String, Value>,
}

/// What another reading found.
#[derive(Debug)]
pub struct Reloaded {
    /// The new configuration. Only its live settings take effect.
    pub config: Config,
    /// The keys that were changed and take effect.
    pub changed: Vec<String>,
    /// The keys that were changed, too, and don't.
    pub needs_restart: Vec<String>,
}

impl Reloading {
    pub(super) fn of(flags: &ServeFlags, settings: &Settings) -> Result<Self, Problem> {
        Ok(Self { flags: flags.clone(), in_effect: keys_of(settings)?, read: Map::new() })
    }

    /// Fails as at the start, and then everything stays as it is.
    pub fn read(&mut self) -> Result<Reloaded, Problem> {
        let settings = Settings::of(&self.flags)?;
        let now = keys_of(&settings)?;
        let config = Config::of_settings(&self.flags, settings)?;
        let differs = |key: &&String| now.get(*key) != self.in_effect.get(*key);
        let (changed, needs_restart): (Vec<String>, Vec<String>) =
            now.keys().filter(differs).cloned().partition(|key| LIVE.contains(&key.as_str()));
        self.read = now.into_iter().filter(|(key, _)| changed.contains(key)).collect();
        Ok(Reloaded { config, changed, needs_restart })
    }

    /// What was read last is in effect.
    pub fn keep(&mut self) {
        self.in_effect.append(&mut self.read);
    }
}

fn keys_of(settings: &Settings) -> Result<Map<String, Value>, Problem> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(keys)) => Ok(keys),
        _ => Err(wrong("the settings can't be compared")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::settings::tests::flags;
    use super::*;

    fn reading(file: &Path) -> Reloading {
        Config::of(&flags(&["--demo", "--config", &file.to_string_lossy()])).expect("read").reloading
    }

    #[test]
    fn r_data_3_what_may_change_takes_effect_and_what_needs_a_restart_is_named_each_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("dogwatch.yaml");
        fs::write(&file, "config-map-values: true").expect("written");
        let mut reloading = reading(&file);
        let mut read = |text: &str| {
            fs::write(&file, text).expect("written");
            let Reloaded { config, changed, needs_restart } = reloading.read().expect("read");
            reloading.keep();
            (config.redaction.config_map_values, changed.join(" "), needs_restart.join(" "))
        };
        let nothing = String::new;
        assert_eq!(read("config-map-values: true"), (true, nothing(), nothing()));
        let both = read("masked-name: [pin]\nlisten: 127.0.0.1:1\n");
        assert_eq!(both, (false, "config-map-values masked-name".into(), "listen".into()));
        let again = read("masked-name: [pin]\nlisten: 127.0.0.1:1\n");
        assert_eq!(again, (false, nothing(), "listen".into()), "the gateway still listens elsewhere");
        assert_eq!(read("masked-name: [pin]"), (false, nothing(), nothing()));
    }

    #[test]
    fn r_data_3_a_broken_file_says_why_and_changes_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("dogwatch.yaml");
        fs::write(&file, "config-map-values: true").expect("written");
        let mut reloading = reading(&file);
        for (text, words) in [
            ("config-map-values: perhaps", "perhaps"),
            ("colour: red", "colour"),
            ("listen: 8484", "--listen 8484"),
        ] {
            fs::write(&file, text).expect("written");
            let problem = reloading.read().map(drop).expect_err(text);
            assert!(problem.message.contains(words), "{problem}");
        }
        fs::remove_file(&file).expect("removed");
        assert!(reloading.read().is_err(), "a file that is gone isn't an empty one");
        fs::write(&file, "config-map-values: true").expect("written");
        assert!(reloading.read().expect("read").changed.is_empty());
    }
}
