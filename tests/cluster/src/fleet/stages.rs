//! kwok's stages, from the files of `fleet/` to what kwok reads: delays divided by the speed, and two
//! short forms of steps written out.
//!
//! `kubeletEvent` is an Event that looks like a kubelet's. kwok's own `event` step can't be used for it:
//! its messages are fixed, and it signs with its name. `replicaSets` are the two of a Rollout.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Fleet;

/// The text of kwok's configuration: JSON documents, which are YAML.
pub(super) fn written(fleet: Fleet) -> Result<String> {
    let mut text = String::new();
    for (file, stages) in FILES {
        for stage in stages.split("\n---\n") {
            let mut stage: Value =
                serde_saphyr::from_str(stage).with_context(|| format!("read fleet/{file}"))?;
            quicken(&mut stage, fleet.speed);
            write_steps_out(&mut stage).with_context(|| format!("read fleet/{file}"))?;
            text += &format!("---\n{stage}\n");
        }
    }
    Ok(text)
}

fn quicken(stage: &mut Value, speed: u32) {
    for name in ["durationMilliseconds", "jitterDurationMilliseconds"] {
        if let Some(delay) = stage.pointer_mut(&format!("/spec/delay/{name}"))
            && let Some(usual) = delay.as_u64()
        {
            *delay = (usual / u64::from(speed.max(1))).into();
        }
    }
}

fn write_steps_out(stage: &mut Value) -> Result<()> {
    let steps = stage.pointer_mut("/spec/steps").and_then(Value::as_array_mut).context("no steps")?;
    let mut written = Vec::new();
    for step in steps.drain(..) {
        if let Some(event) = step.get("kubeletEvent") {
            written.push(json!({"apply": {"type": "merge", "template": event_template(event)?}}));
        } else if let Some(updated) = step.pointer("/replicaSets/updated").and_then(Value::as_str) {
            let rest = format!("sub (int .spec.replicas) (int ({updated}))");
            // The one that grows first, so that there are never too few pods.
            for (generation, replicas) in [(GENERATION, updated), (BEFORE, &rest)] {
                written.push(json!({"apply": {"template": replica_set_template(generation, replicas)}}));
            }
        } else {
            written.push(step);
        }
    }
    *steps = written;
    Ok(())
}

/// Two of them in turn, by whether the Rollout's generation is odd.
fn replica_set_template(generation: &str, replicas: &str) -> String {
    let hash = r#"ternary "5d8f7c9b64" "7b6c5f4d98" (eq 1 (mod $generation 2))"#;
    let replicas = format!("int ({replicas})");
    let variables = [("generation", generation), ("hash", hash), ("replicas", &replicas)];
    assignments(&variables) + REPLICA_SET
}

/// One that happens again (`count`, or about `everySeconds`) is the same Event with a higher count.
fn event_template(event: &Value) -> Result<String> {
    let word = |name: &str| event.get(name).and_then(Value::as_str);
    let needed = |name: &str| word(name).with_context(|| format!("an event needs its {name}"));
    let count = match (word("count"), event.get("everySeconds")) {
        (Some(count), _) => count.to_owned(),
        (None, Some(every)) => {
            let since = r#"(toDate "2006-01-02T15:04:05Z" .status.startTime).Unix"#;
            format!("add 1 (div (sub now.Unix {since}) {every})")
        }
        (None, None) => "0".to_owned(),
    };
    let quoted = |text: &str| format!("{text:?}");
    let variables = [
        ("type", quoted(needed("type")?)),
        ("reason", quoted(needed("reason")?)),
        ("message", format!("print {}", spliced(needed("message")?))),
        ("count", count),
    ];
    Ok(assignments(&variables.each_ref().map(|(name, value)| (*name, value.as_str()))) + EVENT)
}

/// What a template of `fleet/` finds set when it begins.
fn assignments(variables: &[(&str, &str)]) -> String {
    variables.iter().map(|(name, value)| format!("{{{{ ${name} := {value} }}}}\n")).collect()
}

/// `a {{ b }} c` as the arguments of a template's `print`, so that the whole can be quoted for YAML.
fn spliced(message: &str) -> String {
    let mut arguments = Vec::new();
    let mut rest = message;
    while let Some((text, (code, after))) =
        rest.split_once("{{").and_then(|(text, tail)| Some((text, tail.split_once("}}")?)))
    {
        arguments.push(format!("{text:?}"));
        arguments.push(format!("({})", code.trim()));
        rest = after;
    }
    arguments.push(format!("{rest:?}"));
    arguments.join(" ")
}

const GENERATION: &str = "int .metadata.generation";
const BEFORE: &str = "sub (int .metadata.generation) 1";

const REPLICA_SET: &str = include_str!("../../fleet/replica-set.yaml");
const EVENT: &str = include_str!("../../fleet/event.yaml");

const FILES: [(&str, &str); 6] = [
    ("nodes.yaml", include_str!("../../fleet/nodes.yaml")),
    ("pods.yaml", include_str!("../../fleet/pods.yaml")),
    ("usage.yaml", include_str!("../../fleet/usage.yaml")),
    ("faults.yaml", include_str!("../../fleet/faults.yaml")),
    ("story.yaml", include_str!("../../fleet/story.yaml")),
    ("custom.yaml", include_str!("../../fleet/custom.yaml")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_of_ten_times_the_speed_waits_a_tenth() {
        let delay = |speed| {
            let text = written(Fleet { speed, ..Fleet::default() }).unwrap();
            let rolls = text.split("---\n").find(|stage| stage.contains("deployment-rolls")).unwrap();
            let stage: Value = serde_json::from_str(rolls).unwrap();
            stage.pointer("/spec/delay/durationMilliseconds").unwrap().as_u64().unwrap()
        };
        assert_eq!((delay(1), delay(10)), (20_000, 2_000));
    }

    #[test]
    fn every_short_form_is_written_out() {
        let text = written(Fleet::default()).unwrap();
        assert!(!text.contains("kubeletEvent") && !text.contains("replicaSets"));
        assert!(text.contains("Readiness probe failed"));
    }

    #[test]
    fn a_message_is_spliced_from_text_and_code() {
        assert_eq!(spliced("Node {{ .n }} is up"), r#""Node " (.n) " is up""#);
        assert_eq!(spliced("plain"), r#""plain""#);
    }
}
