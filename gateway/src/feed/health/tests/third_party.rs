//! Kinds of other makers: what their conditions say in their own documents.

use super::{check, said};

fn conditions(all: &[(&str, &str, &str)]) -> String {
    let condition = |(kind, status, reason): &(&str, &str, &str)| {
        format!(
            "{{'type': '{kind}', 'status': '{status}', 'reason': '{reason}', 'lastTransitionTime': 'T+0'}}"
        )
    };
    let all: Vec<String> = all.iter().map(condition).collect();
    format!("{{'status': {{'conditions': [{}]}}}}", all.join(", "))
}

#[test]
fn a_run_of_tekton_takes_its_time() {
    for (kind, status, reason, expected) in [
        ("pipelineruns.tekton.dev", "Unknown", "Running", "changing Running since 0"),
        ("taskruns.tekton.dev", "Unknown", "Pending", "changing Pending since 0"),
        ("pipelineruns.tekton.dev", "False", "Failed", "changing Failed since 0, not-ready 60, failing 300"),
        ("pipelineruns.tekton.dev", "True", "Succeeded", "fine"),
        ("things.acme.test", "Unknown", "Running", "changing Running since 0, not-ready 60, failing 300"),
    ] {
        assert_eq!(said(kind, &conditions(&[("Succeeded", status, reason)])), expected, "{kind} {status}");
    }
}

#[test]
fn a_rollout_of_argo_may_wait_in_a_step() {
    const UNHEALTHY: (&str, &str, &str) = ("Healthy", "False", "RolloutHealthy");
    const AVAILABLE: (&str, &str, &str) = ("Available", "True", "AvailableReason");
    for (all, expected) in [
        (
            vec![
                UNHEALTHY,
                AVAILABLE,
                ("Progressing", "Unknown", "RolloutPaused"),
                ("Paused", "True", "RolloutPaused"),
            ],
            "fine Paused since 0",
        ),
        (
            vec![
                UNHEALTHY,
                AVAILABLE,
                ("Progressing", "True", "ReplicaSetUpdated"),
                ("Paused", "False", "RolloutPaused"),
            ],
            "changing ReplicaSetUpdated since 0",
        ),
        (
            vec![UNHEALTHY, AVAILABLE, ("Progressing", "True", "NewReplicaSetAvailable")],
            "changing Healthy False since 0, not-ready 60, failing 300",
        ),
        (
            vec![
                UNHEALTHY,
                AVAILABLE,
                ("Paused", "True", "RolloutPaused"),
                ("Progressing", "False", "RolloutAborted"),
            ],
            "failing RolloutAborted since 0",
        ),
        (
            vec![
                UNHEALTHY,
                ("Available", "False", "AvailableReason"),
                ("Progressing", "True", "ReplicaSetUpdated"),
            ],
            "changing Available False since 0, not-ready 60, failing 300",
        ),
        (vec![("InvalidSpec", "True", "InvalidSpec")], "failing InvalidSpec since 0"),
        (vec![("Healthy", "True", "RolloutHealthy"), AVAILABLE], "fine"),
    ] {
        assert_eq!(said("rollouts.argoproj.io", &conditions(&all)), expected, "{all:?}");
    }
    check(
        "rollouts.argoproj.io",
        &[("{'spec': {'paused': true}, 'status': {'replicas': 2}}", "fine Paused")],
    );
}

#[test]
fn what_its_maker_was_told_to_leave_alone_is_fine() {
    let bucket = |all| said("buckets.s3.aws.upbound.io", &conditions(all));
    const PAUSED: (&str, &str, &str) = ("Synced", "False", "ReconcilePaused");
    assert_eq!(bucket(&[PAUSED]), "fine ReconcilePaused since 0");
    assert_eq!(bucket(&[("Ready", "True", "Available"), PAUSED]), "fine ReconcilePaused since 0");
    assert_eq!(
        bucket(&[PAUSED, ("Ready", "False", "Creating")]),
        "changing Creating since 0, not-ready 60, failing 300"
    );
    assert_eq!(
        bucket(&[("Synced", "False", "ReconcileError")]),
        "changing ReconcileError since 0, not-ready 60, failing 300"
    );
    let kafka = conditions(&[("ReconciliationPaused", "True", "")]);
    assert_eq!(said("kafkas.kafka.strimzi.io", &kafka), "fine ReconciliationPaused since 0");
}

#[test]
fn another_word_for_not_being_ready_counts_and_one_that_no_rule_reads_is_unknown() {
    let is = |kind: &str, status: &str| said("things.acme.test", &conditions(&[(kind, status, "Said")]));
    let lacking = "changing Said since 0, not-ready 60, failing 300";
    assert_eq!(is("NotReady", "True"), lacking);
    assert_eq!(is("Available", "Degraded"), lacking);
    for (kind, status) in
        [("Available", "Partly"), ("Ready", ""), ("Degraded", "Perhaps"), ("NotReady", "Perhaps")]
    {
        assert_eq!(is(kind, status), "unknown Said since 0", "{kind} {status}");
    }
    let both = conditions(&[("Ready", "Perhaps", "Said"), ("Synced", "False", "Other")]);
    assert_eq!(said("things.acme.test", &both), lacking.replace("Said", "Other"), "what is read comes first");
}
