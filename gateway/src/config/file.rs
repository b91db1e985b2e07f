//! The configuration as YAML: the flags' names are its keys. A key that isn't one is an error, for a
//! setting that silently does nothing is worse than none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};
use shared::problem::Problem;

use super::wrong;

#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct File {
    pub listen: Option<String>,
    pub kubeconfig: Option<PathBuf>,
    pub context: Option<String>,
    pub demo: Option<bool>,
    pub auth: Option<String>,
    pub public_url: Option<String>,
    #[serde(default)]
    pub allowed_origin: Vec<String>,
    pub metrics_listen: Option<String>,
    pub connections_max: Option<usize>,
    pub connections_per_identity_max: Option<usize>,
    /// Kinds at the top of the navigation.
    #[serde(default)]
    pub pinned: Vec<String>,
    /// Links with names, for everybody.
    #[serde(default)]
    pub boards: Vec<BoardLink>,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardLink {
    pub name: String,
    pub link: String,
}

const KEYS: [&str; 12] = [
    "listen",
    "kubeconfig",
    "context",
    "demo",
    "auth",
    "public-url",
    "allowed-origin",
    "metrics-listen",
    "connections-max",
    "connections-per-identity-max",
    "pinned",
    "boards",
];

impl File {
    /// # Errors
    /// One sentence that names the file and what is wrong in it.
    pub fn read(path: &Path) -> Result<Self, Problem> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            wrong(format!(
                "the configuration {} can't be read: {error}; name another with --config",
                path.display()
            ))
        })?;
        let mut file = Self::parse(&text)
            .map_err(|why| wrong(format!("the configuration {} is wrong: {why}", path.display())))?;
        // A path in a file means the same wherever the gateway is started from.
        let folder = path.parent().unwrap_or(Path::new(""));
        file.kubeconfig = file.kubeconfig.map(|kubeconfig| folder.join(kubeconfig));
        Ok(file)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let is_empty = text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        if is_empty {
            return Ok(Self::default());
        }
        let keys: BTreeMap<String, Value> = serde_saphyr::from_str(text).map_err(|error| {
            let line = error.to_string();
            format!("it is not a mapping in YAML ({})", line.lines().next().unwrap_or_default())
        })?;
        if let Some(unknown) = keys.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(format!("the key {unknown:?} is unknown; {}", nearest(unknown)));
        }
        let keys: Map<String, Value> = keys.into_iter().collect();
        serde_json::from_value(Value::Object(keys)).map_err(|error| error.to_string())
    }
}

fn nearest(unknown: &str) -> String {
    let near = KEYS.iter().min_by_key(|key| strsim::osa_distance(key, unknown));
    let near = near.filter(|key| strsim::osa_distance(key, unknown) <= 1 + key.len() / 3);
    match near {
        Some(key) => format!("did you mean {key:?}?"),
        None => format!("it can hold {}", KEYS.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_is_a_key() {
        let file = File::parse(
            "listen: 127.0.0.1:9000\nkubeconfig: k\ncontext: c\ndemo: true\nauth: local\n\
             public-url: https://d.example\nallowed-origin: [https://p.example]\nmetrics-listen: 127.0.0.1:1\n\
             connections-max: 20000\nconnections-per-identity-max: 200\npinned: [pods]\n\
             boards: [{name: On call, link: /b?v=pods}]\n",
        );
        let expected = File {
            listen: Some("127.0.0.1:9000".to_owned()),
            kubeconfig: Some("k".into()),
            context: Some("c".to_owned()),
            demo: Some(true),
            auth: Some("local".to_owned()),
            public_url: Some("https://d.example".to_owned()),
            allowed_origin: vec!["https://p.example".to_owned()],
            metrics_listen: Some("127.0.0.1:1".to_owned()),
            connections_max: Some(20_000),
            connections_per_identity_max: Some(200),
            pinned: vec!["pods".to_owned()],
            boards: vec![BoardLink { name: "On call".to_owned(), link: "/b?v=pods".to_owned() }],
        };
        assert_eq!(file, Ok(expected));
        assert_eq!(File::parse("# nothing yet\n\n"), Ok(File::default()));
    }

    #[test]
    fn what_is_wrong_in_a_file_is_named() {
        for (text, fragments) in [
            ("lisen: x", ["lisen", "\"listen\""]),
            ("publicUrl: x", ["publicUrl", "\"public-url\""]),
            ("colour: x", ["colour", "metrics-listen"]),
            ("demo: perhaps", ["perhaps", "boolean"]),
            ("- listen", ["mapping", "YAML"]),
            ("listen: [", ["mapping", "YAML"]),
        ] {
            let why = File::parse(text).expect_err(text);
            assert!(fragments.iter().all(|fragment| why.contains(fragment)), "{text}: {why}");
        }
    }
}
