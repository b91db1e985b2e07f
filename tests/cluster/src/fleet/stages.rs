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
    let node = stage.pointer("/spec/resourceRef/kind").is_some_and(|kind| kind == "Node");
    let steps = stage.pointer_mut("/spec/steps").and_then(Value::as_array_mut).context("no steps")?;
    let mut written = Vec::new();
    for step in steps.drain(..) {
        if let Some(event) = step.get("kubeletEvent") {
            written.push(json!({"apply": {"type": "merge", "template": event_template(event, node)?}}));
        } else if let Some(updated) = step.pointer("/replicaSets/updated").and_then(Value::as_str) {
            let rest = format!("sub (int .spec.replicas) (int ({updated}))");
            // The one that grows first, so that there are never too few pods.
            for (generation, replicas) in [(".metadata.generation", updated), (BEFORE, &rest)] {
                written.push(json!({"apply": {"template": replica_set_template(generation, replicas)}}));
            }
        } else {
            written.push(step);
        }
    }
    *steps = written;
    Ok(())
}

/// One of two in turn, by whether the Rollout's generation is odd.
fn replica_set_template(generation: &str, replicas: &str) -> String {
    let opening = format!(
        "{{{{ $generation := int ({generation}) }}}}\n\
         {{{{ $hash := ternary \"5d8f7c9b64\" \"7b6c5f4d98\" (eq 1 (mod $generation 2)) }}}}\n\
         {{{{ $replicas := int ({replicas}) }}}}\n"
    );
    opening + REPLICA_SET
}

/// One that happens again (`count`, or about `everySeconds`) is the same Event with a higher count.
fn event_template(event: &Value, node: bool) -> Result<String> {
    let word = |name: &str| event.get(name).and_then(Value::as_str);
    let [kind, reason, message] = ["type", "reason", "message"]
        .map(|name| word(name).with_context(|| format!("an event needs its {name}")));
    let reason = reason?;
    let count = match (word("count"), event.get("everySeconds")) {
        (Some(count), _) => Some(count.to_owned()),
        (None, Some(every)) => {
            let since = r#"(toDate "2006-01-02T15:04:05Z" .status.startTime).Unix"#;
            Some(format!("add 1 (div (sub now.Unix {since}) {every})"))
        }
        (None, None) => None,
    };
    let (first, count) = match &count {
        Some(count) => ("{{ .status.startTime }}", format!("{{{{ {count} }}}}")),
        None => (NOW, "1".to_owned()),
    };
    let (suffix, place) =
        if node { ("{{ now.Unix }}", ON_NODE) } else { ("{{ trunc 8 .metadata.uid }}", ON_POD) };
    Ok(format!(
        "apiVersion: v1\nkind: Event\n\
         metadata: {{name: \"{{{{ .metadata.name }}}}.{suffix}.{}\", namespace: {{{{ or .metadata.namespace \"default\" }}}}}}\n\
         {place}\n\
         type: {}\nreason: {reason}\nmessage: {{{{ print {} | quote }}}}\n\
         reportingComponent: kubelet\n\
         firstTimestamp: \"{first}\"\nlastTimestamp: \"{NOW}\"\ncount: {count}\n",
        reason.to_lowercase(),
        kind?,
        spliced(message?),
    ))
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

const BEFORE: &str = "sub (int .metadata.generation) 1";

const REPLICA_SET: &str = include_str!("../../fleet/replica-set.yaml");

const NOW: &str = r#"{{ now.UTC.Format "2006-01-02T15:04:05Z" }}"#;

const ON_NODE: &str = "involvedObject: {kind: Node, name: \"{{ .metadata.name }}\", uid: \"{{ .metadata.uid }}\"}\n\
    source: {component: kubelet, host: \"{{ .metadata.name }}\"}\n\
    reportingInstance: \"{{ .metadata.name }}\"";

const ON_POD: &str = "involvedObject: {apiVersion: v1, kind: Pod, namespace: \"{{ .metadata.namespace }}\", \
    name: \"{{ .metadata.name }}\", uid: \"{{ .metadata.uid }}\", \
    fieldPath: \"spec.containers{{ print \"{\" (index .spec.containers 0).name \"}\" }}\"}\n\
    source: {component: kubelet, host: \"{{ .spec.nodeName }}\"}\n\
    reportingInstance: \"{{ .spec.nodeName }}\"";

const FILES: [(&str, &str); 5] = [
    ("nodes.yaml", include_str!("../../fleet/nodes.yaml")),
    ("pods.yaml", include_str!("../../fleet/pods.yaml")),
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
            let text = written(Fleet { speed }).unwrap();
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
