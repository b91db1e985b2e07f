//! `dogwatch rules test`: what rules would have told of a file of `dogwatch record`.

use std::fmt::Write;
use std::path::PathBuf;

use bytes::Bytes;
use clap::{Args, Subcommand};
use history::{Extent, KindKey, Past, PastState, PastVersion, ReplayFile, StoreError};
use jiff::Timestamp;
use shared::frame::server::Gap;
use shared::name::ClusterName;
use shared::past::{Unrecorded, Why};
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use crate::config::rules_of_file;
use crate::feed::Proof;
use crate::feed::labels::Labels;
use crate::hub::{Heard, HeardVersion};
use crate::limits::{CHANGES_READ_MAX, PROOF_INTERVAL_MS};
use crate::metrics::Metrics;
use crate::rules::{ExpressionThreads, Expressions, FeedPlace, FeedRules, Notification, RulesSettings, Turn};

/// Try rules
#[derive(Clone, Debug, Args)]
pub struct RulesArgs {
    #[command(subcommand)]
    command: RulesCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum RulesCommand {
    /// Print what rules would have told of a file of `dogwatch record`: when, and what was over again
    Test(TestArgs),
}

#[derive(Clone, Debug, Args)]
struct TestArgs {
    /// A file of `dogwatch record`
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The configuration of `dogwatch serve` that has the rules; receivers aren't asked, and needn't be in it
    #[arg(long, value_name = "CONFIG")]
    rules: PathBuf,
}

/// What is to be printed.
///
/// # Errors
/// A file can't be used.
pub fn execute(RulesArgs { command: RulesCommand::Test(args) }: &RulesArgs) -> Result<String, Problem> {
    let settings = rules_of_file(&args.rules)?;
    let file = ReplayFile::open(&args.file).map_err(unread)?;
    let expressions = ExpressionThreads::start(Metrics::new());
    let mut expressions = expressions
        .map_err(|error| Problem::new(Reason::InternalError, format!("no thread is to be had: {error}")))?;
    let mut told = Vec::new();
    let mut missing = Vec::new();
    for rule in &settings.rules {
        if !file.kinds.iter().any(|(key, _)| key.resource.to_string() == *rule.scope.kind) {
            missing.push(format!(
                "nothing of {} is in the file, so {} tells nothing\n",
                rule.scope.kind, rule.name
            ));
        }
    }
    for (key, _) in &file.kinds {
        told.extend(replayed(&*file.past(), (key, &file.about.cluster), &settings, &mut expressions)?);
    }
    told.sort_by_key(|told| told.proven_ms);
    Ok(missing.concat() + &in_words(&told))
}

/// What the rules of one kind told.
fn replayed(
    past: &dyn Past,
    (key, cluster): (&KindKey, &str),
    settings: &RulesSettings,
    expressions: &mut dyn Expressions,
) -> Result<Vec<Notification>, Problem> {
    let cluster = ClusterName::parse(cluster).or_else(|_| ClusterName::parse("recorded"))?;
    let is_of = |rule: &&std::sync::Arc<crate::rules::Rule>| {
        *rule.scope.kind == key.resource.to_string() && rule.scope.is_of_cluster(&cluster)
    };
    let rules: Vec<_> = settings.rules.iter().filter(is_of).cloned().collect();
    let extent = past.extent(key).map_err(unread)?;
    let (Some(Extent { from_ms, to_ms, unrecorded }), false) = (extent, rules.is_empty()) else {
        return Ok(Vec::new());
    };
    let mut replay = Replay {
        rules: FeedRules::new(FeedPlace { cluster, resource: key.resource.clone(), namespace: None }, rules),
        expressions,
        told: Vec::new(),
        unrecorded,
        proven_ms: from_ms,
    };
    replay.hear(Heard::Begun);
    if let Some(moment) = past.moment(key, from_ms).map_err(unread)? {
        for object in moment.objects {
            if let Some(body) = object.body.unpack() {
                let row = object.head.row(object.row);
                replay.hear(version(row, &object.head.labels, body));
            }
        }
    }
    replay.hear(Heard::Loaded(ResourceVersion::default()));
    replay.prove(from_ms);
    let mut after = 0;
    loop {
        let changes = past.changes(key, (from_ms + 1, to_ms), after, CHANGES_READ_MAX).map_err(unread)?;
        let Some(last) = changes.last() else { break };
        after = last.version.number;
        for change in changes {
            replay.change(change.version);
        }
    }
    replay.prove_until(to_ms);
    replay.prove(to_ms);
    Ok(replay.told)
}

/// A kind's past on its way through the rules. Where it was recorded, it was proven all the time.
struct Replay<'a> {
    rules: FeedRules,
    expressions: &'a mut dyn Expressions,
    told: Vec<Notification>,
    unrecorded: Vec<Unrecorded>,
    proven_ms: UnixMillis,
}

