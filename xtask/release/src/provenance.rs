//! The source that a release was made of: an in-toto statement (<https://in-toto.io/Statement/v1>) with a predicate of
//! SLSA 1.0 (<https://slsa.dev/spec/v1.0/provenance>).

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::json::field;
use crate::sums::Sums;

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const PREDICATE: &str = "https://slsa.dev/provenance/v1";
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// `subjects`: every artifact that was built. `lock`: the hash of the lock file, which names all dependencies by theirs.
pub(crate) fn statement(subjects: &Sums, version: &str, commit: &str, lock: &str) -> String {
    let subject = |(name, sum): (&String, &String)| json!({"name": name, "digest": {"sha256": sum}});
    let statement = json!({
        "_type": STATEMENT,
        "subject": subjects.iter().map(subject).collect::<Vec<_>>(),
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": format!("{REPOSITORY}/blob/{commit}/docs/RELEASES.md#how-a-release-is-built"),
                "externalParameters": {"version": version},
                "resolvedDependencies": [
                    {"uri": format!("git+{REPOSITORY}@{commit}"), "digest": {"gitCommit": commit}},
                    {"name": "Cargo.lock", "digest": {"sha256": lock}},
                ],
            },
            "runDetails": {"builder": {"id": format!("{REPOSITORY}/blob/{commit}/xtask/src/release.rs")}},
        },
    });
    format!("{statement:#}\n")
}

/// Whether it speaks of these artifacts and of this version. Returns the commit.
pub(crate) fn check(text: &str, subjects: &Sums, version: &str) -> Result<String> {
    let statement: Value = serde_json::from_str(text)?;
    let at = |path: &str| statement.pointer(path).and_then(Value::as_str).unwrap_or_default();
    ensure!(
        at("/_type") == STATEMENT && at("/predicateType") == PREDICATE,
        "it is no statement of provenance"
    );
    let said = field(&statement, "subject").as_array().context("it has no subjects")?.iter().map(|subject| {
        let sum = subject.pointer("/digest/sha256")?.as_str()?.to_owned();
        Some((field(subject, "name").as_str()?.to_owned(), sum))
    });
    let said: Option<Sums> = said.collect();
    ensure!(said.as_ref() == Some(subjects), "it speaks of other artifacts");
    let of = at("/predicate/buildDefinition/externalParameters/version");
    ensure!(of == version, "it is of version {of:?}");
    let commit = at("/predicate/buildDefinition/resolvedDependencies/0/digest/gitCommit");
    let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    ensure!(is_commit, "{commit:?} is no commit");
    Ok(commit.to_owned())
}
