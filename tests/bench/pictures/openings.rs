//! What a person opens in a view and beside it: popovers, the panel, the log, boards; and the same on a
//! telephone.

use anyhow::Result;
use playground::Playground;
use serde_json::{Value, json};
use tests::browser::Look;

use super::states::{AT_ROWS, CHANGED, NEWEST, PHONE, PODS, ROWS, State, WIDE, alone, frame, refused, state};
use super::step::Step::{self, Click, Cluster, Fault, Go, Keys, Script, Until};

pub const OPENINGS: &[State] = &[
    state(
        "proof",
        WIDE,
        &[PODS, Click("deep('.pill')[0]"), Until("shown('.pop-proof').includes('equal')")],
        "table.html?state=proof",
    ),
    frame(
        "proof-stale",
        &[
            PODS,
            ROWS,
            Fault(r#"{"fault":"drop"}"#),
            Until("shown('.notice').includes('Stale since')"),
            Click("deep('.pill')[0]"),
            Until("deep('.pop-proof').length === 1"),
        ],
        "#proof .frame-body",
    ),
    state(
        "namespaces",
        WIDE,
        &[Click("deep('#namespaces')[0]"), Until("deep('.pop-namespaces').length === 1")],
        "table.html?state=namespaces",
    )
    .after(AT_ROWS),
    state(
        "columns",
        WIDE,
        &[Keys("c"), Until("deep('.pop-columns').length === 1")],
        "table.html?state=columns",
    )
    .after(AT_ROWS),
    state(
        "kubectl",
        WIDE,
        &[
            Go("/v/pods@/*?f=status.phase%3DRunning&q=age<60d"),
            Keys("K"),
            Until("deep('#command').length === 1"),
        ],
        "table.html?state=kubectl",
    ),
    state(
        "palette",
        WIDE,
        &[Keys(":dep"), Until("deep('[role=option]').length > 1")],
        "table.html?state=palette",
    )
    .after(AT_ROWS),
    state("help", WIDE, &[Keys("?"), Until("deep('#help').length === 1")], "table.html?state=help")
        .after(AT_ROWS),
    state(
        "selected",
        WIDE,
        &[Keys("xjjX"), Until("shown('.strip').includes('selected')")],
        "table.html?state=live",
    )
    .after(AT_ROWS),
    frame(
        "above",
        &[
            NEWEST,
            ROWS,
            Script("deep('.tbody')[0].scrollTop = 200"),
            Until("deep('.tbody')[0].scrollTop > 0"),
            Cluster(arrive),
            Until("/[3-9] new rows above/.test(shown('.above'))"),
        ],
        "#above .frame-body",
    ),
    state("panel", WIDE, &[Until("shown('#panel').includes('Conditions')")], "detail.html?tab=overview")
        .after(AT_OPENED),
    state(
        "panel-deployment",
        WIDE,
        &[
            Go("/v/deployments.apps@/*"),
            ROWS,
            Keys("\u{e007}"),
            Until("shown('#panel').includes('Conditions')"),
        ],
        "detail.html?tab=overview",
    ),
    state(
        "timeline",
        WIDE,
        &[
            Click("deep('#tab-timeline')[0]"),
            RESTARTS,
            Until("deep('.tl-item').length > 0"),
            RECOVERS,
            Until("deep('.tl-item').length > 1"),
            Keys("d"),
            Until("deep('.diff-line').length > 3"),
        ],
        "detail.html?tab=timeline",
    )
    .after(AT_OPENED),
    state(
        "yaml",
        WIDE,
        &[Click("deep('#tab-yaml')[0]"), Until("shown('#panel').includes('apiVersion')")],
        "detail.html?tab=yaml",
    )
    .after(AT_OPENED),
    state(
        "log",
        WIDE,
        &[Go("/log/pods@/*"), Until("deep('.log-lines > [role=row]').length > 11")],
        "log.html",
    ),
    state(
        "board",
        WIDE,
        &[
            Go("/b?v=pods@/*;q=status!%3DRunning,Completed&v=deployments.apps@/*&v=nodes@/-&log=events@/*"),
            Until("shown('#health').includes('4 views live') && deep('#log').length === 1"),
        ],
        "board.html",
    ),
    state(
        "board-of-two",
        WIDE,
        &[Go("/b?v=pods@/*&v=nodes@/-"), Until("shown('#health').includes('2 views live')"), CHANGED],
        "board.html",
    ),
    state(
        "embed",
        WIDE,
        &[
            Go("/embed"),
            // The context of this cluster names a namespace where nothing runs.
            Script(
                "deep('dogwatch-table').forEach((table, at) => table.setAttribute('link', ['/v/deployments.apps/*', '/v/pods/*?sort=-restarts'][at]))",
            ),
            Until("deep('[role=grid]').length === 2 && deep('.pill-live').length === 2"),
        ],
        "embed.html",
    ),
    state("phone", PHONE, &[NEWEST, CHANGED], "table.html?state=live"),
    state(
        "phone-stale",
        PHONE,
        &[PODS, ROWS, Fault(r#"{"fault":"drop"}"#), Until("shown('.notice').includes('Stale since')")],
        "table.html?state=stale",
    ),
    state(
        "phone-panel",
        PHONE,
        &[Until("shown('#panel').includes('Conditions')")],
        "detail.html?tab=overview",
    )
    .after(AT_OPENED),
    state(
        "phone-timeline",
        PHONE,
        &[
            Click("deep('#tab-timeline')[0]"),
            RESTARTS,
            Until("deep('.tl-item').length > 0"),
            RECOVERS,
            Until("deep('.tl-item').length > 1"),
        ],
        "detail.html?tab=timeline",
    )
    .after(AT_OPENED),
    alone("phone-kinds", PHONE, &[PODS, ROWS, Click("deep('.brand-menu')[0]")]),
    alone(
        "drawer",
        Look { width: 1100, height: 700, dark: false },
        &[
            PODS,
            ROWS,
            Keys("gk"),
            Until("deep('.nav-item').some((item) => item.getBoundingClientRect().width > 0)"),
        ],
    ),
];

/// A panel beside rows that change, of one of those.
const AT_OPENED: &[Step] =
    &[NEWEST, CHANGED, Click("rows().find((row) => cells(row, 0)[0].includes('modified'))")];

/// Whichever pod a picture is of.
const RESTARTS: Step =
    Cluster(|playground| stand(playground, "False", &json!({ "waiting": { "reason": "CrashLoopBackOff" } })));
const RECOVERS: Step = Cluster(|playground| stand(playground, "True", &json!({ "running": {} })));

fn stand(playground: &Playground, ready: &str, state: &Value) -> Result<()> {
    for pod in playground.list("pods") {
        let of = |path: &str| pod.pointer(path).cloned().unwrap_or_default();
        let (namespace, name) = (of("/metadata/namespace"), of("/metadata/name"));
        let (mut containers, mut conditions) = (of("/status/containerStatuses"), of("/status/conditions"));
        for container in containers.as_array_mut().into_iter().flatten() {
            let restarts = container["restartCount"].as_u64().unwrap_or_default();
            container["restartCount"] = json!(restarts + u64::from(ready == "False"));
            container["ready"] = json!(ready == "True");
            container["state"] = state.clone();
        }
        for condition in conditions.as_array_mut().into_iter().flatten() {
            if condition["type"] == "Ready" || condition["type"] == "ContainersReady" {
                condition["status"] = json!(ready);
            }
        }
        let status = json!({ "status": { "containerStatuses": containers, "conditions": conditions } });
        let (Some(namespace), Some(name)) = (namespace.as_str(), name.as_str()) else { continue };
        // It may have gone since it was listed.
        if playground.get("pods", namespace, name).is_some() {
            refused(playground.patch("pods", namespace, name, status))?;
        }
    }
    Ok(())
}

fn arrive(playground: &Playground) -> Result<()> {
    for name in ["night-audit-1", "night-audit-2", "night-audit-3"] {
        refused(playground.create(json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": name, "namespace": "shop" },
            "spec": { "containers": [{ "name": "audit", "image": "registry.k8s.io/pause:3.10" }] },
        })))?;
    }
    Ok(())
}