impl Replay<'_> {
    fn hear(&mut self, heard: Heard) {
        self.told.extend(self.rules.hear(heard, self.expressions));
    }

    fn change(&mut self, PastVersion { at_ms, row, resource_version, state, .. }: PastVersion) {
        self.prove_until(at_ms);
        match state {
            PastState::There { head, body } => self.hear(version(head.row(row), &head.labels, body)),
            PastState::Deleted { relisted } => self.hear(Heard::Deleted { row, resource_version, relisted }),
            PastState::Damaged => {}
        }
    }

    /// The proofs before a time.
    fn prove_until(&mut self, at_ms: UnixMillis) {
        while self.proven_ms + PROOF_INTERVAL_MS < at_ms {
            self.prove(self.proven_ms + PROOF_INTERVAL_MS);
        }
    }

    fn prove(&mut self, at_ms: UnixMillis) {
        let gap = self.unrecorded.iter().find(|gap| gap.from_ms <= at_ms && at_ms < gap.to_ms);
        match gap.cloned() {
            Some(Unrecorded { from_ms, to_ms, why }) => {
                let reason = if let Why::Missed(reason) = why { reason } else { Reason::Unproven };
                self.hear(Heard::Missed(Gap { from_ms, to_ms, reason }));
            }
            None => {
                let proof = Proof { at_ms, cluster_ahead_ms: 0 };
                self.hear(Heard::Proof(ResourceVersion::default(), proof));
            }
        }
        self.proven_ms = at_ms;
    }
}

fn version(row: shared::row::Row, labels: &str, body: Vec<u8>) -> Heard {
    Heard::Version(Box::new(HeardVersion::of_json(row, Labels::of_packed(labels), Bytes::from(body))))
}

fn in_words(all: &[Notification]) -> String {
    let mut text = String::new();
    for told in all {
        let at = Timestamp::from_millisecond(told.proven_ms).map(|at| at.to_string()).unwrap_or_default();
        let reason = told.objects.first().and_then(|object| object.reason.as_deref()).unwrap_or_default();
        let dash = if reason.is_empty() { "" } else { ": " };
        let (turn, rule, group) = (told.turn.word(), &told.rule.name, &told.group.0);
        // Writing to a text never fails.
        let _ = writeln!(
            text,
            "{at}  {turn:<8}  {rule}  {} {group} ({}){dash}{reason}",
            told.place.resource, told.object_count
        );
    }
    let count = |turn: Turn| all.iter().filter(|told| told.turn == turn).count();
    let (fired, resolved, happened) = (count(Turn::Firing), count(Turn::Resolved), count(Turn::Happened));
    text + &format!("{fired} fired, {resolved} resolved, {happened} happened\n")
}

fn unread(StoreError(why): StoreError) -> Problem {
    Problem::bad_request(format!("the file can't be used: {why}"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use history::{About, Keepers, RecordFile, Told, Version};
    use shared::resource::Resource;

    use super::*;

    fn pod(name: &str, version: u64, phase: &str) -> Told {
        let row = Arc::new(crate::rules::row_of_test("shop", name, version));
        let body = format!("{{\"metadata\":{{\"uid\":\"{name}\"}},\"status\":{{\"phase\":\"{phase}\"}}}}");
        Told::Version(Box::new(Version {
            row,
            labels: "".into(),
            about: None,
            masks: Box::default(),
            rules: 0,
            writers: Vec::new(),
            relisted: false,
            body: body.into(),
        }))
    }

    #[test]
    fn a_recorded_file_says_what_rules_would_have_told_and_when() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("shop.dwh");
        let about = About { cluster: "prod".into(), ..About::default() };
        let begun_ms = 1_700_000_000_000;
        let at = |seconds: i64| begun_ms + seconds * 1_000;
        let file = RecordFile::create(&path, &about, begun_ms).expect("a file");
        let mut keepers = Keepers::alone(Box::new(file), (1, begun_ms));
        let resource = Resource::parse("", "v1", "pods").expect("a resource");
        let key = KindKey { cluster: "c".into(), resource };
        let proof = |version: &str| Told::Proof { resource_version: ResourceVersion::new(version) };
        for (seconds, told) in [
            (0, Told::Columns(Vec::new().into())),
            (0, Told::Begun),
            (0, pod("a", 1, "Running")),
            (0, pod("b", 2, "Failed")),
            (0, Told::Loaded { resource_version: ResourceVersion::new("2") }),
            (30, pod("a", 3, "Failed")),
            (100, pod("a", 4, "Running")),
            (110, pod("a", 5, "Failed")),
            (115, pod("a", 6, "Running")),
            (200, proof("6")),
        ] {
            keepers.tell(&key, told, at(seconds));
            keepers.commit(at(seconds));
        }
        keepers.end(at(200));
        // The writer gives the file free.
        drop(keepers);
        let config = folder.path().join("rules.yaml");
        fs::write(
            &config,
            "rules:\n- {name: failed, kind: pods, when: 'jsonpath={.status.phase}=Failed', for: 20s}\n\
             - {name: jobs, kind: jobs.batch, when: created}\n",
        )
        .expect("written");
        let args = TestArgs { file: path, rules: config };
        let printed = execute(&RulesArgs { command: RulesCommand::Test(args) }).expect("it reads");
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines[0], "nothing of jobs.batch is in the file, so jobs tells nothing");
        let of = |line: &str| line.split_whitespace().skip(1).take(4).collect::<Vec<_>>().join(" ");
        assert_eq!(
            lines[1..4].iter().map(|line| of(line)).collect::<Vec<_>>(),
            ["firing failed pods shop/b", "firing failed pods shop/a", "resolved failed pods shop/a"]
        );
        assert_eq!(lines[4], "2 fired, 1 resolved, 0 happened");
        assert!(lines[2].starts_with("2023-11-14T22:14:"), "{}", lines[2]);
    }
}
